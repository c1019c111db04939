// Conversions between integers, and between integers and float32/float64.
#include "backends/interpreter/ElementFn.h"
#include "backends/interpreter/IntegerTypes.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace tilerun;
using namespace tilerun::interp;

namespace {

/// Calls `visit` with the integer type of a dtype.
template <class Visitor> ElementFn visitInteger(Dtype type, Visitor visit) {
  switch (type) {
  case Dtype::I1:
    return visit(Int1());
  case Dtype::I8:
    return visit(Int8());
  case Dtype::I16:
    return visit(Int16());
  case Dtype::I32:
    return visit(Int32());
  case Dtype::I64:
    return visit(Int64());
  default:
    return nullptr;
  }
}

template <class In, class Out, auto Fn>
void map(const char *const *in, char *const *out, size_t n) {
  auto *from = reinterpret_cast<const In *>(in[0]);
  auto *to = reinterpret_cast<Out *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    to[i] = Fn(from[i]);
}

/// Widens as a signed value before it is cut to the target's width.
template <class From, class To> typename To::U extendSigned(typename From::U v) {
  return To::wrap(typename To::W(int64_t(From::toSigned(v))));
}
template <class From, class To> typename To::U resizeUnsigned(typename From::U v) {
  return To::wrap(typename To::W(v));
}

template <class From, bool Signed, class F> F toFloat(typename From::U v) {
  if constexpr (Signed)
    return F(From::toSigned(v));
  else
    return F(v);
}

/// To float64, rounded to odd: the lowest kept bit also says whether anything was lost, so that a
/// second rounding to a narrower format (which looks at far fewer bits) is the correct rounding of
/// the integer.
template <class From, bool Signed> double toOddDouble(typename From::U v) {
  bool negative = false;
  uint64_t magnitude = v;
  if constexpr (Signed) {
    const int64_t value = From::toSigned(v);
    negative = value < 0;
    magnitude = negative ? 0 - uint64_t(value) : uint64_t(value);
  }
  const int extra = 11 - std::min(11, std::countl_zero(magnitude));
  const uint64_t lost = magnitude & ((uint64_t(1) << extra) - 1);
  const double result = double((magnitude - lost) | (lost ? uint64_t(1) << extra : 0));
  return negative ? -result : result;
}

template <class To, bool Signed, class F> typename To::U toInteger(F v) {
  using W = typename To::W;
  // The limits 2^k are exact in every float type, so comparisons with them are too.
  const F scale = F(uint64_t(1) << (To::kBits - 1));
  if constexpr (Signed) {
    const typename To::S most = typename To::S(To::kSignBit - 1);
    if (!(v >= -scale))
      return v != v ? typename To::U(0) : To::kSignBit;
    return v >= scale ? typename To::U(most) : To::wrap(W(int64_t(v)));
  } else {
    if (!(v > F(-1)))
      return 0;
    return v >= scale * 2 ? To::kMask : To::wrap(W(uint64_t(v)));
  }
}

} // namespace

ElementFn interp::findIntegerCast(llvm::StringRef name, Dtype from, Dtype to) {
  const bool isSigned = name == "arith.extsi" || name == "arith.index_cast";
  if (!isSigned && name != "arith.extui" && name != "arith.trunci" && name != "arith.index_castui")
    return nullptr;
  return visitInteger(from, [&](auto source) {
    return visitInteger(to, [&](auto target) -> ElementFn {
      using From = decltype(source);
      using To = decltype(target);
      using FromU = typename From::U;
      using ToU = typename To::U;
      if (isSigned)
        return map<FromU, ToU, extendSigned<From, To>>;
      return map<FromU, ToU, resizeUnsigned<From, To>>;
    });
  });
}

ElementFn interp::findIntToFloat(bool isSigned, Dtype from, Dtype to, bool odd) {
  return visitInteger(from, [&](auto source) -> ElementFn {
    using From = decltype(source);
    using U = typename From::U;
    if (odd)
      return isSigned ? map<U, double, toOddDouble<From, true>>
                      : map<U, double, toOddDouble<From, false>>;
    if (to == Dtype::F32)
      return isSigned ? map<U, float, toFloat<From, true, float>>
                      : map<U, float, toFloat<From, false, float>>;
    return isSigned ? map<U, double, toFloat<From, true, double>>
                    : map<U, double, toFloat<From, false, double>>;
  });
}

ElementFn interp::findFloatToInt(bool isSigned, Dtype from, Dtype to) {
  return visitInteger(to, [&](auto target) -> ElementFn {
    using To = decltype(target);
    using U = typename To::U;
    if (from == Dtype::F32)
      return isSigned ? map<float, U, toInteger<To, true, float>>
                      : map<float, U, toInteger<To, false, float>>;
    return isSigned ? map<double, U, toInteger<To, true, double>>
                    : map<double, U, toInteger<To, false, double>>;
  });
}
