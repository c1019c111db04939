// Packed instructions: two halves of a register, or the two registers of a pair, at once; and the
// mixed multiply-add and dot products, whose operands are halves.
#include "emulators/amdgpu/Vector.h"

#include <algorithm>

namespace tilerun::amdsim {
namespace {

struct PkBf16 : PkB16 {
  using T = Pair<double>;
  static T load(const Rows &rows, unsigned lane) {
    uint32_t bits = rows.word[0][lane];
    return {bfloatToFloat(uint16_t(bits)), bfloatToFloat(uint16_t(bits >> 16))};
  }
};

// v_dot4_i32_iu8, v_dot8_i32_iu4: neg_lo of an operand says that it is signed.
template <unsigned bits> void dotMixedSigns(Wave &w, const Instruction &i) {
  alignas(64) Row scratch[3], result[2];
  Shadow shadow;
  const uint32_t *rows[3];
  bool isSigned[2];
  for (unsigned source = 0; source < 3; ++source) {
    Operand o = i.src[source];
    if (source < 2)
      isSigned[source] = o.isNegated;
    o.isNegated = false;
    rows[source] = materialize(w, i, o, 0, scratch[source], shadow);
  }
  auto element = [](uint32_t word, unsigned shift, bool isSigned) {
    int32_t value = int32_t(word << (32 - bits - shift));
    return isSigned ? value >> (32 - bits) : int32_t(uint32_t(value) >> (32 - bits));
  };
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    int32_t sum = 0;
    for (unsigned shift = 0; shift < 32; shift += bits)
      sum +=
          element(rows[0][lane], shift, isSigned[0]) * element(rows[1][lane], shift, isSigned[1]);
    result[0][lane] = rows[2][lane] + uint32_t(sum);
  }
  finishVector(w, i, Type::b32, 1, result, activeLanes(w, i), shadow);
}

// v_bitop3: a table of eight bits gives the result's bit for each combination of the operands'
// bits, the first operand's being the highest.
template <class Bits> void combineBits(Wave &w, const Instruction &i) {
  alignas(64) Row scratch[3][2], result[2];
  Shadow shadow;
  Rows rows[3];
  for (unsigned source = 0; source < 3; ++source)
    rows[source] = fetchRows<Bits>(w, i, source, scratch[source], shadow);
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint32_t value = 0, a = rows[0].word[0][lane], b = rows[1].word[0][lane],
             c = rows[2].word[0][lane];
    for (unsigned entry = 0; entry < 8; ++entry)
      if (i.offset0 >> entry & 1)
        value |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
    result[0][lane] = value;
  }
  finishVector(w, i, Bits::kind, 1, result, activeLanes(w, i), shadow);
}

// v_fma_mix: op_sel_hi says that an operand is a half, op_sel which.
double mixOperand(const Wave &w, const Operand &o, uint32_t bits) {
  double value = 0;
  if (o.select & 2) {
    uint32_t half = o.select & 1 ? bits >> 16 : bits;
    value = halfToFloat(uint16_t(w.flushesInput16 ? flushed16(half) : half));
  } else {
    auto single = std::bit_cast<float>(bits);
    value = w.flushesInput32 ? flushed(single) : single;
  }
  if (o.isAbsolute || o.negateHigh) // neg_hi stands for the absolute value
    value = std::fabs(value);
  return o.isNegated ? -value : value;
}
enum class MixTo { single, low, high };
template <MixTo to> void fmaMix(Wave &w, const Instruction &i) {
  alignas(64) Row scratch[3], result[2];
  Shadow shadow;
  const uint32_t *rows[3];
  for (unsigned source = 0; source < 3; ++source) {
    Operand bare = i.src[source];
    bool isHalfOperand = bare.select & 2;
    bool isConstant = bare.place == Operand::constant;
    bare.isNegated = bare.isAbsolute = bare.negateHigh = false;
    bare.type = Type::b32;
    Shadow own;
    rows[source] = materialize(w, i, bare, 0, scratch[source], own);
    if (isHalfOperand && bare.place == Operand::vgpr) {
      uint64_t half = bare.select & 1 ? w.shadowHigh[bare.reg] : w.shadowLow[bare.reg];
      own.low = own.high = half;
    } else if (isHalfOperand && bare.place == Operand::sgpr) {
      uint32_t bits = w.sgprShadow[bare.reg] >> (bare.select & 1 ? 16 : 0) & 0xffff;
      own.low = own.high = bits ? w.allLanes : 0;
    }
    if (isHalfOperand && isConstant && i.src[source].value >> 16) {
      // An inline constant was read as a float: the instruction means the half of the same value.
      for (unsigned lane = 0; lane < w.lanes; ++lane)
        scratch[source][lane] = floatToHalf(std::bit_cast<float>(uint32_t(bare.value)));
    }
    shadow.low |= own.low, shadow.high |= own.high;
  }
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    float a = float(mixOperand(w, i.src[0], rows[0][lane])),
          b = float(mixOperand(w, i.src[1], rows[1][lane]));
    float c = float(mixOperand(w, i.src[2], rows[2][lane]));
    float value = std::fma(a, b, c);
    uint32_t half = floatToHalf(value);
    bool isOverflow =
        (half & 0x7fff) == 0x7c00 && std::isfinite(a) && std::isfinite(b) && std::isfinite(c);
    half -= isOverflow && w.saturates16(); // 0x7bff
    result[0][lane] = to == MixTo::single ? std::bit_cast<uint32_t>(value) : half;
  }
  uint64_t active = activeLanes(w, i);
  if (to == MixTo::single)
    return finishVector(w, i, Type::f32, 1, result, active, shadow);
  Instruction half = i;
  half.writesHigh = to == MixTo::high;
  finishVector(w, half, Type::f16, 1, result, active, shadow);
}

