// Checks and addresses of memory accesses, shared by the files that load, store and combine.
#ifndef TILERUN_EMULATORS_AMDGPU_ACCESS_H
#define TILERUN_EMULATORS_AMDGPU_ACCESS_H

#include "emulators/amdgpu/Vector.h"

namespace tilerun::amdsim {

// `update`: an atomic operation.
enum class Use : uint8_t { load, store, update };

// Apertures of flat addresses: the high word says that the low one is an offset in LDS or scratch.
constexpr uint64_t sharedAperture = uint64_t(0x20000) << 32, privateAperture = uint64_t(0x30000)
                                                                               << 32;

// The base of the buffer by which gfx90a reaches private memory. It names no memory: each lane has
// its own.
constexpr uint64_t privateBuffer = uint64_t(0x5caa) << 32;

// Whether [address, address + bytes) lies in one allocation that may be used so; a fault if not.
bool checkAddress(Wave &w, uint64_t address, unsigned bytes, Use use, int lane);
// The same for all active lanes.
bool checkAddresses(Wave &w, const uint64_t *addresses, uint64_t active, unsigned bytes, Use use);
// Addresses that are not multiples of `alignment` are reported.
void checkAlignment(Wave &w, const uint64_t *addresses, uint64_t active, unsigned alignment);
// Counts transactions of a global access, if the launch wants them.
void countGlobal(Wave &w, const uint64_t *addresses, uint64_t active, unsigned bytes, Use use);

// A vector register as a value for each lane; undefined lanes among the active ones are reported as
// a use.
const uint32_t *addressRow(Wave &w, const Operand &o, unsigned word, uint64_t active,
                           uint32_t *scratch);
uint32_t scalarOf(Wave &w, const Operand &o, unsigned word, const char *use);

// Marks registers as not yet there.
inline void markPending(Wave &w, const Operand &dst, unsigned words, uint32_t mark) {
  for (unsigned word = 0; word < words; ++word)
    w.vgprPending[dst.reg + word] = mark;
}
// Before data is stored: it must have arrived and been written. `halves`: 1 the low halves of the
// registers matter, 2 the high ones, 3 both.
void checkData(Wave &w, const Operand &data, unsigned words, uint64_t active, unsigned halves,
               const char *use);

// Calls `function` with each lane whose bit is set.
template <class F> inline void forLanes(uint64_t lanes, F function) {
  for (; lanes; lanes &= lanes - 1)
    function(unsigned(std::countr_zero(lanes)));
}

// How a narrow value is put into a register.
enum class Part : uint8_t { whole, low, high };
template <unsigned bytes, bool isSigned> inline uint32_t loadNarrow(const uint8_t *from) {
  if constexpr (bytes == 1)
    return isSigned ? uint32_t(int32_t(int8_t(*from))) : *from;
  uint16_t value;
  std::memcpy(&value, from, 2);
  return isSigned ? uint32_t(int32_t(int16_t(value))) : value;
}
template <Part part> inline uint32_t insertPart(uint32_t old, uint32_t value) {
  return part == Part::whole ? value
         : part == Part::low ? (old & 0xffff0000) | (value & 0xffff)
                             : (old & 0xffff) | value << 16;
}
// The shadow of a register after a load that filled `part` of the active lanes with defined bits.
template <Part part> inline void markLoaded(Wave &w, unsigned reg, uint64_t active) {
  if (part != Part::high)
    w.shadowLow[reg] &= ~active;
  if (part != Part::low)
    w.shadowHigh[reg] &= ~active;
}

} // namespace tilerun::amdsim

#endif
