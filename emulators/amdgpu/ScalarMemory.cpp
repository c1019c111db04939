// Scalar loads.
#include "emulators/amdgpu/Access.h"

#include <algorithm>
#include <chrono>

namespace tilerun::amdsim {
namespace {

void finishLoad(Wave &w, const Instruction &i, unsigned words) {
  uint32_t mark = w.issue(Pending::scalarMemory);
  for (unsigned word = 0; word < words; ++word) {
    w.sgprPending[i.dst[0].reg + word] = mark;
    w.sgprShadow[i.dst[0].reg + word] = 0;
  }
}

void checkDestination(Wave &w, const Instruction &i, unsigned words) {
  for (unsigned word = 0; word < words; ++word)
    w.checkScalar(i.dst[0].reg + word);
}

// `words` registers from base + offset + immediate; of `bytes` < 4, one byte or two of the first.
template <unsigned words, unsigned bytes = 4, bool isSigned = false>
void load(Wave &w, const Instruction &i) {
  uint64_t base = scalarOf(w, i.src[0], 0, "an address") |
                  uint64_t(scalarOf(w, i.src[0], 1, "an address")) << 32;
  const Operand &offset = i.src[1];
  int64_t add = offset.place == Operand::constant ? int64_t(int32_t(offset.value))
                                                  : int64_t(scalarOf(w, offset, 0, "an address"));
  uint64_t address = base + uint64_t(add + i.offset0);
  if (bytes == 4)
    address &= ~uint64_t(3);
  checkDestination(w, i, words);
  if (!checkAddress(w, address, bytes == 4 ? 4 * words : bytes, Use::load, -1))
    return;
  const auto *from = reinterpret_cast<const uint8_t *>(address);
  if constexpr (bytes == 4)
    std::memcpy(w.sgprs + i.dst[0].reg, from, 4 * words);
  else
    w.sgprs[i.dst[0].reg] = loadNarrow<bytes, isSigned>(from);
  finishLoad(w, i, words);
}

// From a buffer of four registers: words beyond its size are zero.
template <unsigned words> void loadBuffer(Wave &w, const Instruction &i) {
  uint32_t resource[4];
  for (unsigned word = 0; word < 4; ++word)
    resource[word] = scalarOf(w, i.src[0], word, "a buffer's description");
  uint64_t base = resource[0] | uint64_t(resource[1] & 0xffff) << 32;
  uint64_t stride = resource[1] >> 16 & 0x3fff, size = stride ? stride * resource[2] : resource[2];
  uint64_t offset =
      (scalarOf(w, i.src[1], 0, "an address") + uint64_t(int64_t(i.offset0))) & ~uint64_t(3);
  checkDestination(w, i, words);
  for (unsigned word = 0; word < words; ++word) {
    uint64_t at = offset + 4 * word;
    uint32_t value = 0;
    if (at + 4 <= size) {
      if (!checkAddress(w, base + at, 4, Use::load, -1))
        return;
      std::memcpy(&value, reinterpret_cast<const void *>(base + at), 4);
    }
    w.sgprs[i.dst[0].reg + word] = value;
  }
  finishLoad(w, i, words);
}

// The clock of the unit counts executed instructions.
void readClock(Wave &w, const Instruction &i) {
  w.setWide(i.dst[0].reg, w.counters->instructions);
  finishLoad(w, i, 2);
}

// The counter of constant rate ticks every 10 ns of the host's time, as events are timed: however
// fast the host is, a kernel that waits takes as long as it says.
uint64_t getSteadyTicks() {
  using Tick = std::chrono::duration<uint64_t, std::ratio<1, 100'000'000>>;
  return std::chrono::duration_cast<Tick>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void readSteadyCounter(Wave &w, const Instruction &i) {
  w.setWide(i.dst[0].reg, getSteadyTicks());
  finishLoad(w, i, 2);
}

// The only message with an answer that can be decoded is the one that asks for that counter.
void askSteadyCounter(Wave &w, const Instruction &i) {
  w.sgprs[i.dst[0].reg] = uint32_t(getSteadyTicks());
  finishLoad(w, i, 1);
}

#define LOAD(spellings, ...)                                                                       \
  {spellings, Family::scalarMemory, 1, 0, {Type::raw, Type::raw, Type::b32}, __VA_ARGS__}
constexpr OpcodeRow rows[] = {
    LOAD("s_load_dword|s_load_b32", load<1>),
    LOAD("s_load_dwordx2|s_load_b64", load<2>),
    LOAD("s_load_dwordx3|s_load_b96", load<3>),
    LOAD("s_load_dwordx4|s_load_b128", load<4>),
    LOAD("s_load_dwordx8|s_load_b256", load<8>),
    LOAD("s_load_dwordx16|s_load_b512", load<16>),
    LOAD("s_load_u8", load<1, 1>),
    LOAD("s_load_i8", load<1, 1, true>),
    LOAD("s_load_u16", load<1, 2>),
    LOAD("s_load_i16", load<1, 2, true>),
    LOAD("s_buffer_load_dword|s_buffer_load_b32", loadBuffer<1>),
    LOAD("s_buffer_load_dwordx2|s_buffer_load_b64", loadBuffer<2>),
    LOAD("s_buffer_load_dwordx4|s_buffer_load_b128", loadBuffer<4>),
    LOAD("s_buffer_load_dwordx8|s_buffer_load_b256", loadBuffer<8>),
    LOAD("s_buffer_load_dwordx16|s_buffer_load_b512", loadBuffer<16>),
    {"s_memtime", Family::scalarMemory, 1, 0, {Type::raw}, readClock},
    {"s_memrealtime", Family::scalarMemory, 1, 0, {Type::raw}, readSteadyCounter},
    {"s_sendmsg_rtn_b32", Family::message, 1, 0, {Type::raw, Type::b32}, askSteadyCounter},
    {"s_sendmsg_rtn_b64", Family::message, 1, 0, {Type::raw, Type::b32}, readSteadyCounter},
};

} // namespace

llvm::ArrayRef<OpcodeRow> scalarMemoryRows() { return rows; }

} // namespace tilerun::amdsim
