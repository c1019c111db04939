// Products by multiply-adds, where no matrix instruction has the precision or the type: operands in
// shared memory, and each thread a block of the result in registers. Some steps along k are read in
// one wide access, so that one access serves many multiply-adds.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Conversions.h"
#include "ir/simt/FloatCasts.h"
#include "ir/simt/ProductStrategy.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Most multiply-adds that are written out for one iteration over k.
static constexpr unsigned kMaxUnrolled = 1024;

namespace {
class MultiplyAddProduct {
public:
  MultiplyAddProduct(LowerContext &c, tile::DotOp op, const DotPlan &plan)
      : c(c), op(op), plan(plan),
        innerBits(llvm::Log2_64(cast<RankedTensorType>(op.getA().getType()).getShape().back())),
        resultElement(elementType(op.getType())),
        accElement(resultElement.isF16() ? Type(c.b.getF32Type()) : resultElement) {}
  FailureOr<Value> emit();

private:
  /// One operand in shared memory and how a thread reads its part of it.
  struct Operand {
    Value buffer, slot;         ///< slot: null, or a byte offset that is added.
    LinearLayout all, distinct; ///< At one step along k: for all registers of d, without repeats.
    SharedAccess access;        ///< Of `distinct` with some steps in the lowest registers.
    BitVectors stepBases;       ///< Byte offsets of the other steps' bits.
    Type element, source;       ///< As registers hold it, as the tensor has it.
    unsigned bytes, stepBits;   ///< stepBits: in one access.
  };

  LogicalResult checkSize();
  FailureOr<Operand> place(Value value, unsigned innerDim, unsigned dropped);
  /// The elements that one access of some steps gives; `index` is the loop's, `unrolled` what is
  /// written out.
  Values loadSteps(const Operand &operand, Value index, uint64_t unrolled);
  /// The same as operands of multiply-adds, by step; or words of four steps of bytes.
  FailureOr<Values> load(const Operand &operand, Value index, uint64_t unrolled);
  Value widen(const Operand &operand, Value vector);
  FailureOr<Value> accumulate(Value sum, Value index);

  LowerContext &c;
  tile::DotOp op;
  const DotPlan &plan;
  unsigned innerBits;
  Type resultElement, accElement;
  Operand left, right;
  bool isPacked = false; ///< Four steps of bytes are a word.
  /// One step along k after the other: [bits of one access][written out][loop].
  unsigned unrolledBits = 0, loopBits = 0;
};

class MultiplyAddStrategy final : public ProductStrategy {
public:
  FailureOr<Value> multiply(LowerContext &c, tile::DotOp op, const DotPlan &plan) const override {
    return MultiplyAddProduct(c, op, plan).emit();
  }
};
} // namespace

LogicalResult MultiplyAddProduct::checkSize() {
  uint64_t needed = 0, most = c.target.sharedMemoryBytes;
  for (Value operand : {op.getA(), op.getB()}) {
    auto type = cast<RankedTensorType>(operand.getType());
    needed += type.getNumElements() * getScalarBytes(elementType(type));
  }
  if (needed <= most || findTile(c, op.getA()) || findTile(c, op.getB()))
    return success();
  return c.refuse(op, "its operands take " + Twine(needed) +
                          " bytes of shared memory, but a program has " + Twine(most) +
                          ", which is " + Twine(needed - most) + " too few; use smaller blocks");
}

