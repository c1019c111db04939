// What can be wrong with one op of the `sched` dialect, or with its types. Whether a kernel's ops
// keep the order of their channels is found by simulation (Protocol.cpp).
#include "ir/schedule/ScheduleOps.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/RingTile.h"

#include "ir/layout/TensorLayout.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

#define GET_TYPEDEF_CLASSES
#include "ir/schedule/ScheduleTypes.cpp.inc"

/// Whether rings, channels and store buffers that `op` takes are results of the ops that make them.
/// Passes look at those: none comes from an argument, a branch or a choice.
static bool namesMemory(Operation &op) {
  return llvm::all_of(op.getOperands(), [](Value value) {
    return !isa<RingType, ChannelType, StoreBufferType>(value.getType()) ||
           isa_and_present<RingOp, ChannelOp, StoreBufferOp>(value.getDefiningOp());
  });
}

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

/// What is wrong with `perWord`, or with `layout` as that of `tile`; empty if nothing is.
static std::string findStagedFault(RankedTensorType tile, const layout::LinearLayout &map,
                                   unsigned perWord) {
  ArrayRef<layout::Dim> ins = map.getIns(), outs = map.getOuts();
  bool fits = int64_t(outs.size()) == tile.getRank() && ins.size() == 3 &&
              ins[0].name == layout::kRegister && ins[1].name == layout::kLane &&
              ins[2].name == layout::kWarp;
  for (int64_t dim = 0; fits && dim < tile.getRank(); ++dim)
    fits = outs[dim].name == layout::dimName(dim) &&
           outs[dim].size() == uint64_t(tile.getDimSize(dim));
  if (!fits)
    return "a layout that is not one of registers of the tile";
  unsigned bytes = tile::getElementBytes(tile.getElementType());
  if (perWord != 1 &&
      (!llvm::is_contained({2u, 4u}, perWord) || perWord * bytes > 4 || perWord > ins[0].size()))
    return std::to_string(perWord) + " elements of " + std::to_string(bytes) +
           " bytes in a word of 4 bytes, of " + std::to_string(ins[0].size()) + " registers";
  return "";
}

LogicalResult StagedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType tile, distribute::LayoutAttr layout,
                                 unsigned perWord) {
  if (!tile::hasTileShape(tile) || tile.getRank() != 2)
    return emitError() << "slots hold tensors of two dimensions, not " << tile;
  std::string fault = findStagedFault(tile, layout.getMap(), perWord);
  if (!fault.empty())
    return emitError() << "a tile on its way to a slot has " << fault;
  return success();
}

LogicalResult RetainedType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                                   RankedTensorType tile, distribute::LayoutAttr layout) {
  if (slots < 1)
    return emitError() << "slots are 1 or more, not " << slots;
  if (!tile.getElementType().isIntOrFloat() || tile.getElementTypeBitWidth() % 8)
    return emitError() << "slots hold tensors of whole bytes, not " << tile;
  std::string fault = findStagedFault(tile, layout.getMap(), /*perWord=*/1);
  if (!fault.empty())
    return emitError() << "a tile that is retained has " << fault;
  return success();
}

LogicalResult StoreBufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                      RankedTensorType tile, unsigned inner) {
  if (!tile::hasTileShape(tile) || tile.getRank() != 2)
    return emitError() << "a store buffer holds a tensor of two dimensions, not " << tile;
  if (inner > 1)
    return emitError() << "the lines of a store buffer are along dimension 0 or 1, not " << inner;
  if (!findBoxFault(tile, inner).empty())
    return emitError() << "boxes cannot be copied from a tile of " << tile;
  return success();
}

int64_t StoreBufferType::getBytes() const {
  return getTile().getNumElements() * tile::getElementBytes(getTile().getElementType());
}

