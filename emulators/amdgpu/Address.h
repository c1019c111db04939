// Where the lanes of a vector memory instruction access memory.
#ifndef TILERUN_EMULATORS_AMDGPU_ADDRESS_H
#define TILERUN_EMULATORS_AMDGPU_ADDRESS_H

#include "emulators/amdgpu/Access.h"

namespace tilerun::amdsim {

// The forms of addresses: `global` a 64-bit register pair, or a scalar base and a 32-bit offset;
// `flat` a pair that may point into an aperture; `buffer` a description in four scalar registers
// and offsets; `scratch` an offset in the lane's private memory.
enum class Space : uint8_t { global, flat, buffer, scratch };

// Host addresses of what the lanes access, bounds checked.
struct Lanes {
  uint64_t address[mostLanes];
  uint64_t active = 0; // lanes that access memory
  // Lanes of EXEC that a buffer's bounds mask: loads give zero, stores do nothing.
  uint64_t dropped = 0;
  // Lanes of which only the first `wordsInside` words lie within the bounds, which are checked for
  // each word; the others are as if dropped.
  uint64_t partial = 0;
  uint8_t wordsInside[mostLanes];
  bool isGood = false;    // false after a fault
  bool isPrivate = false; // all in private memory, which has its own bounds
};

// The operands of an instruction: the first source that belongs to the address is `first`. `bytes`
// are accessed by each lane. Updates must be at multiples of them; loads and stores need not,
// because compilers for this ABI count on unaligned accesses.
template <Space space>
void findLanes(Wave &w, const Instruction &i, unsigned first, unsigned bytes, Use use,
               Lanes &lanes);

// The counters that an instruction of this space raises.
uint32_t issueLoad(Wave &w, Space space);
void issueStore(Wave &w, Space space);

} // namespace tilerun::amdsim

#endif
