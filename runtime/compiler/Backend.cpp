// The optimizer and the plugin's compiler.
#include "runtime/compiler/Backend.h"

#include "ir/transforms/Passes.h"
#include "runtime/cache/PluginArtifacts.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace tilerun;
using namespace tilerun::compiler;
using core::Status;

Status compiler::makeStatus(TilerunStatus code, llvm::Error error) {
  return Status(code, llvm::toString(std::move(error)));
}

Status compiler::makeBytecode(mlir::ModuleOp module, const std::string &kernel,
                              std::vector<uint8_t> &bytecode) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    messages += "\n  " + diagnostic.str();
    return mlir::success();
  });
  mlir::PassManager manager(module.getContext());
  buildOptimizePipeline(manager);
  if (mlir::failed(manager.run(module)))
    return Status(TILERUN_STATUS_INTERNAL,
                  "the optimizer failed on kernel '" + kernel + "'" + messages);
  std::string text;
  llvm::raw_string_ostream os(text);
  // Writing to memory cannot fail.
  mlir::LogicalResult written = mlir::writeBytecodeToFile(module, os);
  (void)written;
  bytecode.assign(text.begin(), text.end());
  return {};
}

static std::string getName(const core::Device &device, const std::string &signature,
                           const TilerunCompileOptions &options) {
  return device.getInfo().target + "\n" + signature + "\n" + std::to_string(options.num_warps) +
         " " + std::to_string(options.num_stages) + " " + std::to_string(options.debug);
}

Status Backend::compile(const core::Device &device, llvm::ArrayRef<uint8_t> bytecode,
                        const std::string &signature, const TilerunCompileOptions &options,
                        core::CompiledArtifact &out) {
  std::string numWarps = std::to_string(options.num_warps);
  std::string numStages = std::to_string(options.num_stages);
  const TilerunPluginOption pluginOptions[] = {{"num-warps", numWarps.c_str()},
                                               {"num-stages", numStages.c_str()},
                                               {"debug", options.debug ? "true" : "false"}};
  const std::string &target = device.getInfo().target;
  TilerunPluginCompileRequest request = {sizeof(request), std::size(pluginOptions), bytecode.data(),
                                         bytecode.size(), target.c_str(),           pluginOptions};
  const TilerunPlugin &table = device.getTable();
  if (services->cache) {
    cache::Key key = cache::getArtifactKey(table, device.getHandle(), request);
    std::lock_guard lock(mutex);
    keys[getName(device, signature, options)] = key;
  }
  cache::Outcome outcome =
      cache::getArtifact(services->cache.get(), table, device.getHandle(), request);
  if (outcome.error)
    return Status(*outcome.error);
  out = {outcome.artifact, &outcome.artifact->get()};
  return {};
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
