// The slow paths of operands and results: constants and scalars as rows, modifiers, DPP, SDWA,
// halves.
#include "emulators/amdgpu/Vector.h"

#include <algorithm>

namespace tilerun::amdsim {

namespace {

uint64_t permuteBits(uint64_t bits, const int8_t *from, unsigned lanes) {
  uint64_t result = 0;
  for (unsigned lane = 0; bits && lane < lanes; ++lane)
    if (from[lane] >= 0)
      result |= (bits >> from[lane] & 1) << lane;
  return result;
}

void fill(uint32_t *row, uint32_t value, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    row[lane] = value;
}

// A mask of lanes as a row of zeros and ones.
void expandMask(uint32_t *row, uint64_t mask, unsigned lanes) {
  for (unsigned half = 0; half < lanes; half += 32) {
    uint32_t bits = uint32_t(mask >> half);
    for (unsigned lane = 0; lane < 32; ++lane)
      row[half + lane] = bits >> lane & 1;
  }
}

// A register that is not a plain vector register as a row in `scratch`.
void broadcast(Wave &w, const Operand &o, unsigned word, uint32_t *scratch, Shadow &shadow) {
  if (o.place == Operand::constant) {
    uint32_t value = uint32_t(word ? o.value >> 32 : o.value);
    fill(scratch, o.type == Type::pkF32 ? uint32_t(o.value) : value, w.lanes);
    return;
  }
  unsigned reg = o.reg + (o.words > 1 ? word : 0);
  w.checkScalar(reg);
  if (o.type == Type::mask) {
    if (w.lanes == 64)
      w.checkScalar(reg + 1);
    expandMask(scratch, w.maskAt(reg), w.lanes);
    shadow.low = shadow.high = w.maskShadow(reg);
    return;
  }
  fill(scratch, w.sgprs[reg], w.lanes);
  shadow.low = w.sgprShadow[reg] & 0xffff ? w.allLanes : 0;
  shadow.high = w.sgprShadow[reg] >> 16 ? w.allLanes : 0;
}

void permute(Wave &w, const Dpp &dpp, const uint32_t *in, uint32_t *out) {
  alignas(64) Row copy;
  std::memcpy(copy, in, sizeof(uint32_t) * w.lanes);
  uint64_t exec = w.exec();
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    int from = dpp.from[lane];
    bool isValid = from >= 0 && (dpp.readsInactive || (exec >> from & 1));
    out[lane] = isValid ? copy[from] : 0;
  }
}

// The part of a register that SDWA selects.
void selectPart(const Operand &o, uint32_t *row, unsigned lanes) {
  unsigned shift = o.sdwa < 4 ? o.sdwa * 8 : (o.sdwa - 4) * 16, bits = o.sdwa < 4 ? 8 : 16;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint32_t value = row[lane] >> shift & ((1u << bits) - 1);
    row[lane] = o.isSignExtended ? uint32_t(int32_t(value << (32 - bits)) >> (32 - bits)) : value;
  }
}

// op_sel of 16-bit operands and packed halves.
void selectHalves(const Operand &o, uint32_t *row, unsigned lanes) {
  unsigned low = o.select & 1 ? 16 : 0, high = o.select & 2 ? 16 : 0;
  if (isHalf(o.type)) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      row[lane] >>= low;
    return;
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    row[lane] = (row[lane] >> low & 0xffff) | (row[lane] >> high & 0xffff) << 16;
}

void applySigns(const Operand &o, unsigned word, uint32_t *row, unsigned lanes) {
  uint32_t sign = isHalf(o.type) ? 0x8000 : 0x80000000, clear = 0, flip = 0;
  if (isPacked(o.type)) {
    flip = (o.isNegated ? 0x8000 : 0) | (o.negateHigh ? 0x80000000 : 0);
    clear = o.isAbsolute ? 0x80008000 : 0;
  } else if (o.type == Type::pkF32) {
    flip = (word ? o.negateHigh : o.isNegated) ? sign : 0;
  } else if (!isWide(o.type) || word == 1) {
    clear = o.isAbsolute ? sign : 0, flip = o.isNegated ? sign : 0;
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    row[lane] = (row[lane] & ~clear) ^ flip;
}

// Of double precision: flushWide.
void flushRow(Wave &w, Type type, uint32_t *row) {
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint32_t bits = row[lane];
    if (type == Type::f32 || type == Type::pkF32)
      row[lane] = bits & 0x7f800000 ? bits : bits & 0x80000000;
    else if (type == Type::f16)
      row[lane] = flushed16(bits);
    else if (type == Type::pkF16)
      row[lane] = flushed16(bits) | flushed16(bits >> 16) << 16;
  }
}

} // namespace

