// Products by matrix instructions of a warp: operands as fragments, in the precision that was asked
// for.
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/simt/FloatCasts.h"
#include "ir/simt/ProductStrategy.h"
#include "ir/simt/products/DotScales.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// The float type of an instruction's operand; null: integers and pairs of 4-bit floats, which are
/// as they are.
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
  case MatrixElement::E4B8:
    return Float8E4M3FNUZType::get(context);
  case MatrixElement::E5B16:
    return Float8E5M2FNUZType::get(context);
  case MatrixElement::I8:
  case MatrixElement::I32:
  case MatrixElement::E2M1:
    return {};
  }
  return {};
}

/// Pairs of parts whose product is not negligible, the smallest first.
static SmallVector<std::pair<unsigned, unsigned>> significantPairs(unsigned parts) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (unsigned sum = parts; sum-- > 0;)
    for (unsigned left = sum + 1; left-- > 0;)
      pairs.push_back({left, sum - left});
  return pairs;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// An operand of a product, ready to be read in steps along k.
class DotOperand {
public:
  DotOperand(LowerContext &c, tile::DotOp op, const DotPlan &plan, bool isLeft);
  /// Decides where the operand is read from, and brings it there.
  LogicalResult place();
  /// The registers of one step as the instruction takes them: in parts, the largest first, and 0
  /// beyond the end of k.
  FailureOr<Values> read(unsigned step);
  /// Of a fragment as it is in registers.
  unsigned registerBits() const { return fragmentBits; }

private:
  Value zeroBeyondEnd(Value vector) const;
  /// The fragments of one step, from shared memory.
  FailureOr<Value> readTileAt(unsigned step);

  LowerContext &c;
  Value value;
  RankedTensorType type;
  LinearLayout layout;      ///< Of all steps.
  Type source, target;      ///< Element types: of the tensor, for the instruction (null: as is).
  unsigned parts, innerDim; ///< innerDim: of the tensor.
  unsigned fragmentBits, stepBits;
  unsigned jointBits = 0; ///< So many bits of a step's number are read in one access.
  uint64_t registersBeyond, lanesBeyond; ///< Bits of registers and lanes beyond the end of k.
  LinearLayout slice;                    ///< Of steps that are read together, the first ones.
  std::optional<SharedTile> tile;        ///< If it is read from shared memory.
  Values registers;                      ///< Else, all of them.
  Values joint;                          ///< What was read last for steps from `jointStart` on.
  unsigned jointStart = ~0u;
};
} // namespace

DotOperand::DotOperand(LowerContext &c, tile::DotOp op, const DotPlan &plan, bool isLeft)
    : c(c), target(floatType(isLeft ? plan.instruction->a : plan.instruction->b, op.getContext())),
      parts(plan.parts), stepBits(plan.stepBits) {
  DotSource from = getSource(op, plan, isLeft);
  value = from.value;
  type = cast<RankedTensorType>(value.getType());
  source = type.getElementType();
  layout = std::move(from.layout);
  innerDim = from.inner;
  const LinearLayout &fragment = from.fragment;
  // Of a fragment's dimensions, where products have batches.
  const unsigned fragmentInner = type.getRank() == 2 ? innerDim : innerDim - 1;
  fragmentBits = fragment.inBits(kRegister);
  uint64_t innerSize = type.getDimSize(innerDim);
  auto beyond = [&](StringRef in) {
    uint64_t mask = 0;
    for (unsigned bit = 0; bit < fragment.inBits(in); ++bit)
      if (fragment.getBasis(in, bit, dimName(fragmentInner)) >= innerSize)
        mask |= uint64_t(1) << bit;
    return mask;
  };
  registersBeyond = beyond(kRegister);
  lanesBeyond = beyond(kLane);
  // Neighbours along k may belong to several steps: those below what one step's lanes reach.
  uint64_t reach = 0;
  for (unsigned bit = 0; bit < fragment.inBits(kLane); ++bit)
    reach = std::max(reach, layout.getBasis(kLane, bit, dimName(innerDim)));
  while (jointBits < stepBits &&
         layout.getBasis(kRegister, fragmentBits + jointBits, dimName(innerDim)) < reach)
    ++jointBits;
  slice = withoutRegisters(layout, fragmentBits + jointBits, stepBits - jointBits);
}

LogicalResult DotOperand::place() {
  if (type.getRank() == 2 && !(tile = findTile(c, value))) {
    // Operands that are computed in this block and have to move between warps are read step by
    // step. Values from outside of a loop stay in registers, and so do those that would take much
    // shared memory.
    Value home = c.find(value);
    bool isHere = home && home.getParentBlock() == c.b.getInsertionBlock();
    uint64_t bytes = type.getNumElements() * getScalarBytes(elementType(type));
    ConversionOptions conversion;
    conversion.elementBytes = getScalarBytes(elementType(type));
    conversion.maxShuffles = 0;
    auto move = planConversion(c.layoutOf(value), layout, conversion);
    if (!move) {
      llvm::consumeError(move.takeError());
    } else if (isHere && move->kind == ConversionKind::SharedMemory &&
               int64_t(bytes) <= c.target.budget().forStoredOperand()) {
      FailureOr<SharedTile> stored = storeForReader(c, value, slice);
      if (failed(stored))
        return failure();
      tile = *stored;
    }
  }
  if (tile)
    return success();
  FailureOr<Values> all = c.getRegisters(value, layout);
  if (failed(all))
    return failure();
  registers = *all;
  return success();
}

