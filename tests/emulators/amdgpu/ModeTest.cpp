// Rounding and subnormal numbers by MODE: instructions on edge values in every direction and with
// every choice for subnormals, against LLVM's arithmetic, which is exact and rounds once.
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include "llvm/ADT/APFloat.h"

#include <cfenv>
#include <cstdio>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

using llvm::APFloat;
using Rounding = llvm::RoundingMode;
const llvm::fltSemantics &single = APFloat::IEEEsingle(), &wide = APFloat::IEEEdouble(),
                         &narrow = APFloat::IEEEhalf();

// MODE's lowest eight bits, and numbers of lanes as an instruction sees them.
struct Mode {
  uint32_t bits;
  Rounding rounding(unsigned shift) const {
    constexpr Rounding directions[] = {Rounding::NearestTiesToEven, Rounding::TowardPositive,
                                       Rounding::TowardNegative, Rounding::TowardZero};
    return directions[bits >> shift & 3];
  }
  Rounding rs() const { return rounding(0); } // of single precision
  Rounding ro() const { return rounding(2); } // of double precision and halves
  APFloat flushed(const APFloat &value, bool flushes) const {
    return flushes && value.isDenormal()
               ? APFloat::getZero(value.getSemantics(), value.isNegative())
               : value;
  }
  bool keeps(const APFloat &value, unsigned single32, unsigned other) const {
    return bits >> (&value.getSemantics() == &single ? single32 : other) & 1;
  }
  APFloat input(const llvm::fltSemantics &type, uint64_t value) const {
    APFloat number(type, llvm::APInt(APFloat::getSizeInBits(type), value, false, true));
    return flushed(number, !keeps(number, 4, 6));
  }
  APFloat f(uint32_t value) const { return input(single, value); }
  APFloat d(uint64_t value) const { return input(wide, value); }
  APFloat h(uint32_t value) const { return input(narrow, value); }
  uint64_t output(const APFloat &value) const {
    return flushed(value, !keeps(value, 5, 7)).bitcastToAPInt().getZExtValue();
  }
  // Operations with one rounding, in the direction of their operands' type.
  Rounding of(const APFloat &value) const { return &value.getSemantics() == &single ? rs() : ro(); }
  uint64_t add(APFloat a, const APFloat &b) const { return a.add(b, of(a)), output(a); }
  uint64_t subtract(APFloat a, const APFloat &b) const { return a.subtract(b, of(a)), output(a); }
  uint64_t multiply(APFloat a, const APFloat &b) const { return a.multiply(b, of(a)), output(a); }
  uint64_t fma(APFloat a, const APFloat &b, const APFloat &c) const {
    return a.fusedMultiplyAdd(b, c, of(a)), output(a);
  }
  uint64_t scale(const APFloat &a, int n) const { return output(scalbn(a, n, of(a))); }
  APFloat converted(APFloat a, const llvm::fltSemantics &to, Rounding rounding) const {
    bool ignored = false;
    return a.convert(to, rounding, &ignored), a;
  }
  uint64_t convert(const APFloat &a, const llvm::fltSemantics &to, Rounding rounding) const {
    return output(converted(a, to, rounding));
  }
  uint64_t fromInteger(const llvm::fltSemantics &to, uint64_t value, bool isSigned,
                       Rounding rounding) const {
    APFloat a(to);
    a.convertFromAPInt(llvm::APInt(64, value, isSigned), isSigned, rounding);
    return output(a);
  }
  Mode noSubnormals() const { return {bits & 15}; }
  // What is above the greatest integer below it, and less than one.
  uint64_t fraction(APFloat a) const {
    APFloat floor = a, belowOne = APFloat::getOne(a.getSemantics());
    floor.roundToIntegral(Rounding::TowardNegative);
    belowOne.next(true);
    a.subtract(floor, of(a));
    return output(a > belowOne ? belowOne : a);
  }
  // (a * b + c) * 2^n: exact but for a last bit of many that says whether something was lost.
  uint64_t fmaScaled(const APFloat &a, const APFloat &b, const APFloat &c, int n) const {
    const auto &quad = APFloat::IEEEquad();
    APFloat sum = converted(a, quad, rs());
    auto status = sum.fusedMultiplyAdd(converted(b, quad, rs()), converted(c, quad, rs()),
                                       Rounding::TowardZero);
    if (status & APFloat::opInexact)
      sum = APFloat(quad, sum.bitcastToAPInt() | 1);
    if (sum.isZero()) // its sign depends on the direction
      return fma(a, b, c);
    return convert(scalbn(sum, n, Rounding::TowardZero), a.getSemantics(), of(a));
  }
};

struct ModeCase {
  const char *text;
  std::function<uint64_t(const In &, const Mode &)> expected;
  As as = As::f32;
  Where where = everywhere;
};

