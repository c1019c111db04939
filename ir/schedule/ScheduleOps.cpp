// What can be wrong with one op of the `sched` dialect, or with its types. Whether a kernel's ops
// keep the order of their channels is found by simulation (Protocol.cpp).
#include "ir/schedule/ScheduleOps.h"
#include "ir/schedule/LoopSlice.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

#define GET_TYPEDEF_CLASSES
#include "ir/schedule/ScheduleTypes.cpp.inc"

#define GET_OP_CLASSES
#include "ir/schedule/ScheduleOps.cpp.inc"

void SchedDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/schedule/ScheduleTypes.cpp.inc"
      >();
}

void SchedDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/schedule/ScheduleOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                               RankedTensorType tile, RingAttr form) {
  if (slots < 1 || slots > kMaxSlots)
    return emitError() << "a ring has 1 to " << kMaxSlots << " slots, not " << slots;
  if (!tile::hasTileShape(tile) || tile.getRank() != 2)
    return emitError() << "slots hold tensors of two dimensions, not " << tile;
  std::string fault = findFault(tile, form);
  if (!fault.empty())
    return emitError() << "has " << fault;
  return success();
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                                  CopyKind, unsigned producers, unsigned consumers) {
  if (slots < 1 || slots > kMaxSlots)
    return emitError() << "a channel has 1 to " << kMaxSlots << " slots, not " << slots;
  if ((producers == 0) != (consumers == 0))
    return emitError() << "a channel between roles has producers and consumers";
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  auto type = cast<RankedTensorType>(getPtr().getType());
  RingType ring = getRingType(getRing());
  auto pointer = dyn_cast<tile::PointerType>(type.getElementType());
  if (!pointer || type.getShape() != ring.getTile().getShape() ||
      pointer.getPointeeType() != ring.getTile().getElementType())
    return emitOpError() << "copies from " << type << " to slots of " << ring.getTile();
  if (getMask() && getMask().getType() != tile::getMaskType(type))
    return emitOpError() << "has a mask of " << getMask().getType() << " for " << type;
  if (ring.getForm().getOrder() == TileOrder::Padded)
    return emitOpError("fills padded slots, which asynchronous copies cannot");
  return success();
}

LogicalResult FetchOp::verify() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != getNumResults())
    return emitOpError("must yield one tile for each result");
  for (Operation &op : block.without_terminator())
    if (!isa<tile::LoadOp>(op))
      return emitOpError() << "contains '" << op.getName() << "', but may only contain loads";
  for (auto [value, result] : llvm::zip(yield.getValues(), getResultTypes())) {
    auto load = value.getDefiningOp<tile::LoadOp>();
    if (!load || load->getBlock() != &block || load.getType() != cast<StagedType>(result).getTile())
      return emitOpError() << "must yield loads of its body, but yields another value for "
                           << result;
  }
  return success();
}

LogicalResult PutOp::verify() {
  StagedType staged = cast<StagedType>(getStaged().getType());
  if (staged.getTile() != getRingType(getRing()).getTile())
    return emitOpError() << "puts " << staged.getTile() << " into slots of "
                         << getRingType(getRing()).getTile();
  return success();
}

LogicalResult ReadOp::verify() {
  if (OpOperand *use = findOtherUse(getTile(), (*this)->getBlock())) {
    auto error = emitOpError("is not only used by products of its block");
    error.attachNote(use->getOwner()->getLoc()) << "it is used here";
    return error;
  }
  return success();
}

/// Channels between roles need a phase; within one role there is none.
static LogicalResult checkPhase(Operation *op, Value channel, Value phase) {
  bool isBetween = getChannelType(channel).isBetweenRoles();
  if (isBetween == bool(phase))
    return success();
  return op->emitOpError(isBetween ? "is between roles and needs a phase"
                                   : "has a phase, but its channel is not between roles");
}

LogicalResult AcquireOp::verify() { return checkPhase(*this, getChannel(), getPhase()); }

LogicalResult PublishOp::verify() {
  if (int32_t(getPending()) < 0 || getPending() >= getChannelType(getChannel()).getSlots())
    return emitOpError("leaves as many publishes pending as there are slots, or more");
  if (!getChannelType(getChannel()).isBetweenRoles() && (getWhen() || getPending()))
    return emitOpError("has a predicate or publishes pending, which only channels between roles "
                       "have");
  return success();
}

LogicalResult ReleaseOp::verify() {
  if (getWhen() && !getChannelType(getChannel()).isBetweenRoles())
    return emitOpError("has a predicate, which only channels between roles have");
  return success();
}

LogicalResult RoleOp::verify() {
  if (int32_t(getFirst()) < 0 || int32_t(getEnd()) <= int32_t(getFirst()))
    return emitOpError() << "has no warps from " << int32_t(getFirst()) << " to "
                         << int32_t(getEnd());
  if (!isa<func::FuncOp>((*this)->getParentOp()))
    return emitOpError("is not in the block of a kernel");
  auto result = getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Region *region = operand.getParentRegion();
      if (getBody().isAncestor(region) || isa<RingType, ChannelType>(operand.getType()) ||
          isa<BlockArgument>(operand))
        continue;
      auto error = emitOpError("uses a value from before it; roles share rings, channels and the "
                               "kernel's arguments alone");
      error.attachNote(op->getLoc()) << "here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult AwaitOp::verify() {
  if (int32_t(getPending()) < 0 || (getPending() && getPhase()))
    return emitOpError("has slots pending, which only channels within one role can have");
  return checkPhase(*this, getChannel(), getPhase());
}

LogicalResult AheadOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return emitOpError("must yield values of its results' types");
  return success();
}

LogicalResult DotWaitOp::verify() {
  if (int32_t(getPending()) < 0)
    return emitOpError("cannot leave a negative number of products in flight");
  if (getSums().getTypes() != getResultTypes())
    return emitOpError("must return the sums that it takes");
  if (getPending() && !getSums().empty())
    return emitOpError("returns sums to which products may still add");
  return success();
}
