// Which loads of a kernel's loops run ahead, into how many slots: decided from the layouts, the
// loops' hazards and the memory budget, and written into the IR as attributes of the `sched`
// dialect (docs/schedule.md).
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/HandSchedule.h"

namespace tilerun::schedule {

/// Loads through registers are kept in registers until their slot is free: more of them than this
/// are not made unless a schedule by hand says so.
inline constexpr int64_t kMaxRegisterSlots = 2;

struct StageOptions {
  unsigned numStages = 1;               ///< Slots of loops without their own number; 1: none.
  const HandSchedule *byHand = nullptr; ///< Null: none.
};

/// How many slots a loop asks for: itself (`tile.num_stages`), or by the options.
int64_t askedSlots(mlir::scf::ForOp loop, unsigned numStages);

/// Gives every loop of `kernel` its schedule. Loops that have one keep it. What is chosen or given
/// is checked; a diagnostic says what is wrong with a given one. Remarks say why a loop has none.
mlir::LogicalResult scheduleStages(mlir::func::FuncOp kernel,
                                   const distribute::LayoutAssignment &layouts,
                                   const StageOptions &options);

/// Checks what a kernel's schedule asks of the target: means, forms of slots, the budget.
mlir::LogicalResult checkSchedule(mlir::func::FuncOp kernel,
                                  const distribute::LayoutAssignment &layouts);

/// The same of a kernel that is expanded: copies that the target can make, rings that fit.
mlir::LogicalResult checkExpanded(mlir::func::FuncOp kernel,
                                  const distribute::LayoutAssignment &layouts);

/// Takes the kernel's schedule away, and leaves one that needs as little shared memory as possible:
/// nothing runs ahead, and conversions are split into small pieces.
void useLeastMemory(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts);

/// Whether the kernel fits the target's shared memory with that.
bool fitsWithLeast(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