#define OF_MODE(...) [](const In &i, const Mode &m) -> uint64_t { return __VA_ARGS__; }
// The same of both halves.
#define OF_HALVES(...)                                                                             \
  [](const In &i, const Mode &m) -> uint64_t {                                                     \
    auto one = [&](uint32_t a, uint32_t b, uint32_t c) -> uint64_t { return __VA_ARGS__; };        \
    return one(i.a, i.b, i.c) | one(i.a >> 16, i.b >> 16, i.c >> 16) << 16;                        \
  }
int exponentField(uint64_t bits, int fractionBits, int width) {
  return int(bits >> fractionBits) & ((1 << width) - 1);
}

const ModeCase modeCases[] = {
    {"v_add_f32 v4, v0, v1", OF_MODE(m.add(m.f(i.a), m.f(i.b)))},
    {"v_sub_f32 v4, v0, v1", OF_MODE(m.subtract(m.f(i.a), m.f(i.b)))},
    {"v_mul_f32 v4, v0, v1", OF_MODE(m.multiply(m.f(i.a), m.f(i.b)))},
    {"v_fma_f32 v4, v0, v1, v2", OF_MODE(m.fma(m.f(i.a), m.f(i.b), m.f(i.c)))},
    {"v_mov_b32 v4, v2\nv_fmac_f32 v4, v0, v1", OF_MODE(m.fma(m.f(i.a), m.f(i.b), m.f(i.c))),
     As::f32, Where(gfx942 | newer)},
    {"v_ldexp_f32 v4, v0, v1", OF_MODE(m.scale(m.f(i.a), int(i.b)))},
    {"v_cvt_f32_i32 v4, v0", OF_MODE(m.fromInteger(single, uint64_t(int32_t(i.a)), true, m.rs()))},
    {"v_cvt_f32_u32 v4, v0", OF_MODE(m.fromInteger(single, i.a, false, m.rs()))},
    {"v_cvt_f32_f64 v4, v[0:1]", OF_MODE(m.convert(m.d(i.ab()), single, m.ro()))},
    {"v_cvt_f32_f16 v4, v0", OF_MODE(m.convert(m.h(i.a), single, m.rs()))},
    {"v_cvt_f32_ubyte1 v4, v0", OF_MODE(m.fromInteger(single, i.a >> 8 & 255, false, m.rs()))},
    // Two roundings, without subnormals whatever MODE says.
    {"v_mad_f32 v4, v0, v1, v2",
     OF_MODE(m.noSubnormals().add(m.noSubnormals().f(uint32_t(m.noSubnormals().multiply(
                                      m.noSubnormals().f(i.a), m.noSubnormals().f(i.b)))),
                                  m.noSubnormals().f(i.c))),
     As::f32, gfx90a},
    {"v_fract_f32 v4, v0", OF_MODE(m.fraction(m.f(i.a)))},
    {"v_fract_f64 v[4:5], v[0:1]", OF_MODE(m.fraction(m.d(i.ab()))), As::f64},
    // Exact, or without regard to MODE's directions.
    {"v_cvt_f64_u32 v[4:5], v0", OF_MODE(m.fromInteger(wide, i.a, false, m.ro())), As::f64},
    {"v_cvt_f64_f32 v[4:5], v0", OF_MODE(m.convert(m.f(i.a), wide, m.ro())), As::f64},
    {"v_cvt_i32_f32 v4, v0", OF_MODE(uint32_t(toI32(m.f(i.a).convertToFloat()))), As::bits},
    {"v_cvt_pkrtz_f16_f32 v4, v0, v1",
     OF_MODE(m.convert(m.f(i.a), narrow, Rounding::TowardZero) |
             m.convert(m.f(i.b), narrow, Rounding::TowardZero) << 16),
     As::pairF16, gfx9},
    {"v_rndne_f32 v4, v0", OF_MODE([&] {
       APFloat a = m.f(i.a);
       return a.roundToIntegral(Rounding::NearestTiesToEven), m.output(a);
     }())},
    {"v_cmp_eq_f32 vcc, 0, v0\nv_cndmask_b32 v4, 0, 1, vcc", OF_MODE(m.f(i.a).isZero()), As::bits,
     gfx9},
    {"v_cmp_gt_f64 vcc, 0, v[0:1]\nv_cndmask_b32 v4, 0, 1, vcc",
     OF_MODE(m.d(i.ab()) < APFloat::getZero(wide)), As::bits, gfx9},
    // Double precision
    {"v_add_f64 v[4:5], v[0:1], v[2:3]", OF_MODE(m.add(m.d(i.ab()), m.d(i.cd()))), As::f64},
    {"v_add_f64 v[4:5], v[0:1], -v[2:3]", OF_MODE(m.subtract(m.d(i.ab()), m.d(i.cd()))), As::f64},
    {"v_mul_f64 v[4:5], v[0:1], v[2:3]", OF_MODE(m.multiply(m.d(i.ab()), m.d(i.cd()))), As::f64},
    {"v_fma_f64 v[4:5], v[0:1], v[2:3], v[0:1]",
     OF_MODE(m.fma(m.d(i.ab()), m.d(i.cd()), m.d(i.ab()))), As::f64},
    {"v_ldexp_f64 v[4:5], v[0:1], v2", OF_MODE(m.scale(m.d(i.ab()), int(i.c))), As::f64},
    // Halves
    {"v_add_f16 v4, v0, v1", OF_MODE(m.add(m.h(i.a), m.h(i.b))), As::f16, gfx9},
    {"v_sub_f16 v4, v0, v1", OF_MODE(m.subtract(m.h(i.a), m.h(i.b))), As::f16},
    {"v_mul_f16 v4, v0, v1", OF_MODE(m.multiply(m.h(i.a), m.h(i.b))), As::f16},
    {"v_fma_f16 v4, v0, v1, v2", OF_MODE(m.fma(m.h(i.a), m.h(i.b), m.h(i.c))), As::f16},
    {"v_ldexp_f16 v4, v0, v1", OF_MODE(m.scale(m.h(i.a), int16_t(i.b))), As::f16},
    {"v_cvt_f16_f32 v4, v0", OF_MODE(m.convert(m.f(i.a), narrow, m.ro())), As::f16},
    {"v_cvt_f16_u16 v4, v0", OF_MODE(m.fromInteger(narrow, uint16_t(i.a), false, m.ro())), As::f16},
    {"v_cvt_f16_i16 v4, v0", OF_MODE(m.fromInteger(narrow, uint64_t(int16_t(i.a)), true, m.ro())),
     As::f16},
    // Packed
    {"v_pk_add_f16 v4, v0, v1", OF_HALVES(m.add(m.h(a), m.h(b))), As::pairF16},
    {"v_pk_mul_f16 v4, v0, v1", OF_HALVES(m.multiply(m.h(a), m.h(b))), As::pairF16},
    {"v_pk_fma_f16 v4, v0, v1, v2", OF_HALVES(m.fma(m.h(a), m.h(b), m.h(c))), As::pairF16},
    {"v_pk_add_f32 v[4:5], v[0:1], v[2:3]",
     OF_MODE(m.add(m.f(i.a), m.f(i.c)) | m.add(m.f(i.b), m.f(i.d)) << 32), As::pairF32, gfx9},
    {"v_pk_fma_f32 v[4:5], v[0:1], v[2:3], v[0:1]",
     OF_MODE(m.fma(m.f(i.a), m.f(i.c), m.f(i.a)) | m.fma(m.f(i.b), m.f(i.d), m.f(i.b)) << 32),
     As::pairF32, gfx9},
    // Mixed: operands of either type, summed in single precision.
    {"v_fma_mix_f32 v4, v0, v1, v2 op_sel_hi:[1,0,0]",
     OF_MODE(m.fma(m.converted(m.h(i.a), single, m.rs()), m.f(i.b), m.f(i.c))), As::f32},
    // Pairs
    {"v_mov_b32 v5, v3\nv_dual_mul_f32 v4, v0, v1 :: v_dual_fmac_f32 v5, v2, v0",
     OF_MODE(m.multiply(m.f(i.a), m.f(i.b)) | m.fma(m.f(i.c), m.f(i.a), m.f(i.d)) << 32),
     As::pairF32, newer},
    {"v_dual_mov_b32 v4, v0 :: v_dual_add_f32 v5, v2, v1",
     OF_MODE(i.a | m.add(m.f(i.c), m.f(i.b)) << 32), As::pairF32, newer},
    // Steps of a division, with the quotient scaled back.
    {"s_mov_b64 vcc, -1\nv_div_fmas_f32 v4, v0, v1, v2", OF_MODE([&] {
       APFloat c = m.f(i.c);
       int field = exponentField(c.bitcastToAPInt().getZExtValue(), 23, 8);
       return m.fmaScaled(m.f(i.a), m.f(i.b), c, field > 127 ? 64 : -64);
     }()),
     As::f32, gfx9},
    {"s_mov_b64 vcc, -1\nv_div_fmas_f64 v[4:5], v[0:1], v[2:3], v[0:1]", OF_MODE([&] {
       APFloat c = m.d(i.ab());
       int field = exponentField(c.bitcastToAPInt().getZExtValue(), 52, 11);
       return m.fmaScaled(c, m.d(i.cd()), c, field > 1023 ? 128 : -128);
     }()),
     As::f64, gfx9},
    // Scalars
    {"v_readfirstlane_b32 s8, v0\nv_readfirstlane_b32 s9, v1\ns_mul_f32 s8, s8, s9\n"
     "v_mov_b32 v4, s8",
     OF_MODE(m.multiply(m.f(i.wave->a), m.f(i.wave->b))), As::f32, gfx12},
    {"v_readfirstlane_b32 s8, v0\ns_cvt_f32_u32 s8, s8\nv_mov_b32 v4, s8",
     OF_MODE(m.fromInteger(single, i.wave->a, false, m.rs())), As::f32, gfx12},
    {"v_readfirstlane_b32 s8, v0\nv_readfirstlane_b32 s9, v1\ns_add_f16 s8, s8, s9\n"
     "v_mov_b32 v4, s8\nv_and_b32 v4, 0xffff, v4",
     OF_MODE(m.add(m.h(i.wave->a), m.h(i.wave->b))), As::f16, gfx12},
    {"v_readfirstlane_b32 s8, v0\ns_cvt_f16_f32 s8, s8\nv_mov_b32 v4, s8\n"
     "v_and_b32 v4, 0xffff, v4",
     OF_MODE(m.convert(m.f(i.wave->a), narrow, m.ro())), As::f16, gfx12},
};

