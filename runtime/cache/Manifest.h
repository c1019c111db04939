// Manifests: which artifact a source file compiles to, for a signature and options, as long as the
// file and all that it imports stay the same. With one, neither the frontend nor a compiler runs.
#pragma once

#include "runtime/cache/ArtifactCache.h"

namespace tilerun::cache {

/// A file that decided what was compiled.
struct ManifestFile {
  std::string path; ///< Absolute.
  bool exists = false;
  std::optional<Key> content; ///< None if only its existence mattered.
};

struct Manifest {
  std::vector<ManifestFile> files;
  Key artifact;
  std::string note; ///< The caller's own: what it needs besides the artifact.
};

/// Compares every file with what it was, by content.
bool isCurrent(const Manifest &manifest);

/// The manifest of a key, if there is one and it is current. The key has all that is not a file:
/// the program's build, the kernel's name, the signature, the fields of addCompilerFields.
std::optional<Manifest> findManifest(DiskCache &disk, const Key &key);
bool storeManifest(DiskCache &disk, const Key &key, const Manifest &manifest);

} // namespace tilerun::cache
