// Ops of the `sched` dialect (declared in ScheduleOps.td): loops with a schedule, expanded.
#pragma once

#include "ir/schedule/ScheduleDialect.h"

#define GET_OP_CLASSES
#include "ir/schedule/ScheduleOps.h.inc"

namespace tilerun::schedule {

/// The channel's type, of any op that takes one.
inline ChannelType getChannelType(mlir::Value channel) {
  return mlir::cast<ChannelType>(channel.getType());
}
/// The channel that orders the slots of a ring.
inline mlir::Value getChannel(mlir::Value ring) {
  return ring.getDefiningOp<RingOp>().getChannel();
}
/// The ring's type.
inline RingType getRingType(mlir::Value ring) { return mlir::cast<RingType>(ring.getType()); }

} // namespace tilerun::schedule
