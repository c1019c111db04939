// Which loads of a kernel's loops run ahead, by how many iterations and by what means: decided from
// the layouts and the loops' hazards, and written into the IR as attributes of the `sched` dialect
// (docs/schedule.md). Memory is not asked here (Allocate.h).
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/HandSchedule.h"

namespace tilerun::schedule {

/// Loads through registers are kept in registers until their slot is free: more of them than this
/// are not made unless a schedule by hand says so.
inline constexpr int64_t kMaxRegisterSlots = 2;

/// Whether something is done where that is expected to pay, never, or wherever it is possible.
enum class Choice { Auto, Off, On };
/// The choice of this name; nullopt if there is none.
std::optional<Choice> getChoice(llvm::StringRef name);

struct StageOptions {
  unsigned numStages = 1;               ///< Slots of loops without their own number; 1: none.
  const HandSchedule *byHand = nullptr; ///< Null: none.
  Choice boxes = Choice::Auto;      ///< Copies of boxes (Boxes.h), of loops that no hand schedules.
  Choice late = Choice::Auto;       ///< Products that are made one iteration late (LateProducts.h).
  Choice turns = Choice::Auto;      ///< Turns of warp groups at such products.
  Choice persistent = Choice::Auto; ///< Programs that run several of the caller's (Persistence.h).
};

/// How many slots a loop asks for: itself (`tile.num_stages`), or by the options.
int64_t askedSlots(mlir::scf::ForOp loop, unsigned numStages);

/// Gives every loop of `kernel` that can have one a pipeline with as many slots as it asks for.
/// Loops that have one keep it, unless `options.byHand` names them. Remarks say why a loop has
/// none; what a schedule by hand cannot have is an error at its place in the text.
mlir::LogicalResult scheduleStages(mlir::func::FuncOp kernel,
                                   const distribute::LayoutAssignment &layouts,
                                   const StageOptions &options);

/// All of a kernel's schedule: stages, roles (Roles.h), slots (Allocate.h), and their check.
mlir::LogicalResult scheduleKernel(mlir::func::FuncOp kernel,
                                   const distribute::LayoutAssignment &layouts,
                                   const StageOptions &options);

/// Takes the loop's schedule away: its loads are made where they are.
void removePipeline(mlir::scf::ForOp loop);

} // namespace tilerun::schedule
