// Divisions as the compiler makes them (v_div_scale, v_div_fmas, v_div_fixup), against the host's:
// both are correctly rounded. And the fused step with its single rounding, against exact sums.
#include "emulators/amdgpu/Division.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <random>

namespace tilerun::amdsim::tests {
namespace {

// y[i] = x[2i] / x[2i + 1]
std::string divisionIr(const std::string &type) {
  std::string ir = R"(
define amdgpu_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = mul i32 %g, 256
  %i = add i32 %b, %t
  %j = zext i32 %i to i64
  %n = shl i64 %j, 1
  %m = or i64 %n, 1
  %p = getelementptr TYPE, ptr addrspace(1) %x, i64 %n
  %q = getelementptr TYPE, ptr addrspace(1) %x, i64 %m
  %a = load TYPE, ptr addrspace(1) %p
  %c = load TYPE, ptr addrspace(1) %q
  %d = fdiv TYPE %a, %c
  %r = getelementptr TYPE, ptr addrspace(1) %y, i64 %j
  store TYPE %d, ptr addrspace(1) %r
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="256,256" "denormal-fp-math-f32"="ieee" }
)";
  for (size_t at = 0; (at = ir.find("TYPE", at)) != std::string::npos;)
    ir.replace(at, 4, type);
  return ir;
}

// Pairs whose quotients are of every kind: of all exponents, subnormal, at the limits, ties. No
// divisor of double precision has a fraction of ones alone: there the compiler's steps are exact
// only if the estimate of the reciprocal is, which nothing promises.
template <class T> std::vector<T> pairs(size_t count) {
  using Bits = typename Division<T>::Bits;
  using Limits = std::numeric_limits<T>;
  const T edges[] = {0,
                     1,
                     3,
                     T(1) + Limits::epsilon(),
                     Limits::min(),
                     Limits::denorm_min(),
                     3 * Limits::denorm_min(),
                     Limits::min() - Limits::denorm_min(),
                     Limits::max(),
                     Limits::max() / 2,
                     Limits::infinity(),
                     Limits::quiet_NaN()};
  std::mt19937_64 random(11);
  auto value = [&]() -> T {
    uint64_t bits = random();
    T v = std::bit_cast<T>(Bits(random()));
    if (bits % 4 == 0)
      v = edges[bits / 4 % std::size(edges)];
    return bits >> 63 ? -v : v;
  };
  std::vector<T> list;
  while (list.size() < 2 * count) {
    T c = value(), b = value();
    // Half of them: quotients about the least and the largest numbers.
    if (list.size() % 4 == 0 && std::isnormal(b)) {
      int ignored = 0, edge = random() % 2 ? Limits::min_exponent : Limits::max_exponent;
      c = std::ldexp(std::frexp(std::isfinite(c) ? c : 1, &ignored),
                     std::ilogb(b) + edge + int(random() % 60) - 30);
    }
    constexpr uint64_t ones = (uint64_t(1) << 52) - 1;
    if (std::is_same_v<T, double> && std::isfinite(b) &&
        (std::bit_cast<Bits>(b) & Bits(ones)) == Bits(ones))
      b = std::nextafter(b, T(0));
    list.insert(list.end(), {c, b});
  }
  return list;
}

template <class T> void divide(const std::string &type) {
  constexpr size_t count = 2048;
  std::vector<T> in = pairs<T>(count);
  for (const char *cpu : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}) {
    Loaded loaded = load(cpu, compile(cpu, divisionIr(type)));
    uint64_t x = upload(*loaded.device, in), y = upload(*loaded.device, std::vector<T>(count));
    EXPECT_EQ(
        messages(loaded.run("k", x, y, {.grid = {count / 256, 1, 1}, .threads = {256, 1, 1}})), "")
        << cpu;
    std::vector<T> out = download<T>(y, count);
    for (size_t at = 0; at < count; ++at) {
      T want = in[2 * at] / in[2 * at + 1];
      if (want != want) {
        EXPECT_NE(out[at], out[at]) << cpu << ": " << in[2 * at] << " / " << in[2 * at + 1];
        continue;
      }
      ASSERT_EQ(out[at], want) << cpu << ": " << in[2 * at] << " / " << in[2 * at + 1];
      ASSERT_EQ(std::signbit(out[at]), std::signbit(want)) << cpu << " element " << at;
    }
  }
}

