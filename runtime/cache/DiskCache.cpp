// The store's protocol: folders, reading and writing, eviction, verification. An entry's bytes are
// Entry.cpp's, what a file operation needs to be safe is in Files.cpp.
#include "runtime/cache/DiskCache.h"

#include "runtime/cache/Entry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <unistd.h>

using namespace tilerun::cache;

static constexpr const char *kRootName = "v1", *kScannedName = "scanned";

//===----------------------------------------------------------------------===//
// The store
//===----------------------------------------------------------------------===//

enum Trouble : unsigned { kDamaged = 1, kUnusable = 2, kOpenToOthers = 4 };

DiskCache::DiskCache(DiskCacheOptions given) : options(std::move(given)) {
  if (options.folder.empty() || options.maxBytes == 0) {
    disabled = true;
    return;
  }
  root = options.folder + "/" + kRootName;
  sharing.circle = options.shared ? trust::Circle::Members : trust::Circle::Self;
  // Reported immediately if there is a folder already.
  files::Folder folder;
  (void)openRoot(folder);
}

DiskCache::~DiskCache() = default;

std::string DiskCache::getPath(const Key &key) const {
  std::string digits = key.toHex();
  return root + "/" + digits.substr(0, 2) + "/" + digits.substr(2);
}

void DiskCache::warnOnce(unsigned kind, const std::string &text) {
  {
    std::lock_guard lock(mutex);
    if (warned & kind)
      return;
    warned |= kind;
  }
  if (options.warn)
    options.warn(text);
}

void DiskCache::warnUnwritable(const std::string &what, int error) {
  warnOnce(kUnusable, "cannot write to the cache: " + what + ": " + std::strerror(error) +
                          "; nothing is stored (TILERUN_CACHE=off turns it off)");
}

