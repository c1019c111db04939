// The compile entry: tile IR is optimized and decoded once, so that an unsupported operation is an
// error here and not when loading.
#include "plugins/cpu/Handles.h"

#include "backends/interpreter/Reader.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace tilerun;
using namespace tilerun::cpu;

static llvm::Expected<const TilerunPluginArtifact *> compileRead(interp::ModuleReader &reader,
                                                                 const CompileOptions &options) {
  mlir::ModuleOp module = reader.getModule();
  if (options.optimize) {
    mlir::PassManager manager(module.getContext());
    buildOptimizePipeline(manager);
    if (mlir::failed(manager.run(module)))
      return interp::makeError(interp::ErrorKind::Compile,
                               "the optimizer failed\n" + reader.getErrors());
  }
  std::vector<std::string> names = reader.getKernels();
  if (names.empty())
    return interp::makeError(
        interp::ErrorKind::Compile,
        "the module has no kernel (a function with the attribute 'tile.kernel')");
  ArtifactContent content{options.run, {}, "", tile::writeModule(module)};
  std::vector<KernelParameters> parameters;
  for (const std::string &name : names) {
    auto program = interp::loadProgram(content.code, name);
    if (!program)
      return program.takeError();
    content.kernels.push_back({name, options.threads});
    KernelParameters &own = parameters.emplace_back();
    for (const interp::ArgumentInfo &argument : (*program)->arguments) {
      if (interp::isFloat(argument.type) && interp::sizeOf(argument.type) == 1)
        return interp::makeError(interp::ErrorKind::Compile,
                                 "parameter '" + argument.name + "' of kernel '" + name +
                                     "' is a " + interp::getName(argument.type) +
                                     ", which cannot be passed; pass its bits as i8");
      own.names.push_back(argument.name);
      own.types.push_back(argument.type);
    }
  }
  return makeArtifact(content, std::move(parameters));
}

llvm::Expected<const TilerunPluginArtifact *> cpu::compileText(llvm::StringRef text,
                                                               const CompileOptions &options) {
  interp::ModuleReader reader;
  if (llvm::Error error = reader.readText(text))
    return error;
  return compileRead(reader, options);
}

llvm::Expected<const TilerunPluginArtifact *> cpu::compileBytecode(llvm::ArrayRef<uint8_t> bytecode,
                                                                   const CompileOptions &options) {
  interp::ModuleReader reader;
  if (llvm::Error error = reader.readBytecode(bytecode))
    return error;
  return compileRead(reader, options);
}

// Sets one option; the error's text if that is not possible.
static std::string setOption(CompileOptions &options, llvm::StringRef name, llvm::StringRef value) {
  auto bad = [&](llvm::StringRef wanted) {
    return ("option '" + name + "' is '" + value + "', not " + wanted).str();
  };
  auto truth = [&](bool &out) -> std::string {
    if (value != "true" && value != "false")
      return bad("true or false");
    out = value == "true";
    return "";
  };
  unsigned number = 0;
  // Threads and pipelines are not the interpreter's concern, but what asks for them is checked.
  if (name == "num-warps" || name == "num-stages" || name == "num-ctas" || name == "maxnreg")
    return value.getAsInteger(10, number) ? bad("a number") : "";
  if (name == "opt-level") {
    if (value.getAsInteger(10, number) || number > 3)
      return bad("0 to 3");
    options.optimize = number > 0;
    return "";
  }
  bool lineInfo = true; // Positions are always kept.
  if (name == "line-info")
    return truth(lineInfo);
  if (name == "debug")
    return truth(options.run.debug);
  if (name == "checks")
    return parseChecks(value, options.run.checks);
  if (name == "threads")
    return value.getAsInteger(10, options.run.numThreads) ? bad("a number") : "";
  return ("there is no option '" + name + "'").str();
}

static TilerunStatus compile(const TilerunPluginCompileRequest *request,
                             const TilerunPluginArtifact **artifact, const TilerunErrorSink *sink) {
  llvm::StringRef target = request->target ? request->target : "";
  if (target != "cpu" && target != kTarget)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "compile",
                "target '" + target.str() + "'; there is only '" + kTarget + "'");
  CompileOptions options;
  for (uint32_t i = 0; i < request->num_options; ++i) {
    std::string reason = setOption(options, request->options[i].name, request->options[i].value);
    if (!reason.empty())
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "compile", reason);
  }
  auto made = compileBytecode({request->bytecode, size_t(request->num_bytes)}, options);
  if (!made)
    return fail(sink, "compile", made.takeError());
  *artifact = *made;
  return TILERUN_STATUS_OK;
}

void cpu::addCompileEntries(TilerunPlugin &table) {
  table.get_targets = [](void (*each)(void *, const char *), void *user,
                         const TilerunErrorSink *) -> TilerunStatus {
    each(user, kTarget);
    return TILERUN_STATUS_OK;
  };
  table.compile = compile;
  table.release_artifact = releaseArtifact;
}
