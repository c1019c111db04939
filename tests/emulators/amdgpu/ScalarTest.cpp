// Scalar instructions on edge values and random ones: each input is a workgroup of one wave, which
// leaves the result and SCC.
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

// s[16:17], s[18:19], SCC, and s[24:25], the destination, before the instruction.
struct State {
  uint64_t a, b, d;
  bool scc;
};
struct ScalarCase {
  std::string text;
  std::function<void(State &)> apply; // changes d and scc
  Where where = everywhere;
};

int32_t s(uint64_t v) { return int32_t(uint32_t(v)); }
uint32_t u(uint64_t v) { return uint32_t(v); }
int64_t s64(uint64_t v) { return int64_t(v); }
float f(uint64_t v) { return std::bit_cast<float>(uint32_t(v)); }
uint64_t field(uint64_t v, unsigned offset, unsigned width) {
  v = offset < 64 ? v >> offset : 0;
  return width >= 64 ? v : v & ((uint64_t(1) << width) - 1);
}
int64_t signedField(uint64_t v, unsigned offset, unsigned width) {
  uint64_t bits = field(v, offset, width);
  return width && width < 64 && bits >> (width - 1) & 1 ? int64_t(bits | ~uint64_t(0) << width)
                                                        : int64_t(bits);
}
unsigned at(const State &t, unsigned mask) { return unsigned(t.b & mask); }
unsigned width(const State &t) { return unsigned(t.b >> 16 & 127); }
uint32_t toInteger(float v, double low, double high) {
  return v != v ? 0 : uint32_t(int64_t(std::clamp(double(v), low, high)));
}
float unit(double v) { return std::fabs(v) < 0x1p-126 ? std::copysign(0.0f, float(v)) : float(v); }

// A 32-bit result leaves the other register of the destination alone.
void set(State &t, uint32_t value) { t.d = (t.d & ~uint64_t(0xffffffff)) | value; }
template <class F> auto word(F f) {
  return [f](State &t) { set(t, uint32_t(f(t))); };
}
template <class F> auto wordScc(F f) {
  return [f](State &t) {
    uint32_t value = uint32_t(f(t));
    set(t, value), t.scc = value != 0;
  };
}
template <class F> auto wide(F f) {
  return [f](State &t) { t.d = uint64_t(f(t)); };
}
template <class F> auto wideScc(F f) {
  return [f](State &t) { t.d = uint64_t(f(t)), t.scc = t.d != 0; };
}
template <class F> auto flag(F f) {
  return [f](State &t) { t.scc = f(t); };
}

#define OF_STATE(...) [](const State &t) { return __VA_ARGS__; }

