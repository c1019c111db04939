// See MatrixRegisters.h.
#include "ir/simt/MatrixRegisters.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

//===----------------------------------------------------------------------===//
// What loops carry
//===----------------------------------------------------------------------===//

/// The matrices that `registers` are, or nothing.
static MatrixToRegistersOp matricesOf(Value registers) {
  return registers.getDefiningOp<MatrixToRegistersOp>();
}

/// The types of matrices as which the loop's carried value can be carried; empty if it cannot.
static TypeRange typesToCarry(scf::ForOp loop, unsigned index) {
  MatrixToRegistersOp next = matricesOf(loop.getYieldedValues()[index]);
  BlockArgument argument = loop.getRegionIterArg(index);
  if (!next || argument.use_empty())
    return {};
  TypeRange types = next.getMatrices().getTypes();
  bool fits = llvm::all_of(argument.getUsers(), [&](Operation *user) {
    auto from = dyn_cast<MatrixFromRegistersOp>(user);
    return from && from.getResultTypes() == types;
  });
  return fits ? types : TypeRange();
}

static bool carryIn(scf::ForOp loop) {
  SmallVector<unsigned> numbers;
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
    if (!typesToCarry(loop, index).empty())
      numbers.push_back(index);
  if (numbers.empty())
    return false;
  // The new values replace the old ones.
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inits, yielded;
  SmallVector<std::pair<unsigned, unsigned>> places; // of each old value: where, how many matrices
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index) {
    Value init = loop.getInitArgs()[index], next = loop.getYieldedValues()[index];
    if (!llvm::is_contained(numbers, index)) {
      places.push_back({unsigned(inits.size()), 0});
      inits.push_back(init);
      yielded.push_back(next);
      continue;
    }
    auto matrices = matricesOf(next).getMatrices();
    places.push_back({unsigned(inits.size()), unsigned(matrices.size())});
    auto from = MatrixFromRegistersOp::create(b, loc, matrices.getTypes(), init);
    llvm::append_range(inits, from.getResults());
    llvm::append_range(yielded, matrices);
  }
  auto carried = scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                                    loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  carried->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = carried.getBody(), *old = loop.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  old->getTerminator()->setOperands(yielded);
  body->getOperations().splice(body->end(), old->getOperations());
  loop.getInductionVar().replaceAllUsesWith(carried.getInductionVar());
  b.setInsertionPointAfter(carried);
  for (unsigned index = 0; index < places.size(); ++index) {
    auto [place, count] = places[index];
    BlockArgument argument = loop.getRegionIterArg(index);
    if (!count) {
      argument.replaceAllUsesWith(carried.getRegionIterArg(place));
      loop.getResult(index).replaceAllUsesWith(carried.getResult(place));
      continue;
    }
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      user->replaceAllUsesWith(carried.getRegionIterArgs().slice(place, count));
      user->erase();
    }
    Value result = MatrixToRegistersOp::create(b, loc, argument.getType(),
                                               carried.getResults().slice(place, count));
    loop.getResult(index).replaceAllUsesWith(result);
  }
  loop.erase();
  return true;
}

/// A constant whose elements are all the same, or null.
static TypedAttr splatOf(Value registers) {
  auto constant = registers.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  return elements ? cast<TypedAttr>(elements.getSplatValue<Attribute>()) : TypedAttr();
}

static void simplify(func::FuncOp kernel) {
  SmallVector<MatrixFromRegistersOp> sources;
  kernel.walk([&](MatrixFromRegistersOp op) { sources.push_back(op); });
  for (MatrixFromRegistersOp op : sources) {
    auto matrices = matricesOf(op.getRegisters());
    OpBuilder b(op);
    if (matrices && matrices.getMatrices().getTypes() == op.getResultTypes()) {
      op->replaceAllUsesWith(matrices.getMatrices());
    } else if (TypedAttr scalar = splatOf(op.getRegisters())) {
      Value value = arith::ConstantOp::create(b, op.getLoc(), scalar);
      Value splat = MatrixSplatOp::create(b, op.getLoc(), op.getResultTypes()[0], value);
      for (Value result : op.getResults())
        result.replaceAllUsesWith(splat);
    }
    if (op.use_empty())
      op.erase();
  }
  SmallVector<MatrixToRegistersOp> targets;
  kernel.walk([&](MatrixToRegistersOp op) { targets.push_back(op); });
  for (MatrixToRegistersOp op : targets)
    if (op.use_empty())
      op.erase();
}

void simt::carryMatrices(func::FuncOp kernel) {
  SmallVector<scf::ForOp> loops; // inner ones first
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // An outer loop is replaced after the loops inside of it, which move to the new one.
  for (scf::ForOp loop : loops)
    carryIn(loop);
  simplify(kernel);
}

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

namespace {
/// Moves the matrices of one op, some at a time, through the slots of all warps.
class Mover {
public:
  Mover(func::FuncOp kernel, unsigned numWarps, const TargetInfo &target)
      : numWarps(numWarps), target(target), b(kernel.getContext()) {
    for (auto op : kernel.getOps<ThreadIdOp>()) {
      threadId = op;
      break;
    }
    b.setInsertionPointToStart(&kernel.getBody().front());
    if (threadId)
      b.setInsertionPointAfterValue(threadId);
    else
      threadId = ThreadIdOp::create(b, kernel.getLoc());
    afterThreadId = b.saveInsertionPoint();
  }
  void run(MatrixFromRegistersOp op);
  void run(MatrixToRegistersOp op);

private:
  /// How matrices of `type` go through a slot.
  struct Way {
    int64_t pitch, matrixBytes;
    unsigned run, accesses; ///< Elements of an access, accesses of a lane for one matrix.
    unsigned atOnce;        ///< Matrices in a slot.
    Value buffer, warpStart,
        laneStart; ///< Byte offsets: of the warp's slot, of a lane's first run.
  };
  Way makeWay(MatrixType type, unsigned matrices);
  Value constant(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }
  Value at(Value start, int64_t bytes) {
    return bytes ? Value(arith::AddIOp::create(b, loc, start, constant(bytes))) : start;
  }
  int64_t accessOffset(const Way &way, unsigned matrix, unsigned access) const {
    return matrix * way.matrixBytes + access * (way.matrixBytes / way.accesses);
  }

