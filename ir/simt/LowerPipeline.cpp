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
#include "ir/layout/MatrixTile.h"
#include "ir/layout/SharedMemory.h"
#include "ir/layout/TensorLayout.h"
#include "ir/simt/LoopHazards.h"
#include "ir/simt/Lowering.h"
#include "ir/tile/TileUtils.h"

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
static bool mayRunAhead(Operation *op) { return isSpeculatable(op) || isDivision(op); }

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

bool Lowering::lowerPipelinedFor(scf::ForOp op) {
  bool isAsync = options.target->hasAsyncCopy;
  int64_t asked = stagesOf(op, options), slots = std::min(asked, stageLimit);
  if (!isAsync)
    slots = std::min(slots, kMaxRegisterStages);
  if (asked < 2 || slots < (isAsync ? 2 : 1) || op.getUnsignedCmp())
    return false;
  LoopHazards hazards(op);
  struct Copy {
    tile::LoadOp load;
    RegisterGroups groups;
    unsigned bytes; ///< Of one element.
    int64_t tileBytes;
    Buffered tile;
    SharedAccess access;  ///< Of registers to the tile.
    unsigned perWord = 1; ///< Registers that move as one 32-bit word.
  };
  std::vector<Copy> copies;
  Slice slice;
  int64_t total = 0;
  for (auto load : op.getBody()->getOps<tile::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() != 2 || !hazards.allowAhead(load) ||
        !feedsProducts(load.getResult(), op.getBody()))
      continue;
    Copy copy{load, {}, getScalarBytes(elementType(type)), 0, {}, {}, 1};
    const AccessPlan &plan = layouts.getAccess(load);
    unsigned inner = plan.tileInner.value_or(plan.order.front());
    copy.tile = {{}, {}, {}, inner, elementType(type)};
    copy.groups = groupRegisters(plan, copy.bytes, isAsync ? 16 : options.target->maxVectorBytes);
    if (isAsync) {
      if (load.getOther() && !tile::isPositiveZero(load.getOther()))
        continue;
      if (copy.groups.front().size() * copy.bytes < 4)
        continue;
    }
    Reader reader = readerOf(load.getResult(), [&](tile::DotOp dot, unsigned operand) {
      const MatrixInstruction *row = layouts.getDot(dot).instruction;
      if (!row || !row->isOpaque)
        return Reader::Any;
      return !isAsync && readsPadded(dot, operand) ? Reader::Padded : Reader::None;
    });
    if (reader == Reader::Padded) {
      auto tile = paddedTile(type, inner, copy.tile.element, plan.layout);
      if (!tile)
        continue;
      copy.tile = *tile;
    } else if (reader == Reader::Any) {
      copy.tile.memory = swizzledTile(type.getShape(), inner, copy.bytes);
    } else {
      continue;
    }
    if (!isAsync) {
      auto access =
          accessShared(plan.layout, copy.tile.memory, copy.bytes, options.target->sharedModel);
      if (!access)
        continue;
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
    Slice wider = slice;
    if (!addToSlice(op, load.getPtr(), wider) ||
        (load.getMask() && !addToSlice(op, load.getMask(), wider)))
      continue;
    slice = std::move(wider);
    copy.tileBytes = bytesOf(copy.tile);
    total += copy.tileBytes;
    copies.push_back(std::move(copy));
  }
  if (copies.empty())
    return false;
  llvm::SmallPtrSet<Operation *, 4> loads;
  for (Copy &copy : copies)
    loads.insert(copy.load);
  SmallVector<tile::DotOp> deferred;
  int64_t staged = 0; // what products store to shared memory on their own
  for (auto dot : op.getBody()->getOps<tile::DotOp>()) {
    const DotPlan &plan = layouts.getDot(dot);
    if (!plan.warpGroup)
      continue;
    bool isA = loads.contains(loadOf(dot.getA())), isB = loads.contains(loadOf(dot.getB()));
    if (isA && isB && runsOn(dot, op, layouts))
      deferred.push_back(dot);
    auto bytesOf = [&](Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      return type.getNumElements() * getScalarBytes(elementType(type));
    };
    if (!isA && !isInFragments(dot.getA(), plan.a))
      staged += bytesOf(dot.getA());
    if (!isB)
      staged += bytesOf(dot.getB());
  }
  // Leave some room for what conversions need, and for the rings of the loops around this one.
  int64_t room = int64_t(options.target->sharedMemoryBytes) * 7 / 8 - staged - sharedInUse;
  slots = std::min(slots, room / total);
  if (slots < (isAsync ? 2 : 1))
    return false;
  int64_t outerInUse = std::exchange(sharedInUse, sharedInUse + slots * total + staged);
  bool runsOver = !deferred.empty();
  // Iterations that are fetched ahead; of registers, the last one is in none of the slots.
  int64_t distance = isAsync ? slots - 1 : slots;

  Value lower = getScalar(op.getLowerBound()), upper = getScalar(op.getUpperBound()),
        step = getScalar(op.getStep());
  Values inits = getAll(op.getInitArgs(), op.getRegionIterArgs());
  Operation *yield = op.getBody()->getTerminator();
  for (Copy &copy : copies) {
    auto buffer = SharedAllocOp::create(b, loc, copy.tileBytes * slots);
    if (!options.target->warpGroupInstructions.empty())
      buffer.setAlignment(kMatrixTileAlignment);
    copy.tile.buffer = buffer;
  }
  auto ops = llvm::to_vector(slice.ops);
  llvm::sort(ops, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });

  auto placeOf = [&](const Copy &copy, Value slot) -> Value {
    return arith::MulIOp::create(b, loc, slot, constant(copy.tileBytes));
  };
  // One iteration's loads to registers, all of them or none.
  auto loadAll = [&](Value inRange) {
    SmallVector<Type> types;
    for (Copy &copy : copies) {
      VectorType type = registerType(copy.load.getType(), layouts.getAccess(copy.load).layout);
      if (copy.perWord > 1)
        type = VectorType::get({type.getNumElements() / copy.perWord}, b.getI32Type());
      types.push_back(type);
    }
    auto branch = scf::IfOp::create(b, loc, types, inRange, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.elseBlock());
    Values zeros, loaded;
    for (Type type : types)
      zeros.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    scf::YieldOp::create(b, loc, zeros);
    b.setInsertionPointToEnd(branch.thenBlock());
    pushScope(branch.thenBlock(), false);
    for (Copy &copy : copies) {
      loc = copy.load.getLoc();
      loaded.push_back(load(copy.load, copy.perWord));
    }
    scf::YieldOp::create(b, loc, loaded);
    scopes.pop_back();
    return Values(branch.getResults());
  };
  // What has been loaded to its slot.
  auto storeAll = [&](ArrayRef<Value> loaded, Value slot, bool isAhead) {
    for (auto [copy, registers] : llvm::zip(copies, loaded)) {
      loc = copy.load.getLoc();
      const LinearLayout &layout = layouts.getAccess(copy.load).layout;
      Buffered tile = copy.tile;
      tile.slot = placeOf(copy, slot);
      if (tile.pitch)
        storePadded(registers, layout, tile, isAhead);
      else
        storeShared(registers, layout, copy.access, tile.buffer, tile.slot, isAhead);
    }
  };

  // Starts the copies or loads of one iteration and steps to the next one's values.
  Values loaded;
  auto fetch = [&](Value induction, Value inRange, ArrayRef<Value> ahead, Value slot) {
    llvm::DenseMap<Value, Value> saved = values;
    Block *outer = std::exchange(guardedBlock, op.getBody());
    pushScope(b.getInsertionBlock(), false);
    set(op.getInductionVar(), induction);
    for (auto [index, value] : llvm::zip(slice.carried, ahead))
      set(op.getRegionIterArg(index), value);
    for (Operation *inner : ops) {
      loc = inner->getLoc();
      lowerOp(inner);
    }
    if (!isAsync)
      loaded = loadAll(inRange);
    for (Copy &copy : copies) {
      if (!isAsync)
        break;
      loc = copy.load.getLoc();
      const AccessPlan &plan = layouts.getAccess(copy.load);
      Values pointers = unpack(get(copy.load.getPtr(), plan.layout));
      Values masks = copy.load.getMask() ? unpack(get(copy.load.getMask(), plan.layout)) : Values();
      LinearLayout offsets = plan.layout.compose(*copy.tile.memory.invert());
      llvm::SmallVector<uint64_t, 16> bases = threadBases(offsets, kOffset);
      uint64_t bits = 0;
      for (uint64_t &basis : bases)
        bits |= basis *= copy.bytes;
      Value thread = applyToThread(bases);
      Value base = placeOf(copy, slot);
      for (const auto &group : copy.groups) {
        Value offset =
            offsetBy(thread, bits, registerImage(offsets, group[0], kOffset) * copy.bytes);
        offset = arith::AddIOp::create(b, loc, offset, base);
        Value mask = conjunction(inRange, masks.empty() ? Value() : masks[group[0]]);
        AsyncCopyOp::create(b, loc, copy.tile.buffer, offset, pointers[group[0]], mask,
                            unsigned(group.size() * copy.bytes));
      }
    }
    if (isAsync)
      AsyncCommitOp::create(b, loc);
    Values next;
    for (unsigned index : slice.carried) {
      Value target = op.getRegionIterArg(index);
      next.push_back(getAll(yield->getOperand(index), target)[0]);
    }
    scopes.pop_back();
    values = std::move(saved);
    guardedBlock = outer;
    return next;
  };

  Location loopLoc = loc;
  Values ahead;
  for (unsigned index : slice.carried)
    ahead.push_back(inits[index]);
  auto isLess = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  };
  Value induction = lower, inRange = isLess(lower, upper);
  for (int64_t stage = 0; stage < distance; ++stage) {
    ahead = fetch(induction, inRange, ahead, constant(stage));
    if (!isAsync && stage + 1 < distance)
      storeAll(loaded, constant(stage), /*isAhead=*/false);
    loc = loopLoc;
    Value following = arith::AddIOp::create(b, loc, induction, step);
    // Beyond the largest integer there is no iteration, whatever the sum is.
    inRange =
        conjunction(inRange, conjunction(isLess(induction, following), isLess(following, upper)));
    induction = following;
  }
  // Iterations before `limit` have one `distance` later; sums that may wrap are not needed for it.
  Value limit = arith::SubIOp::create(b, loc, induction, lower);
  limit = arith::SubIOp::create(b, loc, upper, limit);
  limit = arith::SelectOp::create(b, loc, inRange, limit, lower);

  size_t carried = inits.size();
  Values all(inits);
  all.append(ahead);
  all.append(loaded);
  all.append({constant(0), constant(slots - 1), induction});
  auto loop = scf::ForOp::create(b, loc, lower, upper, step, all);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = loop.getBody();
    b.setInsertionPointToEnd(body);
    pushScope(body, true);
    auto arguments = loop.getRegionIterArgs();
    Value readSlot = arguments[all.size() - 3], writeSlot = arguments[all.size() - 2],
          aheadInduction = arguments[all.size() - 1];
    auto firstLoaded = arguments.begin() + carried + ahead.size();
    Values next, aheadNow(arguments.begin() + carried, firstLoaded);
    Value hasAhead = isLess(loop.getInductionVar(), limit);
    if (isAsync) {
      AsyncWaitOp::create(b, loc, distance - 1);
    } else {
      if (slots > 1)
        BarrierOp::create(b, loc, barrierScope());
      storeAll(Values(firstLoaded, arguments.end() - 3), writeSlot, /*isAhead=*/slots > 1);
      loc = loopLoc;
    }
    if (!runsOver) {
      next = fetch(aheadInduction, hasAhead, aheadNow, writeSlot);
      loc = loopLoc;
    }
    set(op.getInductionVar(), loop.getInductionVar());
    for (auto [from, to] : llvm::zip(op.getRegionIterArgs(), arguments))
      set(from, to);
    for (Copy &copy : copies) {
      Buffered tile = copy.tile;
      tile.slot = placeOf(copy, readSlot);
      buffered[copy.load.getResult()] = tile;
    }
    for (tile::DotOp dot : deferred)
      deferredProducts.insert(dot);
    lowerBlock(*op.getBody());
    loc = loopLoc;
    Values results = getAll(yield->getOperands(), op.getRegionIterArgs());
    if (runsOver) {
      // While this iteration's products run, those of the last one end in all warps; then its tiles
      // are filled with what comes next. That way no copy waits for the tiles before its own.
      WgmmaWaitOp::create(b, loc, TypeRange(), deferred.size(), ValueRange(), ValueRange());
      // What has been built for this iteration is not the next one's.
      Scope current = std::move(scopes.back());
      scopes.back() = Scope();
      scopes.back().block = body;
      scopes.back().isLoop = true;
      next = fetch(aheadInduction, hasAhead, aheadNow, writeSlot);
      scopes.back() = std::move(current);
      loc = loopLoc;
    }
    results.append(next);
    results.append(loaded);
    auto advance = [&](Value slot) -> Value {
      Value following = arith::AddIOp::create(b, loc, slot, constant(1));
      Value wraps =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, following, constant(slots));
      return arith::SelectOp::create(b, loc, wraps, constant(0), following);
    };
    results.push_back(advance(readSlot));
    results.push_back(advance(writeSlot));
    results.push_back(arith::AddIOp::create(b, loc, aheadInduction, step));
    scf::YieldOp::create(b, loc, results);
    scopes.pop_back();
    for (Copy &copy : copies)
      buffered.erase(copy.load.getResult());
  }
  // What is still under way writes to memory that may be used for something else from here.
  if (isAsync)
    AsyncWaitOp::create(b, loc, 0);
  else if (slots > 1)
    BarrierOp::create(b, loc, barrierScope());
  sharedInUse = outerInUse;
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    set(from, to);
  if (runsOver) {
    Values sums;
    for (tile::DotOp dot : deferred)
      sums.push_back(loop.getResult(carriedIndex(dot, op)));
    auto wait = WgmmaWaitOp::create(b, loc, ValueRange(sums).getTypes(), 0, sums, ValueRange());
    for (auto [dot, sum] : llvm::zip(deferred, wait.getResults()))
      set(op.getResult(carriedIndex(dot, op)), sum);
  }
  return true;
}
