// Loops whose schedule says that loads run ahead: some iterations before their use they fill the
// slots of rings in shared memory, and products read their fragments from there. Which loads, how
// many slots and by which means is the schedule's (ir/schedule); here it is expanded into what
// comes before the loop, the loop, and what comes after.
//
// Asynchronous copies fill a slot some iterations before it is read. Loads through registers of a
// later iteration are under way while this one's products run; the next iteration begins by
// storing them: to the one slot, between two barriers; or, with more slots, to one that nobody
// reads now, with one barrier for an iteration.
//
// What addresses and masks depend on is computed twice: once for the iteration at hand, and once
// for the iteration that is being fetched, with loop-carried values of its own that run ahead.
#include "ir/simt/LowerPipeline.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/RingTile.h"
#include "ir/simt/GlobalLoads.h"
#include "ir/simt/Handlers.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// The most that an asynchronous copy moves.
static constexpr unsigned kMostCopyBytes = 16;

namespace {
/// A loop with loads that run ahead.
class PipelinedLoop {
public:
  PipelinedLoop(LowerContext &c, scf::ForOp op);
  LogicalResult emit();

private:
  /// One of the loads, and its ring.
  struct Copy {
    tile::LoadOp load;
    RegisterGroups groups; ///< Of asynchronous copies.
    unsigned bytes;        ///< Of one element.
    int64_t slotBytes;
    SharedTile tile;
    SharedAccess access;  ///< Of registers to the tile.
    unsigned perWord = 1; ///< Registers that move as one 32-bit word.
  };

  Copy makeCopy(tile::LoadOp load);
  Value placeOf(const Copy &copy, Value slot) {
    return arith::MulIOp::create(c.b, slot, constant(c.b, copy.slotBytes));
  }
  Value isLess(Value x, Value y) {
    return arith::CmpIOp::create(c.b, arith::CmpIPredicate::slt, x, y);
  }
  /// One iteration's loads to registers, all of them or none.
  FailureOr<Values> loadAll(Value inRange);
  /// What has been loaded to its slot.
  void storeAll(ArrayRef<Value> loaded, Value slot, bool isAhead);
  /// Starts one iteration's copies.
  LogicalResult copyAll(Value inRange, Value slot);
  /// Starts the copies or loads of one iteration and steps to the next one's values.
  FailureOr<Values> fetch(Value induction, Value inRange, ArrayRef<Value> ahead, Value slot);
  LogicalResult emitStart();
  LogicalResult emitPrologue();
  LogicalResult emitBody();
  void emitEnd();
  Value advance(Value slot);

  LowerContext &c;
  scf::ForOp op;
  bool isAsync;
  int64_t slots;
  int64_t distance; ///< Iterations that are fetched ahead.
  Operation *yield;
  std::vector<Copy> copies;
  schedule::LoopSlice slice;
  SmallVector<Operation *> ops;      ///< What addresses and masks depend on, in order.
  SmallVector<tile::DotOp> deferred; ///< Products that go on into the next iteration.

  Location loopLoc = c.b.getLoc();
  Value lower, upper, step;
  Values inits, ahead; ///< Carried values, and those of the slice that run ahead.
  Values loaded;       ///< Registers on their way to a slot.
  Value induction, limit;
  scf::ForOp loop;
};
} // namespace

PipelinedLoop::PipelinedLoop(LowerContext &c, scf::ForOp op)
    : c(c), op(op), yield(op.getBody()->getTerminator()) {
  schedule::PipelineAttr pipeline = schedule::getPipeline(op);
  isAsync = pipeline.getCopies() == schedule::CopyKind::Chunks;
  slots = pipeline.getSlots();
  distance = pipeline.getDistance();
  for (auto load : op.getBody()->getOps<tile::LoadOp>())
    if (schedule::getRing(load)) {
      copies.push_back(makeCopy(load));
      Operation *blocker = slice.add(op, load);
      assert(!blocker && "the verifier accepted a load that cannot be computed ahead");
      (void)blocker;
    }
  ops = slice.inOrder();
  for (auto dot : op.getBody()->getOps<tile::DotOp>())
    if (schedule::isDeferred(dot))
      deferred.push_back(dot);
}

