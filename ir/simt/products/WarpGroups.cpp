// Products by instructions of warp groups: operands are read from shared memory where they are
// tiles of pipelined loops, else they are stored there first; the first operand may stay in
// registers if it is in the right ones. The instructions are asynchronous: a product waits for its
// own, unless the schedule says that it is in flight up to a sched.dot_wait.
//
// The plan may say that threads read an operand from its tile in turns (DotPlan), each of which is
// a group of instructions. Registers that a group reads are the hardware's until it is waited for,
// so the wait for a turn's group comes before the registers of the turn after the next are read, in
// this iteration of a loop or in the next one. In what follows the instruction's first operand is
// `left`, its second one `right`; the plan says which of the product's operands they are.
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/RingTile.h"
#include "ir/simt/ProductStrategy.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

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

/// A buffer for a tensor that warp groups read, with the dimension `inner` contiguous.
static SharedTile allocateTile(LowerContext &c, Value operand, Type element, unsigned inner) {
  auto type = cast<RankedTensorType>(operand.getType());
  const unsigned bytes = getScalarBytes(element);
  SharedTile tile{{}, {}, swizzledTile(type.getShape(), inner, bytes), inner, element};
  auto buffer = SharedAllocOp::create(c.b, type.getNumElements() * bytes);
  assert(makeTile(operand, element, inner).alignment() <= kMatrixTileAlignment);
  buffer.setAlignment(kMatrixTileAlignment);
  tile.buffer = buffer;
  tile.slot = constant(c.b, 0);
  return tile;
}

/// Stores registers in `layout` to the tile, in `slot` of its buffer (null: the first one), and
/// shows them to the instructions of warp groups. `ahead`: barriers are the caller's.
static LogicalResult fillTile(LowerContext &c, const SharedTile &tile, Value vector,
                              const LinearLayout &layout, Value slot = {}, bool ahead = false) {
  std::optional<SharedAccess> access =
      accessShared(layout, tile.memory, getScalarBytes(tile.element), c.target.sharedModel);
  if (!access)
    return c.reportInternal(c.b.getLoc(), "a buffer does not hold what is stored to it");
  storeShared(c, vector, layout, *access, tile.buffer, slot, ahead);
  AsyncFenceOp::create(c.b);
  return success();
}

/// Stores a product's operand to shared memory, for warp groups to read; with `anyOrder`, for
/// threads.
static FailureOr<SharedTile> store(LowerContext &c, Value operand, unsigned summed,
                                   const WarpGroupInstruction &row, bool anyOrder) {
  if (const SharedTile *stored = c.getStored(operand, summed))
    return *stored;
  Type element = elementType(operand.getType());
  LinearLayout home = c.canonicalize(c.layoutOf(operand));
  // In the order in which a thread has neighbours, if the instruction takes it.
  unsigned inner = summed;
  if (home.inBits(kRegister) && home.getBasis(kRegister, 0, dimName(1 - summed)) == 1 &&
      (anyOrder ||
       (row.takesAnyOrder && makeTile(operand, element, 1 - summed).isOperand(summed, row.k))))
    inner = 1 - summed;

  // A loop invariant is stored once, before the loop.
  PlaceGuard guard(c.b);
  size_t scope = c.hoist(operand);
  FailureOr<Value> vector = c.get(operand, home);
  if (failed(vector))
    return failure();
  SharedTile tile = allocateTile(c, operand, element, inner);
  if (failed(fillTile(c, tile, *vector, home)))
    return failure();
  c.setStored(scope, operand, summed, tile);
  return tile;
}

