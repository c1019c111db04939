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
/// Bytes of a phase barrier, of which a channel between roles has two for each slot.
inline constexpr int64_t kPhaseBytes = 8;
/// The ring's type.
inline RingType getRingType(mlir::Value ring) { return mlir::cast<RingType>(ring.getType()); }

} // namespace tilerun::schedule
