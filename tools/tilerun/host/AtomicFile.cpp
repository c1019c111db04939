// Atomic replacement of files through a temporary file in the same folder.
#include "tools/tilerun/host/AtomicFile.h"

#include "tools/tilerun/host/Tensor.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::host;
namespace fs = llvm::sys::fs;

static llvm::Error writeAll(int descriptor, llvm::StringRef content, llvm::StringRef path) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false, /*unbuffered=*/true);
  os << content;
  const std::error_code error = os.error();
  os.clear_error();
  return error ? makeError("cannot write '" + path + "': " + error.message())
               : llvm::Error::success();
}

AtomicFile::AtomicFile(AtomicFile &&other)
    : path(std::move(other.path)), target(std::move(other.target)),
      temporary(std::move(other.temporary)), directDescriptor(other.directDescriptor) {
  other.temporary.reset();
  other.directDescriptor = -1;
}

AtomicFile::~AtomicFile() {
  if (temporary)
    llvm::consumeError(temporary->discard());
  if (directDescriptor >= 0)
    ::close(directDescriptor);
}

llvm::Expected<AtomicFile> AtomicFile::open(llvm::StringRef path) {
  if (path.empty())
    return makeError("the name of the file to write is empty");
  llvm::SmallString<256> target(path);
  fs::file_status status;
  if (!fs::status(path, status) && fs::exists(status)) {
    if (fs::is_directory(status))
      return makeError("cannot write '" + path + "': it is a folder");
    if (!fs::is_regular_file(status)) {
      AtomicFile file(path.str(), path.str());
      file.directDescriptor = ::open(file.path.c_str(), O_WRONLY | O_CLOEXEC);
      if (file.directDescriptor < 0)
        return makeError("cannot write '" + path + "': " + llvm::sys::StrError());
      return file;
    }
    // A file that may not be written must not be replaced either.
    if (std::error_code error = fs::access(path, fs::AccessMode::Write))
      return makeError("cannot write '" + path + "': " + error.message());
    if (std::error_code error = fs::real_path(path, target))
      return makeError("cannot write '" + path + "': " + error.message());
  }
  AtomicFile file(path.str(), target.str().str());
  llvm::Expected<fs::TempFile> temporary = fs::TempFile::create(target + ".%%%%%%%%.tmp");
  if (!temporary)
    return makeError("cannot write '" + path + "': " + llvm::toString(temporary.takeError()));
  file.temporary.emplace(std::move(*temporary));
  return file;
}

llvm::Error AtomicFile::commit(llvm::ArrayRef<uint8_t> content) {
  return commit(llvm::StringRef(reinterpret_cast<const char *>(content.data()), content.size()));
}

llvm::Error AtomicFile::commit(llvm::StringRef content) {
  if (directDescriptor >= 0)
    return writeAll(directDescriptor, content, path);
  TILERUN_TRY_ERROR(writeAll(temporary->FD, content, path));
  if (::fsync(temporary->FD) != 0)
    return makeError("cannot write '" + path + "': " + llvm::sys::StrError());
  llvm::Error error = temporary->keep(target);
  temporary.reset();
  if (error)
    return makeError("cannot write '" + path + "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}
