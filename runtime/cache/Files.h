// File operations for the store, as POSIX calls: each returns an errno, and none can terminate the
// process. They take open folders, not paths, so that the folder that was checked is the one that
// is used.
#pragma once

#include "runtime/plugin/Trust.h"

#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilerun::cache::files {

/// Results besides errnos: for something that is not a regular file, for a file that is larger than
/// requested, and for one that others can modify.
constexpr int kNoFile = -1, kTooLarge = -2, kUntrusted = -3;

/// The permissions of others, and those of created files.
struct Sharing {
  trust::Circle circle = trust::Circle::Self;
  unsigned getFolderMode() const { return circle == trust::Circle::Self ? 0700 : 0770; }
  unsigned getFileMode() const { return circle == trust::Circle::Self ? 0600 : 0660; }
};

/// An open folder: it stays the same folder whatever happens to its path.
class Folder {
public:
  Folder() = default;
  ~Folder();
  Folder(Folder &&other) noexcept : handle(std::exchange(other.handle, -1)) {}
  Folder &operator=(Folder &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  /// Links in the path, and at its end, are followed; 0 or an errno.
  int open(const std::string &path);
  /// A folder in another; a link is ENOTDIR.
  int openIn(const Folder &parent, const std::string &name);
  int getHandle() const { return handle; }
  /// Names in it, without `.` and `..`; empty if it cannot be read.
  std::vector<std::string> list() const;

private:
  int set(int opened);
  int handle = -1;
};

/// Reads a whole file; 0, an errno, kNoFile, kTooLarge, or kUntrusted with the reason in `others`.
/// With `touch`, renews its time of modification if that is older than `touchSeconds`.
int read(const Folder &folder, const std::string &name, uint64_t maxBytes, trust::Circle circle,
         unsigned touchSeconds, bool touch, std::vector<uint8_t> &out, std::string &others);

/// A file under a name that no other writer has, removed unless it was renamed. Its folder outlives
/// it.
class TemporaryFile {
public:
  explicit TemporaryFile(const Folder &folder) : folder(folder) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  int create(std::atomic<uint32_t> &counter, const Sharing &sharing);
  int write(llvm::ArrayRef<uint8_t> bytes);
  int close();
  int rename(const std::string &to);

private:
  const Folder &folder;
  std::string name;
  int handle = -1;
};

bool isTemporaryName(const std::string &name);
/// Creates a folder and those above it; 0 or an errno, and then `failed` is the one that could not
/// be made.
int makeFolders(const std::string &path, const Sharing &sharing, std::string &failed);
/// 0, or the errno with which makeFolders or writing there would fail, and `failed` as above.
/// Leaves nothing behind.
int tryFolders(const std::string &path, const Sharing &sharing, std::string &failed);
/// Creates a folder in another; 0 also if it is there.
int makeFolderIn(const Folder &parent, const std::string &name, const Sharing &sharing);
bool isFolder(const std::string &path);
/// 0 or an errno.
int remove(const Folder &folder, const std::string &name);
/// False if it is not a regular file, or not there. The time is that of modification.
bool getSizeAndTime(const Folder &folder, const std::string &name, uint64_t &size,
                    int64_t &nanoseconds);
int64_t getNow(); ///< In nanoseconds since 1970.
/// Makes an empty file, or renews its time.
void touch(const Folder &folder, const std::string &name, const Sharing &sharing);
std::string getHome(); ///< Empty if there is none.

} // namespace tilerun::cache::files
