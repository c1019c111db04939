// See Assemble.h.
#include "tests/kernels/Assemble.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>

using namespace tilerun;

const std::string &test::findPtxas() {
  static const std::string path = [] {
    auto found = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin", "/usr/bin"});
    return found ? *found : std::string();
  }();
  return path;
}

std::string test::assemble(const std::string &ptx, const std::string &arch) {
  const std::string &path = findPtxas();
  llvm::SmallString<64> file, log;
  int fd;
  if (llvm::sys::fs::createTemporaryFile("kernel", "ptx", fd, file) ||
      llvm::sys::fs::createTemporaryFile("ptxas", "txt", log))
    return "no temporary file";
  {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << ptx;
  }
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log.str(), log.str()};
  std::string message;
  int rc = llvm::sys::ExecuteAndWait(path, {path, "-arch=" + arch, "-o", "/dev/null", file},
                                     std::nullopt, redirects);
  // A warning that says so means that nothing overlaps: as bad as an error.
  if (auto text = llvm::MemoryBuffer::getFile(log))
    if (rc || (*text)->getBuffer().contains("serialized"))
      message = (*text)->getBuffer().str() + ptx;
  (void)llvm::sys::fs::remove(file);
  (void)llvm::sys::fs::remove(log);
  return message;
}

bool test::knows(llvm::StringRef arch) {
  if (findPtxas().empty())
    return false;
  static std::map<std::string, bool> answers;
  auto [it, isNew] = answers.try_emplace(arch.str());
  if (isNew) {
    std::string empty = ".version 9.0\n.target " + arch.str() + "\n.address_size 64\n";
    llvm::StringRef name = arch;
    // Versions that it does not read yet come with architectures that it does not know.
    for (const char *version : {"7.4", "8.4", "8.6", "9.0"}) {
      empty =
          std::string(".version ") + version + "\n.target " + name.str() + "\n.address_size 64\n";
      if ((it->second = assemble(empty, arch.str()).empty()))
        break;
    }
  }
  return it->second;
}
