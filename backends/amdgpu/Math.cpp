// The hardware's units of mathematics, by which backends/llvm expands functions: about one unit in
// the last place, with subnormal operands and results as zeros. Accurate forms start from none of
// them, so that their bits are those of every other device; divisions, square roots, fused
// multiply-adds and roundings are LLVM's, which are exact.
#include "backends/amdgpu/Patterns.h"

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
