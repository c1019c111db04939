// Matrix instructions: maps of elements to registers and lanes, written here from the tables of the
// instructions as images of bits, independently of the emulator's formulas.
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/MatrixMaps.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <cmath>
#include <optional>

namespace tilerun::amdsim::tests {
namespace {

unsigned bitsOf(Format format) {
  return format == Format::f32 ? 32 : format == Format::f16 || format == Format::bf16 ? 16 : 8;
}

struct Shape {
  const char *cpu, *name;
  Format format;
  unsigned size, depth;
  Map operand, result; // (row, k) of A; (row, column) of D
  const char *modifiers = "";
  std::optional<Format> second = {}; // of B, if it is another one
};

Map resultWmma11() { return {steps({2, 4, 8}), {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}}}; }
Map resultWmma12() { return {steps({1, 2, 4}), {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}}}; }

const std::vector<Shape> shapes = {
    {"gfx942",
     "v_mfma_f32_32x32x2_f32",
     Format::f32,
     32,
     2,
     {{}, steps({1, 2, 4, 8, 16}, {1})},
     result32()},
    {"gfx942",
     "v_mfma_f32_16x16x4_f32",
     Format::f32,
     16,
     4,
     {{}, steps({1, 2, 4, 8}, {1, 2})},
     result16()},
    {"gfx942",
     "v_mfma_f32_32x32x8_f16",
     Format::f16,
     32,
     8,
     {alongK({1, 2}), steps({1, 2, 4, 8, 16}, {4})},
     result32()},
    {"gfx942",
     "v_mfma_f32_16x16x16_f16",
     Format::f16,
     16,
     16,
     {alongK({1, 2}), steps({1, 2, 4, 8}, {4, 8})},
     result16()},
    {"gfx942",
     "v_mfma_f32_32x32x8_bf16",
     Format::bf16,
     32,
     8,
     {alongK({1, 2}), steps({1, 2, 4, 8, 16}, {4})},
     result32()},
    {"gfx942",
     "v_mfma_f32_16x16x16_bf16",
     Format::bf16,
     16,
     16,
     {alongK({1, 2}), steps({1, 2, 4, 8}, {4, 8})},
     result16()},
    {"gfx942",
     "v_mfma_i32_32x32x16_i8",
     Format::i8,
     32,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8, 16}, {8})},
     result32()},
    {"gfx942",
     "v_mfma_i32_16x16x32_i8",
     Format::i8,
     16,
     32,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8, 16})},
     result16()},
    {"gfx942",
     "v_mfma_f32_32x32x16_fp8_fp8",
     Format::fp8,
     32,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8, 16}, {8})},
     result32()},
    {"gfx942",
     "v_mfma_f32_16x16x32_bf8_bf8",
     Format::bf8,
     16,
     32,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8, 16})},
     result16()},
    {"gfx950",
     "v_mfma_f32_32x32x16_f16",
     Format::f16,
     32,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8, 16}, {8})},
     result32()},
    {"gfx950",
     "v_mfma_f32_16x16x32_bf16",
     Format::bf16,
     16,
     32,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8, 16})},
     result16()},
    {"gfx1100",
     "v_wmma_f32_16x16x16_f16",
     Format::f16,
     16,
     16,
     {alongK({1, 2, 4, 8}), steps({1, 2, 4, 8, 0})},
     resultWmma11()},
    {"gfx1100",
     "v_wmma_f32_16x16x16_bf16",
     Format::bf16,
     16,
     16,
     {alongK({1, 2, 4, 8}), steps({1, 2, 4, 8, 0})},
     resultWmma11()},
    {"gfx1100",
     "v_wmma_i32_16x16x16_iu8",
     Format::i8,
     16,
     16,
     {alongK({1, 2, 4, 8}), steps({1, 2, 4, 8, 0})},
     resultWmma11(),
     " neg_lo:[1,1,0]"},
    {"gfx1201",
     "v_wmma_f32_16x16x16_f16",
     Format::f16,
     16,
     16,
     {alongK({1, 2, 8}), steps({1, 2, 4, 8}, {4})},
     resultWmma12()},
    {"gfx1201",
     "v_wmma_f32_16x16x16_bf16",
     Format::bf16,
     16,
     16,
     {alongK({1, 2, 8}), steps({1, 2, 4, 8}, {4})},
     resultWmma12()},
    {"gfx1201",
     "v_wmma_i32_16x16x16_iu8",
     Format::i8,
     16,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8})},
     resultWmma12(),
     " neg_lo:[1,1,0]"},
    {"gfx1201",
     "v_wmma_f32_16x16x16_fp8_fp8",
     Format::fp8,
     16,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8})},
     resultWmma12()},
    {"gfx942",
     "v_mfma_f32_32x32x4_xf32",
     Format::f32,
     32,
     4,
     {alongK({1}), steps({1, 2, 4, 8, 16}, {2})},
     result32()},
    {"gfx942",
     "v_mfma_f32_16x16x8_xf32",
     Format::f32,
     16,
     8,
     {alongK({1}), steps({1, 2, 4, 8}, {2, 4})},
     result16()},
    {"gfx950",
     "v_mfma_f32_16x16x32_f16",
     Format::f16,
     16,
     32,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8, 16})},
     result16()},
    {"gfx950",
     "v_mfma_f32_32x32x16_bf16",
     Format::bf16,
     32,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8, 16}, {8})},
     result32()},
    {"gfx90a",
     "v_mfma_i32_32x32x8i8",
     Format::i8,
     32,
     8,
     {alongK({1, 2}), steps({1, 2, 4, 8, 16}, {4})},
     result32()},
    {"gfx90a",
     "v_mfma_i32_16x16x16i8",
     Format::i8,
     16,
     16,
     {alongK({1, 2}), steps({1, 2, 4, 8}, {4, 8})},
     result16()},
    {"gfx950",
     "v_mfma_i32_32x32x32_i8",
     Format::i8,
     32,
     32,
     {alongK({1, 2, 4, 8}), steps({1, 2, 4, 8, 16}, {16})},
     result32()},
    {"gfx950",
     "v_mfma_i32_16x16x64_i8",
     Format::i8,
     16,
     64,
     {alongK({1, 2, 4, 8}), steps({1, 2, 4, 8}, {16, 32})},
     result16()},
    {"gfx942",
     "v_mfma_f32_16x16x32_fp8_fp8",
     Format::fp8,
     16,
     32,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8, 16})},
     result16(),
     "",
     Format::fp8},
    {"gfx950",
     "v_mfma_f32_32x32x16_fp8_bf8",
     Format::fp8,
     32,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8, 16}, {8})},
     result32(),
     "",
     Format::bf8},
    {"gfx942",
     "v_mfma_f32_16x16x32_fp8_bf8",
     Format::fp8,
     16,
     32,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8, 16})},
     result16(),
     "",
     Format::bf8},
    {"gfx1201",
     "v_wmma_f32_16x16x16_fp8_bf8",
     Format::fp8,
     16,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8})},
     resultWmma12(),
     "",
     Format::bf8},
    {"gfx950",
     "v_mfma_f32_32x32x16_bf8_fp8",
     Format::bf8,
     32,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8, 16}, {8})},
     result32(),
     "",
     Format::fp8},
    {"gfx942",
     "v_mfma_f32_16x16x32_bf8_fp8",
     Format::bf8,
     16,
     32,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8, 16})},
     result16(),
     "",
     Format::fp8},
    {"gfx1201",
     "v_wmma_f32_16x16x16_bf8_fp8",
     Format::bf8,
     16,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8})},
     resultWmma12(),
     "",
     Format::fp8},
    {"gfx950",
     "v_mfma_f32_32x32x16_bf8_bf8",
     Format::bf8,
     32,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8, 16}, {8})},
     result32(),
     "",
     Format::bf8},
    {"gfx1201",
     "v_wmma_f32_16x16x16_bf8_bf8",
     Format::bf8,
     16,
     16,
     {alongK({1, 2, 4}), steps({1, 2, 4, 8}, {8})},
     resultWmma12(),
     "",
     Format::bf8},
};

