// Products by multiply-adds, where no matrix instruction has the precision or the type: operands in
// shared memory, and each thread a block of the result in registers. Some steps along k are read in
// one wide access, so that one access serves many multiply-adds.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Most multiply-adds that are written out for one iteration over k.
static constexpr unsigned kMaxUnrolled = 1024;

namespace {
/// One operand in shared memory and how a thread reads its part of it.
struct SharedOperand {
  Value buffer, slot;         ///< slot: null, or a byte offset that is added.
  LinearLayout all, distinct; ///< At one step along k: for all registers of d, and without repeats.
  SharedAccess access;        ///< Of `distinct` with some steps in the lowest registers.
  BitVectors stepBases;       ///< Byte offsets of the other steps' bits.
  Type element, source;       ///< As registers hold it, as the tensor has it.
  unsigned bytes, stepBits;   ///< stepBits: in one access.
};
} // namespace

Value Lowering::applyToIndex(Value index, ArrayRef<uint64_t> bases) {
  bool isScaling = !bases.empty() && llvm::isPowerOf2_64(bases[0]);
  for (auto [bit, basis] : llvm::enumerate(bases))
    isScaling &= basis == bases[0] << bit;
  if (isScaling)
    return arith::MulIOp::create(b, loc, index, constant(bases[0]));
  Value result = constant(0);
  for (auto [bit, basis] : llvm::enumerate(bases)) {
    Value shifted = arith::ShRUIOp::create(b, loc, index, constant(bit));
    Value set = arith::AndIOp::create(b, loc, shifted, constant(1));
    Value part = arith::MulIOp::create(b, loc, set, constant(basis));
    result = arith::XOrIOp::create(b, loc, result, part);
  }
  return result;
}

