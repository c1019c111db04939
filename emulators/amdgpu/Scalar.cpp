// Executes Scalar.def.
#include "emulators/amdgpu/Floats.h"
#include "emulators/amdgpu/Types.h"
#include "emulators/amdgpu/Wave.h"

#include <algorithm>

namespace tilerun::amdsim {
namespace {

uint64_t extract(uint64_t value, unsigned offset, unsigned width) {
  return width == 0    ? 0
         : width >= 64 ? value >> offset
                       : value >> offset & ((uint64_t(1) << width) - 1);
}
int64_t extractSigned(uint64_t value, unsigned offset, unsigned width) {
  if (width == 0)
    return 0;
  int64_t shifted = int64_t(value) >> offset;
  return width >= 64 ? shifted : int64_t(uint64_t(shifted) << (64 - width)) >> (64 - width);
}

// Values of scalar registers; a 16-bit float is the low half of one.
template <class A> typename A::T fromBits(uint64_t bits) {
  if constexpr (A::kind == Type::f16)
    return halfToFloat(uint16_t(bits));
  else if constexpr (A::words == 2)
    return std::bit_cast<typename A::T>(bits);
  else
    return std::bit_cast<typename A::T>(uint32_t(bits));
}
template <class A> uint64_t toBits(typename A::T value) {
  if constexpr (A::kind == Type::f16)
    return doubleToHalf(value);
  else if constexpr (A::words == 2)
    return std::bit_cast<uint64_t>(value);
  else
    return std::bit_cast<uint32_t>(value);
}
// The bits of a register pair that a value has.
template <class A>
constexpr uint64_t valueBits = A::kind == Type::f16 ? 0xffff
                               : A::words == 2      ? ~uint64_t(0)
                                                    : 0xffffffff;
template <class A> uint64_t flushedBits(uint64_t bits, bool flushes32, bool flushes16) {
  if constexpr (A::kind == Type::f32)
    return flushes32 && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
  if constexpr (A::kind == Type::f16)
    return flushes16 ? flushed16(uint32_t(bits)) : bits;
  return bits;
}
template <class A> uint64_t inputBits(const Wave &w, uint64_t bits) {
  return flushedBits<A>(bits, w.flushesInput32, w.flushesInput16);
}
template <class A> uint64_t outputBits(const Wave &w, uint64_t bits) {
  return flushedBits<A>(bits, w.flushesOutput32, w.flushesOutput16);
}

template <class A> typename A::T readScalar(Wave &w, const Operand &o, uint64_t &shadow) {
  if (o.place == Operand::constant)
    return fromBits<A>(inputBits<A>(w, o.value));
  w.checkScalar(o.reg);
  shadow |= w.sgprShadow[o.reg] & valueBits<A>;
  if constexpr (A::words == 2) {
    w.checkScalar(o.reg + 1);
    shadow |= uint64_t(w.sgprShadow[o.reg + 1]) << 32;
    return fromBits<A>(w.wide(o.reg));
  } else {
    return fromBits<A>(inputBits<A>(w, w.sgprs[o.reg]));
  }
}

// Whether an infinite result of these operands is an overflow.
template <class... T> bool areFinite(T... operands) {
  auto isFinite = [](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>)
      return bool(std::isfinite(value));
    else
      return true;
  };
  return (isFinite(operands) && ...);
}
// MODE.FP16_OVFL: an overflow becomes the largest finite number.
template <class R> uint64_t saturatedBits(const Wave &w, uint64_t bits, bool areOperandsFinite) {
  bool isInfinite = R::kind == Type::f16 && (bits & 0x7fff) == 0x7c00;
  return isInfinite && areOperandsFinite && w.saturates16() ? bits - 1 : bits; // 0x7bff
}

// The upper half of the register of a 16-bit result is not known here: it counts as undefined.
template <class R>
void writeScalar(Wave &w, const Operand &o, typename R::T value, uint64_t shadow,
                 bool areOperandsFinite = false) {
  if (o.reg == sgprNull)
    return;
  w.checkScalar(o.reg);
  uint64_t bits = outputBits<R>(w, saturatedBits<R>(w, toBits<R>(value), areOperandsFinite));
  if constexpr (R::words == 2) {
    w.setWide(o.reg, bits);
    w.sgprShadow[o.reg] = uint32_t(shadow), w.sgprShadow[o.reg + 1] = uint32_t(shadow >> 32);
  } else {
    w.sgprs[o.reg] = uint32_t(bits);
    w.sgprShadow[o.reg] = uint32_t(shadow) | ~uint32_t(valueBits<R>);
  }
  if (o.reg >= sgprExec && w.lanes == 32)
    w.sgprs[sgprExec + 1] = 0;
}

// Undefined bits of the result: those that change when undefined bits of the operands do; of a
// float, all if any does.
template <class Op, class R, class A, class B>
uint64_t scalarShadow(Wave &w, typename A::T a, typename B::T b, uint64_t shadowA, uint64_t shadowB,
                      bool scc) {
  uint64_t changed = 0, base = 0;
  for (unsigned pattern = 0; pattern < 4; ++pattern) {
    auto x = fromBits<A>(pattern & 1 ? toBits<A>(a) | shadowA : toBits<A>(a) & ~shadowA);
    auto y = fromBits<B>(pattern & 2 ? toBits<B>(b) | shadowB : toBits<B>(b) & ~shadowB);
    typename R::T d{};
    bool carry = scc;
    Op::apply(w, x, y, d, carry);
    if (pattern == 0)
      base = toBits<R>(d);
    changed |= toBits<R>(d) ^ base;
  }
  return isFloat(R::kind) && changed ? valueBits<R> : changed;
}

template <class Op, class R, bool setsScc, class A, class B>
void runScalar(Wave &w, const Instruction &i) {
  uint64_t shadowA = 0, shadowB = 0;
  typename A::T a = readScalar<A>(w, i.src[0], shadowA);
  typename B::T b{};
  if (i.sources > 1)
    b = readScalar<B>(w, i.src[1], shadowB);
  typename R::T d{};
  bool scc = w.scc();
  Op::apply(w, a, b, d, scc);
  uint64_t shadow = 0;
  if (shadowA | shadowB) [[unlikely]]
    shadow = scalarShadow<Op, R, A, B>(w, a, b, shadowA, shadowB, w.scc());
  // The reciprocal or logarithm of a zero does not overflow.
  bool isOfZero = i.row->family == Family::transcendental && a == typename A::T(0);
  writeScalar<R>(w, i.dst[0], d, shadow, !isOfZero && areFinite(a, b));
  if (setsScc) {
    w.sgprs[sgprScc] = scc;
    w.sgprShadow[sgprScc] = shadow != 0;
  }
}

template <class Op, class A, class B> void runScalarCompare(Wave &w, const Instruction &i) {
  uint64_t shadow = 0;
  typename A::T a = readScalar<A>(w, i.src[0], shadow);
  typename B::T b = readScalar<B>(w, i.src[1], shadow);
  w.sgprs[sgprScc] = Op::apply(a, b);
  w.sgprShadow[sgprScc] = shadow != 0;
}

template <class A> void fusedMultiplyAdd(Wave &w, const Instruction &i) {
  uint64_t shadow = 0;
  auto a = readScalar<A>(w, i.src[0], shadow), b = readScalar<A>(w, i.src[1], shadow);
  auto c = readScalar<A>(w, i.src[2], shadow);
  writeScalar<A>(w, i.dst[0], std::fma(a, b, c), shadow ? valueBits<A> : 0, areFinite(a, b, c));
}

// EXEC is combined with the operand, and the old EXEC goes to the destination.
template <class F> void saveExec(Wave &w, const Instruction &i) {
  bool isWide = w.lanes == 64;
  uint64_t shadow = 0;
  uint64_t mask =
      isWide ? readScalar<B64>(w, i.src[0], shadow) : readScalar<B32>(w, i.src[0], shadow);
  uint64_t old = w.exec(), now = F::apply(mask, old) & w.allLanes;
  if (shadow & w.allLanes)
    w.reportUndefined(shadow, "a mask of lanes");
  if (isWide)
    writeScalar<B64>(w, i.dst[0], old, 0);
  else
    writeScalar<B32>(w, i.dst[0], uint32_t(old), 0);
  w.setWide(sgprExec, now);
  w.setScc(now != 0);
}

namespace op {
#define SCALAR1(Id, spellings, setsScc, R, A, ...)                                                 \
  struct Id {                                                                                      \
    static void apply([[maybe_unused]] Wave &w, A::T a, [[maybe_unused]] B32::T b,                 \
                      [[maybe_unused]] R::T &d, [[maybe_unused]] bool &scc) __VA_ARGS__            \
  };
#define SCALAR2(Id, spellings, setsScc, R, A, B, ...)                                              \
  struct Id {                                                                                      \
    static void apply([[maybe_unused]] Wave &w, [[maybe_unused]] A::T a, [[maybe_unused]] B::T b,  \
                      [[maybe_unused]] R::T &d, [[maybe_unused]] bool &scc) __VA_ARGS__            \
  };
#define SCALAR_UNIT(Id, spellings, R, A, ...) SCALAR1(Id, spellings, false, R, A, __VA_ARGS__)
#define SCALAR_KEEPS1(Id, spellings, R, A, ...) SCALAR2(Id, spellings, false, R, A, R, __VA_ARGS__)
#define SCALAR_KEEPS1_SCC(Id, spellings, R, A, ...)                                                \
  SCALAR2(Id, spellings, true, R, A, R, __VA_ARGS__)
#define SCALAR_COMPARE(Id, spellings, A, B, ...)                                                   \
  struct Id {                                                                                      \
    static bool apply(A::T a, B::T b) { return __VA_ARGS__; }                                      \
  };
#define SAVE_EXEC(Id, spellings32, spellings64, ...)                                               \
  struct Save##Id {                                                                                \
    static uint64_t apply(uint64_t a, uint64_t exec) { return __VA_ARGS__; }                       \
  };
#include "emulators/amdgpu/Scalar.def"
#undef SAVE_EXEC
#undef SCALAR1
#undef SCALAR_UNIT
#undef SCALAR2
#undef SCALAR_KEEPS1
#undef SCALAR_KEEPS1_SCC
#undef SCALAR_COMPARE
} // namespace op

