// One op's rules for axis information, by kinds of ops: those that make and rearrange tensors
// (AxisShapes.cpp), and arithmetic (AxisTransfer.cpp). See AxisInfo.h for what the facts mean.
#pragma once

#include "ir/analysis/AxisInfo.h"
#include "ir/tile/TileOps.h"

namespace tilerun::axis {

constexpr int64_t kMax = AxisInfo::kMaxDivisibility;

inline int64_t multiply(int64_t a, int64_t b) {
  int log = llvm::Log2_64(a) + llvm::Log2_64(b);
  return log >= 62 ? kMax : int64_t(1) << log;
}

inline unsigned widthOf(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(element))
    return integer.getWidth();
  return 64;
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  static constexpr int64_t one = 1;
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getRank() != 0 ? tensor.getShape() : llvm::ArrayRef<int64_t>(one);
}

inline int64_t fullRun(mlir::Type type, unsigned dim) {
  int64_t size = shapeOf(type)[dim];
  return size & -size;
}

/// One transfer: the op, its operands' facts, and the answer about signs.
class AxisTransfer {
public:
  AxisTransfer(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands,
               llvm::function_ref<bool(unsigned)> knowsNonNegative, AxisAssumption assumption)
      : op(op), operands(operands), knowsNonNegative(knowsNonNegative), assumption(assumption) {}

  AxisInfo run();

private:
  /// Nothing is known but that equal operands give equal results.
  AxisInfo elementwise() const;
  AxisInfo withElementDivisibility(int64_t divisibility) const;

  AxisInfo constant(mlir::Attribute value) const;
  AxisInfo makeRange(tile::MakeRangeOp range) const;
  AxisInfo splat() const;
  AxisInfo broadcast() const;
  AxisInfo expandDims(unsigned axis) const;
  AxisInfo reshape(tile::ReshapeOp reshape) const;
  AxisInfo trans(llvm::ArrayRef<int32_t> order) const;
  AxisInfo joinOp() const;
  AxisInfo cat() const;
  AxisInfo add(const AxisInfo &a, const AxisInfo &b, bool rightRuns) const;
  AxisInfo addPtr() const;
  AxisInfo multiplication() const;
  AxisInfo division(int64_t divisor, bool truncates, bool isConstant) const;
  AxisInfo remainder(bool isUnsigned) const;
  AxisInfo shiftLeft() const;
  AxisInfo shiftRight() const;
  AxisInfo bitAnd() const;
  AxisInfo bitOr() const;
  AxisInfo compare(mlir::arith::CmpIPredicate predicate) const;
  AxisInfo select() const;
  AxisInfo extend(const AxisInfo &source, unsigned width) const;
  AxisInfo retype(const AxisInfo &source) const;
  AxisInfo hint(tile::HintOp hint) const;

  /// The length of aligned runs in which the left operand is `first | j` (so that nothing carries
  /// out of the low bits), the right operand does not change, and its low bits are zero too.
  int64_t alignedRun(unsigned dim, int64_t rightDivisibility) const {
    return std::min({a()[dim].contiguity, a()[dim].divisibility, b()[dim].constancy,
                     rightDivisibility, int64_t(1) << std::min(62u, widthOf(type()) - 1)});
  }

  bool isNonNegative(unsigned index) const {
    return assumption == AxisAssumption::PlainDividends ||
           assumption == AxisAssumption::PlainIndices || knowsNonNegative(index);
  }
  const AxisInfo &a() const { return operands[0]; }
  const AxisInfo &b() const { return operands[1]; }
  mlir::Type type() const { return op->getOperand(0).getType(); }
  mlir::Type resultType() const { return op->getResult(0).getType(); }
  unsigned rank() const { return shapeOf(resultType()).size(); }

  mlir::Operation *op;
  llvm::ArrayRef<AxisInfo> operands;
  llvm::function_ref<bool(unsigned)> knowsNonNegative;
  AxisAssumption assumption;
};

} // namespace tilerun::axis