// Numbers at the edges of all three formats, and random ones that are near to each other.
std::vector<In> inputs() {
  const uint32_t edges[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                            0x80800001, 0x3f800000, 0xbf800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                            0xff800000, 0x7fc00000, 0x000fffff, 0x00100000, 0x80100001, 0x7fefffff,
                            0xffefffff, 0x7ff00000, 0x00018001, 0x03ff0400, 0x84018001, 0x7bfffbff,
                            0x7c00fc00, 0x3c013c00, 0x477fe001, 0x477ff000, 0x33000001, 0x387fe000,
                            0x36a00001, 0xffffffff, 0x7fffffff, 0xffff0000, 0x01000001};
  constexpr unsigned count = 1024;
  std::mt19937 random(77);
  auto value = [&]() -> uint32_t {
    switch (random() % 4) {
    case 0:
      return edges[random() % std::size(edges)];
    case 1: // products and sums of these are subnormal, or not
      return (random() & 0x80ffffff) | (0x1f000000 + (random() % 3 << 23));
    case 2:
      return (random() & 0x80ffffff) | 0x3f000000;
    default:
      return uint32_t(random());
    }
  };
  std::vector<In> list(count);
  for (In &i : list)
    i = {value(), value(), value(), random() % 4 ? value() : uint32_t(random() % 65)};
  return list;
}