void flushWide(uint32_t *low, uint32_t *high, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (!(high[lane] & 0x7ff00000))
      low[lane] = 0, high[lane] &= 0x80000000;
}

const uint32_t *materialize(Wave &w, const Instruction &i, const Operand &o, unsigned word,
                            uint32_t *scratch, Shadow &total) {
  Shadow shadow;
  unsigned element = word;
  // pk_f32 chooses one register of the pair for each half.
  if (o.type == Type::pkF32)
    word = word ? o.select >> 1 & 1 : o.select & 1;
  if (o.place == Operand::vgpr) {
    unsigned reg = o.reg + word;
    w.checkVector(reg);
    shadow = {w.shadowLow[reg], w.shadowHigh[reg]};
    std::memcpy(scratch, w.row(reg), sizeof(uint32_t) * w.lanes);
  } else {
    broadcast(w, o, word, scratch, shadow);
  }
  if (o.type == Type::mask) {
    total.low |= shadow.low, total.high |= shadow.high;
    return scratch;
  }
  if (o.isPermuted) {
    permute(w, *i.dpp, scratch, scratch);
    shadow = {permuteBits(shadow.low, i.dpp->from, w.lanes),
              permuteBits(shadow.high, i.dpp->from, w.lanes)};
  }
  if (o.sdwa != 6) {
    selectPart(o, scratch, w.lanes);
    bool isHigh = o.sdwa == 2 || o.sdwa == 3 || o.sdwa == 5;
    shadow = {isHigh ? shadow.high : shadow.low, o.isSignExtended ? shadow.low : 0};
  }
  if (isHalf(o.type) || isPacked(o.type)) {
    selectHalves(o, scratch, w.lanes);
    shadow = {o.select & 1 ? shadow.high : shadow.low, o.select & 2 ? shadow.high : shadow.low};
    if (isHalf(o.type))
      shadow.high = 0;
  } else if (o.sdwa == 6) {
    shadow.low = shadow.high = shadow.any();
  }
  if (o.isNegated || o.isAbsolute || o.negateHigh)
    applySigns(o, element, scratch, w.lanes);
  if (flushesInput(w, i, o.type))
    flushRow(w, o.type, scratch);
  total.low |= shadow.low, total.high |= shadow.high;
  return scratch;
}

uint64_t activeLanes(const Wave &w, const Instruction &i) {
  uint64_t active = w.exec();
  if (!(i.flags & isDpp)) [[likely]]
    return active;
  const Dpp &dpp = *i.dpp;
  uint64_t result = 0;
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    bool isEnabled = (dpp.rowMask >> (lane / 16) & 1) && (dpp.bankMask >> (lane / 4 % 4) & 1);
    int from = dpp.from[lane];
    bool isValid = from >= 0 && (dpp.readsInactive || (active >> from & 1));
    if (isEnabled && (isValid || dpp.readsZero))
      result |= uint64_t(1) << lane;
  }
  return active & result;
}

namespace {

// A number of a row, or of one half of its words.
struct Element {
  unsigned fractionBits, bits, shift = 0;
  uint64_t load(const Rows &rows, unsigned lane) const {
    uint64_t all = rows.word[0][lane];
    if (bits == 64)
      return all | uint64_t(rows.word[1][lane]) << 32;
    return all >> shift & ((uint64_t(1) << bits) - 1);
  }
  void store(Row *rows, unsigned lane, uint64_t value) const {
    uint64_t mask = bits == 64 ? ~uint64_t(0) : ((uint64_t(1) << bits) - 1) << shift;
    rows[0][lane] = uint32_t((rows[0][lane] & ~mask) | (value << shift & mask));
    if (bits == 64)
      rows[1][lane] = uint32_t(value >> 32);
  }
  uint64_t quiet() const { return uint64_t(1) << (fractionBits - 1); }
  bool isSignalling(uint64_t value) const {
    uint64_t exponent = (uint64_t(1) << (bits - 1)) - (uint64_t(1) << fractionBits);
    uint64_t fraction = value & ((uint64_t(1) << fractionBits) - 1);
    return (value & exponent) == exponent && fraction && !(value & quiet());
  }
};

} // namespace

