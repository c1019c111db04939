// Instructions on two halves or two registers at once, dot products, and tables of bits.
#include "tests/emulators/amdgpu/Cases.h"

#include <algorithm>
#include <cmath>

namespace tilerun::amdsim::tests {

namespace {

double low(uint32_t bits) { return half(bits); }
double high(uint32_t bits) { return half(bits >> 16); }
float bf(uint32_t bits) { return bfloatToFloat(uint16_t(bits)); }
template <class T> T leastOrNan(T a, T b) { return a != a ? a : b != b ? b : least(a, b); }
template <class T> T mostOrNan(T a, T b) { return a != a ? a : b != b ? b : most(a, b); }
// A function of halves, or of 16-bit integers, on both parts.
template <class F> uint64_t both(uint32_t a, uint32_t b, F f) {
  return toHalf(f(low(a), low(b))) | toHalf(f(high(a), high(b))) << 16;
}
template <class T, class F> uint64_t bothOf(uint32_t a, uint32_t b, F f) {
  return uint16_t(f(T(a), T(b))) | uint32_t(uint16_t(f(T(a >> 16), T(b >> 16)))) << 16;
}
int32_t part(uint32_t bits, unsigned shift, unsigned width, bool isSigned) {
  uint32_t top = bits << (32 - width - shift);
  return isSigned ? int32_t(top) >> (32 - width) : int32_t(top >> (32 - width));
}
uint64_t dot(const In &i, unsigned width, bool aIsSigned, bool bIsSigned) {
  uint32_t sum = i.c;
  for (unsigned shift = 0; shift < 32; shift += width)
    sum += uint32_t(part(i.a, shift, width, aIsSigned)) * part(i.b, shift, width, bIsSigned);
  return sum;
}

constexpr Where older = Where(gfx9 | gfx11);

} // namespace

const std::vector<Case> &packedCases() {
  static const std::vector<Case> list = {
      {"v_pk_mul_f16 v4, v0, v1", OF(both(i.a, i.b, [](double a, double b) { return a * b; })),
       As::pairF16},
      {"v_mov_b32 v4, v2\nv_pk_fmac_f16 v4, v0, v1",
       OF(toHalf(std::fma(low(i.a), low(i.b), low(i.c))) |
          toHalf(std::fma(high(i.a), high(i.b), high(i.c))) << 16),
       As::pairF16},
      {"v_pk_min_f16 v4, v0, v1", OF(both(i.a, i.b, least<double>)), As::pairF16, older},
      {"v_pk_max_f16 v4, v0, v1", OF(both(i.a, i.b, most<double>)), As::pairF16, older},
      {"v_pk_min_num_f16 v4, v0, v1", OF(both(i.a, i.b, least<double>)), As::pairF16, gfx12},
      {"v_pk_minimum_f16 v4, v0, v1", OF(both(i.a, i.b, leastOrNan<double>)), As::pairF16, gfx12},
      {"v_pk_maximum_f16 v4, v0, v1", OF(both(i.a, i.b, mostOrNan<double>)), As::pairF16, gfx12},
      {"v_pk_minimum3_f16 v4, v0, v1, v2",
       OF(toHalf(leastOrNan(leastOrNan(low(i.a), low(i.b)), low(i.c))) |
          toHalf(leastOrNan(leastOrNan(high(i.a), high(i.b)), high(i.c))) << 16),
       As::pairF16, gfx950},
      {"v_pk_maximum3_f16 v4, v0, v1, v2",
       OF(toHalf(mostOrNan(mostOrNan(low(i.a), low(i.b)), low(i.c))) |
          toHalf(mostOrNan(mostOrNan(high(i.a), high(i.b)), high(i.c))) << 16),
       As::pairF16, gfx950},
      {"v_pk_add_f32 v[4:5], v[0:1], v[2:3]",
       OF(bitsOf(i.fa() + i.fc()) | bitsOf(i.fb() + std::bit_cast<float>(i.d)) << 32), As::pairF32,
       gfx9},
      {"v_pk_fma_f32 v[4:5], v[0:1], v[2:3], v[0:1] neg_lo:[0,0,1]",
       OF(bitsOf(std::fma(i.fa(), i.fc(), -i.fa())) |
          bitsOf(std::fma(i.fb(), std::bit_cast<float>(i.d), i.fb())) << 32),
       As::pairF32, gfx9},
      {"v_pk_mov_b32 v[4:5], v[0:1], v[2:3] op_sel:[1,0]", OF(i.b | uint64_t(i.c) << 32), As::bits,
       gfx9},
      {"v_pk_sub_u16 v4, v0, v1",
       OF(bothOf<uint16_t>(i.a, i.b, [](int a, int b) { return a - b; }))},
      {"v_pk_add_u16 v4, v0, v1 clamp",
       OF(bothOf<uint16_t>(i.a, i.b, [](int a, int b) { return std::min(a + b, 65535); }))},
      {"v_pk_sub_u16 v4, v0, v1 clamp",
       OF(bothOf<uint16_t>(i.a, i.b, [](int a, int b) { return std::max(a - b, 0); }))},
      {"v_pk_add_i16 v4, v0, v1 clamp",
       OF(bothOf<int16_t>(i.a, i.b,
                          [](int a, int b) { return std::clamp(a + b, -32768, 32767); }))},
      {"v_pk_sub_i16 v4, v0, v1 clamp",
       OF(bothOf<int16_t>(i.a, i.b,
                          [](int a, int b) { return std::clamp(a - b, -32768, 32767); }))},
      {"v_pk_mul_lo_u16 v4, v0, v1",
       OF(bothOf<uint16_t>(i.a, i.b, [](uint32_t a, uint32_t b) { return a * b; }))},
      {"v_pk_mad_u16 v4, v0, v1, v2",
       OF(uint16_t(i.a * i.b + i.c) | uint32_t(uint16_t((i.a >> 16) * (i.b >> 16) + (i.c >> 16)))
                                          << 16)},
      {"v_pk_min_u16 v4, v0, v1",
       OF(bothOf<uint16_t>(i.a, i.b, [](int a, int b) { return std::min(a, b); }))},
      {"v_pk_max_u16 v4, v0, v1",
       OF(bothOf<uint16_t>(i.a, i.b, [](int a, int b) { return std::max(a, b); }))},
      {"v_pk_min_i16 v4, v0, v1",
       OF(bothOf<int16_t>(i.a, i.b, [](int a, int b) { return std::min(a, b); }))},
      {"v_pk_lshrrev_b16 v4, v1, v0",
       OF(bothOf<uint16_t>(i.a, i.b, [](int a, int b) { return a >> (b & 15); }))},
      {"v_pk_ashrrev_i16 v4, v1, v0",
       OF(bothOf<int16_t>(i.a, i.b, [](int a, int b) { return a >> (b & 15); }))},
      // Dot products
      {"v_mov_b32 v4, v2\nv_dot2c_f32_f16 v4, v0, v1",
       OF(bitsOf(float(low(i.a) * low(i.b) + high(i.a) * high(i.b) + double(i.fc())))), As::f32,
       gfx9},
      {"v_dot2_f32_bf16 v4, v0, v1, v2",
       OF(bitsOf(float(double(bf(i.a)) * bf(i.b) + double(bf(i.a >> 16)) * bf(i.b >> 16) +
                       double(i.fc())))),
       As::f32, Where(gfx950 | newer)},
      {"v_mov_b32 v4, v2\nv_dot2c_f32_bf16 v4, v0, v1",
       OF(bitsOf(float(double(bf(i.a)) * bf(i.b) + double(bf(i.a >> 16)) * bf(i.b >> 16) +
                       double(i.fc())))),
       As::f32, gfx950},
      {"v_dot2_i32_i16 v4, v0, v1, v2", OF(dot(i, 16, true, true)), As::bits, gfx9},
      {"v_dot2_u32_u16 v4, v0, v1, v2", OF(dot(i, 16, false, false)), As::bits, gfx9},
      {"v_dot4_i32_iu8 v4, v0, v1, v2 neg_lo:[1,0,0]", OF(dot(i, 8, true, false)), As::bits, newer},
      {"v_dot4_i32_iu8 v4, v0, v1, v2 neg_lo:[1,1,0]", OF(dot(i, 8, true, true)), As::bits, newer},
      {"v_dot8_i32_iu4 v4, v0, v1, v2 neg_lo:[0,1,0]", OF(dot(i, 4, false, true)), As::bits, newer},
      // Bits by a table: a & b | ~a & c.
      {"v_bitop3_b32 v4, v0, v1, v2 bitop3:0xca", OF(uint32_t((i.a & i.b) | (~i.a & i.c))),
       As::bits, gfx950},
      {"v_bitop3_b16 v4, v0, v1, v2 bitop3:0xca", OF(uint16_t((i.a & i.b) | (~i.a & i.c))),
       As::bits, gfx950},
      // Mixed precision
      {"v_mov_b32 v4, v3\nv_fma_mixlo_f16 v4, v0, v1, v2 op_sel_hi:[1,0,0]",
       OF(floatToHalf(std::fma(half(i.a), i.fb(), i.fc())) | (i.d & 0xffff0000)), As::pairF16},
      {"v_mov_b32 v4, v3\nv_fma_mixhi_f16 v4, v0, -v1, v2 op_sel:[1,0,0] op_sel_hi:[1,0,0]",
       OF((i.d & 0xffff) | uint32_t(floatToHalf(std::fma(half(i.a >> 16), -i.fb(), i.fc()))) << 16),
       As::pairF16},
  };
  return list;
}

} // namespace tilerun::amdsim::tests