std::vector<ScalarCase> bitCases() {
  return {
      {"s_and_b32 s24, s16, s18", wordScc(OF_STATE(t.a & t.b))},
      {"s_and_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(t.a & t.b))},
      {"s_or_b32 s24, s16, s18", wordScc(OF_STATE(t.a | t.b))},
      {"s_or_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(t.a | t.b))},
      {"s_xor_b32 s24, s16, s18", wordScc(OF_STATE(t.a ^ t.b))},
      {"s_xor_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(t.a ^ t.b))},
      {"s_nand_b32 s24, s16, s18", wordScc(OF_STATE(~(t.a & t.b)))},
      {"s_nand_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(~(t.a & t.b)))},
      {"s_nor_b32 s24, s16, s18", wordScc(OF_STATE(~(t.a | t.b)))},
      {"s_nor_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(~(t.a | t.b)))},
      {"s_xnor_b32 s24, s16, s18", wordScc(OF_STATE(~(t.a ^ t.b)))},
      {"s_xnor_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(~(t.a ^ t.b)))},
      {"s_andn2_b32 s24, s16, s18", wordScc(OF_STATE(t.a & ~t.b))},
      {"s_andn2_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(t.a & ~t.b))},
      {"s_orn2_b32 s24, s16, s18", wordScc(OF_STATE(t.a | ~t.b))},
      {"s_orn2_b64 s[24:25], s[16:17], s[18:19]", wideScc(OF_STATE(t.a | ~t.b))},
      {"s_mov_b32 s24, s16", word(OF_STATE(t.a))},
      {"s_mov_b64 s[24:25], s[16:17]", wide(OF_STATE(t.a))},
      {"s_movk_i32 s24, 0x8001", word(OF_STATE(-32767))},
      {"s_not_b32 s24, s16", wordScc(OF_STATE(~t.a))},
      {"s_not_b64 s[24:25], s[16:17]", wideScc(OF_STATE(~t.a))},
      {"s_brev_b32 s24, s16", word(OF_STATE(__builtin_bitreverse32(u(t.a))))},
      {"s_brev_b64 s[24:25], s[16:17]", wide(OF_STATE(__builtin_bitreverse64(t.a)))},
      {"s_ff1_i32_b32 s24, s16", word(OF_STATE(u(t.a) ? __builtin_ctz(u(t.a)) : -1))},
      {"s_ff1_i32_b64 s24, s[16:17]", word(OF_STATE(t.a ? __builtin_ctzll(t.a) : -1))},
      {"s_ff0_i32_b32 s24, s16", word(OF_STATE(~u(t.a) ? __builtin_ctz(~u(t.a)) : -1)), gfx9},
      {"s_flbit_i32_b32 s24, s16", word(OF_STATE(u(t.a) ? __builtin_clz(u(t.a)) : -1))},
      {"s_flbit_i32_b64 s24, s[16:17]", word(OF_STATE(t.a ? __builtin_clzll(t.a) : -1))},
      {"s_flbit_i32 s24, s16",
       word(OF_STATE(u(t.a) == 0 || u(t.a) == ~0u ? -1 : __builtin_clrsb(s(t.a)) + 1))},
      {"s_flbit_i32_i64 s24, s[16:17]",
       word(OF_STATE(t.a == 0 || t.a == ~uint64_t(0) ? -1 : __builtin_clrsbll(s64(t.a)) + 1))},
      {"s_bcnt0_i32_b32 s24, s16", wordScc(OF_STATE(__builtin_popcount(~u(t.a))))},
      {"s_bcnt1_i32_b32 s24, s16", wordScc(OF_STATE(__builtin_popcount(u(t.a))))},
      {"s_bcnt0_i32_b64 s24, s[16:17]", wordScc(OF_STATE(__builtin_popcountll(~t.a)))},
      {"s_bcnt1_i32_b64 s24, s[16:17]", wordScc(OF_STATE(__builtin_popcountll(t.a)))},
      {"s_sext_i32_i8 s24, s16", word(OF_STATE(int8_t(t.a)))},
      {"s_sext_i32_i16 s24, s16", word(OF_STATE(int16_t(t.a)))},
      {"s_lshl_b32 s24, s16, s18", wordScc(OF_STATE(u(t.a) << at(t, 31)))},
      {"s_lshl_b64 s[24:25], s[16:17], s18", wideScc(OF_STATE(t.a << at(t, 63)))},
      {"s_lshr_b32 s24, s16, s18", wordScc(OF_STATE(u(t.a) >> at(t, 31)))},
      {"s_lshr_b64 s[24:25], s[16:17], s18", wideScc(OF_STATE(t.a >> at(t, 63)))},
      {"s_ashr_i32 s24, s16, s18", wordScc(OF_STATE(s(t.a) >> at(t, 31)))},
      {"s_ashr_i64 s[24:25], s[16:17], s18", wideScc(OF_STATE(s64(t.a) >> at(t, 63)))},
      {"s_bfe_u32 s24, s16, s18", wordScc(OF_STATE(field(u(t.a), at(t, 31), width(t))))},
      {"s_bfe_u64 s[24:25], s[16:17], s18", wideScc(OF_STATE(field(t.a, at(t, 63), width(t))))},
      {"s_bfe_i32 s24, s16, 0x70005", wordScc(OF_STATE(signedField(u(t.a), 5, 7)))},
      {"s_bfe_i64 s[24:25], s[16:17], 0x150010", wideScc(OF_STATE(signedField(t.a, 16, 21)))},
      {"s_bfm_b32 s24, s16, s18", word(OF_STATE(((1u << (t.a & 31)) - 1) << at(t, 31)))},
      {"s_bfm_b64 s[24:25], s16, s18",
       wide(OF_STATE(((uint64_t(1) << (t.a & 63)) - 1) << at(t, 63)))},
      {"s_pack_ll_b32_b16 s24, s16, s18", word(OF_STATE((u(t.a) & 0xffff) | u(t.b) << 16))},
      {"s_pack_lh_b32_b16 s24, s16, s18",
       word(OF_STATE((u(t.a) & 0xffff) | (u(t.b) & 0xffff0000)))},
      {"s_pack_hh_b32_b16 s24, s16, s18", word(OF_STATE(u(t.a) >> 16 | (u(t.b) & 0xffff0000)))},
      {"s_pack_hl_b32_b16 s24, s16, s18", word(OF_STATE(u(t.a) >> 16 | u(t.b) << 16)), newer},
      {"s_cselect_b32 s24, s16, s18", word(OF_STATE(t.scc ? t.a : t.b))},
      {"s_cselect_b64 s[24:25], s[16:17], s[18:19]", wide(OF_STATE(t.scc ? t.a : t.b))},
      {"s_cmov_b32 s24, s16", word(OF_STATE(t.scc ? t.a : t.d))},
      {"s_cmov_b64 s[24:25], s[16:17]", wide(OF_STATE(t.scc ? t.a : t.d))},
      {"s_cmovk_i32 s24, 0x9000", word(OF_STATE(t.scc ? -28672 : s(t.d)))},
      {"s_bitset0_b32 s24, s16", word(OF_STATE(u(t.d) & ~(1u << (t.a & 31))))},
      {"s_bitset1_b32 s24, s16", word(OF_STATE(u(t.d) | 1u << (t.a & 31)))},
      {"s_bitcmp0_b32 s16, s18", flag(OF_STATE(!(u(t.a) >> at(t, 31) & 1)))},
      {"s_bitcmp1_b32 s16, s18", flag(OF_STATE(bool(u(t.a) >> at(t, 31) & 1)))},
      {"s_bitcmp0_b64 s[16:17], s18", flag(OF_STATE(!(t.a >> at(t, 63) & 1)))},
      {"s_bitcmp1_b64 s[16:17], s18", flag(OF_STATE(bool(t.a >> at(t, 63) & 1)))},
  };
}

std::vector<ScalarCase> arithmeticCases() {
  std::vector<ScalarCase> list = {
      {"s_add_u32 s24, s16, s18",
       [](State &t) { set(t, u(t.a) + u(t.b)), t.scc = (uint64_t(u(t.a)) + u(t.b)) >> 32; }},
      {"s_sub_u32 s24, s16, s18",
       [](State &t) { set(t, u(t.a) - u(t.b)), t.scc = u(t.a) < u(t.b); }},
      {"s_addc_u32 s24, s16, s18",
       [](State &t) {
         uint64_t sum = uint64_t(u(t.a)) + u(t.b) + t.scc;
         set(t, uint32_t(sum)), t.scc = sum >> 32;
       }},
      {"s_subb_u32 s24, s16, s18",
       [](State &t) {
         int64_t rest = int64_t(u(t.a)) - u(t.b) - t.scc;
         set(t, uint32_t(rest)), t.scc = rest < 0;
       }},
      {"s_add_i32 s24, s16, s18",
       [](State &t) {
         int64_t sum = int64_t(s(t.a)) + s(t.b);
         set(t, uint32_t(sum)), t.scc = sum != int32_t(sum);
       }},
      {"s_sub_i32 s24, s16, s18",
       [](State &t) {
         int64_t rest = int64_t(s(t.a)) - s(t.b);
         set(t, uint32_t(rest)), t.scc = rest != int32_t(rest);
       }},
      {"s_addk_i32 s24, 0x7fff",
       [](State &t) {
         int64_t sum = int64_t(s(t.d)) + 0x7fff;
         set(t, uint32_t(sum)), t.scc = sum != int32_t(sum);
       }},
      {"s_mulk_i32 s24, 0xffff", word(OF_STATE(0 - u(t.d)))},
      {"s_abs_i32 s24, s16", wordScc(OF_STATE(s(t.a) < 0 ? 0 - u(t.a) : u(t.a)))},
      {"s_absdiff_i32 s24, s16, s18",
       wordScc(OF_STATE(s(u(t.a) - u(t.b)) < 0 ? u(t.b) - u(t.a) : u(t.a) - u(t.b)))},
      {"s_min_i32 s24, s16, s18",
       [](State &t) { set(t, uint32_t(std::min(s(t.a), s(t.b)))), t.scc = s(t.a) < s(t.b); }},
      {"s_min_u32 s24, s16, s18",
       [](State &t) { set(t, std::min(u(t.a), u(t.b))), t.scc = u(t.a) < u(t.b); }},
      {"s_max_i32 s24, s16, s18",
       [](State &t) { set(t, uint32_t(std::max(s(t.a), s(t.b)))), t.scc = s(t.a) >= s(t.b); }},
      {"s_max_u32 s24, s16, s18",
       [](State &t) { set(t, std::max(u(t.a), u(t.b))), t.scc = u(t.a) >= u(t.b); }},
      {"s_mul_i32 s24, s16, s18", word(OF_STATE(u(t.a) * u(t.b)))},
      {"s_mul_hi_u32 s24, s16, s18", word(OF_STATE(uint64_t(u(t.a)) * u(t.b) >> 32))},
      {"s_mul_hi_i32 s24, s16, s18", word(OF_STATE(int64_t(s(t.a)) * s(t.b) >> 32))},
      {"s_mul_u64 s[24:25], s[16:17], s[18:19]", wide(OF_STATE(t.a * t.b)), gfx12},
      {"s_add_nc_u64 s[24:25], s[16:17], s[18:19]", wide(OF_STATE(t.a + t.b)), gfx12},
      {"s_sub_nc_u64 s[24:25], s[16:17], s[18:19]", wide(OF_STATE(t.a - t.b)), gfx12},
  };
  for (unsigned n = 1; n <= 4; ++n)
    list.push_back({"s_lshl" + std::to_string(n) + "_add_u32 s24, s16, s18", [n](State &t) {
                      uint64_t sum = (uint64_t(u(t.a)) << n) + u(t.b);
                      set(t, uint32_t(sum)), t.scc = sum >> 32;
                    }});
  struct Relation {
    const char *name;
    bool (*holds)(int64_t a, int64_t b);
  };
  const Relation relations[] = {{"eq", [](int64_t a, int64_t b) { return a == b; }},
                                {"lg", [](int64_t a, int64_t b) { return a != b; }},
                                {"gt", [](int64_t a, int64_t b) { return a > b; }},
                                {"ge", [](int64_t a, int64_t b) { return a >= b; }},
                                {"lt", [](int64_t a, int64_t b) { return a < b; }},
                                {"le", [](int64_t a, int64_t b) { return a <= b; }}};
  for (const Relation &r : relations) {
    auto holds = r.holds;
    std::string name = r.name;
    list.push_back(
        {"s_cmp_" + name + "_i32 s16, s18", [holds](State &t) { t.scc = holds(s(t.a), s(t.b)); }});
    list.push_back(
        {"s_cmp_" + name + "_u32 s16, s18", [holds](State &t) { t.scc = holds(u(t.a), u(t.b)); }});
    list.push_back({"s_cmpk_" + name + "_i32 s16, 0xfffe",
                    [holds](State &t) { t.scc = holds(s(t.a), -2); }, Where(gfx9 | gfx11)});
    list.push_back({"s_cmpk_" + name + "_u32 s16, 0x8000",
                    [holds](State &t) { t.scc = holds(u(t.a), 0x8000); }, Where(gfx9 | gfx11)});
  }
  list.push_back({"s_cmp_eq_u64 s[16:17], s[18:19]", flag(OF_STATE(t.a == t.b))});
  list.push_back({"s_cmp_lg_u64 s[16:17], s[18:19]", flag(OF_STATE(t.a != t.b))});
  return list;
}

std::vector<ScalarCase> floatScalarCases() {
  std::vector<ScalarCase> list;
  auto add = [&](const char *text, float (*function)(float, float)) {
    list.push_back({text,
                    [function](State &t) { set(t, uint32_t(bitsOf(function(f(t.a), f(t.b))))); },
                    gfx12});
  };
  add("s_add_f32 s24, s16, s18", [](float a, float b) { return a + b; });
  add("s_sub_f32 s24, s16, s18", [](float a, float b) { return a - b; });
  add("s_mul_f32 s24, s16, s18", [](float a, float b) { return a * b; });
  add("s_min_num_f32 s24, s16, s18", [](float a, float b) { return least(a, b); });
  add("s_max_num_f32 s24, s16, s18", [](float a, float b) { return most(a, b); });
  add("s_minimum_f32 s24, s16, s18",
      [](float a, float b) { return a != a || b != b ? NAN : least(a, b); });
  add("s_maximum_f32 s24, s16, s18",
      [](float a, float b) { return a != a || b != b ? NAN : most(a, b); });
  add("s_floor_f32 s24, s16", [](float a, float) { return std::floor(a); });
  add("s_ceil_f32 s24, s16", [](float a, float) { return std::ceil(a); });
  add("s_trunc_f32 s24, s16", [](float a, float) { return std::trunc(a); });
  add("s_rndne_f32 s24, s16", [](float a, float) { return std::nearbyint(a); });
  add("v_s_exp_f32 s24, s16", [](float a, float) { return unit(std::exp2(flush(a))); });
  add("v_s_log_f32 s24, s16", [](float a, float) { return unit(std::log2(flush(a))); });
  add("v_s_rcp_f32 s24, s16", [](float a, float) { return unit(1 / flush(a)); });
  add("v_s_rsq_f32 s24, s16", [](float a, float) { return unit(1 / std::sqrt(flush(a))); });
  add("v_s_sqrt_f32 s24, s16", [](float a, float) { return unit(std::sqrt(flush(a))); });
  list.push_back({"s_cvt_f32_i32 s24, s16", word(OF_STATE(bitsOf(float(s(t.a))))), gfx12});
  list.push_back({"s_cvt_f32_u32 s24, s16", word(OF_STATE(bitsOf(float(u(t.a))))), gfx12});
  list.push_back(
      {"s_cvt_i32_f32 s24, s16", word(OF_STATE(toInteger(f(t.a), INT32_MIN, INT32_MAX))), gfx12});
  list.push_back(
      {"s_cvt_u32_f32 s24, s16", word(OF_STATE(toInteger(f(t.a), 0, UINT32_MAX))), gfx12});
  list.push_back({"s_fmac_f32 s24, s16, s18",
                  word(OF_STATE(bitsOf(std::fma(f(t.a), f(t.b), f(t.d))))), gfx12});
  list.push_back({"s_fmaak_f32 s24, s16, s18, 0x40490fdb",
                  word(OF_STATE(bitsOf(std::fma(f(t.a), f(t.b), f(0x40490fdb))))), gfx12});
  // A result of 16 bits says nothing of the half above, so that it is cleared here.
  auto addHalf = [&](const std::string &text, double (*function)(double, double)) {
    list.push_back(
        {text + "\ns_pack_ll_b32_b16 s24, s24, 0",
         [function](State &t) { set(t, uint32_t(toHalf(function(half(u(t.a)), half(u(t.b)))))); },
         gfx12});
  };
  addHalf("s_add_f16 s24, s16, s18", [](double a, double b) { return a + b; });
  addHalf("s_sub_f16 s24, s16, s18", [](double a, double b) { return a - b; });
  addHalf("s_mul_f16 s24, s16, s18", [](double a, double b) { return a * b; });
  addHalf("s_min_num_f16 s24, s16, s18", [](double a, double b) { return least(a, b); });
  addHalf("s_max_num_f16 s24, s16, s18", [](double a, double b) { return most(a, b); });
  addHalf("s_minimum_f16 s24, s16, s18",
          [](double a, double b) { return a != a || b != b ? NAN : least(a, b); });
  addHalf("s_maximum_f16 s24, s16, s18",
          [](double a, double b) { return a != a || b != b ? NAN : most(a, b); });
  addHalf("s_floor_f16 s24, s16", [](double a, double) { return std::floor(a); });
  addHalf("s_ceil_f16 s24, s16", [](double a, double) { return std::ceil(a); });
  addHalf("s_trunc_f16 s24, s16", [](double a, double) { return std::trunc(a); });
  addHalf("s_rndne_f16 s24, s16", [](double a, double) { return std::nearbyint(a); });
  addHalf("v_s_exp_f16 s24, s16", [](double a, double) { return std::exp2(a); });
  addHalf("v_s_log_f16 s24, s16", [](double a, double) { return std::log2(a); });
  addHalf("v_s_rcp_f16 s24, s16", [](double a, double) { return 1 / a; });
  addHalf("v_s_rsq_f16 s24, s16", [](double a, double) { return 1 / std::sqrt(a); });
  addHalf("v_s_sqrt_f16 s24, s16", [](double a, double) { return std::sqrt(a); });
  list.push_back({"s_fmac_f16 s24, s16, s18\ns_pack_ll_b32_b16 s24, s24, 0",
                  word(OF_STATE(toHalf(
                      std::fma(double(half(u(t.a))), double(half(u(t.b))), double(half(u(t.d))))))),
                  gfx12});
  list.push_back({"s_cvt_f16_f32 s24, s16\ns_pack_ll_b32_b16 s24, s24, 0",
                  word(OF_STATE(toHalf(double(f(t.a))))), gfx12});
  list.push_back({"s_cvt_f32_f16 s24, s16", word(OF_STATE(bitsOf(half(u(t.a))))), gfx12});
  list.push_back({"s_cvt_hi_f32_f16 s24, s16", word(OF_STATE(bitsOf(half(u(t.a) >> 16)))), gfx12});
  list.push_back({"s_cvt_pk_rtz_f16_f32 s24, s16, s18",
                  word(OF_STATE(floatToHalfTowardZero(f(t.a)) |
                                uint32_t(floatToHalfTowardZero(f(t.b))) << 16)),
                  gfx12});
  struct Relation {
    const char *name;
    bool (*holds)(float a, float b);
  };
  const Relation relations[] = {{"eq", [](float a, float b) { return a == b; }},
                                {"lg", [](float a, float b) { return a < b || a > b; }},
                                {"gt", [](float a, float b) { return a > b; }},
                                {"ge", [](float a, float b) { return a >= b; }},
                                {"lt", [](float a, float b) { return a < b; }},
                                {"le", [](float a, float b) { return a <= b; }},
                                {"o", [](float a, float b) { return !std::isunordered(a, b); }},
                                {"u", [](float a, float b) { return std::isunordered(a, b); }},
                                {"neq", [](float a, float b) { return a != b; }},
                                {"nlg", [](float a, float b) { return !(a < b || a > b); }},
                                {"ngt", [](float a, float b) { return !(a > b); }},
                                {"nge", [](float a, float b) { return !(a >= b); }},
                                {"nlt", [](float a, float b) { return !(a < b); }},
                                {"nle", [](float a, float b) { return !(a <= b); }}};
  for (const Relation &r : relations) {
    auto holds = r.holds;
    list.push_back({std::string("s_cmp_") + r.name + "_f32 s16, s18",
                    [holds](State &t) { t.scc = holds(f(t.a), f(t.b)); }, gfx12});
    list.push_back({std::string("s_cmp_") + r.name + "_f16 s16, s18",
                    [holds](State &t) { t.scc = holds(half(u(t.a)), half(u(t.b))); }, gfx12});
  }
  return list;
}

// EXEC is all lanes before, and again after: the new one is what the destination gets here.
std::vector<ScalarCase> execCases() {
  std::vector<ScalarCase> list;
  struct Operation {
    const char *name;
    uint64_t (*apply)(uint64_t a, uint64_t exec);
  };
  const Operation operations[] = {{"and", [](uint64_t a, uint64_t exec) { return a & exec; }},
                                  {"or", [](uint64_t a, uint64_t exec) { return a | exec; }},
                                  {"xor", [](uint64_t a, uint64_t exec) { return a ^ exec; }},
                                  {"andn2", [](uint64_t a, uint64_t exec) { return a & ~exec; }},
                                  {"andn1", [](uint64_t a, uint64_t exec) { return ~a & exec; }},
                                  {"orn2", [](uint64_t a, uint64_t exec) { return a | ~exec; }},
                                  {"orn1", [](uint64_t a, uint64_t exec) { return ~a | exec; }}};
  for (const Operation &o : operations) {
    auto apply = o.apply;
    std::string name = std::string("s_") + o.name + "_saveexec";
    list.push_back({"s_mov_b64 exec, s[18:19]\n" + name +
                        "_b64 s[28:29], s[16:17]\ns_mov_b64 s[24:25], exec\ns_mov_b64 exec, -1",
                    [apply](State &t) { t.d = apply(t.a, t.b), t.scc = t.d != 0; }, gfx9});
    list.push_back(
        {"s_mov_b32 exec_lo, s18\n" + name +
             "_b32 s28, s16\ns_mov_b32 s24, exec_lo\ns_mov_b32 exec_lo, -1",
         [apply](State &t) { set(t, uint32_t(apply(u(t.a), u(t.b)))), t.scc = u(t.d) != 0; },
         newer});
    // The old EXEC goes to the destination.
    list.push_back(
        {"s_mov_b32 exec_lo, s18\n" + name + "_b32 s24, s16\ns_mov_b32 exec_lo, -1",
         [apply](State &t) { set(t, u(t.b)), t.scc = uint32_t(apply(u(t.a), u(t.b))) != 0; },
         newer});
  }
  return list;
}

std::vector<ScalarCase> allScalarCases() {
  std::vector<ScalarCase> all;
  for (const auto &list : {bitCases(), arithmeticCases(), floatScalarCases(), execCases()})
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<State> states() {
  const uint64_t edges[] = {0,          1,          31,         32,         63,
                            0x7fff,     0x8000,     0xffff8000, 0x7fffffff, 0x80000000,
                            0xffffffff, 0x3f800000, 0xbfc00000, 0x7f800000, 0xff800000,
                            0x7fc00000, 0x00000123, 0x80400000, 0x00200004, 0xfffffffe};
  std::mt19937_64 random(5);
  std::vector<State> list;
  for (unsigned n = 0; n < 256; ++n) {
    auto value = [&]() -> uint64_t {
      uint64_t high = edges[random() % std::size(edges)], low = edges[random() % std::size(edges)];
      return n % 2 ? high << 32 | low : random();
    };
    uint64_t a = value(), b = n % 8 == 0 ? a : value();
    list.push_back({a, b, value(), bool(random() & 1)});
  }
  return list;
}

// Records of 32 bytes: a, b, d, SCC; results of 16 bytes: d, SCC.
std::string aroundScalar(const std::string &cpu, const std::string &text) {
  bool isGfx9 = cpu.starts_with("gfx9"), isGfx12 = cpu.starts_with("gfx12");
  std::string wait = isGfx12 ? "s_wait_kmcnt 0\n" : "s_waitcnt lgkmcnt(0)\n";
  return std::string("s_mov_b32 s3, ") + (isGfx12 ? "ttmp9" : "s2") + "\n" +
         (isGfx9 ? "s_load_dwordx4" : "s_load_b128") +
         " s[4:7], s[0:1], 0x0\ns_lshl_b32 s8, s3, 5\n" + "s_lshl_b32 s9, s3, 4\n" + wait +
         "s_add_u32 s4, s4, s8\ns_addc_u32 s5, s5, 0\n" +
         (isGfx9 ? "s_load_dwordx8" : "s_load_b256") + " s[16:23], s[4:5], 0x0\n" + wait +
         "s_mov_b64 s[24:25], s[20:21]\ns_cmp_lg_u32 s22, 0\n" + text +
         "\ns_cselect_b32 s26, 1, 0\nv_mov_b32 v4, s9\nv_mov_b32 v0, s24\nv_mov_b32 v1, s25\n" +
         "v_mov_b32 v2, s26\n" + (isGfx9 ? "global_store_dwordx3" : "global_store_b96") +
         " v4, v[0:2], s[6:7]\n";
}

class AmdsimScalars : public testing::TestWithParam<std::pair<const char *, Where>> {};

TEST_P(AmdsimScalars, AgreeWithModel) {
  auto [cpu, where] = GetParam();
  std::vector<Source> kernels;
  std::vector<ScalarCase> used;
  for (const ScalarCase &c : allScalarCases())
    if (c.where & where) {
      kernels.push_back(
          {.name = "k" + std::to_string(used.size()), .body = aroundScalar(cpu, c.text)});
      used.push_back(c);
    }
  Loaded loaded = load(cpu, assemble(cpu, kernels));
  ASSERT_TRUE(loaded.module);
  std::vector<State> in = states();
  std::vector<uint64_t> words;
  for (const State &t : in)
    words.insert(words.end(), {t.a, t.b, t.d, uint64_t(t.scc)});
  uint64_t x = upload(*loaded.device, words),
           y = upload(*loaded.device, std::vector<uint64_t>(2 * in.size()));
  uint32_t lanes = loaded.module->object().kernels()[0].lanes;
  for (size_t k = 0; k < used.size(); ++k) {
    LaunchResult result = loaded.run(
        kernels[k].name, x, y, {.grid = {uint32_t(in.size()), 1, 1}, .threads = {lanes, 1, 1}});
    EXPECT_EQ(messages(result), "") << cpu << ": " << used[k].text;
    std::vector<uint64_t> out = download<uint64_t>(y, 2 * in.size());
    unsigned wrong = 0;
    for (size_t n = 0; n < in.size() && wrong < 3; ++n) {
      State want = in[n];
      used[k].apply(want);
      float a = f(out[2 * n]), b = f(want.d);
      bool areNan = used[k].text.find("_f32") != std::string::npos && a != a && b != b;
      float halfA = half(u(out[2 * n])), halfB = half(u(want.d));
      areNan |= used[k].text.find("_f16 ") != std::string::npos && halfA != halfA && halfB != halfB;
      // The transcendental unit is as good as two units in the last place.
      bool areNear = used[k].text.starts_with("v_s_") && out[2 * n] >> 32 == want.d >> 32 &&
                     std::fabs(a - b) <= std::fabs(b) * 2.4e-7f;
      if ((out[2 * n] == want.d || areNan || areNear) && uint32_t(out[2 * n + 1]) == want.scc)
        continue;
      ++wrong;
      ADD_FAILURE() << std::hex << cpu << ": " << used[k].text << "\n of " << in[n].a << ", "
                    << in[n].b << ", SCC " << in[n].scc << ", " << in[n].d << " gives "
                    << out[2 * n] << ", SCC " << uint32_t(out[2 * n + 1]) << "; should be "
                    << want.d << ", SCC " << want.scc;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AmdsimScalars,
                         testing::Values(std::pair{"gfx942", gfx9}, std::pair{"gfx1100", gfx11},
                                         std::pair{"gfx1201", gfx12}),
                         [](const auto &info) { return std::string(info.param.first); });

} // namespace

std::vector<std::string> scalarTexts() {
  std::vector<std::string> texts;
  for (const ScalarCase &c : allScalarCases())
    texts.push_back(c.text);
  return texts;
}

} // namespace tilerun::amdsim::tests
