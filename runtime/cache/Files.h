// File operations for the store, as POSIX calls: each gives an errno, and none can end the process.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tilerun::cache::files {

/// What `read` gives, besides errnos: for something that is no regular file, and for a file that is
/// larger than was asked for.
constexpr int kNoFile = -1, kTooLarge = -2;

/// Reads a whole file; 0, an errno, kNoFile or kTooLarge. With `touch`, renews its time of
/// modification if that is older than `touchSeconds`.
int read(const std::string &path, uint64_t maxBytes, unsigned touchSeconds, bool touch,
         std::vector<uint8_t> &out);

/// A file under a name that no other writer has, removed unless it was renamed.
class TemporaryFile {
public:
  TemporaryFile() = default;
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  int create(const std::string &folder, std::atomic<uint32_t> &counter);
  int write(llvm::ArrayRef<uint8_t> bytes);
  int close();
  int rename(const std::string &to);

private:
  std::string path;
  int handle = -1;
};

bool isTemporaryName(const std::string &name);
/// Creates a folder and those above it, for this user alone; 0 or an errno.
int makeFolders(const std::string &path);
bool isFolder(const std::string &path);
bool isWorldWritable(const std::string &path);
/// Names in a folder, without `.` and `..`; what cannot be read is empty.
std::vector<std::string> listFolder(const std::string &path);
/// False if it is no regular file, or not there. The time is that of modification.
bool getSizeAndTime(const std::string &path, uint64_t &size, int64_t &nanoseconds);
int64_t getNow(); ///< In nanoseconds since 1970.
/// Makes an empty file, or renews its time.
void touch(const std::string &path);
std::string getHome(); ///< Empty if there is none.

} // namespace tilerun::cache::files
