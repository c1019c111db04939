// What the order of a channel (ir/schedule/ScheduleOps.td) is on threads, and copies of boxes,
// which count at its barriers.
//
// Within one role, asynchronous copies are counted in groups, each thread its own; the barrier pass
// separates the threads. Through registers, one barrier of the channel separates whoever put a tile
// from whoever reads it. Between roles there are phase barriers, which other blocks of the program
// may reach, too.
#include "ir/layout/MatrixTile.h"
#include "ir/schedule/RingTile.h"
#include "ir/simt/HandlerList.h"
#include "ir/simt/ProductStrategy.h"
#include "ir/simt/handlers/Slots.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;
using schedule::CopyKind;

namespace {
enum class Phases { Full, Empty };
} // namespace

/// Where the phase barrier of a slot is.
static FailureOr<Value> phaseOf(LowerContext &c, Value channel, Value slot, Phases which) {
  FailureOr<Value> number = c.getScalar(slot);
  if (failed(number))
    return failure();
  Value place = arith::MulIOp::create(c.b, *number, constant(c.b, schedule::kPhaseBytes));
  if (which == Phases::Full)
    return place;
  int64_t full = schedule::getChannelType(channel).getSlots() * schedule::kPhaseBytes;
  return arith::AddIOp::create(c.b, place, constant(c.b, full)).getResult();
}

static int64_t countBlocks(Operation *op) {
  return tile::getBlocks(op->getParentOfType<func::FuncOp>());
}

/// Whether a channel has consumers in all blocks.
static bool isEverywhere(Value channel) {
  auto op = channel.getDefiningOp<schedule::ChannelOp>();
  return op && op.getEverywhere();
}

BoxParts simt::divideBox(schedule::BoxAttr tensor, const MatrixTile &tile, int64_t lines) {
  constexpr int64_t kMostLines = 256;
  SmallVector<int64_t> part(tensor.getTile().asArrayRef());
  part[0] = int64_t(tile.lineBytes()) / tile.elementBytes;
  part[1] = std::min(lines, kMostLines);
  BoxParts parts{schedule::BoxAttr::get(
                     tensor.getContext(), tensor.getBase(), tensor.getElement(),
                     tensor.getArguments(), tensor.getExtents(), tensor.getStrides(),
                     DenseI64ArrayAttr::get(tensor.getContext(), part), tensor.getNatural()),
                 {}};
  for (int64_t along = 0; along < tile.shape[tile.inner]; along += part[0])
    for (int64_t line = 0; line < lines; line += part[1])
      parts.places.push_back(
          {along, line,
           int64_t(tile.inner == 1 ? tile.plainByte(line, along) : tile.plainByte(along, line))});
  return parts;
}

FailureOr<Values> simt::getStarts(LowerContext &c, ValueRange starts) {
  Values scalars;
  for (Value start : starts) {
    FailureOr<Value> scalar = c.getScalar(start);
    if (failed(scalar))
      return failure();
    scalars.push_back(*scalar);
  }
  return scalars;
}

Values simt::moveStarts(LowerContext &c, Values starts, const BoxParts::Place &place) {
  for (auto [dim, by] : {std::pair(0, place.along), std::pair(1, place.line)})
    if (by)
      starts[dim] = arith::AddIOp::create(c.b, starts[dim], constant(c.b, int32_t(by)));
  return starts;
}

Value simt::actsForOthers(LowerContext &c, bool forRole) {
  Value thread = c.threads.threadId();
  if (!forRole)
    thread = arith::AndIOp::create(c.b, thread, constant(c.b, c.target.warpSize - 1));
  return arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, thread, constant(c.b, 0));
}

