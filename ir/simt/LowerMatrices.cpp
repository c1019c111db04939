// Products by instructions whose fragments are opaque (cooperative matrices): operands are read
// from shared memory, from the tiles of pipelined loops or stored there first, and accumulators are
// matrices from the first step to the last. MatrixRegisters.h says what becomes of both ends.
//
// A tile's lines are longer than what is in them by 16 bytes: eight lines in a row, of which an
// instruction wants 16 bytes each, are then in different banks, whatever the line's length.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

static constexpr unsigned kPaddingBytes = 16;

/// The type of an instruction's elements; null if such an instruction cannot be opaque.
static Type memoryElement(MatrixElement element, MLIRContext *context) {
  switch (element) {
  case MatrixElement::F16:
    return Float16Type::get(context);
  case MatrixElement::BF16:
    return BFloat16Type::get(context);
  case MatrixElement::F32:
    return Float32Type::get(context);
  case MatrixElement::F64:
    return Float64Type::get(context);
  case MatrixElement::I8:
    return IntegerType::get(context, 8);
  case MatrixElement::I32:
    return IntegerType::get(context, 32);
  case MatrixElement::TF32:
  case MatrixElement::E4M3:
  case MatrixElement::E5M2:
    return {};
  }
  return {};
}

bool Lowering::readsPadded(tile::DotOp dot, unsigned operand) const {
  const DotPlan &plan = layouts.getDot(dot);
  if (!plan.instruction || !plan.instruction->isOpaque)
    return false;
  MatrixElement element = operand == 0 ? plan.instruction->a : plan.instruction->b;
  return getElementTypeOrSelf(dot->getOperand(operand).getType()) ==
         memoryElement(element, dot.getContext());
}

/// Coordinates of a layout that meet in no bit, so that a sum of images is the image of a sum.
static bool isDisjoint(const LinearLayout &layout) {
  uint64_t used = 0;
  for (const Dim &in : layout.getIns())
    for (uint64_t basis : layout.getBases(in.name)) {
      if (used & basis)
        return false;
      used |= basis;
    }
  return true;
}

std::optional<Lowering::Buffered> Lowering::paddedTile(RankedTensorType type, unsigned inner,
                                                       Type element,
                                                       const LinearLayout &writer) const {
  if (!isDisjoint(writer))
    return std::nullopt;
  auto bits = shapeBits(type.getShape());
  Buffered tile{{}, {}, {}, inner, element};
  tile.memory = LinearLayout::identity1D(bits[inner], kOffset, dimName(inner)) *
                LinearLayout::identity1D(bits[1 - inner], kOffset, dimName(1 - inner));
  tile.pitch = type.getDimSize(inner) * getScalarBytes(element) + kPaddingBytes;
  return tile;
}

int64_t Lowering::bytesOf(const Buffered &tile) const {
  unsigned bytes = getScalarBytes(tile.element);
  int64_t elements = int64_t(1) << tile.memory.totalInBits();
  if (!tile.pitch)
    return elements * bytes;
  return elements * bytes / (tile.pitch - kPaddingBytes) * tile.pitch;
}

Value Lowering::sumOverThread(ArrayRef<uint64_t> bases) {
  std::vector<uint64_t> key(bases.begin(), bases.end());
  if (auto it = threadSums.find(key); it != threadSums.end())
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(threadId);
  Location oldLoc = std::exchange(loc, kernel.getLoc());
  Value result;
  for (size_t bit = 0; bit < bases.size();) {
    size_t end = bit + 1;
    while (bases[bit] && end < bases.size() && bases[end] == bases[bit] << (end - bit))
      ++end;
    if (bases[bit]) {
      Value part = arith::ShRUIOp::create(b, loc, threadId, constant(int32_t(bit)));
      part = arith::AndIOp::create(b, loc, part, constant((1 << (end - bit)) - 1));
      part = arith::MulIOp::create(b, loc, part, constant(int32_t(bases[bit])));
      result = result ? Value(arith::AddIOp::create(b, loc, result, part)) : part;
    }
    bit = end;
  }
  if (!result)
    result = constant(0);
  loc = oldLoc;
  return threadSums[key] = result;
}

void Lowering::storePadded(Value vector, const LinearLayout &layout, const Buffered &tile,
                           bool ahead) {
  int64_t bytes = getScalarBytes(tile.element), line = tile.pitch - kPaddingBytes;
  unsigned perWord =
      (size_t(1) << layout.inBits(kRegister)) / cast<VectorType>(vector.getType()).getNumElements();
  SharedAccess access = *accessShared(layout, tile.memory, bytes, options.target->sharedModel);
  auto padded = [&](uint64_t offset) {
    int64_t flat = int64_t(offset) * bytes;
    return flat / line * tile.pitch + flat % line;
  };
  llvm::SmallVector<uint64_t, 16> bases = threadBases(access.offsets, kOffset);
  for (uint64_t &basis : bases)
    basis = padded(basis);
  Value start = sumOverThread(bases), first = isFirstHolder(layout);
  if (tile.slot)
    start = arith::AddIOp::create(b, loc, start, tile.slot);
  forEachAccess(access, [&](ArrayRef<unsigned> registers) {
    Value offset = start;
    if (uint64_t image = registerImage(access.offsets, registers[0], kOffset))
      offset = arith::AddIOp::create(b, loc, start, constant(int32_t(padded(image))));
    SharedStoreOp::create(b, loc, tile.buffer, offset, pick(vector, wordsOf(registers, perWord)),
                          first, ahead);
  });
}