std::string DiskCache::findObstacle() const {
  std::string failed;
  int error = files::tryFolders(options.folder, sharing, failed);
  return error ? "'" + failed + "' cannot be " + (files::isFolder(failed) ? "written" : "made") +
                     ": " + std::strerror(error)
               : "";
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

int DiskCache::checkFolder(const files::Folder &folder, const std::string &path) {
  std::string others = trust::findOthers(folder.getHandle(), sharing.circle);
  if (others.empty())
    return 0;
  std::string allow = options.shared ? ""
                                     : "; TILERUN_CACHE_SHARED=on trusts its owner and its group, "
                                       "if you do";
  warnOnce(kOpenToOthers,
           "the cache folder '" + path + "' " + others +
               ", so it is not used: anyone who can write to it decides which code runs; "
               "make it yours alone, or name another by TILERUN_CACHE_DIR" +
               allow);
  return files::kUntrusted;
}

int DiskCache::openRoot(files::Folder &opened) {
  files::Folder folder;
  int error = folder.open(options.folder);
  if (!error)
    error = checkFolder(folder, options.folder);
  if (!error)
    error = opened.openIn(folder, kRootName);
  if (!error)
    error = checkFolder(opened, root);
  if (error == files::kUntrusted)
    disabled = true;
  return error;
}

int DiskCache::openShard(const std::string &shard, files::Folder &opened) {
  files::Folder folder;
  int error = openRoot(folder);
  if (!error)
    error = opened.openIn(folder, shard);
  return error ? error : checkFolder(opened, root + "/" + shard);
}

int DiskCache::makeShard(const std::string &shard, files::Folder &opened, std::string &failed) {
  failed = root + "/" + shard;
  if (int error = step(FileStep::MakeFolder))
    return error;
  if (int error = files::makeFolders(options.folder, sharing, failed))
    return error;
  files::Folder folder, above;
  failed = root;
  int error = folder.open(options.folder);
  // Nothing is made in a folder that will not be used.
  if (!error)
    error = checkFolder(folder, options.folder);
  if (!error)
    error = files::makeFolderIn(folder, kRootName, sharing);
  if (!error)
    error = openRoot(above);
  if (error)
    return error;
  failed = root + "/" + shard;
  error = files::makeFolderIn(above, shard, sharing);
  return error ? error : openShard(shard, opened);
}

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

// The names of an entry's folder and file.
static std::pair<std::string, std::string> getNames(const Key &key) {
  std::string digits = key.toHex();
  return {digits.substr(0, 2), digits.substr(2)};
}

std::optional<std::vector<uint8_t>> DiskCache::get(const Key &key, EntryKind kind) {
  if (!isEnabled())
    return std::nullopt;
  auto [shardName, name] = getNames(key);
  std::vector<uint8_t> file;
  std::string others;
  int error = 0;
  // A network file system says ESTALE if the file was replaced meanwhile: the second look finds the
  // new one.
  for (int attempt = 0; attempt < 2; ++attempt) {
    files::Folder shard;
    error = step(FileStep::Open);
    if (!error)
      error = openShard(shardName, shard);
    if (!error)
      error = step(FileStep::Read);
    if (!error)
      error = files::read(shard, name, options.maxBytes, sharing.circle, options.touchSeconds,
                          step(FileStep::Touch) == 0, file, others);
    if (error != ESTALE)
      break;
  }
  // A file in place of a folder is reported by `put`.
  if (error == ENOENT || error == ESTALE || error == ENOTDIR)
    return std::nullopt;
  // Perhaps sound, but from a process with a larger bound.
  if (error == files::kTooLarge)
    return std::nullopt;
  if (error == files::kUntrusted) {
    // A folder's error has been reported.
    if (!others.empty())
      reject(key, "it " + others);
    return std::nullopt;
  }
  if (error == files::kNoFile) {
    reject(key, "it is not a regular file");
    return std::nullopt;
  }
  if (error) {
    warnOnce(kUnusable, "cannot read the cache: '" + getPath(key) + "': " + std::strerror(error));
    return std::nullopt;
  }
  std::string why = checkEntry(file, key, kind);
  if (!why.empty()) {
    reject(key, why);
    return std::nullopt;
  }
  file.erase(file.begin(), file.begin() + kHeaderBytes);
  return file;
}

void DiskCache::reject(const Key &key, const std::string &why) {
  warnOnce(kDamaged, "the cache entry '" + getPath(key) + "' is ignored and will be replaced: " +
                         why + " (further ones are not reported; see 'tilerun cache verify')");
}

int DiskCache::writeFile(const files::Folder &shard, const std::string &name,
                         llvm::ArrayRef<uint8_t> header, llvm::ArrayRef<uint8_t> payload) {
  if (int error = step(FileStep::Create))
    return error;
  files::TemporaryFile file(shard);
  if (int error = file.create(counter, sharing))
    return error;
  // Every failure from here on removes the temporary file.
  int error = step(FileStep::Write);
  if (!error)
    error = file.write(header);
  if (!error)
    error = file.write(payload);
  // Network file systems and quotas may fail as late as here.
  int closed = file.close();
  if (!error)
    error = closed ? closed : step(FileStep::Close);
  if (!error)
    error = step(FileStep::Rename);
  return error ? error : file.rename(name);
}

bool DiskCache::put(const Key &key, EntryKind kind, llvm::ArrayRef<uint8_t> payload) {
  if (!isEnabled() || unwritable)
    return false;
  // One entry that would push out half of the others is not worth it.
  uint64_t size = kHeaderBytes + payload.size();
  if (size > options.maxBytes / 2)
    return false;
  auto [shardName, name] = getNames(key);
  std::array<uint8_t, kHeaderBytes> header = makeHeader(key, kind, payload);
  std::string failed;
  int error = 0;
  // The folder may be removed between its making and its use, by a `clear` elsewhere.
  for (int attempt = 0; attempt < 3; ++attempt) {
    files::Folder shard;
    error = attempt ? ENOENT : openShard(shardName, shard);
    if (error && error != files::kUntrusted)
      error = makeShard(shardName, shard, failed);
    if (!error) {
      failed = getPath(key);
      error = writeFile(shard, name, header, payload);
    }
    if (error != ENOENT && error != ESTALE)
      break;
  }
  if (error == files::kUntrusted)
    return false;
  if (error == EISDIR || error == ENOTEMPTY) {
    reject(key, "a folder is in its place");
    return false;
  }
  if (error) {
    warnUnwritable("'" + failed + "'", error);
    // It will not come back: later calls should not even try.
    if (error == EROFS || error == EACCES || error == EPERM || error == ENOTDIR)
      unwritable = true;
    return false;
  }
  trimIfNeeded(size);
  return true;
}

int DiskCache::removeFile(const std::string &shard, const std::string &name) {
  files::Folder folder;
  int error = step(FileStep::Remove);
  if (!error)
    error = openShard(shard, folder);
  return error ? error : files::remove(folder, name);
}

void DiskCache::remove(const Key &key) {
  auto [shard, name] = getNames(key);
  if (isEnabled())
    (void)removeFile(shard, name);
}

//===----------------------------------------------------------------------===//
// The bound
//===----------------------------------------------------------------------===//

struct DiskCache::Found {
  std::string path, shard, name;
  uint64_t size = 0;
  int64_t time = 0; // Nanoseconds since 1970.
  bool temporary = false;
  std::optional<Key> key; // None for a temporary file.
};

std::vector<DiskCache::Found> DiskCache::scan() {
  std::vector<Found> found;
  files::Folder opened;
  if (step(FileStep::Scan) || openRoot(opened))
    return found;
  for (const std::string &shard : opened.list()) {
    files::Folder folder;
    std::string path = root + "/" + shard;
    if (shard.size() != 2 || folder.openIn(opened, shard) || checkFolder(folder, path))
      continue;
    for (const std::string &name : folder.list()) {
      Found file;
      file.temporary = files::isTemporaryName(name);
      file.key = parseName(shard, name);
      // Files of other users are neither counted nor touched.
      if (!file.temporary && !file.key)
        continue;
      file.path = path + "/" + name;
      file.shard = shard;
      file.name = name;
      if (files::getSizeAndTime(folder, name, file.size, file.time))
        found.push_back(std::move(file));
    }
  }
  llvm::sort(found, [](const Found &a, const Found &b) {
    return std::tie(a.time, a.path) < std::tie(b.time, b.path);
  });
  return found;
}

// How much one process may add before it scans again: 16 processes together stay below the bound.
static uint64_t getAllowance(uint64_t maxBytes) { return maxBytes / 64; }

void DiskCache::trimIfNeeded(uint64_t added) {
  uint64_t left = allowance.load();
  while (left >= added)
    if (allowance.compare_exchange_weak(left, left - added))
      return;
  // Not every short-lived process scans: a file's time records the last scan.
  uint64_t size;
  int64_t time = 0;
  files::Folder folder;
  if (!started.exchange(true) && added <= getAllowance(options.maxBytes) && !openRoot(folder) &&
      files::getSizeAndTime(folder, kScannedName, size, time)) {
    int64_t age = (files::getNow() - time) / 1'000'000'000;
    if (std::abs(age) < static_cast<int64_t>(options.scanSeconds)) {
      allowance = getAllowance(options.maxBytes) - added;
      return;
    }
  }
  trim();
}

void DiskCache::trim() {
  if (!isEnabled())
    return;
  uint64_t total = 0;
  int64_t now = files::getNow();
  std::vector<Found> found = scan();
  for (const Found &file : found) {
    if (!file.temporary)
      total += file.size;
    else if ((now - file.time) / 1'000'000'000 > static_cast<int64_t>(options.staleSeconds))
      (void)removeFile(file.shard, file.name);
  }
  if (total > options.maxBytes - getAllowance(options.maxBytes)) {
    uint64_t goal = options.maxBytes / 4 * 3;
    for (const Found &file : found) {
      if (total <= goal)
        break;
      if (file.temporary)
        continue;
      // A missing file is fine: another process is evicting too.
      int error = removeFile(file.shard, file.name);
      if (!error || error == ENOENT || error == ESTALE)
        total -= file.size;
    }
  }
  files::Folder folder;
  if (!step(FileStep::Touch) && !openRoot(folder))
    files::touch(folder, kScannedName, sharing);
  allowance = getAllowance(options.maxBytes);
}

//===----------------------------------------------------------------------===//
// For the command
//===----------------------------------------------------------------------===//

DiskCacheStat DiskCache::getStat() {
  DiskCacheStat stat;
  if (!isEnabled())
    return stat;
  for (const Found &file : scan()) {
    ++(file.temporary ? stat.numTemporary : stat.numEntries);
    (file.temporary ? stat.temporaryBytes : stat.numBytes) += file.size;
  }
  return stat;
}

DiskCacheVerification DiskCache::verify(bool removeBad) {
  DiskCacheVerification out;
  if (!isEnabled())
    return out;
  std::vector<Found> found = scan();
  llvm::sort(found, [](const Found &a, const Found &b) { return a.path < b.path; });
  for (const Found &file : found) {
    if (file.temporary)
      continue;
    std::vector<uint8_t> bytes;
    std::string others;
    files::Folder shard;
    int error = openShard(file.shard, shard);
    if (!error)
      error = files::read(shard, file.name,
                          std::max(options.maxBytes, DiskCacheOptions::kDefaultMaxBytes),
                          sharing.circle, options.touchSeconds, /*touch=*/false, bytes, others);
    if (error == files::kTooLarge) {
      ++out.numUnread;
      continue;
    }
    if (error == ENOENT || error == ESTALE)
      continue; // Evicted meanwhile.
    std::string why = error == files::kNoFile      ? "it is not a regular file"
                      : error == files::kUntrusted ? "it " + others
                      : error                      ? std::strerror(error)
                                                   : checkEntry(bytes, *file.key, std::nullopt);
    if (why.empty()) {
      ++out.numGood;
      continue;
    }
    int kept = removeBad ? removeFile(file.shard, file.name) : 0;
    out.bad.push_back(file.path + ": " + why +
                      (kept ? "; it cannot be removed: " + std::string(std::strerror(kept)) : ""));
    out.numKept += kept != 0;
  }
  return out;
}

DiskCacheStat DiskCache::clear() {
  DiskCacheStat stat;
  if (!isEnabled())
    return stat;
  for (const Found &file : scan()) {
    if (int error = removeFile(file.shard, file.name)) {
      if (error != ENOENT && error != ESTALE) { // Somebody else may have removed it.
        ++stat.numKept;
        stat.whyKept = "'" + file.path + "': " + std::strerror(error);
      }
      continue;
    }
    ++(file.temporary ? stat.numTemporary : stat.numEntries);
    (file.temporary ? stat.temporaryBytes : stat.numBytes) += file.size;
  }
  return stat;
}
