// Integer arithmetic on every width: one function object per operation, one list that names them.
//
// Undefined cases have defined results here: x / 0 = all ones and x % 0 = x (as in RISC-V), the
// smallest value / -1 wraps, and shifts by the width or more shift everything out.
#include "backends/interpreter/ElementFn.h"
#include "backends/interpreter/IntegerTypes.h"

#include <algorithm>
#include <array>
#include <bit>

using namespace tilerun;
using namespace tilerun::interp;

namespace {

// In an expression, a and b are the operands as wide unsigned values, sa and sb as signed ones.
#define INT_BINARY(NAME, ...)                                                                      \
  struct NAME {                                                                                    \
    template <class T> static typename T::U run(typename T::U x, typename T::U y) {                \
      using W [[maybe_unused]] = typename T::W;                                                    \
      [[maybe_unused]] const W a = x, b = y;                                                       \
      [[maybe_unused]] const typename T::S sa = T::toSigned(x), sb = T::toSigned(y);               \
      return T::wrap(W(__VA_ARGS__));                                                              \
    }                                                                                              \
  };
#define INT_COMPARE(NAME, ...)                                                                     \
  struct NAME {                                                                                    \
    template <class T> static uint8_t run(typename T::U a, typename T::U b) {                      \
      [[maybe_unused]] const typename T::S sa = T::toSigned(a), sb = T::toSigned(b);               \
      return __VA_ARGS__;                                                                          \
    }                                                                                              \
  };
#define INT_UNARY(NAME, ...)                                                                       \
  struct NAME {                                                                                    \
    template <class T> static typename T::U run(typename T::U a) {                                 \
      using W [[maybe_unused]] = typename T::W;                                                    \
      [[maybe_unused]] const typename T::S sa = T::toSigned(a);                                    \
      return T::wrap(W(__VA_ARGS__));                                                              \
    }                                                                                              \
  };

template <class T> typename T::W floorQuotient(typename T::S a, typename T::S b) {
  using W = typename T::W;
  if (b == 0)
    return W(~W(0));
  if (b == -1)
    return W(0) - W(a);
  return W(a / b) - W(a % b != 0 && (a < 0) != (b < 0));
}

template <class T> typename T::W ceilQuotient(typename T::S a, typename T::S b) {
  using W = typename T::W;
  if (b == 0)
    return W(~W(0));
  if (b == -1)
    return W(0) - W(a);
  return W(a / b) + W(a % b != 0 && (a < 0) == (b < 0));
}

template <class T> typename T::W integerPower(typename T::U base, typename T::S exponent) {
  using W = typename T::W;
  if (exponent < 0) {
    if (T::toSigned(base) == -1)
      return (exponent & 1) ? W(base) : W(1);
    return base == 1 ? W(1) : W(0); // 1 / base^n, truncated (0 for a base of 0 too)
  }
  W result = 1, factor = base;
  for (auto left = typename T::U(exponent); left; left = typename T::U(left >> 1)) {
    if (left & 1)
      result *= factor;
    factor *= factor;
  }
  return result;
}

INT_BINARY(AddI, a + b)
INT_BINARY(SubI, a - b)
INT_BINARY(MulI, a *b)
INT_BINARY(DivSI, b == 0 ? W(~W(0)) : sb == -1 ? W(0) - a : W(sa / sb))
INT_BINARY(DivUI, b == 0 ? W(~W(0)) : a / b)
INT_BINARY(RemSI, b == 0 ? a : sb == -1 ? W(0) : W(sa % sb))
INT_BINARY(RemUI, b == 0 ? a : a % b)
INT_BINARY(CeilDivSI, ceilQuotient<T>(sa, sb))
INT_BINARY(CeilDivUI, b == 0 ? W(~W(0)) : W(a / b) + W(a % b != 0))
INT_BINARY(FloorDivSI, floorQuotient<T>(sa, sb))
INT_BINARY(ShlI, b >= T::kBits ? W(0) : W(a << b))
INT_BINARY(ShrUI, b >= T::kBits ? W(0) : W(a >> b))
INT_BINARY(ShrSI, sa >> (b >= T::kBits ? W(T::kBits - 1) : b))
INT_BINARY(AndI, a &b)
INT_BINARY(OrI, a | b)
INT_BINARY(XorI, a ^ b)
INT_BINARY(MaxSI, sa > sb ? a : b)
INT_BINARY(MinSI, sa < sb ? a : b)
INT_BINARY(MaxUI, a > b ? a : b)
INT_BINARY(MinUI, a < b ? a : b)
INT_BINARY(IPowI, integerPower<T>(x, sb))

INT_COMPARE(CmpEq, a == b)
INT_COMPARE(CmpNe, a != b)
INT_COMPARE(CmpSlt, sa < sb)
INT_COMPARE(CmpSle, sa <= sb)
INT_COMPARE(CmpSgt, sa > sb)
INT_COMPARE(CmpSge, sa >= sb)
INT_COMPARE(CmpUlt, a < b)
INT_COMPARE(CmpUle, a <= b)
INT_COMPARE(CmpUgt, a > b)
INT_COMPARE(CmpUge, a >= b)

INT_UNARY(AbsI, sa < 0 ? W(0) - W(a) : W(a))
INT_UNARY(CtPop, std::popcount(a))
INT_UNARY(CountLeading, std::countl_zero(a) - int(8 * sizeof(a) - T::kBits))
INT_UNARY(CountTrailing, std::min<int>(std::countr_zero(a), T::kBits))

template <class Op, class T> void binary(const char *const *in, char *const *out, size_t n) {
  using U = typename T::U;
  using R = decltype(Op::template run<T>(U(), U()));
  auto *a = reinterpret_cast<const U *>(in[0]);
  auto *b = reinterpret_cast<const U *>(in[1]);
  auto *r = reinterpret_cast<R *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    r[i] = Op::template run<T>(a[i], b[i]);
}

template <class Op, class T> void unary(const char *const *in, char *const *out, size_t n) {
  using U = typename T::U;
  auto *a = reinterpret_cast<const U *>(in[0]);
  auto *r = reinterpret_cast<U *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    r[i] = Op::template run<T>(a[i]);
}

template <class T> void addExtended(const char *const *in, char *const *out, size_t n) {
  using U = typename T::U;
  auto *a = reinterpret_cast<const U *>(in[0]);
  auto *b = reinterpret_cast<const U *>(in[1]);
  auto *sum = reinterpret_cast<U *>(out[0]);
  auto *carry = reinterpret_cast<uint8_t *>(out[1]);
  for (size_t i = 0; i < n; ++i) {
    const U first = a[i];
    sum[i] = T::wrap(typename T::W(first) + typename T::W(b[i]));
    carry[i] = sum[i] < first;
  }
}

template <class T, bool Signed>
void mulExtended(const char *const *in, char *const *out, size_t n) {
  using U = typename T::U;
  auto *a = reinterpret_cast<const U *>(in[0]);
  auto *b = reinterpret_cast<const U *>(in[1]);
  auto *low = reinterpret_cast<U *>(out[0]);
  auto *high = reinterpret_cast<U *>(out[1]);
  for (size_t i = 0; i < n; ++i) {
    const unsigned __int128 product =
        Signed ? (unsigned __int128)((__int128)T::toSigned(a[i]) * T::toSigned(b[i]))
               : (unsigned __int128)a[i] * b[i];
    low[i] = T::wrap(typename T::W(product));
    high[i] = T::wrap(typename T::W(product >> T::kBits));
  }
}

using IntRow = std::array<ElementFn, 5>;
template <class Op>
constexpr IntRow binaryRow{binary<Op, Int1>, binary<Op, Int8>, binary<Op, Int16>, binary<Op, Int32>,
                           binary<Op, Int64>};
template <class Op>
constexpr IntRow unaryRow{unary<Op, Int1>, unary<Op, Int8>, unary<Op, Int16>, unary<Op, Int32>,
                          unary<Op, Int64>};
template <bool Signed>
constexpr IntRow mulExtendedRow{mulExtended<Int1, Signed>, mulExtended<Int8, Signed>,
                                mulExtended<Int16, Signed>, mulExtended<Int32, Signed>,
                                mulExtended<Int64, Signed>};

struct Entry {
  llvm::StringLiteral name;
  IntRow functions;
};

const Entry kEntries[] = {
    {"arith.addi", binaryRow<AddI>},
    {"arith.subi", binaryRow<SubI>},
    {"arith.muli", binaryRow<MulI>},
    {"arith.divsi", binaryRow<DivSI>},
    {"arith.divui", binaryRow<DivUI>},
    {"arith.remsi", binaryRow<RemSI>},
    {"arith.remui", binaryRow<RemUI>},
    {"arith.ceildivsi", binaryRow<CeilDivSI>},
    {"arith.ceildivui", binaryRow<CeilDivUI>},
    {"arith.floordivsi", binaryRow<FloorDivSI>},
    {"arith.shli", binaryRow<ShlI>},
    {"arith.shrui", binaryRow<ShrUI>},
    {"arith.shrsi", binaryRow<ShrSI>},
    {"arith.andi", binaryRow<AndI>},
    {"arith.ori", binaryRow<OrI>},
    {"arith.xori", binaryRow<XorI>},
    {"arith.maxsi", binaryRow<MaxSI>},
    {"arith.minsi", binaryRow<MinSI>},
    {"arith.maxui", binaryRow<MaxUI>},
    {"arith.minui", binaryRow<MinUI>},
    {"math.ipowi", binaryRow<IPowI>},
    {"arith.cmpi.eq", binaryRow<CmpEq>},
    {"arith.cmpi.ne", binaryRow<CmpNe>},
    {"arith.cmpi.slt", binaryRow<CmpSlt>},
    {"arith.cmpi.sle", binaryRow<CmpSle>},
    {"arith.cmpi.sgt", binaryRow<CmpSgt>},
    {"arith.cmpi.sge", binaryRow<CmpSge>},
    {"arith.cmpi.ult", binaryRow<CmpUlt>},
    {"arith.cmpi.ule", binaryRow<CmpUle>},
    {"arith.cmpi.ugt", binaryRow<CmpUgt>},
    {"arith.cmpi.uge", binaryRow<CmpUge>},
    {"math.absi", unaryRow<AbsI>},
    {"math.ctpop", unaryRow<CtPop>},
    {"math.ctlz", unaryRow<CountLeading>},
    {"math.cttz", unaryRow<CountTrailing>},
    {"arith.addui_extended",
     {addExtended<Int1>, addExtended<Int8>, addExtended<Int16>, addExtended<Int32>,
      addExtended<Int64>}},
    {"arith.mulsi_extended", mulExtendedRow<true>},
    {"arith.mului_extended", mulExtendedRow<false>},
};

template <class U> void select(const char *const *in, char *const *out, size_t n) {
  auto *condition = reinterpret_cast<const uint8_t *>(in[0]);
  auto *a = reinterpret_cast<const U *>(in[1]);
  auto *b = reinterpret_cast<const U *>(in[2]);
  auto *r = reinterpret_cast<U *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    r[i] = condition[i] ? a[i] : b[i];
}

} // namespace

ElementFn interp::findIntegerOp(llvm::StringRef name, Dtype type) {
  if (!isInteger(type))
    return nullptr;
  for (const Entry &entry : kEntries)
    if (entry.name == name)
      return entry.functions[static_cast<unsigned>(type)];
  return nullptr;
}

ElementFn interp::getSelect(unsigned size) {
  switch (size) {
  case 1:
    return select<uint8_t>;
  case 2:
    return select<uint16_t>;
  case 4:
    return select<uint32_t>;
  default:
    return select<uint64_t>;
  }
}