FailureOr<MultiplyAddProduct::Operand> MultiplyAddProduct::place(Value value, unsigned innerDim,
                                                                 unsigned dropped) {
  auto tensor = cast<RankedTensorType>(value.getType());
  Operand operand;
  operand.source = tensor.getElementType();
  operand.element = elementType(tensor);
  operand.bytes = getScalarBytes(operand.element);
  operand.stepBits = std::min({innerBits, 2u, llvm::Log2_32(16 / operand.bytes)});
  operand.all = c.normalize(expandDim(sliceDim(plan.d, dropped), innerDim));
  operand.distinct = c.canonicalize(operand.all);
  std::string inner = dimName(innerDim);
  LinearLayout reader =
      LinearLayout::identity1D(operand.stepBits, kRegister, inner) * operand.distinct;
  reader = c.normalize(reader).resizeOut(inner, innerBits);
  std::optional<SharedTile> tile = tensor.getRank() == 2 ? findTile(c, value) : std::nullopt;
  if (!tile) {
    FailureOr<SharedTile> stored = storeForReader(c, value, reader);
    if (failed(stored))
      return failure();
    tile = *stored;
  }
  const LinearLayout &memory = tile->memory;
  operand.buffer = tile->buffer;
  operand.slot = tile->slot;
  operand.access = *accessShared(reader, memory, operand.bytes, c.target.sharedModel);
  LinearLayout steps = LinearLayout::identity1D(innerBits, kRegister, inner);
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
    if (dim != int64_t(innerDim))
      steps =
          steps * LinearLayout::zeros1D(0, kRegister, dimName(dim), memory.outBits(dimName(dim)));
  LinearLayout stepOffsets = *steps.invertAndCompose(memory);
  for (unsigned bit = operand.stepBits; bit < innerBits; ++bit)
    operand.stepBases.push_back(stepOffsets.getBasis(kRegister, bit, kOffset) * operand.bytes);
  return operand;
}

Values MultiplyAddProduct::loadSteps(const Operand &operand, Value index, uint64_t unrolled) {
  SmallVector<uint64_t, 16> bases = threadBases(operand.access.offsets, kOffset);
  uint64_t bits = 0;
  for (uint64_t &basis : bases)
    bits |= basis *= operand.bytes;
  Value base = c.threads.apply(bases);
  ArrayRef<uint64_t> steps = operand.stepBases;
  if (loopBits) {
    ArrayRef<uint64_t> loopBases = steps.drop_front(unrolledBits);
    uint64_t loopMask = 0;
    for (uint64_t basis : loopBases)
      loopMask |= basis;
    Value part = applyToIndex(c.b, index, loopBases);
    base = bits & loopMask ? Value(arith::XOrIOp::create(c.b, base, part))
                           : Value(arith::AddIOp::create(c.b, base, part));
    bits |= loopMask;
  }
  uint64_t constantPart = layout::combine(steps.take_front(unrolledBits), unrolled);
  Values elements(size_t(1) << operand.access.offsets.inBits(kRegister));
  forEachAccess(operand.access, [&](ArrayRef<unsigned> registers) {
    uint64_t image = registerImage(operand.access.offsets, registers[0], kOffset) * operand.bytes;
    Value offset = offsetBy(c.b, base, bits, image ^ constantPart);
    if (operand.slot)
      offset = arith::AddIOp::create(c.b, offset, operand.slot);
    auto type = VectorType::get({int64_t(registers.size())}, operand.element);
    Values parts = unpack(c.b, SharedLoadOp::create(c.b, type, operand.buffer, offset));
    for (auto [reg, part] : llvm::zip(registers, parts))
      elements[reg] = part;
  });
  return elements;
}

Value MultiplyAddProduct::widen(const Operand &operand, Value vector) {
  auto wide = cast<VectorType>(vector.getType()).clone(accElement);
  if (isa<FloatType>(operand.source) && operand.source.getIntOrFloatBitWidth() == 8)
    return castFloat(c, vector, operand.source, accElement, accElement);
  if (operand.element == accElement)
    return vector;
  if (isa<FloatType>(accElement))
    return arith::ExtFOp::create(c.b, wide, vector);
  return arith::ExtSIOp::create(c.b, wide, vector);
}

