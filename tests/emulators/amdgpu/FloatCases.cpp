// Floating-point instructions of the vector unit, and conversions.
#include "tests/emulators/amdgpu/Cases.h"

#include <algorithm>
#include <cmath>

namespace tilerun::amdsim::tests {

namespace {

// IEEE 754's minimum and maximum: a NaN if one is.
template <class T> T leastOrNan(T a, T b) { return a != a ? a : b != b ? b : least(a, b); }
template <class T> T mostOrNan(T a, T b) { return a != a ? a : b != b ? b : most(a, b); }
template <class T> T middle(T a, T b, T c) {
  return a != a || b != b || c != c ? least(least(a, b), c)
                                    : most(least(a, b), least(most(a, b), c));
}
template <class T> uint64_t exponentOf(T v) {
  int e = 0;
  if (std::isfinite(v))
    std::frexp(v, &e);
  return uint32_t(e);
}
template <class T> T mantissaOf(T v) {
  int e = 0;
  return std::isfinite(v) ? std::frexp(v, &e) : v;
}
// The largest number below one takes the place of one.
template <class T> T fractionOf(T v, T belowOne) {
  T f = v - std::floor(v);
  return f >= 1 ? belowOne : f;
}
template <class T> uint64_t toInteger(double v, T low, T high) {
  if (v != v)
    return 0;
  return uint32_t(int64_t(std::clamp(v, double(low), double(high))));
}
double h(uint32_t bits) { return half(bits); }
int16_t s16(uint32_t v) { return int16_t(v); }
// Of a number of turns, exact at quarters; beyond 256 turns the unit has no precision left.
double sine(double v) {
  double quarters = std::fmod(v, 1.0) * 4;
  return std::fmod(quarters, 2.0) == 0 ? 0 : std::sin(quarters * 1.5707963267948966);
}
double cosine(double v) {
  double quarters = std::fmod(v, 1.0) * 4;
  return std::fabs(std::fmod(quarters, 2.0)) == 1 ? 0 : std::cos(quarters * 1.5707963267948966);
}
float turns(float v, double (*function)(double)) {
  if (std::fabs(v) > 256 || v != v)
    return std::isfinite(v) ? float(function(0)) : NAN;
  return float(function(flush(v)));
}
float fp8(uint32_t bits, bool isFnuz) { return float8ToFloat(uint8_t(bits), 4, isFnuz); }
float bf8(uint32_t bits, bool isFnuz) { return float8ToFloat(uint8_t(bits), 5, isFnuz); }

// Two roundings, each to a number that is not subnormal.
float multiplyAdd(float a, float b, float c) {
  auto normal = [](double v) {
    return std::fabs(v) < 0x1p-126 ? std::copysign(0.0f, float(v)) : float(v);
  };
  float product = normal(float(flush(a) * flush(b)));
  return normal(float(double(product) + flush(c)));
}

constexpr Where older = Where(gfx9 | gfx11);
constexpr Where ocp = Where(gfx950 | gfx12);

} // namespace

const std::vector<Case> &floatCases() {
  static const std::vector<Case> list = {
      {"v_subrev_f32 v4, v0, v1", OF(bitsOf(i.fb() - i.fa())), As::f32},
      {"v_mul_legacy_f32 v4, v0, v1",
       OF(bitsOf(i.fa() == 0 || i.fb() == 0 ? 0.0f : i.fa() * i.fb())), As::f32, gfx9},
      {"v_mul_dx9_zero_f32 v4, v0, v1",
       OF(bitsOf(i.fa() == 0 || i.fb() == 0 ? 0.0f : i.fa() * i.fb())), As::f32, newer},
      {"v_fmaak_f32 v4, v0, v1, 0x40490fdb",
       OF(bitsOf(std::fma(i.fa(), i.fb(), std::bit_cast<float>(0x40490fdb)))), As::f32,
       Where(gfx942 | gfx950 | newer)},
      {"v_mad_f32 v4, v0, v1, v2", OF(bitsOf(multiplyAdd(i.fa(), i.fb(), i.fc()))), As::f32,
       gfx90a},
      {"v_mov_b32 v4, v2\nv_mac_f32 v4, v0, v1", OF(bitsOf(multiplyAdd(i.fa(), i.fb(), i.fc()))),
       As::f32, gfx90a},
      {"v_madak_f32 v4, v0, v1, 0x40490fdb",
       OF(bitsOf(multiplyAdd(i.fa(), i.fb(), std::bit_cast<float>(0x40490fdb)))), As::f32, gfx90a},
      {"v_minimum_f32 v4, v0, v1", OF(bitsOf(leastOrNan(i.fa(), i.fb()))), As::f32, gfx12},
      {"v_maximum_f32 v4, v0, v1", OF(bitsOf(mostOrNan(i.fa(), i.fb()))), As::f32, gfx12},
      {"v_min_num_f32 v4, v0, v1", OF(bitsOf(least(i.fa(), i.fb()))), As::f32, gfx12},
      {"v_min3_f32 v4, v0, v1, v2", OF(bitsOf(least(least(i.fa(), i.fb()), i.fc()))), As::f32,
       older},
      {"v_max3_f32 v4, v0, v1, v2", OF(bitsOf(most(most(i.fa(), i.fb()), i.fc()))), As::f32, older},
      {"v_minimum3_f32 v4, v0, v1, v2", OF(bitsOf(leastOrNan(leastOrNan(i.fa(), i.fb()), i.fc()))),
       As::f32, ocp},
      {"v_maximum3_f32 v4, v0, v1, v2", OF(bitsOf(mostOrNan(mostOrNan(i.fa(), i.fb()), i.fc()))),
       As::f32, ocp},
      {"v_med3_f32 v4, v0, v1, v2", OF(bitsOf(middle(i.fa(), i.fb(), i.fc()))), As::f32, older},
      {"v_med3_num_f32 v4, v0, v1, v2", OF(bitsOf(middle(i.fa(), i.fb(), i.fc()))), As::f32, gfx12},
      {"v_maxmin_f32 v4, v0, v1, v2", OF(bitsOf(least(most(i.fa(), i.fb()), i.fc()))), As::f32,
       gfx11},
      {"v_minmax_f32 v4, v0, v1, v2", OF(bitsOf(most(least(i.fa(), i.fb()), i.fc()))), As::f32,
       gfx11},
      {"v_maxmin_num_f32 v4, v0, v1, v2", OF(bitsOf(least(most(i.fa(), i.fb()), i.fc()))), As::f32,
       gfx12},
      {"v_maximumminimum_f32 v4, v0, v1, v2",
       OF(bitsOf(leastOrNan(mostOrNan(i.fa(), i.fb()), i.fc()))), As::f32, gfx12},
      {"v_minimummaximum_f32 v4, v0, v1, v2",
       OF(bitsOf(mostOrNan(leastOrNan(i.fa(), i.fb()), i.fc()))), As::f32, gfx12},
      {"v_minimum3_f16 v4, v0, v1, v2", OF(toHalf(leastOrNan(leastOrNan(h(i.a), h(i.b)), h(i.c)))),
       As::f16, gfx12},
      {"v_maximum3_f16 v4, v0, v1, v2", OF(toHalf(mostOrNan(mostOrNan(h(i.a), h(i.b)), h(i.c)))),
       As::f16, gfx12},
      {"v_maxmin_f16 v4, v0, v1, v2", OF(toHalf(least(most(h(i.a), h(i.b)), h(i.c)))), As::f16,
       gfx11},
      {"v_minmax_f16 v4, v0, v1, v2", OF(toHalf(most(least(h(i.a), h(i.b)), h(i.c)))), As::f16,
       gfx11},
      {"v_maximumminimum_f16 v4, v0, v1, v2",
       OF(toHalf(leastOrNan(mostOrNan(h(i.a), h(i.b)), h(i.c)))), As::f16, gfx12},
      {"v_minimummaximum_f16 v4, v0, v1, v2",
       OF(toHalf(mostOrNan(leastOrNan(h(i.a), h(i.b)), h(i.c)))), As::f16, gfx12},
      {"v_fract_f32 v4, v0", OF(bitsOf(fractionOf(i.fa(), 0x1.fffffep-1f))), As::f32},
      {"v_sin_f32 v4, v0", OF(bitsOf(turns(i.fa(), sine))), As::nearF32},
      {"v_cos_f32 v4, v0", OF(bitsOf(turns(i.fa(), cosine))), As::nearF32},
      // Double precision
      {"v_fmac_f64 v[4:5], v[0:1], v[2:3]", OF(bitsOf(std::fma(i.dab(), i.dcd(), 0.0))), As::f64,
       gfx9},
      {"v_min_f64 v[4:5], v[0:1], v[2:3]", OF(bitsOf(least(i.dab(), i.dcd()))), As::f64, older},
      {"v_min_num_f64 v[4:5], v[0:1], v[2:3]", OF(bitsOf(least(i.dab(), i.dcd()))), As::f64, gfx12},
      {"v_minimum_f64 v[4:5], v[0:1], v[2:3]", OF(bitsOf(leastOrNan(i.dab(), i.dcd()))), As::f64,
       gfx12},
      {"v_maximum_f64 v[4:5], v[0:1], v[2:3]", OF(bitsOf(mostOrNan(i.dab(), i.dcd()))), As::f64,
       gfx12},
      {"v_ldexp_f64 v[4:5], v[0:1], v2",
       OF(bitsOf(std::ldexp(i.dab(), std::clamp(int32_t(i.c), -4000, 4000)))), As::f64},
      {"v_fract_f64 v[4:5], v[0:1]", OF(bitsOf(fractionOf(i.dab(), 0x1.fffffffffffffp-1))),
       As::f64},
      {"v_floor_f64 v[4:5], v[0:1]", OF(bitsOf(std::floor(i.dab()))), As::f64},
      {"v_ceil_f64 v[4:5], v[0:1]", OF(bitsOf(std::ceil(i.dab()))), As::f64},
      {"v_trunc_f64 v[4:5], v[0:1]", OF(bitsOf(std::trunc(i.dab()))), As::f64},
      {"v_rndne_f64 v[4:5], v[0:1]", OF(bitsOf(std::nearbyint(i.dab()))), As::f64},
      {"v_frexp_exp_i32_f64 v4, v[0:1]", OF(exponentOf(i.dab()))},
      {"v_frexp_mant_f64 v[4:5], v[0:1]", OF(bitsOf(mantissaOf(i.dab()))), As::f64},
      {"v_rcp_f64 v[4:5], v[0:1]", OF(bitsOf(1 / i.dab())), As::estimateF64},
      {"v_rsq_f64 v[4:5], v[0:1]", OF(bitsOf(1 / std::sqrt(i.dab()))), As::estimateF64},
      {"v_sqrt_f64 v[4:5], v[0:1]", OF(bitsOf(std::sqrt(i.dab()))), As::estimateF64},
      // Half precision
      {"v_sub_f16 v4, v0, v1", OF(toHalf(h(i.a) - h(i.b))), As::f16},
      {"v_subrev_f16 v4, v0, v1", OF(toHalf(h(i.b) - h(i.a))), As::f16},
      {"v_and_b32 v4, 0xffff, v2\nv_fmac_f16 v4, v0, v1",
       OF(toHalf(std::fma(h(i.a), h(i.b), h(i.c)))), As::f16, newer},
      {"v_min_f16 v4, v0, v1", OF(toHalf(least(h(i.a), h(i.b)))), As::f16, older},
      {"v_max_f16 v4, v0, v1", OF(toHalf(most(h(i.a), h(i.b)))), As::f16, older},
      {"v_minimum_f16 v4, v0, v1", OF(toHalf(leastOrNan(h(i.a), h(i.b)))), As::f16, gfx12},
      {"v_maximum_f16 v4, v0, v1", OF(toHalf(mostOrNan(h(i.a), h(i.b)))), As::f16, gfx12},
      {"v_min3_f16 v4, v0, v1, v2", OF(toHalf(least(least(h(i.a), h(i.b)), h(i.c)))), As::f16,
       older},
      {"v_max3_f16 v4, v0, v1, v2", OF(toHalf(most(most(h(i.a), h(i.b)), h(i.c)))), As::f16, older},
      {"v_med3_f16 v4, v0, v1, v2", OF(toHalf(middle(h(i.a), h(i.b), h(i.c)))), As::f16, older},
      {"v_ldexp_f16 v4, v0, v1", OF(toHalf(std::ldexp(h(i.a), s16(i.b)))), As::f16},
      {"v_fract_f16 v4, v0", [](const In &i) {
         uint64_t bits = toHalf(h(i.a) - std::floor(h(i.a)));
         return bits == 0x3c00 ? 0x3bff : bits; // below one
       }, As::f16},
      {"v_floor_f16 v4, v0", OF(toHalf(std::floor(h(i.a)))), As::f16},
      {"v_ceil_f16 v4, v0", OF(toHalf(std::ceil(h(i.a)))), As::f16},
      {"v_trunc_f16 v4, v0", OF(toHalf(std::trunc(h(i.a)))), As::f16},
      {"v_rndne_f16 v4, v0", OF(toHalf(std::nearbyint(h(i.a)))), As::f16},
      {"v_frexp_exp_i16_f16 v4, v0", OF(uint16_t(exponentOf(h(i.a))))},
      {"v_frexp_mant_f16 v4, v0", OF(toHalf(mantissaOf(h(i.a)))), As::f16},
      {"v_exp_f16 v4, v0", OF(toHalf(std::exp2(h(i.a)))), As::nearF16},
      {"v_log_f16 v4, v0", OF(toHalf(std::log2(h(i.a)))), As::nearF16},
      {"v_rcp_f16 v4, v0", OF(toHalf(1 / h(i.a))), As::nearF16},
      {"v_rsq_f16 v4, v0", OF(toHalf(1 / std::sqrt(h(i.a)))), As::nearF16},
      {"v_sqrt_f16 v4, v0", OF(toHalf(std::sqrt(h(i.a)))), As::nearF16},
      {"v_sin_f16 v4, v0", OF(toHalf(turns(half(i.a), sine))), As::nearF16},
      {"v_cos_f16 v4, v0", OF(toHalf(turns(half(i.a), cosine))), As::nearF16},
      // Conversions
      {"v_cvt_rpi_i32_f32 v4, v0",
       OF(toInteger(std::floor(double(i.fa()) + 0.5), INT32_MIN, INT32_MAX)), As::bits, gfx9},
      {"v_cvt_nearest_i32_f32 v4, v0",
       OF(toInteger(std::floor(double(i.fa()) + 0.5), INT32_MIN, INT32_MAX)), As::bits, newer},
      {"v_cvt_flr_i32_f32 v4, v0", OF(toInteger(std::floor(i.fa()), INT32_MIN, INT32_MAX)),
       As::bits, gfx9},
      {"v_cvt_floor_i32_f32 v4, v0", OF(toInteger(std::floor(i.fa()), INT32_MIN, INT32_MAX)),
       As::bits, newer},
      {"v_cvt_f64_i32 v[4:5], v0", OF(bitsOf(double(int32_t(i.a)))), As::f64},
      {"v_cvt_i32_f64 v4, v[0:1]", OF(toInteger(i.dab(), INT32_MIN, INT32_MAX))},
      {"v_cvt_u32_f64 v4, v[0:1]", OF(toInteger(i.dab(), 0u, UINT32_MAX))},
      {"v_cvt_f16_i16 v4, v0", OF(toHalf(s16(i.a))), As::f16},
      {"v_cvt_u16_f16 v4, v0", OF(toInteger(h(i.a), 0, 65535))},
      {"v_cvt_f32_ubyte0 v4, v0", OF(bitsOf(float(i.a & 255)))},
      {"v_cvt_f32_ubyte1 v4, v0", OF(bitsOf(float(i.a >> 8 & 255)))},
      {"v_cvt_f32_ubyte3 v4, v0", OF(bitsOf(float(i.a >> 24)))},
      {"v_cvt_pk_f16_f32 v4, v0, v1", OF(toHalf(i.fa()) | toHalf(i.fb()) << 16), As::pairF16,
       gfx950},
      {"v_cvt_pk_bf16_f32 v4, v0, v1",
       OF(floatToBfloat(i.fa()) | uint32_t(floatToBfloat(i.fb())) << 16), As::bits, gfx950},
      // 8-bit floats; the conversions themselves are tested for all values elsewhere.
      {"v_cvt_f32_fp8 v4, v0", OF(bitsOf(fp8(i.a, true))), As::f32, gfx942},
      {"v_cvt_f32_fp8 v4, v0", OF(bitsOf(fp8(i.a, false))), As::f32, ocp},
      {"v_cvt_f32_bf8 v4, v0", OF(bitsOf(bf8(i.a, true))), As::f32, gfx942},
      {"v_cvt_f32_bf8 v4, v0", OF(bitsOf(bf8(i.a, false))), As::f32, ocp},
      {"v_cvt_f32_fp8_sdwa v4, v0 src0_sel:BYTE_2", OF(bitsOf(fp8(i.a >> 16, true))), As::f32,
       gfx942},
      {"v_cvt_f32_bf8_sdwa v4, v0 src0_sel:BYTE_3", OF(bitsOf(bf8(i.a >> 24, false))), As::f32,
       gfx950},
      {"v_cvt_f32_fp8 v4, v0 byte_sel:2", OF(bitsOf(fp8(i.a >> 16, false))), As::f32, gfx12},
      {"v_cvt_pk_f32_fp8 v[4:5], v0",
       OF(bitsOf(fp8(i.a, true)) | bitsOf(fp8(i.a >> 8, true)) << 32), As::pairF32, gfx942},
      {"v_cvt_pk_f32_bf8 v[4:5], v0",
       OF(bitsOf(bf8(i.a, false)) | bitsOf(bf8(i.a >> 8, false)) << 32), As::pairF32, ocp},
      {"v_cvt_pk_fp8_f32 v4, v0, v1",
       OF(floatToFloat8(i.fa(), 4, true, false) | uint32_t(floatToFloat8(i.fb(), 4, true, false))
                                                      << 8),
       As::bits, gfx942},
      {"v_cvt_pk_fp8_f32 v4, v0, v1",
       OF(floatToFloat8(i.fa(), 4, false, false) | uint32_t(floatToFloat8(i.fb(), 4, false, false))
                                                       << 8),
       As::bits, ocp},
      {"v_cvt_pk_fp8_f32 v4, v0, v1 op_sel:[0,0,1]",
       OF((floatToFloat8(i.fa(), 4, true, false) | uint32_t(floatToFloat8(i.fb(), 4, true, false))
                                                       << 8)
          << 16),
       As::bits, gfx942},
      {"v_cvt_pk_bf8_f32 v4, v0, v1",
       OF(floatToFloat8(i.fa(), 5, false, false) | uint32_t(floatToFloat8(i.fb(), 5, false, false))
                                                       << 8),
       As::bits, ocp},
      {"v_cvt_sr_fp8_f32 v4, v0, v1", OF(floatToFloat8Stochastic(i.fa(), i.b, 4, true, false)),
       As::bits, gfx942},
      {"v_cvt_sr_fp8_f32 v4, v0, v1", OF(floatToFloat8Stochastic(i.fa(), i.b, 4, false, false)),
       As::bits, ocp},
      {"v_cvt_sr_bf8_f32 v4, v0, v1", OF(floatToFloat8Stochastic(i.fa(), i.b, 5, false, false)),
       As::bits, ocp},
      {"v_mov_b32 v4, v3\nv_cvt_sr_fp8_f32 v4, v0, v1 byte_sel:2",
       OF((i.d & 0xff00ffff) | floatToFloat8Stochastic(i.fa(), i.b, 4, false, false) << 16),
       As::bits, gfx12},
      {"v_mov_b32 v4, v3\nv_cvt_sr_bf8_f32 v4, v0, v1 byte_sel:3",
       OF((i.d & 0xffffff) | uint32_t(floatToFloat8Stochastic(i.fa(), i.b, 5, false, false)) << 24),
       As::bits, gfx12},
      {"v_mov_b32 v4, v3\nv_cvt_sr_fp8_f32 v4, v0, v1 op_sel:[0,0,0,1]",
       OF((i.d & 0xff00ffff) | floatToFloat8Stochastic(i.fa(), i.b, 4, true, false) << 16),
       As::bits, gfx942},
  };
  return list;
}

} // namespace tilerun::amdsim::tests
