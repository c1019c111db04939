// The text form of diagnostics: place, message, source line and caret. The source line is first
// turned into cells of one terminal column, which is what keeps the caret under its character
// whatever the line holds (tabs, wide characters, bytes that are not UTF-8, megabytes).
#include "frontend/source/Source.h"
#include "frontend/source/Utf8.h"

using namespace llvm;

namespace tilerun {
namespace {

constexpr unsigned kTabWidth = 4;
/// Longest excerpt of a line, in columns.
constexpr unsigned kMaxColumns = 100;
/// Columns kept before the caret when a line is cut.
constexpr unsigned kLeadColumns = 40;

constexpr StringLiteral kReset = "\x1b[0m", kBold = "\x1b[1m", kRed = "\x1b[1;31m",
                        kMagenta = "\x1b[1;35m", kCyan = "\x1b[1;36m", kGreen = "\x1b[1;32m";

/// A source line ready for the terminal.
struct Excerpt {
  std::string text;
  unsigned caretColumn = 0; ///< 0-based.
  unsigned caretWidth = 1;
};

/// First byte of a character at or before `pos`.
size_t alignToChar(StringRef line, size_t pos) {
  size_t aligned = pos;
  while (aligned > 0 && pos - aligned < 3 && (line[aligned] & 0xC0) == 0x80)
    --aligned;
  return aligned;
}

Excerpt makeExcerpt(StringRef line, size_t begin, size_t end) {
  begin = std::min(begin, line.size());
  end = std::min(std::max(end, begin), line.size());
  // Look only at bytes that can end up on the screen.
  constexpr size_t kWindow = 4 * kMaxColumns;
  size_t from = begin > kWindow ? alignToChar(line, begin - kWindow) : 0;
  size_t to = std::min(line.size(), begin + kWindow);

  struct Cell {
    std::string text;
    unsigned width;
  };
  std::vector<Cell> cells;
  unsigned column = 0, beginColumn = 0, endColumn = 0;
  for (size_t i = from; i < to;) {
    if (i <= begin)
      beginColumn = column;
    DecodedChar c = decodeUtf8(line, i);
    StringRef bytes = line.substr(i, c.length);
    Cell cell;
    int width = columnWidth(c, bytes);
    if (c.codePoint == '\t' && c.valid)
      cell = {std::string(kTabWidth - column % kTabWidth, ' '), kTabWidth - column % kTabWidth};
    else if (width < 0)
      cell = {"\xEF\xBF\xBD", 1}; // U+FFFD
    else
      cell = {bytes.str(), static_cast<unsigned>(width)};
    column += cell.width;
    i += c.length;
    if (i <= end)
      endColumn = column;
    cells.push_back(std::move(cell));
  }
  if (begin >= to)
    beginColumn = column;
  if (end > to)
    endColumn = column;

  bool cutFront = from > 0, cutBack = to < line.size();
  unsigned firstColumn = 0;
  if (column > kMaxColumns && beginColumn > kLeadColumns) {
    firstColumn = beginColumn - kLeadColumns;
    cutFront = true;
  } else if (cutFront) {
    firstColumn = beginColumn > kLeadColumns ? beginColumn - kLeadColumns : 0;
  }

  Excerpt out;
  unsigned at = 0, printed = 0;
  if (cutFront) {
    out.text = "...";
    printed = 3;
  }
  bool caretPlaced = false;
  unsigned shift = 0; // Column of the line minus column on the screen.
  bool started = false;
  for (const Cell &cell : cells) {
    if (at < firstColumn) {
      at += cell.width;
      continue;
    }
    if (!started) {
      started = true;
      shift = at - printed; // May wrap around; it is only added back.
    }
    if (printed + cell.width > kMaxColumns) {
      cutBack = true;
      break;
    }
    out.text += cell.text;
    at += cell.width;
    printed += cell.width;
    caretPlaced = true;
  }
  if (!caretPlaced)
    shift = at - printed;
  out.caretColumn = beginColumn - shift;
  unsigned width = endColumn > beginColumn ? endColumn - beginColumn : 1;
  unsigned room = printed > out.caretColumn ? printed - out.caretColumn : 1;
  out.caretWidth = std::max(1u, std::min(width, room));
  if (cutBack)
    out.text += "...";
  return out;
}

class Printer {
public:
  Printer(const SourceManager &sources, raw_ostream &os, bool color)
      : sources(sources), os(os), color(color) {}

  void print(SourceRange range, Severity severity, StringRef message) {
    paint(kBold);
    SourceManager::LineColumn begin;
    if (range.isValid()) {
      begin = sources.getLineColumn(range.begin);
      os << sources.getName(range.begin.file) << ':' << begin.line << ':' << begin.column << ": ";
    }
    paint(kReset);
    switch (severity) {
    case Severity::Error:
      paint(kRed);
      os << "error: ";
      break;
    case Severity::Warning:
      paint(kMagenta);
      os << "warning: ";
      break;
    case Severity::Note:
      paint(kCyan);
      os << "note: ";
      break;
    }
    paint(kReset);
    paint(kBold);
    os << message;
    paint(kReset);
    os << '\n';
    if (range.isValid())
      printSourceLine(os, sources, range, color);
  }

private:
  void paint(StringRef code) {
    if (color)
      os << code;
  }

  const SourceManager &sources;
  raw_ostream &os;
  bool color;
};

} // namespace

void printSourceLine(raw_ostream &os, const SourceManager &sources, SourceRange range, bool color) {
  SourceManager::LineColumn begin = sources.getLineColumn(range.begin);
  StringRef line = sources.getLine(range.begin.file, begin.line);
  size_t first = begin.column - 1;
  size_t last = first;
  if (range.end > range.begin.offset)
    last = std::min<size_t>(line.size(), first + (range.end - range.begin.offset));
  Excerpt excerpt = makeExcerpt(line, first, last);
  if (StringRef(excerpt.text).trim(' ').empty())
    return;
  os << "    " << excerpt.text << '\n';
  os.indent(4 + excerpt.caretColumn);
  if (color)
    os << kGreen;
  os << '^' << std::string(excerpt.caretWidth - 1, '~');
  if (color)
    os << kReset;
  os << '\n';
}

void DiagnosticEngine::print(raw_ostream &os, bool color) const {
  Printer printer(sources, os, color);
  for (const Diagnostic &d : diagnostics) {
    printer.print(d.range, d.severity, d.message);
    for (const Note &note : d.notes)
      printer.print(note.range, Severity::Note, note.message);
  }
}

} // namespace tilerun