namespace op {
#define PACKED2(Id, spellings, A, Element, ...)                                                    \
  struct Id {                                                                                      \
    static Element one(Element a, Element b) { return __VA_ARGS__; }                               \
    static A::T apply(A::T a, A::T b) { return {one(a.low, b.low), one(a.high, b.high)}; }         \
  };
#define PACKED3(Id, spellings, A, Element, ...)                                                    \
  struct Id {                                                                                      \
    static Element one(Element a, Element b, Element c) { return __VA_ARGS__; }                    \
    static A::T apply(A::T a, A::T b, A::T c) {                                                    \
      return {one(a.low, b.low, c.low), one(a.high, b.high, c.high)};                              \
    }                                                                                              \
  };
#define PACKED3_ACC PACKED3
#define PACKED2_PICK PACKED2
#define DOT(Id, spellings, R, A, ...) TILERUN_AMDSIM_OP3(Id, R, A, A, R, __VA_ARGS__)
#define DOT_ACC DOT
#include "emulators/amdgpu/Packed.def"
#undef PACKED2
#undef PACKED3
#undef PACKED3_ACC
#undef PACKED2_PICK
#undef DOT
#undef DOT_ACC
// Takes one register of each operand; op_sel chooses which.
struct MovSingle {
  static Pair<float> apply(Pair<float> a, Pair<float> b) { return {a.low, b.low}; }
};
} // namespace op

constexpr OpcodeRow row(const char *spellings, uint16_t flags, Handler run, Type result, Type a,
                        Type b, Type c = Type::none) {
  return {spellings, Family::vector, 1, flags, {result, a, b, c}, run};
}

constexpr OpcodeRow rows[] = {
#define PACKED2(Id, spellings, A, ...)                                                             \
  row(spellings, 0, runVector<op::Id, A, false, A, A>, A::kind, A::kind, A::kind),
#define PACKED2_PICK(Id, spellings, A, ...)                                                        \
  row(spellings, picks, runVector<op::Id, A, false, A, A>, A::kind, A::kind, A::kind),
#define PACKED3(Id, spellings, A, ...)                                                             \
  row(spellings, 0, runVector<op::Id, A, false, A, A, A>, A::kind, A::kind, A::kind, A::kind),
#define PACKED3_ACC(Id, spellings, A, ...)                                                         \
  row(spellings, accumulates, runVector<op::Id, A, false, A, A, A>, A::kind, A::kind, A::kind),
#define DOT(Id, spellings, R, A, ...)                                                              \
  row(spellings, roundsSomehow, runVector<op::Id, R, false, A, A, R>, R::kind, A::kind, A::kind,   \
      R::kind),
#define DOT_ACC(Id, spellings, R, A, ...)                                                          \
  row(spellings, accumulates | roundsSomehow, runVector<op::Id, R, false, A, A, R>, R::kind,       \
      A::kind, A::kind),
#include "emulators/amdgpu/Packed.def"
    row("v_pk_mov_b32", keepsBits, runVector<op::MovSingle, PkF32, false, PkF32, PkF32>,
        Type::pkF32, Type::pkF32, Type::pkF32),
    row("v_dot4_i32_iu8", readsLists, dotMixedSigns<8>, Type::b32, Type::b32, Type::b32, Type::b32),
    row("v_dot8_i32_iu4", readsLists, dotMixedSigns<4>, Type::b32, Type::b32, Type::b32, Type::b32),
    row("v_bitop3_b32", 0, combineBits<B32>, Type::b32, Type::b32, Type::b32, Type::b32),
    row("v_bitop3_b16", keepsHigh, combineBits<B16>, Type::b16, Type::b16, Type::b16, Type::b16),
    row("v_fma_mix_f32", readsSelects, fmaMix<MixTo::single>, Type::f32, Type::f32, Type::f32,
        Type::f32),
    row("v_fma_mixlo_f16", keepsHigh | readsSelects, fmaMix<MixTo::low>, Type::f16, Type::f32,
        Type::f32, Type::f32),
    row("v_fma_mixhi_f16", keepsHigh | readsSelects, fmaMix<MixTo::high>, Type::f16, Type::f32,
        Type::f32, Type::f32),
};

} // namespace

llvm::ArrayRef<OpcodeRow> packedRows() { return rows; }

} // namespace tilerun::amdsim
