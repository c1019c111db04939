// Results that are copied to global memory while a program goes on: of a persistent program, while
// the products of the next tile run.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// Stores behind the loops of a persistent kernel become boxes that are copied from shared memory
/// (`sched.store_box`), if they are boxes (Boxes.h), the buffers fit beside the rings that the
/// loops ask for, and the argument that they write to goes nowhere else: a copy is not ordered
/// against other accesses of its program. Persistent kernels have nothing that orders programs, and
/// something that runs meanwhile. All loops with a schedule have roles, and none has late products.
/// Choice::On is the same as Choice::Auto.
///
/// The kernel is neither allocated nor expanded yet.
void chooseAsyncStores(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                       Choice choice);

/// Bytes of shared memory of a kernel's store buffers, which are there as long as it runs.
int64_t getStoreBufferBytes(mlir::func::FuncOp kernel, const target::TargetInfo &target);

} // namespace tilerun::schedule
