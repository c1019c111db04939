// The store's protocol: entries, eviction, verification. What a file operation needs to be safe is
// in Files.cpp.
#include "runtime/cache/DiskCache.h"

#include "runtime/cache/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <unistd.h>

using namespace tilerun::cache;
using namespace llvm::support;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

// magic, version, kind, length of the payload, key, then the checksum over these and the payload.
static constexpr char kMagic[8] = {'t', 'i', 'l', 'e', 'r', 'u', 'n', '\n'};
static constexpr uint32_t kVersion = 1;
static constexpr size_t kCheckedBytes = 8 + 4 + 4 + 8 + 32;
static constexpr size_t kHeaderBytes = kCheckedBytes + 32;
static constexpr size_t kNameDigits = 62;

static Key getChecksum(llvm::ArrayRef<uint8_t> checked, llvm::ArrayRef<uint8_t> payload) {
  llvm::BLAKE3 hasher;
  hasher.update(checked);
  hasher.update(payload);
  auto result = hasher.final<32>();
  Key sum;
  std::copy(result.begin(), result.end(), sum.bytes.begin());
  return sum;
}

static std::array<uint8_t, kHeaderBytes> makeHeader(const Key &key, EntryKind kind,
                                                    llvm::ArrayRef<uint8_t> payload) {
  std::array<uint8_t, kHeaderBytes> header{};
  std::memcpy(header.data(), kMagic, sizeof(kMagic));
  endian::write32le(header.data() + 8, kVersion);
  endian::write32le(header.data() + 12, static_cast<uint32_t>(kind));
  endian::write64le(header.data() + 16, payload.size());
  std::copy(key.bytes.begin(), key.bytes.end(), header.begin() + 24);
  Key sum = getChecksum(llvm::ArrayRef(header).take_front(kCheckedBytes), payload);
  std::copy(sum.bytes.begin(), sum.bytes.end(), header.begin() + kCheckedBytes);
  return header;
}

// Why bytes are no entry of `key`; empty if they are. Any kind will do if `kind` is none.
static std::string checkEntry(llvm::ArrayRef<uint8_t> file, const Key &key,
                              std::optional<EntryKind> kind) {
  if (file.size() < kHeaderBytes)
    return "it has " + std::to_string(file.size()) + " bytes, fewer than a header";
  if (std::memcmp(file.data(), kMagic, sizeof(kMagic)) != 0)
    return "it is no entry of a cache";
  if (uint32_t version = endian::read32le(file.data() + 8); version != kVersion)
    return "its format has version " + std::to_string(version) + ", not " +
           std::to_string(kVersion);
  llvm::ArrayRef<uint8_t> payload = file.drop_front(kHeaderBytes);
  if (uint64_t length = endian::read64le(file.data() + 16); length != payload.size())
    return "its header says " + std::to_string(length) + " bytes, it has " +
           std::to_string(payload.size());
  Key sum = getChecksum(file.take_front(kCheckedBytes), payload);
  if (!std::equal(sum.bytes.begin(), sum.bytes.end(), file.begin() + kCheckedBytes))
    return "its checksum is wrong";
  if (!std::equal(key.bytes.begin(), key.bytes.end(), file.begin() + 24))
    return "it is the entry of another key";
  if (kind && endian::read32le(file.data() + 12) != static_cast<uint32_t>(*kind))
    return "it is an entry of another kind";
  return "";
}

// The key that a shard and a name stand for.
static std::optional<Key> parseName(llvm::StringRef shard, llvm::StringRef name) {
  std::string bytes;
  Key key;
  if (shard.size() != 2 || name.size() != kNameDigits ||
      !llvm::tryGetFromHex((shard + name).str(), bytes) || bytes.size() != key.bytes.size() ||
      name.lower() != name || shard.lower() != shard)
    return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), key.bytes.begin());
  return key;
}

//===----------------------------------------------------------------------===//
// The store
//===----------------------------------------------------------------------===//

enum Trouble : unsigned { kDamaged = 1, kUnusable = 2 };

DiskCache::DiskCache(DiskCacheOptions given) : options(std::move(given)) {
  if (options.folder.empty() || options.maxBytes == 0) {
    disabled = true;
    return;
  }
  root = options.folder + "/v1";
  // What anybody may write, nobody should load code from.
  if (files::isWorldWritable(options.folder)) {
    disabled = true;
    warnOnce(kUnusable, "the cache folder '" + options.folder +
                            "' may be written by everybody, so it is not used; make it yours, or "
                            "name another by TILERUN_CACHE_DIR");
  }
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
                          "; going on without it (TILERUN_CACHE=off says so from the start)");
}

