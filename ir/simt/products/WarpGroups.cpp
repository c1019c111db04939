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

/// The bits of a warp's number inside its group.
static constexpr unsigned kGroupWarpBits = 2;

/// The offset, in elements, of the element at `at` along `dim` and `other` along the other one.
static uint64_t offsetOf(const LinearLayout &toOffset, unsigned dim, uint64_t at, uint64_t other) {
  SmallVector<uint64_t, 2> coordinates;
  for (const Dim &in : toOffset.getIns())
    coordinates.push_back(in.name == dimName(dim) ? at : other);
  return toOffset.apply(coordinates)[0];
}

/// Stores a product's operand to shared memory, for warp groups to read.
static FailureOr<SharedTile> store(LowerContext &c, Value operand, unsigned summed,
                                   bool takesAnyOrder) {
  if (const SharedTile *stored = c.getStored(operand, summed))
    return *stored;
  auto type = cast<RankedTensorType>(operand.getType());
  Type element = elementType(type);
  unsigned bytes = getScalarBytes(element);
  LinearLayout home = c.canonicalize(c.layoutOf(operand));
  // In the order in which a thread has neighbours, if the instruction takes it.
  unsigned inner = summed;
  if (takesAnyOrder && home.inBits(kRegister) &&
      home.getBasis(kRegister, 0, dimName(1 - summed)) == 1 &&
      describeTile(type.getShape(), 1 - summed, bytes, summed))
    inner = 1 - summed;

  // A loop invariant is stored once, before the loop.
  PlaceGuard guard(c.b);
  size_t scope = c.hoist(operand);
  FailureOr<Value> vector = c.get(operand, home);
  if (failed(vector))
    return failure();
  SharedTile tile{{}, {}, swizzledTile(type.getShape(), inner, bytes), inner, element};
  auto buffer = SharedAllocOp::create(c.b, type.getNumElements() * bytes);
  buffer.setAlignment(kMatrixTileAlignment);
  tile.buffer = buffer;
  tile.slot = constant(c.b, 0);
  std::optional<SharedAccess> access = accessShared(home, tile.memory, bytes, c.target.sharedModel);
  if (!access)
    return c.reportInternal(c.b.getLoc(), "a buffer does not hold what is stored to it");
  storeShared(c, *vector, home, *access, buffer);
  ProxyFenceOp::create(c.b);
  c.setStored(scope, operand, summed, tile);
  return tile;
}

namespace {
class WarpGroupProduct {
public:
  WarpGroupProduct(LowerContext &c, tile::DotOp op, const DotPlan &plan)
      : c(c), op(op), plan(plan), row(*plan.warpGroup->instruction),
        columns(plan.warpGroup->columns) {}
  FailureOr<Value> emit();

private:
  /// An operand in shared memory.
  struct Operand {
    SharedTile tile;
    MatrixDescription description;
    LinearLayout toOffset;
    Value offset;
    int64_t startOf(unsigned outerDim, uint64_t outer, uint64_t inner) const {
      return int64_t(offsetOf(toOffset, outerDim, outer, inner) * getScalarBytes(tile.element));
    }
    SmallVector<int64_t, 3> strides() const {
      return {description.swizzleBytes, int64_t(description.leadingBytes),
              int64_t(description.strideBytes)};
    }
  };
  Operand makeOperand(Value value, const SharedTile &tile, unsigned summed);
  LogicalResult placeOperands();
  void splitRegisters();
  void emitInstructions();
  uint64_t coordinate(unsigned tile, unsigned dim) const {
    return registerImage(plan.d, uint64_t(tile) << llvm::Log2_32(columns / 2), dimName(dim));
  }

  LowerContext &c;
  tile::DotOp op;
  const DotPlan &plan;
  const WarpGroupInstruction &row;
  unsigned columns; ///< Of one instruction.
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
  auto type = cast<RankedTensorType>(value.getType());
  unsigned bytes = getScalarBytes(tile.element);
  Operand operand{tile, *describeTile(type.getShape(), tile.inner, bytes, summed),
                  *tile.memory.invert(), tile.slot};
  // Which part of the tile is this warp group's.
  std::string outer = dimName(1 - summed);
  SmallVector<uint64_t, 16> bases(c.laneBits() + kGroupWarpBits);
  for (unsigned bit = kGroupWarpBits; bit < c.warpBits(); ++bit) {
    uint64_t start = plan.d.getBasis(kWarp, bit, outer);
    bases.push_back(offsetOf(operand.toOffset, 1 - summed, start, 0) * bytes);
  }
  if (llvm::any_of(bases, [](uint64_t basis) { return basis != 0; }))
    operand.offset = arith::AddIOp::create(c.b, operand.offset, c.threads.applyUniform(bases));
  return operand;
}

LogicalResult WarpGroupProduct::placeOperands() {
  auto place = [&](Value value, unsigned summed) -> FailureOr<Operand> {
    if (std::optional<SharedTile> tile = findTile(c, value))
      return makeOperand(value, *tile, summed);
    FailureOr<SharedTile> stored = store(c, value, summed, row.takesAnyOrder);
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
  std::string name =
      "m64n" + std::to_string(columns) + "k" + std::to_string(row.k) + "." + row.types;
  for (unsigned step = 0; step < steps; ++step) {
    unsigned rowTile = 0;
    for (unsigned tile = 0; tile < tiles.size(); ++tile) {
      if (tile && !coordinate(tile, 1))
        ++rowTile;
      Value &sum = tiles[tile];
      uint64_t k = uint64_t(step) * row.k;
      auto product = WgmmaOp::create(
          c.b, sum.getType(), name, a ? Value() : aTiles[step + size_t(rowTile) * steps],
          a ? a->tile.buffer : Value(), a ? a->offset : Value(), b->tile.buffer, b->offset, sum,
          a ? a->startOf(0, coordinate(tile, 0), k) : 0,
          a ? a->strides() : SmallVector<int64_t, 3>(), a && !a->description.isKMajor,
          b->startOf(1, coordinate(tile, 1), k), b->strides(), !b->description.isKMajor);
      sum = product.getResult();
    }
  }
  WgmmaCommitOp::create(c.b);
}

FailureOr<Value> WarpGroupProduct::emit() {
  if (failed(placeOperands()))
    return failure();
  // Registers of the result: an instruction's, then its column tiles, then its row tiles.
  steps = cast<RankedTensorType>(op.getA().getType()).getDimSize(1) / row.k;
  unsigned perInstruction = columns / 2;
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

  SmallVector<Value, 2> buffers{b->tile.buffer};
  if (a)
    buffers.push_back(a->tile.buffer);
  WgmmaFenceOp::create(c.b, buffers);
  emitInstructions();
  if (!schedule::isInFlight(op)) {
    auto wait = WgmmaWaitOp::create(c.b, ValueRange(tiles).getTypes(), 0, tiles, aTiles);
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
