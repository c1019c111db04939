// Float arithmetic and comparisons on float32 and float64. Narrower formats reach these through a
// Kernel's conversions: for + - * / and square root, float32 has enough digits that rounding twice
// is rounding once.
#include "backends/interpreter/ElementFn.h"

#include <bit>
#include <cmath>
#include <cstdint>

using namespace tilerun;
using namespace tilerun::interp;

namespace {

template <class F> using BitsOf = std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t>;

/// Where operands are equal they are the same bits, except zeros: `and` of the signs prefers +0,
/// `or` prefers -0.
template <class F> F positiveOfEqual(F a, F b) {
  return std::bit_cast<F>(BitsOf<F>(std::bit_cast<BitsOf<F>>(a) & std::bit_cast<BitsOf<F>>(b)));
}
template <class F> F negativeOfEqual(F a, F b) {
  return std::bit_cast<F>(BitsOf<F>(std::bit_cast<BitsOf<F>>(a) | std::bit_cast<BitsOf<F>>(b)));
}

#define FLOAT_BINARY(NAME, RESULT, ...)                                                            \
  struct NAME {                                                                                    \
    template <class F> static RESULT run(F a, F b) { return __VA_ARGS__; }                         \
  };

FLOAT_BINARY(AddF, F, a + b)
FLOAT_BINARY(SubF, F, a - b)
FLOAT_BINARY(MulF, F, a *b)
FLOAT_BINARY(DivF, F, a / b)
FLOAT_BINARY(RemF, F, std::fmod(a, b))
FLOAT_BINARY(MaximumF, F, a == b ? positiveOfEqual(a, b) : a > b ? a : a < b ? b : a + b)
FLOAT_BINARY(MinimumF, F, a == b ? negativeOfEqual(a, b) : a < b ? a : a > b ? b : a + b)
FLOAT_BINARY(MaxNumF, F, a == b ? positiveOfEqual(a, b) : (a > b || b != b) ? a : b)
FLOAT_BINARY(MinNumF, F, a == b ? negativeOfEqual(a, b) : (a < b || b != b) ? a : b)
FLOAT_BINARY(CopySign, F, std::copysign(a, b))

FLOAT_BINARY(CmpFalse, uint8_t, 0)
FLOAT_BINARY(CmpTrue, uint8_t, 1)
FLOAT_BINARY(CmpOeq, uint8_t, a == b)
FLOAT_BINARY(CmpOgt, uint8_t, a > b)
FLOAT_BINARY(CmpOge, uint8_t, a >= b)
FLOAT_BINARY(CmpOlt, uint8_t, a < b)
FLOAT_BINARY(CmpOle, uint8_t, a <= b)
FLOAT_BINARY(CmpOne, uint8_t, a<b || a> b)
FLOAT_BINARY(CmpOrd, uint8_t, a == a && b == b)
FLOAT_BINARY(CmpUeq, uint8_t, !(a < b || a > b))
FLOAT_BINARY(CmpUgt, uint8_t, !(a <= b))
FLOAT_BINARY(CmpUge, uint8_t, !(a < b))
FLOAT_BINARY(CmpUlt, uint8_t, !(a >= b))
FLOAT_BINARY(CmpUle, uint8_t, !(a > b))
FLOAT_BINARY(CmpUne, uint8_t, a != b)
FLOAT_BINARY(CmpUno, uint8_t, a != a || b != b)

template <class Op, class F> void binary(const char *const *in, char *const *out, size_t n) {
  using R = decltype(Op::template run<F>(F(), F()));
  auto *a = reinterpret_cast<const F *>(in[0]);
  auto *b = reinterpret_cast<const F *>(in[1]);
  auto *r = reinterpret_cast<R *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    r[i] = Op::template run<F>(a[i], b[i]);
}

template <class From, class To> void resize(const char *const *in, char *const *out, size_t n) {
  auto *a = reinterpret_cast<const From *>(in[0]);
  auto *r = reinterpret_cast<To *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    r[i] = To(a[i]);
}

struct Entry {
  llvm::StringLiteral name;
  ElementFn single, wide;
};
#define ENTRY(NAME, OP) {NAME, binary<OP, float>, binary<OP, double>}

const Entry kEntries[] = {
    ENTRY("arith.addf", AddF),
    ENTRY("arith.subf", SubF),
    ENTRY("arith.mulf", MulF),
    ENTRY("arith.divf", DivF),
    ENTRY("arith.remf", RemF),
    ENTRY("arith.maximumf", MaximumF),
    ENTRY("arith.minimumf", MinimumF),
    ENTRY("arith.maxnumf", MaxNumF),
    ENTRY("arith.minnumf", MinNumF),
    ENTRY("math.copysign", CopySign),
    ENTRY("arith.cmpf.false", CmpFalse),
    ENTRY("arith.cmpf.true", CmpTrue),
    ENTRY("arith.cmpf.oeq", CmpOeq),
    ENTRY("arith.cmpf.ogt", CmpOgt),
    ENTRY("arith.cmpf.oge", CmpOge),
    ENTRY("arith.cmpf.olt", CmpOlt),
    ENTRY("arith.cmpf.ole", CmpOle),
    ENTRY("arith.cmpf.one", CmpOne),
    ENTRY("arith.cmpf.ord", CmpOrd),
    ENTRY("arith.cmpf.ueq", CmpUeq),
    ENTRY("arith.cmpf.ugt", CmpUgt),
    ENTRY("arith.cmpf.uge", CmpUge),
    ENTRY("arith.cmpf.ult", CmpUlt),
    ENTRY("arith.cmpf.ule", CmpUle),
    ENTRY("arith.cmpf.une", CmpUne),
    ENTRY("arith.cmpf.uno", CmpUno),
    // By the width of the operand: extf from float32, truncf from float64.
    {"arith.extf", resize<float, double>, nullptr},
    {"arith.truncf", nullptr, resize<double, float>},
};

} // namespace

ElementFn interp::findFloatOp(llvm::StringRef name, Dtype type) {
  for (const Entry &entry : kEntries)
    if (entry.name == name)
      return type == Dtype::F32 ? entry.single : type == Dtype::F64 ? entry.wide : nullptr;
  return nullptr;
}
