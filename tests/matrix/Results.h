// Results of one run as a file: its device and options, and every verdict.
#pragma once

#include "tests/matrix/Runner.h"

namespace tilerun::matrix {

struct CellResult {
  std::string group, op, dtype, id;
  Verdict verdict = Verdict::Pass;
  std::string text;
};

struct Results {
  std::string column;      ///< Heading on the page: "cpu", "cuda:sm_90".
  std::string description; ///< "NVIDIA H200, cuda:sm_90a"
  std::string date;        ///< "2026-11-21"
  std::string machine;     ///< As given on the command line.
  bool compileOnly = false;
  uint64_t seed = 0;
  /// Cells that ran again, after the date above: how many on which later date.
  std::vector<std::pair<std::string, size_t>> updates;
  std::vector<CellResult> cells;
};

/// JSON, one function a line.
std::string formatResults(const Results &results);
/// The error's text if it is not.
std::string parseResults(llvm::StringRef text, Results &results);

/// Merges cells that ran again into those recorded before, and drops cells that the matrix no
/// longer has. The error's text if the two are not of the same device and seed.
std::string updateResults(Results &recorded, const Results &again);

/// The page docs/backends.md.
std::string makePage(llvm::ArrayRef<Results> columns);

/// Functions of the language's table that no cell calls and no list excuses; and excuses that are
/// not needed. Empty if the matrix is complete.
std::vector<std::string> checkCoverage(const Cells &cells);

/// A function without a cell, and why.
struct Excuse {
  std::string name, reason;
};
std::vector<Excuse> getExcuses();

} // namespace tilerun::matrix
