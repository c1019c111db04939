// e^x and 2^x of float32 in their fast forms, where the device's own instruction is not known to be
// good enough. The accurate forms rely on fma, which such devices emulate at some 20 operations
// each; these are products and sums alone, some 25 operations in all.
#include "backends/spirv/Patterns.h"
#include "ir/math/Functions.h"
#include "ir/simt/Scalarize.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::mathx;

/// The integer nearest to x · factor, or its neighbour where the product is near a tie.
static Rounded roundPlainProduct(Real x, double factor) {
  Real magic = x.c->real(0x1.8p23), shifted = x * factor + magic;
  return {shifted - magic, bits(shifted) - bits(magic)};
}

/// 2^k e^r for |r| <= ln 2 / 2, scaled in two steps so that a normal result is not rounded again.
static Real powerOfReduced(Real r, Int k) {
  Calculator &c = *r.c;
  Real tail = c.real(kExpSingle[std::size(kExpSingle) - 1]);
  for (double coefficient : llvm::reverse(ArrayRef(kExpSingle).drop_back()))
    tail = tail * r + coefficient;
  return scale(1.0 + (r + r * r * tail), k);
}

/// Beyond these bounds results are 0 and infinity; a NaN stays one.
static Real plainExp(Real x) {
  Calculator &c = *x.c;
  Real limited = clamp(x, -105, 90);
  Rounded k = roundPlainProduct(limited, kLog2E.a);
  // The product with the first part is exact, so is the difference (Cody and Waite).
  auto ln2 = c.split(kLn2, c.shortBits());
  Real r = limited - k.real * ln2.a - k.real * ln2.b;
  return powerOfReduced(r, k.integer);
}

static Real plainExp2(Real x) {
  Real limited = clamp(x, -152, 129);
  Rounded k = roundProduct(limited, 1);
  return powerOfReduced((limited - k.real) * kLn2.a, k.integer);
}

namespace {
template <typename Op> struct PlainExponential : OpRewritePattern<Op> {
  using Function = Real (*)(Real);
  PlainExponential(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context, PatternBenefit(spirvbackend::kFastBenefit)),
        function(function) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!spirvbackend::isFast(op.getFastmath()) || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    // Element by element, so that few intermediate results are alive at a time.
    rewriter.replaceOp(
        op, simt::mapElements(rewriter, loc, op.getType(), op->getOperands(), [&](ValueRange x) {
          Calculator c(rewriter, loc, x[0].getType());
          return function(c.real(x[0])).v;
        }));
    return success();
  }
  Function function;
};
} // namespace

void spirvbackend::populatePlainExponentials(RewritePatternSet &patterns) {
  patterns.add<PlainExponential<math::ExpOp>>(patterns.getContext(), plainExp);
  patterns.add<PlainExponential<math::Exp2Op>>(patterns.getContext(), plainExp2);
}
