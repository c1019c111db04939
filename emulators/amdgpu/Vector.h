// How a row of the vector tables becomes a function: operands are made into rows of lanes, a loop
// that the compiler vectorizes applies the row's expression, and the result goes to the lanes that
// EXEC enables.
#ifndef TILERUN_EMULATORS_AMDGPU_VECTOR_H
#define TILERUN_EMULATORS_AMDGPU_VECTOR_H

#include "emulators/amdgpu/Types.h"
#include "emulators/amdgpu/Wave.h"

namespace tilerun::amdsim {

// Lanes whose low or high half was computed from undefined values.
struct Shadow {
  uint64_t low = 0, high = 0;
  uint64_t any() const { return low | high; }
};

using Row = uint32_t[mostLanes];

// One register of an operand as a row with all modifiers applied: `scratch`, or the register
// itself. Adds the operand's shadow. Operands.cpp.
const uint32_t *materialize(Wave &w, const Instruction &i, const Operand &o, unsigned word,
                            uint32_t *scratch, Shadow &shadow);
// The lanes that an instruction writes: EXEC, less what DPP disables.
uint64_t activeLanes(const Wave &w, const Instruction &i);
// Writes `words` rows of results to the destination in the active lanes, with clamp, output
// modifier, flushing, SDWA or op_sel of the destination.
void finishVector(Wave &w, const Instruction &i, Type type, unsigned words,
                  uint32_t (*rows)[mostLanes], uint64_t active, Shadow shadow);
// In IEEE mode: where one of the two operands of a minimum or maximum is a signalling NaN, both
// become the first such NaN, made quiet, in `scratch`. Of three the last step decides: a NaN of the
// first one is passed over, so that all become the third operand, made quiet if it must be.
void quietNans(Wave &w, const Instruction &i, Rows *rows, Row (*scratch)[2], unsigned count);
void setShadow(Wave &w, unsigned reg, uint64_t active, uint64_t low, uint64_t high);
// Copies the active lanes of a row into a register.
void blendRow(uint32_t *out, const uint32_t *values, uint64_t active, unsigned lanes);

constexpr bool isSingle(Type type) { return type == Type::f32 || type == Type::pkF32; }
inline bool flushesInput(const Wave &w, const Instruction &i, Type type) {
  bool flushes = isSingle(type) ? w.flushesInput32 : isFloat(type) && w.flushesInput16;
  return flushes && !(i.row->flags & keepsBits);
}
inline bool flushesOutput(const Wave &w, const Instruction &i, Type type) {
  bool flushes = isSingle(type) ? w.flushesOutput32 : isFloat(type) && w.flushesOutput16;
  return flushes && !(i.row->flags & keepsBits);
}
// Subnormal numbers of double precision become zeros of their sign.
void flushWide(uint32_t *low, uint32_t *high, unsigned lanes);

inline const uint32_t *fetch(Wave &w, const Instruction &i, const Operand &o, unsigned word,
                             uint32_t *scratch, Shadow &shadow) {
  if (!o.isPlain || (isFloat(o.type) && flushesInput(w, i, o.type))) [[unlikely]]
    return materialize(w, i, o, word, scratch, shadow);
  unsigned reg = o.reg + word;
  w.checkVector(reg);
  if (isPacked(o.type)) {
    shadow.low |= w.shadowLow[reg], shadow.high |= w.shadowHigh[reg];
  } else if (isHalf(o.type)) {
    shadow.low |= w.shadowLow[reg];
  } else {
    uint64_t both = w.shadowLow[reg] | w.shadowHigh[reg];
    shadow.low |= both, shadow.high |= both;
  }
  return w.row(reg);
}

template <class A>
inline Rows fetchRows(Wave &w, const Instruction &i, unsigned source, Row *scratch,
                      Shadow &shadow) {
  Rows rows;
  rows.word[0] = fetch(w, i, i.src[source], 0, scratch[0], shadow);
  rows.word[1] = A::words == 2 ? fetch(w, i, i.src[source], 1, scratch[1], shadow) : rows.word[0];
  // Both words tell what is subnormal; fetch has copied them to `scratch` then.
  if constexpr (A::kind == Type::f64)
    if (flushesInput(w, i, A::kind)) [[unlikely]]
      flushWide(scratch[0], scratch[1], w.lanes);
  return rows;
}

// Which lanes' halves differ between two rows of results.
Shadow differences(const Row &a, const Row &b, unsigned lanes);
// The operand's row with its undefined halves cleared or set, for the computation of shadows.
const uint32_t *fillUndefined(Wave &w, const Instruction &i, unsigned source, bool ones,
                              uint32_t *row);

template <class Op, class R, class... A, unsigned... index>
void applyRows(const Rows *rows, uint32_t *const *out, unsigned lanes,
               std::integer_sequence<unsigned, index...>) {
  __builtin_assume(lanes == 32 || lanes == 64);
  // Rows are either the same or apart, so lanes never read what other lanes wrote.
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane < lanes; ++lane)
    R::store(out, lane, Op::apply(A::load(rows[index], lane)...));
}