LogicalResult simt::lower(LowerContext &c, schedule::CopyBoxOp op) {
  schedule::RingType ring = schedule::getRingType(op.getRing());
  Value channel = schedule::getChannel(op.getRing());
  FailureOr<Value> place = placeOf(c, op.getRing(), op.getSlot()),
                   phase = phaseOf(c, channel, op.getSlot(), Phases::Full);
  FailureOr<Values> starts = getStarts(c, op.getStarts());
  if (failed(place) || failed(phase) || failed(starts))
    return failure();
  const unsigned inner = ring.getForm().getInner();
  const MatrixTile tile{{ring.getTile().getDimSize(0), ring.getTile().getDimSize(1)},
                        inner,
                        getScalarBytes(elementType(ring.getTile()))};
  // Of a box for all blocks, this one copies the lines from its rank times their number on.
  int64_t lines = tile.shape[1 - inner] / (op.getMulticast() ? countBlocks(op) : 1);
  if (op.getMulticast()) {
    Value firstLine = arith::MulIOp::create(c.b, tile::BlockRankOp::create(c.b, c.b.getI32Type()),
                                            constant(c.b, int32_t(lines)));
    (*starts)[1] = arith::AddIOp::create(c.b, (*starts)[1], firstLine);
    Value bytesBefore =
        arith::MulIOp::create(c.b, firstLine, constant(c.b, int32_t(tile.lineBytes())));
    place = arith::AddIOp::create(c.b, *place, bytesBefore).getResult();
  }
  const BoxParts parts = divideBox(op.getTensor(), tile, lines);
  Value isFirst = actsForOthers(c, /*forRole=*/true);
  for (const BoxParts::Place &part : parts.places) {
    Values at = moveStarts(c, *starts, part);
    Value to = arith::AddIOp::create(c.b, *place, constant(c.b, int32_t(part.offset)));
    BoxCopyOp::create(c.b, at, c.find(op.getRing()), to, c.find(channel), *phase, isFirst,
                      parts.box, op.getMulticast());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// Whether one barrier for an iteration separates those who put tiles from those who read them.
static bool hasBarrier(schedule::ChannelType channel) {
  return channel.getCopies() == CopyKind::Registers && channel.getSlots() > 1;
}

/// Between roles: two phase barriers for each slot, one that ends its filling, one its reading.
/// One thread of each warp arrives, for all of it.
LogicalResult simt::lower(LowerContext &c, schedule::ChannelOp op) {
  schedule::ChannelType channel = op.getChannel().getType();
  if (!channel.isBetweenRoles())
    return success();
  int64_t slots = channel.getSlots();
  auto phases = SharedAllocOp::create(c.b, schedule::sharedBytesOf(channel));
  c.set(op.getChannel(), phases);
  Value isFirst =
      arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, c.threads.threadId(), constant(c.b, 0));
  const bool hasOthers = op.getEverywhere();
  const auto consumers = int64_t(channel.getConsumers()) * (hasOthers ? countBlocks(op) : 1);
  for (int64_t i = 0; i < 2 * slots; ++i)
    PhaseInitOp::create(c.b, phases, constant(c.b, i * schedule::kPhaseBytes),
                        uint32_t(i < slots ? channel.getProducers() : consumers), isFirst);
  // Copies of boxes count at them.
  if (channel.getCopies() == CopyKind::Boxes)
    AsyncFenceOp::create(c.b);
  // No block reaches another one's before they are there.
  if (hasOthers)
    BarrierOp::create(c.b, BarrierScope::Cluster);
  return success();
}

/// The warp has done with a slot what it does, if `when` holds. With `bytes`, so many are on their
/// way to the slot.
static LogicalResult arrive(LowerContext &c, Value channel, Value slot, Phases which, Value when,
                            int64_t bytes = 0) {
  FailureOr<Value> place = phaseOf(c, channel, slot, which);
  FailureOr<Values> holds = c.getElements(when, {});
  if (failed(place) || failed(holds))
    return failure();
  BarrierOp::create(c.b, BarrierScope::Warp);
  bool isBoxes = schedule::getChannelType(channel).getCopies() == CopyKind::Boxes;
  Value isFirst = actsForOthers(c, /*forRole=*/isBoxes && which == Phases::Full);
  if (!holds->empty())
    isFirst = conjunction(c.b, holds->front(), isFirst);
  PhaseArriveOp::create(c.b, c.find(channel), *place, isFirst, bytes,
                        which == Phases::Empty && isEverywhere(channel));
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::AcquireOp op) {
  if (Value phase = op.getPhase()) {
    FailureOr<Value> place = phaseOf(c, op.getChannel(), op.getSlot(), Phases::Empty),
                     parity = c.getScalar(phase);
    if (failed(place) || failed(parity))
      return failure();
    // Before the first release a slot is empty: then the phase before the first one has ended.
    Value before = arith::SubIOp::create(c.b, constant(c.b, 1), *parity);
    PhaseWaitOp::create(c.b, c.find(op.getChannel()), *place, before);
    return success();
  }
  // Whoever fills the slot has waited for its readers: by the barrier of its last await, or by
  // those that the barrier pass inserts.
  return success();
}

/// What all rings of a channel have in one slot.
static int64_t slotBytesOf(Value channel) {
  int64_t bytes = 0;
  for (Operation *user : channel.getUsers())
    if (auto ring = dyn_cast<schedule::RingOp>(user)) {
      schedule::RingType type = ring.getRing().getType();
      bytes += schedule::slotBytesOf(type.getTile(), type.getForm());
    }
  return bytes;
}

LogicalResult simt::lower(LowerContext &c, schedule::PublishOp op) {
  schedule::ChannelType channel = schedule::getChannelType(op.getChannel());
  if (channel.getCopies() == CopyKind::Boxes)
    return arrive(c, op.getChannel(), op.getSlot(), Phases::Full, op.getWhen(),
                  slotBytesOf(op.getChannel()));
  if (channel.getCopies() == CopyKind::Chunks)
    AsyncCommitOp::create(c.b);
  else if (!c.target.warpGroupInstructions.empty())
    // Instructions of warp groups see a thread's stores only after its fence.
    AsyncFenceOp::create(c.b);
  if (!channel.isBetweenRoles())
    return success();
  AsyncWaitOp::create(c.b, op.getPending());
  if (!c.target.warpGroupInstructions.empty())
    AsyncFenceOp::create(c.b);
  return arrive(c, op.getChannel(), op.getSlot(), Phases::Full, op.getWhen());
}

LogicalResult simt::lower(LowerContext &c, schedule::AwaitOp op) {
  schedule::ChannelType channel = schedule::getChannelType(op.getChannel());
  if (channel.isBetweenRoles()) {
    FailureOr<Value> place = phaseOf(c, op.getChannel(), op.getSlot(), Phases::Full),
                     parity = c.getScalar(op.getPhase());
    if (failed(place) || failed(parity))
      return failure();
    PhaseWaitOp::create(c.b, c.find(op.getChannel()), *place, *parity);
  } else if (channel.getCopies() == CopyKind::Chunks) {
    AsyncWaitOp::create(c.b, op.getPending());
    // Copies may be in a branch, where the one that separates them from readers must not be.
    if (c.target.copiesFollowLanes)
      BarrierOp::create(c.b, c.barrierScope());
  } else if (hasBarrier(channel))
    BarrierOp::create(c.b, c.barrierScope());
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::ReleaseOp op) {
  if (!schedule::getChannelType(op.getChannel()).isBetweenRoles())
    return success();
  return arrive(c, op.getChannel(), op.getSlot(), Phases::Empty, op.getWhen());
}

LogicalResult simt::lower(LowerContext &c, schedule::DrainOp op) {
  schedule::ChannelType channel = schedule::getChannelType(op.getChannel());
  if (channel.getCopies() == CopyKind::Chunks)
    AsyncWaitOp::create(c.b, 0);
  else if (hasBarrier(channel))
    BarrierOp::create(c.b, c.barrierScope());
  return success();
}
