// Single instructions on edge values and random ones, against functions written here for one lane.
// Each case is a kernel around the instruction; all kernels of an architecture are one code object.
#include "tests/emulators/amdgpu/TestKernels.h"

#include "emulators/amdgpu/Floats.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

// Four words of a lane: v0 to v3 before the instruction.
struct In {
  uint32_t a, b, c, d;
  unsigned lane = 0;
  const In *wave = nullptr; // all lanes
  float fa() const { return std::bit_cast<float>(a); }
  float fb() const { return std::bit_cast<float>(b); }
  float fc() const { return std::bit_cast<float>(c); }
  double dab() const { return std::bit_cast<double>(a | uint64_t(b) << 32); }
  double dcd() const { return std::bit_cast<double>(c | uint64_t(d) << 32); }
  uint64_t ab() const { return a | uint64_t(b) << 32; }
  uint64_t cd() const { return c | uint64_t(d) << 32; }
};
using Function = std::function<uint64_t(const In &)>; // v[4:5] afterwards

uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }
// What the transcendental units see of a subnormal.
double flush(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0, double(value)) : double(value);
}
// minNum and maxNum, with -0 below +0.
template <class T> T least(T a, T b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
template <class T> T most(T a, T b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }
float half(uint32_t bits) { return halfToFloat(uint16_t(bits)); }
uint64_t toHalf(double value) { return doubleToHalf(value); }

enum class As {
  bits,
  f32,
  pairF32,
  f64,
  f16,
  pairF16,
  nearF32
}; // how results are compared: NaNs are equal to each other
enum Where : unsigned { gfx9 = 1, gfx11 = 2, gfx12 = 4, newer = 6, everywhere = 7, gfx942 = 8 };

struct Case {
  const char *text;
  Function expected;
  As as = As::bits;
  Where where = everywhere;
};

const std::vector<Case> &cases() {
  static const std::vector<Case> list = {
      // Bits
      {"v_and_b32 v4, v0, v1", [](const In &i) { return i.a & i.b; }},
      {"v_or3_b32 v4, v0, v1, v2", [](const In &i) { return i.a | i.b | i.c; }},
      {"v_and_or_b32 v4, v0, v1, v2", [](const In &i) { return (i.a & i.b) | i.c; }},
      {"v_not_b32 v4, v0", [](const In &i) { return uint32_t(~i.a); }},
      {"v_xnor_b32 v4, v0, v1", [](const In &i) { return uint32_t(~(i.a ^ i.b)); }},
      {"v_lshlrev_b32 v4, v1, v0", [](const In &i) { return i.a << (i.b % 32); }},
      {"v_lshrrev_b32 v4, v1, v0", [](const In &i) { return i.a >> (i.b % 32); }},
      {"v_ashrrev_i32 v4, v1, v0", [](const In &i) { return uint32_t(int32_t(i.a) >> (i.b % 32)); }},
      {"v_lshlrev_b64 v[4:5], v2, v[0:1]", [](const In &i) { return i.ab() << (i.c % 64); }},
      {"v_lshrrev_b64 v[4:5], v2, v[0:1]", [](const In &i) { return i.ab() >> (i.c % 64); }},
      {"v_ashrrev_i64 v[4:5], v2, v[0:1]", [](const In &i) { return uint64_t(int64_t(i.ab()) >> (i.c % 64)); }},
      {"v_bfe_u32 v4, v0, 5, 9", [](const In &i) { return i.a >> 5 & 511; }},
      {"v_bfe_i32 v4, v0, 4, 8", [](const In &i) { return uint32_t(int32_t(int8_t(i.a >> 4))); }},
      {"v_bfi_b32 v4, v0, v1, v2", [](const In &i) { return (i.a & i.b) | (~i.a & i.c); }},
      {"v_bfrev_b32 v4, v0", [](const In &i) {
         uint32_t r = 0;
         for (int n = 0; n < 32; ++n)
           r |= (i.a >> n & 1) << (31 - n);
         return r;
       }},
      {"v_ffbh_u32 v4, v0", [](const In &i) { return i.a ? uint32_t(__builtin_clz(i.a)) : ~0u; }, As::bits, gfx9},
      {"v_clz_i32_u32 v4, v0", [](const In &i) { return i.a ? uint32_t(__builtin_clz(i.a)) : ~0u; }, As::bits, newer},
      {"v_ffbl_b32 v4, v0", [](const In &i) { return i.a ? uint32_t(__builtin_ctz(i.a)) : ~0u; }, As::bits, gfx9},
      {"v_bcnt_u32_b32 v4, v0, v1", [](const In &i) { return uint32_t(__builtin_popcount(i.a)) + i.b; }},
      {"v_alignbit_b32 v4, v0, v1, 7", [](const In &i) { return i.b >> 7 | i.a << 25; }},
      {"v_alignbyte_b32 v4, v0, v1, 3", [](const In &i) { return i.b >> 24 | i.a << 8; }},
      {"v_mov_b32 v5, 0x0c070104\nv_perm_b32 v4, v0, v1, v5\nv_mov_b32 v5, 0", [](const In &i) {
         return (i.a & 255) | (i.b >> 8 & 255) << 8 | i.a >> 24 << 16;
       }},
      {"v_lshl_add_u32 v4, v0, 3, v1", [](const In &i) { return (i.a << 3) + i.b; }},
      {"v_add_lshl_u32 v4, v0, v1, 3", [](const In &i) { return (i.a + i.b) << 3; }},
      {"v_lshl_or_b32 v4, v0, 3, v1", [](const In &i) { return i.a << 3 | i.b; }},
      {"v_xad_u32 v4, v0, v1, v2", [](const In &i) { return (i.a ^ i.b) + i.c; }},
      {"v_add3_u32 v4, v0, v1, v2", [](const In &i) { return i.a + i.b + i.c; }},
      // Integers
      {"v_add_u32 v4, v0, v1", [](const In &i) { return i.a + i.b; }, As::bits, gfx9},
      {"v_add_nc_u32 v4, v0, v1", [](const In &i) { return i.a + i.b; }, As::bits, newer},
      {"v_sub_u32 v4, v0, v1", [](const In &i) { return i.a - i.b; }, As::bits, gfx9},
      {"v_subrev_u32 v4, v0, v1", [](const In &i) { return i.b - i.a; }, As::bits, gfx9},
      {"v_add_u32 v4, v0, v1 clamp", [](const In &i) { return std::min<uint64_t>(uint64_t(i.a) + i.b, ~0u); }, As::bits, gfx9},
      {"v_sub_u32 v4, v0, v1 clamp", [](const In &i) { return i.a < i.b ? 0 : i.a - i.b; }, As::bits, gfx9},
      {"v_mul_lo_u32 v4, v0, v1", [](const In &i) { return i.a * i.b; }},
      {"v_mul_hi_u32 v4, v0, v1", [](const In &i) { return uint64_t(i.a) * i.b >> 32; }},
      {"v_mul_hi_i32 v4, v0, v1", [](const In &i) { return uint32_t(int64_t(int32_t(i.a)) * int32_t(i.b) >> 32); }},
      {"v_mul_u32_u24 v4, v0, v1", [](const In &i) { return (i.a & 0xffffff) * (i.b & 0xffffff); }},
      {"v_mad_u32_u24 v4, v0, v1, v2", [](const In &i) { return (i.a & 0xffffff) * (i.b & 0xffffff) + i.c; }},
      {"v_min_u32 v4, v0, v1", [](const In &i) { return std::min(i.a, i.b); }},
      {"v_max_i32 v4, v0, v1", [](const In &i) { return uint32_t(std::max(int32_t(i.a), int32_t(i.b))); }},
      {"v_med3_i32 v4, v0, v1, v2", [](const In &i) {
         int32_t v[3] = {int32_t(i.a), int32_t(i.b), int32_t(i.c)};
         std::sort(v, v + 3);
         return uint32_t(v[1]);
       }},
      {"v_add_co_u32 v4, vcc, v0, v2\nv_addc_co_u32 v5, vcc, v1, v3, vcc", [](const In &i) { return i.ab() + i.cd(); }, As::bits, gfx9},
      {"v_sub_co_u32 v4, vcc, v0, v2\nv_subb_co_u32 v5, vcc, v1, v3, vcc", [](const In &i) { return i.ab() - i.cd(); }, As::bits, gfx9},
      {"v_add_co_u32 v4, vcc_lo, v0, v2\nv_add_co_ci_u32 v5, vcc_lo, v1, v3, vcc_lo", [](const In &i) { return i.ab() + i.cd(); }, As::bits, newer},
      {"v_sub_co_u32 v4, vcc_lo, v0, v2\nv_sub_co_ci_u32 v5, vcc_lo, v1, v3, vcc_lo", [](const In &i) { return i.ab() - i.cd(); }, As::bits, newer},
      {"v_mad_u64_u32 v[4:5], s[8:9], v0, v1, v[2:3]", [](const In &i) { return uint64_t(i.a) * i.b + i.cd(); }, As::bits, gfx9},
      {"v_lshl_add_u64 v[4:5], v[0:1], 3, v[2:3]", [](const In &i) { return (i.ab() << 3) + i.cd(); }, As::bits, gfx942},
      {"v_cvt_pk_i16_i32 v4, v0, v1", [](const In &i) {
         auto limit = [](uint32_t v) { return uint16_t(std::clamp(int32_t(v), -32768, 32767)); };
         return limit(i.a) | uint32_t(limit(i.b)) << 16;
       }},
      // Single precision
      {"v_add_f32 v4, v0, v1", [](const In &i) { return bitsOf(i.fa() + i.fb()); }, As::f32},
      {"v_sub_f32 v4, v0, v1", [](const In &i) { return bitsOf(i.fa() - i.fb()); }, As::f32},
      {"v_mul_f32 v4, v0, v1", [](const In &i) { return bitsOf(i.fa() * i.fb()); }, As::f32},
      {"v_add_f32 v4, -v0, |v1|", [](const In &i) { return bitsOf(std::fabs(i.fb()) - i.fa()); }, As::f32},
      {"v_mul_f32 v4, v0, v1 clamp", [](const In &i) {
         float v = i.fa() * i.fb();
         return bitsOf(v != v ? 0.0f : std::fmin(std::fmax(v, 0.0f), 1.0f) + 0.0f);
       }, As::f32},
      {"v_mul_f32 v4, v0, 2.0", [](const In &i) { return bitsOf(i.fa() * 2); }, As::f32},
      {"v_fma_f32 v4, v0, v1, v2", [](const In &i) { return bitsOf(std::fma(i.fa(), i.fb(), i.fc())); }, As::f32},
      {"v_mov_b32 v4, v2\nv_fmac_f32 v4, v0, v1", [](const In &i) { return bitsOf(std::fma(i.fa(), i.fb(), i.fc())); }, As::f32},
      {"v_fma_f32 v4, -v0, v1, 1.0", [](const In &i) { return bitsOf(std::fma(-i.fa(), i.fb(), 1.0f)); }, As::f32},
      {"v_min_f32 v4, v0, v1", [](const In &i) { return bitsOf(least(i.fa(), i.fb())); }, As::f32, Where(gfx9 | gfx11)},
      {"v_max_f32 v4, v0, v1", [](const In &i) { return bitsOf(most(i.fa(), i.fb())); }, As::f32, Where(gfx9 | gfx11)},
      {"v_floor_f32 v4, v0", [](const In &i) { return bitsOf(std::floor(i.fa())); }, As::f32},
      {"v_ceil_f32 v4, v0", [](const In &i) { return bitsOf(std::ceil(i.fa())); }, As::f32},
      {"v_trunc_f32 v4, v0", [](const In &i) { return bitsOf(std::trunc(i.fa())); }, As::f32},
      {"v_rndne_f32 v4, v0", [](const In &i) { return bitsOf(std::nearbyint(i.fa())); }, As::f32},
      {"v_ldexp_f32 v4, v0, v1", [](const In &i) { return bitsOf(std::ldexp(i.fa(), std::clamp(int32_t(i.b), -1000, 1000))); }, As::f32},
      {"v_frexp_mant_f32 v4, v0", [](const In &i) { int e; return bitsOf(std::isfinite(i.fa()) ? std::frexp(i.fa(), &e) : i.fa()); }, As::f32},
      {"v_frexp_exp_i32_f32 v4, v0", [](const In &i) { int e = 0; if (std::isfinite(i.fa())) std::frexp(i.fa(), &e); return uint32_t(e); }},
      {"v_cvt_f32_i32 v4, v0", [](const In &i) { return bitsOf(float(int32_t(i.a))); }, As::f32},
      {"v_cvt_f32_u32 v4, v0", [](const In &i) { return bitsOf(float(i.a)); }, As::f32},
      {"v_cvt_f32_ubyte2 v4, v0", [](const In &i) { return bitsOf(float(i.a >> 16 & 255)); }, As::f32},
      {"v_cvt_i32_f32 v4, v0", [](const In &i) { double v = i.fa(); return uint32_t(v != v ? 0 : int64_t(std::clamp(v, -2147483648.0, 2147483647.0))); }},
      {"v_cvt_u32_f32 v4, v0", [](const In &i) { double v = i.fa(); return uint32_t(v != v ? 0 : int64_t(std::clamp(v, 0.0, 4294967295.0))); }},
      {"v_exp_f32 v4, v0", [](const In &i) { return bitsOf(float(std::exp2(flush(i.fa())))); }, As::nearF32},
      {"v_log_f32 v4, v0", [](const In &i) { return bitsOf(float(std::log2(flush(i.fa())))); }, As::nearF32},
      {"v_rcp_f32 v4, v0", [](const In &i) { return bitsOf(float(1 / flush(i.fa()))); }, As::nearF32},
      {"v_rsq_f32 v4, v0", [](const In &i) { return bitsOf(float(1 / std::sqrt(flush(i.fa())))); }, As::nearF32},
      {"v_sqrt_f32 v4, v0", [](const In &i) { return bitsOf(float(std::sqrt(flush(i.fa())))); }, As::nearF32},
      // Comparisons
      {"v_cmp_lt_f32 vcc, v0, v1\nv_cndmask_b32 v4, v2, v3, vcc", [](const In &i) { return i.fa() < i.fb() ? i.d : i.c; }, As::bits, gfx9},
      {"v_cmp_nge_f32 vcc, v0, v1\nv_cndmask_b32 v4, v2, v3, vcc", [](const In &i) { return !(i.fa() >= i.fb()) ? i.d : i.c; }, As::bits, gfx9},
      {"v_cmp_u_f32 s[8:9], v0, v1\nv_cndmask_b32 v4, v2, v3, s[8:9]", [](const In &i) { return std::isunordered(i.fa(), i.fb()) ? i.d : i.c; }, As::bits, gfx9},
      {"v_cmp_gt_i64 vcc, v[0:1], v[2:3]\nv_cndmask_b32 v4, v2, v3, vcc", [](const In &i) { return int64_t(i.ab()) > int64_t(i.cd()) ? i.d : i.c; }, As::bits, gfx9},
      {"v_cmp_le_u32 vcc_lo, v0, v1\nv_cndmask_b32 v4, v2, v3, vcc_lo", [](const In &i) { return i.a <= i.b ? i.d : i.c; }, As::bits, newer},
      {"v_cmp_class_f32 vcc, v0, 3\nv_cndmask_b32 v4, 0, 1, vcc", [](const In &i) { return uint32_t(i.fa() != i.fa()); }, As::bits, gfx9},
      {"v_mov_b32 v5, 0x90\nv_cmp_class_f32 vcc, v0, v5\nv_cndmask_b32 v4, 0, 1, vcc\nv_mov_b32 v5, 0", [](const In &i) { return uint32_t(std::fpclassify(i.fa()) == FP_SUBNORMAL); }, As::bits, gfx9},
      // Double precision
      {"v_add_f64 v[4:5], v[0:1], v[2:3]", [](const In &i) { return bitsOf(i.dab() + i.dcd()); }, As::f64},
      {"v_mul_f64 v[4:5], v[0:1], -v[2:3]", [](const In &i) { return bitsOf(i.dab() * -i.dcd()); }, As::f64},
      {"v_fma_f64 v[4:5], v[0:1], v[2:3], 1.0", [](const In &i) { return bitsOf(std::fma(i.dab(), i.dcd(), 1.0)); }, As::f64},
      {"v_max_f64 v[4:5], v[0:1], v[2:3]", [](const In &i) { return bitsOf(most(i.dab(), i.dcd())); }, As::f64, Where(gfx9 | gfx11)},
      {"v_cvt_f64_f32 v[4:5], v0", [](const In &i) { return bitsOf(double(i.fa())); }, As::f64},
      {"v_cvt_f32_f64 v4, v[0:1]", [](const In &i) { return bitsOf(float(i.dab())); }, As::f32},
      {"v_cvt_f64_u32 v[4:5], v0", [](const In &i) { return bitsOf(double(i.a)); }, As::f64},
      // Half precision
      {"v_add_f16 v4, v0, v1", [](const In &i) { return toHalf(double(half(i.a)) + half(i.b)); }, As::f16},
      {"v_mul_f16 v4, v0, v1", [](const In &i) { return toHalf(double(half(i.a)) * half(i.b)); }, As::f16},
      {"v_fma_f16 v4, v0, v1, v2", [](const In &i) { return toHalf(std::fma(double(half(i.a)), half(i.b), half(i.c))); }, As::f16},
      {"v_cvt_f32_f16 v4, v0", [](const In &i) { return bitsOf(half(i.a)); }, As::f32},
      {"v_cvt_f16_f32 v4, v0", [](const In &i) { return uint64_t(floatToHalf(i.fa())); }, As::f16},
      {"v_cvt_pkrtz_f16_f32 v4, v0, v1", [](const In &i) { return floatToHalfTowardZero(i.fa()) | uint32_t(floatToHalfTowardZero(i.fb())) << 16; }, As::pairF16, gfx9},
      {"v_cvt_f16_u16 v4, v0", [](const In &i) { return uint64_t(floatToHalf(float(i.a & 0xffff))); }, As::f16},
      {"v_cvt_i16_f16 v4, v0", [](const In &i) { float v = half(i.a); return uint64_t(uint16_t(v != v ? 0 : int(std::clamp(v, -32768.0f, 32767.0f)))); }},
      {"v_pk_add_f16 v4, v0, v1", [](const In &i) { return toHalf(double(half(i.a)) + half(i.b)) | toHalf(double(half(i.a >> 16)) + half(i.b >> 16)) << 16; }, As::pairF16},
      {"v_pk_fma_f16 v4, v0, v1, v2 op_sel_hi:[0,1,1] neg_lo:[1,0,0]", [](const In &i) {
         return toHalf(std::fma(-double(half(i.a)), half(i.b), half(i.c))) | toHalf(std::fma(double(half(i.a)), half(i.b >> 16), half(i.c >> 16))) << 16;
       }, As::pairF16},
      {"v_pk_mul_f32 v[4:5], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]", [](const In &i) {
         return bitsOf(std::bit_cast<float>(i.b) * std::bit_cast<float>(i.c)) | bitsOf(i.fa() * std::bit_cast<float>(i.d)) << 32;
       }, As::pairF32, gfx9},
      {"v_pk_add_u16 v4, v0, v1", [](const In &i) { return uint16_t(i.a + i.b) | uint32_t(uint16_t((i.a >> 16) + (i.b >> 16))) << 16; }},
      {"v_pk_lshlrev_b16 v4, 3, v0 op_sel_hi:[0,1]", [](const In &i) { return (i.a << 3 & 0xfff8) | (i.a >> 16 << 3 & 0xfff8) << 16; }},
      {"v_pk_max_i16 v4, v0, v1", [](const In &i) { return uint16_t(std::max(int16_t(i.a), int16_t(i.b))) | uint32_t(uint16_t(std::max(int16_t(i.a >> 16), int16_t(i.b >> 16)))) << 16; }},
      {"v_fma_mix_f32 v4, v0, v1, v2 op_sel:[1,0,0] op_sel_hi:[1,1,0]", [](const In &i) { return bitsOf(std::fma(half(i.a >> 16), half(i.b), i.fc())); }, As::f32},
      {"v_pack_b32_f16 v4, v0, v1 op_sel:[1,0,0]", [](const In &i) { return i.a >> 16 | i.b << 16; }},
      {"v_mad_u16 v4, v0, v1, v2", [](const In &i) { return uint64_t(uint16_t(i.a * i.b + i.c)); }, As::bits},
      {"v_dot2_f32_f16 v4, v0, v1, v2", [](const In &i) { return bitsOf(float(double(half(i.a)) * half(i.b) + double(half(i.a >> 16)) * half(i.b >> 16) + double(i.fc()))); }, As::f32, gfx9},
      {"v_dot4_i32_i8 v4, v0, v1, v2", [](const In &i) {
         uint32_t sum = i.c;
         for (int n = 0; n < 4; ++n)
           sum += uint32_t(int8_t(i.a >> 8 * n) * int8_t(i.b >> 8 * n));
         return sum;
       }, As::bits, gfx9},
      // SDWA and DPP
      {"v_add_u32_sdwa v4, v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1", [](const In &i) { return (i.a >> 8 & 255) + (i.b >> 16); }, As::bits, gfx9},
      {"v_mov_b32 v4, v2\nv_mov_b32_sdwa v4, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0", [](const In &i) { return (i.c & 0xffff) | i.a << 16; }, As::bits, gfx9},
      {"v_mov_b32_dpp v4, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", [](const In &i) { return i.wave[i.lane ^ 3].a; }},
      {"v_add_u32_dpp v4, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", [](const In &i) { return (i.lane % 16 ? i.wave[i.lane - 1].a : 0) + i.b; }, As::bits, gfx9},
      {"v_mov_b32 v4, v1\nv_mov_b32_dpp v4, v0 row_shl:2 row_mask:0xa bank_mask:0x3", [](const In &i) {
         bool on = (0xa >> i.lane / 16 % 4 & 1) && (3 >> i.lane / 4 % 4 & 1) && i.lane % 16 < 14;
         return on ? i.wave[i.lane + 2].a : i.b;
       }},
      // Between lanes
      {"v_lshlrev_b32 v5, 2, v1\nds_bpermute_b32 v4, v5, v0\nWAIT_LDS\nv_mov_b32 v5, 0", [](const In &i) { return i.wave[i.b % 64].a; }, As::bits, gfx9},
      {"ds_swizzle_b32 v4, v0 offset:swizzle(SWAP,16)\nWAIT_LDS", [](const In &i) { return i.wave[i.lane ^ 16].a; }},
      {"v_mbcnt_lo_u32_b32 v4, -1, 0\nv_mbcnt_hi_u32_b32 v4, -1, v4", [](const In &i) { return i.lane; }, As::bits, gfx9},
      {"v_readlane_b32 s8, v0, 5\nv_mov_b32 v4, s8", [](const In &i) { return i.wave[5].a; }},
      {"v_readfirstlane_b32 s8, v0\nv_mov_b32 v4, v1\nv_writelane_b32 v4, s8, 9", [](const In &i) { return i.lane == 9 ? i.wave[0].a : i.b; }},
      {"s_mov_b32 s8, 0x76543210\ns_mov_b32 s9, 0xfedcba98\nv_permlanex16_b32 v4, v0, s8, s9", [](const In &i) { return i.wave[i.lane ^ 16].a; }, As::bits, newer},
      {"v_dual_mov_b32 v4, v0 :: v_dual_add_f32 v5, v1, v2", [](const In &i) { return i.a | bitsOf(i.fb() + i.fc()) << 32; }, As::pairF32, newer},
      // Scalars
      {"v_readlane_b32 s8, v0, 1\nv_readlane_b32 s9, v1, 1\ns_add_u32 s10, s8, s9\ns_addc_u32 s11, 0, 0\nv_mov_b32 v4, s10\nv_mov_b32 v5, s11", [](const In &i) { return uint64_t(i.wave[1].a) + i.wave[1].b; }},
      {"v_readlane_b32 s8, v0, 2\nv_readlane_b32 s9, v1, 2\ns_mul_hi_i32 s10, s8, s9\nv_mov_b32 v4, s10", [](const In &i) { return uint32_t(int64_t(int32_t(i.wave[2].a)) * int32_t(i.wave[2].b) >> 32); }},
      {"v_readlane_b32 s8, v0, 3\nv_readlane_b32 s9, v1, 3\ns_bfe_u64 s[10:11], s[8:9], 0x20010\nv_mov_b32 v4, s10", [](const In &i) { return i.wave[3].ab() >> 16 & 3; }},
      {"v_readlane_b32 s8, v0, 3\ns_bfe_i32 s10, s8, 0x70003\nv_mov_b32 v4, s10", [](const In &i) { return uint32_t(int32_t(i.wave[3].a << 22) >> 25); }},
      {"v_readlane_b32 s8, v0, 4\nv_readlane_b32 s9, v1, 4\ns_cmp_lt_i32 s8, s9\ns_cselect_b32 s10, s8, s9\nv_mov_b32 v4, s10", [](const In &i) { return uint32_t(std::min(int32_t(i.wave[4].a), int32_t(i.wave[4].b))); }},
      {"v_readlane_b32 s8, v0, 6\nv_readlane_b32 s9, v1, 6\ns_lshl_b64 s[10:11], s[8:9], 13\nv_mov_b32 v4, s10\nv_mov_b32 v5, s11", [](const In &i) { return i.wave[6].ab() << 13; }},
      {"v_readlane_b32 s8, v0, 6\nv_readlane_b32 s9, v1, 6\ns_bcnt1_i32_b64 s10, s[8:9]\ns_flbit_i32_b64 s11, s[8:9]\nv_mov_b32 v4, s10\nv_mov_b32 v5, s11", [](const In &i) {
         uint64_t v = i.wave[6].ab();
         return uint64_t(__builtin_popcountll(v)) | uint64_t(v ? uint32_t(__builtin_clzll(v)) : ~0u) << 32;
       }, As::bits, gfx9},
  };
  return list;
}

std::vector<In> inputs() {
  const uint32_t edges[] = {0,          1,          2,          0x7fffffff, 0x80000000,
                            0xffffffff, 0x3f800000, 0xbf800000, 0x40490fdb, 0x00000001 | 0x80000000,
                            0x00800000, 0x007fffff, 0x7f7fffff, 0x7f800000, 0xff800000,
                            0x7fc00000, 0x3c003c00, 0x7c00fc00, 0x00010400, 0x7bff8001,
                            0x4b000001, 0x3f000000, 0x3fc00000, 0x40200000, 0x477fe000,
                            0x477ff000};
  constexpr unsigned count = 1024;
  std::vector<In> list(count);
  std::mt19937 random(1234);
  auto value = [&](unsigned n) {
    return n % 3 == 0   ? edges[random() % std::size(edges)]
           : n % 3 == 1 ? std::bit_cast<uint32_t>(std::ldexp(
                              float(int(random() % 4001) - 2000) / 1000, int(random() % 40) - 20))
                        : uint32_t(random());
  };
  for (unsigned n = 0; n < count; ++n)
    list[n] = {value(random()), value(random()), value(random()), value(random())};
  return list;
}

bool agree(As as, uint64_t got, uint64_t want) {
  auto single = [](uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); };
  auto halvesAgree = [](uint64_t x, uint64_t y) {
    float a = half(uint32_t(x)), b = half(uint32_t(y));
    return (x & 0xffff) == (y & 0xffff) || (a != a && b != b);
  };
  auto bothNan = [&](uint64_t x, uint64_t y) {
    return single(x) != single(x) && single(y) != single(y);
  };
  if (got == want)
    return true;
  switch (as) {
  case As::bits:
    return false;
  case As::f32:
    return got >> 32 == want >> 32 && bothNan(got, want);
  case As::pairF32:
    return (uint32_t(got) == uint32_t(want) || bothNan(got, want)) &&
           (got >> 32 == want >> 32 || bothNan(got >> 32, want >> 32));
  case As::f64:
    return std::bit_cast<double>(got) != std::bit_cast<double>(got) &&
           std::bit_cast<double>(want) != std::bit_cast<double>(want);
  case As::f16:
    return halvesAgree(got, want);
  case As::pairF16:
    return halvesAgree(got, want) && halvesAgree(got >> 16, want >> 16);
  case As::nearF32: {
    float a = single(got), b = single(want);
    if (a != a || b != b)
      return a != a && b != b;
    return std::fabs(b) < 1.2e-38f ? a == 0 && std::signbit(a) == std::signbit(b)
                                   : std::fabs(a - b) <= std::fabs(b) * 2.4e-7f;
  }
  }
  return false;
}

