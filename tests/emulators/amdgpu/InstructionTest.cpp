// Single instructions on edge values and random ones, against functions written here for one lane.
// Each case is a kernel around the instruction; all kernels of an architecture are one code object.
#include "emulators/amdgpu/Program.h"
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tilerun::amdsim::tests {

std::vector<Case> allCases() {
  std::vector<Case> all;
  for (const auto *list : {&mixedCases(), &integerCases(), &floatCases(), &packedCases()})
    all.insert(all.end(), list->begin(), list->end());
  return all;
}

namespace {

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
  case As::nearF16: { // one unit in the last place
    float a = half(uint32_t(got)), b = half(uint32_t(want));
    if (a != a || b != b)
      return a != a && b != b;
    return std::fabs(a - b) <= std::fmax(std::fabs(b) * 0x1p-10f, 0x1p-24f);
  }
  case As::estimateF64: {
    double a = std::bit_cast<double>(got), b = std::bit_cast<double>(want);
    if (a != a || b != b)
      return a != a && b != b;
    return a == b || std::fabs(a - b) <= std::fabs(b) * 0x1p-24;
  }
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
  static const std::vector<Case> all = allCases();
  for (const Case &c : all) {
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
  uint64_t x = upload(*loaded.device, wordsOf(in)),
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
                                         std::pair{"gfx950", Where(gfx9 | gfx950)},
                                         std::pair{"gfx90a", Where(gfx9 | gfx90a)},
                                         std::pair{"gfx1100", gfx11}, std::pair{"gfx1201", gfx12}),
                         [](const auto &info) { return std::string(info.param.first); });

} // namespace
} // namespace tilerun::amdsim::tests
