// Measures every function against a wider type and compares with the bounds that docs/math.md
// promises. TILERUN_MATH_STRIDE=1 takes every float32 (minutes for each function); the default
// takes every 4099th. TILERUN_MATH_SAMPLES sets the number of random arguments.
#include "tests/ir/math/Compiled.h"
#include "tests/ir/math/Functions.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

using namespace tilerun::harness;

namespace {

uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  uint64_t value = 0;
  return text && !llvm::StringRef(text).getAsInteger(10, value) && value ? value : otherwise;
}

struct Bounds {
  double single, wide;
  /// float32 on devices whose instructions estimate: as the first where the table says nothing.
  double estimated;
};

/// The table "Accurate forms".
std::map<std::string, Bounds> readTable() {
  auto buffer = llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/docs/math.md");
  std::map<std::string, Bounds> table;
  if (!buffer)
    return table;
  bool inside = false;
  for (llvm::StringRef line : llvm::split((*buffer)->getBuffer(), '\n')) {
    if (line.starts_with("## "))
      inside = line == "## Accurate forms";
    llvm::SmallVector<llvm::StringRef> cells;
    line.split(cells, '|');
    double single, wide, estimated;
    if (!inside || cells.size() < 7 || cells[3].trim().getAsDouble(single) ||
        cells[5].trim().getAsDouble(wide))
      continue;
    if (cells[4].trim().getAsDouble(estimated))
      estimated = single;
    table[cells[1].trim().str()] = {single, wide, estimated};
  }
  return table;
}

template <class F> struct Worst {
  double error = 0;
  F a = 0, b = 0, got = 0;
  bool mayFlush = false;
};

template <class F> auto reference(const MathFunction &function) {
  if constexpr (sizeof(F) == 4)
    return function.single;
  else
    return function.wide;
}

template <class F>
void measure(const MathFunction &function, const CompiledOp &op, const std::vector<F> &a,
             const std::vector<F> &b, Worst<F> &worst) {
  const std::vector<F> got = op.run(a, b);
  auto exact = reference<F>(function);
  for (size_t i = 0; i < a.size(); ++i) {
    const F second = b.empty() ? F(0) : b[i];
    if (worst.mayFlush && isFlushed(got[i], exact(a[i], second)))
      continue;
    const double error =
        ulps(got[i], exact(a[i], second), function.floor ? function.floor(a[i]) : 0);
    if (error > worst.error)
      worst = {error, a[i], second, got[i], worst.mayFlush};
  }
}

template <class F> F anyPattern(std::mt19937_64 &random) {
  if constexpr (sizeof(F) == 4)
    return std::bit_cast<float>(uint32_t(random()));
  else
    return std::bit_cast<double>(random());
}

template <class F>
void measureRandom(const MathFunction &function, const CompiledOp &op, size_t count,
                   Worst<F> &worst) {
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> inRange(function.low, function.high);
  std::uniform_real_distribution<double> exponent(-4, 4);
  constexpr size_t kChunk = 1 << 14;
  for (size_t done = 0; done < count; done += kChunk) {
    std::vector<F> a(kChunk), b(function.operands == 2 ? kChunk : 0);
    // In turn: any bits, the interesting range, numbers close to 1 and to 0.
    auto draw = [&](size_t i) -> F {
      switch (i % 4) {
      case 0:
        return anyPattern<F>(random);
      case 1:
        return F(1 + exponent(random) / 16);
      default:
        return F(inRange(random));
      }
    };
    for (size_t i = 0; i < kChunk; ++i) {
      a[i] = draw(i);
      if (function.operands == 2)
        b[i] = draw(random());
    }
    measure(function, op, a, b, worst);
  }
}

class Accuracy : public ::testing::TestWithParam<Case> {
protected:
  const MathFunction &function = mathFunctions()[GetParam().function];
  const Errors estimates = GetParam().estimates;

