// Shared-memory accesses: which bank conflicts an access pattern has, and the construction of a
// swizzled layout that a writer and a reader both access in wide vectors and without conflicts.
#ifndef TILERUN_IR_LAYOUT_SHAREDMEMORY_H
#define TILERUN_IR_LAYOUT_SHAREDMEMORY_H

#include "ir/layout/LinearLayout.h"
#include "ir/layout/Vectorization.h"

namespace tilerun::layout {

/// How shared memory serves a warp. An access of at most a word per lane is served `lanes x word <=
/// line` lanes at a time; a wider one in proportionally more phases of consecutive lanes. In each
/// phase every bank delivers one word; lanes that access the same word share it (broadcast).
struct SharedMemoryModel {
  unsigned banks = 32;          // of loads, a power of two; stores have 32 at most, as on gfx950
  unsigned bankBytes = 4;       // a power of two
  unsigned maxVectorBytes = 16; // a power of two

  unsigned lineBytes() const { return banks * bankBytes; }
  bool operator==(const SharedMemoryModel &) const = default;
};

/// The cost for one warp of moving its registers to or from shared memory once.
struct SharedAccess {
  /// How registers form accesses: runs are accesses, positions in a run are elements of a vector.
  RegisterVectors vectors;
  /// Where the elements are: from the tensor layout's inputs to `offset`, in elements.
  LinearLayout offsets;
  unsigned vectorElements = 1;
  /// Accesses per thread.
  uint64_t instructions = 1;
  /// Phases that an access would take without conflicts, and the extra ones because of them.
  uint64_t phases = 1;
  uint64_t conflicts = 0;

  uint64_t wavefronts() const { return instructions * (phases + conflicts); }
};

/// Extra phases of one access of `vectorElements` consecutive elements a lane. `offsets` maps lane
/// (other inputs do not matter: they move all lanes alike) to `offset`; offsets of lanes are
/// multiples of the vector. Sizes are powers of two.
uint64_t bankConflicts(const LinearLayout &offsets, unsigned elementBytes, unsigned vectorElements,
                       const SharedMemoryModel &model = {});

/// The cost of accessing `memory` (offset -> tensor) from `threads` (register, lane, ... ->
/// tensor), in the widest vectors possible; nullopt if `memory` does not hold all of its elements.
std::optional<SharedAccess> accessShared(const LinearLayout &threads, const LinearLayout &memory,
                                         unsigned elementBytes,
                                         const SharedMemoryModel &model = {});

struct SharedChoice {
  LinearLayout memory; // offset -> tensor, injective, onto exactly the writer's elements
  SharedAccess write, read;

  uint64_t bytes(unsigned elementBytes) const {
    return (uint64_t(1) << memory.totalInBits()) * elementBytes;
  }
};

/// The best shared-memory layout for a writer and a reader with the same outputs.
///
/// The writer's phases are those of stores. With the vectors that both sides can use, a layout
/// without bank conflicts on either side always exists: the bits of an offset above a line (the
/// segment) must be mapped to a subspace that meets what a phase of the writer reaches only in 0,
/// and likewise for the reader; both reach at most a line, and two such subspaces have a common
/// complement. Vectors that only one side can use are tried too, and win if they save more phases
/// than they cost.
///
/// Precondition: the reader's elements are all among the writer's. elementBytes is a power of two,
/// at most model.maxVectorBytes.
SharedChoice chooseSharedLayout(const LinearLayout &writer, const LinearLayout &reader,
                                unsigned elementBytes, const SharedMemoryModel &model = {});

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_SHAREDMEMORY_H
