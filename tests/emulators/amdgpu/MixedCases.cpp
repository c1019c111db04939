// Cases that show modifiers, exchanges between lanes, and a little of everything.
#include "tests/emulators/amdgpu/Cases.h"

#include <algorithm>
#include <cmath>

namespace tilerun::amdsim::tests {

const std::vector<Case> &mixedCases() {
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
      {"v_cvt_pk_i16_f32 v4, v0, v1", [](const In &i) {
         auto limit = [](float v) { return uint16_t(v != v ? 0 : int(std::clamp(v, -32768.0f, 32767.0f))); };
         return limit(i.fa()) | uint32_t(limit(i.fb())) << 16;
       }, As::bits, newer},
      {"v_cvt_pk_u16_f32 v4, v0, v1", [](const In &i) {
         auto limit = [](float v) { return uint16_t(v != v ? 0 : int(std::clamp(v, 0.0f, 65535.0f))); };
         return limit(i.fa()) | uint32_t(limit(i.fb())) << 16;
       }, As::bits, newer},
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
      {"v_mov_b32 v4, v3\nv_mad_legacy_u16 v4, v0, v1, v2", [](const In &i) { return uint64_t(uint16_t(i.a * i.b + i.c)); }, As::bits, gfx9},
      {"v_mov_b32 v4, 7\ns_mov_b32 exec_lo, 0xfffffffe\nv_mov_b32_dpp v4, v0 dpp8:[1,0,3,2,5,4,7,6]\ns_mov_b32 exec_lo, -1", [](const In &i) { return i.lane == 0 ? 7 : i.lane == 1 ? 0 : i.wave[i.lane ^ 1].a; }, As::bits, newer},
      {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_mov_b32 v5, 0x90\nv_cmp_class_f32 vcc, v0, v5\nv_cndmask_b32 v4, 0, 1, vcc\nv_mov_b32 v5, 0", [](const In &i) { return uint32_t(std::fpclassify(i.fa()) == FP_SUBNORMAL); }, As::bits, gfx9},
      {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_pk_mov_b32 v[4:5], v[0:1], v[2:3] op_sel:[1,0]", [](const In &i) { return i.b | uint64_t(i.c) << 32; }, As::bits, gfx9},
      {"v_mov_b32 v16, 0\nv_mov_b32 v17, 0\nv_mfma_f64_16x16x4_f64 v[8:15], v[16:17], v[16:17], -4.0\ns_nop 7\ns_nop 7\ns_nop 7\nv_mov_b32 v4, v8\nv_mov_b32 v5, v9", [](const In &) { return bitsOf(-4.0); }, As::bits, Where(gfx942 | gfx950)},
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

} // namespace tilerun::amdsim::tests
