// What the shared memory of one program may be spent on. This is the only place with fractions of
// it: whoever plans a buffer asks here, so that the sum can be checked in one place too
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
  /// two beside a ring.
  int64_t forStoredOperand() const { return bytes * 3 / 8; }
  /// Both operands of a product by instructions of warp groups.
  int64_t forWarpGroupOperands() const { return bytes * 3 / 4; }
  /// A result on its way to a better layout for its store. A larger one is stored as it is.
  int64_t forStoredResult() const { return bytes * 3 / 4; }
  /// One round of an exchange between threads where there are no shuffles.
  int64_t forExchange() const { return bytes / 4; }
  /// The slots of all warps through which opaque matrices become registers.
  int64_t forMatrixSlots() const { return bytes / 8; }
  /// One conversion, where as little as possible is used.
  int64_t forLeastConversion() const { return bytes / 16; }

  /// A conversion takes at least this, or all that it needs if that is less.
  static constexpr int64_t kLeastConversion = 1024;

  /// What a loop's rings have to share shared memory with.
  struct RingNeeds {
    int64_t slotBytes = 0; ///< One slot of every ring of the loop; positive.
    int64_t inUse = 0;     ///< Rings of the loops around, with what their products store.
    int64_t stored = 0;    ///< Operands that products of this loop store beside the rings.
    int64_t others = 0;    ///< The most that ops in the loop need at one time, `stored` included.
  };
  /// The most slots that fit, 0 or more.
  int64_t slotsFor(const RingNeeds &needs) const;

  /// What one conversion may take beside `inUse` and `others`. Larger ones are split into pieces.
  int64_t forConversions(int64_t inUse, int64_t others) const;

  /// A conversion of `bytes` (a power of two) is split into 2^n pieces, of which each fits `room`.
  static unsigned pieceBits(uint64_t bytes, int64_t room);

private:
  int64_t bytes;
};

} // namespace tilerun::target
