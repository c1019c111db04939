// A machine for per-thread IR: runs a lowered kernel in all threads of a program over the host's
// memory. Each warp is a coroutine; which one goes on is drawn at random, at barriers and between
// accesses to memory, from a seed. Slow, complete for the IR that the lowering builds, and strict:
// it reports accesses outside buffers, reads of shared memory that was never written or whose copy
// has not been waited for, accesses to shared memory that no barrier separates, barriers that not
// all warps reach, and exchange between lanes where control flow differs. So the lowering is tested
// for every warp size without any GPU.
#pragma once

#include "ir/simt/LowerTile.h"

namespace tilerun::test {

/// Memory that a kernel may touch.
struct MemoryRange {
  uint8_t *base;
  uint64_t bytes;
};

struct EmulatorOptions {
  const target::TargetInfo *target = nullptr;
  unsigned numWarps = 4;
  uint64_t grid = 1;
  uint64_t seed = 0; ///< Of the order in which warps run.
};

/// Runs `kernel` once for each program. `arguments`: one word each, pointers as addresses.
llvm::Error emulate(mlir::func::FuncOp kernel, llvm::ArrayRef<uint64_t> arguments,
                    llvm::ArrayRef<MemoryRange> memory, const EmulatorOptions &options);

} // namespace tilerun::test
