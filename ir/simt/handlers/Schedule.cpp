// Ops of an expanded schedule (ir/schedule/ScheduleOps.td): slots of rings in shared memory, how
// they are filled by threads, and roles. Channels.cpp has their order.
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/RingTile.h"
#include "ir/simt/GlobalLoads.h"
#include "ir/simt/HandlerList.h"
#include "ir/simt/ProductStrategy.h"
#include "ir/simt/handlers/Slots.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// A slot of a ring, but for its place in the buffer.
static SharedTile tileOf(LowerContext &c, Value ring) {
  schedule::RingType type = schedule::getRingType(ring);
  schedule::RingAttr form = type.getForm();
  return {c.find(ring),
          {},
          schedule::memoryOf(type.getTile(), form),
          form.getInner(),
          elementType(type.getTile()),
          form.getPitch()};
}

FailureOr<Value> simt::placeOf(LowerContext &c, Value ring, Value slot) {
  schedule::RingType type = schedule::getRingType(ring);
  FailureOr<Value> number = c.getScalar(slot);
  if (failed(number))
    return failure();
  int64_t bytes = schedule::slotBytesOf(type.getTile(), type.getForm());
  return arith::MulIOp::create(c.b, *number, constant(c.b, int32_t(bytes))).getResult();
}

LogicalResult simt::lower(LowerContext &c, schedule::RingOp op) {
  schedule::RingType type = op.getRing().getType();
  auto buffer = SharedAllocOp::create(c.b, schedule::sharedBytesOf(type));
  if (schedule::alignsTiles(c.target))
    buffer.setAlignment(schedule::kMatrixTileAlignment);
  c.set(op.getRing(), buffer);
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::ReadOp op) {
  FailureOr<Value> place = placeOf(c, op.getRing(), op.getSlot());
  if (failed(place))
    return failure();
  SharedTile tile = tileOf(c, op.getRing());
  tile.slot = *place;
  c.setTile(op.getTile(), tile);
  return success();
}

//===----------------------------------------------------------------------===//
// Filling a slot
//===----------------------------------------------------------------------===//

/// Whether copies past the end of the loop are left out by a branch, in place of a mask for each.
/// Lanes that copies follow are all on, so that masks are selections of addresses; and of two slots
/// all copies are waited for at once, however many there are.
static bool branchesAroundCopies(LowerContext &c, schedule::CopyOp op) {
  return c.target.copiesFollowLanes && schedule::getRingType(op.getRing()).getSlots() == 2;
}

/// The branch on `when` here: that of the copies before, if there is but arithmetic in between.
static scf::IfOp branchOn(ImplicitLocOpBuilder &b, Value when) {
  Block *block = b.getInsertionBlock();
  for (Operation &op : llvm::reverse(llvm::make_range(block->begin(), b.getInsertionPoint()))) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && branch.getCondition() == when && branch->getNumResults() == 0) {
      branch->moveBefore(block, b.getInsertionPoint());
      return branch;
    }
    if (!isMemoryEffectFree(&op))
      break;
  }
  return scf::IfOp::create(b, when, /*withElseRegion=*/false);
}

LogicalResult simt::lower(LowerContext &c, schedule::CopyOp op) {
  const AccessPlan &plan = c.layouts.getAccess(op);
  FailureOr<Values> pointers = c.getRegisters(op.getPtr(), plan.layout),
                    masks = c.getRegisters(op.getMask(), plan.layout),
                    when = c.getElements(op.getWhen(), {});
  if (failed(pointers) || failed(masks) || failed(when))
    return failure();
  SharedTile tile = tileOf(c, op.getRing());
  unsigned bytes = getScalarBytes(tile.element);
  LinearLayout offsets = plan.layout.compose(*tile.memory.invert());
  SmallVector<uint64_t, 16> bases = threadBases(offsets, kOffset);
  uint64_t bits = 0;
  for (uint64_t &basis : bases)
    bits |= basis *= bytes;
  Value thread = c.threads.apply(bases);
  FailureOr<Value> place = placeOf(c, op.getRing(), op.getSlot());
  if (failed(place))
    return failure();
  OpBuilder::InsertionGuard guard(c.b);
  if (branchesAroundCopies(c, op) && !when->empty()) {
    c.b.setInsertionPoint(branchOn(c.b, when->front()).thenBlock()->getTerminator());
    when->clear();
  }
  for (const auto &group : groupRegisters(plan, bytes, schedule::kMostCopyBytes)) {
    Value offset = offsetBy(c.b, thread, bits, registerImage(offsets, group[0], kOffset) * bytes);
    offset = arith::AddIOp::create(c.b, offset, *place);
    Value mask = conjunction(c.b, when->empty() ? Value() : when->front(),
                             masks->empty() ? Value() : (*masks)[group[0]]);
    AsyncCopyOp::create(c.b, tile.buffer, offset, (*pointers)[group[0]], mask,
                        unsigned(group.size() * bytes));
  }
  return success();
}