namespace {
class WarpGroupProduct {
public:
  WarpGroupProduct(LowerContext &c, tile::DotOp op, const DotPlan &plan)
      : c(c), op(op), plan(plan), row(*plan.warpGroup->instruction),
        columns(plan.warpGroup->columns), turns(std::max(plan.warpGroup->turns, 1u)),
        left(op->getOperand(plan.registerOperand())),
        right(op->getOperand(1 - plan.registerOperand())), leftSummed(1 - plan.registerOperand()),
        perInstruction(1u << row.resultLayout(columns).inBits(kRegister)) {
    steps = cast<RankedTensorType>(op.getA().getType()).getDimSize(1) / row.k / turns;
    // Accumulators may be wider than the result.
    widens = elementType(op.getType()).isF16() && row.acc == MatrixElement::F32;
  }
  FailureOr<Value> emit();

private:
  /// An operand in shared memory.
  struct Operand {
    Value buffer, offset; ///< Of this warp group's part.
    TileAttr tile;
  };
  Operand makeOperand(Value value, const SharedTile &tile, unsigned summed);
  FailureOr<SharedTile> findOrStore(Value value, unsigned summed, bool anyOrder = false);
  FailureOr<SharedTile> transposeTile(const SharedTile &from, bool inPlace);
  LogicalResult placeOperands();
  LogicalResult placeSums();
  FailureOr<Values> fragmentsOf(unsigned turn);
  LogicalResult emitTurn(unsigned turn);
  void emitInstructions(unsigned turn, ArrayRef<Value> fragments);
  bool isInTurns() const { return plan.warpGroup->turns != 0; }
  /// Where an instruction's part of the result begins, as its row (0) or column (1).
  uint64_t coordinate(unsigned tile, unsigned dim) const {
    return registerImage(plan.d, uint64_t(tile) * perInstruction,
                         dimName(plan.swapped ? 1 - dim : dim));
  }

