// Access facts from the axis analysis, which distribution itself does not depend on.
#pragma once

#include "ir/distribute/Plans.h"

namespace tilerun {
class AxisInfoMap;
}
namespace mlir {
class Operation;
}

namespace tilerun::distribute {
/// The axis analysis of a program, and what it says about accesses. Addresses are taken for what
/// they look like (AxisAssumption::PlainDividends); which elements a mask selects is exact for
/// every execution. The IR must not change while this is used.
class AccessAnalysis {
public:
  /// `fewPrograms`: facts may hold for launches of few programs alone (getMostPrograms).
  explicit AccessAnalysis(mlir::Operation *root, bool fewPrograms = false);
  ~AccessAnalysis();
  /// This must outlive the function.
  FactsFunction getFacts() const;
  /// Likewise; exact for every execution.
  RunsFunction getRuns() const;
  /// How many programs on each axis the facts are about, if that matters to any: 0: any number.
  llvm::ArrayRef<int32_t> getMostPrograms() const { return mostPrograms; }

private:
  void assumeFewPrograms(mlir::Operation *root);

  std::unique_ptr<AxisInfoMap> addresses;
  std::unique_ptr<AxisInfoMap> masks;         ///< Null: as `addresses`, because nothing is assumed.
  llvm::SmallVector<int32_t, 3> mostPrograms; ///< Empty: nothing is assumed.
};
} // namespace tilerun::distribute