/// The loads of a fetch, in a block that runs where its predicate holds.
static LogicalResult fetchAll(LowerContext &c, schedule::FetchOp op, Block *block) {
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToEnd(block);
  LowerContext::Scope scope(c, block, /*isLoop=*/false);
  Values results;
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [loaded, type] : llvm::zip(yield->getOperands(), op.getResultTypes())) {
    auto load = loaded.getDefiningOp<tile::LoadOp>();
    c.b.setLoc(load.getLoc());
    FailureOr<Value> result = loadRegisters(c, load, cast<schedule::StagedType>(type).getPerWord());
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  scf::YieldOp::create(c.b, results);
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::FetchOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    auto staged = cast<schedule::StagedType>(type);
    VectorType registers = registerType(staged.getTile(), staged.getLayout().getMap());
    if (unsigned perWord = staged.getPerWord(); perWord > 1)
      registers = VectorType::get({registers.getNumElements() / perWord}, c.b.getI32Type());
    types.push_back(registers);
  }
  FailureOr<Value> when = c.getScalar(op.getWhen());
  if (failed(when))
    return failure();
  auto branch = scf::IfOp::create(c.b, types, *when, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToEnd(branch.elseBlock());
    // Nothing reads the slot that they are put into. A loop with one slot is short enough for zeros
    // in so many registers to matter; other targets keep the code that they have been measured
    // with.
    Values instead;
    for (Type type : types)
      instead.push_back(c.target.countsFlightAsStage
                            ? ub::PoisonOp::create(c.b, type).getResult()
                            : arith::ConstantOp::create(c.b, c.b.getZeroAttr(type)).getResult());
    scf::YieldOp::create(c.b, instead);
  }
  if (failed(fetchAll(c, op, branch.thenBlock())))
    return failure();
  for (auto [value, result] : llvm::zip(op.getStaged(), branch.getResults()))
    c.set(value, result);
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::PutOp op) {
  FailureOr<Value> registers = c.getScalar(op.getStaged()),
                   place = placeOf(c, op.getRing(), op.getSlot());
  if (failed(registers) || failed(place))
    return failure();
  SharedTile tile = tileOf(c, op.getRing());
  tile.slot = *place;
  const LinearLayout &layout =
      cast<schedule::StagedType>(op.getStaged().getType()).getLayout().getMap();
  if (tile.pitch) {
    storePadded(c, *registers, layout, tile, op.getAhead());
    return success();
  }
  SharedAccess access =
      *accessShared(layout, tile.memory, getScalarBytes(tile.element), c.target.sharedModel);
  storeShared(c, *registers, layout, access, tile.buffer, tile.slot, op.getAhead());
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult simt::lower(LowerContext &c, schedule::ProgramsOp op) {
  auto launched = LaunchedOp::create(c.b);
  Value all = tile::NumProgramsOp::create(c.b, 0);
  for (unsigned axis : {1u, 2u})
    all = arith::MulIOp::create(c.b, all, tile::NumProgramsOp::create(c.b, axis));
  c.set(op.getFirst(), launched.getProgram());
  c.set(op.getEnd(), all);
  c.set(op.getStep(), launched.getCount());
  return success();
}

/// Of the program's warps, or the role's, each group has as many as any other.
LogicalResult simt::lower(LowerContext &c, schedule::TurnOp op) {
  unsigned groups = op.getGroups(), threads = c.options.numWarps * c.target.warpSize / groups;
  Value group = arith::DivUIOp::create(c.b, c.threads.threadId(), constant(c.b, int32_t(threads)));
  // Two groups meet for each turn: the one that gives it, and the one that gets it.
  auto give = [&](Value to) { TurnGiveOp::create(c.b, to, groups, 2 * threads); };
  auto await = [&](Value own) { TurnAwaitOp::create(c.b, own, groups, 2 * threads); };
  auto only = [&](unsigned which, auto emit) {
    Value isIt =
        arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, group, constant(c.b, int32_t(which)));
    OpBuilder::InsertionGuard guard(c.b);
    auto branch = scf::IfOp::create(c.b, isIt, /*withElseRegion=*/false);
    c.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    emit(constant(c.b, 0));
  };
  switch (op.getStep()) {
  case schedule::TurnStep::Open:
    only(groups - 1, give);
    break;
  case schedule::TurnStep::Begin:
    await(group);
    break;
  case schedule::TurnStep::End: {
    Value next = arith::AddIOp::create(c.b, group, constant(c.b, 1));
    Value isLast =
        arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, next, constant(c.b, int32_t(groups)));
    give(arith::SelectOp::create(c.b, isLast, constant(c.b, 0), next));
    break;
  }
  case schedule::TurnStep::Close:
    only(0, await);
    break;
  }
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::RoleOp op) {
  LowerContext::ConversionLimit limit(c, op);
  auto role = RoleOp::create(c.b, op.getFirst(), op.getEnd(), op.getRegisters());
  OpBuilder::InsertionGuard guard(c.b);
  Block *body = c.b.createBlock(&role.getBody(), {}, c.b.getI32Type(), op.getLoc());
  LowerContext::Scope scope(c, body, /*isLoop=*/false);
  ThreadMaps::InRole threads(c.threads, body->getArgument(0));
  llvm::SaveAndRestore inRole(c.inRole, true);
  return lowerBlock(c, op.getBody().front());
}
