// The scales of a product's operands in registers, as matrix instructions take them.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// The scales of one operand of a scaled product: those of four steps in a word.
class DotScales {
public:
  /// Brings them to registers.
  mlir::LogicalResult place(LowerContext &c, tile::DotOp op, const distribute::DotPlan &plan,
                            bool isLeft);
  /// The word of a step and of a fragment, by its number among those of all rows (columns).
  mlir::Value word(unsigned fragment, unsigned step) const {
    return words[size_t(fragment) * llvm::divideCeil(steps, kBytes) + step / kBytes];
  }
  /// Which byte of that word it is.
  static int32_t byteOf(unsigned step) { return int32_t(step % kBytes); }

private:
  static constexpr unsigned kBytes = 4;
  unsigned steps = 1;
  Values words; ///< Of each fragment, all steps.
};

} // namespace tilerun::simt
