// Products by matrix instructions: operands as fragments, in the precision that was asked for.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

void Lowering::lowerDot(tile::DotOp op) {
  const DotPlan &plan = layouts.getDot(op);
  Value result = plan.warpGroup     ? dotByWarpGroups(op, plan)
                 : plan.instruction ? dotByInstruction(op, plan)
                                    : dotByMultiplyAdd(op, plan);
  set(op.getResult(), convert(result, plan.d, *layouts.getHome(op.getResult())));
}

/// The float type of an instruction's operand; null: integers, which are as they are.
static Type floatType(MatrixElement element, MLIRContext *context) {
  switch (element) {
  case MatrixElement::F16:
    return Float16Type::get(context);
  case MatrixElement::BF16:
    return BFloat16Type::get(context);
  case MatrixElement::TF32:
    return FloatTF32Type::get(context);
  case MatrixElement::F32:
    return Float32Type::get(context);
  case MatrixElement::F64:
    return Float64Type::get(context);
  case MatrixElement::E4M3:
    return Float8E4M3FNType::get(context);
  case MatrixElement::E5M2:
    return Float8E5M2Type::get(context);
  case MatrixElement::I8:
  case MatrixElement::I32:
    return {};
  }
  return {};
}

Values Lowering::dotOperand(Value operand, const LinearLayout &layout, MatrixElement element,
                            unsigned parts, const LinearLayout &fragment, unsigned innerDim) {
  Value vector = get(operand, layout);
  auto type = cast<RankedTensorType>(operand.getType());
  Type source = type.getElementType(), target = floatType(element, b.getContext());

  // What a fragment has beyond the end of k repeats other elements: zeros in their place.
  uint64_t innerSize = type.getDimSize(innerDim + type.getRank() - 2);
  std::string inner = dimName(innerDim);
  if (fragment.outBits(inner) > llvm::Log2_64(innerSize)) {
    auto beyond = [&](StringRef in) {
      uint64_t mask = 0;
      for (unsigned bit = 0; bit < fragment.inBits(in); ++bit)
        if (fragment.getBasis(in, bit, inner) >= innerSize)
          mask |= uint64_t(1) << bit;
      return mask;
    };
    auto vectorType = cast<VectorType>(vector.getType());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
    uint64_t registers = beyond(kRegister), lanes = beyond(kLane);
    SmallVector<int64_t> indices;
    for (int64_t reg = 0; reg < vectorType.getNumElements(); ++reg)
      indices.push_back(uint64_t(reg) & registers ? vectorType.getNumElements() : reg);
    vector = vector::ShuffleOp::create(b, loc, vector, zero, indices);
    Value bits = arith::AndIOp::create(b, loc, threadId, constant(lanes));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, constant(0));
    vector = arith::SelectOp::create(b, loc, inside, vector, zero);
  }
  if (!target || source == target)
    return {vector};

  auto vectorType = cast<VectorType>(vector.getType());
  Type held = isa<FloatTF32Type>(target) ? Type(b.getF32Type()) : target;
  auto narrow = [&](Value value) -> Value {
    return FpCastOp::create(b, loc, vectorType.clone(held), value, source, target,
                            tile::RoundingMode::NearestEven);
  };
  Values result;
  for (unsigned part = 0; part < parts; ++part) {
    Value narrowed = narrow(vector);
    result.push_back(narrowed);
    if (part + 1 == parts)
      break;
    Value wide = narrowed;
    if (held != source)
      wide = arith::ExtFOp::create(b, loc, vectorType, narrowed);
    vector = arith::SubFOp::create(b, loc, vector, wide);
  }
  return result;
}

/// Pairs of parts whose product is not negligible, the smallest first.
static SmallVector<std::pair<unsigned, unsigned>> significantPairs(unsigned parts) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (unsigned sum = parts; sum-- > 0;)
    for (unsigned left = sum + 1; left-- > 0;)
      pairs.push_back({left, sum - left});
  return pairs;
}

Value Lowering::dotByInstruction(tile::DotOp op, const DotPlan &plan) {
  const MatrixInstruction &row = *plan.instruction;
  Values a = dotOperand(op.getA(), plan.a, row.a, plan.parts, row.aLayout, 1);
  Values bb = dotOperand(op.getB(), plan.b, row.b, plan.parts, row.bLayout, 0);
  Value acc = get(op.getAcc(), plan.d);
  auto accType = cast<VectorType>(acc.getType());
  bool widens = accType.getElementType().isF16() && row.acc == MatrixElement::F32;
  if (widens)
    acc = arith::ExtFOp::create(b, loc, accType.clone(b.getF32Type()), acc);

  unsigned bitsA = row.aLayout.inBits(kRegister), bitsB = row.bLayout.inBits(kRegister),
           bitsD = row.dLayout.inBits(kRegister);
  // Fragment number `index` of registers.
  auto fragments = [&](Value vector, unsigned bits) {
    Values registers = unpack(vector), result;
    for (size_t start = 0; start < registers.size(); start += size_t(1) << bits)
      result.push_back(pack(ArrayRef(registers).slice(start, size_t(1) << bits)));
    return result;
  };
  SmallVector<Values, 3> left, right;
  for (Value part : a)
    left.push_back(fragments(part, bitsA));
  for (Value part : bb)
    right.push_back(fragments(part, bitsB));
  Values tiles = fragments(acc, bitsD);
  auto multiply = [&](Value tile, unsigned partA, unsigned partB, unsigned i, unsigned j,
                      unsigned step) -> Value {
    Value x = left[partA][step | (i << plan.stepBits)];
    Value y = right[partB][step | (j << plan.stepBits)];
    return MmaOp::create(b, loc, tile.getType(), row.name, x, y, tile);
  };
  unsigned rows = 1u << plan.rowBits, columns = 1u << plan.columnBits, steps = 1u << plan.stepBits;
  auto pairs = significantPairs(plan.parts);
  for (unsigned batch = 0; batch < (1u << plan.batchBits); ++batch) {
    auto forEachTile = [&](auto body) {
      for (unsigned row = 0; row < rows; ++row)
        for (unsigned column = 0; column < columns; ++column) {
          unsigned i = row | (batch << plan.rowBits), j = column | (batch << plan.columnBits);
          body(tiles[column | (i << plan.columnBits)], i, j);
        }
    };
    if (pairs.size() > 1)
      forEachTile([&](Value &tile, unsigned i, unsigned j) {
        Value small = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.getType()));
        for (auto [partA, partB] : ArrayRef(pairs).drop_back())
          for (unsigned step = 0; step < steps; ++step)
            small = multiply(small, partA, partB, i, j, step);
        // Infinite operands have no parts: what they give here is not a number and does not count.
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.getType()));
        Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, small, small);
        small = arith::SelectOp::create(b, loc, isNumber, small, zero);
        tile = arith::AddFOp::create(b, loc, tile, small);
      });
    for (unsigned step = 0; step < steps; ++step)
      forEachTile(
          [&](Value &tile, unsigned i, unsigned j) { tile = multiply(tile, 0, 0, i, j, step); });
  }
  Values result;
  for (Value tile : tiles)
    result.append(unpack(tile));
  Value vector = pack(result);
  if (widens)
    vector = arith::TruncFOp::create(b, loc, accType, vector);
  return vector;
}