Value DotOperand::zeroBeyondEnd(Value vector) const {
  if (!registersBeyond && !lanesBeyond)
    return vector;
  // They repeat other elements: zeros in their place.
  auto type = cast<VectorType>(vector.getType());
  Value zero = arith::ConstantOp::create(c.b, c.b.getZeroAttr(type));
  SmallVector<int64_t> indices;
  for (int64_t reg = 0; reg < type.getNumElements(); ++reg)
    indices.push_back(uint64_t(reg) & registersBeyond ? type.getNumElements() + reg : reg);
  vector = vector::ShuffleOp::create(c.b, vector, zero, indices);
  Value bits = arith::AndIOp::create(c.b, c.threads.threadId(), constant(c.b, lanesBeyond));
  Value inside = arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, bits, constant(c.b, 0));
  return arith::SelectOp::create(c.b, inside, vector, zero);
}

FailureOr<Value> DotOperand::readTileAt(unsigned step) {
  unsigned start = step >> jointBits << jointBits;
  if (start != jointStart) {
    SmallVector<uint64_t, 2> origin(2);
    origin[innerDim] = registerImage(layout, uint64_t(start) << fragmentBits, dimName(innerDim));
    FailureOr<Value> elements = readTile(c, *tile, slice, origin);
    if (failed(elements) || !jointBits)
      return elements;
    joint = unpack(c.b, *elements);
    jointStart = start;
  }
  Values ofStep;
  size_t size = size_t(1) << fragmentBits, stride = size << jointBits;
  for (size_t first = (step - start) * size; first < joint.size(); first += stride)
    ofStep.append(joint.begin() + first, joint.begin() + first + size);
  return pack(c.b, ofStep);
}

