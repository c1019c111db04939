// Buffer conversions of the narrow float formats, by storage type.
#include "backends/interpreter/SmallFloat.h"

#include <array>

using namespace tilerun;
using namespace tilerun::interp;

namespace {
template <class In, class Out, Out (*Fn)(In)> void convert(const char *in, char *out, size_t n) {
  auto *from = reinterpret_cast<const In *>(in);
  auto *to = reinterpret_cast<Out *>(out);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    to[i] = Fn(from[i]);
}

/// The 256 values of an 8-bit format.
template <class F> const std::array<float, 256> &getValues() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> all;
    for (unsigned code = 0; code < 256; ++code)
      all[code] = float(decode<F>(uint8_t(code)));
    return all;
  }();
  return values;
}

template <class F> void byteToFloat(const char *in, char *out, size_t n) {
  const float *values = getValues<F>().data();
  auto *from = reinterpret_cast<const uint8_t *>(in);
  auto *to = reinterpret_cast<float *>(out);
  for (size_t i = 0; i < n; ++i)
    to[i] = values[from[i]];
}

template <class F> void toDouble(const char *in, char *out, size_t n) {
  auto *from = reinterpret_cast<const typename F::Storage *>(in);
  auto *to = reinterpret_cast<double *>(out);
  for (size_t i = 0; i < n; ++i)
    to[i] = decode<F>(from[i]);
}

template <class F> void isNormal(const char *const *in, char *const *out, size_t n) {
  auto *codes = reinterpret_cast<const typename F::Storage *>(in[0]);
  auto *result = reinterpret_cast<uint8_t *>(out[0]);
  for (size_t i = 0; i < n; ++i) {
    const typename F::Storage magnitude = codes[i] & (F::kSign - 1);
    result[i] = (magnitude & F::kExponentMask) != 0 && magnitude <= F::kMaxFinite;
  }
}

template <class F, class In, bool TowardZero, bool Saturate>
void encodeAll(const char *in, char *out, size_t n) {
  auto *from = reinterpret_cast<const In *>(in);
  auto *to = reinterpret_cast<typename F::Storage *>(out);
  for (size_t i = 0; i < n; ++i)
    to[i] = encode<F>(double(from[i]), {TowardZero, Saturate});
}

template <class F, class In> ConvertFn pickMode(Narrowing mode) {
  if (mode.towardZero)
    return mode.saturate ? encodeAll<F, In, true, true> : encodeAll<F, In, true, false>;
  return mode.saturate ? encodeAll<F, In, false, true> : encodeAll<F, In, false, false>;
}

template <class In> ConvertFn pickFormat(Dtype type, Narrowing mode) {
  switch (type) {
  case Dtype::F8E5M2:
    return pickMode<FormatF8E5M2, In>(mode);
  case Dtype::F8E5M2FNUZ:
    return pickMode<FormatF8E5M2FNUZ, In>(mode);
  case Dtype::F8E4M3FN:
    return pickMode<FormatF8E4M3FN, In>(mode);
  case Dtype::F8E4M3FNUZ:
    return pickMode<FormatF8E4M3FNUZ, In>(mode);
  case Dtype::F8E4M3B15:
    return pickMode<FormatF8E4M3B15, In>(mode);
  case Dtype::F16:
    return pickMode<FormatF16, In>(mode);
  case Dtype::BF16:
    return pickMode<FormatBF16, In>(mode);
  case Dtype::F32:
    return pickMode<FormatF32, In>(mode);
  default:
    return nullptr;
  }
}
} // namespace

ConvertFn interp::getToFloat(Dtype type) {
  switch (type) {
  case Dtype::F8E5M2:
    return byteToFloat<FormatF8E5M2>;
  case Dtype::F8E5M2FNUZ:
    return byteToFloat<FormatF8E5M2FNUZ>;
  case Dtype::F8E4M3FN:
    return byteToFloat<FormatF8E4M3FN>;
  case Dtype::F8E4M3FNUZ:
    return byteToFloat<FormatF8E4M3FNUZ>;
  case Dtype::F8E4M3B15:
    return byteToFloat<FormatF8E4M3B15>;
  case Dtype::F16:
    return convert<uint16_t, float, halfToFloat>;
  case Dtype::BF16:
    return convert<uint16_t, float, bfloatToFloat>;
  default:
    return nullptr;
  }
}

ConvertFn interp::getToDouble(Dtype type) {
  switch (type) {
  case Dtype::F8E5M2:
    return toDouble<FormatF8E5M2>;
  case Dtype::F8E5M2FNUZ:
    return toDouble<FormatF8E5M2FNUZ>;
  case Dtype::F8E4M3FN:
    return toDouble<FormatF8E4M3FN>;
  case Dtype::F8E4M3FNUZ:
    return toDouble<FormatF8E4M3FNUZ>;
  case Dtype::F8E4M3B15:
    return toDouble<FormatF8E4M3B15>;
  case Dtype::F16:
    return toDouble<FormatF16>;
  case Dtype::BF16:
    return toDouble<FormatBF16>;
  default:
    return nullptr;
  }
}

ConvertFn interp::getFromFloat(Dtype type) {
  if (type == Dtype::F16)
    return convert<float, uint16_t, floatToHalf>;
  if (type == Dtype::BF16)
    return convert<float, uint16_t, floatToBfloat>;
  return isSmallFloat(type) ? pickFormat<float>(type, {}) : nullptr;
}

ConvertFn interp::getFromFloat(Dtype type, Narrowing mode) {
  if (!mode.towardZero && !mode.saturate && isSmallFloat(type))
    return getFromFloat(type);
  return pickFormat<float>(type, mode);
}

ConvertFn interp::getFromDouble(Dtype type, Narrowing mode) {
  return pickFormat<double>(type, mode);
}

ElementFn interp::getIsNormal(Dtype type) {
  switch (type) {
  case Dtype::F8E5M2:
    return isNormal<FormatF8E5M2>;
  case Dtype::F8E5M2FNUZ:
    return isNormal<FormatF8E5M2FNUZ>;
  case Dtype::F8E4M3FN:
    return isNormal<FormatF8E4M3FN>;
  case Dtype::F8E4M3FNUZ:
    return isNormal<FormatF8E4M3FNUZ>;
  case Dtype::F8E4M3B15:
    return isNormal<FormatF8E4M3B15>;
  case Dtype::F16:
    return isNormal<FormatF16>;
  case Dtype::BF16:
    return isNormal<FormatBF16>;
  default:
    return nullptr;
  }
}

double interp::readFloat(Dtype type, const char *element) {
  auto load = [&](auto value) {
    std::memcpy(&value, element, sizeof(value));
    return value;
  };
  switch (type) {
  case Dtype::F64:
    return load(double());
  case Dtype::F32:
    return load(float());
  default: {
    double value;
    getToDouble(type)(element, reinterpret_cast<char *>(&value), 1);
    return value;
  }
  }
}