int64_t RetainedType::getSlotBytes() const {
  return (int64_t(1) << getLayout().getMap().totalInBits()) *
         tile::getElementBytes(getTile().getElementType());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Rings and channels are for ops of this dialect, by name.
static LogicalResult verifyMemory(Operation *op) {
  for (Operation *user : op->getUsers())
    if (!isa<SchedDialect>(user->getDialect()) || isa<YieldOp>(user)) {
      auto error = op->emitOpError("is used by an op that does not fill or read slots");
      error.attachNote(user->getLoc()) << "here";
      return error;
    }
  return success();
}

LogicalResult RingOp::verify() {
  int64_t slots = getRing().getType().getSlots(), its = getChannelType(getChannel()).getSlots();
  if (slots != its)
    return emitOpError() << "has " << slots << " slots, but its channel has " << its;
  return verifyMemory(*this);
}

LogicalResult ChannelOp::verify() {
  if (getEverywhere() && getChannel().getType().getCopies() != CopyKind::Boxes)
    return emitOpError("is that of all blocks, whose slots only copies of boxes can fill");
  return verifyMemory(*this);
}

/// A slot whose number is known is one of the ring's or the channel's.
static LogicalResult checkSlot(Operation *op, Value slot, int64_t slots) {
  APInt number;
  if (!matchPattern(slot, m_ConstantInt(&number)) ||
      (!number.isNegative() && number.getSExtValue() < slots))
    return success();
  return op->emitOpError() << "has slot " << number.getSExtValue() << " of " << slots;
}

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
  return checkSlot(*this, getSlot(), ring.getSlots());
}

/// Of the kernel's arguments, from which a launch describes the tensor.
static LogicalResult verifyArguments(Operation *op, BoxAttr tensor) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  if (!kernel)
    return success();
  auto typeOf = [&](int64_t number) {
    return number >= 0 && number < kernel.getNumArguments() ? kernel.getArgumentTypes()[number]
                                                            : Type();
  };
  if (!isa_and_nonnull<tile::PointerType>(typeOf(tensor.getBase())))
    return op->emitOpError() << "has a tensor that begins at argument " << tensor.getBase()
                             << " of the kernel, which is not a pointer";
  for (ArrayRef<int32_t> numbers :
       {tensor.getArguments().asArrayRef(), tensor.getNatural().asArrayRef()})
    for (int32_t number : numbers)
      if (!isa_and_nonnull<IntegerType>(typeOf(number)))
        return op->emitOpError() << "has a tensor that depends on argument " << number
                                 << " of the kernel, which is not an integer";
  return success();
}

/// Whether a box is that of a tile whose lines are along dimension `inner`.
static LogicalResult verifyBox(Operation *op, BoxAttr tensor, size_t starts, RankedTensorType tile,
                               unsigned inner) {
  ArrayRef<int64_t> sizes = tensor.getTile().asArrayRef();
  if (starts != sizes.size())
    return op->emitOpError() << "begins at " << starts << " indices of a tensor of " << sizes.size()
                             << " dimensions";
  if (sizes.size() < 2 || sizes[0] != tile.getDimSize(inner) ||
      sizes[1] != tile.getDimSize(1 - inner) ||
      llvm::any_of(sizes.drop_front(2), [](int64_t size) { return size != 1; }))
    return op->emitOpError() << "has a box of other sizes than " << tile;
  if (tensor.getElement() != tile.getElementType())
    return op->emitOpError() << "has a box of " << tensor.getElement() << " for " << tile;
  return verifyArguments(op, tensor);
}

LogicalResult CopyBoxOp::verify() {
  RingType ring = getRingType(getRing());
  unsigned inner = ring.getForm().getInner();
  if (failed(verifyBox(*this, getTensor(), getStarts().size(), ring.getTile(), inner)))
    return failure();
  if (getMulticast()) {
    auto from = getRing().getDefiningOp<RingOp>();
    auto channel = from ? from.getChannel().getDefiningOp<ChannelOp>() : ChannelOp();
    if (!channel || !channel.getEverywhere())
      return emitOpError("is for all blocks, but its channel is that of one");
  }
  if (ring.getForm().getOrder() != TileOrder::Swizzled)
    return emitOpError("fills slots that are not swizzled, which boxes cannot");
  if (getChannelType(getRing().getDefiningOp<RingOp>().getChannel()).getCopies() != CopyKind::Boxes)
    return emitOpError("fills slots of a channel whose copies are not boxes");
  return checkSlot(*this, getSlot(), ring.getSlots());
}

LogicalResult StoreBufferOp::verify() { return verifyMemory(*this); }

