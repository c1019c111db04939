// Executes Float.def.
#include "emulators/amdgpu/Division.h"
#include "emulators/amdgpu/Masks.h"

#include <algorithm>

namespace tilerun::amdsim {
namespace {

// Below one even where the subtraction rounds up.
float fraction(float a) {
  float f = a - std::floor(a);
  return f < 1 ? f : f == f ? 0x1.fffffep-1f : f;
}
float halfFraction(float a) {
  constexpr float largestBelowOne = 0x1.ffcp-1f;
  float f = a - std::floor(a);
  return f > largestBelowOne ? largestBelowOne : f;
}
double fraction(double a) {
  double f = a - std::floor(a);
  return f < 1 ? f : f == f ? 0x1.fffffffffffffp-1 : f;
}

template <class T> int exponentPart(T a) {
  int e = 0;
  if (!std::isfinite(a) || a == 0)
    return 0;
  std::frexp(a, &e);
  return e;
}
template <class T> T mantissaPart(T a) {
  int e = 0;
  return std::isfinite(a) ? std::frexp(a, &e) : a;
}

// Of turns, as the hardware's unit takes them; beyond 256 turns it has no precision left.
float turnSine(float turns) {
  if (std::fabs(turns) > 256)
    return std::isfinite(turns) ? 0 : std::bit_cast<float>(0x7fc00000u);
  double part = std::remainder(double(turns), 1.0);
  return part == 0 || std::fabs(part) == 0.5 ? 0.0f : float(std::sin(part * 6.283185307179586));
}
float turnCosine(float turns) {
  if (std::fabs(turns) > 256)
    return std::isfinite(turns) ? 1 : std::bit_cast<float>(0x7fc00000u);
  double part = std::remainder(double(turns), 1.0);
  return std::fabs(part) == 0.25 ? 0.0f : float(std::cos(part * 6.283185307179586));
}

// The double-precision units give about 2^-26: what software refines must be refined here, too.
double estimate64(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  return std::isfinite(value) ? std::bit_cast<double>(bits & ~uint64_t(0x3ffffff)) : value;
}

// 8-bit floats. The byte or word of the source comes by SDWA or op_sel (for bytes: two bits).
template <unsigned exponentBits> void widenFloat8(Wave &w, const Instruction &i) {
  alignas(64) Row scratch, result[2];
  Shadow shadow;
  Operand source = i.src[0];
  source.select = 0;
  const uint32_t *values = materialize(w, i, source, 0, scratch, shadow);
  unsigned shift = source.sdwa == 6 ? ((i.opSel & 3) | i.byteSelect) * 8 : 0;
  bool isFnuz = w.target->float8 == Float8::fnuz;
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    result[0][lane] = std::bit_cast<uint32_t>(
        float8ToFloat(uint8_t(values[lane] >> shift), exponentBits, isFnuz));
  finishVector(w, i, Type::f32, 1, result, activeLanes(w, i), shadow);
}
template <unsigned exponentBits> void widenTwoFloat8(Wave &w, const Instruction &i) {
  alignas(64) Row scratch, result[2];
  Shadow shadow;
  const uint32_t *values = materialize(w, i, i.src[0], 0, scratch, shadow);
  bool isFnuz = w.target->float8 == Float8::fnuz;
  unsigned shift = i.src[0].sdwa == 6 && (i.src[0].select & 1) ? 16 : 0;
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    for (unsigned k = 0; k < 2; ++k)
      result[k][lane] = std::bit_cast<uint32_t>(
          float8ToFloat(uint8_t(values[lane] >> (shift + 8 * k)), exponentBits, isFnuz));
  finishVector(w, i, Type::pkF32, 2, result, activeLanes(w, i), shadow);
}
// Writes one half of the destination and keeps the other.
template <unsigned exponentBits> void packFloat8(Wave &w, const Instruction &i) {
  alignas(64) Row scratch[2], result[2];
  Shadow shadow;
  const uint32_t *a = fetch(w, i, i.src[0], 0, scratch[0], shadow);
  const uint32_t *b = fetch(w, i, i.src[1], 0, scratch[1], shadow);
  bool isFnuz = w.target->float8 == Float8::fnuz, saturates = w.mode >> 23 & 1;
  auto narrow = [&](uint32_t bits) {
    return uint32_t(floatToFloat8(std::bit_cast<float>(bits), exponentBits, isFnuz, saturates));
  };
  for (unsigned lane = 0; lane < w.lanes; ++lane)
    result[0][lane] = narrow(a[lane]) | narrow(b[lane]) << 8;
  finishVector(w, i, Type::b16, 1, result, activeLanes(w, i), shadow);
}
// Writes the byte that byte_sel or op_sel (bits 2 and 3) names.
template <unsigned exponentBits> void roundFloat8(Wave &w, const Instruction &i) {
  alignas(64) Row scratch[2], result;
  Shadow shadow;
  const uint32_t *a = fetch(w, i, i.src[0], 0, scratch[0], shadow);
  const uint32_t *random = fetch(w, i, i.src[1], 0, scratch[1], shadow);
  bool isFnuz = w.target->float8 == Float8::fnuz, saturates = w.mode >> 23 & 1;
  unsigned reg = i.dst[0].reg, shift = ((i.opSel >> 2 & 3) | i.byteSelect) * 8;
  const uint32_t *old = w.row(reg);
  w.checkVector(reg);
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint32_t code = floatToFloat8Stochastic(std::bit_cast<float>(a[lane]), random[lane],
                                            exponentBits, isFnuz, saturates);
    result[lane] = (old[lane] & ~(255u << shift)) | code << shift;
  }
  uint64_t active = activeLanes(w, i);
  blendRow(w.row(reg), result, active, w.lanes);
  if (shift >= 16)
    setShadow(w, reg, active, w.shadowLow[reg], w.shadowHigh[reg] | shadow.any());
  else
    setShadow(w, reg, active, w.shadowLow[reg] | shadow.any(), w.shadowHigh[reg]);
}

namespace op {
#define VECTOR1(Id, spellings, flags, ...) TILERUN_AMDSIM_OP1(Id, __VA_ARGS__)
#define VECTOR2(Id, spellings, flags, ...) TILERUN_AMDSIM_OP2(Id, __VA_ARGS__)
#define VECTOR3(Id, spellings, flags, ...) TILERUN_AMDSIM_OP3(Id, __VA_ARGS__)
#define VECTOR2_ACC(Id, spellings, flags, ...) TILERUN_AMDSIM_OP3(Id, __VA_ARGS__)
#define VECTOR3_VCC(Id, spellings, ...) TILERUN_AMDSIM_OP4(Id, __VA_ARGS__)
#define TRANSCENDENTAL(Id, spellings, ...) TILERUN_AMDSIM_OP1(Id, __VA_ARGS__)
#define VECTOR_MASK3(Id, spellings, flags, R, A, B, C, ...)                                        \
  struct Id {                                                                                      \
    static void apply(A::T a, B::T b, C::T c, R::T &d, bool &m) __VA_ARGS__                        \
  };
#define SMALL_FLOAT1(Id, spellings, bits)
#define SMALL_FLOAT_UNPACK(Id, spellings, bits)
#define SMALL_FLOAT_PACK(Id, spellings, bits)
#define SMALL_FLOAT_STOCHASTIC(Id, spellings, bits)
#include "emulators/amdgpu/Float.def"
#undef VECTOR1
#undef VECTOR2
#undef VECTOR3
#undef VECTOR2_ACC
#undef VECTOR3_VCC
#undef TRANSCENDENTAL
#undef VECTOR_MASK3
#undef SMALL_FLOAT1
#undef SMALL_FLOAT_UNPACK
#undef SMALL_FLOAT_PACK
#undef SMALL_FLOAT_STOCHASTIC
} // namespace op

constexpr OpcodeRow rows[] = {
#define VECTOR1(Id, spellings, flags, R, A, ...)                                                   \
  {spellings, Family::vector,     1,                                                               \
   flags,     {R::kind, A::kind}, runVector<op::Id, R, ((flags) & bitwise) != 0, A>},
#define TRANSCENDENTAL(Id, spellings, R, A, ...)                                                   \
  {spellings, Family::transcendental, 1, 0, {R::kind, A::kind}, runVector<op::Id, R, false, A>},
#define VECTOR2(Id, spellings, flags, R, A, B, ...)                                                \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   1,                                                                                              \
   flags,                                                                                          \
   {R::kind, A::kind, B::kind},                                                                    \
   runVector<op::Id, R, false, A, B>},
#define VECTOR3(Id, spellings, flags, R, A, B, C, ...)                                             \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   1,                                                                                              \
   flags,                                                                                          \
   {R::kind, A::kind, B::kind, C::kind},                                                           \
   runVector<op::Id, R, false, A, B, C>},
