// Matrix instructions of gfx950 that take formats of 4 and 8 bits, with and without scales.
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/MatrixMaps.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <cmath>

namespace tilerun::amdsim::tests {
namespace {

// The instructions that take formats: their selectors, the maps of elements, and scales, which are
// byte `byte` of a word and the other bytes of it nonsense.
struct Narrow {
  Format format;
  bool isFour;
  const char *selector;
  unsigned bits() const { return isFour ? 4 : 8; }
};
constexpr Narrow narrows[] = {
    {Format::fp8, false, "0"}, {Format::bf8, false, "1"}, {Format::fp8, true, "4"}};

Map narrowOperand(unsigned size, bool isFour) {
  if (size == 32)
    return {isFour ? alongK({1, 2, 4, 8, 16}) : alongK({1, 2, 4, 8, 32}),
            steps({1, 2, 4, 8, 16}, {isFour ? 32u : 16u})};
  return {isFour ? alongK({1, 2, 4, 8, 16}) : alongK({1, 2, 4, 8, 64}),
          isFour ? steps({1, 2, 4, 8}, {32, 64}) : steps({1, 2, 4, 8}, {16, 32})};
}
// Of both rows and columns: every format holds them exactly.
double narrowValue(unsigned row, unsigned k, unsigned salt) {
  constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6};
  return values[(row * 7 + k * 5 + salt) % std::size(values)];
}
uint32_t encodeNarrow(const Narrow &narrow, double value) {
  if (!narrow.isFour)
    return floatToFloat8(float(value), narrow.format == Format::fp8 ? 4 : 5, false, false);
  constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint32_t code = 0; code < 8; ++code)
    if (values[code] == std::abs(value))
      return code | (value < 0 ? 8 : 0);
  return 0;
}
int scaleAt(unsigned row, unsigned block, unsigned salt) {
  return 126 + int((row * 3 + block * 5 + salt) % 3);
}

