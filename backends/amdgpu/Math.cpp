// The hardware's units of mathematics, by which backends/llvm expands functions: about one unit in
// the last place, with subnormal operands and results as zeros. Accurate forms start from none of
// them, so that their bits are those of every other device; divisions, square roots, fused
// multiply-adds and roundings are LLVM's, which are exact but for one case of division.
#include "backends/amdgpu/Math.h"
#include "backends/amdgpu/Patterns.h"
#include "ir/math/Expansions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;
using llvmbackend::MathUnits;

static MathUnits::Unary unit(StringRef intrinsic) {
  return [name = ("llvm.amdgcn." + intrinsic).str()](OpBuilder &b, Location loc, Value x) {
    return callIntrinsic(b, loc, b.getF32Type(), name, x);
  };
}

/// The units of sine and cosine take full turns; only what a number has beyond whole turns matters.
static MathUnits::Unary ofTurns(StringRef intrinsic) {
  return [function = unit(intrinsic)](OpBuilder &b, Location loc, Value x) {
    Type f32 = b.getF32Type();
    constexpr float turnsPerRadian = 0.15915494309189535f;
    Value factor = LLVM::ConstantOp::create(b, loc, f32, b.getF32FloatAttr(turnsPerRadian));
    Value turns = LLVM::FMulOp::create(b, loc, x, factor);
    return function(b, loc, callIntrinsic(b, loc, f32, "llvm.amdgcn.fract", turns));
  };
}

/// The quotient `op` of float64, corrected where the divisor is normal and all ones: |y| = 2^(k+1)
/// - 2^(k-52). LLVM refines its estimate of 1 / y by Newton's steps, which then end at the power of
/// two below it whatever they start from (Markstein's exception: "Computation of elementary
/// functions on the IBM RISC System/6000 processor", 1990), and so does the quotient of a power of
/// two; it is the next number. A quotient by such a y is a power of two otherwise only where x is
/// all ones, too.
static void correctQuotient(arith::DivFOp op) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  Type type = op.getType(), integers = b.getI64Type();
  if (auto vector = dyn_cast<VectorType>(type))
    integers = vector.clone(integers);
  auto constant = [&](uint64_t value) -> Value {
    TypedAttr attribute = b.getI64IntegerAttr(int64_t(value));
    if (auto vector = dyn_cast<VectorType>(integers))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  auto bits = [&](Value x) -> Value { return arith::BitcastOp::create(b, loc, integers, x); };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  auto both = [&](Value x, Value y) -> Value { return arith::AndIOp::create(b, loc, x, y); };
  using P = arith::CmpIPredicate;
  Value ones = constant((uint64_t(1) << 52) - 1), quotient = bits(op.getResult());
  // Normal: the largest subnormal number has these bits, too, and no more.
  Value divisor = bits(op.getRhs());
  Value isDivisor = both(compare(P::eq, both(divisor, ones), ones),
                         compare(P::ugt, arith::ShLIOp::create(b, loc, divisor, constant(1)),
                                 constant(uint64_t(1) << 53)));
  Value isShort = compare(P::ne, both(bits(op.getLhs()), ones), ones);
  // A normal power of two: less the smallest one's exponent it stays below infinity's.
  Value magnitude = both(quotient, constant(~(uint64_t(1) << 63)));
  Value offset = arith::SubIOp::create(b, loc, magnitude, constant(uint64_t(1) << 52));
  Value isNormal = compare(P::ult, offset, constant(uint64_t(0x7fe) << 52));
  Value isPower = compare(P::eq, both(quotient, ones), constant(0));
  Value isOff = both(both(isDivisor, isShort), both(isNormal, isPower));
  Value step = arith::ExtUIOp::create(b, loc, integers, isOff);
  Value next = arith::AddIOp::create(b, loc, quotient, step);
  Value corrected = arith::BitcastOp::create(b, loc, type, next);
  op.getResult().replaceUsesWithIf(
      corrected, [&](OpOperand &use) { return use.getOwner() != quotient.getDefiningOp(); });
}

LogicalResult amdgpu::roundNarrowOnce(func::FuncOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  mathx::ExpansionOptions options;
  options.fmaBFloat16 = mathx::ExpansionOptions::Fma::ThroughFloat64;
  mathx::populateNarrowMultiplyAdd(patterns, options);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(kernel, std::move(patterns), config);
}

void amdgpu::correctQuotients(func::FuncOp kernel) {
  SmallVector<arith::DivFOp> quotients;
  kernel.walk([&](arith::DivFOp op) {
    if (getElementTypeOrSelf(op.getType()).isF64() &&
        !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
      quotients.push_back(op);
  });
  llvm::for_each(quotients, correctQuotient);
}

MathUnits amdgpu::getMathUnits(const Architecture &arch) {
  MathUnits units;
  units.sin = ofTurns("sin");
  units.cos = ofTurns("cos");
  units.exp2 = units.exp2Normal = unit("exp2");
  units.log2 = unit("log");
  units.sqrt = unit("sqrt");
  units.rsqrt = unit("rsq");
  units.divide = [](OpBuilder &b, Location loc, Value x, Value y) {
    return callIntrinsic(b, loc, b.getF32Type(), "llvm.amdgcn.fdiv.fast", {x, y});
  };
  units.estimates.hasMinimum = arch.hasMinimum();
  return units;
}
