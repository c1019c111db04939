// C++ side of the `sched` dialect (declared in ScheduleAttrs.td).
//
// Rules of this folder: it decides when tiles move, through which buffers, how many of them and by
// whom, and writes that into the IR as attributes (Stages.h, Roles.h, Allocate.h); then it rewrites
// loops to ops that do as the attributes say (Expand.h, ScheduleOps.td), and decides nothing more.
// It knows layouts (ir/distribute) and the target's table, and nothing of threads. Whatever it
// decides against has a remark that says why (Remarks.h).
#pragma once

#include "ir/distribute/DistributeDialect.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "ir/schedule/ScheduleDialect.h.inc"
#include "ir/schedule/ScheduleEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/schedule/ScheduleAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/schedule/ScheduleTypes.h.inc"

namespace tilerun::schedule {

/// The most slots of a ring.
inline constexpr int64_t kMaxSlots = 64;

/// The most warps of a producer.
inline constexpr int64_t kMaxProducers = 64;

/// The schedule of a loop; null if it has none.
inline PipelineAttr getPipeline(mlir::scf::ForOp loop) {
  return loop->getAttrOfType<PipelineAttr>(SchedDialect::kPipeline);
}
/// Whether its tiles are copied by warps that do nothing else.
inline bool hasRoles(mlir::scf::ForOp loop) {
  return getPipeline(loop) && loop->hasAttrOfType<RoleAttr>(SchedDialect::kRole);
}
/// Those warps; 0 if there are none.
inline unsigned getProducers(mlir::scf::ForOp loop) {
  auto role = loop->getAttrOfType<RoleAttr>(SchedDialect::kRole);
  return role ? role.getProducers() : 0;
}
/// The form of a load's slots; null if it does not run ahead.
inline RingAttr getRing(tile::LoadOp load) {
  return load->getAttrOfType<RingAttr>(SchedDialect::kRing);
}
inline bool isDeferred(tile::DotOp dot) { return dot->hasAttr(SchedDialect::kDeferred); }
/// Whether the product is made in the iteration after its own (LateProducts.h).
inline bool isLate(tile::DotOp dot) { return dot->hasAttr(SchedDialect::kStage); }
/// Whether the product's instructions go on behind it, up to a sched.dot_wait.
inline bool isInFlight(tile::DotOp dot) { return dot->hasAttr(SchedDialect::kInFlight); }
/// Whether the loops of a kernel that have a schedule are ops of this dialect already.
inline bool isExpanded(mlir::func::FuncOp kernel) {
  return kernel->hasAttr(SchedDialect::kExpanded);
}
/// Why these numbers of a pipeline are impossible; empty if they are possible.
std::string findFault(int64_t slots, int64_t distance, CopyKind copies);
/// Why slots of this form are impossible for tiles of this type; empty if they are possible.
std::string findFault(mlir::RankedTensorType tile, RingAttr form);

/// `attributes` without those of this dialect.
mlir::DictionaryAttr withoutSchedule(mlir::DictionaryAttr attributes);

} // namespace tilerun::schedule