// Small integers, which every format holds and whose products' sums are exact.
int valueAt(unsigned row, unsigned k, unsigned salt) {
  return int((row * 7 + k * 5 + salt) % 9) - 4;
}

uint32_t encode(Format format, int value, bool isFnuz) {
  switch (format) {
  case Format::f32:
    return std::bit_cast<uint32_t>(float(value));
  case Format::f16:
    return floatToHalf(float(value));
  case Format::bf16:
    return floatToBfloat(float(value));
  case Format::i8:
    return uint8_t(value);
  case Format::fp8:
    return floatToFloat8(float(value), 4, isFnuz, false);
  case Format::bf8:
    return floatToFloat8(float(value), 5, isFnuz, false);
  }
  return 0;
}

TEST(AmdsimMatrix, MapsOfAllShapes) {
  for (const Shape &c : shapes) {
    bool old = std::string(c.cpu).starts_with("gfx9"),
         newest = std::string(c.cpu).starts_with("gfx12");
    unsigned lanes = old ? 64 : 32, bits = bitsOf(c.format);
    unsigned words = (1u << c.operand.registers.size()) * bits / 32,
             results = 1u << c.result.registers.size();
    // Registers 8...: A, 24...: B, 40...: C and D. The buffers are [register][lane].
    std::string body =
        (old ? "s_load_dwordx4" : "s_load_b128") +
        std::string(" s[4:7], s[0:1], 0x0\nv_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v0\n");
    body += newest ? "s_wait_kmcnt 0\n" : "s_waitcnt lgkmcnt(0)\n";
    auto access = [&](const char *what, unsigned reg, unsigned at, bool isStore) {
      std::string place = " offset:" + std::to_string(at * lanes * 4) + "\n",
                  v = "v" + std::to_string(reg);
      body += std::string("global_") + what + (old ? "_dword " : "_b32 ") +
              (isStore ? "v1, " + v + ", s[6:7]" : v + ", v1, s[4:5]") + place;
    };
    for (unsigned word = 0; word < words; ++word) {
      access("load", 8 + word, word, false);
      access("load", 24 + word, words + word, false);
    }
    body += newest ? "s_wait_loadcnt 0\n" : "s_waitcnt vmcnt(0)\n";
    for (unsigned reg = 0; reg < results; ++reg)
      body += "v_mov_b32 v" + std::to_string(40 + reg) + ", 1.0\n";
    if (c.format == Format::i8)
      for (unsigned reg = 0; reg < results; ++reg)
        body += "v_mov_b32 v" + std::to_string(40 + reg) + ", 1\n";
    std::string d = range(40, results);
    body += std::string(c.name) + " " + d + ", " + range(8, words) + ", " + range(24, words) +
            ", " + d + c.modifiers + "\ns_nop 7\ns_nop 7\n";
    for (unsigned reg = 0; reg < results; ++reg)
      access("store", 40 + reg, reg, true);
    Loaded loaded = load(c.cpu, assemble(c.cpu, {{.name = "k", .body = body}}));
    bool isFnuz = loaded.device->target().float8 == Float8::fnuz;
    std::vector<uint32_t> in(2 * words * lanes);
    for (unsigned element = 0; element < 1u << c.operand.registers.size(); ++element)
      for (unsigned lane = 0; lane < lanes; ++lane) {
        Bit place = c.operand.at(element, lane);
        unsigned word = element * bits / 32, shift = element * bits % 32;
        in[word * lanes + lane] |= encode(c.format, valueAt(place.first, place.second, 0), isFnuz)
                                   << shift;
        in[(words + word) * lanes + lane] |=
            encode(c.second.value_or(c.format), valueAt(place.first, place.second, 3), isFnuz)
            << shift;
      }
    uint64_t x = upload(*loaded.device, in),
             y = upload(*loaded.device, std::vector<uint32_t>(results * lanes));
    LaunchResult result = loaded.run("k", x, y, {.threads = {lanes, 1, 1}});
    EXPECT_EQ(messages(result), "") << c.name;
    EXPECT_EQ(result.counters.matrixFlops, 2ull * c.size * c.size * c.depth) << c.name;
    std::vector<uint32_t> out = download<uint32_t>(y, results * lanes);
    for (unsigned reg = 0; reg < results; ++reg)
      for (unsigned lane = 0; lane < lanes; ++lane) {
        Bit place = c.result.at(reg, lane);
        int sum = 1;
        for (unsigned k = 0; k < c.depth; ++k)
          sum += valueAt(place.first, k, 0) * valueAt(place.second, k, 3);
        uint32_t expected =
            c.format == Format::i8 ? uint32_t(sum) : std::bit_cast<uint32_t>(float(sum));
        ASSERT_EQ(out[reg * lanes + lane], expected)
            << c.cpu << " " << c.name << " row " << place.first << " column " << place.second;
      }
  }
}

