// Products by instructions of warp groups: operands are read from shared memory where they are
// tiles of pipelined loops, else they are stored there first; the first operand may stay in
// registers if it is in the right ones. The instructions are asynchronous: a product waits for its
// own, unless the schedule says that it is in flight up to a sched.dot_wait.
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/RingTile.h"
#include "ir/simt/ProductStrategy.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// A tensor in shared memory, or one that will be, with this dimension contiguous.
static MatrixTile makeTile(Value operand, Type element, unsigned inner) {
  auto type = cast<RankedTensorType>(operand.getType());
  return {{type.getDimSize(0), type.getDimSize(1)}, inner, getScalarBytes(element)};
}

/// Stores a product's operand to shared memory, for warp groups to read.
static FailureOr<SharedTile> store(LowerContext &c, Value operand, unsigned summed,
                                   const WarpGroupInstruction &row) {
  if (const SharedTile *stored = c.getStored(operand, summed))
    return *stored;
  auto type = cast<RankedTensorType>(operand.getType());
  Type element = elementType(type);
  unsigned bytes = getScalarBytes(element);
  LinearLayout home = c.canonicalize(c.layoutOf(operand));
  // In the order in which a thread has neighbours, if the instruction takes it.
  unsigned inner = summed;
  if (row.takesAnyOrder && home.inBits(kRegister) &&
      home.getBasis(kRegister, 0, dimName(1 - summed)) == 1 &&
      makeTile(operand, element, 1 - summed).isOperand(summed, row.k))
    inner = 1 - summed;

  // A loop invariant is stored once, before the loop.
  PlaceGuard guard(c.b);
  size_t scope = c.hoist(operand);
  FailureOr<Value> vector = c.get(operand, home);
  if (failed(vector))
    return failure();
  SharedTile tile{{}, {}, swizzledTile(type.getShape(), inner, bytes), inner, element};
  auto buffer = SharedAllocOp::create(c.b, type.getNumElements() * bytes);
  assert(makeTile(operand, element, inner).alignment() <= kMatrixTileAlignment);
  buffer.setAlignment(kMatrixTileAlignment);
  tile.buffer = buffer;
  tile.slot = constant(c.b, 0);
  std::optional<SharedAccess> access = accessShared(home, tile.memory, bytes, c.target.sharedModel);
  if (!access)
    return c.reportInternal(c.b.getLoc(), "a buffer does not hold what is stored to it");
  storeShared(c, *vector, home, *access, buffer);
  AsyncFenceOp::create(c.b);
  c.setStored(scope, operand, summed, tile);
  return tile;
}

namespace {
class WarpGroupProduct {
public:
  WarpGroupProduct(LowerContext &c, tile::DotOp op, const DotPlan &plan)
      : c(c), op(op), plan(plan), row(*plan.warpGroup->instruction),
        columns(plan.warpGroup->columns),
        perInstruction(1u << row.resultLayout(columns).inBits(kRegister)) {}
  FailureOr<Value> emit();

private:
  /// An operand in shared memory.
  struct Operand {
    Value buffer, offset; ///< Of this warp group's part.
    TileAttr tile;
  };
  Operand makeOperand(Value value, const SharedTile &tile, unsigned summed);
  LogicalResult placeOperands();
  void splitRegisters();
  void emitInstructions();
  uint64_t coordinate(unsigned tile, unsigned dim) const {
    return registerImage(plan.d, uint64_t(tile) * perInstruction, dimName(dim));
  }

  LowerContext &c;
  tile::DotOp op;
  const DotPlan &plan;
  const WarpGroupInstruction &row;
  unsigned columns;        ///< Of one instruction.
  unsigned perInstruction; ///< Registers of its result in a thread.
  unsigned steps = 0;
  std::optional<Operand> a, b; ///< No `a`: it is in registers.
  Values aRegisters;
  SmallVector<Value, 8> tiles;
  SmallVector<Value, 16> aTiles;
};

class WarpGroupStrategy final : public ProductStrategy {
public:
  FailureOr<Value> multiply(LowerContext &c, tile::DotOp op, const DotPlan &plan) const override {
    return WarpGroupProduct(c, op, plan).emit();
  }
};
} // namespace

WarpGroupProduct::Operand WarpGroupProduct::makeOperand(Value value, const SharedTile &tile,
                                                        unsigned summed) {
  MatrixTile matrix = makeTile(value, tile.element, tile.inner);
  // Rings are aligned before it is known who reads their tiles.
  assert(matrix.alignment() <= kMatrixTileAlignment);
  Operand operand{tile.buffer, tile.slot,
                  TileAttr::get(c.b.getContext(), matrix.shape[0], matrix.shape[1], tile.element,
                                matrix.inner)};
  // Which part of the tile is this warp group's.
  unsigned outer = 1 - summed, groupBits = llvm::Log2_32(row.warps);
  SmallVector<uint64_t, 16> bases(c.laneBits() + groupBits);
  for (unsigned bit = groupBits; bit < c.warpBits(); ++bit) {
    uint64_t start = plan.d.getBasis(kWarp, bit, dimName(outer));
    bases.push_back(outer == 0 ? matrix.plainByte(start, 0) : matrix.plainByte(0, start));
  }
  if (llvm::any_of(bases, [](uint64_t basis) { return basis != 0; }))
    operand.offset = arith::AddIOp::create(c.b, operand.offset, c.threads.applyUniform(bases));
  return operand;
}

