// How a product is spread over warps: which matrix instruction, and the layouts that follow.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/TensorLayout.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using simt::MatrixElement;

/// How an operand of this type enters a matrix instruction.
static std::optional<MatrixElement> operandElement(Type type, tile::InputPrecision precision) {
  if (type.isF16())
    return MatrixElement::F16;
  if (type.isBF16())
    return MatrixElement::BF16;
  if (type.isF64())
    return MatrixElement::F64;
  if (type.isInteger(8))
    return MatrixElement::I8;
  if (type.isF32() && precision == tile::InputPrecision::TF32)
    return MatrixElement::TF32;
  if (isa<Float8E4M3FNType>(type))
    return MatrixElement::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MatrixElement::E5M2;
  return std::nullopt;
}

static MatrixElement accumulatorElement(Type type) {
  if (type.isInteger(32))
    return MatrixElement::I32;
  if (type.isF64())
    return MatrixElement::F64;
  return MatrixElement::F32; // f16 accumulators are widened around the product
}

/// Whether rows of the product should stay inside a warp: it is reduced, or feeds another product.
static bool staysInRows(tile::DotOp op) {
  ForwardSliceOptions sliceOptions;
  Block *block = op->getBlock();
  sliceOptions.filter = [&](Operation *user) { return user->getBlock() == block; };
  SetVector<Operation *> slice;
  getForwardSlice(op.getOperation(), &slice, sliceOptions);
  return llvm::any_of(
      slice, [](Operation *user) { return isa<tile::ReduceOp>(user) || isa<tile::DotOp>(user); });
}

/// fragment × (free warps, warps along `dim`) × registers along k, then along `dim`, in the shape.
static LinearLayout operandLayout(const LinearLayout &fragment, unsigned outerDim,
                                  ArrayRef<int64_t> shape, unsigned innerWarpBits,
                                  unsigned outerWarpBits, bool outerIsHigh) {
  std::string outer = dimName(outerDim), inner = dimName(1 - outerDim);
  LinearLayout result = fragment;
  auto spread = LinearLayout::identity1D(outerWarpBits, kWarp, outer);
  auto repeat = LinearLayout::zeros1D(innerWarpBits, kWarp, outer);
  result = outerIsHigh ? result * repeat * spread : result * spread * repeat;
  SmallVector<unsigned, 4> bits = shapeBits(shape);
  for (auto [name, want] : {std::pair(inner, bits[1 - outerDim]), std::pair(outer, bits[outerDim])})
    if (want > result.outBits(name))
      result = result * LinearLayout::identity1D(want - result.outBits(name), kRegister, name);
  for (unsigned i = 0; i < 2; ++i)
    if (bits[i] < result.outBits(dimName(i)))
      result = result.resizeOut(dimName(i), bits[i]);
  return result;
}

DotPlan distribute::planDot(tile::DotOp op, const Options &options) {
  DotPlan plan;
  auto type = cast<RankedTensorType>(op.getType());
  auto aType = cast<RankedTensorType>(op.getA().getType());
  auto bType = cast<RankedTensorType>(op.getB().getType());
  unsigned warpBits = llvm::Log2_32(options.numWarps);
  auto a = operandElement(aType.getElementType(), op.getPrecision());
  auto b = operandElement(bType.getElementType(), op.getPrecision());
  MatrixElement acc = accumulatorElement(type.getElementType());
  int64_t inner = aType.getShape().back();
  if (type.getRank() == 2 && a && b)
    for (const simt::MatrixInstruction &row : options.target->matrixInstructions)
      if (row.a == *a && row.b == *b && row.acc == acc && inner >= row.k &&
          (!plan.instruction || row.k > plan.instruction->k))
        plan.instruction = &row;

  if (!plan.instruction)
    return plan; // the caller chooses a blocked layout
  const simt::MatrixInstruction &row = *plan.instruction;
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  unsigned rowBits = 0, columnBits = 0;
  bool byRows = staysInRows(op);
  while (rowBits + columnBits < warpBits) {
    bool rowsFit = (int64_t(row.m) << (rowBits + 1)) <= m;
    bool columnsFit = (int64_t(row.n) << (columnBits + 1)) <= n;
    if (rowsFit && (byRows || !columnsFit || (m >> rowBits) >= (n >> columnBits)))
      ++rowBits;
    else if (columnsFit)
      ++columnBits;
    else
      break;
  }
  unsigned spare = warpBits - rowBits - columnBits; // these warps repeat others' work
  auto finish = [&](LinearLayout layout) {
    if (spare)
      layout = layout.resizeIn(kWarp, warpBits);
    return normalize(layout, llvm::Log2_32(options.target->warpSize), warpBits);
  };
  // Warp numbers run along columns first.
  plan.a = finish(operandLayout(row.aLayout, 0, aType.getShape(), columnBits, rowBits, true));
  plan.b = finish(operandLayout(row.bLayout, 1, bType.getShape(), rowBits, columnBits, false));
  LinearLayout d = row.dLayout * LinearLayout::identity1D(columnBits, kWarp, dimName(1)) *
                   LinearLayout::identity1D(rowBits, kWarp, dimName(0));
  SmallVector<unsigned, 4> bits = shapeBits(type.getShape());
  for (unsigned i : {1u, 0u})
    if (bits[i] > d.outBits(dimName(i)))
      d = d * LinearLayout::identity1D(bits[i] - d.outBits(dimName(i)), kRegister, dimName(i));
  for (unsigned i : {1u, 0u})
    if (bits[i] < d.outBits(dimName(i)))
      d = d.resizeOut(dimName(i), bits[i]);
  plan.d = finish(d);
  return plan;
}
