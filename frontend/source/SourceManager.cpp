// Reads and keeps source files, and turns offsets into lines and columns. The table of line starts
// is made on the first question, so that files without diagnostics never pay for it.
#include "frontend/source/Source.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilerun {

struct SourceManager::Buffer {
  std::string name;
  std::string realPath; ///< Empty for text that is not a file.
  std::string text;
  /// Offsets of the first byte of every line, filled on demand.
  std::vector<uint32_t> lineStarts;

  const std::vector<uint32_t> &getLineStarts() {
    if (!lineStarts.empty())
      return lineStarts;
    // A byte order mark is not part of the first line.
    lineStarts.push_back(StringRef(text).starts_with("\xEF\xBB\xBF") ? 3 : 0);
    for (size_t i = 0, e = text.size(); i < e; ++i) {
      char c = text[i];
      if (c == '\n' || (c == '\r' && (i + 1 == e || text[i + 1] != '\n')))
        lineStarts.push_back(static_cast<uint32_t>(i + 1));
    }
    return lineStarts;
  }
};

SourceManager::SourceManager() = default;
SourceManager::~SourceManager() = default;

static Error fileError(StringRef path, const Twine &what) {
  return createStringError(std::make_error_code(std::errc::invalid_argument),
                           "cannot read '" + path + "': " + what);
}

Expected<uint32_t> SourceManager::addFile(StringRef path) {
  if (path.contains('\0'))
    return fileError(path.take_until([](char c) { return c == '\0'; }),
                     "the path has a NUL byte in it");
  sys::fs::file_status status;
  if (std::error_code ec = sys::fs::status(path, status))
    return fileError(path, ec == std::errc::no_such_file_or_directory
                               ? std::string("the file was not found")
                               : ec.message());
  if (sys::fs::is_directory(status))
    return fileError(path, "it is a folder; name a .py file in it");
  // Devices and pipes have no size to check before reading, and reading may never end.
  if (!sys::fs::is_regular_file(status))
    return fileError(path, "it is not a regular file");
  if (status.getSize() > kMaxFileBytes)
    return fileError(path, "it has " + Twine(status.getSize()) + " bytes; the limit is " +
                               Twine(kMaxFileBytes) + " bytes (64 MiB)");

  SmallString<256> real;
  if (sys::fs::real_path(path, real))
    real = path;
  // An editor may have other text than the disk has.
  auto isThisFile = [&](const Buffer &buffer) {
    if (!buffer.realPath.empty())
      return buffer.realPath == real.str();
    return sys::path::is_absolute(buffer.name) &&
           (buffer.name == path || buffer.name == real.str());
  };
  for (size_t i = 0; i < buffers.size(); ++i)
    if (isThisFile(*buffers[i]))
      return static_cast<uint32_t>(i + 1);

  auto content = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                       /*IsVolatile=*/true);
  if (!content)
    return fileError(path, content.getError().message());
  if ((*content)->getBufferSize() > kMaxFileBytes)
    return fileError(path, "it grew past 64 MiB while it was read");
  uint32_t file = addText(path, (*content)->getBuffer().str());
  buffers[file - 1]->realPath = real.str().str();
  return file;
}

uint32_t SourceManager::addText(StringRef name, std::string text) {
  auto buffer = std::make_unique<Buffer>();
  buffer->name = name.str();
  buffer->text = std::move(text);
  buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(buffers.size());
}

StringRef SourceManager::getText(uint32_t file) const {
  return file == 0 || file > buffers.size() ? StringRef() : StringRef(buffers[file - 1]->text);
}

StringRef SourceManager::getName(uint32_t file) const {
  return file == 0 || file > buffers.size() ? StringRef() : StringRef(buffers[file - 1]->name);
}

SourceManager::LineColumn SourceManager::getLineColumn(SourceLoc loc) const {
  if (!loc.isValid() || loc.file > buffers.size())
    return {};
  Buffer &buffer = *buffers[loc.file - 1];
  const std::vector<uint32_t> &starts = buffer.getLineStarts();
  uint32_t offset = std::min<uint64_t>(loc.offset, buffer.text.size());
  auto next = llvm::upper_bound(starts, offset);
  if (next == starts.begin()) // Inside the byte order mark.
    return {1, 1};
  return {static_cast<unsigned>(next - starts.begin()), offset - *std::prev(next) + 1};
}

StringRef SourceManager::getLine(uint32_t file, unsigned line) const {
  if (file == 0 || file > buffers.size())
    return {};
  Buffer &buffer = *buffers[file - 1];
  const std::vector<uint32_t> &starts = buffer.getLineStarts();
  if (line == 0 || line > starts.size())
    return {};
  size_t end = line < starts.size() ? starts[line] : buffer.text.size();
  return StringRef(buffer.text).slice(starts[line - 1], end).rtrim("\r\n");
}

} // namespace tilerun