  unsigned numWarps;
  const TargetInfo &target;
  OpBuilder b;
  OpBuilder::InsertPoint afterThreadId;
  Location loc{UnknownLoc::get(b.getContext())};
  Value threadId;
};
} // namespace

Mover::Way Mover::makeWay(MatrixType type, unsigned matrices) {
  Way way;
  unsigned bytes = getScalarBytes(type.getElementType());
  unsigned elements = type.getRows() * type.getColumns(), perLane = elements / target.warpSize;
  way.pitch = type.getColumns() * bytes;
  way.matrixBytes = int64_t(elements) * bytes;
  way.run = std::min(perLane, 16 / bytes);
  way.accesses = perLane / way.run;
  uint64_t most = target.budget().forMatrixSlots() / numWarps / way.matrixBytes;
  way.atOnce = std::min<uint64_t>(matrices, llvm::bit_floor(std::max<uint64_t>(most, 1)));
  int64_t slotBytes = way.matrixBytes * way.atOnce;
  auto buffer = SharedAllocOp::create(b, loc, slotBytes * numWarps);
  buffer.setPerWarp(true);
  way.buffer = buffer;
  OpBuilder::InsertionGuard guard(b);
  b.restoreInsertionPoint(afterThreadId);
  Value lanes = constant(target.warpSize);
  Value lane = arith::RemUIOp::create(b, loc, threadId, lanes);
  Value warp = arith::DivUIOp::create(b, loc, threadId, lanes);
  // All lanes have it already; a shuffle tells the target's compiler so.
  Value uniform = ShuffleOp::create(b, loc, warp.getType(), ShuffleMode::Index, warp, constant(0));
  Value slot = constant(slotBytes);
  way.warpStart = arith::MulIOp::create(b, loc, uniform, slot);
  way.laneStart = arith::AddIOp::create(
      b, loc, way.warpStart, arith::MulIOp::create(b, loc, lane, constant(way.run * bytes)));
  afterThreadId = b.saveInsertionPoint();
  return way;
}

void Mover::run(MatrixFromRegistersOp op) {
  b.setInsertionPoint(op);
  loc = op.getLoc();
  auto type = cast<MatrixType>(op.getResultTypes()[0]);
  unsigned count = op.getNumResults();
  Way way = makeWay(type, count);
  auto elements = vector::ToElementsOp::create(b, loc, op.getRegisters()).getResults();
  auto access = VectorType::get({way.run}, type.getElementType());
  for (unsigned first = 0; first < count; first += way.atOnce) {
    for (unsigned i = 0; i < way.atOnce; ++i)
      for (unsigned part = 0; part < way.accesses; ++part) {
        unsigned start = ((first + i) * way.accesses + part) * way.run;
        Value vector =
            vector::FromElementsOp::create(b, loc, access, elements.slice(start, way.run));
        SharedStoreOp::create(b, loc, way.buffer, at(way.laneStart, accessOffset(way, i, part)),
                              vector, Value());
      }
    for (unsigned i = 0; i < way.atOnce; ++i) {
      Value matrix =
          MatrixLoadOp::create(b, loc, type, way.buffer, at(way.warpStart, i * way.matrixBytes),
                               way.pitch, /*column_major=*/false);
      op.getResult(first + i).replaceAllUsesWith(matrix);
    }
  }
  op.erase();
}

void Mover::run(MatrixToRegistersOp op) {
  b.setInsertionPoint(op);
  loc = op.getLoc();
  auto type = cast<MatrixType>(op.getMatrices()[0].getType());
  unsigned count = op.getMatrices().size();
  Way way = makeWay(type, count);
  auto access = VectorType::get({way.run}, type.getElementType());
  SmallVector<Value> elements;
  for (unsigned first = 0; first < count; first += way.atOnce) {
    for (unsigned i = 0; i < way.atOnce; ++i)
      MatrixStoreOp::create(b, loc, way.buffer, at(way.warpStart, i * way.matrixBytes),
                            op.getMatrices()[first + i], way.pitch);
    for (unsigned i = 0; i < way.atOnce; ++i)
      for (unsigned part = 0; part < way.accesses; ++part) {
        Value loaded = SharedLoadOp::create(b, loc, access, way.buffer,
                                            at(way.laneStart, accessOffset(way, i, part)));
        llvm::append_range(elements, vector::ToElementsOp::create(b, loc, loaded).getResults());
      }
  }
  op.getRegisters().replaceAllUsesWith(
      vector::FromElementsOp::create(b, loc, op.getRegisters().getType(), elements));
  op.erase();
}

void simt::moveMatricesThroughShared(func::FuncOp kernel, unsigned numWarps,
                                     const TargetInfo &target) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<MatrixFromRegistersOp, MatrixToRegistersOp>(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  Mover mover(kernel, numWarps, target);
  for (Operation *op : ops)
    if (auto from = dyn_cast<MatrixFromRegistersOp>(op))
      mover.run(from);
    else
      mover.run(cast<MatrixToRegistersOp>(op));
}
