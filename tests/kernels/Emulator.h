// A machine for per-thread IR: runs a lowered kernel in all threads of a program at once, one
// operation after the other, over the host's memory. Slow, complete in what the lowering builds,
// and strict: it reports accesses outside of buffers, reads of shared memory that was never
// written, accesses to shared memory that no barrier separates, and exchange between threads
// where control flow differs between them. So the lowering is tested for every warp size without
// any GPU.
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
};

/// Runs `kernel` once for each program. `arguments`: one word each, pointers as addresses.
llvm::Error emulate(mlir::func::FuncOp kernel, llvm::ArrayRef<uint64_t> arguments,
                    llvm::ArrayRef<MemoryRange> memory, const EmulatorOptions &options);

} // namespace tilerun::test
