// Products and sums that are never contracted: a composed function takes the error of a rounded
// product or sum (fma(a, b, -p) where p = a · b, or what a quotient's product leaves), and would
// count that error twice if a backend made one fma of the product and a later sum.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tilerun::mathx {

/// A unit attribute of arith.addf, subf and mulf, which keeps backends from contracting it.
inline constexpr llvm::StringLiteral kRoundedAttr{"rounded"};

inline bool isRounded(mlir::Operation *op) { return op->hasAttr(kRoundedAttr); }

/// While it lives, the products and sums that `b` inserts have the attribute.
class KeepRoundings : public mlir::OpBuilder::Listener {
public:
  explicit KeepRoundings(mlir::OpBuilder &b) : b(b), outer(b.getListener()) { b.setListener(this); }
  ~KeepRoundings() override { b.setListener(outer); }
  KeepRoundings(const KeepRoundings &) = delete;

  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint from) override {
    if (mlir::isa<mlir::arith::AddFOp, mlir::arith::SubFOp, mlir::arith::MulFOp>(op))
      op->setAttr(kRoundedAttr, b.getUnitAttr());
    if (outer)
      outer->notifyOperationInserted(op, from);
  }

private:
  mlir::OpBuilder &b;
  mlir::OpBuilder::Listener *outer;
};

} // namespace tilerun::mathx
