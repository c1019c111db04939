// How to move a tensor from one layout over threads to another: which values are already in place,
// which move between lanes of a warp by shuffles, and which have to go through shared memory.
#ifndef TILERUN_IR_LAYOUT_CONVERSION_H
#define TILERUN_IR_LAYOUT_CONVERSION_H

#include "ir/layout/LinearLayout.h"
#include "ir/layout/SharedMemory.h"

namespace tilerun::layout {

inline constexpr llvm::StringLiteral kRound("round");
inline constexpr llvm::StringLiteral kPosition("position");

enum class ConversionKind {
  None,         // every register is where it has to be
  Registers,    // each thread renames or copies its own registers
  Shuffles,     // values move between the lanes of a warp
  SharedMemory, // values move between the warps of a block
  CrossBlock,   // values move between blocks
};
llvm::StringRef toString(ConversionKind kind);

/// The barrier required between the stores to shared memory and the loads.
enum class Barrier { Warp, Block };

/// An exchange in rounds. In round t a lane publishes one 32-bit word (or a larger single element),
/// takes the word that some lane of its warp publishes, and finds in it the elements of zero, one
/// or more of its destination registers.
///
/// All maps are linear in (register or round, lane, warp, block), and XOR with the round splits
/// into a constant per round and a value per thread. A map that does not depend on lane, warp or
/// block picks registers statically; any other needs selects.
struct ShufflePlan {
  /// Word position bit i is this XOR mask on the source register: a published word holds registers
  /// publish ^ (XOR of the masks at the position's set bits). Empty: one element a word.
  BitVectors packedRegisters;
  LinearLayout publish;    // (round, lane, warp, block) -> register at position 0
  LinearLayout sourceLane; // (round, lane, warp, block) -> lane
  LinearLayout round;      // (register, lane, ...) -> round that brings it; the same in all warps
  LinearLayout position;   // (register, lane, warp, block) -> its position in the word
  /// Per round: whether it moves anything. If not, sourceLane is the lane itself wherever the round
  /// brings something, and the word is used without a shuffle.
  llvm::SmallVector<bool, 16> needsShuffle;
  /// 32-bit shuffle instructions in total, over all rounds.
  uint64_t shuffles = 0;
};

/// A trip through shared memory. Every warp stores all of its source registers, then loads. (With a
/// block barrier, threads may skip stores that repeat others': the source's free variables.)
struct SharedPlan {
  SharedChoice choice; // choice.read.offsets covers (register, lane, warp)
  /// (register, lane, warp, block) -> offset, for the destination's registers.
  LinearLayout loadOffsets;
  uint64_t bytes = 0;
  Barrier barrier = Barrier::Block;
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::None;
  /// From each destination position to the source position that it takes its value from. Both sides
  /// list register, lane, warp and block, with the larger of source's and destination's sizes for
  /// the last three. Always present.
  LinearLayout source;
  std::optional<ShufflePlan> shuffle; // if kind is Shuffles
  std::optional<SharedPlan> shared;   // if kind is SharedMemory
};

struct ConversionOptions {
  unsigned elementBytes = 4; // a power of two, at most 16
  SharedMemoryModel sharedMemory = {};
  /// Within a warp: more shuffles than this are not worth it, use shared memory. 0 forbids
  /// shuffles.
  uint64_t maxShuffles = 64;
};

/// Plans the conversion. Inputs are among register, lane, warp and block; a missing or smaller one
/// means that the layout replicates over it. An error says why no conversion exists: other inputs,
/// outputs that differ, a source that does not hold all elements, an element size that is not
/// supported, more than 2^48 elements or 64 input bits.
///
/// Where a value is in several places the nearest is taken: the same block if possible, then the
/// same warp, the same lane, the same register.
llvm::Expected<ConversionPlan> planConversion(const LinearLayout &source,
                                              const LinearLayout &destination,
                                              const ConversionOptions &options = {});

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_CONVERSION_H
