// The source of a kernel, behind an interface: Python source, tile IR, or a test's own. Keeps the
// rest of the runtime free of the compiler.
#pragma once

#include "runtime/core/Executable.h"
#include "runtime/include/tilerun/tilerun.h"

#include <functional>

namespace tilerun::core {

/// The facts about a parameter that a launch reads; separate, so that those of a kernel are
/// contiguous.
struct ParameterFacts {
  bool isConstexpr = false;
  bool hasDefault = false;
  bool specialize = true;                   ///< On the value 1.
  bool specializeAlignment = true;          ///< On divisibility by 16.
  uint16_t annotation = TILERUN_DTYPE_AUTO; ///< The type that the source demands, if any.
};
/// A parameter as the source declares it.
struct SourceParameter : ParameterFacts {
  std::string name;
};

/// One entry of a signature.
struct SignatureEntry {
  std::string name;
  bool isConstant = false;
  bool isPointer = false;
  uint16_t dtype = TILERUN_DTYPE_AUTO; ///< Of a run-time parameter; a pointer's elements.
  int64_t divisibility = 1;
  bool isSmall = false; ///< A pointer's memory has at most TILERUN_SMALL_BYTES.
};

/// A compiled kernel as a plugin takes it.
struct CompiledArtifact {
  std::shared_ptr<const void> owner; ///< Keeps `artifact`.
  const TilerunPluginArtifact *artifact = nullptr;
  bool fromCache = false; ///< Not made by this call: a driver may refuse what is old.
};

/// Immutable to the outside; every function may be called from any thread.
class Program {
public:
  virtual ~Program() = default;
  virtual const std::string &getName() const = 0;
  /// In the order of the source.
  virtual const std::vector<SourceParameter> &getParameters() const = 0;
  /// For tile IR: its only signature; otherwise null.
  virtual const std::vector<SignatureEntry> *getFixedSignature() const { return nullptr; }
  /// Reads `x=*fp32:16, n=i32, BLOCK=1024`.
  virtual Status parseSignature(const std::string &text,
                                std::vector<SignatureEntry> &entries) const = 0;
  /// Why a signature cannot give a value under this name, which is not a parameter's; OK: it is
  /// that of a global of the source that only host code knows.
  virtual Status checkGlobal(const std::string &name) {
    return Status(TILERUN_STATUS_INVALID_ARGUMENT,
                  "kernel '" + getName() + "' has no parameter '" + name + "' that could be bound");
  }
  /// Compiles for a device's target. Messages carry the diagnostics.
  virtual Status compile(const Device &device, const std::string &signature,
                         const TilerunCompileOptions &options, CompiledArtifact &artifact) = 0;
  /// Compiles for a target of a plugin, and returns one stage: "tile", "writes" (see
  /// tilerunEmitKernel), a phase of the plugin's option "emit", or "" for its artifact. Nothing is
  /// cached.
  using TakeArtifact = std::function<void(const TilerunPluginArtifact &)>;
  virtual Status emit(const plugin::Plugin &plugin, const std::string &target,
                      const std::string &signature, const TilerunCompileOptions &options,
                      const std::string &stage, const TakeArtifact &take) {
    return Status(TILERUN_STATUS_UNSUPPORTED, "kernel '" + getName() + "' has no stages to show");
  }
  /// Of all that decides what is compiled, for keys of caches; "" if that is not known.
  virtual std::string getDigest() const { return ""; }
  /// Reports that the driver refused the result of `compile`, so that it is not returned again.
  virtual void refuse(const Device &device, const std::string &signature,
                      const TilerunCompileOptions &options) {}
};

} // namespace tilerun::core
