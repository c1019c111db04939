// Products that warps of one matrix unit compute in turns (docs/schedule.md, "Turns"): which of a
// loop's are such turns, and whether that pays. Turns of warp groups are in LateChoice.h.
#pragma once

#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// Marks products of the loop's body, which has a pipeline, by `sched.turns`: all with an
/// instruction of a warp (Choice::On), or those that pay (Choice::Auto). Remarks name them, and say
/// why one does not pay. Returns why not, if none can be a turn.
std::optional<std::string>
setTurnsOfWarps(mlir::scf::ForOp loop, const distribute::LayoutAssignment &layouts, Choice choice);

} // namespace tilerun::schedule