std::optional<std::vector<uint8_t>> DiskCache::get(const Key &key, EntryKind kind) {
  if (!isEnabled())
    return std::nullopt;
  std::string path = getPath(key);
  std::vector<uint8_t> file;
  int error = 0;
  // A network file system says ESTALE when somebody replaced the file meanwhile: the second look
  // finds the new one.
  for (int attempt = 0; attempt < 2; ++attempt) {
    error = step(FileStep::Open);
    if (!error)
      error = step(FileStep::Read);
    if (!error)
      error = files::read(path, options.maxBytes, options.touchSeconds, step(FileStep::Touch) == 0,
                          file);
    if (error != ESTALE)
      break;
  }
  // A file in the place of a folder is told by `put`.
  if (error == ENOENT || error == ESTALE || error == ENOTDIR)
    return std::nullopt;
  // Sound, perhaps, but of a process with a larger bound.
  if (error == files::kTooLarge)
    return std::nullopt;
  if (error == files::kNoFile) {
    reject(key, "it is no regular file");
    return std::nullopt;
  }
  if (error) {
    warnOnce(kUnusable, "cannot read the cache: '" + path + "': " + std::strerror(error));
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

bool DiskCache::prepareFolder(const std::string &shard) {
  int error = step(FileStep::MakeFolder);
  if (!error)
    error = files::makeFolders(shard);
  if (!error)
    return true;
  warnUnwritable("'" + shard + "'", error);
  // It will not come back: later calls should not even try.
  if (error == EROFS || error == EACCES || error == EPERM || error == ENOTDIR)
    unwritable = true;
  return false;
}

int DiskCache::writeFile(const std::string &path, llvm::ArrayRef<uint8_t> header,
                         llvm::ArrayRef<uint8_t> payload) {
  if (int error = step(FileStep::Create))
    return error;
  files::TemporaryFile file;
  if (int error = file.create(path.substr(0, path.rfind('/')), counter))
    return error;
  // Every failure from here on removes the temporary file.
  int error = step(FileStep::Write);
  if (!error)
    error = file.write(header);
  if (!error)
    error = file.write(payload);
  // Network file systems and quotas may refuse as late as here.
  int closed = file.close();
  if (!error)
    error = closed ? closed : step(FileStep::Close);
  if (!error)
    error = step(FileStep::Rename);
  return error ? error : file.rename(path);
}

bool DiskCache::put(const Key &key, EntryKind kind, llvm::ArrayRef<uint8_t> payload) {
  if (!isEnabled() || unwritable)
    return false;
  // One entry that would push out half of the others is not worth it.
  uint64_t size = kHeaderBytes + payload.size();
  if (size > options.maxBytes / 2)
    return false;
  std::string path = getPath(key);
  std::array<uint8_t, kHeaderBytes> header = makeHeader(key, kind, payload);
  int error = 0;
  // The folder may be removed between its making and its use, by a `clear` elsewhere.
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (attempt > 0 || !files::isFolder(path.substr(0, path.rfind('/'))))
      if (!prepareFolder(path.substr(0, path.rfind('/'))))
        return false;
    error = writeFile(path, header, payload);
    if (error != ENOENT && error != ESTALE)
      break;
  }
  if (error == EISDIR || error == ENOTEMPTY) {
    reject(key, "a folder is in its place");
    return false;
  }
  if (error) {
    warnUnwritable("'" + path + "'", error);
    if (error == EROFS || error == EACCES || error == EPERM)
      unwritable = true;
    return false;
  }
  trimIfNeeded(size);
  return true;
}

void DiskCache::remove(const Key &key) {
  if (isEnabled() && !step(FileStep::Remove))
    ::unlink(getPath(key).c_str());
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
  if (step(FileStep::Scan))
    return found;
  for (const std::string &shard : files::listFolder(root)) {
    if (shard.size() != 2)
      continue;
    std::string folder = root + "/" + shard;
    for (const std::string &name : files::listFolder(folder)) {
      Found file;
      file.temporary = files::isTemporaryName(name);
      file.key = parseName(shard, name);
      // Somebody else's files are neither counted nor touched.
      if (!file.temporary && !file.key)
        continue;
      file.path = folder + "/" + name;
      file.shard = shard;
      file.name = name;
      if (files::getSizeAndTime(file.path, file.size, file.time))
        found.push_back(std::move(file));
    }
  }
  llvm::sort(found, [](const Found &a, const Found &b) {
    return std::tie(a.time, a.path) < std::tie(b.time, b.path);
  });
  return found;
}

// How much one process may add before it looks at the whole again: 16 processes stay below the
// bound together.
static uint64_t getAllowance(uint64_t maxBytes) { return maxBytes / 64; }

void DiskCache::trimIfNeeded(uint64_t added) {
  uint64_t left = allowance.load();
  while (left >= added)
    if (allowance.compare_exchange_weak(left, left - added))
      return;
  // Short-lived processes do not each scan: the time of the last scan is a file's.
  uint64_t size;
  int64_t time = 0;
  if (!started.exchange(true) && added <= getAllowance(options.maxBytes) &&
      files::getSizeAndTime(root + "/scanned", size, time)) {
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
    else if ((now - file.time) / 1'000'000'000 > static_cast<int64_t>(options.staleSeconds) &&
             !step(FileStep::Remove))
      ::unlink(file.path.c_str());
  }
  if (total > options.maxBytes - getAllowance(options.maxBytes)) {
    uint64_t goal = options.maxBytes / 4 * 3;
    for (const Found &file : found) {
      if (total <= goal)
        break;
      if (file.temporary || step(FileStep::Remove))
        continue;
      // Gone already is as good: another process is at the same work.
      if (::unlink(file.path.c_str()) == 0 || errno == ENOENT || errno == ESTALE)
        total -= file.size;
    }
  }
  if (!step(FileStep::Touch))
    files::touch(root + "/scanned");
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
    int error =
        files::read(file.path, std::max(options.maxBytes, DiskCacheOptions::kDefaultMaxBytes),
                    options.touchSeconds, /*touch=*/false, bytes);
    if (error == files::kTooLarge) {
      ++out.numUnread;
      continue;
    }
    if (error == ENOENT || error == ESTALE)
      continue; // Evicted meanwhile.
    std::string why = error == files::kNoFile ? "it is no regular file"
                      : error                 ? std::strerror(error)
                                              : checkEntry(bytes, *file.key, std::nullopt);
    if (why.empty()) {
      ++out.numGood;
      continue;
    }
    out.bad.push_back(file.path + ": " + why);
    if (removeBad)
      ::unlink(file.path.c_str());
  }
  return out;
}