// The first element of D = A * B + C with A of pairs (2, 3), B of ones and C of -5.
double firstElement(const std::string &cpu, const std::string &modifiers) {
  unsigned words = cpu == "gfx1100" ? 8 : 4;
  std::string body;
  for (unsigned word = 0; word < 8; ++word)
    body += "v_mov_b32 " + range(8 + word, 1) + ", 0x42004000\nv_mov_b32 " + range(24 + word, 1) +
            ", 0x3c003c00\nv_mov_b32 " + range(40 + word, 1) + ", 0xc0a00000\n";
  body += "v_wmma_f32_16x16x16_f16 v[40:47], " + range(8, words) + ", " + range(24, words) +
          ", v[40:47]" + modifiers + "\nv_mov_b32 v4, v40";
  Loaded loaded = load(cpu, assemble(cpu, {{.name = "k", .body = aroundInstruction(cpu, body)}}));
  uint64_t x = upload(*loaded.device, std::vector<uint32_t>(128)),
           y = upload(*loaded.device, std::vector<uint64_t>(32));
  EXPECT_EQ(messages(loaded.run("k", x, y, {.threads = {32, 1, 1}})), "");
  return std::bit_cast<float>(uint32_t(download<uint64_t>(y, 1)[0]));
}

TEST(AmdsimMatrix, SignsOfOperands) {
  for (const char *cpu : {"gfx1100", "gfx1201"}) {
    EXPECT_EQ(firstElement(cpu, ""), 8 * (2 + 3) - 5) << cpu;
    EXPECT_EQ(firstElement(cpu, " neg_lo:[1,0,0]"), 8 * (-2 + 3) - 5) << cpu;
    EXPECT_EQ(firstElement(cpu, " neg_hi:[0,1,0]"), 8 * (2 - 3) - 5) << cpu;
    EXPECT_EQ(firstElement(cpu, " neg_lo:[1,0,1] neg_hi:[1,0,0]"), -8 * (2 + 3) + 5) << cpu;
    EXPECT_EQ(firstElement(cpu, " neg_hi:[0,0,1]"), 8 * (2 + 3) + 5) << cpu;
    EXPECT_EQ(firstElement(cpu, " neg_lo:[0,0,1] neg_hi:[0,0,1]"), 8 * (2 + 3) - 5) << cpu;
  }
}

