// See Check.h: the target has the means, products read slots of that form, and everything fits
// together into shared memory. The dialect's verifier has checked the rest.
#include "ir/schedule/Check.h"
#include "ir/schedule/Protocol.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/schedule/SharedDemand.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

static LogicalResult checkLoop(scf::ForOp loop, const LayoutAssignment &layouts) {
  if (unsigned producers = getProducers(loop)) {
    std::string fault = findRoleFault(producers, getPipeline(loop).getCopies(), layouts);
    if (!fault.empty())
      return loop.emitOpError("cannot follow its schedule: it has roles, but ") << fault;
    if (std::optional<Refusal> refusal = findRoleFault(loop)) {
      auto error = loop.emitOpError("cannot be split into roles: ") << refusal->why;
      error.attachNote(refusal->op->getLoc()) << "here";
      return error;
    }
  }
  if (getPipeline(loop).getCopies() == CopyKind::Boxes && !hasRoles(loop))
    return loop.emitOpError("cannot follow its schedule: it has copies = boxes and no roles; run "
                            "schedule-roles");
  RingRules rules(loop, layouts, getPipeline(loop).getCopies());
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    RingAttr ring = getRing(load);
    Refusal refusal;
    if (ring && !rules.check(load, ring, refusal))
      return load.emitOpError("cannot follow its schedule: ") << refusal.why;
  }
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (isDeferred(dot) && !rules.mayDefer(dot))
      return dot.emitOpError("cannot follow its schedule: its instructions do not run on into the "
                             "next iteration on ")
             << layouts.target().name;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (Refusal refusal; isLate(dot) && !rules.mayBeLate(dot, refusal)) {
      auto error = dot.emitOpError("cannot be made late: ") << refusal.why;
      error.attachNote(refusal.op->getLoc()) << "here";
      return error;
    }
  return success();
}

/// Rings of all loops around each loop, and of roles, beside what its ops need.
static LogicalResult checkBudget(scf::ForOp loop, const LayoutAssignment &layouts,
                                 const SharedDemand &demand) {
  auto kernel = loop->getParentOfType<func::FuncOp>();
  int64_t rings = ringBytesIn(loop, layouts.target()),
          others = demand.within(hasRoles(loop) ? kernel.getOperation() : loop),
          has = layouts.target().sharedMemoryBytes;
  if (rings + others <= has)
    return success();
  return loop.emitOpError("cannot follow its schedule: rings of ")
         << rings << " bytes and other ops of " << others
         << " bytes do not fit the shared memory of " << layouts.target().name << ", which has "
         << has;
}

