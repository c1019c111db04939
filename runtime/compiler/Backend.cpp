// The optimizer and the plugin's compiler.
#include "runtime/compiler/Backend.h"

#include "ir/analysis/ParameterWrites.h"
#include "ir/tile/KeepOther.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/PassRecorder.h"
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"
#include "runtime/cache/PluginArtifacts.h"
#include "runtime/plugin/Trace.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace tilerun;
using namespace tilerun::compiler;
using core::Status;

// Of the target's own options; "" if it is not given.
static llvm::StringRef getOption(const TilerunCompileOptions &options, llvm::StringRef name) {
  for (uint32_t i = 0; i < options.num_options; ++i)
    if (name == options.options[i].name)
      return options.options[i].value;
  return "";
}

// Whether the device looks for mistakes.
static bool wantsChecks(const TilerunCompileOptions &options) {
  llvm::StringRef checks = getOption(options, "checks");
  return options.checks || (!checks.empty() && checks != "false");
}

namespace {
/// Passes and analyses as spans; the adaptors that run passes on functions are not.
class PassTrace : public mlir::PassInstrumentation {
public:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    spans.push_back(pass->getName().starts_with("mlir::detail::")
                        ? nullptr
                        : std::make_unique<Span>("pass", pass->getName().str()));
  }
  void runAfterPass(mlir::Pass *, mlir::Operation *) override { spans.pop_back(); }
  void runAfterPassFailed(mlir::Pass *, mlir::Operation *) override { spans.pop_back(); }
  void runBeforeAnalysis(llvm::StringRef name, mlir::TypeID, mlir::Operation *) override {
    spans.push_back(std::make_unique<Span>("pass", name.str()));
  }
  void runAfterAnalysis(llvm::StringRef, mlir::TypeID, mlir::Operation *) override {
    spans.pop_back();
  }

private:
  std::vector<std::unique_ptr<Span>> spans; ///< Of the one thread that runs passes.
};
} // namespace

Status compiler::optimize(mlir::ModuleOp module, const std::string &kernel,
                          const TilerunCompileOptions &options, PassRecorder *recorder) {
  if (wantsChecks(options))
    module->setAttr(tile::kKeepOtherAttr, mlir::UnitAttr::get(module.getContext()));
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    messages += "\n  " + diagnostic.str();
    return mlir::success();
  });
  // A module that crosses the plugin ABI has no descriptors, so that plugins of every version can
  // read it.
  Span span("compile", "optimize");
  mlir::PassManager manager(module.getContext());
  if (Trace::isOn())
    manager.addInstrumentation(std::make_unique<PassTrace>());
  if (recorder)
    manager.addInstrumentation(recorder->makeInstrumentation());
  if (getOption(options, "opt-level") == "0")
    manager.addPass(createTileExpandDescriptors());
  else
    buildOptimizePipeline(manager);
  if (mlir::succeeded(manager.run(module)))
    return {};
  return Status(TILERUN_STATUS_INTERNAL,
                "the optimizer failed on kernel '" + kernel + "'" + messages);
}

Status compiler::makeBytecode(mlir::ModuleOp module, const std::string &kernel,
                              const TilerunCompileOptions &options, std::vector<uint8_t> &bytecode,
                              PassRecorder *recorder) {
  TILERUN_TRY(optimize(module, kernel, options, recorder));
  Span span("compile", "write bytecode");
  bytecode = tile::writeModule(module);
  return {};
}

static std::string getName(const core::Device &device, const std::string &signature,
                           const TilerunCompileOptions &options) {
  std::string name = device.getInfo().target + "\n" + signature + "\n" +
                     std::to_string(options.num_warps) + " " + std::to_string(options.num_stages) +
                     " " + std::to_string(options.debug) + " " + std::to_string(options.checks) +
                     " " + std::to_string(options.maxnreg) + " " + std::to_string(options.num_ctas);
  for (uint32_t i = 0; i < options.num_options; ++i)
    name += std::string("\n") + options.options[i].name + "=" + options.options[i].value;
  return name;
}

namespace {
// A request to a plugin's compiler, with the data that it points to.
struct Request {
  std::string numWarps, numStages, maxnreg, numCtas;
  std::vector<TilerunPluginOption> options;
  TilerunPluginCompileRequest request;

  Request(const std::string &target, llvm::ArrayRef<uint8_t> bytecode,
          const TilerunCompileOptions &given, const std::string &emit = "")
      : numWarps(std::to_string(given.num_warps)), numStages(std::to_string(given.num_stages)),
        maxnreg(std::to_string(given.maxnreg)), numCtas(std::to_string(given.num_ctas)),
        options{{"num-warps", numWarps.c_str()},
                {"num-stages", numStages.c_str()},
                {"debug", given.debug ? "true" : "false"}} {
    // Passed only if they are set: most devices do not know them.
    if (given.checks)
      options.push_back({"checks", "true"});
    if (given.maxnreg)
      options.push_back({"maxnreg", maxnreg.c_str()});
    if (given.num_ctas > 1)
      options.push_back({"num-ctas", numCtas.c_str()});
    if (!emit.empty())
      options.push_back({"emit", emit.c_str()});
    options.insert(options.end(), given.options, given.options + given.num_options);
    request = {sizeof(request), static_cast<uint32_t>(options.size()),
               bytecode.data(), bytecode.size(),
               target.c_str(),  options.data()};
  }
  Request(const Request &) = delete;
  Request &operator=(const Request &) = delete;
};
} // namespace