// Both directions alike, and another one for the other types; subnormals in every way; and all at
// once.
std::vector<Mode> modes() {
  std::vector<Mode> list;
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t next : {0u, 1u})
      list.push_back({r | ((r + next) & 3) << 2 | 0xf0});
  for (uint32_t subnormals = 0; subnormals < 15; ++subnormals)
    list.push_back({subnormals << 4});
  for (uint32_t n = 1; n < 16; n += 2)
    list.push_back({n * 0x1b & 0xff});
  return list;
}

bool agree(As as, uint64_t got, uint64_t want) {
  auto isNan = [](const llvm::fltSemantics &type, uint64_t bits) {
    return APFloat(type, llvm::APInt(APFloat::getSizeInBits(type), bits, false, true)).isNaN();
  };
  auto are = [&](const llvm::fltSemantics &type, unsigned shift, uint64_t mask) {
    uint64_t a = got >> shift & mask, b = want >> shift & mask;
    return a == b || (isNan(type, a) && isNan(type, b));
  };
  switch (as) {
  case As::f32:
  case As::pairF32:
    return are(single, 0, 0xffffffff) && are(single, 32, 0xffffffff);
  case As::f64:
    return are(wide, 0, ~uint64_t(0));
  case As::f16:
    return got >> 16 == 0 && are(narrow, 0, 0xffff);
  case As::pairF16:
    return got >> 32 == 0 && are(narrow, 0, 0xffff) && are(narrow, 16, 0xffff);
  default:
    return got == want;
  }
}

class AmdsimModeCases : public testing::TestWithParam<std::pair<const char *, Where>> {};

