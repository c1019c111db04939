// See Expected.h.
#include "tests/matrix/Expected.h"

#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilerun;
using namespace tilerun::matrix;
using llvm::StringRef;

bool ExpectedFailures::Line::matches(StringRef device, StringRef id) const {
  return matrix::matches(device, this->device) && matrix::matches(id, cell);
}

std::string ExpectedFailures::read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return "cannot read '" + path + "': " + buffer.getError().message();
  return parse((*buffer)->getBuffer(), path);
}

std::string ExpectedFailures::parse(StringRef text, StringRef path) {
  std::string device;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text);
  for (llvm::line_iterator it(*buffer, /*SkipBlanks=*/true, '#'); !it.is_at_end(); ++it) {
    std::string place = (path + ":" + llvm::Twine(it.line_number())).str();
    StringRef line = it->trim();
    if (line.consume_front("[") && line.consume_back("]")) {
      device = line.str();
      continue;
    }
    auto [cell, reason] = it->split(": ");
    if (reason.trim().empty())
      return place + ": neither '[DEVICE]' nor 'CELL: reason'";
    if (device.empty())
      return place + ": stands below no '[DEVICE]'";
    lines.push_back({device, cell.trim().str(), reason.trim().str(), std::move(place)});
  }
  return "";
}

std::optional<std::string> ExpectedFailures::find(StringRef device, StringRef id) const {
  for (const Line &line : lines)
    if (line.matches(device, id))
      return line.reason;
  return std::nullopt;
}

void ExpectedFailures::apply(StringRef device, StringRef id, Result &result) const {
  std::optional<std::string> reason = find(device, id);
  if (!reason)
    return;
  if (result.verdict == Verdict::Fail) {
    result.verdict = Verdict::ExpectedFailure;
    result.text = *reason + " (" + result.text + ")";
  } else if (result.verdict == Verdict::Pass) {
    result.verdict = Verdict::UnexpectedPass;
    result.text = "listed as an expected failure: " + *reason;
  }
}

std::vector<std::string> ExpectedFailures::judge(llvm::MutableArrayRef<Results> columns) const {
  std::vector<std::string> problems;
  std::vector<bool> isUsed(lines.size());
  for (Results &column : columns) {
    // Cells that are only compiled have no device; the column is the target.
    StringRef device = column.compileOnly ? column.column : column.description;
    for (CellResult &cell : column.cells) {
      // The verdict without the list that applied at the time.
      bool failed = cell.verdict == Verdict::Fail || cell.verdict == Verdict::ExpectedFailure;
      std::string where = column.column + ": '" + cell.id + "'";
      std::optional<size_t> listed;
      for (size_t i = 0; i < lines.size(); ++i)
        if (lines[i].matches(device, cell.id)) {
          isUsed[i] = true;
          listed = listed.value_or(i);
        }
      if (failed && listed) {
        cell.verdict = Verdict::ExpectedFailure;
        cell.text = lines[*listed].reason;
      } else if (failed) {
        cell.verdict = Verdict::Fail;
        problems.push_back(where + " fails and is not listed: " + cell.text);
      } else if (cell.verdict == Verdict::Unsupported) {
        if (listed)
          problems.push_back(lines[*listed].place + ": " + where +
                             " is unsupported, which is not listed: " + cell.text);
      } else {
        if (cell.verdict == Verdict::UnexpectedPass)
          cell.text.clear();
        cell.verdict = listed ? Verdict::UnexpectedPass : Verdict::Pass;
        if (listed)
          problems.push_back(lines[*listed].place + ": " + where +
                             " passes; it is not to be listed any more");
      }
    }
  }
  for (size_t i = 0; i < lines.size(); ++i)
    if (!isUsed[i])
      problems.push_back(lines[i].place + ": no recorded result is of a cell '" + lines[i].cell +
                         "' on '" + lines[i].device + "'");
  return problems;
}
