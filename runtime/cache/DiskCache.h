// A store of checked bytes by key in a folder, for many processes and hosts at once.
//
// Layout: FOLDER/v1/ab/cdef…, named by the key's digits; each file is a header (magic, version,
// kind, length, key, checksum) and the payload. A file is written under a temporary name in the
// same folder and renamed, so that a name always stands for a whole entry; the checksum detects
// damage by a crash, a full disk or another program. A checksum is not a signature: files that
// users other than this one and root can write are not read (Trust.h), and every file is reached
// through open folders that were checked.
#pragma once

#include "runtime/cache/Files.h"
#include "runtime/cache/Key.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tilerun::cache {

/// The contents of an entry. The number is stored.
enum class EntryKind : uint32_t { Artifact = 1, Tuning = 2 };

/// The steps at which tests inject failures.
enum class FileStep { MakeFolder, Open, Read, Create, Write, Close, Rename, Remove, Scan, Touch };

struct DiskCacheOptions {
  static constexpr uint64_t kDefaultMaxBytes = uint64_t(1) << 30;

  std::string folder; ///< Empty: there is no cache.
  uint64_t maxBytes = kDefaultMaxBytes;
  /// Told once for each kind of trouble, with no lock held; from any thread. May be empty.
  std::function<void(const std::string &)> warn;
  unsigned touchSeconds = 3600;      ///< Between renewals of an entry's time of use.
  unsigned staleSeconds = 24 * 3600; ///< Age at which somebody's temporary file is removed.
  unsigned scanSeconds = 60;         ///< A new process trusts a scan that is not older.
  bool shared = false; ///< The folder's owner and group are trusted, not this user and root alone.
  std::function<int(FileStep)> fault; ///< For tests: an errno that the step gives; 0: go on.

  /// As TILERUN_CACHE (off), TILERUN_CACHE_{DIR,SIZE,SHARED} say; by default
  /// $XDG_CACHE_HOME/tilerun or ~/.cache/tilerun. Problems are reported to `warn`. `folder`, if not
  /// empty, replaces the environment's; off takes precedence.
  static DiskCacheOptions fromEnvironment(std::function<void(const std::string &)> warn,
                                          const std::string &folder = "");
};

/// "512M" as bytes; none if it is not a size.
std::optional<uint64_t> parseSize(llvm::StringRef text);

struct DiskCacheStat {
  uint64_t numEntries = 0;
  uint64_t numBytes = 0;     ///< Of entries, with their headers.
  uint64_t numTemporary = 0; ///< Files of writers that are still writing, or that died.
  uint64_t temporaryBytes = 0;
  uint64_t numKept = 0; ///< Files that `clear` could not remove, and why one of them:
  std::string whyKept;
};

struct DiskCacheVerification {
  uint64_t numGood = 0;
  uint64_t numUnread = 0;       ///< Larger than this process's bound and the default; left alone.
  uint64_t numKept = 0;         ///< Damaged ones that could not be removed.
  std::vector<std::string> bad; ///< "PATH: why", in the order of the paths.
};

/// Every function may be called from any thread. Nothing here is an error to the caller.
class DiskCache {
public:
  explicit DiskCache(DiskCacheOptions options);
  ~DiskCache();
  DiskCache(const DiskCache &) = delete;
  DiskCache &operator=(const DiskCache &) = delete;

  /// The payload; none if there is no valid entry.
  std::optional<std::vector<uint8_t>> get(const Key &key, EntryKind kind);
  /// Stores a payload, and removes the least recently used entries where the bound demands it.
  /// False if nothing was stored.
  bool put(const Key &key, EntryKind kind, llvm::ArrayRef<uint8_t> payload);
  void remove(const Key &key);
  /// Reports an entry whose payload its reader could not use, as a damaged one.
  void reject(const Key &key, const std::string &why);

  /// False if there is no folder, or it cannot be used.
  bool isEnabled() const { return !disabled.load(std::memory_order_relaxed); }
  const std::string &getFolder() const { return options.folder; }
  uint64_t getMaxBytes() const { return options.maxBytes; }

  /// Why nothing can be stored: "'/cache' cannot be made: Read-only file system"; empty if it can.
  std::string findObstacle() const;
  DiskCacheStat getStat();
  /// Reads every entry; removes the bad ones if asked to.
  DiskCacheVerification verify(bool removeBad);
  /// Removes every entry, and temporary files too. Gives what was there.
  DiskCacheStat clear();
  /// Scans, removes stale temporary files, and evicts down to the bound.
  void trim();

  /// Where a key's entry lies.
  std::string getPath(const Key &key) const;

private:
  struct Found;
  int step(FileStep step) const { return options.fault ? options.fault(step) : 0; }
  /// These three return 0, an errno, or files::kUntrusted, which they report.
  int checkFolder(const files::Folder &folder, const std::string &path);
  int openRoot(files::Folder &opened);
  int openShard(const std::string &shard, files::Folder &opened);
  /// The same, and `failed` is the folder that could not be made.
  int makeShard(const std::string &shard, files::Folder &opened, std::string &failed);
  int writeFile(const files::Folder &shard, const std::string &name, llvm::ArrayRef<uint8_t> header,
                llvm::ArrayRef<uint8_t> payload);
  int removeFile(const std::string &shard, const std::string &name);
  std::vector<Found> scan();
  void trimIfNeeded(uint64_t added);
  void warnOnce(unsigned kind, const std::string &text);
  void warnUnwritable(const std::string &what, int error);

  DiskCacheOptions options;
  files::Sharing sharing;
  std::string root; ///< FOLDER/v1
  std::atomic<bool> disabled{false};
  std::atomic<bool> unwritable{false};
  std::atomic<bool> started{false};   ///< Whether anything was put yet.
  std::atomic<uint64_t> allowance{0}; ///< Bytes that may be put before the next scan.
  std::atomic<uint32_t> counter{0};
  std::mutex mutex; ///< Guards what follows.
  unsigned warned = 0;
};

} // namespace tilerun::cache
