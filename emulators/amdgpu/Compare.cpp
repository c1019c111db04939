// Comparisons. The rows are made of a list of conditions and a list of types, since there is one
// instruction for each pair of them.
#include "emulators/amdgpu/Masks.h"

namespace tilerun::amdsim {
namespace {

struct Less {
  template <class T> static bool apply(T a, T b) { return a < b; }
};
struct Equal {
  template <class T> static bool apply(T a, T b) { return a == b; }
};
struct LessEqual {
  template <class T> static bool apply(T a, T b) { return a <= b; }
};
struct Greater {
  template <class T> static bool apply(T a, T b) { return a > b; }
};
struct NotEqual {
  template <class T> static bool apply(T a, T b) { return a != b; }
};
struct GreaterEqual {
  template <class T> static bool apply(T a, T b) { return a >= b; }
};
struct Never {
  template <class T> static bool apply(T, T) { return false; }
};
struct Always {
  template <class T> static bool apply(T, T) { return true; }
};
// Of floats: ordered comparisons, and their negations.
struct LessGreater {
  template <class T> static bool apply(T a, T b) { return a < b || a > b; }
};
struct Ordered {
  template <class T> static bool apply(T a, T b) { return a == a && b == b; }
};
struct Unordered {
  template <class T> static bool apply(T a, T b) { return a != a || b != b; }
};
struct NotGreaterEqual {
  template <class T> static bool apply(T a, T b) { return !(a >= b); }
};
struct NotLessGreater {
  template <class T> static bool apply(T a, T b) { return !(a < b || a > b); }
};
struct NotGreater {
  template <class T> static bool apply(T a, T b) { return !(a > b); }
};
struct NotLessEqual {
  template <class T> static bool apply(T a, T b) { return !(a <= b); }
};
struct NotLess {
  template <class T> static bool apply(T a, T b) { return !(a < b); }
};

// The class of a float as a bit, by sign, exponent and fraction: signalling and quiet NaN,
// -infinity, -normal, -subnormal, -0, +0, +subnormal, +normal, +infinity.
template <unsigned fractionBits, unsigned exponentBits> struct IsClass {
  static bool apply(uint64_t bits, uint32_t classes) {
    uint64_t fraction = bits & ((uint64_t(1) << fractionBits) - 1);
    uint64_t exponent = bits >> fractionBits & ((1u << exponentBits) - 1);
    bool isNegative = bits >> (fractionBits + exponentBits) & 1;
    bool isTop = exponent == (1u << exponentBits) - 1;
    unsigned which = isTop && fraction ? (fraction >> (fractionBits - 1) & 1)
                     : isTop           ? (isNegative ? 2 : 9)
                     : exponent        ? (isNegative ? 3 : 8)
                     : fraction        ? (isNegative ? 4 : 7)
                                       : (isNegative ? 5 : 6);
    return classes >> which & 1;
  }
};
// Floats as their bits, so that signs can be changed but nothing else is.
using F32Bits = Word<Type::f32, uint32_t>;
using F64Bits = Wide<Type::f64, uint64_t>;
using F16Bits = Half<Type::f16, uint16_t>;

#define ROW(Condition, name, A, suffix)                                                            \
  {"v_cmp_" name "_" suffix,          Family::compare, 1, 0, {Type::mask, A::kind, A::kind},       \
   runCompare<Condition, A, A, false>},                                                            \
  {                                                                                                \
    "v_cmpx_" name "_" suffix, Family::compare, 1, writesExec, {Type::mask, A::kind, A::kind},     \
        runCompare<Condition, A, A, true>                                                          \
  }
#define INTEGER(A, suffix)                                                                         \
  ROW(Less, "lt", A, suffix), ROW(Equal, "eq", A, suffix), ROW(LessEqual, "le", A, suffix),        \
      ROW(Greater, "gt", A, suffix), ROW(NotEqual, "ne", A, suffix),                               \
      ROW(GreaterEqual, "ge", A, suffix), ROW(Never, "f", A, suffix), ROW(Always, "t", A, suffix),
#define FLOAT(A, suffix)                                                                           \
  ROW(Less, "lt", A, suffix), ROW(Equal, "eq", A, suffix), ROW(LessEqual, "le", A, suffix),        \
      ROW(Greater, "gt", A, suffix), ROW(LessGreater, "lg", A, suffix),                            \
      ROW(GreaterEqual, "ge", A, suffix), ROW(Ordered, "o", A, suffix),                            \
      ROW(Unordered, "u", A, suffix), ROW(NotGreaterEqual, "nge", A, suffix),                      \
      ROW(NotLessGreater, "nlg", A, suffix), ROW(NotGreater, "ngt", A, suffix),                    \
      ROW(NotLessEqual, "nle", A, suffix), ROW(NotEqual, "neq", A, suffix),                        \
      ROW(NotLess, "nlt", A, suffix), ROW(Never, "f", A, suffix), ROW(Always, "tru", A, suffix),
#define CLASS(Bits, B, suffix, fraction, exponent)                                                 \
  {"v_cmp_class_" suffix,                                                                          \
   Family::compare,                                                                                \
   1,                                                                                              \
   keepsBits,                                                                                      \
   {Type::mask, Bits::kind, B::kind},                                                              \
   runCompare<IsClass<fraction, exponent>, Bits, B, false>},                                       \
      {"v_cmpx_class_" suffix,                                                                     \
       Family::compare,                                                                            \
       1,                                                                                          \
       writesExec | keepsBits,                                                                     \
       {Type::mask, Bits::kind, B::kind},                                                          \
       runCompare<IsClass<fraction, exponent>, Bits, B, true>},

constexpr OpcodeRow rows[] = {
#include "emulators/amdgpu/Compare.def"
};

} // namespace

llvm::ArrayRef<OpcodeRow> compareRows() { return rows; }

} // namespace tilerun::amdsim
