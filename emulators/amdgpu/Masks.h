// Vector functions whose result is, or has beside it, a mask of lanes in scalar registers.
#ifndef TILERUN_EMULATORS_AMDGPU_MASKS_H
#define TILERUN_EMULATORS_AMDGPU_MASKS_H

#include "emulators/amdgpu/Vector.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace tilerun::amdsim {

// Rows of 0 and 1 to a bit for each lane.
inline uint64_t packMask(const uint32_t *row, unsigned lanes) {
  uint64_t mask = 0;
#ifdef __AVX2__
  for (unsigned lane = 0; lane < lanes; lane += 8) {
    __m256i bits =
        _mm256_slli_epi32(_mm256_load_si256(reinterpret_cast<const __m256i *>(row + lane)), 31);
    mask |= uint64_t(uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(bits)))) << lane;
  }
#else
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask |= uint64_t(row[lane] & 1) << lane;
#endif
  return mask;
}

// Writes a mask: lanes that are not active get zeros.
inline void writeMask(Wave &w, const Operand &dst, uint64_t mask, uint64_t active, Shadow shadow) {
  w.checkScalar(dst.reg);
  w.setMask(dst.reg, mask & active, shadow.any() & active);
}

template <class Op, class R, class... A, unsigned... index>
void applyWithMask(const Rows *rows, uint32_t *const *out, uint32_t *bits, unsigned lanes,
                   std::integer_sequence<unsigned, index...>) {
  __builtin_assume(lanes == 32 || lanes == 64);
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane < lanes; ++lane) {
    typename R::T d{};
    bool m = false;
    Op::apply(A::load(rows[index], lane)..., d, m);
    R::store(out, lane, d);
    bits[lane] = m;
  }
}

// A result and a mask: sums with carry, the scaling of divisions. The low word of a 64-bit sum or
// product depends on the low words of the operands alone: compilers leave the high ones undefined
// where only that is wanted.
template <class Op, class R, class... A> void runVectorMask(Wave &w, const Instruction &i) {
  constexpr unsigned count = sizeof...(A);
  alignas(64) Row scratch[count][2], result[2], bits;
  Shadow low, high;
  unsigned index = 0;
  Rows rows[count];
  auto fetchWords = [&]<class Operand>() {
    Rows words;
    words.word[0] = words.word[1] = fetch(w, i, i.src[index], 0, scratch[index][0], low);
    if constexpr (Operand::words == 2)
      words.word[1] = fetch(w, i, i.src[index], 1, scratch[index][1], high);
    rows[index++] = words;
  };
  (fetchWords.template operator()<A>(), ...);
  Shadow all = {low.low | high.low, low.high | high.high};
  uint64_t active = activeLanes(w, i);
  uint32_t *out[2] = {result[0], result[1]};
  applyWithMask<Op, R, A...>(rows, out, bits, w.lanes,
                             std::make_integer_sequence<unsigned, count>());
  writeMask(w, i.dst[1], packMask(bits, w.lanes), active, all);
  finishVector(w, i, R::kind, R::words, result, active, all);
  if constexpr (R::words == 2 && !isFloat(R::kind))
    if (high.any() & active) [[unlikely]]
      setShadow(w, i.dst[0].reg, active, low.low, low.high);
}

// Comparisons. With `toExec` the mask becomes EXEC, and the operand's registers keep theirs.
template <class Op, class A, class B, bool toExec> void runCompare(Wave &w, const Instruction &i) {
  alignas(64) Row scratch[2][2], bits;
  Shadow shadow;
  Rows a = fetchRows<A>(w, i, 0, scratch[0], shadow), b = fetchRows<B>(w, i, 1, scratch[1], shadow);
  unsigned lanes = w.lanes;
  __builtin_assume(lanes == 32 || lanes == 64);
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane < lanes; ++lane)
    bits[lane] = Op::apply(A::load(a, lane), B::load(b, lane));
  uint64_t active = activeLanes(w, i), mask = packMask(bits, lanes);
  if (!toExec) {
    writeMask(w, i.dst[0], mask, active, shadow);
    return;
  }
  if (shadow.any() & active)
    w.reportUndefined(shadow.any() & active, "the comparison that sets EXEC");
  if (w.target->generation == Generation::gfx9)
    writeMask(w, i.dst[0], mask, active, shadow);
  w.setWide(sgprExec, mask & active);
}

} // namespace tilerun::amdsim

#endif
