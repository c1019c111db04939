// Products: fragments through a matrix instruction, or multiply-adds on operands in shared memory.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

void Lowering::lowerDot(tile::DotOp op) {
  const DotPlan &plan = layouts.getDot(op);
  Value result = plan.instruction ? dotByInstruction(op, plan) : dotByMultiplyAdd(op, plan);
  set(op.getResult(), convert(result, plan.d, *layouts.getHome(op.getResult())));
}

/// `vector` with floats widened to `element`, or as it is.
static Value widenTo(OpBuilder &b, Location loc, Value vector, Type element) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getElementType() == element)
    return vector;
  return arith::ExtFOp::create(b, loc, type.clone(element), vector);
}

Value Lowering::dotByInstruction(tile::DotOp op, const DotPlan &plan) {
  const MatrixInstruction &row = *plan.instruction;
  Type accElement = elementType(op.getType());
  bool widens = accElement.isF16();
  Type element = widens ? Type(b.getF32Type()) : accElement;
  Values a = unpack(get(op.getA(), plan.a)), bb = unpack(get(op.getB(), plan.b));
  Values acc = unpack(widenTo(b, loc, get(op.getAcc(), plan.d), element));

  // Registers: the fragment's, then tiles along k (of d: along columns), then the other tiles.
  unsigned fragmentA = row.aLayout.inBits(kRegister), fragmentB = row.bLayout.inBits(kRegister),
           fragmentD = row.dLayout.inBits(kRegister);
  int64_t inner = cast<RankedTensorType>(op.getA().getType()).getShape().back();
  unsigned stepBits = llvm::Log2_64(inner / row.k);
  unsigned rowBits = plan.a.inBits(kRegister) - fragmentA - stepBits;
  unsigned columnBits = plan.b.inBits(kRegister) - fragmentB - stepBits;
  auto slice = [&](ArrayRef<Value> list, unsigned start, unsigned bits) {
    return pack(list.slice(size_t(start) << bits, size_t(1) << bits));
  };
  SmallVector<Value, 16> tiles;
  for (unsigned i = 0; i < (1u << (rowBits + columnBits)); ++i)
    tiles.push_back(slice(acc, i, fragmentD));
  for (unsigned step = 0; step < (1u << stepBits); ++step) {
    Values rows, columns;
    for (unsigned i = 0; i < (1u << rowBits); ++i)
      rows.push_back(slice(a, step | (i << stepBits), fragmentA));
    for (unsigned j = 0; j < (1u << columnBits); ++j)
      columns.push_back(slice(bb, step | (j << stepBits), fragmentB));
    for (unsigned i = 0; i < rows.size(); ++i)
      for (unsigned j = 0; j < columns.size(); ++j) {
        Value &tile = tiles[j | (i << columnBits)];
        tile = MmaOp::create(b, loc, tile.getType(), row.name, rows[i], columns[j], tile);
      }
  }
  Values result;
  for (Value tile : tiles)
    result.append(unpack(tile));
  Value vector = pack(result);
  if (widens)
    vector = arith::TruncFOp::create(b, loc, cast<VectorType>(vector.getType()).clone(accElement),
                                     vector);
  return vector;
}

