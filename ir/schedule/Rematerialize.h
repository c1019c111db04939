// Values that are computed again behind a reduction, from narrower ones, instead of being kept
// across it: float32 numbers of a row of float16 take twice the registers, and registers decide how
// many programs run at a time.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// Registers of a thread that a kernel needs if it keeps `kept` of them across its reductions.
/// Addresses, and what is under way between two of those, take half as many again, and eight.
constexpr int64_t getRegisterNeed(int64_t kept) { return kept + kept / 2 + 8; }

/// Computes values again behind reductions, in kernels without products: with Choice::Auto, where
/// more programs run by it, and at most two without it, and where nothing but loads, stores,
/// reductions and what works element by element takes registers; not where one program has the
/// unit, and with it the caches, to itself for what its loops read again. With Choice::On wherever
/// registers are saved. A remark says what was done.
///
/// And decides how many registers a thread may have (`sched.registers`): with values computed
/// again, those with which the programs fit. Where wide tensors are kept across reductions, so that
/// more programs hide more of the time in which threads wait for each other, it is the assembler's
/// choice. Elsewhere as many as a program can have: loads that are under way need them.
///
/// Leaves kernels of targets whose unit's registers are unknown as they are. Precondition: `kernel`
/// is expanded.
void rematerialize(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                   Choice choice);

} // namespace tilerun::schedule
