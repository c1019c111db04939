// The compile entry: tile IR, which the library has optimized, is decoded once, so that an
// unsupported operation is an error here and not when loading.
#include "plugins/cpu/Handles.h"

#include "backends/interpreter/Reader.h"
#include "ir/tile/ModuleBytes.h"
#include "plugins/support/Options.h"

#include <climits>

using namespace tilerun;
using namespace tilerun::cpu;
using namespace tilerun::plugin_support;

static llvm::Expected<const TilerunPluginArtifact *> compileRead(interp::ModuleReader &reader,
                                                                 const CompileOptions &options) {
  std::vector<std::string> names = reader.getKernels();
  if (names.empty())
    return interp::makeError(
        interp::ErrorKind::Compile,
        "the module has no kernel (a function with the attribute 'tile.kernel')");
  ArtifactContent content{options.run, {}, "", tile::writeModule(reader.getModule())};
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

using Value = const std::string &;

// Threads and pipelines do not concern the interpreter, but the options for them are checked.
static std::string ignoreNumber(CompileOptions &, Value value) {
  unsigned unused = 0;
  return readNumber(value, 0, UINT_MAX, unused);
}
static std::string ignoreTruth(CompileOptions &, Value value) {
  bool unused = true;
  return readTruth(value, unused);
}

static constexpr Option<CompileOptions> kOptions[] = {
    {"num-warps", "a number; it changes nothing", ignoreNumber},
    {"num-stages", "a number; it changes nothing", ignoreNumber},
    {"num-ctas", "1, 2, 4 or 8; it changes nothing",
     [](CompileOptions &, Value value) {
       unsigned unused = 0;
       return readBlocks(value, unused);
     }},
    {"maxnreg", "a number; it changes nothing", ignoreNumber},
    {"opt-level", "0 to 3; the library optimizes, and it changes nothing",
     [](CompileOptions &, Value value) {
       unsigned unused = 0;
       return readNumber(value, 0, 3, unused);
     }},
    {"fp-fusion", "true or false; products are always rounded", ignoreTruth},
    {"line-info", "true or false; positions are always kept", ignoreTruth},
    {"debug", "true or false",
     [](CompileOptions &o, Value value) { return readTruth(value, o.run.debug); }},
    {"checks", "true, or names of checks",
     [](CompileOptions &o, Value value) { return parseChecks(value, o.run.checks); }},
    {"watch", "a list of activity, writers and work",
     [](CompileOptions &o, Value value) { return parseWatch(value, o.run.watch); }},
    {"threads", "threads of the host; 0 for one a core", [](CompileOptions &o, Value value) {
       return readNumber(value, 0, UINT_MAX, o.run.numThreads);
     }}};

static TilerunStatus compile(const TilerunPluginCompileRequest *request,
                             const TilerunPluginArtifact **artifact, const TilerunErrorSink *sink) {
  llvm::StringRef target = request->target ? request->target : "";
  if (target != "cpu" && target != kTarget)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "compile",
                "target '" + target.str() + "'; the only target is '" + kTarget + "'");
  CompileOptions options;
  if (std::string wrong = setOptions<CompileOptions>({kOptions}, *request, options); !wrong.empty())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "compile", wrong);
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