// All elements of A, of B and of C are one value each; the first element of D.
uint32_t productOf(const std::string &cpu, const std::string &name, uint32_t a, uint32_t b,
                   uint32_t c) {
  std::string body;
  auto set = [&](unsigned first, unsigned count, uint32_t bits) {
    for (unsigned reg = first; reg < first + count; ++reg)
      body += "v_mov_b32 " + range(reg, 1) + ", " + std::to_string(bits) + "\n";
  };
  set(8, 2, a);
  set(24, 2, b);
  set(40, 4, c);
  const bool isSingle = name.ends_with("f32");
  body += name + " v[40:43], " + range(8, isSingle ? 1 : 2) + ", " + range(24, isSingle ? 1 : 2) +
          ", v[40:43]\ns_nop 7\ns_nop 7\nv_mov_b32 v4, v40";
  Loaded loaded = load(cpu, assemble(cpu, {{.name = "k", .body = aroundInstruction(cpu, body)}}));
  uint64_t x = upload(*loaded.device, std::vector<uint32_t>(256)),
           y = upload(*loaded.device, std::vector<uint64_t>(64));
  EXPECT_EQ(messages(loaded.run("k", x, y, {.threads = {64, 1, 1}})), "");
  return uint32_t(download<uint64_t>(y, 1)[0]);
}