FailureOr<Values> DotOperand::read(unsigned step) {
  Value vector;
  if (tile) {
    FailureOr<Value> elements = readTileAt(step);
    if (failed(elements))
      return failure();
    vector = *elements;
  } else {
    Values ofStep;
    size_t size = size_t(1) << fragmentBits, stride = size << stepBits;
    for (size_t start = step * size; start < registers.size(); start += stride)
      ofStep.append(registers.begin() + start, registers.begin() + start + size);
    vector = pack(c.b, ofStep);
  }
  vector = zeroBeyondEnd(vector);
  if (!target || source == target)
    return Values{vector};
  bool isTf32 = isa<FloatTF32Type>(target); // held as f32
  Values result;
  for (unsigned part = 0; part < parts; ++part) {
    if (part) {
      Value larger = result.back();
      if (!isTf32)
        larger = arith::ExtFOp::create(c.b, vector.getType(), larger);
      vector = arith::SubFOp::create(c.b, vector, larger);
    }
    result.push_back(castFloat(c, vector, source, target, isTf32 ? source : target));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

namespace {
class WarpMatrixProduct {
public:
  WarpMatrixProduct(LowerContext &c, tile::DotOp op, const DotPlan &plan)
      : c(c), op(op), plan(plan), row(*plan.instruction), pairs(significantPairs(plan.parts)),
        a(c, op, plan, /*isLeft=*/true), b(c, op, plan, /*isLeft=*/false) {}
  FailureOr<Value> emit();

private:
  using Pair = std::pair<unsigned, unsigned>;

  /// The fragments in some registers.
  Values fragments(Value vector, unsigned registerBits) {
    size_t size = size_t(1) << registerBits;
    Values registers = unpack(c.b, vector), result;
    for (size_t start = 0; start < registers.size(); start += size)
      result.push_back(pack(c.b, ArrayRef(registers).slice(start, size)));
    return result;
  }
  /// The fragments of one step, by part.
  struct Step {
    SmallVector<Values, 3> left, right;
  };
  FailureOr<Step> readStep(unsigned step);
  void multiplyStep(unsigned step, const Step &fragments);
  LogicalResult emitSteps();
  Value zeroLike(Value tile) {
    return arith::ConstantOp::create(c.b, c.b.getZeroAttr(tile.getType()));
  }

  LowerContext &c;
  tile::DotOp op;
  const DotPlan &plan;
  const MatrixInstruction &row;
  SmallVector<Pair> pairs;
  DotOperand a, b;
  DotScales aScales, bScales; ///< Only of a scaled instruction.
  Values tiles, sums;         ///< By tile of the result; `sums` of an imprecise instruction.
  unsigned stepsOfSum = 0;    ///< How many steps are added up in `sums`; 0: none is.
};

class WarpMatrixStrategy final : public ProductStrategy {
public:
  FailureOr<Value> multiply(LowerContext &c, tile::DotOp op, const DotPlan &plan) const override {
    return WarpMatrixProduct(c, op, plan).emit();
  }
};
} // namespace

FailureOr<WarpMatrixProduct::Step> WarpMatrixProduct::readStep(unsigned step) {
  Step result;
  FailureOr<Values> leftParts = a.read(step);
  if (failed(leftParts))
    return failure();
  for (Value part : *leftParts)
    result.left.push_back(fragments(part, a.registerBits()));
  FailureOr<Values> rightParts = b.read(step);
  if (failed(rightParts))
    return failure();
  for (Value part : *rightParts)
    result.right.push_back(fragments(part, b.registerBits()));
  return result;
}

void WarpMatrixProduct::multiplyStep(unsigned step, const Step &fragments) {
  unsigned steps = 1u << plan.stepBits, rows = 1u << plan.rowBits, columns = 1u << plan.columnBits;
  for (auto [index, tile] : llvm::enumerate(tiles)) {
    unsigned column = index % columns, i = index >> plan.columnBits, batch = i / rows;
    unsigned j = column | (batch << plan.columnBits);
    auto multiply = [&](Value sum, Pair parts) -> Value {
      Value first = fragments.left[parts.first][i], second = fragments.right[parts.second][j];
      if (plan.swapped)
        std::swap(first, second);
      if (!row.isScaled)
        return MmaOp::create(c.b, row.name, first, second, sum);
      Value scales[] = {aScales.word(i, step), bScales.word(j, step)};
      if (plan.swapped)
        std::swap(scales[0], scales[1]);
      const int32_t byte = DotScales::byteOf(step);
      return MmaOp::create(c.b, sum.getType(), row.name, first, second, sum,
                           ValueRange{scales[0], scales[1]},
                           c.b.getDenseI32ArrayAttr({byte, byte}));
    };
    if (pairs.size() > 1) {
      Value zero = zeroLike(tile), small = zero;
      for (auto pair : ArrayRef(pairs).drop_back())
        small = multiply(small, pair);
      // Infinite operands have no parts: the result here is not a number and does not count.
      Value isNumber = arith::CmpFOp::create(c.b, arith::CmpFPredicate::ORD, small, small);
      small = arith::SelectOp::create(c.b, isNumber, small, zero);
      // The instruction cuts off what its accumulator cannot hold: each step's sum is added here,
      // rounded to nearest.
      tile = arith::AddFOp::create(c.b, tile, multiply(small, {0, 0}));
      continue;
    }
    if (!stepsOfSum) {
      tile = multiply(tile, {0, 0});
      continue;
    }
    if (step % stepsOfSum == 0)
      sums[index] = zeroLike(tile);
    sums[index] = multiply(sums[index], {0, 0});
    if ((step + 1) % stepsOfSum == 0 || step + 1 == steps)
      tile = arith::AddFOp::create(c.b, tile, sums[index]);
  }
}

LogicalResult WarpMatrixProduct::emitSteps() {
  const unsigned steps = 1u << plan.stepBits;
  // A turn is of matrix instructions alone: all operands are read before it.
  const bool isTurn = op->hasAttr(schedule::SchedDialect::kTurns);
  std::vector<Step> read;
  for (unsigned step = 0; step < steps; ++step) {
    FailureOr<Step> fragments = readStep(step);
    if (failed(fragments))
      return failure();
    if (isTurn)
      read.push_back(std::move(*fragments));
    else
      multiplyStep(step, *fragments);
  }
  if (!isTurn)
    return success();
  TurnOp::create(c.b, /*begins=*/true);
  for (auto [step, fragments] : llvm::enumerate(read))
    multiplyStep(step, fragments);
  TurnOp::create(c.b, /*begins=*/false);
  return success();
}

FailureOr<Value> WarpMatrixProduct::emit() {
  FailureOr<Value> start = c.get(op.getAcc(), plan.d);
  if (failed(start))
    return failure();
  Value acc = *start;
  auto accType = cast<VectorType>(acc.getType());
  bool widens = accType.getElementType().isF16() && row.acc == MatrixElement::F32;
  if (widens)
    acc = arith::ExtFOp::create(c.b, accType.clone(c.b.getF32Type()), acc);
  if (failed(a.place()) || failed(b.place()))
    return failure();
  if (row.isScaled && (failed(aScales.place(c, op, plan, /*isLeft=*/true)) ||
                       failed(bScales.place(c, op, plan, /*isLeft=*/false))))
    return failure();
  tiles = fragments(acc, row.dLayout.inBits(kRegister));
  sums.resize(tiles.size());
  // Sums of an imprecise instruction that grow no longer than the product allows.
  unsigned steps = 1u << plan.stepBits;
  if (row.isImprecise && op.getMaxImprecise() < uint64_t(row.k) * steps)
    stepsOfSum = std::max(1u, op.getMaxImprecise() / row.k);
  if (failed(emitSteps()))
    return failure();
  Values result;
  for (Value tile : tiles)
    result.append(unpack(c.b, tile));
  Value vector = pack(c.b, result);
  if (widens)
    vector = arith::TruncFOp::create(c.b, accType, vector);
  return vector;
}

const ProductStrategy &simt::warpMatrixStrategy() {
  static const WarpMatrixStrategy strategy;
  return strategy;
}
