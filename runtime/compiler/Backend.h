// The second half of every compilation: optimized tile IR to an artifact, through the cache.
#pragma once

#include "runtime/compiler/Programs.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <mutex>

namespace tilerun::compiler {

/// Optimizes a module in place and gives its bytecode.
core::Status makeBytecode(mlir::ModuleOp module, const std::string &kernel,
                          std::vector<uint8_t> &bytecode);

/// Remembers what it gave, so that what a driver refuses can be forgotten. Any thread.
class Backend {
public:
  explicit Backend(std::shared_ptr<const Services> services) : services(std::move(services)) {}
  const Services &getServices() const { return *services; }

  core::Status compile(const core::Device &device, llvm::ArrayRef<uint8_t> bytecode,
                       const std::string &signature, const TilerunCompileOptions &options,
                       core::CompiledArtifact &artifact);
  void refuse(const core::Device &device, const std::string &signature,
              const TilerunCompileOptions &options);

private:
  std::shared_ptr<const Services> services;
  std::mutex mutex; ///< Guards `keys`.
  std::map<std::string, cache::Key> keys;
};

/// Wraps what LLVM reports.
core::Status makeStatus(TilerunStatus code, llvm::Error error);

} // namespace tilerun::compiler
