// Executes Memory.def for global, flat, scratch and buffer instructions, and copies to LDS.
#include "emulators/amdgpu/Address.h"
#include "emulators/amdgpu/Lds.h"

namespace tilerun::amdsim {
namespace {

constexpr Type A = Type::raw;

uint8_t *hostPointer(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }

// Whether lanes access one contiguous block, each the bytes after its predecessor's.
bool isContiguous(const Wave &w, const Lanes &lanes, unsigned bytes) {
  if (lanes.active != w.allLanes)
    return false;
  uint64_t differs = 0;
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    differs |= lanes.address[lane] - lanes.address[0] - lane * bytes;
  return differs == 0;
}

template <unsigned bytes, bool isSigned, Part part>
void loadLanes(Wave &w, unsigned reg, const Lanes &lanes) {
  if constexpr (bytes >= 4) {
    constexpr unsigned words = bytes / 4;
    if (isContiguous(w, lanes, bytes)) {
      const uint8_t *from = hostPointer(lanes.address[0]);
      for (unsigned word = 0; word < words; ++word) {
        uint32_t *out = w.row(reg + word);
        for (unsigned lane = 0; lane < w.lanes; ++lane)
          std::memcpy(out + lane, from + lane * bytes + 4 * word, 4);
      }
      return;
    }
    uint32_t *rows[words];
    for (unsigned word = 0; word < words; ++word)
      rows[word] = w.row(reg + word);
    forLanes(lanes.active, [&](unsigned lane) {
      const uint8_t *from = hostPointer(lanes.address[lane]);
      for (unsigned word = 0; word < words; ++word)
        std::memcpy(rows[word] + lane, from + 4 * word, 4);
    });
  } else {
    uint32_t *out = w.row(reg);
    forLanes(lanes.active, [&](unsigned lane) {
      out[lane] = insertPart<part>(out[lane],
                                   loadNarrow<bytes, isSigned>(hostPointer(lanes.address[lane])));
    });
  }
}

// Whether a host address is in the wave's private memory, and its marks of bytes never written,
// which lie behind that of all lanes.
bool isPrivate(const Wave &w, uint64_t address) {
  return address - reinterpret_cast<uintptr_t>(w.scratch) < uint64_t(w.scratchBytes) * w.lanes;
}
uint8_t *privateMarks(const Wave &w, uint64_t address) {
  return hostPointer(address + uint64_t(w.scratchBytes) * w.lanes);
}

// The lanes whose address is in private memory, where a value that was never written may be stored:
// compilers spill whole registers. Whoever loads it gets it back as undefined.
template <Space space> uint64_t privateLanes(const Wave &w, const Lanes &lanes) {
  if (space == Space::global || !w.scratchBytes)
    return 0;
  uint64_t result = 0;
  forLanes(lanes.active,
           [&](unsigned lane) { result |= uint64_t(isPrivate(w, lanes.address[lane])) << lane; });
  return result;
}

// The shadow of what lanes loaded from private memory.
template <unsigned bytes, Part part>
void loadMarks(Wave &w, unsigned reg, const Lanes &lanes, uint64_t inPrivate) {
  forLanes(inPrivate, [&](unsigned lane) {
    const uint8_t *marks = privateMarks(w, lanes.address[lane]);
    for (unsigned word = 0; word < (bytes + 3) / 4; ++word) {
      uint32_t undefined = 0;
      std::memcpy(&undefined, marks + 4 * word, std::min(bytes, 4u));
      const bool low = bytes < 4 ? undefined && part != Part::high : undefined & 0xffff,
                 high = bytes < 4 ? undefined && part != Part::low : undefined >> 16;
      w.shadowLow[reg + word] |= uint64_t(low) << lane;
      w.shadowHigh[reg + word] |= uint64_t(high) << lane;
    }
  });
}

// The reverse.
template <unsigned bytes, Part part>
void storeMarks(Wave &w, unsigned reg, const Lanes &lanes, uint64_t inPrivate) {
  forLanes(inPrivate, [&](unsigned lane) {
    uint8_t *to = privateMarks(w, lanes.address[lane]);
    for (unsigned word = 0; word < (bytes + 3) / 4; ++word) {
      const uint8_t low = w.shadowLow[reg + word] >> lane & 1,
                    high = w.shadowHigh[reg + word] >> lane & 1;
      const uint8_t first = part == Part::high ? high : low, marks[4] = {first, first, high, high};
      std::memcpy(to + 4 * word, marks, std::min(bytes, 4u));
    }
  });
}

// How many bytes of a lane's access a buffer's bounds let through.
unsigned bytesInside(const Lanes &lanes, unsigned lane, unsigned bytes) {
  return lanes.dropped >> lane & 1   ? 0
         : lanes.partial >> lane & 1 ? 4u * lanes.wordsInside[lane]
                                     : bytes;
}

// The copy to LDS writes to M0 + offset + lane * bytes; each lane's bytes are consecutive.
template <Space space, unsigned bytes>
void copyToLds(Wave &w, const Instruction &i, const Lanes &lanes, uint64_t copied) {
  constexpr unsigned step = bytes < 4 ? 4 : bytes;
  w.checkScalar(sgprM0);
  if (w.sgprShadow[sgprM0] & 0x3ffff)
    w.reportUndefined(0, "M0, the place of a copy to LDS,");
  uint64_t base = (w.sgprs[sgprM0] & 0x3ffff) + uint64_t(int64_t(i.offset0));
  Workgroup &group = *w.group;
  forLanes(copied, [&](unsigned lane) {
    uint64_t at = base + uint64_t(lane) * step;
    if (at + bytes > group.lds.size())
      return w.fault(FindingKind::ldsBounds, int(lane),
                     "a copy to byte " + std::to_string(at) + " of LDS");
    std::memset(group.lds.data() + at, 0, bytes);
    if (unsigned inside = bytesInside(lanes, lane, bytes))
      std::memcpy(group.lds.data() + at, hostPointer(lanes.address[lane]), inside);
    std::memset(group.ldsUndefined.data() + at, 0, bytes);
  });
  uint32_t mark = issueLoad(w, space);
  if (w.state != WaveState::faulted)
    beginCopy(w, {mark & 0xfffffff, uint32_t(base), bytes, step, copied});
}

template <Space space, unsigned bytes, bool isSigned, Part part>
void load(Wave &w, const Instruction &i) {
  constexpr unsigned words = bytes < 4 ? 1 : bytes / 4;
  Lanes lanes;
  findLanes<space>(w, i, 0, bytes, Use::load, lanes);
  if (!lanes.isGood)
    return;
  unsigned reg = i.dst[0].reg;
  for (unsigned word = 0; word < words; ++word) {
    if constexpr (space == Space::flat) // It may be LDS that is loaded from.
      w.checkVector(reg + word);
    else
      w.checkReload(reg + word);
  }
  loadLanes<bytes, isSigned, part>(w, reg, lanes);
  if (lanes.dropped) {
    alignas(64) Row zeros = {};
    for (unsigned word = 0; word < words; ++word) {
      for (unsigned lane = 0; lane < w.lanes; ++lane)
        zeros[lane] = insertPart<part>(w.row(reg + word)[lane], 0);
      blendRow(w.row(reg + word), zeros, lanes.dropped, w.lanes);
    }
  }
  forLanes(lanes.partial, [&](unsigned lane) {
    for (unsigned word = 0; word < words; ++word) {
      uint32_t value = 0;
      if (word < lanes.wordsInside[lane])
        std::memcpy(&value, hostPointer(lanes.address[lane]) + 4 * word, 4);
      w.row(reg + word)[lane] = value;
    }
  });
  for (unsigned word = 0; word < words; ++word)
    markLoaded<part>(w, reg + word, lanes.active | lanes.dropped | lanes.partial);
  loadMarks<bytes, part>(w, reg, lanes, privateLanes<space>(w, lanes));
  markPending(w, i.dst[0], words, issueLoad(w, space));
}

template <Space space, unsigned bytes, Part part> void store(Wave &w, const Instruction &i) {
  constexpr unsigned words = bytes < 4 ? 1 : bytes / 4;
  // Text order: address, data, base; of buffers and scratch: data or address first.
  constexpr unsigned data = space == Space::buffer ? 0 : 1;
  Instruction reordered = i;
  if (space == Space::global || space == Space::scratch)
    reordered.src[1] = i.src[2];
  Lanes lanes;
  findLanes<space>(w, reordered, space == Space::buffer ? 1 : 0, bytes, Use::store, lanes);
  if (!lanes.isGood)
    return;
  const Operand &source = i.src[data];
  const uint64_t inPrivate = privateLanes<space>(w, lanes);
  checkData(w, source, words, (lanes.active | lanes.partial) & ~inPrivate,
            bytes >= 4           ? 3
            : part == Part::high ? 2
                                 : 1,
            "a value that is stored");
  storeMarks<bytes, part>(w, source.reg, lanes, inPrivate);
  if constexpr (bytes >= 4) {
    forLanes(lanes.active | lanes.partial, [&](unsigned lane) {
      uint8_t *to = hostPointer(lanes.address[lane]);
      for (unsigned word = 0; word < bytesInside(lanes, lane, bytes) / 4; ++word)
        std::memcpy(to + 4 * word, w.row(source.reg + word) + lane, 4);
    });
  } else {
    const uint32_t *values = w.row(source.reg);
    forLanes(lanes.active, [&](unsigned lane) {
      uint32_t value = part == Part::high ? values[lane] >> 16 : values[lane];
      std::memcpy(hostPointer(lanes.address[lane]), &value, bytes);
    });
  }
  issueStore(w, space);
}

template <Space space, unsigned bytes> void loadToLds(Wave &w, const Instruction &i) {
  Lanes lanes;
  findLanes<space>(w, i, 0, bytes, Use::load, lanes);
  if (!lanes.isGood)
    return;
  copyToLds<space, bytes>(w, i, lanes, lanes.active | lanes.dropped | lanes.partial);
}

constexpr OpcodeRow rows[] = {
#define PREFIX "global_"
#define LOAD(spellings, bytes, isSigned, part)                                                     \
  {spellings, Family::global, 1, 0, {A, A, A}, load<Space::global, bytes, isSigned, Part::part>},
#define STORE(spellings, bytes, part)                                                              \
  {spellings, Family::global, 0, 0, {A, A, A}, store<Space::global, bytes, Part::part>},
#include "emulators/amdgpu/Memory.def"
#undef PREFIX
#undef LOAD
#undef STORE
#define PREFIX "flat_"
#define LOAD(spellings, bytes, isSigned, part)                                                     \
  {spellings, Family::global, 1, 0, {A, A}, load<Space::flat, bytes, isSigned, Part::part>},
#define STORE(spellings, bytes, part)                                                              \
  {spellings, Family::global, 0, 0, {A, A}, store<Space::flat, bytes, Part::part>},
#include "emulators/amdgpu/Memory.def"
#undef PREFIX
#undef LOAD
#undef STORE
#define PREFIX "scratch_"
#define LOAD(spellings, bytes, isSigned, part)                                                     \
  {spellings, Family::scratch, 1, 0, {A, A, A}, load<Space::scratch, bytes, isSigned, Part::part>},
#define STORE(spellings, bytes, part)                                                              \
  {spellings, Family::scratch, 0, 0, {A, A, A}, store<Space::scratch, bytes, Part::part>},
#include "emulators/amdgpu/Memory.def"
#undef PREFIX
#undef LOAD
#undef STORE
#define PREFIX "buffer_"
#define LOAD(spellings, bytes, isSigned, part)                                                     \
  {spellings, Family::buffer,       1,                                                             \
   0,         {A, A, A, Type::b32}, load<Space::buffer, bytes, isSigned, Part::part>},
#define STORE(spellings, bytes, part)                                                              \
  {spellings, Family::buffer, 0, 0, {A, A, A, Type::b32}, store<Space::buffer, bytes, Part::part>},
#include "emulators/amdgpu/Memory.def"
    {"global_load_lds_dword", Family::global, 0, 0, {A, A}, loadToLds<Space::global, 4>},
    {"global_load_lds_dwordx3", Family::global, 0, 0, {A, A}, loadToLds<Space::global, 12>},
    {"global_load_lds_dwordx4", Family::global, 0, 0, {A, A}, loadToLds<Space::global, 16>},
    {"buffer_load_dword lds", Family::buffer, 0, 0, {A, A, Type::b32}, loadToLds<Space::buffer, 4>},
    {"buffer_load_dwordx3 lds",
     Family::buffer,
     0,
     0,
     {A, A, Type::b32},
     loadToLds<Space::buffer, 12>},
    {"buffer_load_dwordx4 lds",
     Family::buffer,
     0,
     0,
     {A, A, Type::b32},
     loadToLds<Space::buffer, 16>},
};

} // namespace

llvm::ArrayRef<OpcodeRow> globalRows() { return rows; }

} // namespace tilerun::amdsim