FailureOr<Values> MultiplyAddProduct::load(const Operand &operand, Value index, uint64_t unrolled) {
  Values elements = loadSteps(operand, index, unrolled), vectors, result;
  if (isPacked) {
    Values words;
    auto word = VectorType::get({1}, c.b.getI32Type());
    for (size_t reg = 0; reg < elements.size(); reg += 4)
      words.push_back(unpack(c.b, vector::BitCastOp::create(
                                      c.b, word, pack(c.b, ArrayRef(elements).slice(reg, 4))))[0]);
    FailureOr<Value> all = convert(c, pack(c.b, words), operand.distinct, operand.all);
    if (failed(all))
      return failure();
    return Values{*all};
  }
  for (size_t step = 0; step < (size_t(1) << operand.stepBits); ++step) {
    Values ofStep;
    for (size_t reg = step; reg < elements.size(); reg += size_t(1) << operand.stepBits)
      ofStep.push_back(elements[reg]);
    FailureOr<Value> all =
        convert(c, widen(operand, pack(c.b, ofStep)), operand.distinct, operand.all);
    if (failed(all))
      return failure();
    result.push_back(*all);
  }
  return result;
}

FailureOr<Value> MultiplyAddProduct::accumulate(Value sum, Value index) {
  for (uint64_t unrolled = 0; unrolled < (uint64_t(1) << unrolledBits); ++unrolled) {
    FailureOr<Values> xs = load(left, index, unrolled), ys = load(right, index, unrolled);
    if (failed(xs) || failed(ys))
      return failure();
    for (auto [x, y] : llvm::zip(*xs, *ys))
      if (isPacked)
        sum = DotBytesOp::create(c.b, x, y, sum);
      else if (isa<FloatType>(accElement))
        // One rounding or two, whichever the target has.
        sum = math::FmaOp::create(c.b, x, y, sum, arith::FastMathFlags::contract);
      else
        sum = arith::AddIOp::create(c.b, sum, arith::MulIOp::create(c.b, x, y));
  }
  return sum;
}

FailureOr<Value> MultiplyAddProduct::emit() {
  if (failed(checkSize()))
    return failure();
  FailureOr<Value> acc = c.get(op.getAcc(), plan.d);
  if (failed(acc))
    return failure();
  Value sum = *acc;
  auto resultType = cast<VectorType>(sum.getType());
  unsigned rank = cast<RankedTensorType>(op.getType()).getRank();
  FailureOr<Operand> a = place(op.getA(), rank - 1, rank - 1),
                     b = failed(a) ? FailureOr<Operand>() : place(op.getB(), rank - 2, rank - 2);
  if (failed(a) || failed(b))
    return failure();
  left = std::move(*a), right = std::move(*b);

  unsigned stepBits = std::min(left.stepBits, right.stepBits);
  assert(left.stepBits == right.stepBits && "operands have one element size");
  isPacked = c.target.hasDotBytes && accElement.isInteger(32) && stepBits == 2 &&
             left.source.isInteger(8) && right.source.isInteger(8);
  unsigned perStep = 1u << plan.d.inBits(kRegister);
  while (stepBits + unrolledBits < innerBits &&
         (perStep << (stepBits + unrolledBits + 1)) <= kMaxUnrolled)
    ++unrolledBits;
  loopBits = innerBits - stepBits - unrolledBits;

  if (accElement != resultElement)
    sum = arith::ExtFOp::create(c.b, resultType.clone(accElement), sum);
  if (!loopBits) {
    FailureOr<Value> total = accumulate(sum, {});
    if (failed(total))
      return failure();
    sum = *total;
  } else {
    auto loop = scf::ForOp::create(c.b, constant(c.b, 0), constant(c.b, 1 << loopBits),
                                   constant(c.b, 1), sum);
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToEnd(loop.getBody());
    FailureOr<Value> next = accumulate(loop.getRegionIterArg(0), loop.getInductionVar());
    if (failed(next))
      return failure();
    scf::YieldOp::create(c.b, *next);
    sum = loop.getResult(0);
  }
  if (accElement != resultElement)
    sum = arith::TruncFOp::create(c.b, resultType, sum);
  return sum;
}

const ProductStrategy &simt::multiplyAddStrategy() {
  static const MultiplyAddStrategy strategy;
  return strategy;
}
