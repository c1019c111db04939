// Special arguments: the expansions agree with the interpreter. Zeros, infinities and NaN
// agree exactly, signs of zero included; other results within the table's largest bound.
#include "tests/backends/interpreter/Elementwise.h"
#include "tests/ir/math/Compiled.h"
#include "tests/ir/math/Functions.h"

#include <bit>
#include <cmath>

using namespace tilerun::harness;

namespace {

class Special : public ::testing::TestWithParam<Case> {
protected:
  const MathFunction &function = mathFunctions()[GetParam().function];
  const Errors estimates = GetParam().estimates;

  template <class F, class Pattern>
  std::vector<F> fromInterpreter(const std::string &type, const std::vector<F> &a,
                                 const std::vector<F> &b) {
    auto bits = [](const std::vector<F> &values) {
      Bits result;
      for (F value : values)
        result.push_back(std::bit_cast<Pattern>(value));
      // The interpreter's tensors have a power of two elements.
      result.resize(llvm::PowerOf2Ceil(result.size()));
      return result;
    };
    Machine machine;
    std::vector<std::string> types(function.operands, type);
    std::vector<Bits> operands{bits(a)};
    if (function.operands == 2)
      operands.push_back(bits(b));
    const std::string operandText = function.operands == 1 ? " %a" : " %a, %b";
    const std::string text = "%r = " + function.op + operandText + " : $T0";
    const Bits result = runElementwise(machine, text, types, {type}, operands)[0];
    std::vector<F> values;
    for (uint64_t pattern : result)
      values.push_back(std::bit_cast<F>(Pattern(pattern)));
    return values;
  }

  /// Composed functions are the same operations in the interpreter: they answer to the reference.
  template <class F>
  std::vector<F> fromReference(const std::vector<F> &a, const std::vector<F> &b) {
    std::vector<F> values;
    for (size_t i = 0; i < a.size(); ++i)
      if constexpr (sizeof(F) == 4)
        values.push_back(F(function.single(a[i], b.empty() ? 0 : b[i])));
      else
        values.push_back(F(function.wide(a[i], b.empty() ? 0 : b[i])));
    return values;
  }

  template <class F, class Pattern> void check(const std::string &type) {
    std::vector<F> a, b;
    for (F x : specialValues<F>()) {
      if (function.operands == 1)
        a.push_back(x);
      for (F y : specialValues<F>())
        if (function.operands == 2) {
          a.push_back(x);
          b.push_back(y);
        }
    }
    auto op =
        CompiledOp::compile(function.op, function.composed, type, function.operands, {estimates});
    ASSERT_TRUE(bool(op)) << llvm::toString(op.takeError());
    if (!(*op)->usesEstimates())
      return;
    const std::vector<F> got = (*op)->run(a, b);

    const std::vector<F> expected =
        function.composed ? fromReference(a, b) : fromInterpreter<F, Pattern>(type, a, b);
    const double limit = function.composed ? 7 : estimates == Errors::None ? 3 : 6;
    for (size_t i = 0; i < a.size(); ++i) {
      const F want = expected[i];
      std::string what =
          llvm::formatv("{0} on {1} of {2:E}, {3:E}: {4:E}, expected {5:E}", function.name, type,
                        a[i], b.empty() ? F(0) : b[i], got[i], want);
      if (std::isnan(want) || std::isinf(want) || want == 0) {
        EXPECT_TRUE(std::isnan(want) ? std::isnan(got[i])
                                     : got[i] == want && std::signbit(got[i]) == std::signbit(want))
            << what;
        continue;
      }
      if (estimates != Errors::None && isFlushed(got[i], want))
        continue;
      using Wide = std::conditional_t<sizeof(F) == 4, double, long double>;
      EXPECT_LE(ulps(got[i], Wide(want), function.floor ? function.floor(a[i]) : 0), limit) << what;
    }
  }
};

TEST_P(Special, AgreesWithTheInterpreter) {
  check<float, uint32_t>("f32");
  if (estimates == Errors::None)
    check<double, uint64_t>("f64");
}

INSTANTIATE_TEST_SUITE_P(All, Special, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return nameOf(info.param); });

/// The largest error of a function of float64 on these arguments.
double worstOf(llvm::StringRef name, const std::vector<double> &a) {
  for (const MathFunction &function : mathFunctions()) {
    if (function.name != name)
      continue;
    auto op = llvm::cantFail(
        CompiledOp::compile(function.op, function.composed, "f64", 1, {Errors::None}));
    const std::vector<double> got = op->run(a, {});
    double worst = 0;
    for (size_t i = 0; i < a.size(); ++i)
      worst = std::max(worst, ulps(got[i], function.wide(a[i], 0)));
    return worst;
  }
  return HUGE_VAL;
}

TEST(SpecialWide, SubnormalResultsAreRoundedOnce) {
  std::vector<double> tiny, tail;
  for (uint64_t i = 0; i < 4096; ++i) {
    tiny.push_back(std::bit_cast<double>(1 + i * 0x10001000100));
    // Down to where the distribution function is zero.
    tail.push_back(-37.52 - double(i) * 0x1p-12);
  }
  EXPECT_LE(worstOf("erf", tiny), 0.501);
  EXPECT_LE(worstOf("sinpi", tiny), 0.501);
  EXPECT_LE(worstOf("normcdf", tail), 0.95);
}

TEST(SpecialWide, Y1OverflowsWhereItsLimitDoes) {
  // 2 / πx is the largest number, but for 9e-16 of it.
  const double last = 0x0.28be60db93911p-1022;
  EXPECT_LE(worstOf("y1", {last, std::nextafter(last, 1.0), 2 * last, 0x1p-1022}), 1.6);
  EXPECT_EQ(worstOf("y1", {std::nextafter(last, 0.0), last / 2, 0x1p-1074}), 0);
}

} // namespace