Value Lowering::dotByMultiplyAdd(tile::DotOp op, const DotPlan &plan) {
  unsigned rank = cast<RankedTensorType>(op.getType()).getRank();
  auto leftType = cast<RankedTensorType>(op.getA().getType());
  auto rightType = cast<RankedTensorType>(op.getB().getType());
  unsigned innerBits = llvm::Log2_64(leftType.getShape().back());
  Type resultElement = elementType(op.getType());
  Type accElement = resultElement.isF16() ? Type(b.getF32Type()) : resultElement;
  uint64_t needed = leftType.getNumElements() * getScalarBytes(elementType(leftType)) +
                    rightType.getNumElements() * getScalarBytes(elementType(rightType));
  if (needed > options.target->sharedMemoryBytes && !findBuffered(op.getA()) &&
      !findBuffered(op.getB())) {
    uint64_t most = options.target->sharedMemoryBytes;
    fail(op, "its operands take " + Twine(needed) + " bytes of shared memory, but a program has " +
                 Twine(most) + ", which is " + Twine(needed - most) +
                 " too few; use smaller blocks");
    return poison(registerType(op.getType(), plan.d));
  }

  auto place = [&](Value value, unsigned innerDim, unsigned dropped) {
    auto tensor = cast<RankedTensorType>(value.getType());
    SharedOperand operand;
    operand.source = tensor.getElementType();
    operand.element = elementType(tensor);
    operand.bytes = getScalarBytes(operand.element);
    operand.stepBits = std::min({innerBits, 2u, llvm::Log2_32(16 / operand.bytes)});
    operand.all = normalize(expandDim(sliceDim(plan.d, dropped), innerDim), laneBits(), warpBits());
    operand.distinct = canonicalize(operand.all, laneBits(), warpBits());
    std::string inner = dimName(innerDim);
    LinearLayout reader =
        LinearLayout::identity1D(operand.stepBits, kRegister, inner) * operand.distinct;
    reader = normalize(reader, laneBits(), warpBits()).resizeOut(inner, innerBits);
    std::optional<Buffered> tile = rank == 2 ? findBuffered(value) : std::nullopt;
    if (!tile)
      tile = stageFor(value, reader);
    const LinearLayout &memory = tile->memory;
    operand.buffer = tile->buffer;
    operand.slot = tile->slot;
    operand.access = *accessShared(reader, memory, operand.bytes, options.target->sharedModel);
    LinearLayout steps = LinearLayout::identity1D(innerBits, kRegister, inner);
    for (unsigned dim = 0; dim < rank; ++dim)
      if (dim != innerDim)
        steps =
            steps * LinearLayout::zeros1D(0, kRegister, dimName(dim), memory.outBits(dimName(dim)));
    LinearLayout stepOffsets = *steps.invertAndCompose(memory);
    for (unsigned bit = operand.stepBits; bit < innerBits; ++bit)
      operand.stepBases.push_back(stepOffsets.getBasis(kRegister, bit, kOffset) * operand.bytes);
    return operand;
  };
  Value sum = get(op.getAcc(), plan.d);
  auto resultType = cast<VectorType>(sum.getType());
  SharedOperand left = place(op.getA(), rank - 1, rank - 1);
  SharedOperand right = place(op.getB(), rank - 2, rank - 2);

  // One step along k after the other: [bits of one access][written out][loop].
  unsigned stepBits = std::min(left.stepBits, right.stepBits);
  assert(left.stepBits == right.stepBits && "operands have one element size");
  // Four steps of bytes are a word.
  bool isPacked = options.target->hasDotBytes && accElement.isInteger(32) && stepBits == 2 &&
                  left.source.isInteger(8) && right.source.isInteger(8);
  unsigned unrolledBits = 0, perStep = 1u << plan.d.inBits(kRegister);
  while (stepBits + unrolledBits < innerBits &&
         (perStep << (stepBits + unrolledBits + 1)) <= kMaxUnrolled)
    ++unrolledBits;
  unsigned loopBits = innerBits - stepBits - unrolledBits;

  /// The elements of some steps, by step; `index` is the loop's, `unrolled` what is written out.
  auto load = [&](const SharedOperand &operand, Value index, uint64_t unrolled) {
    llvm::SmallVector<uint64_t, 16> bases = threadBases(operand.access.offsets, kOffset);
    uint64_t bits = 0;
    for (uint64_t &basis : bases)
      bits |= basis *= operand.bytes;
    Value base = applyToThread(bases);
    ArrayRef<uint64_t> steps = operand.stepBases;
    if (loopBits) {
      ArrayRef<uint64_t> loopBases = steps.drop_front(unrolledBits);
      uint64_t loopMask = 0;
      for (uint64_t basis : loopBases)
        loopMask |= basis;
      Value part = applyToIndex(index, loopBases);
      base = bits & loopMask ? Value(arith::XOrIOp::create(b, loc, base, part))
                             : Value(arith::AddIOp::create(b, loc, base, part));
      bits |= loopMask;
    }
    uint64_t constantPart = layout::combine(steps.take_front(unrolledBits), unrolled);
    Values elements(size_t(1) << operand.access.offsets.inBits(kRegister));
    forEachAccess(operand.access, [&](ArrayRef<unsigned> registers) {
      uint64_t image = registerImage(operand.access.offsets, registers[0], kOffset) * operand.bytes;
      Value offset = offsetBy(base, bits, image ^ constantPart);
      if (operand.slot)
        offset = arith::AddIOp::create(b, loc, offset, operand.slot);
      auto type = VectorType::get({int64_t(registers.size())}, operand.element);
      Values parts = unpack(SharedLoadOp::create(b, loc, type, operand.buffer, offset));
      for (auto [reg, part] : llvm::zip(registers, parts))
        elements[reg] = part;
    });
    if (isPacked) {
      Values words;
      for (size_t reg = 0; reg < elements.size(); reg += 4)
        words.push_back(
            unpack(vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()),
                                             pack(ArrayRef(elements).slice(reg, 4))))[0]);
      return Values{convert(pack(words), operand.distinct, operand.all)};
    }
    Values result;
    for (size_t step = 0; step < (size_t(1) << operand.stepBits); ++step) {
      Values ofStep;
      for (size_t reg = step; reg < elements.size(); reg += size_t(1) << operand.stepBits)
        ofStep.push_back(elements[reg]);
      Value vector = pack(ofStep);
      auto wide = cast<VectorType>(vector.getType()).clone(accElement);
      if (isa<FloatType>(operand.source) && operand.source.getIntOrFloatBitWidth() == 8)
        vector = castFloat(vector, operand.source, accElement, accElement);
      else if (operand.element == accElement)
        ;
      else if (isa<FloatType>(accElement))
        vector = arith::ExtFOp::create(b, loc, wide, vector);
      else
        vector = arith::ExtSIOp::create(b, loc, wide, vector);
      result.push_back(convert(vector, operand.distinct, operand.all));
    }
    return result;
  };
  auto accumulate = [&](Value sum, Value index) {
    for (uint64_t unrolled = 0; unrolled < (uint64_t(1) << unrolledBits); ++unrolled) {
      Values xs = load(left, index, unrolled), ys = load(right, index, unrolled);
      for (auto [x, y] : llvm::zip(xs, ys))
        if (isPacked)
          sum = DotBytesOp::create(b, loc, x, y, sum);
        else if (isa<FloatType>(accElement))
          // One rounding or two, whichever the target has.
          sum = math::FmaOp::create(b, loc, x, y, sum, arith::FastMathFlags::contract);
        else
          sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
    }
    return sum;
  };

  if (accElement != resultElement)
    sum = arith::ExtFOp::create(b, loc, resultType.clone(accElement), sum);
  if (!loopBits) {
    sum = accumulate(sum, {});
  } else {
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(1 << loopBits), constant(1), sum);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value next = accumulate(loop.getRegionIterArg(0), loop.getInductionVar());
    scf::YieldOp::create(b, loc, next);
    sum = loop.getResult(0);
  }
  if (accElement != resultElement)
    sum = arith::TruncFOp::create(b, loc, resultType, sum);
  return sum;
}