PipelinedLoop::Copy PipelinedLoop::makeCopy(tile::LoadOp load) {
  auto type = cast<RankedTensorType>(load.getType());
  schedule::RingAttr ring = schedule::getRing(load);
  const AccessPlan &plan = c.layouts.getAccess(load);
  Copy copy{load, {}, 0, schedule::slotBytesOf(type, ring), {}, {}, ring.getPerWord()};
  copy.tile = {
      {}, {}, schedule::memoryOf(type, ring), ring.getInner(), elementType(type), ring.getPitch()};
  copy.bytes = getScalarBytes(copy.tile.element);
  if (isAsync)
    copy.groups = groupRegisters(plan, copy.bytes, kMostCopyBytes);
  else
    copy.access = *accessShared(plan.layout, copy.tile.memory, copy.bytes, c.target.sharedModel);
  return copy;
}

FailureOr<Values> PipelinedLoop::loadAll(Value inRange) {
  SmallVector<Type> types;
  for (Copy &copy : copies) {
    VectorType type = registerType(copy.load.getType(), c.layouts.getAccess(copy.load).layout);
    if (copy.perWord > 1)
      type = VectorType::get({type.getNumElements() / copy.perWord}, c.b.getI32Type());
    types.push_back(type);
  }
  auto branch = scf::IfOp::create(c.b, types, inRange, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToEnd(branch.elseBlock());
  Values zeros, results;
  for (Type type : types)
    zeros.push_back(arith::ConstantOp::create(c.b, c.b.getZeroAttr(type)));
  scf::YieldOp::create(c.b, zeros);
  c.b.setInsertionPointToEnd(branch.thenBlock());
  LowerContext::Scope scope(c, branch.thenBlock(), /*isLoop=*/false);
  for (Copy &copy : copies) {
    c.b.setLoc(copy.load.getLoc());
    FailureOr<Value> result = loadRegisters(c, copy.load, copy.perWord);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  scf::YieldOp::create(c.b, results);
  return Values(branch.getResults());
}

void PipelinedLoop::storeAll(ArrayRef<Value> loaded, Value slot, bool isAhead) {
  for (auto [copy, registers] : llvm::zip(copies, loaded)) {
    c.b.setLoc(copy.load.getLoc());
    const LinearLayout &layout = c.layouts.getAccess(copy.load).layout;
    SharedTile tile = copy.tile;
    tile.slot = placeOf(copy, slot);
    if (tile.pitch)
      storePadded(c, registers, layout, tile, isAhead);
    else
      storeShared(c, registers, layout, copy.access, tile.buffer, tile.slot, isAhead);
  }
  // Instructions of warp groups see a thread's stores only after its fence.
  if (!c.target.warpGroupInstructions.empty())
    ProxyFenceOp::create(c.b);
}

LogicalResult PipelinedLoop::copyAll(Value inRange, Value slot) {
  for (Copy &copy : copies) {
    c.b.setLoc(copy.load.getLoc());
    const AccessPlan &plan = c.layouts.getAccess(copy.load);
    FailureOr<Values> pointers = c.getRegisters(copy.load.getPtr(), plan.layout),
                      masks = c.getRegisters(copy.load.getMask(), plan.layout);
    if (failed(pointers) || failed(masks))
      return failure();
    LinearLayout offsets = plan.layout.compose(*copy.tile.memory.invert());
    SmallVector<uint64_t, 16> bases = threadBases(offsets, kOffset);
    uint64_t bits = 0;
    for (uint64_t &basis : bases)
      bits |= basis *= copy.bytes;
    Value thread = c.threads.apply(bases);
    Value base = placeOf(copy, slot);
    for (const auto &group : copy.groups) {
      Value offset =
          offsetBy(c.b, thread, bits, registerImage(offsets, group[0], kOffset) * copy.bytes);
      offset = arith::AddIOp::create(c.b, offset, base);
      Value mask = conjunction(c.b, inRange, masks->empty() ? Value() : (*masks)[group[0]]);
      AsyncCopyOp::create(c.b, copy.tile.buffer, offset, (*pointers)[group[0]], mask,
                          unsigned(group.size() * copy.bytes));
    }
  }
  AsyncCommitOp::create(c.b);
  return success();
}

FailureOr<Values> PipelinedLoop::fetch(Value induction, Value inRange, ArrayRef<Value> ahead,
                                       Value slot) {
  LowerContext::Scope scope(c, c.b.getInsertionBlock(), /*isLoop=*/false);
  llvm::SaveAndRestore guarded(c.speculatedBlock, op.getBody());
  c.set(op.getInductionVar(), induction);
  for (auto [index, value] : llvm::zip(slice.carried, ahead))
    c.set(op.getRegionIterArg(index), value);
  for (Operation *inner : ops) {
    c.b.setLoc(inner->getLoc());
    if (failed(lowerOp(c, inner)))
      return failure();
  }
  if (isAsync) {
    if (failed(copyAll(inRange, slot)))
      return failure();
  } else {
    FailureOr<Values> registers = loadAll(inRange);
    if (failed(registers))
      return failure();
    loaded = *registers;
  }
  Values next;
  for (unsigned index : slice.carried) {
    FailureOr<Values> value = c.getAll(yield->getOperand(index), {op.getRegionIterArg(index)});
    if (failed(value))
      return failure();
    next.push_back((*value)[0]);
  }
  return next;
}

LogicalResult PipelinedLoop::emitPrologue() {
  induction = lower;
  Value inRange = isLess(lower, upper);
  for (unsigned index : slice.carried)
    ahead.push_back(inits[index]);
  for (int64_t stage = 0; stage < distance; ++stage) {
    FailureOr<Values> next = fetch(induction, inRange, ahead, constant(c.b, stage));
    if (failed(next))
      return failure();
    ahead = *next;
    if (!isAsync && stage + 1 < distance)
      storeAll(loaded, constant(c.b, stage), /*isAhead=*/false);
    c.b.setLoc(loopLoc);
    Value following = arith::AddIOp::create(c.b, induction, step);
    // Beyond the largest integer there is no iteration, whatever the sum is.
    inRange = conjunction(c.b, inRange,
                          conjunction(c.b, isLess(induction, following), isLess(following, upper)));
    induction = following;
  }
  // Iterations before `limit` have one `distance` later; sums that may wrap are not needed for it.
  limit = arith::SubIOp::create(c.b, induction, lower);
  limit = arith::SubIOp::create(c.b, upper, limit);
  limit = arith::SelectOp::create(c.b, inRange, limit, lower);
  return success();
}

Value PipelinedLoop::advance(Value slot) {
  Value following = arith::AddIOp::create(c.b, slot, constant(c.b, 1));
  Value wraps =
      arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, following, constant(c.b, slots));
  return arith::SelectOp::create(c.b, wraps, constant(c.b, 0), following);
}

LogicalResult PipelinedLoop::emitBody() {
  // Carried: the loop's own, the slice's ahead, registers, the slots to read and to fill, and the
  // induction variable ahead.
  auto arguments = loop.getRegionIterArgs();
  size_t size = arguments.size();
  Value readSlot = arguments[size - 3], writeSlot = arguments[size - 2],
        aheadInduction = arguments[size - 1];
  auto firstLoaded = arguments.begin() + inits.size() + ahead.size();
  Values aheadNow(arguments.begin() + inits.size(), firstLoaded);
  Value hasAhead = isLess(loop.getInductionVar(), limit);
  if (isAsync) {
    AsyncWaitOp::create(c.b, distance - 1);
  } else {
    if (slots > 1)
      BarrierOp::create(c.b, c.barrierScope());
    storeAll(Values(firstLoaded, arguments.end() - 3), writeSlot, /*isAhead=*/slots > 1);
    c.b.setLoc(loopLoc);
  }
  FailureOr<Values> next = Values();
  if (deferred.empty()) {
    next = fetch(aheadInduction, hasAhead, aheadNow, writeSlot);
    c.b.setLoc(loopLoc);
  }
  c.set(op.getInductionVar(), loop.getInductionVar());
  for (auto [from, to] : llvm::zip(op.getRegionIterArgs(), arguments))
    c.set(from, to);
  for (Copy &copy : copies) {
    SharedTile tile = copy.tile;
    tile.slot = placeOf(copy, readSlot);
    c.setTile(copy.load.getResult(), tile);
  }
  for (tile::DotOp dot : deferred)
    c.productsInFlight.insert(dot);
  if (failed(next) || failed(lowerBlock(c, *op.getBody())))
    return failure();
  c.b.setLoc(loopLoc);
  FailureOr<Values> results = c.getAll(yield->getOperands(), op.getRegionIterArgs());
  if (!deferred.empty()) {
    // While this iteration's products run, those of the last one end in all warps; then its tiles
    // are filled with what comes next. That way no copy waits for the tiles before its own.
    WgmmaWaitOp::create(c.b, TypeRange(), deferred.size(), ValueRange(), ValueRange());
    // What has been built for this iteration is not the next one's.
    LowerContext::Hidden hidden(c);
    next = fetch(aheadInduction, hasAhead, aheadNow, writeSlot);
    c.b.setLoc(loopLoc);
  }
  if (failed(results) || failed(next))
    return failure();
  results->append(*next);
  results->append(loaded);
  results->push_back(advance(readSlot));
  results->push_back(advance(writeSlot));
  results->push_back(arith::AddIOp::create(c.b, aheadInduction, step));
  scf::YieldOp::create(c.b, *results);
  return success();
}

/// The loop's bounds and first values, and the rings.
LogicalResult PipelinedLoop::emitStart() {
  FailureOr<Value> from = c.getScalar(op.getLowerBound()), to = c.getScalar(op.getUpperBound()),
                   by = c.getScalar(op.getStep());
  FailureOr<Values> carried = c.getAll(op.getInitArgs(), op.getRegionIterArgs());
  if (failed(from) || failed(to) || failed(by) || failed(carried))
    return failure();
  lower = *from, upper = *to, step = *by, inits = *carried;
  for (Copy &copy : copies) {
    auto buffer = SharedAllocOp::create(c.b, copy.slotBytes * slots);
    if (!c.target.warpGroupInstructions.empty())
      buffer.setAlignment(kMatrixTileAlignment);
    copy.tile.buffer = buffer;
  }
  return success();
}

void PipelinedLoop::emitEnd() {
  // What is still under way writes to memory that may be used for something else from here.
  if (isAsync)
    AsyncWaitOp::create(c.b, 0);
  else if (slots > 1)
    BarrierOp::create(c.b, c.barrierScope());
  for (auto [result, value] : llvm::zip(op.getResults(), loop.getResults()))
    c.set(result, value);
  if (deferred.empty())
    return;
  auto sumOf = [&](tile::DotOp dot) { return *schedule::carriedIndex(dot, op); };
  Values sums;
  for (tile::DotOp dot : deferred)
    sums.push_back(loop.getResult(sumOf(dot)));
  auto wait = WgmmaWaitOp::create(c.b, ValueRange(sums).getTypes(), 0, sums, ValueRange());
  for (auto [dot, sum] : llvm::zip(deferred, wait.getResults()))
    c.set(op.getResult(sumOf(dot)), sum);
}

LogicalResult PipelinedLoop::emit() {
  if (failed(emitStart()) || failed(emitPrologue()))
    return failure();
  Values all(inits);
  all.append(ahead);
  all.append(loaded);
  Value readSlot = constant(c.b, 0);
  // Of registers, the last iteration is in none of the slots.
  Value writeSlot = constant(c.b, isAsync ? distance : distance - 1);
  all.append({readSlot, writeSlot, induction});
  loop = scf::ForOp::create(c.b, lower, upper, step, all);
  loop->setDiscardableAttrs(schedule::withoutSchedule(op->getDiscardableAttrDictionary()));
  {
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToEnd(loop.getBody());
    LowerContext::Scope scope(c, loop.getBody(), /*isLoop=*/true);
    if (failed(emitBody()))
      return failure();
  }
  emitEnd();
  return success();
}

LogicalResult simt::lowerPipelined(LowerContext &c, scf::ForOp op) {
  return PipelinedLoop(c, op).emit();
}
