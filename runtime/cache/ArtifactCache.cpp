// The cache in memory and its single flights.
#include "runtime/cache/ArtifactCache.h"

using namespace tilerun;
using namespace tilerun::cache;

// One compilation in flight, and its outcome.
struct ArtifactCache::Flight {
  std::condition_variable finished;
  bool done = false;
  Outcome outcome;
};

ArtifactCache::ArtifactCache(std::shared_ptr<DiskCache> disk, uint64_t maxMemoryBytes)
    : disk(std::move(disk)), maxMemoryBytes(maxMemoryBytes) {}

ArtifactCache::~ArtifactCache() = default;

std::shared_ptr<const Artifact> ArtifactCache::findInMemory(const Key &key) {
  auto it = entries.find(key);
  if (it == entries.end())
    return nullptr;
  uses.splice(uses.begin(), uses, it->second.use);
  return it->second.artifact;
}

void ArtifactCache::keepInMemory(const Key &key, std::shared_ptr<const Artifact> artifact) {
  auto [it, added] = entries.try_emplace(key);
  if (added) {
    it->second.use = uses.insert(uses.begin(), key);
  } else {
    numBytes -= it->second.artifact->getNumBytes();
    uses.splice(uses.begin(), uses, it->second.use);
  }
  numBytes += artifact->getNumBytes();
  it->second.artifact = std::move(artifact);
  while (numBytes > maxMemoryBytes && uses.size() > 1) {
    auto oldest = entries.find(uses.back());
    numBytes -= oldest->second.artifact->getNumBytes();
    entries.erase(oldest);
    uses.pop_back();
  }
}

std::shared_ptr<const Artifact> ArtifactCache::readFromDisk(const Key &key) {
  if (!disk)
    return nullptr;
  std::optional<std::vector<uint8_t>> stored = disk->get(key, EntryKind::Artifact);
  if (!stored)
    return nullptr;
  std::shared_ptr<const Artifact> artifact = Artifact::parse(*stored);
  if (!artifact)
    disk->reject(key, "it is not an artifact in this version's format");
  return artifact;
}

void ArtifactCache::writeToDisk(const Key &key, const Artifact &artifact) {
  if (disk)
    disk->put(key, EntryKind::Artifact, artifact.serialize());
}

Outcome ArtifactCache::getOrCompile(const Key &key, llvm::function_ref<Outcome()> compile,
                                    bool persistent) {
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock lock(mutex);
    if (std::shared_ptr<const Artifact> artifact = findInMemory(key))
      return {artifact, nullptr};
    std::shared_ptr<Flight> &slot = flights[key];
    if (slot) {
      flight = slot;
      flight->finished.wait(lock, [&] { return flight->done; });
      return flight->outcome;
    }
    flight = slot = std::make_shared<Flight>();
  }
  Outcome outcome;
  bool compiled = false;
  {
    // Waiting threads are notified even if the compilation ends with an exception.
    struct Landing {
      ArtifactCache &cache;
      Flight &flight;
      const Key &key;
      ~Landing() {
        std::lock_guard lock(cache.mutex);
        flight.done = true;
        cache.flights.erase(key);
        flight.finished.notify_all();
      }
    } landing{*this, *flight, key};
    flight->outcome = Outcome::fail(
        {TILERUN_STATUS_OUT_OF_MEMORY, "the host is out of memory", "compile", "", ""});
    if (persistent)
      outcome.artifact = readFromDisk(key);
    compiled = !outcome.artifact;
    if (compiled)
      outcome = compile();
    std::lock_guard lock(mutex);
    flight->outcome = outcome;
    if (outcome.artifact)
      keepInMemory(key, outcome.artifact);
  }
  // The others need not wait for the file.
  if (compiled && outcome.artifact && persistent && !outcome.provisional)
    writeToDisk(key, *outcome.artifact);
  return outcome;
}

void ArtifactCache::forget(const Key &key) {
  {
    std::lock_guard lock(mutex);
    if (auto it = entries.find(key); it != entries.end()) {
      numBytes -= it->second.artifact->getNumBytes();
      uses.erase(it->second.use);
      entries.erase(it);
    }
  }
  if (disk)
    disk->remove(key);
}