// A bit of the result is undefined if it depends on an undefined bit of an operand. Evaluating with
// undefined halves as zeros, as ones, and once each, tells for operations on bits; sums and
// products may carry into the half above, and a float depends on all bits that it depends on.
template <class Op, class R, class... A> Shadow bitwiseShadow(Wave &w, const Instruction &i) {
  constexpr unsigned count = sizeof...(A);
  alignas(64) Row filled[count], results[2];
  Shadow shadow;
  for (unsigned pattern = 0; pattern < 1u << count; ++pattern) {
    Rows rows[count];
    for (unsigned source = 0; source < count; ++source)
      rows[source].word[0] = rows[source].word[1] =
          fillUndefined(w, i, source, pattern >> source & 1, filled[source]);
    uint32_t *out[2] = {results[pattern != 0], nullptr};
    applyRows<Op, R, A...>(rows, out, w.lanes, std::make_integer_sequence<unsigned, count>());
    if (pattern == 0)
      continue;
    Shadow now = differences(results[0], results[1], w.lanes);
    shadow.low |= now.low, shadow.high |= now.high;
  }
  if (i.row->flags & upward)
    shadow.high |= shadow.low;
  if constexpr (isFloat(R::kind))
    shadow.low = shadow.high = shadow.any();
  return shadow;
}

// Whether an infinite result of this operand did not overflow: it is infinite or not a number
// itself, or the reciprocal or logarithm of a zero.
template <class A>
bool explainsInfinity(const Instruction &i, const Rows &rows, unsigned lane, unsigned half) {
  auto isOne = [&](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>)
      return !std::isfinite(value) || (i.row->family == Family::transcendental && value == 0);
    else
      return false;
  };
  auto value = A::load(rows, lane);
  if constexpr (isPacked(A::kind))
    return isOne(half ? value.high : value.low);
  else
    return isOne(value);
}

// MODE.FP16_OVFL: infinite results of finite operands become the largest finite number.
template <class R, class... A, unsigned... index>
[[gnu::cold]] void saturateHalves(const Wave &w, const Instruction &i, const Rows *rows,
                                  uint32_t *result, std::integer_sequence<unsigned, index...>) {
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    for (unsigned half = 0; half < 2; ++half) {
      bool isInfinite = (result[lane] >> 16 * half & 0x7fff) == 0x7c00;
      // Of a conversion of two numbers each half has an operand of its own.
      auto isOwn = [&](unsigned source) { return !std::is_same_v<R, PkF16Bits> || source == half; };
      bool isExplained = ((isOwn(index) && explainsInfinity<A>(i, rows[index], lane, half)) || ...);
      if (isInfinite && !isExplained)
        result[lane] -= 1u << 16 * half; // 0x7bff
    }
}

template <class Op, class R, bool isBitwise, class... A>
void runVector(Wave &w, const Instruction &i) {
  constexpr unsigned count = sizeof...(A);
  alignas(64) Row scratch[count][2];
  alignas(64) Row result[2];
  Shadow shadow;
  unsigned index = 0;
  Rows rows[count];
  ((rows[index] = fetchRows<A>(w, i, index, scratch[index], shadow), ++index), ...);
  if constexpr (isFloat(R::kind))
    if ((i.row->flags & picks) && w.isIeee)
      quietNans(w, i, rows, scratch, count);
  uint64_t active = activeLanes(w, i);
  bool isDirect =
      active == w.allLanes && i.dst[0].isPlain && !flushesOutput(w, i, R::kind) && !isHalf(R::kind);
  if constexpr (R::kind == Type::pkF16)
    isDirect = isDirect && !w.saturates16();
  uint32_t *out[2] = {result[0], result[1]};
  if (isDirect)
    out[0] = w.row(i.dst[0].reg), out[1] = out[0] + (R::words == 2 ? w.lanes : 0);
  if constexpr (isBitwise)
    if (shadow.any() & active) [[unlikely]]
      shadow = bitwiseShadow<Op, R, A...>(w, i);
  applyRows<Op, R, A...>(rows, out, w.lanes, std::make_integer_sequence<unsigned, count>());
  if constexpr (R::kind == Type::f16 || R::kind == Type::pkF16)
    if (w.saturates16() && !(i.row->flags & neverOverflows)) [[unlikely]]
      saturateHalves<R, A...>(w, i, rows, result[0], std::make_integer_sequence<unsigned, count>());
  if (!isDirect) {
    finishVector(w, i, R::kind, R::words, result, active, shadow);
    return;
  }
  for (unsigned word = 0; word < R::words; ++word) {
    unsigned reg = i.dst[0].reg + word;
    w.checkVector(reg);
    w.shadowLow[reg] = shadow.low, w.shadowHigh[reg] = shadow.high;
  }
}

// The rows of a .def file: the expression sees its operands as a, b, c and e.
#define TILERUN_AMDSIM_OP1(Id, R, A, ...)                                                          \
  struct Id {                                                                                      \
    static R::T apply([[maybe_unused]] A::T a) { return __VA_ARGS__; }                             \
  };
#define TILERUN_AMDSIM_OP2(Id, R, A, B, ...)                                                       \
  struct Id {                                                                                      \
    static R::T apply([[maybe_unused]] A::T a, [[maybe_unused]] B::T b) { return __VA_ARGS__; }    \
  };
#define TILERUN_AMDSIM_OP3(Id, R, A, B, C, ...)                                                    \
  struct Id {                                                                                      \
    static R::T apply([[maybe_unused]] A::T a, [[maybe_unused]] B::T b, [[maybe_unused]] C::T c) { \
      return __VA_ARGS__;                                                                          \
    }                                                                                              \
  };
#define TILERUN_AMDSIM_OP4(Id, R, A, B, C, E, ...)                                                 \
  struct Id {                                                                                      \
    static R::T apply(A::T a, B::T b, C::T c, E::T e) { return __VA_ARGS__; }                      \
  };

} // namespace tilerun::amdsim

#endif