TEST_P(AmdsimModeCases, RoundAndFlushAsLlvmDoes) {
  auto [cpu, where] = GetParam();
  std::vector<Source> kernels;
  std::vector<const ModeCase *> used;
  const std::vector<Mode> all = modes();
  for (const ModeCase &c : modeCases)
    if (c.where & where)
      used.push_back(&c);
  for (size_t m = 0; m < all.size(); ++m)
    for (size_t k = 0; k < used.size(); ++k)
      kernels.push_back(
          {.name = "k" + std::to_string(m) + "_" + std::to_string(k),
           .body = aroundInstruction(cpu, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), " +
                                              std::to_string(all[m].bits) + "\n" + used[k]->text)});
  Loaded loaded = load(cpu, assemble(cpu, kernels));
  ASSERT_TRUE(loaded.module);
  unsigned lanes = loaded.module->object().kernels()[0].lanes;
  std::vector<In> in = inputs();
  uint64_t x = upload(*loaded.device, wordsOf(in)),
           y = upload(*loaded.device, std::vector<uint64_t>(in.size()));
  for (size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    const Mode &mode = all[kernel / used.size()];
    const ModeCase &c = *used[kernel % used.size()];
    LaunchResult result =
        loaded.run(kernels[kernel].name, x, y, {.threads = {uint32_t(in.size()), 1, 1}});
    EXPECT_EQ(messages(result), "") << cpu << ": " << c.text;
    std::vector<uint64_t> out = download<uint64_t>(y, in.size());
    unsigned wrong = 0;
    for (size_t at = 0; at < in.size() && wrong < 2; ++at) {
      In i = in[at];
      i.wave = &in[at / lanes * lanes];
      uint64_t want = c.expected(i, mode);
      if (agree(c.as, out[at], want))
        continue;
      ++wrong;
      ADD_FAILURE() << std::hex << cpu << ", MODE " << mode.bits << ": " << c.text << "\n of "
                    << i.a << " " << i.b << " " << i.c << " " << i.d << " gives " << out[at]
                    << ", should be " << want;
    }
  }
}

// Conversions of 16 bits: all values in all directions.
TEST(AmdsimModes, AllConversionsOf16Bits) {
  const ModeCase cases[] = {
      {"v_cvt_f16_u16 v4, v0", OF_MODE(m.fromInteger(narrow, i.a, false, m.ro()))},
      {"v_cvt_f16_i16 v4, v0",
       OF_MODE(m.fromInteger(narrow, uint64_t(int16_t(i.a)), true, m.ro()))},
      {"v_cvt_f32_f16 v4, v0", OF_MODE(m.convert(m.h(i.a), single, m.rs()))}};
  constexpr unsigned atOnce = 1024, all = 65536;
  std::vector<Source> kernels;
  for (uint32_t r = 0; r < 4; ++r)
    for (const ModeCase &c : cases)
      kernels.push_back({.name = "k" + std::to_string(kernels.size()),
                         .body = aroundInstruction(
                             "gfx942", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), " +
                                           std::to_string(0xf0 | r | r << 2) + "\n" + c.text)});
  Loaded loaded = load("gfx942", assemble("gfx942", kernels));
  ASSERT_TRUE(loaded.module);
  std::vector<uint32_t> words(4 * all);
  for (uint32_t n = 0; n < all; ++n)
    words[4 * n] = n;
  uint64_t x = upload(*loaded.device, words);
  uint64_t y = upload(*loaded.device, std::vector<uint64_t>(all));
  for (uint32_t k = 0; k < kernels.size(); ++k) {
    const ModeCase &c = cases[k % std::size(cases)];
    const uint32_t r = k / uint32_t(std::size(cases));
    const Mode mode = {0xf0 | r | r << 2};
    for (unsigned first = 0; first < all; first += atOnce)
      EXPECT_EQ(messages(loaded.run(kernels[k].name, x + 16 * first, y + 8 * first,
                                    {.threads = {atOnce, 1, 1}})),
                "");
    std::vector<uint64_t> out = download<uint64_t>(y, all);
    for (uint32_t n = 0; n < all; ++n)
      if (uint64_t want = c.expected({n, 0, 0, 0}, mode); !agree(As::f32, out[n], want))
        ASSERT_EQ(out[n], want) << c.text << " of " << n << " in direction " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(All, AmdsimModeCases,
                         testing::Values(std::pair{"gfx942", Where(gfx9 | gfx942)},
                                         std::pair{"gfx90a", Where(gfx9 | gfx90a)},
                                         std::pair{"gfx1100", gfx11}, std::pair{"gfx1201", gfx12}),
                         [](const auto &info) { return std::string(info.param.first); });

// Stores of v2 after `text` in a MODE with these bits, of one lane; the finding's text if there is
// one.
std::string resultIn(uint32_t mode, const std::string &text, const std::string &cpu = "gfx950") {
  bool old = cpu.starts_with("gfx9");
  std::string set = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 24), " + std::to_string(mode) + "\n";
  std::string body = old ? "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                         : "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\n";
  body += "v_mov_b32 v1, 0\nv_mov_b32 v2, 0\n" + set + text +
          (old ? "\nglobal_store_dword v1, v2, s[6:7]" : "\nglobal_store_b32 v1, v2, s[6:7]");
  Loaded loaded = load(cpu, assemble(cpu, {{.name = "k", .body = body, .ldsBytes = 16}}));
  uint64_t out = upload(*loaded.device, std::vector<uint32_t>(64, 0));
  LaunchResult result = loaded.run("k", out, out, {.threads = {1, 1, 1}});
  if (!result.findings.empty())
    return result.findings[0].text;
  char text16[16];
  std::snprintf(text16, sizeof text16, "%x", download<uint32_t>(out, 1)[0]);
  return text16;
}
constexpr uint32_t overflows = 1u << 23 | 0xf0;

