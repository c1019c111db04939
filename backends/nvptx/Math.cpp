// The hardware's units of mathematics, by which backends/llvm expands functions.
#include "backends/nvptx/Patterns.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;
using llvmbackend::MathUnits;

static MathUnits::Unary unit(StringRef intrinsic) {
  return [name = ("llvm.nvvm." + intrinsic).str()](OpBuilder &b, Location loc, Value x) {
    return callIntrinsic(b, loc, b.getF32Type(), name, x);
  };
}

MathUnits nvptx::getMathUnits(const Architecture &arch) {
  MathUnits units;
  units.sin = unit("sin.approx.f");
  units.cos = unit("cos.approx.f");
  units.exp2 = unit("ex2.approx");
  // Results below 2^-126 become 0: keeping them would take three more instructions.
  units.exp2Normal = unit("ex2.approx.ftz");
  units.log2 = unit("lg2.approx.f");
  units.sqrt = unit("sqrt.approx.ftz.f");
  units.rsqrt = unit("rsqrt.approx.ftz.f");
  units.tanh = [](OpBuilder &b, Location loc, Value x) {
    return inlinePtx(b, loc, {b.getF32Type()}, x, "tanh.approx.f32 $0, $1;", "=f,f", false)[0];
  };
  units.divide = [](OpBuilder &b, Location loc, Value x, Value y) {
    return callIntrinsic(b, loc, b.getF32Type(), "llvm.nvvm.div.full", {x, y});
  };
  mathx::Estimates &estimates = units.estimates;
  estimates.exp2 = llvmbackend::onElements(units.exp2Normal);
  estimates.exp2Whole = llvmbackend::onElements(units.exp2);
  estimates.log2 = llvmbackend::onElements(unit("lg2.approx.ftz.f"));
  estimates.reciprocal = llvmbackend::onElements(unit("rcp.approx.ftz.f"));
  estimates.sqrt = llvmbackend::onElements(units.sqrt);
  // Keeps subnormal arguments.
  estimates.rsqrt = llvmbackend::onElements(unit("rsqrt.approx.f"));
  estimates.hasMinimum = arch.number >= 80;
  return units;
}
