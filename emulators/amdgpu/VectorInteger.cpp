// Executes Vector.def.
#include "emulators/amdgpu/Masks.h"

#include <algorithm>

namespace tilerun::amdsim {
namespace {

using F16Bits = Half<Type::f16, uint16_t>;

int32_t extractSigned32(int32_t value, unsigned offset, unsigned width) {
  return width == 0 ? 0 : int32_t(uint32_t(value >> offset) << (32 - width)) >> (32 - width);
}
int32_t low24(int32_t value) { return int32_t(uint32_t(value) << 8) >> 8; }
int32_t saturate32(int64_t value) {
  return int32_t(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
}
uint32_t leadingSignBits(int32_t value) {
  uint32_t flipped = uint32_t(value < 0 ? ~value : value);
  return flipped ? unsigned(std::countl_zero(flipped)) : ~0u;
}
// The four bytes that the selector names out of eight (a above b); 8 to 11 repeat signs, 12 is
// zero, more is 255.
uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t both = uint64_t(a) << 32 | b;
  uint32_t result = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    unsigned which = selector >> byte * 8 & 255;
    uint64_t shifted = both >> (which & 7) * 8;
    uint64_t sign = both >> ((which & 3) * 16 + 15) & 1;
    uint32_t value = which < 8     ? shifted & 255
                     : which < 12  ? (sign ? 255 : 0)
                     : which == 12 ? 0
                                   : 255;
    result |= value << byte * 8;
  }
  return result;
}
uint32_t byteDistances(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    uint32_t x = a >> shift & 255, y = b >> shift & 255;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}
uint32_t dotBytes(uint32_t a, uint32_t b, bool aIsSigned, bool bIsSigned) {
  int32_t sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    int32_t x = aIsSigned ? int8_t(a >> shift) : int32_t(a >> shift & 255);
    int32_t y = bIsSigned ? int8_t(b >> shift) : int32_t(b >> shift & 255);
    sum += x * y;
  }
  return uint32_t(sum);
}

// A word of the result is as defined as its own source: one whose other word is overwritten next is
// copied with it.
void runMovePair(Wave &w, const Instruction &i) {
  alignas(64) Row result[2];
  Shadow shadows[2];
  // Both before either is written: the pairs may overlap.
  for (unsigned word = 0; word < 2; ++word) {
    const uint32_t *row = fetch(w, i, i.src[0], word, result[word], shadows[word]);
    if (row != result[word])
      std::copy_n(row, w.lanes, result[word]);
  }
  uint64_t active = activeLanes(w, i);
  for (unsigned word = 0; word < 2; ++word) {
    unsigned reg = i.dst[0].reg + word;
    w.checkVector(reg);
    blendRow(w.row(reg), result[word], active, w.lanes);
    setShadow(w, reg, active, shadows[word].low, shadows[word].high);
  }
}

namespace op {
#define VECTOR1(Id, spellings, flags, ...) TILERUN_AMDSIM_OP1(Id, __VA_ARGS__)
#define VECTOR2(Id, spellings, flags, ...) TILERUN_AMDSIM_OP2(Id, __VA_ARGS__)
#define VECTOR3(Id, spellings, flags, ...) TILERUN_AMDSIM_OP3(Id, __VA_ARGS__)
#define VECTOR2_ACC(Id, spellings, flags, ...) TILERUN_AMDSIM_OP3(Id, __VA_ARGS__)
#define VECTOR_MASK2(Id, spellings, R, A, B, ...)                                                  \
  struct Id {                                                                                      \
    static void apply(A::T a, B::T b, R::T &d, bool &m) __VA_ARGS__                                \
  };
#define VECTOR_MASK3(Id, spellings, R, A, B, C, ...)                                               \
  struct Id {                                                                                      \
    static void apply(A::T a, B::T b, C::T c, R::T &d, bool &m) __VA_ARGS__                        \
  };
#include "emulators/amdgpu/Vector.def"
#undef VECTOR1
#undef VECTOR2
#undef VECTOR3
#undef VECTOR2_ACC
#undef VECTOR_MASK2
#undef VECTOR_MASK3
} // namespace op

constexpr OpcodeRow rows[] = {
#define VECTOR1(Id, spellings, flags, R, A, ...)                                                   \
  {spellings, Family::vector,     1,                                                               \
   flags,     {R::kind, A::kind}, runVector<op::Id, R, ((flags) & bitwise) != 0, A>},
#define VECTOR2(Id, spellings, flags, R, A, B, ...)                                                \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   1,                                                                                              \
   flags,                                                                                          \
   {R::kind, A::kind, B::kind},                                                                    \
   runVector<op::Id, R, ((flags) & bitwise) != 0, A, B>},
#define VECTOR3(Id, spellings, flags, R, A, B, C, ...)                                             \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   1,                                                                                              \
   flags,                                                                                          \
   {R::kind, A::kind, B::kind, C::kind},                                                           \
   runVector<op::Id, R, ((flags) & bitwise) != 0, A, B, C>},
#define VECTOR2_ACC(Id, spellings, flags, R, A, B, C, ...)                                         \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   1,                                                                                              \
   (flags) | accumulates,                                                                          \
   {R::kind, A::kind, B::kind},                                                                    \
   runVector<op::Id, R, false, A, B, C>},
#define VECTOR_MASK2(Id, spellings, R, A, B, ...)                                                  \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   2,                                                                                              \
   0,                                                                                              \
   {R::kind, Type::mask, A::kind, B::kind},                                                        \
   runVectorMask<op::Id, R, A, B>},
#define VECTOR_MASK3(Id, spellings, R, A, B, C, ...)                                               \
  {spellings,                                                                                      \
   Family::vector,                                                                                 \
   2,                                                                                              \
   0,                                                                                              \
   {R::kind, Type::mask, A::kind, B::kind, C::kind},                                               \
   runVectorMask<op::Id, R, A, B, C>},
#include "emulators/amdgpu/Vector.def"
    {"v_mov_b64", Family::vector, 1, 0, {Type::b64, Type::b64}, runMovePair},
};

} // namespace

llvm::ArrayRef<OpcodeRow> vectorRows() { return rows; }

} // namespace tilerun::amdsim