void checkNarrow(unsigned size, const Narrow &a, const Narrow &b, int byte) {
  const unsigned depth = size == 32 ? 64 : 128, results = size * size / 64;
  const unsigned wordsA = a.bits(), wordsB = b.bits(); // of 32 elements
  const bool isScaled = byte >= 0;
  // Registers 8...: A, 16...: B, 24 and 25: scales, 40...: C and D.
  std::string body = "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\n"
                     "s_waitcnt lgkmcnt(0)\n";
  auto at = [](unsigned word) { return " offset:" + std::to_string(word * 256) + "\n"; };
  for (unsigned word = 0; word < 8; ++word) {
    body += "global_load_dword v" + std::to_string(8 + word) + ", v1, s[4:5]" + at(word);
    body += "global_load_dword v" + std::to_string(16 + word) + ", v1, s[4:5]" + at(8 + word);
  }
  body += "v_add_u32 v2, 0x1000, v1\nglobal_load_dword v24, v2, s[4:5]\n"
          "global_load_dword v25, v2, s[4:5] offset:256\ns_waitcnt vmcnt(0)\n";
  for (unsigned reg = 0; reg < results; ++reg)
    body += "v_mov_b32 v" + std::to_string(40 + reg) + ", 1.0\n";
  const std::string d = range(40, results), k = size == 32 ? "32x32x64" : "16x16x128";
  body += std::string("v_mfma_") + (isScaled ? "scale_" : "") + "f32_" + k + "_f8f6f4 " + d + ", " +
          range(8, wordsA) + ", " + range(16, wordsB) + ", " + d;
  if (isScaled) {
    const std::string low = std::to_string(byte & 1), high = std::to_string(byte >> 1),
                      other = std::to_string(1 - (byte & 1));
    // B's scales are one byte away from A's.
    body +=
        ", v24, v25 op_sel:[" + low + "," + other + ",0] op_sel_hi:[" + high + "," + high + ",0]";
  }
  body += std::string(" cbsz:") + a.selector + " blgp:" + b.selector + "\ns_nop 7\ns_nop 7\n";
  for (unsigned reg = 0; reg < results; ++reg)
    body += "global_store_dword v1, v" + std::to_string(40 + reg) + ", s[6:7]" + at(reg);
  Loaded loaded = load("gfx950", assemble("gfx950", {{.name = "k", .body = body}}));
  std::vector<uint32_t> in(18 * 64);
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (const auto &[narrow, first, salt] : {std::tuple(&a, 0u, 0u), std::tuple(&b, 8u, 3u)})
      for (unsigned element = 0; element < 32; ++element) {
        Bit place = narrowOperand(size, narrow->isFour).at(element, lane);
        in[(first + element * narrow->bits() / 32) * 64 + lane] |=
            encodeNarrow(*narrow, narrowValue(place.first, place.second, salt))
            << element * narrow->bits() % 32;
      }
    auto scale = [&](unsigned salt, int place) {
      return 0x5a5a5a5au ^
             ((0x5au ^ unsigned(scaleAt(lane % size, lane / size, salt))) << 8 * place);
    };
    in[16 * 64 + lane] = scale(1, std::max(byte, 0));
    in[17 * 64 + lane] = scale(2, std::max(byte, 0) ^ 1);
  }
  uint64_t x = upload(*loaded.device, in),
           y = upload(*loaded.device, std::vector<uint32_t>(results * 64));
  LaunchResult result = loaded.run("k", x, y, {.threads = {64, 1, 1}});
  ASSERT_EQ(messages(result), "") << body;
  EXPECT_EQ(result.counters.matrixFlops, 2ull * size * size * depth);
  std::vector<float> out = download<float>(y, results * 64);
  const Map map = size == 32 ? result32() : result16();
  for (unsigned reg = 0; reg < results; ++reg)
    for (unsigned lane = 0; lane < 64; ++lane) {
      Bit place = map.at(reg, lane);
      double sum = 1; // exact: all are multiples of a small power of two
      for (unsigned inner = 0; inner < depth; ++inner)
        sum += narrowValue(place.first, inner, 0) * narrowValue(place.second, inner, 3) *
               (isScaled ? std::ldexp(1.0, scaleAt(place.first, inner / 32, 1) +
                                               scaleAt(place.second, inner / 32, 2) - 254)
                         : 1.0);
      ASSERT_EQ(double(out[reg * 64 + lane]), sum)
          << size << " " << a.selector << " " << b.selector << " byte " << byte << " row "
          << place.first << " column " << place.second;
    }
}

TEST(AmdsimMatrix, FormatsAndScales) {
  for (unsigned size : {16u, 32u})
    for (const Narrow &a : narrows)
      for (const Narrow &b : narrows)
        for (int byte = -1; byte < 4; ++byte)
          checkNarrow(size, a, b, byte);
}

// A scale of all ones is not a number, and that of 0 is 2^-127.
TEST(AmdsimMatrix, ScalesAtTheEnds) {
  auto run = [](const std::string &scale) {
    std::string body;
    for (unsigned reg = 8; reg < 24; ++reg)
      body += "v_mov_b32 " + range(reg, 1) + ", 0x38383838\n"; // ones
    body += "v_mov_b32 v24, " + scale +
            "\nv_mov_b32 v25, 0xfe\n"
            "v_mfma_scale_f32_16x16x128_f8f6f4 v[28:31], v[8:15], v[16:23], 0, v24, v25 "
            "op_sel_hi:[0,0,0]\ns_nop 7\ns_nop 7\nv_mov_b32 v4, v28";
    Loaded loaded = load(
        "gfx950", assemble("gfx950", {{.name = "k", .body = aroundInstruction("gfx950", body)}}));
    uint64_t x = upload(*loaded.device, std::vector<uint32_t>(256)),
             y = upload(*loaded.device, std::vector<uint64_t>(64));
    EXPECT_EQ(messages(loaded.run("k", x, y, {.threads = {64, 1, 1}})), "");
    return std::bit_cast<float>(uint32_t(download<uint64_t>(y, 1)[0]));
  };
  EXPECT_EQ(run("0"), 128.0f);
  EXPECT_EQ(run("1"), 256.0f);
  EXPECT_TRUE(std::isnan(run("0xff")));
}

} // namespace
} // namespace tilerun::amdsim::tests
