// Picks an elementwise function and puts the conversions of narrow floats around it.
#include "backends/interpreter/KernelBuilder.h"

#include "backends/interpreter/SmallFloat.h"
#include "ir/tile/TileOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

/// Converts a float; every pair of types, rounded once. Without a function where the types are
/// equal.
static Kernel buildFloatCast(Dtype from, Dtype to, Narrowing mode) {
  Kernel kernel;
  if (from == to)
    return kernel;
  if (from == Dtype::F64) {
    if (to == Dtype::F32 && !mode.towardZero)
      kernel.fn = findFloatOp("arith.truncf", Dtype::F64);
    else
      kernel.convertOut[0] = getFromDouble(to, mode);
  } else if (to == Dtype::F64) {
    if (from == Dtype::F32)
      kernel.fn = findFloatOp("arith.extf", Dtype::F32);
    else
      kernel.convertIn[0] = getToDouble(from);
  } else {
    kernel.convertIn[0] = getToFloat(from);
    if (to != Dtype::F32)
      kernel.convertOut[0] = getFromFloat(to, mode);
  }
  return kernel;
}

/// Operands narrower than float32 are converted to it; so are results from it.
static Kernel withConversions(ElementFn fn, llvm::ArrayRef<Dtype> operands,
                              llvm::ArrayRef<Dtype> results) {
  Kernel kernel;
  kernel.fn = fn;
  if (!fn)
    return kernel;
  for (auto [i, type] : llvm::enumerate(operands))
    kernel.convertIn[i] = getToFloat(type);
  for (auto [i, type] : llvm::enumerate(results))
    kernel.convertOut[i] = getFromFloat(type);
  return kernel;
}

static Kernel buildIntToFloat(bool isSigned, Dtype from, Dtype to) {
  if (!isSmallFloat(to))
    return withConversions(findIntToFloat(isSigned, from, to, false), {}, {});
  Kernel kernel;
  kernel.fn = findIntToFloat(isSigned, from, Dtype::F64, true);
  kernel.convertOut[0] = getFromDouble(to, {});
  return kernel;
}

static std::string qualifiedName(Operation &op) {
  std::string name = op.getName().getStringRef().str();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return name + "." + stringifyCmpIPredicate(compare.getPredicate()).str();
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return name + "." + stringifyCmpFPredicate(compare.getPredicate()).str();
  return name;
}

static Kernel pickFunction(Operation &op, llvm::ArrayRef<Dtype> operands,
                           llvm::ArrayRef<Dtype> results) {
  const Dtype from = operands[0], to = results[0];
  if (isa<arith::SelectOp>(op)) {
    Kernel kernel;
    kernel.fn = getSelect(sizeOf(to));
    return kernel;
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return buildIntToFloat(isa<arith::SIToFPOp>(op), from, to);
  const Dtype wide =
      from == Dtype::F64 ? Dtype::F64 : Dtype::F32; // The type in which floats compute.
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return withConversions(findFloatToInt(isa<arith::FPToSIOp>(op), wide, to), operands, results);
  if (isa<arith::ExtFOp>(op))
    return buildFloatCast(from, to, {});
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    const auto mode = truncate.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
    if (mode != arith::RoundingMode::to_nearest_even && mode != arith::RoundingMode::toward_zero)
      return {};
    return buildFloatCast(from, to, {mode == arith::RoundingMode::toward_zero, false});
  }
  if (auto cast = dyn_cast<tile::FpCastOp>(op))
    return buildFloatCast(from, to,
                          {cast.getRounding() == tile::RoundingMode::TowardZero, sizeOf(to) == 1});

  const std::string name = qualifiedName(op);
  if (isInteger(from) && isInteger(to)) {
    Kernel kernel;
    kernel.fn = findIntegerCast(name, from, to);
    if (!kernel.fn)
      kernel.fn = findIntegerOp(name, from);
    return kernel;
  }
  if (!isFloat(from))
    return {};
  if (isa<math::FmaOp>(op) && isSmallFloat(from)) {
    // float32 has too few digits to round a narrow a·b + c twice.
    Kernel kernel;
    kernel.fn = getOddFma();
    for (unsigned i = 0; i < 3; ++i)
      kernel.convertIn[i] = getToDouble(from);
    kernel.convertOut[0] = getFromDouble(to, {});
    return kernel;
  }
  if (isa<math::IsNormalOp>(op) && isSmallFloat(from)) {
    Kernel kernel;
    kernel.fn = getIsNormal(from);
    return kernel;
  }
  if (isa<math::FPowIOp>(op))
    return withConversions(findFloatPower(wide, operands[1]), operands, results);
  ElementFn fn = findFloatOp(name, wide);
  if (!fn)
    fn = findMathOp(name, wide);
  return withConversions(fn, operands, results);
}

Kernel interp::buildKernel(Operation &op, llvm::ArrayRef<Dtype> operands,
                           llvm::ArrayRef<Dtype> results) {
  if (operands.empty() || operands.size() > kMaxElementOperands || results.empty() ||
      results.size() > kMaxElementResults || op.getNumRegions() != 0)
    return {};
  Kernel kernel = pickFunction(op, operands, results);
  if (!kernel.fn && !kernel.convertIn[0] && !kernel.convertOut[0])
    return {};
  kernel.numOperands = operands.size();
  kernel.numResults = results.size();
  for (auto [i, type] : llvm::enumerate(operands))
    kernel.sizeIn[i] = sizeOf(type);
  for (auto [i, type] : llvm::enumerate(results))
    kernel.sizeOut[i] = sizeOf(type);
  return kernel;
}
