// The budget of a program's shared memory. This is the only place with fractions of it: every
// planner of a buffer asks here, so that the sum can be checked in one place
// (tests/ir/target/MemoryBudgetTest.cpp states the arithmetic).
//
// All sizes are bytes.
#pragma once

#include <cstdint>

namespace tilerun::target {

class MemoryBudget {
public:
  explicit MemoryBudget(uint64_t bytes) : bytes(int64_t(bytes)) {}

  int64_t total() const { return bytes; }

  /// The rings of a loop and of the loops around it, together with operands that its products
  /// store. An eighth is left for conversions between layouts.
  int64_t forRings() const { return bytes * 7 / 8; }
  /// One operand of a product by instructions of a warp, stored to be read in steps; there may be
  /// two in addition to a ring.
  int64_t forStoredOperand() const { return bytes * 3 / 8; }
  /// Both operands of a product by instructions of warp groups.
  int64_t forWarpGroupOperands() const { return bytes * 3 / 4; }
  /// Converting a result to a better layout for its store. A larger one is stored directly.
  int64_t forStoredResult() const { return bytes * 3 / 4; }
  /// One round of an exchange between threads where there are no shuffles.
  int64_t forExchange() const { return bytes / 4; }
  /// The slots of all warps through which opaque matrices become registers.
  int64_t forMatrixSlots() const { return bytes / 8; }

  /// One of `programs` that run at a time on a unit, beside what the target takes for each.
  int64_t forProgramOf(unsigned programs) const {
    return (bytes + kReserved) / programs - kReserved;
  }
  static constexpr int64_t kReserved = 1024;

  /// The minimum for a conversion, unless it needs less.
  static constexpr int64_t kLeastConversion = 1024;

  /// The other users of shared memory during a loop.
  struct RingNeeds {
    int64_t slotBytes = 0; ///< One slot of every ring of the loop; positive.
    int64_t inUse = 0;  ///< Rings of enclosing loops, with the operands that their products store.
    int64_t stored = 0; ///< Operands that products of this loop store in addition to the rings.
    int64_t others = 0; ///< The maximum that ops in the loop need at one time, including `stored`.
  };
  /// The maximum number of slots that fit, 0 or more.
  int64_t slotsFor(const RingNeeds &needs) const;

  /// The memory for one conversion in addition to `inUse` and `others`. Larger ones are split into
  /// pieces.
  int64_t forConversions(int64_t inUse, int64_t others) const;

  /// A conversion of `bytes` (a power of two) is split into 2^n pieces, of which each fits `room`.
  static unsigned pieceBits(uint64_t bytes, int64_t room);

private:
  int64_t bytes;
};

} // namespace tilerun::target
