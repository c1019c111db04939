// The system calls behind the store.
#include "runtime/cache/Files.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilerun::cache;

static constexpr const char *kTemporaryPrefix = ".tmp-";

static int64_t toNanoseconds(const timespec &time) {
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

int64_t files::getNow() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return toNanoseconds(now);
}

namespace {
// A descriptor that closes itself.
struct Handle {
  int number;
  ~Handle() {
    if (number >= 0)
      ::close(number);
  }
};
} // namespace

static int openRetrying(int folder, const char *path, int flags, mode_t mode = 0) {
  int handle;
  do
    handle = ::openat(folder, path, flags | O_CLOEXEC, mode);
  while (handle < 0 && errno == EINTR);
  return handle;
}

int files::read(const Folder &folder, const std::string &name, uint64_t maxBytes,
                trust::Circle circle, unsigned touchSeconds, bool touch, std::vector<uint8_t> &out,
                std::string &others) {
  // Without O_NONBLOCK, opening a pipe in an entry's place would block.
  Handle file{openRetrying(folder.getHandle(), name.c_str(),
                           O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)};
  if (file.number < 0)
    return errno == ELOOP ? kNoFile : errno;
  struct stat status;
  if (::fstat(file.number, &status))
    return errno;
  if (!S_ISREG(status.st_mode))
    return kNoFile;
  if (others = trust::findOthers(file.number, circle); !others.empty())
    return kUntrusted;
  if (static_cast<uint64_t>(status.st_size) > maxBytes)
    return kTooLarge;
  out.resize(static_cast<size_t>(status.st_size));
  size_t at = 0;
  while (at < out.size()) {
    ssize_t count = ::read(file.number, out.data() + at, out.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    if (count == 0)
      break;
    at += static_cast<size_t>(count);
  }
  out.resize(at);
  if (touch && getNow() - toNanoseconds(status.st_mtim) > int64_t(touchSeconds) * 1'000'000'000)
    // In a cache of another user's it fails, and then the entry is not renewed.
    ::futimens(file.number, nullptr);
  return 0;
}

//===----------------------------------------------------------------------===//
// Temporary files
//===----------------------------------------------------------------------===//

// The host's name, of letters that any file system takes.
static std::string getHostName() {
  char name[64] = {};
  if (::gethostname(name, sizeof(name) - 1))
    return "host";
  std::string out;
  for (const char *c = name; *c && out.size() < 40; ++c)
    out +=
        (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ? *c : '-';
  return out.empty() ? "host" : out;
}

bool files::isTemporaryName(const std::string &name) {
  return name.rfind(kTemporaryPrefix, 0) == 0;
}

int files::TemporaryFile::create(std::atomic<uint32_t> &counter, const Sharing &sharing) {
  static const std::string host = getHostName();
  // Containers may share host name and process number: the time tells them apart, and O_EXCL
  // catches the rest.
  for (int attempt = 0; attempt < 16; ++attempt) {
    name = kTemporaryPrefix + host + "-" + std::to_string(::getpid()) + "-" +
           std::to_string(counter++) + "-" + std::to_string(getNow() % 1'000'000'000);
    handle = openRetrying(folder.getHandle(), name.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, sharing.getFileMode());
    if (handle >= 0)
      return 0;
    if (errno != EEXIST)
      break;
  }
  int error = errno;
  name.clear();
  return error;
}

namespace {
// A write beyond a limit of the process (RLIMIT_FSIZE) raises a signal that ends it. Here it only
// fails: the signal is held back, and taken if it came.
class FileSizeSignal {
public:
  FileSizeSignal() {
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    held = pthread_sigmask(SIG_BLOCK, &set, &before) == 0;
  }
  ~FileSizeSignal() {
    if (!held)
      return;
    if (came && !sigismember(&before, SIGXFSZ)) {
      timespec none = {};
      sigtimedwait(&set, nullptr, &none);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  bool came = false;

private:
  sigset_t set, before;
  bool held;
};
} // namespace

int files::TemporaryFile::write(llvm::ArrayRef<uint8_t> bytes) {
  FileSizeSignal signal;
  while (!bytes.empty()) {
    ssize_t count = ::write(handle, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      int error = count < 0 ? errno : EIO;
      signal.came = error == EFBIG;
      return error;
    }
    bytes = bytes.drop_front(static_cast<size_t>(count));
  }
  return 0;
}

int files::TemporaryFile::close() {
  // Even after an interrupted close the descriptor is gone.
  int result = ::close(handle);
  handle = -1;
  return result && errno != EINTR ? errno : 0;
}

int files::TemporaryFile::rename(const std::string &to) {
  if (::renameat(folder.getHandle(), name.c_str(), folder.getHandle(), to.c_str()))
    return errno;
  name.clear();
  return 0;
}

files::TemporaryFile::~TemporaryFile() {
  if (handle >= 0)
    ::close(handle);
  if (!name.empty())
    (void)remove(folder, name);
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

files::Folder::~Folder() {
  if (handle >= 0)
    ::close(handle);
}

int files::Folder::set(int opened) {
  // Depending on the file system, a link is one or the other.
  int error = opened < 0 ? (errno == ELOOP ? ENOTDIR : errno) : 0;
  *this = Folder();
  handle = opened;
  return error;
}

int files::Folder::open(const std::string &path) {
  return set(openRetrying(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY));
}

int files::Folder::openIn(const Folder &parent, const std::string &name) {
  return set(openRetrying(parent.getHandle(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
}

std::vector<std::string> files::Folder::list() const {
  std::vector<std::string> names;
  // The stream takes a descriptor of its own, whose position starts again.
  int own = openRetrying(handle, ".", O_RDONLY | O_DIRECTORY);
  DIR *folder = own < 0 ? nullptr : ::fdopendir(own);
  if (!folder) {
    if (own >= 0)
      ::close(own);
    return names;
  }
  while (const dirent *entry = ::readdir(folder)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(std::move(name));
  }
  ::closedir(folder);
  return names;
}

bool files::isFolder(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

int files::makeFolders(const std::string &path, const Sharing &sharing, std::string &failed) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    failed = path.substr(0, end);
    if (::mkdir(failed.c_str(), sharing.getFolderMode())) {
      // A file system may fail to create even a folder that exists.
      int error = errno;
      if (!isFolder(failed))
        return error == EEXIST ? ENOTDIR : error; // A file, or a link to nowhere.
    }
    if (end == std::string::npos)
      return 0;
  }
}

int files::tryFolders(const std::string &path, const Sharing &sharing, std::string &failed) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    failed = path.substr(0, end);
    if (!isFolder(failed)) {
      // Not even root may create folders everywhere; only trying tells.
      if (::mkdir(failed.c_str(), sharing.getFolderMode()))
        return errno == EEXIST ? ENOTDIR : errno;
      return ::rmdir(failed.c_str()) ? errno : 0;
    }
    if (end == std::string::npos)
      return ::access(failed.c_str(), W_OK | X_OK) ? errno : 0;
  }
}

int files::makeFolderIn(const Folder &parent, const std::string &name, const Sharing &sharing) {
  return ::mkdirat(parent.getHandle(), name.c_str(), sharing.getFolderMode()) && errno != EEXIST
             ? errno
             : 0;
}

int files::remove(const Folder &folder, const std::string &name) {
  return ::unlinkat(folder.getHandle(), name.c_str(), 0) ? errno : 0;
}

bool files::getSizeAndTime(const Folder &folder, const std::string &name, uint64_t &size,
                           int64_t &nanoseconds) {
  struct stat status;
  if (::fstatat(folder.getHandle(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) ||
      !S_ISREG(status.st_mode))
    return false;
  size = static_cast<uint64_t>(status.st_size);
  nanoseconds = toNanoseconds(status.st_mtim);
  return true;
}

void files::touch(const Folder &folder, const std::string &name, const Sharing &sharing) {
  Handle file{openRetrying(folder.getHandle(), name.c_str(),
                           O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, sharing.getFileMode())};
  if (file.number >= 0)
    ::futimens(file.number, nullptr);
}

std::string files::getHome() {
  const char *home = ::secure_getenv("HOME");
  if (home && home[0] == '/')
    return home;
  // Thread-safe form, with room for long entries.
  passwd entry, *found = nullptr;
  std::vector<char> buffer(16384);
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found &&
      found->pw_dir && found->pw_dir[0] == '/' && isFolder(found->pw_dir))
    return found->pw_dir;
  return "";
}
