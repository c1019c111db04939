// C++ side of the `sched` dialect (declared in ScheduleAttrs.td).
//
// Rules of this folder: it decides when tiles move, through which buffers and how many of them, and
// writes that into the IR as attributes; nothing is rewritten. It knows layouts (ir/distribute) and
// the target's table, and nothing of threads. Whatever it decides against has a remark that says
// why (Remarks.h).
#pragma once

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "ir/schedule/ScheduleDialect.h.inc"
#include "ir/schedule/ScheduleEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/schedule/ScheduleAttrs.h.inc"

namespace tilerun::schedule {

/// The most slots of a ring.
inline constexpr int64_t kMaxSlots = 64;

/// The schedule of a loop; null if it has none.
inline PipelineAttr getPipeline(mlir::scf::ForOp loop) {
  return loop->getAttrOfType<PipelineAttr>(SchedDialect::kPipeline);
}
/// The form of a load's slots; null if it does not run ahead.
inline RingAttr getRing(tile::LoadOp load) {
  return load->getAttrOfType<RingAttr>(SchedDialect::kRing);
}
inline bool isDeferred(tile::DotOp dot) { return dot->hasAttr(SchedDialect::kDeferred); }
/// Whether somebody wrote the schedule of one of the kernel's loops.
bool isByHand(mlir::func::FuncOp kernel);
/// What is impossible about these numbers of a pipeline; empty if nothing is.
std::string findFault(int64_t slots, int64_t distance, CopyKind copies);

/// `attributes` without those of this dialect.
mlir::DictionaryAttr withoutSchedule(mlir::DictionaryAttr attributes);

} // namespace tilerun::schedule
