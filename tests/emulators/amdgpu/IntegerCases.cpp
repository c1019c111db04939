// Integer and bit instructions of the vector unit.
#include "tests/emulators/amdgpu/Cases.h"

#include <algorithm>

namespace tilerun::amdsim::tests {

namespace {

int32_t s(uint32_t v) { return int32_t(v); }
int16_t s16(uint32_t v) { return int16_t(v); }
uint16_t u16(uint32_t v) { return uint16_t(v); }
// Whether the sum of 65 bits is negative.
uint64_t isNegativeSum(int64_t a, int64_t b) {
  return uint64_t((a < 0) == (b < 0) ? a < 0 : int64_t(uint64_t(a) + uint64_t(b)) < 0);
}
int32_t low24(uint32_t v) { return int32_t(v << 8) >> 8; }
uint16_t limitI16(int32_t v) { return uint16_t(std::clamp(v, -32768, 32767)); }
uint32_t limitI32(int64_t v) { return uint32_t(std::clamp<int64_t>(v, INT32_MIN, INT32_MAX)); }
template <class T> T middle(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
uint32_t distance(uint32_t a, uint32_t b) { return std::max(a, b) - std::min(a, b); }

} // namespace

const std::vector<Case> &integerCases() {
  static const std::vector<Case> list = {
      {"v_mov_b64 v[4:5], v[0:1]", OF(i.ab()), As::bits, Where(gfx942 | gfx950)},
      {"v_or_b32 v4, v0, v1", OF(i.a | i.b)},
      {"v_xor_b32 v4, v0, v1", OF(i.a ^ i.b)},
      {"v_xor3_b32 v4, v0, v1, v2", OF(i.a ^ i.b ^ i.c), As::bits, newer},
      {"v_not_b16 v4, v0", OF(u16(~i.a)), As::bits, newer},
      {"v_and_b16 v4, v0, v1", OF(u16(i.a & i.b)), As::bits, newer},
      {"v_or_b16 v4, v0, v1", OF(u16(i.a | i.b)), As::bits, newer},
      {"v_xor_b16 v4, v0, v1", OF(u16(i.a ^ i.b)), As::bits, newer},
      {"v_mov_b32 v4, v2\nv_and_b16 v4, v0, v1", OF((i.c & 0xffff0000) | u16(i.a & i.b)), As::bits, newer},
      {"v_lshlrev_b16 v4, v1, v0", OF(u16(i.a << (i.b & 15)))},
      {"v_lshrrev_b16 v4, v1, v0", OF(u16(i.a) >> (i.b & 15))},
      {"v_ashrrev_i16 v4, v1, v0", OF(u16(uint32_t(s16(i.a) >> (i.b & 15))))},
      {"v_bfm_b32 v4, v0, v1", OF(uint32_t(((1u << (i.a & 31)) - 1) << (i.b & 31)))},
      // Selectors 8 to 11 repeat signs, 12 is zero, more is 255.
      {"s_mov_b32 s8, 0x0d0c0b08\nv_perm_b32 v4, v0, v1, s8", OF(uint32_t((i.b >> 15 & 1 ? 255u : 0) | (i.a >> 31 ? 255u << 8 : 0) | 255u << 24))},
      {"s_mov_b32 s8, 0x07060100\nv_perm_b32 v4, v0, v1, s8", OF((i.b & 0xffff) | (i.a & 0xffff0000))},
      {"v_ffbh_i32 v4, v0", OF(i.a == 0 || i.a == ~0u ? ~0u : uint32_t(__builtin_clrsb(s(i.a)) + 1)), As::bits, gfx9},
      {"v_cls_i32 v4, v0", OF(i.a == 0 || i.a == ~0u ? ~0u : uint32_t(__builtin_clrsb(s(i.a)) + 1)), As::bits, newer},
      {"v_cmp_lt_u32 vcc_lo, v0, v1\nv_cndmask_b16 v4, v2, v3, vcc_lo", OF(u16(i.a < i.b ? i.d : i.c)), As::bits, newer},
      // Sums and differences
      {"v_add_i32 v4, v0, v1", OF(i.a + i.b), As::bits, gfx9},
      {"v_sub_i32 v4, v0, v1", OF(i.a - i.b), As::bits, gfx9},
      {"v_add_i32 v4, v0, v1 clamp", OF(limitI32(int64_t(s(i.a)) + s(i.b))), As::bits, gfx9},
      {"v_sub_i32 v4, v0, v1 clamp", OF(limitI32(int64_t(s(i.a)) - s(i.b))), As::bits, gfx9},
      {"v_add_nc_i32 v4, v0, v1 clamp", OF(limitI32(int64_t(s(i.a)) + s(i.b))), As::bits, newer},
      {"v_sub_nc_u32 v4, v0, v1", OF(i.a - i.b), As::bits, newer},
      {"v_subrev_nc_u32 v4, v0, v1", OF(i.b - i.a), As::bits, newer},
      {"v_subrev_u32 v4, v0, v1 clamp", OF(i.b < i.a ? 0 : i.b - i.a), As::bits, gfx9},
      {"v_subrev_nc_u32 v4, v0, v1 clamp", OF(i.b < i.a ? 0 : i.b - i.a), As::bits, newer},
      {"v_sub_nc_i32 v4, v0, v1", OF(i.a - i.b), As::bits, newer},
      {"v_add_u16 v4, v0, v1", OF(u16(i.a + i.b)), As::bits, gfx9},
      {"v_sub_u16 v4, v0, v1", OF(u16(i.a - i.b)), As::bits, gfx9},
      {"v_subrev_u16 v4, v0, v1", OF(u16(i.b - i.a)), As::bits, gfx9},
      {"v_add_nc_u16 v4, v0, v1", OF(u16(i.a + i.b)), As::bits, newer},
      {"v_sub_nc_u16 v4, v0, v1", OF(u16(i.a - i.b)), As::bits, newer},
      {"v_add_u16 v4, v0, v1 clamp", OF(std::min(u16(i.a) + u16(i.b), 65535)), As::bits, gfx9},
      {"v_sub_u16 v4, v0, v1 clamp", OF(std::max(u16(i.a) - u16(i.b), 0)), As::bits, gfx9},
      {"v_subrev_u16 v4, v0, v1 clamp", OF(std::max(u16(i.b) - u16(i.a), 0)), As::bits, gfx9},
      {"v_add_i16 v4, v0, v1", OF(u16(i.a + i.b)), As::bits, gfx9},
      {"v_sub_i16 v4, v0, v1", OF(u16(i.a - i.b)), As::bits, gfx9},
      {"v_add_nc_i16 v4, v0, v1", OF(u16(i.a + i.b)), As::bits, newer},
      {"v_add_i16 v4, v0, v1 clamp", OF(limitI16(s16(i.a) + s16(i.b))), As::bits, gfx9},
      {"v_sub_i16 v4, v0, v1 clamp", OF(limitI16(s16(i.a) - s16(i.b))), As::bits, gfx9},
      {"v_subrev_co_u32 v4, vcc, v0, v2\nv_subbrev_co_u32 v5, vcc, v1, v3, vcc", OF(i.cd() - i.ab()), As::bits, gfx9},
      {"v_subrev_co_u32 v4, vcc_lo, v0, v2\nv_subrev_co_ci_u32 v5, vcc_lo, v1, v3, vcc_lo", OF(i.cd() - i.ab()), As::bits, newer},
      // Products
      {"v_mul_lo_u16 v4, v0, v1", OF(u16(i.a * i.b))},
      {"v_mad_i16 v4, v0, v1, v2", OF(u16(i.a * i.b + i.c))},
      {"v_mul_hi_u32_u24 v4, v0, v1", OF(uint64_t(i.a & 0xffffff) * (i.b & 0xffffff) >> 32)},
      {"v_mul_i32_i24 v4, v0, v1", OF(uint32_t(int64_t(low24(i.a)) * low24(i.b)))},
      {"v_mul_hi_i32_i24 v4, v0, v1", OF(uint32_t(int64_t(low24(i.a)) * low24(i.b) >> 32))},
      {"v_mad_i32_i24 v4, v0, v1, v2", OF(uint32_t(int64_t(low24(i.a)) * low24(i.b)) + i.c)},
      {"v_mad_u32_u16 v4, v0, v1, v2", OF(uint32_t(u16(i.a)) * u16(i.b) + i.c)},
      {"v_mad_i32_i16 v4, v0, v1, v2", OF(uint32_t(s16(i.a) * s16(i.b)) + i.c)},
      {"v_mad_i64_i32 v[4:5], s[8:9], v0, v1, v[2:3]", OF(uint64_t(int64_t(s(i.a)) * s(i.b)) + i.cd()), As::bits, gfx9},
      {"v_mad_i64_i32 v[4:5], vcc, v0, v1, v[2:3]\nv_mov_b32 v5, 0\nv_cndmask_b32 v4, 0, 1, vcc", OF(isNegativeSum(int64_t(s(i.a)) * s(i.b), int64_t(i.cd()))), As::bits, gfx9},
      {"v_mad_i64_i32 v[4:5], s8, v0, v1, v[2:3]", OF(uint64_t(int64_t(s(i.a)) * s(i.b)) + i.cd()), As::bits, newer},
      {"v_dot4_u32_u8 v4, v0, v1, v2", [](const In &i) -> uint64_t {
         uint32_t sum = i.c;
         for (int n = 0; n < 32; n += 8)
           sum += (i.a >> n & 255) * (i.b >> n & 255);
         return sum;
       }},
      {"v_mov_b32 v4, v2\nv_dot4c_i32_i8 v4, v0, v1", [](const In &i) -> uint64_t {
         uint32_t sum = i.c;
         for (int n = 0; n < 32; n += 8)
           sum += uint32_t(int8_t(i.a >> n) * int8_t(i.b >> n));
         return sum;
       }, As::bits, gfx9},
      // The smallest, the largest, the middle
      {"v_max_u32 v4, v0, v1", OF(std::max(i.a, i.b))},
      {"v_min_i32 v4, v0, v1", OF(uint32_t(std::min(s(i.a), s(i.b))))},
      {"v_min_u16 v4, v0, v1", OF(std::min(u16(i.a), u16(i.b)))},
      {"v_max_u16 v4, v0, v1", OF(std::max(u16(i.a), u16(i.b)))},
      {"v_min_i16 v4, v0, v1", OF(u16(uint32_t(std::min(s16(i.a), s16(i.b)))))},
      {"v_max_i16 v4, v0, v1", OF(u16(uint32_t(std::max(s16(i.a), s16(i.b)))))},
      {"v_min3_u32 v4, v0, v1, v2", OF(std::min({i.a, i.b, i.c}))},
      {"v_max3_u32 v4, v0, v1, v2", OF(std::max({i.a, i.b, i.c}))},
      {"v_med3_u32 v4, v0, v1, v2", OF(middle(i.a, i.b, i.c))},
      {"v_min3_i32 v4, v0, v1, v2", OF(uint32_t(std::min({s(i.a), s(i.b), s(i.c)})))},
      {"v_max3_i32 v4, v0, v1, v2", OF(uint32_t(std::max({s(i.a), s(i.b), s(i.c)})))},
      {"v_maxmin_u32 v4, v0, v1, v2", OF(std::min(std::max(i.a, i.b), i.c)), As::bits, newer},
      {"v_minmax_u32 v4, v0, v1, v2", OF(std::max(std::min(i.a, i.b), i.c)), As::bits, newer},
      {"v_maxmin_i32 v4, v0, v1, v2", OF(uint32_t(std::min(std::max(s(i.a), s(i.b)), s(i.c)))), As::bits, newer},
      {"v_minmax_i32 v4, v0, v1, v2", OF(uint32_t(std::max(std::min(s(i.a), s(i.b)), s(i.c)))), As::bits, newer},
      {"v_min3_i16 v4, v0, v1, v2", OF(u16(uint32_t(std::min({s16(i.a), s16(i.b), s16(i.c)}))))},
      {"v_max3_i16 v4, v0, v1, v2", OF(u16(uint32_t(std::max({s16(i.a), s16(i.b), s16(i.c)}))))},
      {"v_min3_u16 v4, v0, v1, v2", OF(std::min({u16(i.a), u16(i.b), u16(i.c)}))},
      {"v_max3_u16 v4, v0, v1, v2", OF(std::max({u16(i.a), u16(i.b), u16(i.c)}))},
      {"v_mov_b32 v4, v3\nv_max3_i16 v4, v0, v1, v2 op_sel:[1,0,1,1]", OF(u16(i.d) | uint32_t(u16(uint32_t(std::max({s16(i.a >> 16), s16(i.b), s16(i.c >> 16)})))) << 16)},
      {"v_mov_b32 v4, v3\nv_min3_u16 v4, v0, v1, v2 op_sel:[0,1,1,0]", OF(std::min({u16(i.a), u16(i.b >> 16), u16(i.c >> 16)}) | (i.d & 0xffff0000))},
      {"v_med3_i16 v4, v0, v1, v2", OF(u16(uint32_t(middle(s16(i.a), s16(i.b), s16(i.c)))))},
      {"v_med3_u16 v4, v0, v1, v2", OF(middle(u16(i.a), u16(i.b), u16(i.c)))},
      {"v_sad_u32 v4, v0, v1, v2", OF(distance(i.a, i.b) + i.c)},
      {"v_sad_u8 v4, v0, v1, v2", OF(distance(i.a & 255, i.b & 255) + distance(i.a >> 8 & 255, i.b >> 8 & 255) + distance(i.a >> 16 & 255, i.b >> 16 & 255) + distance(i.a >> 24, i.b >> 24) + i.c)},
      {"v_cvt_i32_i16 v4, v0", OF(uint32_t(s16(i.a))), As::bits, newer},
      {"v_cvt_u32_u16 v4, v0", OF(u16(i.a)), As::bits, newer},
      {"v_cvt_pk_u16_u32 v4, v0, v1", OF(std::min(i.a, 65535u) | std::min(i.b, 65535u) << 16)},
      // Between lanes
      {"v_mov_b32 v4, v0\nv_mov_b32 v5, v1\nv_swap_b32 v4, v5", OF(i.b | uint64_t(i.a) << 32)},
      {"v_accvgpr_write_b32 a1, v0\nv_accvgpr_read_b32 v4, a1", OF(i.a), As::bits, gfx9},
      {"s_mov_b32 s8, 0x01234567\ns_mov_b32 s9, 0x89abcdef\nv_permlane16_b32 v4, v0, s8, s9", OF(i.wave[(i.lane & 16) | (i.lane & 8 ? 23 - (i.lane & 15) : 7 - (i.lane & 15))].a), As::bits, newer},
      {"v_permlane64_b32 v4, v0", OF(0), As::bits, newer},
      {"v_mov_b32 v4, v0\nv_mov_b32 v5, v1\nv_permlane16_swap_b32 v4, v5", OF(i.lane & 16 ? i.wave[i.lane - 16].b | uint64_t(i.b) << 32 : i.a | uint64_t(i.wave[i.lane + 16].a) << 32), As::bits, gfx950},
      {"v_mov_b32 v4, v0\nv_mov_b32 v5, v1\nv_permlane32_swap_b32 v4, v5", OF(i.lane & 32 ? i.wave[i.lane - 32].b | uint64_t(i.b) << 32 : i.a | uint64_t(i.wave[i.lane + 32].a) << 32), As::bits, gfx950},
      // Lane l sends to lane 63 - l.
      {"v_and_b32 v5, 63, v0\nv_mbcnt_lo_u32_b32 v4, -1, 0\nv_mbcnt_hi_u32_b32 v4, -1, v4\nv_sub_u32 v4, 63, v4\nv_lshlrev_b32 v5, 2, v4\nds_permute_b32 v4, v5, v0\nWAIT_LDS\nv_mov_b32 v5, 0", OF(i.wave[63 - i.lane].a), As::bits, gfx9},
  };
  return list;
}

} // namespace tilerun::amdsim::tests