static Status finish(const cache::Outcome &outcome, bool made, core::CompiledArtifact &out) {
  if (outcome.error)
    return Status(*outcome.error);
  out = {outcome.artifact, &outcome.artifact->get(), !made};
  return {};
}

void Backend::remember(const core::Device &device, const std::string &signature,
                       const TilerunCompileOptions &options, const cache::Key &key) {
  std::lock_guard lock(mutex);
  keys[getName(device, signature, options)] = key;
}

Status Backend::compile(const core::Device &device, llvm::ArrayRef<uint8_t> bytecode,
                        const std::string &signature, const TilerunCompileOptions &options,
                        core::CompiledArtifact &out) {
  Request request(device.getInfo().target, bytecode, options);
  const TilerunPlugin &table = device.getTable();
  // Without a cache the driver may as well compile while it loads.
  if (!services->cache)
    return finish(cache::compileArtifact(table, nullptr, request.request), /*made=*/true, out);
  cache::Key key = cache::getArtifactKey(table, device.getHandle(), request.request);
  remember(device, signature, options, key);
  bool made = false;
  cache::Outcome outcome = services->cache->getOrCompile(
      key,
      [&] {
        made = true;
        return cache::compileArtifact(table, device.getHandle(), request.request);
      },
      cache::isPersistent(table));
  return finish(outcome, made, out);
}

Status Backend::compileSource(const core::Device &device, const cache::KeyBuilder &source,
                              MakeBytecode makeBytecode, const std::string &signature,
                              const TilerunCompileOptions &options, core::CompiledArtifact &out) {
  auto log = [&](const std::string &text) {
    if (!text.empty() && services->log)
      services->log(TILERUN_LOG_INFO, text);
  };
  if (!services->cache) {
    std::vector<uint8_t> bytecode;
    std::string printed;
    TILERUN_TRY(makeBytecode(bytecode, printed));
    log(printed);
    return compile(device, bytecode, signature, options, out);
  }
  Request request(device.getInfo().target, {}, options);
  const TilerunPlugin &table = device.getTable();
  cache::KeyBuilder builder = source;
  cache::addCompilerFields(builder, table, device.getHandle(), device.getInfo().target,
                           request.options);
  cache::Key key = builder.finish();
  remember(device, signature, options, key);
  bool made = false;
  cache::Outcome outcome = cache::getArtifactOfSource(
      *services->cache, key, table, device.getHandle(), request.request,
      [&](std::vector<uint8_t> &bytecode, std::string &printed) -> std::optional<plugin::Error> {
        made = true;
        Status status = makeBytecode(bytecode, printed);
        if (status.isOk())
          return std::nullopt;
        return status.getError();
      });
  if (outcome.artifact)
    log(outcome.artifact->getNote());
  return finish(outcome, made, out);
}

Status Backend::emit(const plugin::Plugin &plugin, const std::string &target,
                     llvm::ArrayRef<uint8_t> bytecode, const TilerunCompileOptions &options,
                     const std::string &emit, const core::Program::TakeArtifact &take) {
  Request request(target, bytecode, options, emit);
  cache::Outcome outcome = cache::compileArtifact(plugin.getTable(), nullptr, request.request);
  if (outcome.error)
    return Status(*outcome.error);
  take(outcome.artifact->get());
  return {};
}

// The names of the parameters that the kernel may write, one a line.
static std::string listWrites(mlir::ModuleOp module) {
  std::string text;
  for (auto kernel : module.getOps<mlir::func::FuncOp>()) {
    if (!kernel->hasAttr(tile::TileDialect::kKernelAttr))
      continue;
    const llvm::SmallBitVector written = findWrittenParameters(kernel);
    for (unsigned i : written.set_bits())
      if (auto name = kernel.getArgAttrOfType<mlir::StringAttr>(i, tile::TileDialect::kNameAttr))
        text += name.str() + "\n";
  }
  return text;
}

std::string Backend::printTile(mlir::ModuleOp module, const std::string &stage) {
  if (stage == "writes")
    return listWrites(module);
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

void Backend::takeText(const std::string &text, const std::string &stage,
                       const core::Program::TakeArtifact &take) {
  TilerunPluginArtifact artifact = {};
  artifact.struct_size = sizeof(artifact);
  artifact.bytes = reinterpret_cast<const uint8_t *>(text.data());
  artifact.num_bytes = text.size();
  artifact.compatibility = stage.c_str();
  take(artifact);
}

void Backend::refuse(const core::Device &device, const std::string &signature,
                     const TilerunCompileOptions &options) {
  if (!services->cache)
    return;
  std::lock_guard lock(mutex);
  auto it = keys.find(getName(device, signature, options));
  if (it != keys.end())
    services->cache->forget(it->second);
}