Lowering::Buffered Lowering::stageMatrix(Value operand, Type element) {
  constexpr unsigned kForMatrices = ~0u;
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.staged.find({operand, kForMatrices}); found != scope.staged.end())
      return found->second;
  auto type = cast<RankedTensorType>(operand.getType());
  LinearLayout home = canonicalize(layoutOf(operand), laneBits(), warpBits());
  if (!isDisjoint(home))
    home = layouts.getDefault(type);
  unsigned inner = home.inBits(kRegister) && home.getBasis(kRegister, 0, dimName(0)) == 1 ? 0 : 1;

  // What does not change in a loop is stored once, before the loop.
  OpBuilder::InsertionGuard guard(b);
  Location oldLoc = loc;
  size_t target = hoist(operand);
  Value vector = get(operand, home);
  if (Type source = type.getElementType(); source != element)
    vector = castFloat(vector, source, element, element);
  Buffered tile = *paddedTile(type, inner, element, home);
  tile.buffer = SharedAllocOp::create(b, loc, bytesOf(tile));
  tile.slot = constant(0);
  storePadded(vector, home, tile, /*ahead=*/false);
  loc = oldLoc;
  scopes[target].staged[{operand, kForMatrices}] = tile;
  return tile;
}

Value Lowering::dotByMatrices(tile::DotOp op, const DotPlan &plan) {
  const MatrixInstruction &row = *plan.instruction;
  MLIRContext *context = b.getContext();
  struct Operand {
    Buffered tile;
    Value start;
    int64_t at(uint64_t row, uint64_t column) const {
      uint64_t line = tile.inner == 1 ? row : column, inLine = tile.inner == 1 ? column : row;
      return int64_t(line * tile.pitch + inLine * getScalarBytes(tile.element));
    }
  };
  auto place = [&](Value value, MatrixElement element, unsigned outerDim) {
    Type wanted = memoryElement(element, context);
    std::optional<Buffered> ring = findBuffered(value);
    Operand operand{ring ? *ring : stageMatrix(value, wanted), {}};
    llvm::SmallVector<uint64_t, 16> bases(laneBits());
    for (unsigned bit = 0; bit < warpBits(); ++bit) {
      uint64_t start = plan.d.getBasis(kWarp, bit, dimName(outerDim));
      bases.push_back(outerDim == 0 ? operand.at(start, 0) : operand.at(0, start));
    }
    operand.start = operand.tile.slot;
    if (llvm::any_of(bases, [](uint64_t basis) { return basis != 0; })) {
      Value &uniform = uniformSums[std::vector<uint64_t>(bases.begin(), bases.end())];
      if (!uniform) {
        Value sum = sumOverThread(bases);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointAfterValue(sum);
        // All lanes have it already; a shuffle tells the target's compiler so.
        uniform = shuffle(ShuffleMode::Index, sum, constant(0));
      }
      operand.start = arith::AddIOp::create(b, loc, operand.start, uniform);
    }
    return operand;
  };
  Operand a = place(op.getA(), row.a, 0), bb = place(op.getB(), row.b, 1);
  auto load = [&](const Operand &operand, MatrixType type, uint64_t row, uint64_t column) -> Value {
    Value offset = operand.start;
    if (int64_t bytes = operand.at(row, column))
      offset = arith::AddIOp::create(b, loc, offset, constant(int32_t(bytes)));
    return MatrixLoadOp::create(b, loc, type, operand.tile.buffer, offset, operand.tile.pitch,
                                operand.tile.inner == 0);
  };

  Value acc = get(op.getAcc(), plan.d);
  auto resultType = cast<VectorType>(acc.getType());
  auto accType = resultType.clone(memoryElement(row.acc, context));
  if (accType != resultType)
    acc = arith::ExtFOp::create(b, loc, accType, acc);
  auto aType = MatrixType::get(context, row.m, row.k, memoryElement(row.a, context), MatrixUse::A);
  auto bType = MatrixType::get(context, row.k, row.n, memoryElement(row.b, context), MatrixUse::B);
  auto dType =
      MatrixType::get(context, row.m, row.n, accType.getElementType(), MatrixUse::Accumulator);
  unsigned rows = 1u << plan.rowBits, columns = 1u << plan.columnBits;
  SmallVector<Type> types(size_t(rows) * columns, dType);
  auto from = MatrixFromRegistersOp::create(b, loc, types, acc);
  SmallVector<Value> tiles(from.getResults());
  unsigned fragmentBits = row.dLayout.inBits(kRegister);
  auto coordinate = [&](unsigned tile, unsigned dim) {
    return registerImage(plan.d, uint64_t(tile) << fragmentBits, dimName(dim));
  };
  for (unsigned step = 0; step < 1u << plan.stepBits; ++step) {
    uint64_t k = uint64_t(step) * row.k;
    SmallVector<Value, 8> left, right;
    for (unsigned i = 0; i < rows; ++i)
      left.push_back(load(a, aType, coordinate(i << plan.columnBits, 0), k));
    for (unsigned j = 0; j < columns; ++j)
      right.push_back(load(bb, bType, k, coordinate(j, 1)));
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < columns; ++j) {
        Value &sum = tiles[(i << plan.columnBits) | j];
        sum = MatrixMultiplyAddOp::create(b, loc, dType, left[i], right[j], sum);
      }
  }
  Value result = MatrixToRegistersOp::create(b, loc, accType, tiles);
  if (accType != resultType)
    result = arith::TruncFOp::create(b, loc, resultType, result);
  return result;
}