LogicalResult StoreBoxOp::verify() {
  StoreBufferType buffer = getBuffer().getType();
  if (getTile().getType() != buffer.getTile())
    return emitOpError() << "stores " << getTile().getType() << " through memory for "
                         << buffer.getTile();
  if (getMask() && getMask().getType() != tile::getMaskType(buffer.getTile()))
    return emitOpError() << "has a mask of " << getMask().getType() << " for " << buffer.getTile();
  return verifyBox(*this, getTensor(), getStarts().size(), buffer.getTile(), buffer.getInner());
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
  RingType ring = getRingType(getRing());
  if (staged.getPerWord() != ring.getForm().getPerWord())
    return emitOpError() << "puts words of " << staged.getPerWord() << " elements into slots for "
                         << ring.getForm().getPerWord();
  if (getAhead() && ring.getSlots() < 2)
    return emitOpError(
        "is ahead of the barrier of an await, which channels of one slot do not have");
  return checkSlot(*this, getSlot(), ring.getSlots());
}

LogicalResult ReadOp::verify() {
  if (OpOperand *use = findOtherUse(getTile(), (*this)->getBlock())) {
    auto error = emitOpError("is not only used by products of its block");
    error.attachNote(use->getOwner()->getLoc()) << "it is used here";
    return error;
  }
  return checkSlot(*this, getSlot(), getRingType(getRing()).getSlots());
}

/// Channels between roles need a phase; within one role there is none.
static LogicalResult checkPhase(Operation *op, Value channel, Value phase) {
  bool isBetween = getChannelType(channel).isBetweenRoles();
  if (isBetween == bool(phase))
    return success();
  return op->emitOpError(isBetween ? "is between roles and needs a phase"
                                   : "has a phase, but its channel is not between roles");
}

LogicalResult AcquireOp::verify() {
  if (failed(checkSlot(*this, getSlot(), getChannelType(getChannel()).getSlots())))
    return failure();
  return checkPhase(*this, getChannel(), getPhase());
}

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
      if (getBody().isAncestor(region) || isa<BlockArgument>(operand) ||
          isa<RingType, ChannelType, StoreBufferType>(operand.getType()))
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

LogicalResult TurnOp::verify() {
  if (int32_t(getGroups()) < 2)
    return emitOpError() << "is of " << int32_t(getGroups())
                         << " warp groups, but two or more take turns";
  auto role = (*this)->getParentOfType<RoleOp>();
  if (role && role.getWarps() % getGroups())
    return emitOpError() << "is of " << getGroups() << " warp groups in a role of "
                         << role.getWarps() << " warps";
  return success();
}

LogicalResult AwaitOp::verify() {
  if (int32_t(getPending()) < 0 || (getPending() && getPhase()))
    return emitOpError("has slots pending, which only channels within one role can have");
  if (failed(checkSlot(*this, getSlot(), getChannelType(getChannel()).getSlots())))
    return failure();
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
  SmallVector<Value> released;
  // Its lowering looks at that slot again.
  for (Operation *op = getOperation()->getPrevNode(); op && !getAfter().empty();
       op = op->getPrevNode()) {
    if (auto release = dyn_cast<ReleaseOp>(op))
      released.push_back(release.getChannel());
    auto await = dyn_cast<AwaitOp>(op);
    if (!await || !getChannelType(await.getChannel()).isBetweenRoles())
      continue;
    if (llvm::is_contained(released, await.getChannel()))
      return emitOpError("has values to be computed before it, but the slot awaited last is "
                         "released already");
    break;
  }
  if (!getPending())
    return success();
  // Of products that started before the last `pending` ones.
  SmallVector<Value> running;
  for (Operation *op = getOperation()->getPrevNode(); op && running.size() < getPending();
       op = op->getPrevNode())
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && isInFlight(dot))
      running.push_back(dot.getResult());
  auto isDone = [&](Value sum) {
    auto dot = sum.getDefiningOp<tile::DotOp>();
    return dot && dot->getBlock() == getOperation()->getBlock() &&
           !llvm::is_contained(running, sum);
  };
  if (llvm::all_of(getSums(), isDone))
    return success();
  return emitOpError("returns sums to which products may still add");
}
