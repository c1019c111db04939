// How many neighbouring elements a thread can move with one access: to global memory (by a tensor's
// contiguous order) or to shared memory (by offset).
#ifndef TILERUN_IR_LAYOUT_VECTORIZATION_H
#define TILERUN_IR_LAYOUT_VECTORIZATION_H

#include "ir/layout/LinearLayout.h"

namespace tilerun::layout {

/// The number of low register bits k such that registers r .. r+2^k-1, for every aligned r and
/// every thread, hold consecutive elements in increasing order. `order` names the outputs along
/// which elements are contiguous, fastest first; the other outputs must not change within a run.
unsigned consecutiveRegisterBits(const LinearLayout &layout, Names order);

/// Runs of consecutive elements in registers that need not be consecutive themselves. Since
/// register numbers are known at compile time, choosing them freely costs nothing.
struct RegisterVectors {
  /// Bit i of the position within a run is this XOR mask on the register number; the size is log2
  /// of the run's length.
  BitVectors withinRun;
  /// The first register of run j is the XOR of the masks at the set bits of j. Every thread's
  /// registers are runs x positions; the run starts at a multiple of its length.
  BitVectors runs;
};
/// The longest runs, at most 2^maxBits elements. Registers that repeat another register of the same
/// thread appear in no run.
RegisterVectors longestRuns(const LinearLayout &layout, Names order, unsigned maxBits = kMaxBits);

/// The analysis's facts about a memory access. Of a number that is not a power of two, the largest
/// power of two that divides it is used: only that many neighbours never straddle a boundary.
struct AccessLimits {
  unsigned elementBytes = 4;
  /// Elements known to be contiguous in memory, and starting at a multiple of that many in the
  /// tensor.
  uint64_t contiguity = 1;
  /// Known alignment of each contiguous run's start, in bytes.
  uint64_t alignmentBytes = 1;
  /// Neighbouring elements that share one mask value, likewise aligned.
  uint64_t maskConstancy = uint64_t(1) << 63;
  /// The target's widest access.
  unsigned maxBytes = 16;
};
/// The number of elements (a power of two, at least 1) of one access, for registers as they are
/// numbered or for registers chosen freely as by longestRuns.
unsigned vectorWidth(const LinearLayout &layout, Names order, const AccessLimits &limits,
                     bool mayChooseRegisters = false);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_VECTORIZATION_H
