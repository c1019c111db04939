// See Positions.h.
#include "tools/tilerun/lsp/Positions.h"

#include "frontend/source/Utf8.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace tilerun;
using namespace tilerun::lsp;
using llvm::StringRef;

/// UTF-16 units of the character at `text[at]`.
static int countUnits(const DecodedChar &character) {
  return character.valid && character.codePoint > 0xFFFF ? 2 : 1;
}

Position lsp::toPosition(const SourceManager &sources, SourceLoc loc) {
  auto place = sources.getLineColumn(loc);
  if (place.line == 0)
    return {};
  StringRef before = sources.getLine(loc.file, place.line).take_front(place.column - 1);
  int units = 0;
  for (size_t at = 0; at < before.size();) {
    DecodedChar character = decodeUtf8(before, at);
    units += countUnits(character);
    at += character.length;
  }
  return {static_cast<int>(place.line) - 1, units};
}

Range lsp::toRange(const SourceManager &sources, SourceRange range) {
  if (!range.isValid())
    return {};
  return {toPosition(sources, range.begin), toPosition(sources, {range.begin.file, range.end})};
}

std::optional<uint32_t> lsp::toOffset(const SourceManager &sources, uint32_t file, unsigned line,
                                      unsigned column) {
  StringRef text = sources.getLine(file, line);
  if (!text.data())
    return std::nullopt;
  return static_cast<uint32_t>(text.data() - sources.getText(file).data()) +
         std::min<uint32_t>(column - 1, static_cast<uint32_t>(text.size()));
}

std::optional<uint32_t> lsp::toOffset(const SourceManager &sources, uint32_t file,
                                      Position position) {
  if (position.line < 0 || position.character < 0)
    return std::nullopt;
  const auto line = static_cast<unsigned>(position.line) + 1;
  StringRef text = sources.getLine(file, line);
  size_t at = 0;
  for (int units = 0; at < text.size() && units < position.character;) {
    DecodedChar character = decodeUtf8(text, at);
    units += countUnits(character);
    at += character.length;
  }
  return toOffset(sources, file, line, static_cast<unsigned>(at) + 1);
}

SourceRange lsp::findName(const SourceManager &sources, uint32_t file, uint32_t offset) {
  StringRef text = sources.getText(file);
  auto isPart = [&](size_t at) {
    return llvm::isAlnum(text[at]) || text[at] == '_' || static_cast<unsigned char>(text[at]) > 127;
  };
  uint32_t begin = std::min<uint32_t>(offset, static_cast<uint32_t>(text.size())), end = begin;
  while (begin > 0 && isPart(begin - 1))
    --begin;
  while (end < text.size() && isPart(end))
    ++end;
  return {{file, begin}, end};
}

std::optional<llvm::lsp::Location> lsp::toLocation(const SourceManager &sources,
                                                   SourceRange range) {
  llvm::SmallString<256> path(sources.getName(range.begin.file));
  if (path.empty() || path.starts_with("<") || llvm::sys::fs::make_absolute(path))
    return std::nullopt;
  auto uri = llvm::lsp::URIForFile::fromFile(path);
  if (!uri) {
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }
  return llvm::lsp::Location(*uri, toRange(sources, range));
}