// MODE.FP16_OVFL: overflows are the largest finite number, but infinite operands and quotients by
// zero give infinities. 7bff is 65504, 7800 is 32768.
TEST(AmdsimModes, HalvesSaturate) {
  const std::string largest = "v_mov_b32 v3, 0x7bff7800\n", infinite = "v_mov_b32 v3, 0xfc00\n";
  EXPECT_EQ(resultIn(0xf0, largest + "v_add_f16 v2, v3, v3"), "7c00");
  EXPECT_EQ(resultIn(overflows, largest + "v_add_f16 v2, v3, v3"), "7bff");
  EXPECT_EQ(resultIn(overflows, largest + "v_add_f16 v2, -v3, -v3"), "fbff");
  EXPECT_EQ(resultIn(overflows, infinite + "v_add_f16 v2, v3, v3"), "fc00");
  EXPECT_EQ(resultIn(overflows, largest + "v_pk_add_f16 v2, v3, v3"), "7bff7bff");
  EXPECT_EQ(resultIn(overflows, "v_mov_b32 v3, 0x7c007800\nv_pk_mul_f16 v2, v3, v3"), "7c007bff");
  EXPECT_EQ(resultIn(overflows | 2 << 2, largest + "v_fma_f16 v2, v3, v3, v3"), "7bff");
  EXPECT_EQ(resultIn(overflows, "v_cvt_f16_f32 v2, 0x49742400"), "7bff"); // a million
  EXPECT_EQ(resultIn(overflows, "v_cvt_f16_f32 v2, 0x7f800000"), "7c00");
  EXPECT_EQ(resultIn(overflows, "v_mov_b32 v3, 0x7f800000\nv_mov_b32 v4, 0x49742400\n"
                                "v_cvt_pk_f16_f32 v2, v3, v4"),
            "7bff7c00");
  EXPECT_EQ(resultIn(overflows, "v_mov_b32 v3, 0x49742400\nv_fma_mixlo_f16 v2, v3, v3, 0"), "7bff");
  EXPECT_EQ(resultIn(overflows, "v_mov_b32 v3, 0x49742400\nv_fma_mixhi_f16 v2, v3, -v3, 0"),
            "fbff0000");
  EXPECT_EQ(resultIn(overflows, "v_mov_b32 v3, 1\nv_rcp_f16 v2, v3"), "7bff"); // of 2^-24
  EXPECT_EQ(resultIn(overflows, "v_rcp_f16 v2, 0"), "7c00");
  EXPECT_EQ(resultIn(overflows, "v_log_f16 v2, 0"), "fc00");
  EXPECT_EQ(resultIn(overflows, "v_div_fixup_f16 v2, 1.0, 0, 1.0"), "7c00");
  EXPECT_EQ(resultIn(overflows,
                     "s_mov_b32 s8, 0x7800\ns_add_f16 s8, s8, s8\nv_mov_b32 v2, s8\n"
                     "v_and_b32 v2, 0xffff, v2",
                     "gfx1201"),
            "7bff");
  EXPECT_EQ(resultIn(overflows,
                     "s_mov_b32 s8, 0\nv_s_rcp_f16 s8, s8\nv_mov_b32 v2, s8\n"
                     "v_and_b32 v2, 0xffff, v2",
                     "gfx1201"),
            "7c00");
}

// Atomic operations on LDS heed FP_DENORM, except of double precision.
TEST(AmdsimModes, SubnormalsInLds) {
  auto sum = [](uint32_t mode, const std::string &type, const std::string &old,
                const std::string &data) {
    std::string wide = type == "f64" ? "_b64 v1, v[4:5]" : "_b32 v1, v4";
    std::string from = type == "f64" ? "v[6:7]" : "v6";
    return resultIn(mode, "v_mov_b32 v4, " + old + "\nv_mov_b32 v6, " + data +
                              "\nv_mov_b32 v5, 0\nv_mov_b32 v7, 0\nds_write" + wide + "\nds_add_" +
                              type + " v1, " + from + "\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)");
  };
  // Half of the least normal number and a quarter, then three quarters of it from normal numbers.
  EXPECT_EQ(sum(0xf0, "f32", "0x400000", "0x200000"), "600000");
  EXPECT_EQ(sum(0xe0, "f32", "0x400000", "0x200000"), "0");
  EXPECT_EQ(sum(0xd0, "f32", "0x400000", "0x600000"), "a00000");
  EXPECT_EQ(sum(0xd0, "f32", "0x400000", "0x200000"), "0");
  EXPECT_EQ(sum(0xe0, "f32", "0x81000000", "0xc00000"), "80400000");
  EXPECT_EQ(sum(0xc0, "f32", "0x81000000", "0xc00000"), "80000000");
  EXPECT_EQ(sum(0x00, "f64", "5", "6"), "b");
  // Rounding is to the nearest value in each direction: 1 + 2^-24.
  EXPECT_EQ(sum(0xf1, "f32", "1.0", "0x33800000"), "3f800000");
}

