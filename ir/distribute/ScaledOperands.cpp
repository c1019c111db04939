// Operands of scaled products: `tl.dot_scaled` is a product of bfloat16 operands, each of them
// narrow elements times powers of two. Instructions that take scales want what these were computed
// from. Which function a chain of operations computes of a byte is found by trying all bytes, so
// that it does not matter how it is written.
#include "ir/distribute/Plans.h"
#include "ir/layout/TensorLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using target::MatrixElement;

static constexpr int64_t kScaleBlock = target::MatrixInstruction::kScaleBlock;
/// Of a chain that is looked at.
static constexpr unsigned kMaxDepth = 16;

//===----------------------------------------------------------------------===//
// What a chain computes
//===----------------------------------------------------------------------===//

/// The bits of an element of `value` where those of `leaf` have the bits `input`; nothing if
/// something else matters, too.
static std::optional<APInt> evaluate(Value value, Value leaf, const APInt &input,
                                     unsigned depth = 0) {
  if (value == leaf)
    return input;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return std::nullopt;
  if (DenseElementsAttr constant; matchPattern(value, m_Constant(&constant))) {
    if (!constant.isSplat())
      return std::nullopt;
    return isa<FloatType>(constant.getElementType())
               ? constant.getSplatValue<APFloat>().bitcastToAPInt()
               : constant.getSplatValue<APInt>();
  }
  SmallVector<APInt, 3> in;
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumResults() != 1)
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    std::optional<APInt> bits = evaluate(operand, leaf, input, depth + 1);
    if (!bits)
      return std::nullopt;
    in.push_back(*bits);
  }
  const unsigned width = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  auto shift = [&](APInt shifted) -> std::optional<APInt> {
    return in[1].ult(width) ? std::optional(std::move(shifted)) : std::nullopt;
  };
  return TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case([&](arith::ExtUIOp) { return in[0].zext(width); })
      .Case([&](arith::TruncIOp) { return in[0].trunc(width); })
      .Case([&](arith::BitcastOp) { return in[0]; })
      .Case([&](arith::AndIOp) { return in[0] & in[1]; })
      .Case([&](arith::OrIOp) { return in[0] | in[1]; })
      .Case([&](arith::XOrIOp) { return in[0] ^ in[1]; })
      .Case([&](arith::AddIOp) { return in[0] + in[1]; })
      .Case([&](arith::SubIOp) { return in[0] - in[1]; })
      .Case([&](arith::MulIOp) { return in[0] * in[1]; })
      .Case([&](arith::ShLIOp) { return shift(in[0].shl(in[1])); })
      .Case([&](arith::ShRUIOp) { return shift(in[0].lshr(in[1])); })
      .Case([&](arith::CmpIOp compare) {
        return APInt(1, arith::applyCmpPredicate(compare.getPredicate(), in[0], in[1]));
      })
      .Case([&](arith::SelectOp) { return in[0].isZero() ? in[2] : in[1]; })
      .Default(std::optional<APInt>());
}

/// The only value besides constants, of those that `isLeaf` or that no operation of arith computes,
/// that `value` is computed from; null if there are several.
static Value findLeaf(Value value, llvm::function_ref<bool(Value)> isLeaf) {
  Value leaf;
  SmallVector<std::pair<Value, unsigned>> work{{value, 0}};
  while (!work.empty()) {
    auto [next, depth] = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>())
      continue;
    if (isLeaf(next) || !op || !isa<arith::ArithDialect>(op->getDialect())) {
      if (leaf && leaf != next)
        return {};
      leaf = next;
      continue;
    }
    if (depth == kMaxDepth)
      return {};
    for (Value operand : op->getOperands())
      work.push_back({operand, depth + 1});
  }
  return leaf;
}

static bool isBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(8);
}

