// Integer operations on every width against APInt.
#include "tests/backends/interpreter/Elementwise.h"

using namespace tilerun;
using namespace tilerun::harness;
using llvm::APInt;

namespace {

struct Operation {
  std::string name;
  APInt (*reference)(const APInt &a, const APInt &b);
};

APInt boolean(bool value) { return APInt(1, value); }

const Operation kBinary[] = {
    {"arith.addi", [](const APInt &a, const APInt &b) { return a + b; }},
    {"arith.subi", [](const APInt &a, const APInt &b) { return a - b; }},
    {"arith.muli", [](const APInt &a, const APInt &b) { return a * b; }},
    {"arith.divsi",
     [](const APInt &a, const APInt &b) {
       return b.isZero() ? APInt::getAllOnes(a.getBitWidth()) : a.sdiv(b);
     }},
    {"arith.divui",
     [](const APInt &a, const APInt &b) {
       return b.isZero() ? APInt::getAllOnes(a.getBitWidth()) : a.udiv(b);
     }},
    {"arith.remsi", [](const APInt &a, const APInt &b) { return b.isZero() ? a : a.srem(b); }},
    {"arith.remui", [](const APInt &a, const APInt &b) { return b.isZero() ? a : a.urem(b); }},
    {"arith.floordivsi",
     [](const APInt &a, const APInt &b) {
       if (b.isZero())
         return APInt::getAllOnes(a.getBitWidth());
       APInt quotient = a.sdiv(b);
       return !a.srem(b).isZero() && a.isNegative() != b.isNegative() ? quotient - 1 : quotient;
     }},
    {"arith.ceildivsi",
     [](const APInt &a, const APInt &b) {
       if (b.isZero())
         return APInt::getAllOnes(a.getBitWidth());
       APInt quotient = a.sdiv(b);
       return !a.srem(b).isZero() && a.isNegative() == b.isNegative() ? quotient + 1 : quotient;
     }},
    {"arith.ceildivui",
     [](const APInt &a, const APInt &b) {
       if (b.isZero())
         return APInt::getAllOnes(a.getBitWidth());
       return a.urem(b).isZero() ? a.udiv(b) : a.udiv(b) + 1;
     }},
    {"arith.shli",
     [](const APInt &a, const APInt &b) {
       return b.uge(a.getBitWidth()) ? APInt(a.getBitWidth(), 0) : a.shl(b);
     }},
    {"arith.shrui",
     [](const APInt &a, const APInt &b) {
       return b.uge(a.getBitWidth()) ? APInt(a.getBitWidth(), 0) : a.lshr(b);
     }},
    {"arith.shrsi",
     [](const APInt &a, const APInt &b) {
       return a.ashr(b.uge(a.getBitWidth()) ? a.getBitWidth() - 1 : b.getZExtValue());
     }},
    {"arith.andi", [](const APInt &a, const APInt &b) { return a & b; }},
    {"arith.ori", [](const APInt &a, const APInt &b) { return a | b; }},
    {"arith.xori", [](const APInt &a, const APInt &b) { return a ^ b; }},
    {"arith.maxsi", [](const APInt &a, const APInt &b) { return a.sgt(b) ? a : b; }},
    {"arith.minsi", [](const APInt &a, const APInt &b) { return a.slt(b) ? a : b; }},
    {"arith.maxui", [](const APInt &a, const APInt &b) { return a.ugt(b) ? a : b; }},
    {"arith.minui", [](const APInt &a, const APInt &b) { return a.ult(b) ? a : b; }},
};

const Operation kCompare[] = {
    {"eq", [](const APInt &a, const APInt &b) { return boolean(a == b); }},
    {"ne", [](const APInt &a, const APInt &b) { return boolean(a != b); }},
    {"slt", [](const APInt &a, const APInt &b) { return boolean(a.slt(b)); }},
    {"sle", [](const APInt &a, const APInt &b) { return boolean(a.sle(b)); }},
    {"sgt", [](const APInt &a, const APInt &b) { return boolean(a.sgt(b)); }},
    {"sge", [](const APInt &a, const APInt &b) { return boolean(a.sge(b)); }},
    {"ult", [](const APInt &a, const APInt &b) { return boolean(a.ult(b)); }},
    {"ule", [](const APInt &a, const APInt &b) { return boolean(a.ule(b)); }},
    {"ugt", [](const APInt &a, const APInt &b) { return boolean(a.ugt(b)); }},
    {"uge", [](const APInt &a, const APInt &b) { return boolean(a.uge(b)); }},
};

constexpr size_t kCount = 512;

class IntegerOp : public ::testing::TestWithParam<Operation> {
protected:
  Machine machine;
  Random random;

