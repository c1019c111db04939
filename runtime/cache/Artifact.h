// Compiled artifacts as the caches keep them, and their stored form.
#pragma once

#include "plugins/support/OwnedArtifact.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilerun::cache {

/// An artifact of some plugin. Immutable; any thread may read it.
class Artifact {
public:
  /// A copy of a plugin's artifact, which may be released afterwards.
  static std::shared_ptr<const Artifact> copy(const TilerunPluginArtifact &artifact,
                                              std::string note = {});
  /// From the stored form; null if the bytes are anything else.
  static std::shared_ptr<const Artifact> parse(llvm::ArrayRef<uint8_t> stored);

  /// The same with a text of the caller's own, which is stored with it.
  std::shared_ptr<const Artifact> withNote(std::string text) const {
    return copy(get(), std::move(text));
  }
  const std::string &getNote() const { return note; }

  /// The stored form: the same artifact gives the same bytes.
  std::vector<uint8_t> serialize() const;

  /// Lives as long as this object.
  const TilerunPluginArtifact &get() const { return *artifact; }
  llvm::ArrayRef<TilerunPluginKernelInfo> getKernels() const {
    return {artifact->kernels, artifact->num_kernels};
  }
  /// Its size in memory.
  uint64_t getNumBytes() const { return artifact->num_bytes + note.size() + kOverhead; }

private:
  static constexpr uint64_t kOverhead = 512;
  explicit Artifact(std::string compatibility) : owned("", std::move(compatibility)) {}

  plugin_support::OwnedArtifact owned;
  const TilerunPluginArtifact *artifact = nullptr; ///< Of `owned`, once that is complete.
  std::string note;
};

} // namespace tilerun::cache
