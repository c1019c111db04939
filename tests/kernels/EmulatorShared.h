// Shared memory of one block of a program on the emulator, with the last accesses to each byte.
//
// Vector clocks track the happens-before relation: each warp has its own time, which each
// barrier advances, and the times of the others up to which it has seen their accesses. Every byte
// keeps the time of each warp's last access to it, so that a missing barrier is found in any
// schedule, not only in one where it does harm. Lanes of a warp are ordered by its barriers, too.
// Blocks of a program have one set of clocks: copies and arrivals of one may reach another's
// memory.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::test::emulator {

/// A thread; kUnknownLane for an access by an unknown lane. Warps are counted through all blocks of
/// a program; the one behind a block's last one is the engine that copies boxes to its memory.
struct Thread {
  unsigned warp, lane;
};
inline constexpr unsigned kUnknownLane = 254;

/// [warp][other]: entries before it are ordered.
using Clocks = std::vector<std::vector<uint32_t>>;

class SharedMemory {
public:
  /// Of block `block`, each of which has so many warps; `clocks` is that of all.
  SharedMemory(uint64_t bytes, unsigned warpsOfBlock, unsigned block, Clocks &clocks);
  /// Clocks for a program of so many blocks.
  static Clocks makeClocks(unsigned warpsOfBlock, unsigned blocks);

  /// The error of an access.
  using Problem = std::optional<std::string>;
  Problem read(Thread thread, uint64_t place, llvm::MutableArrayRef<uint8_t> bytes);
  Problem write(Thread thread, uint64_t place, llvm::ArrayRef<uint8_t> bytes);
  Problem add(Thread thread, uint64_t place, uint32_t value);

  /// A copy begins: from here to its end its bytes have no value and must not be accessed.
  Problem beginCopy(Thread thread, uint64_t place, uint64_t bytes);
  Problem endCopy(Thread thread, uint64_t place, llvm::ArrayRef<uint8_t> bytes);
  /// An asynchronous read begins: up to its end its bytes must not be written.
  Problem beginRead(Thread thread, uint64_t place, llvm::MutableArrayRef<uint8_t> bytes);
  Problem endRead(Thread thread, uint64_t place, uint64_t bytes);
  /// A warp's earlier writes become visible to asynchronous reads.
  void fence(unsigned warp) { ++fences[warp]; }

  /// Phase barriers: by the places of their 8 bytes.
  Problem initialize(Thread thread, uint64_t place, uint32_t arrivals);
  /// With `bytes`, the phase does not end before so many more have landed.
  Problem arrive(Thread thread, uint64_t place, uint32_t bytes);
  /// Whether one more arrival, with `bytes` to come, ends the phase.
  bool isLastArrival(uint64_t place, uint32_t bytes) const;

  /// The copy of a box begins: from here on the engine works, which sees what `thread` sees.
  Problem beginBox(Thread thread, uint64_t place, uint64_t bytes);
  /// It ends, and its bytes count at a phase barrier.
  Problem endBox(uint64_t place, llvm::ArrayRef<uint8_t> bytes, uint64_t phase);
  /// Whether the end of so many bytes ends the phase.
  bool isLastBox(uint64_t phase, uint64_t bytes) const;
  /// Whether there is one that `thread` may use.
  Problem checkPhase(Thread thread, uint64_t place) const;
  /// Whether the latest phase of a parity has ended.
  bool hasEnded(uint64_t place, unsigned parity) const;
  /// A warp has seen that: accesses before the arrivals come before its own.
  void acquire(unsigned warp, uint64_t place);

  /// All accesses of these warps up to here come before all of theirs from here on.
  void synchronize(llvm::ArrayRef<unsigned> warps);

private:
  /// One warp's last access to a byte: its time, and the lane in the low 8 bits.
  using Entry = uint32_t;
  struct Cell {
    uint64_t readers = 0, writers = 0; ///< Warps with an entry, a bit each.
    uint32_t fences = 0;               ///< Of the last writer before it wrote.
    uint16_t copies = 0, reads = 0;    ///< Under way.
    uint8_t lastWriter = 0;
    bool hasValue = false, isAdded = false, isCopied = false;
    bool isOverlapped = false; ///< A copy has ended while another one was in flight.
  };
  struct Phase {
    uint32_t arrivals, missing;
    int64_t bytes = 0; ///< That are still to land; negative: have landed and are not expected yet.
    uint64_t ended = 0;
    std::vector<uint32_t> arrived; ///< The accesses that the arrived warps had seen.
    std::vector<uint32_t> seen;    ///< The same, up to the last phase that has ended.
  };
  bool areOrdered(uint64_t warps, const std::vector<Entry> &entries, uint64_t place,
                  Thread thread) const;
  void note(uint64_t &warps, std::vector<Entry> &entries, uint64_t place, Thread thread);
  void endIfComplete(Phase &phase);
  Problem checkRange(uint64_t place, uint64_t bytes) const;
  Problem checkOverwrite(Thread thread, uint64_t place) const;

  unsigned warps;  ///< Of all blocks, with their engines.
  unsigned engine; ///< That of this block.
  std::vector<uint8_t> arena;
  std::vector<Cell> cells;
  std::vector<Entry> readers, writers; ///< By byte and warp.
  std::map<uint64_t, Phase> phases;
  std::vector<uint32_t> fences;
  Clocks &clocks;
};

} // namespace tilerun::test::emulator
