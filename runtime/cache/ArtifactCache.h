// Compiled artifacts by key: in memory, and on disk behind it. A key that many threads ask for at
// once is compiled once.
#pragma once

#include "runtime/cache/Artifact.h"
#include "runtime/cache/DiskCache.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <unordered_map>

namespace tilerun::cache {

/// Every function may be called from any thread.
class ArtifactCache {
public:
  using Result = llvm::Expected<std::shared_ptr<const Artifact>>;

  /// Least memory that is kept for artifacts that nobody uses any more.
  static constexpr uint64_t kDefaultMemoryBytes = 64 << 20;

  /// `disk` may be null: then nothing outlives the object.
  explicit ArtifactCache(std::shared_ptr<DiskCache> disk,
                         uint64_t maxMemoryBytes = kDefaultMemoryBytes);
  ~ArtifactCache();

  /// The artifact of a key. If neither memory nor disk has it, calls `compile` on this thread;
  /// other threads with the same key wait for that. A failure (as a DeviceError) goes to all that
  /// wait, and is not kept. `compile` must not ask for the same key.
  Result getOrCompile(const Key &key, llvm::function_ref<Result()> compile);

  /// From memory or disk; null if neither has it.
  std::shared_ptr<const Artifact> lookup(const Key &key);
  /// Puts one into memory and onto disk.
  void insert(const Key &key, std::shared_ptr<const Artifact> artifact);
  /// Forgets one that turned out to be of no use (the driver refuses it), on disk too.
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
