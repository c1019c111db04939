// The second half of every compilation: optimized tile IR to an artifact, through the cache.
#pragma once

#include "runtime/compiler/Programs.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <mutex>

namespace tilerun {
class PassRecorder;
}

namespace tilerun::compiler {

/// Optimizes a module in place, as the target's options "opt-level" and "checks" say; level 0
/// expands descriptors, and nothing else, and with checks the module keeps what only those need.
/// INTERNAL, with what the passes say.
/// `recorder`: sees what each pass does; may be null.
core::Status optimize(mlir::ModuleOp module, const std::string &kernel,
                      const TilerunCompileOptions &options, PassRecorder *recorder = nullptr);
/// The same, and gives its bytecode.
core::Status makeBytecode(mlir::ModuleOp module, const std::string &kernel,
                          const TilerunCompileOptions &options, std::vector<uint8_t> &bytecode,
                          PassRecorder *recorder = nullptr);

/// Remembers its results, so that one that a driver refuses can be dropped. Any thread.
class Backend {
public:
  explicit Backend(std::shared_ptr<const Services> services) : services(std::move(services)) {}
  const Services &getServices() const { return *services; }

  core::Status compile(const core::Device &device, llvm::ArrayRef<uint8_t> bytecode,
                       const std::string &signature, const TilerunCompileOptions &options,
                       core::CompiledArtifact &artifact);
  /// The same for a source; `source` identifies everything that the bytecode depends on:
  /// `makeBytecode` is called only if no artifact of it is cached. Its output is cached too, and
  /// logged each time.
  using MakeBytecode = llvm::function_ref<core::Status(std::vector<uint8_t> &, std::string &)>;
  core::Status compileSource(const core::Device &device, const cache::KeyBuilder &source,
                             MakeBytecode makeBytecode, const std::string &signature,
                             const TilerunCompileOptions &options,
                             core::CompiledArtifact &artifact);
  /// Compiles for a target without a device or a cache; `emit` may be "".
  static core::Status emit(const plugin::Plugin &plugin, const std::string &target,
                           llvm::ArrayRef<uint8_t> bytecode, const TilerunCompileOptions &options,
                           const std::string &emit, const core::Program::TakeArtifact &take);
  /// Whether a stage is printed from the optimized tile IR, without a plugin: "tile" or "writes".
  static bool isTileStage(const std::string &stage) { return stage == "tile" || stage == "writes"; }
  /// The text of such a stage (see tilerunEmitKernel).
  static std::string printTile(mlir::ModuleOp module, const std::string &stage);
  /// Passes a text on as the artifact of a stage.
  static void takeText(const std::string &text, const std::string &stage,
                       const core::Program::TakeArtifact &take);
  void refuse(const core::Device &device, const std::string &signature,
              const TilerunCompileOptions &options);

private:
  void remember(const core::Device &device, const std::string &signature,
                const TilerunCompileOptions &options, const cache::Key &key);

  std::shared_ptr<const Services> services;
  std::mutex mutex; ///< Guards `keys`.
  std::map<std::string, cache::Key> keys;
};

} // namespace tilerun::compiler