LogicalResult schedule::checkSchedule(func::FuncOp kernel, const LayoutAssignment &layouts) {
  std::optional<SharedDemand> demand;
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) -> WalkResult {
    if (!getPipeline(loop))
      return WalkResult::advance();
    if (!demand)
      demand.emplace(kernel, layouts);
    if (failed(checkLoop(loop, layouts)) || failed(checkBudget(loop, layouts, *demand)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Expanded kernels
//===----------------------------------------------------------------------===//

static LogicalResult checkCopy(CopyOp copy, const LayoutAssignment &layouts) {
  if (!copy->hasAttr(DistributeDialect::kAccessAttr))
    return copy.emitOpError() << "has no '" << DistributeDialect::kAccessAttr
                              << "', which says what each thread copies";
  if (!layouts.target().hasAsyncCopy)
    return copy.emitOpError("cannot be made: ")
           << layouts.target().name << " has no asynchronous copies";
  int64_t bytes = accessBytes(copy, getRingType(copy.getRing()).getTile().getElementType(), layouts,
                              kMostCopyBytes);
  if (bytes < kLeastCopyBytes)
    return copy.emitOpError("moves 4 bytes or more at a time, but here only ")
           << bytes << " neighbouring bytes are known to be aligned and contiguous";
  RingType ring = getRingType(copy.getRing());
  if (!fillsNeighbours(copy, ring.getTile(), ring.getForm(), layouts))
    return copy.emitOpError(
        "copies neighbours in memory to places that are not neighbours in its slot");
  if (layouts.target().copiesFollowLanes &&
      !followsLanes(copy, ring.getTile(), ring.getForm(), layouts))
    return copy.emitOpError("fills places of its slot that do not follow the lanes of a warp, as ")
           << layouts.target().name << " needs it";
  return success();
}

/// Rings that are alive together: for each loop those from outside that it, or a loop around it,
/// uses.
static LogicalResult checkRings(func::FuncOp kernel, const LayoutAssignment &layouts) {
  int64_t has = layouts.target().sharedMemoryBytes, between = 0;
  for (auto channel : kernel.getOps<ChannelOp>())
    if (ChannelType type = getChannelType(channel); type.isBetweenRoles()) {
      between += alignedBytes(sharedBytesOf(type), layouts.target());
      for (Operation *user : channel->getUsers())
        if (auto ring = dyn_cast<RingOp>(user))
          between += alignedBytes(sharedBytesOf(ring.getRing().getType()), layouts.target());
    }
  if (between > has)
    return kernel.emitError() << "rings between roles take " << between << " bytes, but "
                              << layouts.target().name << " has " << has << " of shared memory";
  llvm::MapVector<Operation *, int64_t> inUse; // by loops; rings that no loop uses by themselves
  kernel.walk([&](RingOp ring) {
    if (getChannelType(ring.getChannel()).isBetweenRoles())
      return;
    int64_t bytes = alignedBytes(sharedBytesOf(ring.getRing().getType()), layouts.target());
    llvm::SetVector<Operation *> loops;
    loops.insert(ring);
    for (Operation *user : ring->getUsers()) {
      Operation *outermost = nullptr;
      for (Operation *around = user->getParentOp(); !around->isAncestor(ring);
           around = around->getParentOp())
        if (isa<LoopLikeOpInterface>(around))
          outermost = around;
      if (outermost)
        outermost->walk([&](LoopLikeOpInterface loop) { loops.insert(loop); });
    }
    for (Operation *loop : loops)
      inUse.try_emplace(loop, between).first->second += bytes;
  });
  for (auto [op, bytes] : inUse)
    if (bytes > has)
      return op->emitOpError("uses rings of ")
             << bytes << " bytes, which do not fit the shared memory of " << layouts.target().name
             << ", which has " << has;
  return success();
}

LogicalResult schedule::checkExpanded(func::FuncOp kernel, const LayoutAssignment &layouts) {
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto copy = dyn_cast<CopyOp>(op))
      return checkCopy(copy, layouts);
    if (isa<CopyBoxOp, StoreBoxOp>(op) && !layouts.target().hasBoxCopies)
      return op->emitOpError("cannot be made: ")
             << layouts.target().name << " has no copies of boxes";
    if (isa<StoreBoxOp>(op) && !op->getParentOfType<RoleOp>())
      return op->emitOpError("is outside of roles, where nothing waits for the copies at the end");
    return WalkResult::advance();
  });
  if (walk.wasInterrupted() || failed(checkRings(kernel, layouts)) || failed(checkRecalls(kernel)))
    return failure();
  return checkProtocol(kernel, layouts);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

using CheckKernel = LogicalResult (*)(func::FuncOp, const LayoutAssignment &);

/// Whether `check` holds for each kernel of tile IR that is expanded, or for each that is not.
static LogicalResult checkKernels(ModuleOp module, bool expanded, CheckKernel check) {
  FailureOr<Program> program = getProgram(module);
  if (failed(program))
    return failure();
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(tile::TileDialect::kKernelAttr) || isExpanded(kernel) != expanded)
      continue;
    if (failed(checkAssignment(kernel)) ||
        failed(check(kernel, LayoutAssignment(kernel, *program->target, program->numWarps))))
      return failure();
  }
  return success();
}

ScheduleCheck::ScheduleCheck(Operation *module)
    : valid(succeeded(checkKernels(cast<ModuleOp>(module), /*expanded=*/false, checkSchedule))) {}

ExpandedCheck::ExpandedCheck(Operation *module)
    : valid(succeeded(checkKernels(cast<ModuleOp>(module), /*expanded=*/true, checkExpanded))) {}