LogicalResult WarpGroupProduct::placeOperands() {
  auto place = [&](Value value, unsigned summed) -> FailureOr<Operand> {
    if (std::optional<SharedTile> tile = findTile(c, value))
      return makeOperand(value, *tile, summed);
    FailureOr<SharedTile> stored = store(c, value, summed, row);
    if (failed(stored))
      return failure();
    return makeOperand(value, *stored, summed);
  };
  if (!findTile(c, op.getA()) && schedule::isInFragments(op.getA(), plan.a, c.layouts)) {
    FailureOr<Values> registers = c.getRegisters(op.getA(), plan.a);
    if (failed(registers))
      return failure();
    aRegisters = *registers;
  } else {
    FailureOr<Operand> operand = place(op.getA(), 1);
    if (failed(operand))
      return failure();
    a = *operand;
  }
  FailureOr<Operand> operand = place(op.getB(), 0);
  if (failed(operand))
    return failure();
  b = *operand;
  return success();
}

/// Of the first operand: a fragment's, then steps along k, then row tiles.
void WarpGroupProduct::splitRegisters() {
  if (a)
    return;
  unsigned rowTiles = 1;
  for (unsigned tile = 0; tile < tiles.size(); ++tile)
    if (!coordinate(tile, 1) && coordinate(tile, 0))
      ++rowTiles;
  size_t fragment = aRegisters.size() / (rowTiles * steps);
  for (size_t start = 0; start < aRegisters.size(); start += fragment)
    aTiles.push_back(pack(c.b, ArrayRef(aRegisters).slice(start, fragment)));
}

void WarpGroupProduct::emitInstructions() {
  StringAttr name = c.b.getStringAttr(row.name);
  auto shape = c.b.getDenseI64ArrayAttr({row.m, columns, row.k});
  auto place = [&](uint64_t i, uint64_t j) {
    return c.b.getDenseI64ArrayAttr({int64_t(i), int64_t(j)});
  };
  for (unsigned step = 0; step < steps; ++step) {
    unsigned rowTile = 0;
    for (unsigned tile = 0; tile < tiles.size(); ++tile) {
      if (tile && !coordinate(tile, 1))
        ++rowTile;
      Value &sum = tiles[tile];
      uint64_t k = uint64_t(step) * row.k;
      auto product = GroupMmaOp::create(
          c.b, sum.getType(), name, shape, a ? Value() : aTiles[step + size_t(rowTile) * steps],
          a ? a->buffer : Value(), a ? a->offset : Value(), b->buffer, b->offset, sum,
          a ? place(coordinate(tile, 0), k) : DenseI64ArrayAttr(), a ? a->tile : TileAttr(),
          place(k, coordinate(tile, 1)), b->tile);
      sum = product.getResult();
    }
  }
  GroupMmaCommitOp::create(c.b);
}

FailureOr<Value> WarpGroupProduct::emit() {
  if (failed(placeOperands()))
    return failure();
  // Registers of the result: an instruction's, then its column tiles, then its row tiles.
  steps = cast<RankedTensorType>(op.getA().getType()).getDimSize(1) / row.k;
  FailureOr<Value> start = c.get(op.getAcc(), plan.d);
  if (failed(start))
    return failure();
  // Accumulators may be wider than the result.
  Value accVector = *start;
  auto resultType = cast<VectorType>(accVector.getType());
  bool widens = resultType.getElementType().isF16() && row.acc == MatrixElement::F32;
  if (widens)
    accVector = arith::ExtFOp::create(c.b, resultType.clone(c.b.getF32Type()), accVector);
  Values acc = unpack(c.b, accVector);
  for (size_t start = 0; start < acc.size(); start += perInstruction)
    tiles.push_back(pack(c.b, ArrayRef(acc).slice(start, perInstruction)));
  splitRegisters();

  SmallVector<Value, 2> buffers{b->buffer};
  if (a)
    buffers.push_back(a->buffer);
  GroupMmaFenceOp::create(c.b, buffers);
  emitInstructions();
  if (!schedule::isInFlight(op)) {
    auto wait = GroupMmaWaitOp::create(c.b, ValueRange(tiles).getTypes(), 0, tiles, aTiles);
    tiles.assign(wait.getResults().begin(), wait.getResults().end());
  }
  Values result;
  for (Value tile : tiles)
    result.append(unpack(c.b, tile));
  Value vector = pack(c.b, result);
  if (widens)
    vector = arith::TruncFOp::create(c.b, resultType, vector);
  return vector;
}

const ProductStrategy &simt::warpGroupStrategy() {
  static const WarpGroupStrategy strategy;
  return strategy;
}
