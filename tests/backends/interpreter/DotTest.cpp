// Matrix products in every type and precision against float64 and exact integers.
#include "tests/backends/interpreter/Elementwise.h"

using namespace tilerun;
using namespace tilerun::harness;
using llvm::APFloat;

namespace {

struct Case {
  std::string name, a, b, c, precision;
  int64_t batch, m, n, k;
  double tolerance; ///< Relative to Σ |a·b|.
};

const Case kCases[] = {
    {"f32", "f32", "f32", "f32", "ieee", 1, 32, 64, 16, 1e-6},
    {"f32_odd", "f32", "f32", "f32", "ieee", 1, 3, 5, 7, 1e-6},
    {"f32_row", "f32", "f32", "f32", "ieee", 1, 1, 64, 33, 1e-6},
    {"f32_column", "f32", "f32", "f32", "ieee", 1, 64, 1, 32, 1e-6},
    {"f32_batched", "f32", "f32", "f32", "ieee", 4, 16, 32, 8, 1e-6},
    {"tf32", "f32", "f32", "f32", "tf32", 1, 32, 32, 32, 2e-3},
    {"tf32x3", "f32", "f32", "f32", "tf32x3", 1, 16, 16, 16, 1e-6},
    {"bf16x3", "f32", "f32", "f32", "bf16x3", 1, 16, 16, 16, 1e-6},
    {"bf16x6", "f32", "f32", "f32", "bf16x6", 1, 16, 16, 16, 1e-6},
    {"f64", "f64", "f64", "f64", "ieee", 1, 16, 24, 32, 1e-15},
    {"f32_into_f64", "f32", "f32", "f64", "ieee", 1, 16, 16, 32, 1e-15},
    {"f16_into_f32", "f16", "f16", "f32", "ieee", 1, 32, 32, 64, 1e-6},
    {"f16_into_f16", "f16", "f16", "f16", "ieee", 1, 32, 32, 64, 1e-3},
    {"bf16_into_f32", "bf16", "bf16", "f32", "ieee", 2, 16, 16, 32, 1e-6},
    {"e5m2", "f8E5M2", "f8E5M2", "f32", "ieee", 1, 16, 16, 32, 1e-6},
    {"e4m3", "f8E4M3FN", "f8E4M3FN", "f32", "ieee", 1, 16, 16, 32, 1e-6},
    {"e4m3_e5m2", "f8E4M3FN", "f8E5M2", "f32", "ieee", 1, 16, 16, 32, 1e-6},
    {"fnuz", "f8E4M3FNUZ", "f8E5M2FNUZ", "f32", "ieee", 1, 16, 16, 32, 1e-6},
    {"e5m2_into_f16", "f8E5M2", "f8E5M2", "f16", "ieee", 1, 16, 16, 32, 1e-3},
    {"i8", "i8", "i8", "i32", "ieee", 1, 32, 32, 64, 0},
    {"i8_batched", "i8", "i8", "i32", "ieee", 3, 5, 6, 7, 0},
};

std::string product(const Case &c) {
  auto tensor = [&](int64_t rows, int64_t columns, const std::string &type) {
    return "tensor<" + (c.batch > 1 ? std::to_string(c.batch) + "x" : "") + std::to_string(rows) +
           "x" + std::to_string(columns) + "x" + type + ">";
  };
  // Pointers by a dense constant of offsets, so that sizes need not be powers of two.
  auto pointers = [&](const std::string &name, int64_t rows, int64_t columns,
                      const std::string &type) {
    const int64_t count = c.batch * rows * columns;
    std::string offsets;
    for (int64_t i = 0; i < count; ++i)
      offsets += (i ? ", " : "") + std::to_string(i);
    const std::string flat = "tensor<" + std::to_string(count) + "x";
    const std::string pointer = "!tile.ptr<" + type + ">";
    return "  %" + name + "o0 = arith.constant dense<[" + offsets + "]> : " + flat + "i32>\n  %" +
           name + "o = tile.reshape %" + name + "o0 : " + flat + "i32> -> " +
           tensor(rows, columns, "i32") + "\n  %" + name + "s = tile.splat %" + name + " : " +
           pointer + " -> " + tensor(rows, columns, pointer) + "\n  %" + name +
           "p = tile.addptr %" + name + "s, %" + name + "o : " + tensor(rows, columns, pointer) +
           ", " + tensor(rows, columns, "i32") + "\n  %" + name + "v = tile.load %" + name +
           "p : " + tensor(rows, columns, pointer) + "\n";
  };
  return "func.func @k(%a: !tile.ptr<" + c.a + ">, %b: !tile.ptr<" + c.b + ">, %c: !tile.ptr<" +
         c.c + ">) attributes {tile.kernel} {\n" + pointers("a", c.m, c.k, c.a) +
         pointers("b", c.k, c.n, c.b) + pointers("c", c.m, c.n, c.c) +
         "  %d = tile.dot %av, %bv, %cv precision " + c.precision + " : " + tensor(c.m, c.k, c.a) +
         ", " + tensor(c.k, c.n, c.b) + " -> " + tensor(c.m, c.n, c.c) +
         "\n  tile.store %cp, %d : " + tensor(c.m, c.n, "!tile.ptr<" + c.c + ">") +
         "\n  return\n}\n";
}

std::vector<uint8_t> pack(const Bits &values, const std::string &type) {
  std::vector<uint8_t> bytes;
  for (uint64_t value : values)
    bytes.insert(bytes.end(), reinterpret_cast<uint8_t *>(&value),
                 reinterpret_cast<uint8_t *>(&value) + bytesOf(type));
  return bytes;
}

double valueOf(const std::string &type, uint64_t bits) {
  return type[0] == 'i' ? double(llvm::APInt(widthOf(type), bits).getSExtValue())
                        : toDouble(type, bits);
}

class Dot : public ::testing::TestWithParam<Case> {};

TEST_P(Dot, MatchesFloat64) {
  const Case &c = GetParam();
  Machine machine;
  Random random;
  auto make = [&](const std::string &type, int64_t count) {
    return type[0] == 'i' ? randomIntegers(random, type, count)
                          : uniformFloats(random, type, count, -2, 2);
  };
  const Bits a = make(c.a, c.batch * c.m * c.k), b = make(c.b, c.batch * c.k * c.n),
             acc = make(c.c, c.batch * c.m * c.n);
  const uint64_t pa = machine.put(pack(a, c.a)), pb = machine.put(pack(b, c.b)),
                 pc = machine.put(pack(acc, c.c));
  machine.run(product(c), {ptr(pa), ptr(pb), ptr(pc)});
  const auto bytes = machine.get<uint8_t>(pc, acc.size() * bytesOf(c.c));
  for (int64_t s = 0; s < c.batch; ++s)
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        const size_t at = (s * c.m + i) * c.n + j;
        uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + at * bytesOf(c.c), bytesOf(c.c));
        long double expected = valueOf(c.c, acc[at]), magnitude = std::fabs(expected);
        uint32_t wrapped = uint32_t(acc[at]);
        for (int64_t k = 0; k < c.k; ++k) {
          const uint64_t x = a[(s * c.m + i) * c.k + k], y = b[(s * c.k + k) * c.n + j];
          const long double term = (long double)valueOf(c.a, x) * valueOf(c.b, y);
          expected += term;
          magnitude += std::fabs(term);
          wrapped += uint32_t(int32_t(int8_t(x)) * int32_t(int8_t(y)));
        }
        if (c.c == "i32")
          ASSERT_EQ(bits, wrapped) << s << ", " << i << ", " << j;
        else
          ASSERT_NEAR(toDouble(c.c, bits), double(expected), double(c.tolerance * magnitude))
              << s << ", " << i << ", " << j;
      }
}
INSTANTIATE_TEST_SUITE_P(All, Dot, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

TEST(DotPrecision, TF32RoundsOperandsToTenBits) {
  Machine machine;
  // 1 + 2^-11 is a tie and goes away from zero to 1 + 2^-10; 1 + 2^-12 is lost; NaN and infinity
  // stay.
  const Bits a{round("f32", APFloat(1 + 0x1p-11)), round("f32", APFloat(1 + 0x1p-12)),
               round("f32", APFloat(-(1 + 0x1p-11))), 0x7fffffff};
  const Case c{"", "f32", "f32", "f32", "tf32", 1, 4, 1, 1, 0};
  const uint64_t pa = machine.put(pack(a, "f32")), pb = machine.put(std::vector<float>{1}),
                 pc = machine.put(std::vector<float>(4, 0));
  machine.run(product(c), {ptr(pa), ptr(pb), ptr(pc)});
  const auto r = machine.get<float>(pc, 4);
  EXPECT_EQ(r[0], 1 + 0x1p-10f);
  EXPECT_EQ(r[1], 1);
  EXPECT_EQ(r[2], -(1 + 0x1p-10f));
  EXPECT_TRUE(std::isnan(r[3]));
}

TEST(DotPrecision, HalfAccumulatorRoundsOnce) {
  Machine machine;
  // 2048 + 64 · 0.5: every single addition would be lost in float16.
  const Case c{"", "f16", "f16", "f16", "ieee", 1, 1, 1, 64, 0};
  const uint64_t pa = machine.put(std::vector<uint16_t>(64, 0x3800)),
                 pb = machine.put(std::vector<uint16_t>(64, 0x3c00)),
                 pc = machine.put(std::vector<uint16_t>{0x6800});
  machine.run(product(c), {ptr(pa), ptr(pb), ptr(pc)});
  EXPECT_EQ(toDouble("f16", machine.get<uint16_t>(pc, 1)[0]), 2080);
}

} // namespace
