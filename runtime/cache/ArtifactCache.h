// Compiled artifacts by key: in memory, backed by the disk. A key that many threads request at once
// is compiled once.
#pragma once

#include "runtime/cache/Artifact.h"
#include "runtime/cache/DiskCache.h"
#include "runtime/plugin/Plugin.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <unordered_map>

namespace tilerun::cache {

/// The result of a compilation: one of the two. Can be shared by several threads.
struct Outcome {
  std::shared_ptr<const Artifact> artifact;
  std::shared_ptr<const plugin::Error> error;
  /// The artifact will do for now, but a better one may be made another time: not kept on disk.
  bool provisional = false;
  static Outcome fail(plugin::Error error) {
    return {nullptr, std::make_shared<const plugin::Error>(std::move(error)), false};
  }
};

/// Every function may be called from any thread.
class ArtifactCache {
public:
  /// Minimum memory for artifacts that are no longer in use.
  static constexpr uint64_t kDefaultMemoryBytes = 64 << 20;

  /// `disk` may be null: then nothing outlives the object.
  explicit ArtifactCache(std::shared_ptr<DiskCache> disk,
                         uint64_t maxMemoryBytes = kDefaultMemoryBytes);
  ~ArtifactCache();

  /// The artifact of a key. If neither memory nor disk has it, calls `compile` on this thread;
  /// other threads with the same key wait for that. A failure goes to all that wait, and is not
  /// kept. `compile` must not ask for the same key. `persistent`: whether the disk is asked too.
  Outcome getOrCompile(const Key &key, llvm::function_ref<Outcome()> compile,
                       bool persistent = true);

  /// Drops one that turned out to be useless (the driver refuses it), on disk too.
  void forget(const Key &key);

  const std::shared_ptr<DiskCache> &getDisk() const { return disk; }

private:
  struct Flight;
  struct Entry {
    std::shared_ptr<const Artifact> artifact;
    std::list<Key>::iterator use;
  };
  std::shared_ptr<const Artifact> findInMemory(const Key &key);                ///< Under the lock.
  void keepInMemory(const Key &key, std::shared_ptr<const Artifact> artifact); ///< Likewise.
  std::shared_ptr<const Artifact> readFromDisk(const Key &key);
  void writeToDisk(const Key &key, const Artifact &artifact);

  std::shared_ptr<DiskCache> disk;
  const uint64_t maxMemoryBytes;
  std::mutex mutex; ///< Guards what follows.
  std::unordered_map<Key, Entry, KeyHash> entries;
  std::list<Key> uses; ///< Latest first.
  uint64_t numBytes = 0;
  std::unordered_map<Key, std::shared_ptr<Flight>, KeyHash> flights;
};

} // namespace tilerun::cache
