// Reader of the tables in this folder; record.py describes their form.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <string>
#include <vector>

namespace tilerun::test {

struct RecordedCell {
  std::string row;      ///< Heading of the row; empty in a table of one operand.
  std::string column;   ///< Heading of the column.
  std::string expected; ///< A dtype, or "-" where the expression is rejected.
};
/// Cells by expression, in the order of the file.
using RecordedTable = std::map<std::string, std::vector<RecordedCell>>;

/// Empty if the file cannot be read. Cells that were not recorded are left out.
inline RecordedTable readRecordedTable(llvm::StringRef file) {
  RecordedTable out;
  auto buffer = llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/tests/frontend/recorded/" + file);
  if (!buffer)
    return out;
  std::string expression;
  llvm::SmallVector<llvm::StringRef> lines, columns;
  (*buffer)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (line.starts_with("#") || line.trim().empty())
      continue;
    if (line.consume_front("expr ")) {
      expression = line.trim().str();
      columns.clear();
      continue;
    }
    llvm::SmallVector<llvm::StringRef> cells;
    line.split(cells, ' ', -1, /*KeepEmpty=*/false);
    if (columns.empty()) {
      columns.assign(cells.begin() + 1, cells.end());
      continue;
    }
    bool hasRow = cells.size() == columns.size() + 1;
    for (size_t i = 0; i < columns.size() && i + hasRow < cells.size(); ++i)
      if (cells[i + hasRow] != ".")
        out[expression].push_back(
            {hasRow ? cells[0].str() : "", columns[i].str(), cells[i + hasRow].str()});
  }
  return out;
}

} // namespace tilerun::test