#define VECTOR2_ACC(Id, spellings, flags, R, A, B, C, ...)                                         \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   1,                                                                                              \
   (flags) | accumulates,                                                                          \
   {R::kind, A::kind, B::kind},                                                                    \
   runVector<op::Id, R, false, A, B, C>},
#define VECTOR3_VCC(Id, spellings, R, A, B, C, E, ...)                                             \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   1,                                                                                              \
   readsVcc,                                                                                       \
   {R::kind, A::kind, B::kind, C::kind},                                                           \
   runVector<op::Id, R, false, A, B, C, E>},
#define VECTOR_MASK3(Id, spellings, flags, R, A, B, C, ...)                                        \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   2,                                                                                              \
   flags,                                                                                          \
   {R::kind, Type::mask, A::kind, B::kind, C::kind},                                               \
   runVectorMask<op::Id, R, A, B, C>},
#define SMALL_FLOAT1(Id, spellings, bits)                                                          \
  {spellings, Family::vector, 1, readsSelects, {Type::f32, Type::b32}, widenFloat8<bits>},
#define SMALL_FLOAT_UNPACK(Id, spellings, bits)                                                    \
  {spellings, Family::vector, 1, readsSelects, {Type::pkF32, Type::b32}, widenTwoFloat8<bits>},
#define SMALL_FLOAT_PACK(Id, spellings, bits)                                                      \
  {spellings, Family::vector, 1, keepsHigh, {Type::b16, Type::f32, Type::f32}, packFloat8<bits>},
#define SMALL_FLOAT_STOCHASTIC(Id, spellings, bits)                                                \
  {spellings,        Family::vector, 1, readsSelects, {Type::b32, Type::f32, Type::b32},           \
   roundFloat8<bits>},
#include "emulators/amdgpu/Float.def"
};

} // namespace

llvm::ArrayRef<OpcodeRow> floatRows() { return rows; }

} // namespace tilerun::amdsim
