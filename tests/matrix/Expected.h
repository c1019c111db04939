// Cells that are known to fail, and whether recorded results agree with that list.
//
// *Unsupported* is a target's lack, which the compiler names; it is not a defect and is never
// listed. An *expected failure* is a defect with a reason: it is listed until it is repaired, and
// fails the run as an *unexpected pass* from then on.
#pragma once

#include "tests/matrix/Results.h"

namespace tilerun::matrix {

/// Sections "[DEVICE]" of lines "CELL: reason", both globs. A section is about the devices whose
/// description matches ("NVIDIA H200, vulkan:1.3,…"), or the targets where cells are only compiled.
class ExpectedFailures {
public:
  /// The error's text if the file cannot be read.
  std::string read(const std::string &path);
  /// The same for a file's text; `path` is for messages.
  std::string parse(llvm::StringRef text, llvm::StringRef path);
  /// The reason, if the cell is listed for that device.
  std::optional<std::string> find(llvm::StringRef device, llvm::StringRef id) const;
  /// Turns failures into expected ones, and passes into unexpected ones.
  void apply(llvm::StringRef device, llvm::StringRef id, Result &result) const;

  /// Applies the list as it is now to recorded results, whose own list may have been another: a
  /// failed cell becomes an expected failure with the list's reason, or a failure. Returns where
  /// results and list contradict each other: failures that are not listed; listed cells that pass,
  /// are unsupported, or do not occur.
  std::vector<std::string> judge(llvm::MutableArrayRef<Results> columns) const;

private:
  struct Line {
    std::string device, cell, reason, place; ///< `place`: of the line, for messages.
    bool matches(llvm::StringRef device, llvm::StringRef id) const;
  };
  std::vector<Line> lines;
};

} // namespace tilerun::matrix
