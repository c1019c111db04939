// Loads that no product reads, made one iteration early: what is between two products would
// wait for them, since nothing else of the iteration is left to hide their latency.
#pragma once

#include "ir/distribute/DistributeDialect.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// In loops with products, carries such loads in registers: the loop begins with those of the next
/// iteration, masked off where that does not exist, and those of the first one come before it.
///
/// Possible where address and mask can be computed for the next iteration, as for loads that run
/// ahead into slots, where nothing in the loop may write what is read (LoopHazards.h), and where no
/// other load's address depends on it. With Choice::Auto in a kernel's only loop with products, if
/// that is to be pipelined, on targets with asynchronous copies, for vectors: those of a row or a
/// column, such as the statistics of a softmax or the scales of a quantized operand, take few
/// registers. Not in loops that are known to have few iterations: the first one would wait for what
/// is in front of it.
///
/// Comes before layouts are chosen, and asks how many slots a loop asks for, not a schedule by
/// hand.
void prefetch(mlir::func::FuncOp kernel, const distribute::Program &program, Choice choice);

} // namespace tilerun::schedule