void quietNans(Wave &w, const Instruction &i, Rows *rows, Row (*scratch)[2], unsigned count) {
  Type type = i.row->types[0];
  Element element = type == Type::f32   ? Element{23, 32}
                    : type == Type::f64 ? Element{52, 64}
                                        : Element{10, 16};
  uint64_t active = activeLanes(w, i), signalling = 0;
  unsigned halves = type == Type::pkF16 ? 2 : 1;
  for (unsigned half = 0; half < halves; ++half) {
    element.shift = 16 * half;
    for (unsigned source = 0; source < count; ++source)
      for (unsigned lane = 0; lane < w.lanes; ++lane)
        signalling |= uint64_t(element.isSignalling(element.load(rows[source], lane))) << lane;
  }
  signalling &= active;
  if (!signalling) [[likely]]
    return;
  for (unsigned source = 0; source < count; ++source)
    for (unsigned word = 0; word < (type == Type::f64 ? 2 : 1); ++word) {
      std::memmove(scratch[source][word], rows[source].word[word], sizeof(uint32_t) * w.lanes);
      rows[source].word[word] = scratch[source][word];
    }
  for (unsigned half = 0; half < halves; ++half) {
    element.shift = 16 * half;
    for (unsigned lane = 0; lane < w.lanes; ++lane) {
      uint64_t value = 0;
      bool isAny = false;
      for (unsigned source = 0; source < count; ++source) {
        uint64_t own = element.load(rows[source], lane);
        bool isSignallingNan = element.isSignalling(own);
        if (isSignallingNan && !isAny)
          value = own | element.quiet();
        isAny |= isSignallingNan;
        if (source == 2) // the last step's
          value = isSignallingNan ? own | element.quiet() : own;
      }
      for (unsigned source = 0; isAny && source < count; ++source)
        element.store(scratch[source], lane, value);
    }
  }
}

void blendRow(uint32_t *out, const uint32_t *values, uint64_t active, unsigned lanes) {
  for (unsigned half = 0; half < lanes; half += 32) {
    uint32_t bits = uint32_t(active >> half);
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t take = 0 - (bits >> lane & 1), at = half + lane;
      out[at] = (values[at] & take) | (out[at] & ~take);
    }
  }
}

void setShadow(Wave &w, unsigned reg, uint64_t active, uint64_t low, uint64_t high) {
  w.shadowLow[reg] = (w.shadowLow[reg] & ~active) | (low & active);
  w.shadowHigh[reg] = (w.shadowHigh[reg] & ~active) | (high & active);
}

namespace {

// The output modifier, which only counts without subnormal results and outside of IEEE mode: zeros
// lose their sign. Whether a result is judged before it or after is not known, where that matters.
template <class F>
void scaleOutput(Wave &w, const Instruction &i, uint64_t active, uint32_t *const *rows) {
  constexpr typename F::T factors[] = {0.5f, 1, 2, 4};
  constexpr double leastNormal = F::kind == Type::f16   ? 0x1p-14
                                 : F::kind == Type::f32 ? 0x1p-126
                                                        : 0x1p-1022;
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    Rows in = {{rows[0], rows[F::words - 1]}};
    typename F::T value = F::load(in, lane);
    bool isSubnormal = value != 0 && std::fabs(value) < leastNormal;
    bool mayHaveOverflowed = i.outputScale < 0 && std::isinf(value);
    if ((isSubnormal || mayHaveOverflowed) && (active >> lane & 1))
      return w.fault(FindingKind::unsupported, int(lane),
                     "an output modifier of a result that is subnormal or infinite before it is "
                     "not emulated");
    typename F::T scaled = value == 0 ? 0 : value * factors[i.outputScale + 1];
    if constexpr (F::kind == Type::f16)
      if (w.saturates16() && std::isfinite(value))
        scaled = std::clamp(scaled, -65504.0f, 65504.0f);
    F::store(rows, lane, scaled);
  }
}

template <class F> void applyOutput(const Wave &w, uint32_t *const *rows) {
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    Rows in = {{rows[0], rows[F::words - 1]}};
    typename F::T value = F::load(in, lane);
    value = value != value ? (w.clampsNan ? 0 : value) : value > 0 ? (value < 1 ? value : 1) : 0;
    F::store(rows, lane, value);
  }
}

void applyOutputPacked(const Wave &w, Type type, uint32_t *const *rows) {
  auto limit = [&](auto value) {
    return value != value ? (w.clampsNan ? 0 : value) : value > 0 ? (value < 1 ? value : 1) : 0;
  };
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    Rows in = {{rows[0], rows[type == Type::pkF32]}};
    if (type == Type::pkF16) {
      PkF16::T v = PkF16::load(in, lane);
      PkF16::store(rows, lane, {limit(v.low), limit(v.high)});
    } else {
      PkF32::T v = PkF32::load(in, lane);
      PkF32::store(rows, lane, {limit(v.low), limit(v.high)});
    }
  }
}

