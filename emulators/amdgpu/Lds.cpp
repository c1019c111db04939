// LDS loads and stores, and the exchanges between lanes that use its crossbar.
#include "emulators/amdgpu/Lds.h"

namespace tilerun::amdsim {
namespace {

constexpr Type A = Type::raw;

// Adds the shadow of one word that was read: undefined bytes 0 and 1 of it, 2 and 3.
template <unsigned bytes> void addShadow(const uint8_t *marks, unsigned lane, Shadow &shadow) {
  uint32_t undefined = 0;
  std::memcpy(&undefined, marks, bytes);
  if (!undefined) [[likely]]
    return;
  shadow.low |= uint64_t((undefined & 0xffff) != 0) << lane;
  shadow.high |= uint64_t((undefined >> 16) != 0) << lane;
}

// `bytes` at vector address + immediate into registers from `reg`.
template <unsigned bytes, bool isSigned, Part part>
void readAt(Wave &w, const uint32_t *addresses, uint32_t offset, unsigned reg, uint64_t active) {
  constexpr unsigned words = bytes < 4 ? 1 : bytes / 4;
  const LdsView view(w);
  Shadow shadows[words];
  uint32_t at[mostLanes];
  alignas(64) Row values[words];
  [[maybe_unused]] const uint32_t *before = w.row(reg);
  forLanes(active, [&](unsigned lane) {
    const uint32_t place = at[lane] = addresses[lane] + offset;
    if (!view.use<bytes, true>(place) && !useLds(w, place, bytes, LdsUse::read, lane))
      return;
    const uint8_t *from = view.data + place, *marks = view.undefined + place;
    if constexpr (bytes < 4) {
      values[0][lane] = insertPart<part>(before[lane], loadNarrow<bytes, isSigned>(from));
      addShadow<bytes>(marks, lane, shadows[0]);
    } else {
      for (unsigned word = 0; word < words; ++word) {
        std::memcpy(values[word] + lane, from + 4 * word, 4);
        addShadow<4>(marks + 4 * word, lane, shadows[word]);
      }
    }
  });
  if (w.state == WaveState::faulted)
    return;
  for (unsigned word = 0; word < words; ++word) {
    w.checkVector(reg + word);
    blendRow(w.row(reg + word), values[word], active, w.lanes);
    if (bytes >= 4) {
      setShadow(w, reg + word, active, shadows[word].low, shadows[word].high);
      continue;
    }
    uint64_t undefined = shadows[word].any();
    if (part != Part::high)
      w.shadowLow[reg] = (w.shadowLow[reg] & ~active) | undefined;
    if (part != Part::low)
      w.shadowHigh[reg] = (w.shadowHigh[reg] & ~active) | undefined;
  }
  countLds(w, at, active, bytes, LdsUse::read);
}

template <unsigned bytes, Part part>
void writeAt(Wave &w, const uint32_t *addresses, uint32_t offset, const Operand &data,
             uint64_t active) {
  constexpr unsigned words = bytes < 4 ? 1 : bytes / 4;
  constexpr unsigned size = bytes < 4 ? bytes : 4;
  const LdsView view(w);
  uint32_t at[mostLanes];
  const uint32_t *rows[words];
  uint64_t lows[words], highs[words];
  for (unsigned word = 0; word < words; ++word) {
    unsigned reg = data.reg + word;
    w.checkVector(reg);
    rows[word] = w.row(reg), highs[word] = w.shadowHigh[reg];
    lows[word] = part == Part::high ? w.shadowHigh[reg] : w.shadowLow[reg];
  }
  forLanes(active, [&](unsigned lane) {
    const uint32_t place = at[lane] = addresses[lane] + offset;
    if (!view.use<bytes, false>(place) && !useLds(w, place, bytes, LdsUse::write, lane))
      return;
    for (unsigned word = 0; word < words; ++word) {
      uint32_t value = rows[word][lane] >> (part == Part::high ? 16 : 0);
      std::memcpy(view.data + place + 4 * word, &value, size);
      // One byte of marks for each byte.
      uint32_t marks = (lows[word] >> lane & 1) * 0x0101u | (highs[word] >> lane & 1) * 0x01010000u;
      std::memcpy(view.undefined + place + 4 * word, &marks, size);
    }
  });
  if (w.state != WaveState::faulted)
    countLds(w, at, active, bytes, LdsUse::write);
}

template <unsigned bytes, bool isSigned, Part part> void read(Wave &w, const Instruction &i) {
  constexpr unsigned words = bytes < 4 ? 1 : bytes / 4;
  alignas(64) Row scratch;
  uint64_t active = w.exec();
  const uint32_t *addresses = addressRow(w, i.src[0], 0, active, scratch);
  alignas(64) Row copy; // the destination may be the address
  std::memcpy(copy, addresses, sizeof(uint32_t) * w.lanes);
  readAt<bytes, isSigned, part>(w, copy, uint32_t(i.offset0), i.dst[0].reg, active);
  markPending(w, i.dst[0], words, w.issue(Pending::lds));
}
// Two accesses; offsets count elements, or 64 of them (`stride` elements).
template <unsigned bytes, unsigned stride> void readTwo(Wave &w, const Instruction &i) {
  alignas(64) Row scratch, copy;
  uint64_t active = w.exec();
  std::memcpy(copy, addressRow(w, i.src[0], 0, active, scratch), sizeof(uint32_t) * w.lanes);
  uint32_t unit = bytes * stride;
  readAt<bytes, false, Part::whole>(w, copy, uint32_t(i.offset0) * unit, i.dst[0].reg, active);
  readAt<bytes, false, Part::whole>(w, copy, uint32_t(i.offset1) * unit, i.dst[0].reg + bytes / 4,
                                    active);
  markPending(w, i.dst[0], bytes / 2, w.issue(Pending::lds));
}
template <unsigned bytes, Part part> void write(Wave &w, const Instruction &i) {
  alignas(64) Row scratch;
  uint64_t active = w.exec();
  const uint32_t *addresses = addressRow(w, i.src[0], 0, active, scratch);
  writeAt<bytes, part>(w, addresses, uint32_t(i.offset0), i.src[1], active);
  w.issue(Pending::lds);
}
template <unsigned bytes, unsigned stride> void writeTwo(Wave &w, const Instruction &i) {
  alignas(64) Row scratch;
  uint64_t active = w.exec();
  const uint32_t *addresses = addressRow(w, i.src[0], 0, active, scratch);
  uint32_t unit = bytes * stride;
  writeAt<bytes, Part::whole>(w, addresses, uint32_t(i.offset0) * unit, i.src[1], active);
  writeAt<bytes, Part::whole>(w, addresses, uint32_t(i.offset1) * unit, i.src[2], active);
  w.issue(Pending::lds);
}

// 8 bytes of each lane, whose elements 16 lanes exchange: lane l gets element l % n of the lanes
// l / n, l / n + 16 / n and so on, where n elements fill 8 bytes.
template <typename Element> void readTransposed(Wave &w, const Instruction &i) {
  constexpr unsigned together = 16, run = 8 / sizeof(Element);
  uint64_t active = w.exec();
  if (active != w.allLanes)
    return w.fault(FindingKind::unsupported, std::countr_one(active),
                   "a transposed read while lanes are off is not emulated");
  alignas(64) Row scratch, addresses;
  std::memcpy(addresses, addressRow(w, i.src[0], 0, active, scratch), sizeof addresses);
  const unsigned reg = i.dst[0].reg;
  readAt<8, false, Part::whole>(w, addresses, uint32_t(i.offset0), reg, active);
  if (w.state == WaveState::faulted)
    return;
  // What each lane has read, and the bits of it that are undefined.
  Element runs[mostLanes][run], marks[mostLanes][run];
  auto forWords = [&](auto visit) {
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      for (unsigned word = 0; word < 2; ++word)
        visit(lane, reg + word, reinterpret_cast<uint8_t *>(runs[lane]) + 4 * word,
              reinterpret_cast<uint8_t *>(marks[lane]) + 4 * word);
  };
  forWords([&](unsigned lane, unsigned from, uint8_t *value, uint8_t *mark) {
    uint32_t undefined =
        (w.shadowLow[from] >> lane & 1) * 0xffffu | (w.shadowHigh[from] >> lane & 1) * 0xffff0000u;
    std::memcpy(value, w.row(from) + lane, 4), std::memcpy(mark, &undefined, 4);
  });
  auto exchange = [&](Element(&rows)[mostLanes][run]) {
    Element before[mostLanes][run];
    std::memcpy(before, rows, sizeof before);
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      for (unsigned element = 0; element < run; ++element) {
        unsigned within = lane % together;
        rows[lane][element] =
            before[lane - within + within / run + element * (together / run)][within % run];
      }
  };
  exchange(runs), exchange(marks);
  Shadow shadows[2];
  forWords([&](unsigned lane, unsigned to, const uint8_t *value, const uint8_t *mark) {
    std::memcpy(w.row(to) + lane, value, 4);
    addShadow<4>(mark, lane, shadows[to - reg]);
  });
  for (unsigned word = 0; word < 2; ++word)
    setShadow(w, reg + word, active, shadows[word].low, shadows[word].high);
  markPending(w, i.dst[0], 2, w.issue(Pending::lds));
}

// Lanes fetch the value of the lane that their address names (bpermute) or send theirs to it
// (permute). No LDS memory is involved; lanes that are off give zero.
void finishExchange(Wave &w, const Instruction &i, const uint32_t *values, uint64_t active,
                    Shadow shadow) {
  w.checkVector(i.dst[0].reg);
  blendRow(w.row(i.dst[0].reg), values, active, w.lanes);
  setShadow(w, i.dst[0].reg, active, shadow.low, shadow.high);
  markPending(w, i.dst[0], 1, w.issue(Pending::lds));
}
void copyLane(Wave &w, unsigned reg, unsigned from, unsigned to, uint32_t *values, Shadow &shadow) {
  values[to] = w.row(reg)[from];
  uint64_t bit = uint64_t(1) << to;
  shadow.low = (shadow.low & ~bit) | (w.shadowLow[reg] >> from & 1) << to;
  shadow.high = (shadow.high & ~bit) | (w.shadowHigh[reg] >> from & 1) << to;
}
// On wave64 of the newer generations the crossbar has 32 lanes.
unsigned exchangeWidth(const Wave &w) { return w.target->generation == Generation::gfx9 ? 64 : 32; }

void bpermute(Wave &w, const Instruction &i) {
  alignas(64) Row scratch, values = {};
  uint64_t active = w.exec();
  const uint32_t *addresses = addressRow(w, i.src[0], 0, active, scratch);
  unsigned data = i.src[1].reg, width = exchangeWidth(w);
  w.checkVector(data);
  Shadow shadow;
  forLanes(active, [&](unsigned lane) {
    unsigned from =
        (lane & ~(width - 1)) | ((addresses[lane] + uint32_t(i.offset0)) / 4 & (width - 1));
    if (from < w.lanes && (active >> from & 1))
      copyLane(w, data, from, lane, values, shadow);
  });
  finishExchange(w, i, values, active, shadow);
}
void permute(Wave &w, const Instruction &i) {
  alignas(64) Row scratch, values = {};
  uint64_t active = w.exec();
  const uint32_t *addresses = addressRow(w, i.src[0], 0, active, scratch);
  unsigned data = i.src[1].reg, width = exchangeWidth(w);
  w.checkVector(data);
  Shadow shadow;
  forLanes(active, [&](unsigned lane) { // the highest lane that sends to a lane wins
    unsigned to =
        (lane & ~(width - 1)) | ((addresses[lane] + uint32_t(i.offset0)) / 4 & (width - 1));
    if (to < w.lanes)
      copyLane(w, data, lane, to, values, shadow);
  });
  finishExchange(w, i, values, active, shadow);
}
void swizzle(Wave &w, const Instruction &i) {
  alignas(64) Row values = {};
  uint64_t active = w.exec();
  unsigned data = i.src[0].reg, pattern = unsigned(i.offset0);
  w.checkVector(data);
  Shadow shadow;
  forLanes(active, [&](unsigned lane) {
    unsigned from = pattern & 0x8000
                        ? (lane & ~3u) | (pattern >> (lane & 3) * 2 & 3)
                        : (lane & ~31u) | (((lane & 31 & (pattern & 31)) | (pattern >> 5 & 31)) ^
                                           (pattern >> 10 & 31));
    if (active >> from & 1)
      copyLane(w, data, from, lane, values, shadow);
  });
  finishExchange(w, i, values, active, shadow);
}

#define READ(spellings, bytes, isSigned, part)                                                     \
  {spellings, Family::lds, 1, 0, {A, A}, read<bytes, isSigned, Part::part>}
#define WRITE(spellings, bytes, part)                                                              \
  {spellings, Family::lds, 0, 0, {A, A}, write<bytes, Part::part>}
constexpr OpcodeRow rows[] = {
    READ("ds_read_u8|ds_load_u8", 1, false, whole),
    READ("ds_read_i8|ds_load_i8", 1, true, whole),
    READ("ds_read_u16|ds_load_u16", 2, false, whole),
    READ("ds_read_i16|ds_load_i16", 2, true, whole),
    READ("ds_read_u8_d16|ds_load_u8_d16", 1, false, low),
    READ("ds_read_u8_d16_hi|ds_load_u8_d16_hi", 1, false, high),
    READ("ds_read_i8_d16|ds_load_i8_d16", 1, true, low),
    READ("ds_read_i8_d16_hi|ds_load_i8_d16_hi", 1, true, high),
    READ("ds_read_u16_d16|ds_load_u16_d16", 2, false, low),
    READ("ds_read_u16_d16_hi|ds_load_u16_d16_hi", 2, false, high),
    READ("ds_read_b32|ds_load_b32", 4, false, whole),
    READ("ds_read_b64|ds_load_b64", 8, false, whole),
    READ("ds_read_b96|ds_load_b96", 12, false, whole),
    READ("ds_read_b128|ds_load_b128", 16, false, whole),
    WRITE("ds_write_b8|ds_store_b8", 1, low),
    WRITE("ds_write_b8_d16_hi|ds_store_b8_d16_hi", 1, high),
    WRITE("ds_write_b16|ds_store_b16", 2, low),
    WRITE("ds_write_b16_d16_hi|ds_store_b16_d16_hi", 2, high),
    WRITE("ds_write_b32|ds_store_b32", 4, whole),
    WRITE("ds_write_b64|ds_store_b64", 8, whole),
    WRITE("ds_write_b96|ds_store_b96", 12, whole),
    WRITE("ds_write_b128|ds_store_b128", 16, whole),
    {"ds_read2_b32|ds_load_2addr_b32", Family::lds, 1, 0, {A, A}, readTwo<4, 1>},
    {"ds_read2_b64|ds_load_2addr_b64", Family::lds, 1, 0, {A, A}, readTwo<8, 1>},
    {"ds_read2st64_b32|ds_load_2addr_stride64_b32", Family::lds, 1, 0, {A, A}, readTwo<4, 64>},
    {"ds_read2st64_b64|ds_load_2addr_stride64_b64", Family::lds, 1, 0, {A, A}, readTwo<8, 64>},
    {"ds_write2_b32|ds_store_2addr_b32", Family::lds, 0, 0, {A, A, A}, writeTwo<4, 1>},
    {"ds_write2_b64|ds_store_2addr_b64", Family::lds, 0, 0, {A, A, A}, writeTwo<8, 1>},
    {"ds_write2st64_b32|ds_store_2addr_stride64_b32",
     Family::lds,
     0,
     0,
     {A, A, A},
     writeTwo<4, 64>},
    {"ds_write2st64_b64|ds_store_2addr_stride64_b64",
     Family::lds,
     0,
     0,
     {A, A, A},
     writeTwo<8, 64>},
    {"ds_read_b64_tr_b8", Family::lds, 1, 0, {A, A}, readTransposed<uint8_t>},
    {"ds_read_b64_tr_b16", Family::lds, 1, 0, {A, A}, readTransposed<uint16_t>},
    {"ds_bpermute_b32", Family::lds, 1, 0, {A, A, A}, bpermute},
    {"ds_permute_b32", Family::lds, 1, 0, {A, A, A}, permute},
    {"ds_swizzle_b32", Family::lds, 1, 0, {A, A}, swizzle},
};

} // namespace

llvm::ArrayRef<OpcodeRow> ldsRows() { return rows; }

} // namespace tilerun::amdsim