  LowerContext &c;
  tile::DotOp op;
  const DotPlan &plan;
  const WarpGroupInstruction &row;
  unsigned columns;      ///< Of one instruction.
  unsigned turns, steps; ///< Steps along k of one turn.
  Value left, right;
  unsigned leftSummed;            ///< The dimension of `left` that is summed over.
  unsigned perInstruction;        ///< Registers of its result in a thread.
  std::optional<Operand> a, b;    ///< No `a`: it is in registers.
  std::optional<SharedTile> tile; ///< From which threads read it in turns.
  Values registers;               ///< Otherwise, all of it.
  SmallVector<Value, 8> tiles;
  bool widens = false;         ///< Sums are of float32, the result is not.
  bool startsAtZero = false;   ///< The first instructions do not read `tiles`.
  SmallVector<Values, 2> read; ///< Fragments of `left`, by turn.
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
  Operand operand{tile.buffer, tile.slot, {}};
  // Which part of the tile is this warp group's.
  unsigned outer = 1 - summed, groupBits = llvm::Log2_32(row.warps);
  SmallVector<uint64_t, 16> bases(c.laneBits() + groupBits);
  for (unsigned bit = groupBits; bit < c.warpBits(); ++bit) {
    uint64_t start = plan.d.getBasis(kWarp, bit, dimName(outer));
    bases.push_back(outer == 0 ? matrix.plainByte(start, 0) : matrix.plainByte(0, start));
  }
  if (llvm::any_of(bases, [](uint64_t basis) { return basis != 0; }))
    operand.offset = arith::AddIOp::create(c.b, operand.offset, c.threads.applyUniform(bases));
  if (plan.swapped) { // The instruction takes it transposed.
    std::swap(matrix.shape[0], matrix.shape[1]);
    matrix.inner = 1 - matrix.inner;
  }
  operand.tile =
      TileAttr::get(c.b.getContext(), matrix.shape[0], matrix.shape[1], tile.element, matrix.inner);
  return operand;
}

FailureOr<SharedTile> WarpGroupProduct::findOrStore(Value value, unsigned summed, bool anyOrder) {
  if (std::optional<SharedTile> found = findTile(c, value))
    return *found;
  return store(c, value, summed, row, anyOrder);
}

/// The tile of `right`, which lies across k, along k: in another buffer, or in its own place, where
/// nothing else reads it.
FailureOr<SharedTile> WarpGroupProduct::transposeTile(const SharedTile &from, bool inPlace) {
  const unsigned inner = 1 - from.inner;
  const LinearLayout &layout = plan.transposingLayout();
  FailureOr<Value> vector = readTile(c, from, layout, {0, 0});
  if (failed(vector))
    return failure();
  if (!inPlace) {
    SharedTile tile = allocateTile(c, right, from.element, inner);
    return failed(fillTile(c, tile, *vector, layout)) ? FailureOr<SharedTile>() : tile;
  }
  SharedTile tile = from;
  tile.inner = inner;
  tile.memory = swizzledTile(cast<RankedTensorType>(right.getType()).getShape(), inner,
                             getScalarBytes(from.element));
  // Products under way may read other slots of the ring, so that the barriers are made here.
  BarrierOp::create(c.b, c.barrierScope());
  if (failed(fillTile(c, tile, *vector, layout, tile.slot, /*ahead=*/true)))
    return failure();
  BarrierOp::create(c.b, c.barrierScope());
  return tile;
}

LogicalResult WarpGroupProduct::placeOperands() {
  if (!findTile(c, left) && schedule::isInFragments(left, plan.registers(), c.layouts)) {
    FailureOr<Values> all = c.getRegisters(left, plan.registers());
    if (failed(all))
      return failure();
    registers = *all;
  } else {
    FailureOr<SharedTile> found = findOrStore(left, leftSummed, /*anyOrder=*/isInTurns());
    if (failed(found))
      return failure();
    if (isInTurns())
      tile = *found;
    else
      a = makeOperand(left, *found, leftSummed);
  }
  FailureOr<SharedTile> found =
      findOrStore(right, 1 - leftSummed, /*anyOrder=*/plan.transposesTiles());
  if (succeeded(found) && plan.transposesTiles() && found->inner != 1 - leftSummed)
    found = transposeTile(*found, findTile(c, right) && schedule::isOnlyReader(right));
  if (failed(found))
    return failure();
  b = makeOperand(right, *found, 1 - leftSummed);
  return success();
}
/// Fragments of `left` for one turn: steps along k, then row tiles. None if it is read from shared
/// memory by the instructions.
FailureOr<Values> WarpGroupProduct::fragmentsOf(unsigned turn) {
  if (a)
    return Values();
  unsigned fragmentBits = row.aLayout.inBits(kRegister), stepBits = llvm::Log2_32(steps),
           turnBits = llvm::Log2_32(turns);
  size_t size = size_t(1) << fragmentBits;
  Values result;
  if (tile) {
    LinearLayout slice = withoutRegisters(plan.registers(), fragmentBits + stepBits, turnBits);
    SmallVector<uint64_t, 2> origin(2);
    origin[leftSummed] = uint64_t(turn) * steps * row.k;
    FailureOr<Value> all = readTile(c, *tile, slice, origin);
    if (failed(all))
      return failure();
    Values elements = unpack(c.b, *all);
    for (size_t start = 0; start < elements.size(); start += size)
      result.push_back(pack(c.b, ArrayRef(elements).slice(start, size)));
    return result;
  }
  // A fragment's registers, then steps along k, then row tiles.
  size_t ofTurn = size * steps;
  for (size_t start = turn * ofTurn; start < registers.size(); start += ofTurn * turns)
    for (size_t step = 0; step < steps; ++step)
      result.push_back(pack(c.b, ArrayRef(registers).slice(start + step * size, size)));
  return result;
}

void WarpGroupProduct::emitInstructions(unsigned turn, ArrayRef<Value> fragments) {
  StringAttr name = c.b.getStringAttr(row.name);
  auto shape = c.b.getDenseI64ArrayAttr({row.m, columns, row.k});
  auto place = [&](uint64_t i, uint64_t j) {
    return c.b.getDenseI64ArrayAttr({int64_t(i), int64_t(j)});
  };
  Value accumulates;
  if (startsAtZero && turn == 0)
    accumulates = arith::ConstantIntOp::create(c.b, 0, 1);
  for (unsigned step = 0; step < steps; ++step) {
    unsigned rowTile = 0;
    for (unsigned tile = 0; tile < tiles.size(); ++tile) {
      if (tile && !coordinate(tile, 1))
        ++rowTile;
      Value &sum = tiles[tile];
      uint64_t k = uint64_t(turn * steps + step) * row.k;
      auto product = GroupMmaOp::create(
          c.b, sum.getType(), name, shape, a ? Value() : fragments[step + size_t(rowTile) * steps],
          a ? a->buffer : Value(), a ? a->offset : Value(), b->buffer, b->offset, sum,
          a ? place(coordinate(tile, 0), k) : DenseI64ArrayAttr(), a ? a->tile : TileAttr(),
          place(k, coordinate(tile, 1)), b->tile, turn + step ? Value() : accumulates);
      sum = product.getResult();
    }
  }
  GroupMmaCommitOp::create(c.b);
}

LogicalResult WarpGroupProduct::emitTurn(unsigned turn) {
  // The groups that may still run are those of the last turns, of this product or, where it is in
  // flight, of the iteration before. One of them is kept running.
  if (tile && (turn > 1 || schedule::isInFlight(op)))
    GroupMmaWaitOp::create(c.b, TypeRange(), std::min(1u, turns - 1), ValueRange(),
                           turn > 1 ? ValueRange(read[turn - 2]) : ValueRange());
  FailureOr<Values> fragments = fragmentsOf(turn);
  if (failed(fragments))
    return failure();
  SmallVector<Value, 2> buffers{b->buffer};
  if (a)
    buffers.push_back(a->buffer);
  GroupMmaFenceOp::create(c.b, buffers, *fragments);
  emitInstructions(turn, *fragments);
  read.push_back(std::move(*fragments));
  return success();
}

/// The accumulators of all instructions: one's registers, then its column tiles, then its row
/// tiles. Where they are zeros the instructions need none.
LogicalResult WarpGroupProduct::placeSums() {
  startsAtZero = tile::isPositiveZero(op.getAcc());
  VectorType all = registerType(elementType(op.getType()), plan.d);
  Type sum = widens ? c.b.getF32Type() : all.getElementType();
  if (startsAtZero) {
    auto type = VectorType::get({perInstruction}, sum);
    tiles.append(all.getNumElements() / perInstruction, ub::PoisonOp::create(c.b, type));
    return success();
  }
  FailureOr<Value> start = c.get(op.getAcc(), plan.d);
  if (failed(start))
    return failure();
  Value vector = *start;
  if (widens)
    vector = arith::ExtFOp::create(c.b, all.clone(sum), vector);
  Values acc = unpack(c.b, vector);
  for (size_t start = 0; start < acc.size(); start += perInstruction)
    tiles.push_back(pack(c.b, ArrayRef(acc).slice(start, perInstruction)));
  return success();
}

FailureOr<Value> WarpGroupProduct::emit() {
  if (failed(placeOperands()) || failed(placeSums()))
    return failure();
  for (unsigned turn = 0; turn < turns; ++turn)
    if (failed(emitTurn(turn)))
      return failure();
  if (!schedule::isInFlight(op)) {
    Values kept;
    for (const Values &fragments : read)
      kept.append(fragments);
    auto wait = GroupMmaWaitOp::create(c.b, ValueRange(tiles).getTypes(), 0, tiles, kept);
    tiles.assign(wait.getResults().begin(), wait.getResults().end());
  }
  Values result;
  for (Value tile : tiles)
    result.append(unpack(c.b, tile));
  Value vector = pack(c.b, result);
  if (widens)
    vector = arith::TruncFOp::create(c.b, registerType(elementType(op.getType()), plan.d), vector);
  return vector;
}

unsigned simt::groupsInFlight(const DotPlan &plan) {
  return std::clamp(plan.warpGroup ? plan.warpGroup->turns : 0, 1u, 2u);
}

const ProductStrategy &simt::warpGroupStrategy() {
  static const WarpGroupStrategy strategy;
  return strategy;
}