// Only without subnormal results and outside of IEEE mode: 0xd0 allows subnormal operands of single
// precision, 0xb0 none.
TEST(AmdsimModes, OutputModifiers) {
  const std::string three = "v_mov_b32 v3, 0x40400000\n", add = three + "v_add_f32 v2, v3, v3 ";
  EXPECT_EQ(resultIn(0xd0, add + "mul:2"), "41400000");
  EXPECT_EQ(resultIn(0xc0, add + "mul:4"), "41c00000");
  EXPECT_EQ(resultIn(0xd0, add + "div:2"), "40400000");
  EXPECT_EQ(resultIn(0xd0, add + "clamp mul:2"), "3f800000");
  EXPECT_EQ(resultIn(0xf0, add + "mul:2"), "40c00000");          // results may be subnormal
  EXPECT_EQ(resultIn(0xd0 | 1 << 9, add + "mul:2"), "40c00000"); // IEEE
  EXPECT_EQ(resultIn(0xd0, "v_mul_f32 v2, 0, -1.0 mul:2"), "0");
  EXPECT_EQ(resultIn(0xd0, "v_mul_f32 v2, 0, -1.0"), "80000000");
  // Results: the least normal number's half becomes zero, and overflows are as MODE rounds.
  EXPECT_EQ(resultIn(0xd0, "v_mov_b32 v3, 0x80800000\nv_mul_f32 v2, v3, 1.0 div:2"), "80000000");
  EXPECT_EQ(resultIn(0xd0, "v_mov_b32 v3, 0x7f000000\nv_mul_f32 v2, v3, 1.0 mul:4"), "7f800000");
  EXPECT_EQ(resultIn(0xd3, "v_mov_b32 v3, 0x7f000000\nv_mul_f32 v2, v3, 1.0 mul:4"), "7f7fffff");
  EXPECT_EQ(resultIn(0x70, "v_mov_b32 v3, 0x4200\nv_add_f16 v2, v3, v3 mul:2"), "4a00");
  EXPECT_EQ(resultIn(0x70, "v_mov_b32 v3, 0x7800\nv_mul_f16 v2, v3, 1.0 mul:4"), "7c00");
  EXPECT_EQ(resultIn(0x70 | 1 << 23, "v_mov_b32 v3, 0x7800\nv_mul_f16 v2, v3, 1.0 mul:4"), "7bff");
  EXPECT_EQ(resultIn(0x70, "v_add_f64 v[4:5], 1.0, 2.0 mul:4\nv_mov_b32 v2, v5"), "40280000");
  // It is not known whether these are judged before they are scaled.
  const std::string unknown = "an output modifier of a result that is subnormal or infinite before "
                              "it is not emulated";
  EXPECT_EQ(resultIn(0xd0, "v_mov_b32 v3, 0x400000\nv_mul_f32 v2, v3, 1.0 mul:2"), unknown);
  EXPECT_EQ(resultIn(0xd0, "v_mov_b32 v3, 0x7f000000\nv_mul_f32 v2, v3, v3 div:2"), unknown);
}

// How these round in other directions is not published. To the nearest value they do what they did.
TEST(AmdsimModes, UnknownRoundingIsRefused) {
  const std::string unknown = "how this instruction rounds while MODE has another direction than "
                              "the nearest even value is not known";
  const char *texts[] = {"v_dot2_f32_f16 v2, v1, v1, v1", "v_cvt_pk_bf16_f32 v2, v1, v1",
                         "v_cvt_pk_f16_f32 v2, v1, v1", "v_div_fixup_f32 v2, v1, 1.0, v1",
                         "v_div_scale_f32 v2, vcc, v1, 1.0, v1"};
  for (const char *text : texts) {
    EXPECT_EQ(resultIn(0xf1, text), unknown) << text;
    EXPECT_EQ(resultIn(0xf4, text), unknown) << text;
    EXPECT_EQ(resultIn(0xf0, text).find("round"), std::string::npos) << text;
  }
  EXPECT_EQ(resultIn(0xf1, "v_dual_mov_b32 v3, v2 :: v_dual_dot2acc_f32_f16 v2, v1, v1", "gfx1201"),
            unknown);
}

