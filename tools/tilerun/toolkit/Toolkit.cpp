// See Toolkit.h. Tools read and write temporary files, which are gone afterwards.
#include "tools/tilerun/toolkit/Toolkit.h"

#include "plugins/support/PtxLines.h"
#include "tools/tilerun/host/Try.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <utility>

using namespace tilerun;
using namespace tilerun::toolkit;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

std::optional<std::string> toolkit::findTool(llvm::StringRef name) {
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  std::vector<std::string> folders;
  if (const char *home = std::getenv("CUDA_HOME"))
    folders.push_back(std::string(home) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders)
    if (auto found = llvm::sys::findProgramByName(name, {folder}))
      return *found;
  return std::nullopt;
}

namespace {
/// A file that is removed with the object.
class TemporaryFile {
public:
  TemporaryFile(TemporaryFile &&other) noexcept : path(std::exchange(other.path, {})) {}
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile() {
    if (!path.empty())
      (void)llvm::sys::fs::remove(path);
  }
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix, llvm::StringRef content) {
    TemporaryFile file;
    int fd = -1;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("tilerun", suffix, fd, file.path))
      return makeError("cannot write a temporary file: " + error.message());
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << content;
    os.flush();
    if (os.has_error()) {
      std::string reason = os.error().message();
      os.clear_error();
      return makeError("cannot write '" + file.path + "': " + reason);
    }
    return file;
  }
  llvm::StringRef getPath() const { return path; }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  TemporaryFile() = default;
  llvm::SmallString<128> path;
};
} // namespace

/// Runs a tool; `output` gets its text on both streams. The error says how it ended.
static llvm::Error run(llvm::StringRef path, llvm::ArrayRef<llvm::StringRef> arguments,
                       std::string &output) {
  TILERUN_TRY_VALUE(log, TemporaryFile::create("log", ""));
  std::vector<llvm::StringRef> all = {path};
  all.insert(all.end(), arguments.begin(), arguments.end());
  constexpr unsigned kSeconds = 300;
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(path, all, std::nullopt,
                                         {llvm::StringRef(), log.getPath(), log.getPath()},
                                         kSeconds, 0, &reason);
  output = log.read();
  if (status == 0)
    return llvm::Error::success();
  std::string text = llvm::StringRef(output).trim().str();
  return makeError("'" + path + "' failed" +
                   (reason.empty() ? " with status " + std::to_string(status) : ": " + reason) +
                   (text.empty() ? "" : "\n" + text));
}

std::string toolkit::getVersion(llvm::StringRef path) {
  std::string output;
  if (llvm::Error error = run(path, {"--version"}, output)) {
    llvm::consumeError(std::move(error));
    return "";
  }
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(output).split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.contains("release"))
      return line.substr(line.find("release")).trim().str();
  return "";
}

// The number before `unit` in a line: "16" of "Used 16 registers" for " registers".
static uint64_t getNumber(llvm::StringRef line, llvm::StringRef unit) {
  size_t at = line.find(unit);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef before = line.take_front(at);
  uint64_t number = 0;
  size_t begin = before.find_last_not_of("0123456789");
  before.drop_front(begin == llvm::StringRef::npos ? 0 : begin + 1).getAsInteger(10, number);
  return number;
}

std::optional<KernelResources> toolkit::parsePtxasLog(llvm::StringRef log, llvm::StringRef kernel) {
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n');
  bool ours = false, found = false;
  KernelResources resources;
  for (llvm::StringRef line : lines) {
    if (line.contains("Compiling entry function"))
      ours = line.contains(("'" + kernel + "'").str());
    if (!ours)
      continue;
    if (line.contains(" bytes stack frame")) {
      resources.stackBytes = getNumber(line, " bytes stack frame");
      resources.spillStoreBytes = getNumber(line, " bytes spill stores");
      resources.spillLoadBytes = getNumber(line, " bytes spill loads");
    }
    if (line.contains("Used ") && line.contains(" registers")) {
      found = true;
      resources.registers = getNumber(line, " registers");
      resources.barriers = getNumber(line, " barriers");
      resources.sharedBytes = getNumber(line, " bytes smem");
    }
  }
  return found ? std::optional(resources) : std::nullopt;
}

llvm::Expected<Assembled> toolkit::assemble(llvm::StringRef ptx, llvm::StringRef arch,
                                            bool lineInfo) {
  std::optional<std::string> ptxas = findTool("ptxas");
  if (!ptxas)
    return makeError("ptxas was not found in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin; it comes "
                     "with the CUDA toolkit");
  TILERUN_TRY_VALUE(source, TemporaryFile::create("ptx", ptx));
  TILERUN_TRY_VALUE(binary, TemporaryFile::create("cubin", ""));
  const std::string archOption = ("-arch=" + arch).str();
  std::vector<llvm::StringRef> arguments = {"-v", archOption, source.getPath(), "-o",
                                            binary.getPath()};
  if (lineInfo)
    arguments.push_back("-lineinfo");
  Assembled result;
  if (llvm::Error error = run(*ptxas, arguments, result.log)) {
    std::string text = llvm::toString(std::move(error));
    return makeError(text + plugin_support::explainPtxLines(text, ptx));
  }
  result.binary = binary.read();
  return result;
}

llvm::Expected<std::string> toolkit::disassemble(llvm::StringRef binary, bool lineInfo) {
  std::optional<std::string> tool = findTool("nvdisasm");
  std::vector<llvm::StringRef> arguments;
  if (tool && lineInfo)
    arguments = {"--print-code", "--print-line-info-inline"};
  if (!tool) {
    tool = findTool("cuobjdump");
    arguments.push_back("-sass");
  }
  if (!tool)
    return makeError("neither nvdisasm nor cuobjdump was found in PATH, $CUDA_HOME/bin or "
                     "/usr/local/cuda/bin; they come with the CUDA toolkit (packages "
                     "cuda-nvdisasm and cuda-cuobjdump)");
  TILERUN_TRY_VALUE(file, TemporaryFile::create("cubin", binary));
  arguments.push_back(file.getPath());
  std::string output;
  TILERUN_TRY_ERROR(run(*tool, arguments, output));
  return output;
}