  void check(const std::string &op, const std::string &type, const std::string &resultType) {
    const Bits a = randomIntegers(random, type, kCount), b = randomIntegers(random, type, kCount);
    const Bits r = runElementwise(machine, op, {type, type}, {resultType}, {a, b})[0];
    for (size_t i = 0; i < kCount; ++i) {
      const APInt x(widthOf(type), a[i]), y(widthOf(type), b[i]);
      ASSERT_EQ(r[i], GetParam().reference(x, y).getZExtValue())
          << op << " on " << type << ": " << a[i] << ", " << b[i];
    }
  }
};
class IntegerBinary : public IntegerOp {};
class IntegerCompare : public IntegerOp {};

std::string nameOf(const ::testing::TestParamInfo<Operation> &info) {
  return llvm::StringRef(info.param.name).split('.').second.empty()
             ? info.param.name
             : llvm::StringRef(info.param.name).split('.').second.str();
}

TEST_P(IntegerBinary, AllWidths) {
  for (const std::string &type : kIntTypes)
    check("%r = " + GetParam().name + " %a, %b : $T0", type, type);
}
INSTANTIATE_TEST_SUITE_P(All, IntegerBinary, ::testing::ValuesIn(kBinary), nameOf);

TEST_P(IntegerCompare, AllWidths) {
  for (const std::string &type : kIntTypes)
    check("%r = arith.cmpi " + GetParam().name + ", %a, %b : $T0", type, "i1");
}
INSTANTIATE_TEST_SUITE_P(All, IntegerCompare, ::testing::ValuesIn(kCompare), nameOf);

TEST(IntegerOps, ExtendedArithmetic) {
  Machine machine;
  Random random;
  for (const std::string &type : kIntTypes) {
    const unsigned width = widthOf(type);
    const Bits a = randomIntegers(random, type, kCount), b = randomIntegers(random, type, kCount);
    const auto sum = runElementwise(machine, "%r, %s = arith.addui_extended %a, %b : $T0, $R1",
                                    {type, type}, {type, "i1"}, {a, b});
    const auto s = runElementwise(machine, "%r, %s = arith.mulsi_extended %a, %b : $T0",
                                  {type, type}, {type, type}, {a, b});
    const auto u = runElementwise(machine, "%r, %s = arith.mului_extended %a, %b : $T0",
                                  {type, type}, {type, type}, {a, b});
    for (size_t i = 0; i < kCount; ++i) {
      const APInt x(width, a[i]), y(width, b[i]);
      bool carry;
      ASSERT_EQ(sum[0][i], x.uadd_ov(y, carry).getZExtValue());
      ASSERT_EQ(sum[1][i], carry) << type << " " << a[i] << " + " << b[i];
      const APInt product = x.sext(2 * width) * y.sext(2 * width);
      ASSERT_EQ(s[0][i], product.trunc(width).getZExtValue());
      ASSERT_EQ(s[1][i], product.lshr(width).trunc(width).getZExtValue()) << type;
      const APInt wide = x.zext(2 * width) * y.zext(2 * width);
      ASSERT_EQ(u[0][i], wide.trunc(width).getZExtValue());
      ASSERT_EQ(u[1][i], wide.lshr(width).trunc(width).getZExtValue()) << type;
    }
  }
}

TEST(IntegerOps, BitCountsAndAbsolute) {
  Machine machine;
  Random random;
  for (const std::string &type : kIntTypes) {
    const unsigned width = widthOf(type);
    const Bits a = randomIntegers(random, type, kCount);
    auto unary = [&](const std::string &name) {
      return runElementwise(machine, "%r = " + name + " %a : $T0", {type}, {type}, {a})[0];
    };
    const Bits ones = unary("math.ctpop"), leading = unary("math.ctlz"),
               trailing = unary("math.cttz"), absolute = unary("math.absi");
    const uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    for (size_t i = 0; i < kCount; ++i) {
      const APInt x(width, a[i]);
      ASSERT_EQ(ones[i], x.popcount() & mask) << type << " " << a[i];
      ASSERT_EQ(leading[i], x.countl_zero() & mask) << type << " " << a[i];
      ASSERT_EQ(trailing[i], x.countr_zero() & mask) << type << " " << a[i];
      ASSERT_EQ(absolute[i], x.abs().getZExtValue()) << type << " " << a[i];
    }
  }
}

TEST(IntegerOps, Power) {
  Machine machine;
  Random random;
  for (const std::string &type : {std::string("i8"), std::string("i32"), std::string("i64")}) {
    const unsigned width = widthOf(type);
    const uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    Bits a = randomIntegers(random, type, kCount), b(kCount);
    for (uint64_t &exponent : b)
      exponent = (random.bits() % 40 - 8) & mask;
    const Bits r =
        runElementwise(machine, "%r = math.ipowi %a, %b : $T0", {type, type}, {type}, {a, b})[0];
    for (size_t i = 0; i < kCount; ++i) {
      const APInt x(width, a[i]);
      const int64_t exponent = APInt(width, b[i]).getSExtValue();
      APInt expected(width, 1);
      for (int64_t k = 0; k < std::abs(exponent); ++k)
        expected *= x;
      if (exponent < 0) // 1 / x^n, truncated.
        expected = x.isOne() || (x.isAllOnes() && exponent % 2 == 0) ? APInt(width, 1)
                   : x.isAllOnes()                                   ? x
                                                                     : APInt(width, 0);
      ASSERT_EQ(r[i], expected.getZExtValue()) << type << " " << a[i] << " ^ " << exponent;
    }
  }
}

TEST(IntegerOps, Select) {
  Machine machine;
  Random random;
  for (const std::string &type : kIntTypes) {
    const Bits c = randomIntegers(random, "i1", kCount), a = randomIntegers(random, type, kCount),
               b = randomIntegers(random, type, kCount);
    const Bits r = runElementwise(machine, "%r = arith.select %a, %b, %c : $T0, $T1",
                                  {"i1", type, type}, {type}, {c, a, b})[0];
    for (size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(r[i], c[i] ? a[i] : b[i]);
  }
}

TEST(IntegerOps, SelectWithScalarCondition) {
  Machine machine;
  Random random;
  const Bits a = randomIntegers(random, "i16", kCount), b = randomIntegers(random, "i16", kCount);
  for (const char *condition : {"true", "false"}) {
    const Bits r = runElementwise(machine,
                                  substitute("%t = arith.constant $C\n  %r = arith.select %t, %a, "
                                             "%b : $T0",
                                             {{"C", condition}}),
                                  {"i16", "i16"}, {"i16"}, {a, b})[0];
    EXPECT_EQ(r, std::string(condition) == "true" ? a : b);
  }
}

TEST(IntegerOps, Resize) {
  Machine machine;
  Random random;
  for (size_t from = 0; from < kIntTypes.size(); ++from)
    for (size_t to = 0; to < kIntTypes.size(); ++to) {
      const std::string &source = kIntTypes[from], &target = kIntTypes[to];
      const Bits a = randomIntegers(random, source, kCount);
      auto cast = [&](const std::string &name) {
        return runElementwise(machine, "%r = " + name + " %a : $T0 to $R0", {source}, {target},
                              {a})[0];
      };
      const APInt example(widthOf(source), 0);
      if (from < to) {
        const Bits s = cast("arith.extsi"), u = cast("arith.extui");
        for (size_t i = 0; i < kCount; ++i) {
          const APInt x(widthOf(source), a[i]);
          ASSERT_EQ(s[i], x.sext(widthOf(target)).getZExtValue()) << source << " to " << target;
          ASSERT_EQ(u[i], x.zext(widthOf(target)).getZExtValue()) << source << " to " << target;
        }
      } else if (from > to) {
        const Bits t = cast("arith.trunci");
        for (size_t i = 0; i < kCount; ++i)
          ASSERT_EQ(t[i], APInt(widthOf(source), a[i]).trunc(widthOf(target)).getZExtValue());
      }
    }
}

TEST(IntegerOps, IndexCasts) {
  Machine machine;
  const Bits a{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 5, 6, 7};
  const Bits s = runElementwise(machine,
                                "%i = arith.index_cast %a : $T0 to tensor<8xindex>\n"
                                "  %r = arith.index_cast %i : tensor<8xindex> to $R0",
                                {"i32"}, {"i64"}, {a})[0];
  const Bits u = runElementwise(machine,
                                "%i = arith.index_castui %a : $T0 to tensor<8xindex>\n"
                                "  %r = arith.index_castui %i : tensor<8xindex> to $R0",
                                {"i32"}, {"i64"}, {a})[0];
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(s[i], uint64_t(int64_t(int32_t(a[i]))));
    EXPECT_EQ(u[i], a[i]);
  }
}

} // namespace