  template <class F> void check(const char *type, double bound) {
    auto op = CompiledOp::compile(function.op, function.composed, type, function.operands,
                                  {estimates, /*contract=*/false});
    ASSERT_TRUE(bool(op)) << llvm::toString(op.takeError());
    if (!(*op)->usesEstimates())
      return;
    Worst<F> worst;
    worst.mayFlush = estimates != Errors::None;
    const bool everyPattern = sizeof(F) == 4 && function.operands == 1;
    const size_t samples = fromEnvironment("TILERUN_MATH_SAMPLES", 1 << 18);
    measureRandom(function, **op, everyPattern ? samples / 4 : samples, worst);
    if constexpr (sizeof(F) == 4)
      if (everyPattern) {
        const uint64_t stride = fromEnvironment("TILERUN_MATH_STRIDE", 4099);
        std::vector<float> chunk;
        for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += stride) {
          chunk.push_back(std::bit_cast<float>(uint32_t(bits)));
          if (chunk.size() == 1 << 14 || bits + stride >= uint64_t(1) << 32) {
            measure(function, **op, chunk, {}, worst);
            chunk.clear();
          }
        }
      }
    std::printf("%s %s: worst error %.3f ulp at %.17g, %.17g\n", function.name.c_str(), type,
                worst.error, double(worst.a), double(worst.b));
    EXPECT_LE(worst.error, bound) << function.name << " on " << type << " of " << double(worst.a)
                                  << ", " << double(worst.b) << " gives " << double(worst.got)
                                  << "; docs/math.md says " << bound;
  }
};

TEST_P(Accuracy, IsWithinTheTable) {
  static const auto table = readTable();
  auto row = table.find(function.name);
  ASSERT_NE(row, table.end()) << "docs/math.md has no row for " << function.name;
  if (estimates == Errors::None) {
    check<float>("f32", row->second.single);
    check<double>("f64", row->second.wide);
  } else {
    check<float>("f32", row->second.estimated);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Accuracy, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return nameOf(info.param); });

/// Backends may contract a kernel's products and sums, but not those inside a composed function:
/// its bits are the same.
class Contraction : public ::testing::TestWithParam<size_t> {
protected:
  template <class F> void check(const char *type) {
    const MathFunction &function = mathFunctions()[GetParam()];
    std::mt19937_64 random(20261123);
    std::uniform_real_distribution<double> inRange(function.low, function.high);
    std::vector<F> a(1 << 14), b(function.operands == 2 ? a.size() : 0);
    for (std::vector<F> *operand : {&a, &b})
      for (F &value : *operand)
        value = F(inRange(random));
    std::vector<F> results[2];
    for (bool contract : {false, true}) {
      auto op = CompiledOp::compile(function.op, function.composed, type, function.operands,
                                    {Errors::None, contract});
      ASSERT_TRUE(bool(op)) << llvm::toString(op.takeError());
      results[contract] = (*op)->run(a, b);
    }
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_TRUE(results[0][i] == results[1][i] ||
                  (std::isnan(results[0][i]) && std::isnan(results[1][i])))
          << function.name << " on " << type << " of " << double(a[i]) << " is "
          << double(results[0][i]) << ", and " << double(results[1][i]) << " if contracted";
  }
};

TEST_P(Contraction, LeavesFunctionsAlone) {
  check<float>("f32");
  check<double>("f64");
}

std::vector<size_t> composedFunctions() {
  std::vector<size_t> indices;
  for (size_t i = 0; i < mathFunctions().size(); ++i)
    if (mathFunctions()[i].composed)
      indices.push_back(i);
  return indices;
}

INSTANTIATE_TEST_SUITE_P(All, Contraction, ::testing::ValuesIn(composedFunctions()),
                         [](const auto &info) { return mathFunctions()[info.param].name; });

// A table with large bounds would promise nothing.
TEST(Table, BoundsAreSmall) {
  for (const auto &[name, bounds] : readTable()) {
    // erfc and a rounded argument; compositions of several functions; a polynomial's inverse.
    static const std::map<std::string, double> exceptions{
        {"normcdf", 2.5},  {"tan", 2.5},  {"erfcx", 4},  {"erfinv", 2.5}, {"erfcinv", 4},
        {"normcdfinv", 5}, {"tgamma", 5}, {"lgamma", 4}, {"i0", 6},       {"i1", 6},
        {"j0", 9},         {"j1", 9},     {"y0", 9},     {"y1", 9}};
    const double most = exceptions.count(name) ? exceptions.at(name) : 2;
    EXPECT_LE(bounds.single, most) << name;
    EXPECT_LE(bounds.wide, most) << name;
  }
  for (const MathFunction &function : mathFunctions())
    EXPECT_TRUE(readTable().count(function.name)) << function.name;
}

} // namespace