constexpr OpcodeRow rows[] = {
#define SCALAR1(Id, spellings, setsScc, R, A, ...)                                                 \
  {spellings, Family::scalar, 1, 0, {R::kind, A::kind}, runScalar<op::Id, R, setsScc, A, B32>},
#define SCALAR2(Id, spellings, setsScc, R, A, B, ...)                                              \
  {spellings,                                                                                      \
   Family::scalar,                                                                                 \
   1,                                                                                              \
   0,                                                                                              \
   {R::kind, A::kind, B::kind},                                                                    \
   runScalar<op::Id, R, setsScc, A, B>},
#define SCALAR_UNIT(Id, spellings, R, A, ...)                                                      \
  {spellings, Family::transcendental, 1,                                                           \
   0,         {R::kind, A::kind},     runScalar<op::Id, R, false, A, B32>},
#define SCALAR_KEEPS1(Id, spellings, R, A, ...)                                                    \
  {spellings,   Family::scalar,     1,                                                             \
   accumulates, {R::kind, A::kind}, runScalar<op::Id, R, false, A, R>},
#define SCALAR_KEEPS1_SCC(Id, spellings, R, A, ...)                                                \
  {spellings, Family::scalar, 1, accumulates, {R::kind, A::kind}, runScalar<op::Id, R, true, A, R>},
#define SCALAR_COMPARE(Id, spellings, A, B, ...)                                                   \
  {spellings, Family::scalar, 0, 0, {A::kind, B::kind}, runScalarCompare<op::Id, A, B>},
#define SAVE_EXEC(Id, spellings32, spellings64, ...)                                               \
  {spellings32, Family::scalar, 1, 0, {Type::b32, Type::b32}, saveExec<op::Save##Id>},             \
      {spellings64, Family::scalar, 1, 0, {Type::b64, Type::b64}, saveExec<op::Save##Id>},
#include "emulators/amdgpu/Scalar.def"
    {"s_fmaak_f32|s_fmamk_f32",
     Family::scalar,
     1,
     0,
     {Type::f32, Type::f32, Type::f32, Type::f32},
     fusedMultiplyAdd<F32>},
    {"s_fmac_f32",
     Family::scalar,
     1,
     accumulates,
     {Type::f32, Type::f32, Type::f32},
     fusedMultiplyAdd<F32>},
    {"s_fmac_f16",
     Family::scalar,
     1,
     accumulates,
     {Type::f16, Type::f16, Type::f16},
     fusedMultiplyAdd<F16D>},
};

} // namespace

llvm::ArrayRef<OpcodeRow> scalarRows() { return rows; }

} // namespace tilerun::amdsim
