// Loops whose loads feed products: the loads run some iterations ahead into a ring of buffers in
// shared memory, and the products read their fragments from there.
//
// Where the target has asynchronous copies they fill the ring. Where it has not, the loads of a
// later iteration are under way to registers while this one's products run; the next iteration
// begins by storing them: to the one buffer, between two barriers; or, in a ring of two, to the
// buffer that nobody reads now, with one barrier for an iteration.
//
// What addresses and masks depend on is computed twice: once for the iteration at hand, and once
// for the iteration that is being fetched, with loop-carried values of its own that run ahead.
#include "ir/simt/LowerPipeline.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/SharedMemory.h"
#include "ir/layout/TensorLayout.h"
#include "ir/simt/GlobalLoads.h"
#include "ir/simt/Handlers.h"
#include "ir/simt/LoopHazards.h"
#include "ir/simt/ProductStrategy.h"
#include "ir/tile/TileUtils.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

namespace {
/// What the addresses and masks of a loop's loads depend on inside of it.
struct Slice {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<unsigned> carried; ///< Numbers of loop-carried values.
};
} // namespace

/// Whether `op` may be executed for an iteration that there is not: divisions are guarded then.
static bool mayRunAhead(Operation *op) { return isSpeculatable(op) || tile::isDivision(op); }

/// Adds what `value` depends on; false if that is more than cheap arithmetic.
static bool addToSlice(scf::ForOp loop, Value value, Slice &slice) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
        continue;
      unsigned index = argument.getArgNumber() - 1;
      if (slice.carried.insert(index))
        work.push_back(loop.getBody()->getTerminator()->getOperand(index));
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody() || slice.ops.contains(op))
      continue;
    if (op->getNumRegions() || !isMemoryEffectFree(op) || !mayRunAhead(op) ||
        isa<tile::DotOp, tile::GatherOp, tile::HistogramOp>(op))
      return false;
    slice.ops.insert(op);
    work.append(op->operand_begin(), op->operand_end());
  }
  return true;
}

/// Whether all users are products in the loop's body, at most a transposition away.
static bool feedsProducts(Value value, Block *body) {
  if (value.use_empty())
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getBlock() != body)
      return false;
    if (auto trans = dyn_cast<tile::TransOp>(user))
      return feedsProducts(trans.getResult(), body);
    return isa<tile::DotOp>(user) && use.getOperandNumber() < 2;
  });
}

/// The load behind transpositions, or null.
static Operation *loadOf(Value operand) {
  while (auto trans = operand.getDefiningOp<tile::TransOp>())
    operand = trans.getSource();
  return operand.getDefiningOp<tile::LoadOp>();
}

/// The number of the loop-carried value to which the product adds.
static unsigned carriedIndex(tile::DotOp dot, scf::ForOp loop) {
  return cast<BlockArgument>(dot.getAcc()).getArgNumber() - loop.getNumInductionVars();
}

/// Whether nothing but the next iteration's product wants this one's result.
static bool runsOn(tile::DotOp dot, scf::ForOp loop, const LayoutAssignment &layouts) {
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || acc == loop.getInductionVar() ||
      !acc.hasOneUse() || !dot.getResult().hasOneUse())
    return false;
  Operation *yield = loop.getBody()->getTerminator();
  unsigned index = carriedIndex(dot, loop);
  const LinearLayout &layout = layouts.getDot(dot).d;
  // Nor may it be rounded between iterations.
  if (getElementTypeOrSelf(dot.getType()).isF16() &&
      layouts.getDot(dot).warpGroup->instruction->acc != MatrixElement::F16)
    return false;
  auto isThere = [&](Value value) {
    const LinearLayout *home = layouts.getHome(value);
    return home && *home == layout;
  };
  return yield->getOperand(index) == dot.getResult() && isThere(acc) && isThere(dot.getResult()) &&
         isThere(loop.getResult(index));
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

int64_t simt::stagesOf(scf::ForOp loop, const LowerOptions &options) {
  int64_t stages = options.numStages;
  if (auto own = loop->getAttrOfType<IntegerAttr>("tile.num_stages"))
    stages = own.getValue().trySExtValue().value_or(1);
  return std::min(stages, kMaxStages);
}

namespace {
/// What reads a loaded tile.
enum class Reader { Any, Padded, None };
} // namespace

/// Which tile suits all products that read `value`; None if there is no such tile.
static Reader
readerOf(Value value,
         llvm::function_ref<Reader(tile::DotOp dot, unsigned operand)> readerOfOperand) {
  std::optional<Reader> common;
  for (OpOperand &use : value.getUses()) {
    auto trans = dyn_cast<tile::TransOp>(use.getOwner());
    Reader reader =
        trans ? readerOf(trans.getResult(), readerOfOperand)
              : readerOfOperand(cast<tile::DotOp>(use.getOwner()), use.getOperandNumber());
    if (common.value_or(reader) != reader)
      return Reader::None;
    common = reader;
  }
  return common.value_or(Reader::None);
}

