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
  Value result = plan.warpGroup               ? dotByWarpGroups(op, plan)
                 : !plan.instruction          ? dotByMultiplyAdd(op, plan)
                 : plan.instruction->isOpaque ? dotByMatrices(op, plan)
                                              : dotByInstruction(op, plan);
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

struct Lowering::DotOperand {
  Type source, target;      ///< Element types: of the tensor, for the instruction (null: as is).
  unsigned parts, innerDim; ///< innerDim: of the tensor.
  unsigned fragmentBits, stepBits, stepSize;
  uint64_t registersBeyond, lanesBeyond; ///< Bits of registers and lanes beyond the end of k.
  LinearLayout slice;                    ///< Of one step, at k = 0.
  std::optional<Buffered> tile;          ///< If it is read from shared memory.
  Values registers;                      ///< Else, all of them.
};

/// `layout` without some of its register bits.
static LinearLayout withoutRegisters(const LinearLayout &layout, unsigned start, unsigned count) {
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

Lowering::DotOperand Lowering::placeOperand(Value value, const DotPlan &plan, bool isLeft) {
  const MatrixInstruction &row = *plan.instruction;
  const LinearLayout &layout = isLeft ? plan.a : plan.b;
  const LinearLayout &fragment = isLeft ? row.aLayout : row.bLayout;
  auto type = cast<RankedTensorType>(value.getType());
  DotOperand operand;
  operand.source = type.getElementType();
  operand.target = floatType(isLeft ? row.a : row.b, b.getContext());
  operand.parts = plan.parts;
  operand.innerDim = type.getRank() - (isLeft ? 1 : 2);
  operand.fragmentBits = fragment.inBits(kRegister);
  operand.stepBits = plan.stepBits;
  operand.stepSize = row.k;
  uint64_t innerSize = type.getDimSize(operand.innerDim);
  auto beyond = [&](StringRef in) {
    uint64_t mask = 0;
    for (unsigned bit = 0; bit < fragment.inBits(in); ++bit)
      if (fragment.getBasis(in, bit, dimName(isLeft ? 1 : 0)) >= innerSize)
        mask |= uint64_t(1) << bit;
    return mask;
  };
  operand.registersBeyond = beyond(kRegister);
  operand.lanesBeyond = beyond(kLane);
  operand.slice = withoutRegisters(layout, operand.fragmentBits, operand.stepBits);
  if (type.getRank() == 2 && !(operand.tile = findBuffered(value))) {
    // What is computed in this block and has to move between warps is read step by step. What comes
    // from outside of a loop stays in registers, and so does what would take much shared memory.
    Value home = values.lookup(value);
    bool isHere = home && home.getParentBlock() == b.getInsertionBlock();
    uint64_t bytes = type.getNumElements() * getScalarBytes(elementType(type));
    ConversionOptions conversion;
    conversion.elementBytes = getScalarBytes(elementType(type));
    conversion.maxShuffles = 0;
    auto move = planConversion(layoutOf(value), layout, conversion);
    if (!move)
      llvm::consumeError(move.takeError());
    else if (isHere && move->kind == ConversionKind::SharedMemory &&
             bytes <= options.target->sharedMemoryBytes * 3 / 8)
      operand.tile = stageFor(value, operand.slice);
  }
  if (!operand.tile)
    operand.registers = unpack(get(value, layout));
  return operand;
}

Value Lowering::castFloat(Value vector, Type from, Type to, Type held) {
  auto rounding = tile::RoundingMode::NearestEven;
  if (Value expanded = castFloat8(vector, from, to, rounding))
    return expanded;
  return FpCastOp::create(b, loc, cast<VectorType>(vector.getType()).clone(held), vector, from, to,
                          rounding);
}

Values Lowering::readOperand(const DotOperand &operand, unsigned step) {
  Value vector;
  if (operand.tile) {
    SmallVector<uint64_t, 2> origin(2);
    origin[operand.innerDim] = uint64_t(step) * operand.stepSize;
    vector = readBuffered(*operand.tile, operand.slice, origin);
  } else {
    Values registers;
    size_t size = size_t(1) << operand.fragmentBits, stride = size << operand.stepBits;
    for (size_t start = step * size; start < operand.registers.size(); start += stride)
      registers.append(operand.registers.begin() + start, operand.registers.begin() + start + size);
    vector = pack(registers);
  }
  auto vectorType = cast<VectorType>(vector.getType());
  if (operand.registersBeyond || operand.lanesBeyond) {
    // They repeat other elements: zeros in their place.
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
    SmallVector<int64_t> indices;
    for (int64_t reg = 0; reg < vectorType.getNumElements(); ++reg)
      indices.push_back(uint64_t(reg) & operand.registersBeyond ? vectorType.getNumElements() + reg
                                                                : reg);
    vector = vector::ShuffleOp::create(b, loc, vector, zero, indices);
    Value bits = arith::AndIOp::create(b, loc, threadId, constant(operand.lanesBeyond));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, constant(0));
    vector = arith::SelectOp::create(b, loc, inside, vector, zero);
  }
  if (!operand.target || operand.source == operand.target)
    return {vector};
  bool isTf32 = isa<FloatTF32Type>(operand.target); // held as f32
  Values result;
  for (unsigned part = 0; part < operand.parts; ++part) {
    if (part) {
      Value larger = result.back();
      if (!isTf32)
        larger = arith::ExtFOp::create(b, loc, vectorType, larger);
      vector = arith::SubFOp::create(b, loc, vector, larger);
    }
    result.push_back(castFloat(vector, operand.source, operand.target,
                               isTf32 ? operand.source : operand.target));
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
  Value acc = get(op.getAcc(), plan.d);
  auto accType = cast<VectorType>(acc.getType());
  bool widens = accType.getElementType().isF16() && row.acc == MatrixElement::F32;
  if (widens)
    acc = arith::ExtFOp::create(b, loc, accType.clone(b.getF32Type()), acc);
  DotOperand a = placeOperand(op.getA(), plan, true), bb = placeOperand(op.getB(), plan, false);

  // The fragments in some registers.
  auto fragments = [&](Value vector, const LinearLayout &fragment) {
    size_t size = size_t(1) << fragment.inBits(kRegister);
    Values registers = unpack(vector), result;
    for (size_t start = 0; start < registers.size(); start += size)
      result.push_back(pack(ArrayRef(registers).slice(start, size)));
    return result;
  };
  Values tiles = fragments(acc, row.dLayout);
  unsigned rows = 1u << plan.rowBits, columns = 1u << plan.columnBits;
  auto pairs = significantPairs(plan.parts);
  // Sums of an imprecise instruction that grow no longer than the product allows.
  unsigned steps = 1u << plan.stepBits, stepsOfSum = 0;
  if (row.isImprecise && op.getMaxImprecise() < uint64_t(row.k) * steps)
    stepsOfSum = std::max(1u, op.getMaxImprecise() / row.k);
  Values sums(tiles.size());
  for (unsigned step = 0; step < steps; ++step) {
    SmallVector<Values, 3> left, right;
    for (Value part : readOperand(a, step))
      left.push_back(fragments(part, row.aLayout));
    for (Value part : readOperand(bb, step))
      right.push_back(fragments(part, row.bLayout));
    for (auto [index, tile] : llvm::enumerate(tiles)) {
      unsigned column = index % columns, i = index >> plan.columnBits, batch = i / rows;
      unsigned j = column | (batch << plan.columnBits);
      auto multiply = [&](Value sum, std::pair<unsigned, unsigned> parts) -> Value {
        return MmaOp::create(b, loc, sum.getType(), row.name, left[parts.first][i],
                             right[parts.second][j], sum);
      };
      if (pairs.size() > 1) {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.getType()));
        Value small = zero;
        for (auto pair : ArrayRef(pairs).drop_back())
          small = multiply(small, pair);
        // Infinite operands have no parts: what they give here is not a number and does not count.
        Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, small, small);
        small = arith::SelectOp::create(b, loc, isNumber, small, zero);
        // The instruction cuts off what its accumulator cannot hold: each step's sum is added here,
        // rounded to nearest.
        tile = arith::AddFOp::create(b, loc, tile, multiply(small, {0, 0}));
        continue;
      }
      if (!stepsOfSum) {
        tile = multiply(tile, {0, 0});
        continue;
      }
      if (step % stepsOfSum == 0)
        sums[index] = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.getType()));
      sums[index] = multiply(sums[index], {0, 0});
      if ((step + 1) % stepsOfSum == 0 || step + 1 == steps)
        tile = arith::AddFOp::create(b, loc, tile, sums[index]);
    }
  }
  Values result;
  for (Value tile : tiles)
    result.append(unpack(tile));
  Value vector = pack(result);
  if (widens)
    vector = arith::TruncFOp::create(b, loc, accType, vector);
  return vector;
}