Value Lowering::dotByMultiplyAdd(tile::DotOp op, const DotPlan &plan) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  Type accElement = elementType(op.getType());

  // An operand in shared memory, its outer dimension fastest, so that neighbours read neighbours.
  struct Operand {
    Value buffer, thread;
    uint64_t threadBits;
    LinearLayout all, distinct, offsets; ///< offsets: of `distinct`, at inner position 0
    unsigned bytes;
    int64_t stride;
    Type element, source;
  };
  auto store = [&](Value value, unsigned innerDim, unsigned dropped) {
    auto tensor = cast<RankedTensorType>(value.getType());
    Operand operand;
    operand.source = tensor.getElementType();
    operand.element = elementType(tensor);
    operand.bytes = getScalarBytes(operand.element);
    operand.buffer = SharedAllocOp::create(b, loc, tensor.getNumElements() * operand.bytes);
    // Dimensions from the fastest: the outer one, the inner one, batches.
    SmallVector<unsigned> order{dropped == rank - 1 ? rank - 2 : rank - 1, innerDim};
    if (rank == 3)
      order.push_back(0);
    DimList ins;
    SmallVector<std::string, 4> names;
    uint64_t stride = 1;
    llvm::SmallVector<uint64_t, 4> strides(rank);
    for (unsigned dim : order) {
      strides[dim] = stride;
      stride *= tensor.getDimSize(dim);
    }
    operand.stride = strides[innerDim] * operand.bytes;
    auto offsetsOf = [&](const LinearLayout &layout) {
      BitVectors bases;
      for (const Dim &in : layout.getIns())
        for (unsigned bit = 0; bit < in.bits; ++bit) {
          uint64_t offset = 0;
          for (unsigned dim = 0; dim < rank; ++dim)
            offset += layout.getBasis(in.name, bit, dimName(dim)) * strides[dim];
          bases.push_back(offset * operand.bytes);
        }
      return LinearLayout(DimList(layout.getIns()),
                          {Dim(kOffset, llvm::Log2_64(tensor.getNumElements() * operand.bytes))},
                          bases);
    };
    auto threadPart = [&](const LinearLayout &offsets) {
      llvm::SmallVector<uint64_t, 16> bases = threadBases(offsets, kOffset);
      uint64_t bits = 0;
      for (uint64_t basis : bases)
        bits |= basis;
      return std::pair(applyToThread(bases), bits);
    };
    LinearLayout home = canonicalize(layoutOf(value), laneBits(), warpBits());
    LinearLayout homeOffsets = offsetsOf(home);
    auto [thread, bits] = threadPart(homeOffsets);
    Value first = isFirstHolder(home);
    for (auto [reg, element] : llvm::enumerate(unpack(get(value, home))))
      SharedStoreOp::create(b, loc, operand.buffer,
                            offsetBy(thread, bits, registerImage(homeOffsets, reg, kOffset)),
                            pack({element}), first);
    // What each register of the product needs of this operand, at inner position 0.
    operand.all = normalize(expandDim(sliceDim(plan.d, dropped), innerDim), laneBits(), warpBits());
    operand.distinct = canonicalize(operand.all, laneBits(), warpBits());
    operand.offsets = offsetsOf(operand.distinct);
    std::tie(operand.thread, operand.threadBits) = threadPart(operand.offsets);
    return operand;
  };
  Operand left = store(op.getA(), rank - 1, rank - 1);
  Operand right = store(op.getB(), rank - 2, rank - 2);
  auto load = [&](const Operand &operand, Value position) {
    Value base = arith::MulIOp::create(b, loc, position, constant(operand.stride));
    Values elements;
    auto one = VectorType::get({1}, operand.element);
    for (unsigned reg = 0; reg < (1u << operand.distinct.inBits(kRegister)); ++reg) {
      Value offset = offsetBy(operand.thread, operand.threadBits,
                              registerImage(operand.offsets, reg, kOffset));
      offset = arith::AddIOp::create(b, loc, offset, base);
      elements.push_back(unpack(SharedLoadOp::create(b, loc, one, operand.buffer, offset))[0]);
    }
    Value vector = pack(elements);
    auto wide = cast<VectorType>(vector.getType()).clone(accElement);
    if (isa<FloatType>(operand.source) && operand.source.getIntOrFloatBitWidth() == 8)
      vector = FpCastOp::create(b, loc, wide, vector, operand.source, accElement,
                                tile::RoundingMode::NearestEven);
    else if (isa<FloatType>(accElement))
      vector = widenTo(b, loc, vector, accElement);
    else
      vector = arith::ExtSIOp::create(b, loc, wide, vector);
    return convert(vector, operand.distinct, operand.all);
  };
  int64_t inner = cast<RankedTensorType>(op.getA().getType()).getShape().back();
  Value acc = get(op.getAcc(), plan.d);
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(inner), constant(1), acc);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value x = load(left, loop.getInductionVar()), y = load(right, loop.getInductionVar());
  Value sum = loop.getRegionIterArg(0);
  if (isa<FloatType>(accElement))
    sum = math::FmaOp::create(b, loc, x, y, sum);
  else
    sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
  scf::YieldOp::create(b, loc, sum);
  return loop.getResult(0);
}