// SDWA writes a part of the register; the rest is zero, the sign, or kept.
void writePart(Wave &w, const Instruction &i, uint32_t *row, uint64_t active, Shadow shadow) {
  unsigned reg = i.dst[0].reg, part = i.dstSelect;
  unsigned shift = part < 4 ? part * 8 : (part - 4) * 16, bits = part < 4 ? 8 : 16;
  uint32_t field = ((1u << bits) - 1) << shift;
  const uint32_t *old = w.row(reg);
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint32_t value = row[lane] << shift & field;
    if (i.dstUnused == 2)
      value |= old[lane] & ~field;
    else if (i.dstUnused == 1)
      value |= uint32_t(int32_t(value << (32 - shift - bits)) >> (32 - shift - bits)) & ~field &
               ~((1u << shift) - 1);
    row[lane] = value;
  }
  uint64_t keptLow = i.dstUnused == 2 ? w.shadowLow[reg] : 0;
  uint64_t keptHigh = i.dstUnused == 2 ? w.shadowHigh[reg] : 0;
  bool isHigh = shift >= 16;
  setShadow(w, reg, active, isHigh ? keptLow : (bits == 8 ? keptLow : 0) | shadow.low,
            isHigh ? (bits == 8 ? keptHigh : 0) | shadow.low : keptHigh);
  blendRow(w.row(reg), row, active, w.lanes);
}

} // namespace

void finishVector(Wave &w, const Instruction &i, Type type, unsigned words,
                  uint32_t (*rows)[mostLanes], uint64_t active, Shadow shadow) {
  const Operand &dst = i.dst[0];
  uint32_t *pointers[2] = {rows[0], rows[1]};
  if (i.outputScale && !w.isIeee && flushesOutput(w, i, type)) {
    if (type == Type::f32)
      scaleOutput<F32>(w, i, active, pointers);
    else if (type == Type::f16)
      scaleOutput<F16>(w, i, active, pointers);
    else
      scaleOutput<F64>(w, i, active, pointers);
  }
  if (i.flags & clamp) {
    if (type == Type::f32)
      applyOutput<F32>(w, pointers);
    else if (type == Type::f16)
      applyOutput<F16>(w, pointers);
    else if (type == Type::f64)
      applyOutput<F64>(w, pointers);
    else
      applyOutputPacked(w, type, pointers);
  }
  if (flushesOutput(w, i, type)) {
    for (unsigned word = 0; word < words; ++word)
      flushRow(w, type, rows[word]);
    if (type == Type::f64)
      flushWide(rows[0], rows[1], w.lanes);
  }
  for (unsigned word = 0; word < words; ++word)
    w.checkVector(dst.reg + word);
  if (i.dstSelect != 6)
    return writePart(w, i, rows[0], active, shadow);
  uint32_t *out = w.row(dst.reg);
  if (isHalf(type)) {
    // The other half is cleared by the older instructions, and kept by the newer ones.
    bool keeps =
        w.target->generation != Generation::gfx9 || i.writesHigh || (i.row->flags & keepsHigh);
    unsigned shift = i.writesHigh ? 16 : 0;
    uint32_t kept = keeps ? ~(0xffffu << shift) : 0;
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      rows[0][lane] = (rows[0][lane] & 0xffff) << shift | (out[lane] & kept);
    uint64_t other = keeps ? (i.writesHigh ? w.shadowLow : w.shadowHigh)[dst.reg] : 0;
    shadow = i.writesHigh ? Shadow{other, shadow.low} : Shadow{shadow.low, other};
  }
  for (unsigned word = 0; word < words; ++word) {
    blendRow(w.row(dst.reg + word), rows[word], active, w.lanes);
    setShadow(w, dst.reg + word, active, shadow.low, shadow.high);
  }
}

Shadow differences(const Row &a, const Row &b, unsigned lanes) {
  Shadow shadow;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint32_t bits = a[lane] ^ b[lane];
    shadow.low |= uint64_t((bits & 0xffff) != 0) << lane;
    shadow.high |= uint64_t((bits >> 16) != 0) << lane;
  }
  return shadow;
}

const uint32_t *fillUndefined(Wave &w, const Instruction &i, unsigned source, bool ones,
                              uint32_t *row) {
  const Operand &o = i.src[source];
  Shadow ignored;
  const uint32_t *values = materialize(w, i, o, 0, row, ignored);
  Shadow shadow;
  if (o.place == Operand::vgpr) {
    shadow = {w.shadowLow[o.reg], w.shadowHigh[o.reg]};
    if (o.isPermuted)
      shadow = {permuteBits(shadow.low, i.dpp->from, w.lanes),
                permuteBits(shadow.high, i.dpp->from, w.lanes)};
    if (o.sdwa != 6)
      shadow.low = shadow.high = shadow.any();
  } else {
    broadcast(w, o, 0, row, shadow);
    if (o.type == Type::mask)
      shadow.low = shadow.high = shadow.any();
  }
  uint32_t *out = row;
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint32_t bits =
        (shadow.low >> lane & 1 ? 0xffffu : 0) | (shadow.high >> lane & 1 ? 0xffff0000u : 0);
    out[lane] = ones ? values[lane] | bits : values[lane] & ~bits;
  }
  return out;
}

} // namespace tilerun::amdsim
