// No function is more wrong than Triton's, for any argument: triton_errors.json has the largest
// errors of Triton's on a GPU, range by range, as bench/math/errors.py recorded them; here are the
// expansions on the same arguments, with a model of the GPU's instructions.
#include "tests/ir/math/Compiled.h"
#include "tests/ir/math/Functions.h"
#include "tests/ir/math/Tables.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <set>

using namespace tilerun::harness;

namespace {

/// As in bench/math/errors.py: a part of each range's arguments, or all.
constexpr size_t kPart = 1 << 14, kAll = 1 << 16;
enum class Kind { Bits, Uniform, Exponents, Subnormal };
struct Range {
  const char *name;
  Kind kind;
  double low, high, wideLow, wideHigh;
};
constexpr double kPi = std::numbers::pi;
const Range kRanges[] = {
    {"bits", Kind::Bits, 0, 0, 0, 0},
    {"tiny", Kind::Exponents, -30, -3, -60, -3},
    {"one", Kind::Uniform, 0.9995, 1.0005, 0.9995, 1.0005},
    {"unit", Kind::Uniform, -1, 1, -1, 1},
    {"pi", Kind::Uniform, -kPi, kPi, -kPi, kPi},
    {"twenty", Kind::Uniform, -20, 20, -20, 20},
    {"overflow", Kind::Uniform, -110, 110, -750, 750},
    {"thousand", Kind::Uniform, 0, 1000, 0, 1000},
    {"rotary", Kind::Uniform, 0, 131072, 0, 131072},
    {"huge", Kind::Exponents, 17, 127, 46, 1023},
    {"subnormal", Kind::Subnormal, 0, 0, 0, 0},
};

/// The first argument: TILERUN_MATH_FRESH=1 takes other arguments than the recorded ones, which
/// shows coefficients that fit only those.
size_t firstArgument() {
  static const char *fresh = std::getenv("TILERUN_MATH_FRESH");
  uint64_t block = 0;
  return fresh && !llvm::StringRef(fresh).getAsInteger(10, block) ? block * kAll : 0;
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
uint64_t splitMix(uint64_t seed, uint64_t i) {
  uint64_t z = (i + 1 + (seed << 32)) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <class F> std::vector<F> makeArguments(size_t index, unsigned operand, size_t count) {
  constexpr bool wide = sizeof(F) == 8;
  constexpr int mantissa = wide ? 52 : 23, bias = wide ? 1023 : 127;
  const Range &range = kRanges[index];
  const double low = wide ? range.wideLow : range.low, high = wide ? range.wideHigh : range.high;
  std::vector<F> values;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t random = splitMix(2 * index + operand + 1, i + firstArgument());
    if (range.kind == Kind::Uniform) {
      values.push_back(F(low + (high - low) * (double(random >> 11) * 0x1p-53)));
      continue;
    }
    uint64_t pattern = wide ? random : random >> 32;
    if (range.kind != Kind::Bits) {
      pattern &= uint64_t(1) << (wide ? 63 : 31) | ((uint64_t(1) << mantissa) - 1);
      if (range.kind == Kind::Exponents)
        pattern |= ((random & 0xffff) % uint64_t(high - low + 1) + uint64_t(low + bias))
                   << mantissa;
    }
    if constexpr (wide)
      values.push_back(std::bit_cast<double>(pattern));
    else
      values.push_back(std::bit_cast<float>(uint32_t(pattern)));
  }
  return values;
}

const llvm::json::Object &record() {
  static const llvm::json::Value parsed = [] {
    auto buffer =
        llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/tests/ir/math/triton_errors.json");
    auto value = llvm::json::parse((*buffer)->getBuffer());
    return value ? std::move(*value) : llvm::json::Value(llvm::toString(value.takeError()));
  }();
  return *parsed.getAsObject();
}

/// Functions that have other names there.
std::string recordedName(const std::string &name) {
  return name == "div" ? "tl.div_rn" : name == "i0" || name == "i1" ? "cyl_bessel_" + name : name;
}

/// They cross zero where no float is: relative errors mean nothing there, and absolute ones may be
/// at most Triton's.
const std::set<std::string> kCrossing{"lgamma", "j0", "j1", "y0", "y1"};

/// By how many units more wrong a function of float32 is at most from the instructions as the model
/// has them. The model errs as much everywhere as an instruction does at worst, and errors add up:
/// bench/math/errors.py compares on a GPU, where none of these is more wrong. Of IEEE operations
/// alone no function is more wrong.
const std::map<std::string, double> kAllowances{
    {"cbrt", 0.04},  // 2^x and 1 / x, in Triton's formula
    {"erf", 0.01},   // 2^x below 0
    {"exp", 0.5},    // 2^x alone
    {"hypot", 0.06}, // the root
    {"pow", 0.6},    // 2^x alone
    {"rhypot", 0.3}, // one over the root
    {"tanh", 0.07},  // 2^x and 1 / x
};

class BesideTriton : public ::testing::TestWithParam<size_t> {
protected:
  const MathFunction &function = mathFunctions()[GetParam()];

  template <class F> void check(const std::string &type, Errors errors, double more) {
    auto *rows = record().getObject(type)->getObject(recordedName(function.name));
    if (!rows)
      return;
    auto op = CompiledOp::compile(function.op, function.composed, type, function.operands,
                                  {errors, /*contract=*/false});
    ASSERT_TRUE(bool(op)) << llvm::toString(op.takeError());
    if (!(*op)->usesEstimates())
      return;
    // IEEE operations are the device's own bits; instructions of the model are not.
    const size_t count = errors == Errors::None || errors == Errors::Tables ? kAll : kPart;
    const char *form = errors == Errors::Tables     ? " from tables"
                       : errors == Errors::Measured ? " from the model"
                                                    : "";
    for (size_t i = 0; i < std::size(kRanges); ++i) {
      const std::vector<F> a = makeArguments<F>(i, 0, count);
      const std::vector<F> b =
          function.operands == 2 ? makeArguments<F>(i, 1, count) : std::vector<F>();
      // Theirs: units in the last place, those of results below the normal ones, absolute errors of
      // results up to 1, the number of NaN in place of numbers and the reverse.
      auto *theirs = rows->getArray(kRanges[i].name);
      ASSERT_TRUE(theirs && theirs->size() >= 4) << kRanges[i].name;
      // NaN in place of a number is the worst error; other errors mean nothing then.
      if (*(*theirs)[3].getAsNumber() > 0)
        continue;
      compare<F>(a, b, (*op)->run(a, b), *theirs, more, type + form + " " + kRanges[i].name);
    }
  }

  template <class F>
  void compare(const std::vector<F> &a, const std::vector<F> &b, const std::vector<F> &got,
               const llvm::json::Array &theirs, double more, const std::string &name) {
    double worst = 0, worstSmall = 0, worstAbsolute = 0;
    size_t at = 0;
    for (size_t j = 0; j < a.size(); ++j) {
      const F second = b.empty() ? F(0) : b[j];
      auto exact = [&] {
        if constexpr (sizeof(F) == 4)
          return function.single(a[j], second);
        else
          return function.wide(a[j], second);
      }();
      const double error = ulps(got[j], exact, 0);
      const bool small = std::fabs(exact) < std::numeric_limits<F>::min();
      double &largest = small ? worstSmall : worst;
      if (error > largest && !small)
        at = j;
      largest = std::max(largest, error);
      if (std::fabs(exact) <= 1)
        worstAbsolute = std::max(worstAbsolute, double(std::fabs(got[j] - exact)));
    }
    auto bound = [&](size_t k) { return std::max(*theirs[k].getAsNumber(), 0.5) * 1.001 + more; };
    if (!kCrossing.count(function.name) || worstAbsolute > *theirs[2].getAsNumber() * 1.001) {
      EXPECT_LE(worst, bound(0)) << function.name << " " << name << " of " << a[at]
                                 << (b.empty() ? F(0) : b[at]);
    }
    EXPECT_LE(worstSmall, bound(1)) << function.name << " " << name << ", below normal numbers";
  }
};

TEST_P(BesideTriton, IsAtMostAsWrong) {
  auto found = kAllowances.find(function.name);
  check<float>("f32", Errors::None, 0);
  check<float>("f32", Errors::Measured, found == kAllowances.end() ? 0 : found->second);
  if (tableFolder())
    check<float>("f32", Errors::Tables, 0);
  check<double>("f64", Errors::None, 0);
}

INSTANTIATE_TEST_SUITE_P(All, BesideTriton, ::testing::Range(size_t(0), mathFunctions().size()),
                         [](const auto &info) { return mathFunctions()[info.param].name; });

/// Arguments at which bench/math/exhaustive.py found errors of float64 above Triton's largest one
/// of the same range on an H200 (2026-11-26), with the latter.
const struct {
  const char *function;
  double argument, theirs;
} kFoundAbove[] = {
    {"i0", 0x1.12bed0ed58e00p+8, 4.313},      {"i1", 0x1.fffdbff951fcap-17, 0.611},
    {"i1", 0x1.ccbdceb97efc0p-1, 1.105},      {"i1", 0x1.001b02f62e8f6p+0, 0.880},
    {"i1", -0x1.80a3602cce77ep+1, 2.177},     {"i1", 0x1.45a0c60b94c00p+6, 3.860},
    {"erfcx", 0x1.28213882cc1d4p+46, 1.179},  {"sinpi", -0x1.cfb33581cafefp+46, 0.712},
    {"cospi", -0x1.273b852dc6ab1p+46, 0.712}, {"sinh", 0x1.d831433471847p-3, 0.517},
};

TEST(BesideTriton, ArgumentsFoundAbove) {
  // And others close to each.
  constexpr size_t kCount = 1 << 14;
  for (const auto &found : kFoundAbove) {
    const auto function = llvm::find_if(mathFunctions(), [&](const MathFunction &candidate) {
      return candidate.name == std::string(found.function);
    });
    auto op = CompiledOp::compile(function->op, function->composed, "f64", 1, {});
    ASSERT_TRUE(bool(op)) << llvm::toString(op.takeError());
    std::vector<double> a;
    for (size_t i = 0; i < kCount; ++i)
      a.push_back(found.argument * (1 + double(i) * 0x1p-36));
    const std::vector<double> got = (*op)->run(a, {});
    double worst = 0;
    for (size_t i = 0; i < kCount; ++i)
      worst = std::max(worst, ulps(got[i], function->wide(a[i], 0), 0));
    EXPECT_LE(worst, found.theirs) << found.function << " near " << found.argument;
  }
}

TEST(BesideTriton, RecordHasTheFunctions) {
  unsigned found = 0;
  for (const MathFunction &function : mathFunctions())
    found += record().getObject("f32")->getObject(recordedName(function.name)) != nullptr;
  EXPECT_EQ(found, mathFunctions().size());
}

} // namespace