/// Whether `value` is `expected` of `leaf`, for all numbers of so many bits.
static bool computes(Value value, Value leaf, unsigned bits,
                     llvm::function_ref<bool(unsigned input, const APInt &output)> expected) {
  const unsigned width = getElementTypeOrSelf(leaf.getType()).getIntOrFloatBitWidth();
  for (unsigned input = 0; input < 1u << bits; ++input) {
    std::optional<APInt> output = evaluate(value, leaf, APInt(width, input));
    if (!output || !expected(input, *output))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The parts of an operand
//===----------------------------------------------------------------------===//

/// The bytes of scales that `factors` are, each for kScaleBlock neighbours of the last dimension.
static Value findScales(Value factors) {
  auto reshape = factors.getDefiningOp<tile::ReshapeOp>();
  auto broadcast = reshape ? reshape.getSource().getDefiningOp<tile::BroadcastOp>() : nullptr;
  auto expand = broadcast ? broadcast.getSource().getDefiningOp<tile::ExpandDimsOp>() : nullptr;
  if (!expand || reshape.getAllowReorder())
    return {};
  auto shape = cast<RankedTensorType>(expand.getSource().getType()).getShape();
  if (shape.size() != 2 ||
      cast<RankedTensorType>(broadcast.getType()).getShape() !=
          ArrayRef<int64_t>({shape[0], shape[1], kScaleBlock}) ||
      cast<RankedTensorType>(reshape.getType()).getShape() !=
          ArrayRef<int64_t>({shape[0], shape[1] * kScaleBlock}))
    return {};
  Value leaf = findLeaf(expand.getSource(), isBytes);
  if (!leaf || !isBytes(leaf) || cast<RankedTensorType>(leaf.getType()).getShape() != shape)
    return {};
  // E8M0 as a float32. All ones are not a number; with fast mathematics they may be anything.
  auto isPower = [](unsigned input, const APInt &output) {
    if (input == 255)
      return output.uge(0x7f800000);
    return output == (input ? uint64_t(input) << 23 : uint64_t(1) << 22);
  };
  return computes(expand.getSource(), leaf, 8, isPower) ? leaf : Value();
}

/// The pairs of 4-bit floats that `values`, as bfloat16, are.
static Value findPairs(Value values) {
  static constexpr uint16_t kValues[] = {0, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4040, 0x4080, 0x40c0};
  if (!getElementTypeOrSelf(values.getType()).isBF16())
    return {};
  Value codes = findLeaf(values, [](Value) { return false; });
  auto reshape = codes ? codes.getDefiningOp<tile::ReshapeOp>() : nullptr;
  auto join = reshape ? reshape.getSource().getDefiningOp<tile::JoinOp>() : nullptr;
  auto isValue = [](unsigned input, const APInt &output) {
    return output == (kValues[input & 7] | (input & 8) << 12);
  };
  if (!join || reshape.getAllowReorder() || !computes(values, codes, 4, isValue))
    return {};
  Value pairs = findLeaf(join.getLhs(), isBytes);
  if (!pairs || !isBytes(pairs) || findLeaf(join.getRhs(), isBytes) != pairs)
    return {};
  auto shape = cast<RankedTensorType>(pairs.getType()).getShape();
  if (shape.size() != 2 || cast<RankedTensorType>(reshape.getType()).getShape() !=
                               ArrayRef<int64_t>({shape[0], shape[1] * 2}))
    return {};
  bool isInOrder =
      computes(join.getLhs(), pairs, 8,
               [](unsigned input, const APInt &output) { return output == (input & 15); }) &&
      computes(join.getRhs(), pairs, 8,
               [](unsigned input, const APInt &output) { return output == input >> 4; });
  return isInOrder ? pairs : Value();
}

std::optional<ScaledOperand> distribute::findScaled(Value operand, unsigned inner) {
  auto skipTrans = [](Value value, unsigned &inner) {
    while (auto trans = value.getDefiningOp<tile::TransOp>()) {
      inner = trans.getOrder()[inner];
      value = trans.getSource();
    }
    return value;
  };
  auto round = skipTrans(operand, inner).getDefiningOp<arith::TruncFOp>();
  auto product = round ? round.getIn().getDefiningOp<arith::MulFOp>() : nullptr;
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  // Blocks of a common scale are neighbours along the last dimension.
  if (!product || !type || type.getRank() != 2 || inner != 1 || !type.getElementType().isBF16())
    return std::nullopt;
  for (auto [values, factors] : {std::pair(product.getLhs(), product.getRhs()),
                                 std::pair(product.getRhs(), product.getLhs())}) {
    Value scales = findScales(factors);
    if (!scales)
      continue;
    ScaledOperand result{{}, scales, MatrixElement::E2M1, 1};
    if (auto cast = values.getDefiningOp<tile::FpCastOp>()) {
      Type element = getElementTypeOrSelf(cast.getSource().getType());
      if (!isa<Float8E4M3FNType, Float8E5M2Type>(element))
        continue;
      result.elements = cast.getSource();
      result.format = isa<Float8E5M2Type>(element) ? MatrixElement::E5M2 : MatrixElement::E4M3;
    } else if (auto widen = values.getDefiningOp<arith::ExtFOp>()) {
      result.elements = findPairs(widen.getIn());
    }
    if (!result.elements)
      continue;
    result.elements = skipTrans(result.elements, result.inner);
    return result;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What fragments are read from
//===----------------------------------------------------------------------===//

LinearLayout distribute::withoutRegisters(const LinearLayout &layout, unsigned start,
                                          unsigned count) {
  DimList ins;
  BitVectors bases;
  for (const Dim &in : layout.getIns()) {
    bool cut = in.name == kRegister;
    ins.emplace_back(in.name, in.bits - (cut ? count : 0));
    for (auto [bit, basis] : llvm::enumerate(layout.getBases(in.name)))
      if (!cut || bit < start || bit >= start + count)
        bases.push_back(basis);
  }
  return LinearLayout(ins, DimList(layout.getOuts()), bases);
}

/// From a layout of elements of 4 bits to that of their pairs along `inner`, in bytes.
static LinearLayout ofPairs(const LinearLayout &layout, unsigned inner) {
  LinearLayout pairs = withoutRegisters(layout, 0, 1);
  DimList outs;
  BitVectors bases;
  for (auto [dim, out] : llvm::enumerate(pairs.getOuts()))
    outs.emplace_back(out.name, out.bits - (dim == inner));
  for (const Dim &in : pairs.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      SmallVector<uint64_t, 2> image;
      for (auto [dim, out] : llvm::enumerate(pairs.getOuts()))
        image.push_back(pairs.getBasis(in.name, bit, out.name) >> (dim == inner));
      bases.push_back(LinearLayout::pack(outs, image));
    }
  return LinearLayout(DimList(pairs.getIns()), outs, bases);
}

DotSource distribute::getSource(tile::DotOp op, const DotPlan &plan, bool isLeft) {
  const target::MatrixInstruction &row = *plan.instruction;
  Value operand = isLeft ? op.getA() : op.getB();
  unsigned rank = cast<RankedTensorType>(operand.getType()).getRank();
  DotSource source{operand, isLeft ? plan.a : plan.b, isLeft ? row.aLayout : row.bLayout,
                   rank - (isLeft ? 1 : 2)};
  if (!row.isScaled)
    return source;
  // The plan is there because of it.
  const ScaledOperand scaled = *findScaled(operand, source.inner);
  source.value = scaled.elements;
  if (scaled.format == MatrixElement::E2M1) {
    source.layout = ofPairs(source.layout, source.inner);
    source.fragment = ofPairs(source.fragment, source.inner);
  }
  if (scaled.inner != source.inner) {
    source.layout = transposeDims(source.layout, {1, 0});
    source.fragment = transposeDims(source.fragment, {1, 0});
    source.inner = scaled.inner;
  }
  return source;
}
