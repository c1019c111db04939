// Masks as conjunctions of bounds on a tile's indices.
#pragma once

#include "ir/analysis/AffineForm.h"

namespace tilerun::schedule {

/// A condition that must hold for an element to be true, of a mask that is a conjunction.
struct Condition {
  mlir::Value value;
  /// The mask's dimensions that those of `value` are.
  llvm::SmallVector<unsigned, 2> dims;
};

/// The conditions of `mask`; none of one that is true everywhere.
llvm::SmallVector<Condition> getConditions(mlir::Value mask);

/// The condition i + difference < 0 on the mask's index i along `dim`; or -i + difference < 0.
struct MaskBound {
  unsigned dim;
  bool isUpper;
  Polynomial difference;
};

/// The bound that a condition is; nullopt with the reason, as the end of a sentence about a mask
/// that "has" it, if it is none.
std::optional<MaskBound> getBound(const Condition &condition, AffineForms &forms,
                                  std::string &reason);

} // namespace tilerun::schedule