TEST(AmdsimDivision, OfSingles) { divide<float>("float"); }
TEST(AmdsimDivision, OfDoubles) { divide<double>("double"); }

// What the last step gives where the steps before overflowed or lost everything.
TEST(AmdsimDivision, FixupOfLargeAndSmallQuotients) {
  const float nan = NAN;
  EXPECT_EQ(wideDivisionFixup(nan, 0x1p-10f, 0x1p119f), INFINITY);
  EXPECT_EQ(wideDivisionFixup(nan, -0x1p-10f, 0x1p119f), -INFINITY);
  EXPECT_EQ(wideDivisionFixup(0x1p127f, 0x1.8p-10f, 0x1p118f), 0x1p127f); // 128: may be finite
  EXPECT_EQ(wideDivisionFixup(nan, 0x1p100f, 0x1p-51f), 0.0f);
  EXPECT_TRUE(std::signbit(wideDivisionFixup(nan, 0x1p100f, -0x1p-51f)));
  EXPECT_EQ(wideDivisionFixup(0x1p-149f, 0x1p100f, 0x1p-50f), 0x1p-149f); // -150: not decided here
  EXPECT_EQ(wideDivisionFixup(double(nan), 0x1p-10, 0x1p1015), double(INFINITY));
  EXPECT_EQ(wideDivisionFixup(double(nan), 0x1p600, 0x1p-476), 0.0);
  EXPECT_EQ(wideDivisionFixup(nan, 0.0f, 1.0f), INFINITY);
  EXPECT_EQ(wideDivisionFixup(nan, INFINITY, 1.0f), 0.0f);
  EXPECT_NE(wideDivisionFixup(1.0f, 0.0f, 0.0f), 1.0f);
}

TEST(AmdsimDivision, FusedStepRoundsOnce) {
  // 1 + 2^-23 halved often enough that its last bit is half of the least subnormal: a tie.
  EXPECT_EQ(fusedScaled(0.0f, 1.0f, 0x1.000002p-126f, -1), 0x1p-127f);
  EXPECT_EQ(fusedScaled(0x1p-140f, 0x1p-140f, 0x1.000002p-126f, -1), 0x1.000004p-127f);  // above it
  EXPECT_EQ(fusedScaled(-0x1p-140f, 0x1p-140f, 0x1.000006p-126f, -1), 0x1.000004p-127f); // below
  EXPECT_EQ(fusedScaled(0x1p-1060, 0x1p-15, 0x1.0000000000001p-1022, -1), 0x1.0000000000002p-1023);
  EXPECT_EQ(fusedScaled(0.0, 0x1p-10, 0x1.0000000000001p-1022, -1), 0x1p-1023);
  EXPECT_EQ(fusedScaled(0x1p60f, 0x1p60f, 0x1p64f, 64), INFINITY);
  EXPECT_EQ(fusedScaled(1.0f, -1.0f, 1.0f, 64), 0.0f);
  // Sums of two products that a double holds exactly.
  std::mt19937_64 random(2);
  for (unsigned n = 0; n < 20000; ++n) {
    auto value = [&] {
      return std::ldexp(float(int(random() % 4096) - 2048), int(random() % 16) - 8);
    };
    float a = value(), b = value(), c = value();
    int scale = int(random() % 300) - 150;
    double exact = std::ldexp(double(a) * b + c, scale);
    ASSERT_EQ(fusedScaled(a, b, c, scale), float(exact))
        << a << " " << b << " " << c << " " << scale;
    ASSERT_EQ(fusedScaled(double(a), double(b), double(c), scale), exact);
  }
}

} // namespace
} // namespace tilerun::amdsim::tests