DiskCacheStat DiskCache::clear() {
  DiskCacheStat stat;
  if (!isEnabled())
    return stat;
  for (const Found &file : scan()) {
    if (::unlink(file.path.c_str()) != 0)
      continue;
    ++(file.temporary ? stat.numTemporary : stat.numEntries);
    (file.temporary ? stat.temporaryBytes : stat.numBytes) += file.size;
  }
  return stat;
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

std::optional<uint64_t> tilerun::cache::parseSize(llvm::StringRef text) {
  text = text.trim();
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  std::string unit = text.drop_front(digits.size()).trim().lower();
  uint64_t number = 0;
  if (digits.getAsInteger(10, number))
    return std::nullopt;
  static constexpr llvm::StringLiteral kUnits[] = {"", "k", "m", "g", "t"};
  for (auto [power, letter] : llvm::enumerate(kUnits)) {
    unsigned shift = static_cast<unsigned>(10 * power);
    bool plain = unit == letter || (power == 0 && unit == "b");
    if (!plain && !(power && (unit == (letter + "b").str() || unit == (letter + "ib").str())))
      continue;
    if (shift && number >> (64 - shift))
      return std::nullopt;
    return number << shift;
  }
  return std::nullopt;
}

DiskCacheOptions DiskCacheOptions::fromEnvironment(std::function<void(const std::string &)> warn,
                                                   const std::string &folder) {
  DiskCacheOptions options;
  options.warn = std::move(warn);
  auto tell = [&](const std::string &text) {
    if (options.warn)
      options.warn(text);
  };
  auto get = [](const char *name) {
    const char *value = secure_getenv(name);
    return std::string(value ? value : "");
  };
  std::string use = llvm::StringRef(get("TILERUN_CACHE")).trim().lower();
  if (use == "off" || use == "0" || use == "no" || use == "false")
    return options;
  if (!use.empty() && use != "on" && use != "1" && use != "yes" && use != "true")
    tell("TILERUN_CACHE is '" + use + "', neither 'on' nor 'off'; the cache is on");
  if (std::string size = get("TILERUN_CACHE_SIZE"); !size.empty()) {
    if (std::optional<uint64_t> bytes = parseSize(size))
      options.maxBytes = *bytes;
    else
      tell("TILERUN_CACHE_SIZE is '" + size + "', which is no size such as 512M or 2G; it is 1G");
  }
  options.folder = folder.empty() ? get("TILERUN_CACHE_DIR") : folder;
  if (!options.folder.empty())
    return options;
  // A relative XDG folder does not count, says its specification.
  if (std::string xdg = get("XDG_CACHE_HOME"); !xdg.empty() && xdg[0] == '/')
    options.folder = xdg + "/tilerun";
  else if (std::string home = files::getHome(); !home.empty())
    options.folder = home + "/.cache/tilerun";
  else
    tell("there is no home folder for the cache; name one by TILERUN_CACHE_DIR, or say "
         "TILERUN_CACHE=off");
  return options;
}