// A mixed multiply-add with a half as its result rounds to single precision first: with both
// directions alike that is one rounding. 0x3f801001 is 1 + 2^-11 + 2^-23.
TEST(AmdsimModes, MixedMultiplyAddsRoundTwice) {
  const std::string mix = "v_mov_b32 v3, 0x3f801001\nv_fma_mixlo_f16 v2, v3, 1.0, 0";
  EXPECT_EQ(resultIn(0xf0, mix), "3c01");
  EXPECT_EQ(resultIn(0xf5, mix), "3c01");
  EXPECT_EQ(resultIn(0xfa, mix), "3c00");
  EXPECT_EQ(resultIn(0xff, mix), "3c00");
  EXPECT_EQ(resultIn(0xf1, mix),
            "a mixed multiply-add whose two directions in MODE differ is not emulated");
  EXPECT_EQ(resultIn(0xf1, "v_fma_mix_f32 v2, 1.0, 1.0, 0"), "3f800000");
}

TEST(AmdsimModes, BeginAsTheDescriptorSays) {
  auto run = [](uint32_t mode, const std::string &text) {
    std::string body = "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                       "v_mov_b32 v1, 0\nv_mov_b32 v3, 0x33000000\nv_mov_b32 v4, 0x400000\n" +
                       text + "\nglobal_store_dword v1, v2, s[6:7]";
    Loaded loaded = load("gfx942", assemble("gfx942", {{.name = "k", .body = body, .mode = mode}}));
    uint64_t out = upload(*loaded.device, std::vector<uint32_t>(1, 0));
    EXPECT_EQ(messages(loaded.run("k", out, out, {.threads = {1, 1, 1}})), "") << text;
    return download<uint32_t>(out, 1)[0];
  };
  EXPECT_EQ(run(0xf0, "v_add_f32 v2, 1.0, v3"), 0x3f800000u);
  EXPECT_EQ(run(0xf1, "v_add_f32 v2, 1.0, v3"), 0x3f800001u);
  EXPECT_EQ(run(0xf4, "v_add_f32 v2, 1.0, v3"), 0x3f800000u);
  EXPECT_EQ(run(0xf4, "v_cvt_f16_f32 v2, v3"), 1u);
  EXPECT_EQ(run(0xf1, "v_cvt_f16_f32 v2, v3"), 0u); // half of the least number, to the even one
  EXPECT_EQ(run(0xf0, "v_add_f32 v2, v4, v4"), 0x800000u);
  EXPECT_EQ(run(0xe0, "v_add_f32 v2, v4, v4"), 0u);
  EXPECT_EQ(run(0xd0, "v_mul_f32 v2, 0.5, v4"), 0u);
}

// Other waves, and the host's own code, round to the nearest value.
TEST(AmdsimModes, DirectionsAreOfOneWave) {
  std::string body = "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                     "v_lshlrev_b32 v1, 2, v0\nv_cmp_gt_u32 vcc, 64, v0\ns_cbranch_vccz others\n"
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\nothers:\n"
                     "v_mov_b32 v2, 1.0\ns_movk_i32 s8, 500\nagain:\n"
                     "v_add_f32 v2, 0x33000000, v2\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\n"
                     "s_cbranch_scc1 again\nglobal_store_dword v1, v2, s[6:7]";
  Loaded loaded = load("gfx942", assemble("gfx942", {{.name = "k", .body = body}}));
  uint64_t out = upload(*loaded.device, std::vector<uint32_t>(128, 0));
  EXPECT_EQ(messages(loaded.run("k", out, out, {.threads = {128, 1, 1}})), "");
  for (uint32_t thread = 0; thread < 128; ++thread) // upward each sum is the next number
    ASSERT_EQ(download<uint32_t>(out, 128)[thread], 0x3f800000u + (thread < 64 ? 500 : 0));
  volatile float one = 1, tiny = 0x1p-40f;
  EXPECT_EQ(one + tiny, 1.0f);
}

// A launch neither takes over how its caller rounds nor changes it, whatever MODE says.
TEST(AmdsimModes, TheCallersRoundingIsItsOwn) {
  for (uint32_t mode : {0xf0u, 0xf1u}) {
    std::string body = "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v1, 0\n"
                       "v_mov_b32 v3, 0x33000000\nv_add_f32 v2, 1.0, v3\n"
                       "global_store_dword v1, v2, s[6:7]";
    Loaded loaded = load("gfx942", assemble("gfx942", {{.name = "k", .body = body, .mode = mode}}));
    uint64_t out = upload(*loaded.device, std::vector<uint32_t>(1, 0));
    ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
    std::string said = messages(loaded.run("k", out, out, {.threads = {1, 1, 1}}));
    int rounding = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(said, "");
    EXPECT_EQ(rounding, FE_UPWARD);
    EXPECT_EQ(download<uint32_t>(out, 1)[0], mode == 0xf0 ? 0x3f800000u : 0x3f800001u);
  }
}

} // namespace
} // namespace tilerun::amdsim::tests