class AmdsimInstructions : public testing::TestWithParam<std::pair<const char *, Where>> {};

TEST_P(AmdsimInstructions, AgreeWithScalarModel) {
  auto [cpu, where] = GetParam();
  std::vector<Source> kernels;
  std::vector<const Case *> used;
  for (const Case &c : cases()) {
    if (!(c.where & where))
      continue;
    std::string text = c.text;
    if (size_t at = text.find("WAIT_LDS"); at != std::string::npos)
      text.replace(at, 8, where == gfx12 ? "s_wait_dscnt 0" : "s_waitcnt lgkmcnt(0)");
    kernels.push_back(
        {.name = "k" + std::to_string(used.size()), .body = aroundInstruction(cpu, text)});
    used.push_back(&c);
  }
  Loaded loaded = load(cpu, assemble(cpu, kernels));
  ASSERT_TRUE(loaded.module);
  unsigned lanes = loaded.module->object().kernels()[0].lanes;
  std::vector<In> in = inputs();
  std::vector<uint32_t> words;
  for (In &i : in)
    words.insert(words.end(), {i.a, i.b, i.c, i.d});
  uint64_t x = upload(*loaded.device, words),
           y = upload(*loaded.device, std::vector<uint64_t>(in.size()));
  for (size_t k = 0; k < used.size(); ++k) {
    LaunchResult result =
        loaded.run(kernels[k].name, x, y, {.threads = {uint32_t(in.size()), 1, 1}});
    EXPECT_EQ(messages(result), "") << cpu << ": " << used[k]->text;
    std::vector<uint64_t> out = download<uint64_t>(y, in.size());
    unsigned wrong = 0;
    for (size_t at = 0; at < in.size() && wrong < 3; ++at) {
      In i = in[at];
      i.lane = unsigned(at % lanes), i.wave = &in[at / lanes * lanes];
      uint64_t want = used[k]->expected(i);
      if (agree(used[k]->as, out[at], want))
        continue;
      ++wrong;
      ADD_FAILURE() << std::hex << cpu << ": " << used[k]->text << "\n of " << i.a << " " << i.b
                    << " " << i.c << " " << i.d << " gives " << out[at] << ", should be " << want
                    << " (lane " << std::dec << i.lane << ")";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AmdsimInstructions,
                         testing::Values(std::pair{"gfx942", Where(gfx9 | gfx942)},
                                         std::pair{"gfx90a", gfx9}, std::pair{"gfx1100", gfx11},
                                         std::pair{"gfx1201", gfx12}),
                         [](const auto &info) { return std::string(info.param.first); });

} // namespace
} // namespace tilerun::amdsim::tests