// The matrix units of gfx90a take and give zeros for subnormal numbers where operands have 16 bits;
// those of gfx942 do not.
TEST(AmdsimMatrix, SubnormalNumbers) {
  auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  constexpr uint32_t largeHalf = 0x7800'7800, oneHalf = 0x3c00'3c00, // 2^15, 1
      oneBfloat = 0x3f80'3f80, largeBfloat = 0x7f00'7f00,            // 1, 2^127
      smallestSingle = 1;
  const std::string half = "v_mfma_f32_16x16x16_f16", bfloat = "v_mfma_f32_16x16x16_bf16",
                    halfOld = "v_mfma_f32_16x16x16f16", bfloatOld = "v_mfma_f32_16x16x16bf16_1k";
  // A sum of 16 products: operands that are the largest subnormal and the smallest normal number.
  EXPECT_EQ(productOf("gfx942", half, 0x03ff'03ff, largeHalf, 0),
            bits(16 * 1023 * 0x1p-24f * 0x1p15f));
  EXPECT_EQ(productOf("gfx90a", halfOld, 0x03ff'03ff, largeHalf, 0), 0u);
  EXPECT_EQ(productOf("gfx90a", halfOld, largeHalf, 0x83ff'83ff, bits(3)), bits(3));
  EXPECT_EQ(productOf("gfx90a", halfOld, 0x0400'0400, largeHalf, 0), bits(16 * 0x1p-14f * 0x1p15f));
  EXPECT_EQ(productOf("gfx942", bfloat, 0x007f'007f, largeBfloat, 0),
            bits(16 * 127 * 0x1p-133f * 0x1p127f));
  EXPECT_EQ(productOf("gfx90a", bfloatOld, 0x007f'007f, largeBfloat, 0), 0u);
  EXPECT_EQ(productOf("gfx90a", bfloatOld, 0x0080'0080, largeBfloat, 0),
            bits(16 * 0x1p-126f * 0x1p127f));
  // C and D.
  EXPECT_EQ(productOf("gfx942", half, 0, oneHalf, smallestSingle), smallestSingle);
  EXPECT_EQ(productOf("gfx90a", halfOld, 0, oneHalf, smallestSingle), 0u);
  EXPECT_EQ(productOf("gfx942", bfloat, 0x0080'0080, oneBfloat, bits(-0x1.fp-123f)),
            bits(0x1p-127f));
  EXPECT_EQ(productOf("gfx90a", bfloatOld, 0x0080'0080, oneBfloat, bits(-0x1.fp-123f)), 0u);
  // Single precision keeps them.
  EXPECT_EQ(productOf("gfx90a", "v_mfma_f32_16x16x4f32", 0, bits(1), smallestSingle),
            smallestSingle);
}

TEST(AmdsimMatrix, WavesOf64LanesAreRefused) {
  std::string body;
  for (unsigned reg = 8; reg < 32; ++reg)
    body += "v_mov_b32 " + range(reg, 1) + ", 0\n";
  body += "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]";
  Loaded loaded =
      load("gfx1100", assemble("gfx1100", {{.name = "k", .body = body, .isWave64 = true}}));
  uint64_t x = upload(*loaded.device, std::vector<uint32_t>(64));
  LaunchResult result = loaded.run("k", x, x, {.threads = {64, 1, 1}});
  ASSERT_EQ(result.findings.size(), 1u) << messages(result);
  EXPECT_EQ(result.findings[0].kind, FindingKind::unsupported);
  EXPECT_EQ(result.findings[0].text,
            "this matrix instruction is emulated in waves of 32 lanes only");
}

TEST(AmdsimMatrix, DoublePrecision) {
  std::string body =
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 3, v0\ns_waitcnt lgkmcnt(0)\n"
      "global_load_dwordx2 v[8:9], v1, s[4:5]\nglobal_load_dwordx2 v[10:11], v1, s[4:5] "
      "offset:512\ns_waitcnt vmcnt(0)\n"
      "v_mfma_f64_16x16x4_f64 v[16:23], v[8:9], v[10:11], 0\ns_nop 7\ns_nop 7\n";
  for (unsigned reg = 0; reg < 4; ++reg)
    body += "global_store_dwordx2 v1, " + range(16 + 2 * reg, 2) +
            ", s[6:7] offset:" + std::to_string(512 * reg) + "\n";
  Loaded loaded = load("gfx942", assemble("gfx942", {{.name = "k", .body = body}}));
  std::vector<double> in(128);
  Map operand = {{}, steps({1, 2, 4, 8}, {1, 2})};
  Map result = {steps({4, 8}), {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}}};
  for (unsigned lane = 0; lane < 64; ++lane) {
    Bit place = operand.at(0, lane);
    in[lane] = valueAt(place.first, place.second, 0),
    in[64 + lane] = valueAt(place.first, place.second, 3);
  }
  uint64_t x = upload(*loaded.device, in), y = upload(*loaded.device, std::vector<double>(256));
  EXPECT_EQ(messages(loaded.run("k", x, y, {.threads = {64, 1, 1}})), "");
  std::vector<double> out = download<double>(y, 256);
  for (unsigned reg = 0; reg < 4; ++reg)
    for (unsigned lane = 0; lane < 64; ++lane) {
      Bit place = result.at(reg, lane);
      int sum = 0;
      for (unsigned k = 0; k < 4; ++k)
        sum += valueAt(place.first, k, 0) * valueAt(place.second, k, 3);
      ASSERT_EQ(out[reg * 64 + lane], sum) << reg << " " << lane;
    }
}

} // namespace

std::vector<std::string> matrixTexts() {
  std::vector<std::string> texts = {"v_mfma_f64_16x16x4_f64 v[16:23], v[8:9], v[10:11], 0"};
  for (const char *name : {"v_mfma_f32_32x32x64_f8f6f4", "v_mfma_f32_16x16x128_f8f6f4",
                           "v_mfma_scale_f32_32x32x64_f8f6f4", "v_mfma_scale_f32_16x16x128_f8f6f4"})
    texts.push_back(name);
  for (const Shape &c : shapes)
    texts.push_back(c.name);
  return texts;
}

} // namespace tilerun::amdsim::tests