namespace {
/// A loop with loads that run ahead.
class PipelinedLoop {
public:
  PipelinedLoop(LowerContext &c, scf::ForOp op)
      : c(c), op(op), isAsync(c.target.hasAsyncCopy), yield(op.getBody()->getTerminator()) {}
  /// Which loads run ahead and how far; false if none does.
  bool decide();
  LogicalResult emit();

private:
  /// One of the loads, and its tiles.
  struct Copy {
    tile::LoadOp load;
    RegisterGroups groups;
    unsigned bytes; ///< Of one element.
    int64_t tileBytes;
    SharedTile tile;
    SharedAccess access;  ///< Of registers to the tile.
    unsigned perWord = 1; ///< Registers that move as one 32-bit word.
  };

  std::optional<Copy> planCopy(tile::LoadOp load);
  Value placeOf(const Copy &copy, Value slot) {
    return arith::MulIOp::create(c.b, slot, constant(c.b, copy.tileBytes));
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
  LogicalResult emitPrologue();
  LogicalResult emitBody();
  Value advance(Value slot);

  LowerContext &c;
  scf::ForOp op;
  bool isAsync;
  Operation *yield;
  std::vector<Copy> copies;
  SmallVector<Operation *> ops; ///< What addresses and masks depend on, in order.
  Slice slice;
  SmallVector<tile::DotOp> deferred; ///< Products that go on into the next iteration.
  int64_t total = 0;                 ///< Bytes of one slot of each copy.
  int64_t staged = 0;                ///< What products store to shared memory on their own.
  int64_t slots = 0;
  int64_t distance = 0; ///< Iterations that are fetched ahead.

  Location loopLoc = c.b.getLoc();
  Value lower, upper, step;
  Values inits, ahead; ///< Carried values, and those of the slice that run ahead.
  Values loaded;       ///< Registers on their way to a slot.
  Value induction, limit;
  scf::ForOp loop;
};
} // namespace

std::optional<PipelinedLoop::Copy> PipelinedLoop::planCopy(tile::LoadOp load) {
  auto type = cast<RankedTensorType>(load.getType());
  Copy copy{load, {}, getScalarBytes(elementType(type)), 0, {}, {}, 1};
  const AccessPlan &plan = c.layouts.getAccess(load);
  unsigned inner = plan.tileInner.value_or(plan.order.front());
  copy.tile = {{}, {}, {}, inner, elementType(type)};
  copy.groups = groupRegisters(plan, copy.bytes, isAsync ? 16 : c.target.maxVectorBytes);
  if (isAsync) {
    if (load.getOther() && !tile::isPositiveZero(load.getOther()))
      return std::nullopt;
    if (copy.groups.front().size() * copy.bytes < 4)
      return std::nullopt;
  }
  Reader reader = readerOf(load.getResult(), [&](tile::DotOp dot, unsigned operand) {
    const MatrixInstruction *row = c.layouts.getDot(dot).instruction;
    if (!row || !row->isOpaque)
      return Reader::Any;
    return !isAsync && readsPadded(dot, operand, c.layouts.getDot(dot)) ? Reader::Padded
                                                                        : Reader::None;
  });
  if (reader == Reader::Padded) {
    auto tile = paddedTile(type, inner, copy.tile.element, plan.layout);
    if (!tile)
      return std::nullopt;
    copy.tile = *tile;
  } else if (reader == Reader::Any) {
    copy.tile.memory = swizzledTile(type.getShape(), inner, copy.bytes);
  } else {
    return std::nullopt;
  }
  if (!isAsync) {
    auto access = accessShared(plan.layout, copy.tile.memory, copy.bytes, c.target.sharedModel);
    if (!access)
      return std::nullopt;
    copy.access = std::move(*access);
    // What is narrower than a word stays as many to a word as it was in memory, if it goes to
    // shared memory in the same words.
    unsigned perWord = copy.bytes < 4 ? 4 / copy.bytes : 1;
    bool moveAsWords = llvm::all_of(
        copy.groups, [&](ArrayRef<unsigned> group) { return areWords(group, perWord); });
    forEachAccess(copy.access, [&](ArrayRef<unsigned> registers) {
      moveAsWords &= areWords(registers, perWord);
    });
    copy.perWord = moveAsWords ? perWord : 1;
  }
  return copy;
}

bool PipelinedLoop::decide() {
  int64_t asked = stagesOf(op, c.options);
  slots = std::min(asked, c.limits.stages);
  if (!isAsync)
    slots = std::min(slots, kMaxRegisterStages);
  if (asked < 2 || slots < (isAsync ? 2 : 1) || op.getUnsignedCmp())
    return false;
  LoopHazards hazards(op);
  for (auto load : op.getBody()->getOps<tile::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() != 2 || !hazards.allowAhead(load) ||
        !feedsProducts(load.getResult(), op.getBody()))
      continue;
    std::optional<Copy> copy = planCopy(load);
    Slice wider = slice;
    if (!copy || !addToSlice(op, load.getPtr(), wider) ||
        (load.getMask() && !addToSlice(op, load.getMask(), wider)))
      continue;
    slice = std::move(wider);
    copy->tileBytes = bytesOf(copy->tile);
    total += copy->tileBytes;
    copies.push_back(std::move(*copy));
  }
  if (copies.empty())
    return false;
  llvm::SmallPtrSet<Operation *, 4> loads;
  for (Copy &copy : copies)
    loads.insert(copy.load);
  for (auto dot : op.getBody()->getOps<tile::DotOp>()) {
    const DotPlan &plan = c.layouts.getDot(dot);
    if (!plan.warpGroup)
      continue;
    bool isA = loads.contains(loadOf(dot.getA())), isB = loads.contains(loadOf(dot.getB()));
    if (isA && isB && runsOn(dot, op, c.layouts))
      deferred.push_back(dot);
    auto bytesOf = [&](Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      return type.getNumElements() * getScalarBytes(elementType(type));
    };
    if (!isA && !isInFragments(c, dot.getA(), plan.a))
      staged += bytesOf(dot.getA());
    if (!isB)
      staged += bytesOf(dot.getB());
  }
  // Leave some room for what conversions need, and for the rings of the loops around this one.
  int64_t room = int64_t(c.target.sharedMemoryBytes) * 7 / 8 - staged - c.sharedInUse;
  slots = std::min(slots, room / total);
  if (slots < (isAsync ? 2 : 1))
    return false;
  // Of registers, the last iteration that is fetched ahead is in none of the slots.
  distance = isAsync ? slots - 1 : slots;
  ops = llvm::to_vector(slice.ops);
  llvm::sort(ops, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  return true;
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

LogicalResult PipelinedLoop::emit() {
  llvm::SaveAndRestore inUse(c.sharedInUse, c.sharedInUse + slots * total + staged);
  FailureOr<Value> from = c.getScalar(op.getLowerBound()), to = c.getScalar(op.getUpperBound()),
                   by = c.getScalar(op.getStep());
  FailureOr<Values> carried = c.getAll(op.getInitArgs(), op.getRegionIterArgs());
  if (failed(from) || failed(to) || failed(by) || failed(carried))
    return failure();
  lower = *from, upper = *to, step = *by, inits = *carried;
  for (Copy &copy : copies) {
    auto buffer = SharedAllocOp::create(c.b, copy.tileBytes * slots);
    if (!c.target.warpGroupInstructions.empty())
      buffer.setAlignment(kMatrixTileAlignment);
    copy.tile.buffer = buffer;
  }
  if (failed(emitPrologue()))
    return failure();
  Values all(inits);
  all.append(ahead);
  all.append(loaded);
  all.append({constant(c.b, 0), constant(c.b, slots - 1), induction});
  loop = scf::ForOp::create(c.b, lower, upper, step, all);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToEnd(loop.getBody());
    LowerContext::Scope scope(c, loop.getBody(), /*isLoop=*/true);
    if (failed(emitBody()))
      return failure();
  }
  // What is still under way writes to memory that may be used for something else from here.
  if (isAsync)
    AsyncWaitOp::create(c.b, 0);
  else if (slots > 1)
    BarrierOp::create(c.b, c.barrierScope());
  for (auto [result, value] : llvm::zip(op.getResults(), loop.getResults()))
    c.set(result, value);
  if (deferred.empty())
    return success();
  Values sums;
  for (tile::DotOp dot : deferred)
    sums.push_back(loop.getResult(carriedIndex(dot, op)));
  auto wait = WgmmaWaitOp::create(c.b, ValueRange(sums).getTypes(), 0, sums, ValueRange());
  for (auto [dot, sum] : llvm::zip(deferred, wait.getResults()))
    c.set(op.getResult(carriedIndex(dot, op)), sum);
  return success();
}

FailureOr<bool> simt::lowerPipelined(LowerContext &c, scf::ForOp op) {
  PipelinedLoop loop(c, op);
  if (!loop.decide())
    return false;
  if (failed(loop.emit()))
    return failure();
  return true;
}
