// Elementwise functions, mathematics, libdevice, hints and debugging.
#include "tests/frontend/lang/LangTest.h"

using namespace tilerun;
using namespace tilerun::lang;

namespace {
using Math = LangTest;
constexpr const char *kLibdevice = "triton.language.extra.libdevice";

struct UnaryCase {
  const char *name, *op;
  bool fast;
};
class FastMath : public LangTest, public testing::WithParamInterface<UnaryCase> {};
TEST_P(FastMath, Float32IsFastAndFloat64IsNot) {
  const UnaryCase &c = GetParam();
  EXPECT_EQ(typeOf(call(c.name, {arg("fp32[8]")})), "float32[8]");
  EXPECT_EQ(hasIr("fastmath<afn>"), c.fast);
  onlyOp(c.op)->erase();
  EXPECT_EQ(typeOf(call(c.name, {arg("fp64[8]")})), "float64[8]");
  EXPECT_NO_IR("fastmath<afn>");
  // Also as a member of tl.math and as a method.
  EXPECT_EQ(typeOf(call(c.name, {arg("fp32")}, {}, "triton.language.math")), "float32");
  EXPECT_TRUE(attribute(emitter, arg("fp32[8]"), c.name)->is<BoundValue>());
}
TEST_P(FastMath, RejectsNarrowFloatsAndIntegers) {
  for (const char *element : {"fp16", "bf16", "i32", "i1", "fp8e5"})
    EXPECT_NE(errorOf(GetParam().name, {arg(std::string(element) + "[8]")})
                  .find("'x' must be float32 or float64"),
              std::string::npos)
        << element;
}
INSTANTIATE_TEST_SUITE_P(
    All, FastMath,
    testing::Values(UnaryCase{"exp", "math.exp", true}, UnaryCase{"exp2", "math.exp2", true},
                    UnaryCase{"log", "math.log", false}, UnaryCase{"log2", "math.log2", false},
                    UnaryCase{"sin", "math.sin", false}, UnaryCase{"cos", "math.cos", false},
                    UnaryCase{"sqrt", "math.sqrt", true}, UnaryCase{"rsqrt", "math.rsqrt", true},
                    UnaryCase{"erf", "math.erf", false}, UnaryCase{"floor", "math.floor", false},
                    UnaryCase{"ceil", "math.ceil", false}),
    [](const testing::TestParamInfo<UnaryCase> &info) { return std::string(info.param.name); });

TEST_F(Math, CorrectlyRoundedForms) {
  call("sqrt_rn", {arg("fp32[8]")});
  call("div_rn", {arg("fp32[8]"), lit(3.0)});
  EXPECT_NO_IR("fastmath");
  EXPECT_NE(errorOf("sqrt_rn", {arg("fp64")}).find("must be float32,"), std::string::npos);
}
TEST_F(Math, Fdiv) {
  call("fdiv", {arg("fp32[8]"), arg("fp32[8]")});
  EXPECT_IR("fastmath<afn>");
  onlyOp("arith.divf")->erase();
  call("fdiv", {arg("fp32[8]"), arg("fp32[8]")}, {{"ieee_rounding", lit(true)}});
  EXPECT_NO_IR("fastmath<afn>");
  EXPECT_NE(errorOf("fdiv", {arg("i32"), arg("i32")}).find("two floats of one type"),
            std::string::npos);
}
TEST_F(Math, Abs) {
  EXPECT_EQ(typeOf(call("abs", {arg("fp16[8]")})), "float16[8]");
  EXPECT_EQ(countOps("math.absf"), 1u);
  EXPECT_EQ(typeOf(call("abs", {arg("i32[8]")})), "int32[8]");
  EXPECT_EQ(countOps("math.absi"), 1u);
  EXPECT_EQ(typeOf(call("abs", {arg("u32[8]")})), "uint32[8]");
  EXPECT_EQ(countOps("math.absi"), 1u);
  EXPECT_NE(errorOf("abs", {arg("*fp32")}).find("must be a number"), std::string::npos);
}
TEST_F(Math, Where) {
  EXPECT_EQ(typeOf(call("where", {arg("i1[8]"), arg("fp16[8]"), lit(0.0)})), "float16[8]");
  EXPECT_EQ(typeOf(call("where", {arg("i1[8, 1]"), arg("i32[4]"), lit(-1)})), "int32[8, 4]");
  EXPECT_EQ(typeOf(call("where", {arg("i1[8]"), lit(1.0), lit(0)})), "float32[8]");
  EXPECT_EQ(typeOf(call("where", {arg("i1"), arg("fp32[8]"), arg("fp32[8]")})), "float32[8]");
  EXPECT_EQ(typeOf(call("where", {arg("i32[8]"), arg("*fp32[8]"), arg("*fp32")})),
            "pointer<float32>[8]");
  EXPECT_NE(errorOf("where", {arg("i1[8]"), arg("*fp32"), arg("*i32")}).find("tl.where"),
            std::string::npos);
  EXPECT_NE(errorOf("where", {arg("i1[8]"), arg("u8[8]"), lit(-1)}).find("negative literal"),
            std::string::npos);
  EXPECT_NE(errorOf("where", {arg("i1[8]"), lit("a"), lit(1)}).find("needs numbers"),
            std::string::npos);
}
TEST_F(Math, MaximumAndNan) {
  call("maximum", {arg("fp32[8]"), arg("fp32[8]")});
  EXPECT_EQ(countOps("arith.maxnumf"), 1u);
  call("minimum", {arg("fp32[8]"), arg("fp32[8]")}, {{"propagate_nan", lit(0xffff)}});
  EXPECT_EQ(countOps("arith.minimumf"), 1u);
  EXPECT_NE(errorOf("maximum", {arg("fp32"), arg("fp32")}, {{"propagate_nan", lit(2)}})
                .find("tl.PropagateNan.ALL"),
            std::string::npos);
  EXPECT_EQ(typeOf(call("maximum", {arg("i8[8]"), lit(0)})), "int32[8]"); // not weak
  EXPECT_EQ(typeOf(call("maximum", {lit(1), lit(2)})), "int32");
  EXPECT_EQ(typeOf(call("maximum", {arg("fp8e5[8]"), arg("fp8e5[8]")})), "float8e5[8]");
}
TEST_F(Math, Clamp) {
  EXPECT_EQ(typeOf(call("clamp", {arg("fp32[8]"), lit(0.0), lit(1.0)})), "float32[8]");
  EXPECT_EQ(countOps("arith.maxnumf") + countOps("arith.minnumf"), 2u);
  EXPECT_NE(errorOf("clamp", {arg("i32"), lit(0), lit(1)}).find("needs floats"), std::string::npos);
}
TEST_F(Math, NamedArithmetic) {
  services.options["debug"] = 1;
  EXPECT_EQ(typeOf(call("add", {arg("i32[8]"), lit(1)})), "int32[8]");
  EXPECT_TRUE(onlyOp("arith.addi")->hasAttr("tile.signed"));
  call("mul", {arg("u32[8]"), arg("u32[8]")}, {{"sanitize_overflow", lit(false)}});
  EXPECT_FALSE(onlyOp("arith.muli")->hasAttr("tile.unsigned"));
  EXPECT_EQ(typeOf(call("sub", {lit(1), lit(2)})), "int32");
}
TEST_F(Math, FmasPromoteAlike) {
  // A literal on the left is as weak as one on the right.
  for (const char *path : {"triton.language", "triton.language.extra.libdevice"}) {
    EXPECT_EQ(typeOf(call("fma", {lit(1), arg("fp64[8]"), arg("fp32")}, {}, path)), "float64[8]");
    EXPECT_EQ(typeOf(call("fma", {arg("fp32"), lit(2), arg("fp32[4, 1]")}, {}, path)),
              "float32[4, 1]");
    EXPECT_NE(
        errorOf("fma", {arg("fp32"), arg("*fp32"), arg("fp32")}, {}, path).find("does not fit"),
        std::string::npos);
    EXPECT_NE(errorOf("fma", {arg("fp32[8]"), arg("fp32[4]"), arg("fp32")}, {}, path), "");
  }
}
TEST_F(Math, FmaAndUmulhi) {
  EXPECT_EQ(typeOf(call("fma", {arg("fp16[8]"), arg("fp16"), lit(1)})), "float16[8]");
  EXPECT_EQ(countOps("math.fma"), 1u);
  EXPECT_NE(errorOf("fma", {arg("i32"), arg("i32"), arg("i32")}).find("needs floats"),
            std::string::npos);
  EXPECT_EQ(typeOf(call("umulhi", {arg("u32[8]"), lit(0xD2511F53LL)})), "uint32[8]");
  EXPECT_EQ(countOps("arith.mului_extended"), 1u);
  EXPECT_NE(errorOf("umulhi", {arg("i16"), arg("i16")}).find("32 or 64 bits"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// libdevice
//===----------------------------------------------------------------------===//

TEST_F(Math, LibdeviceIsAccurate) {
  for (const char *name : {"tanh", "exp", "log1p", "erf", "sqrt_rn", "sin", "round", "rint"})
    EXPECT_EQ(typeOf(call(name, {arg("fp32[8]")}, {}, kLibdevice)), "float32[8]") << name;
  // The language's own fast forms are as good as Triton's libdevice.
  for (const char *name : {"exp2", "sqrt", "rsqrt"})
    EXPECT_EQ(typeOf(call(name, {arg("fp64[8]")}, {}, kLibdevice)), "float64[8]") << name;
  EXPECT_NO_IR("fastmath<afn>");
  for (const char *name : {"exp2", "sqrt", "rsqrt"}) {
    call(name, {arg("fp32[8]")}, {}, kLibdevice);
    EXPECT_IR("fastmath<afn>");
  }
  call("fast_expf", {arg("fp32")}, {}, kLibdevice);
  EXPECT_IR("fastmath<afn>");
}
TEST_F(Math, LibdeviceThroughEveryPath) {
  for (const char *path : {"triton.language.extra.cuda.libdevice",
                           "triton.language.extra.hip.libdevice", "triton.language.math"})
    EXPECT_EQ(typeOf(call("tanh", {arg("fp32")}, {}, path)), "float32") << path;
}
TEST_F(Math, LibdeviceOperands) {
  EXPECT_EQ(typeOf(call("pow", {arg("fp32[8]"), lit(2)}, {}, kLibdevice)), "float32[8]");
  EXPECT_EQ(typeOf(call("pow", {lit(2.0), arg("fp64")}, {}, kLibdevice)), "float64");
  EXPECT_EQ(typeOf(call("isnan", {arg("fp32[8]")}, {}, kLibdevice)), "int1[8]");
  EXPECT_EQ(typeOf(call("signbit", {arg("fp64")}, {}, kLibdevice)), "int32");
  EXPECT_EQ(typeOf(call("popc", {arg("i64[8]")}, {}, kLibdevice)), "int32[8]");
  EXPECT_EQ(typeOf(call("ffs", {arg("i32")}, {}, kLibdevice)), "int32");
  EXPECT_EQ(typeOf(call("mulhi", {arg("i32"), arg("i32")}, {}, kLibdevice)), "int32");
  EXPECT_EQ(typeOf(call("float_as_int", {arg("fp32")}, {}, kLibdevice)), "int32");
  EXPECT_EQ(typeOf(call("float2int_rd", {arg("fp32[8]")}, {}, kLibdevice)), "int32[8]");
  EXPECT_EQ(countOps("math.floor"), 1u);
  EXPECT_EQ(typeOf(call("ull2double_rn", {arg("u64")}, {}, kLibdevice)), "float64");
  EXPECT_EQ(typeOf(call("hypot", {arg("fp32"), arg("fp32")}, {}, kLibdevice)), "float32");
  EXPECT_EQ(typeOf(call("norm4d", {arg("fp64"), arg("fp64"), arg("fp32[8]"), arg("fp32")}, {},
                        kLibdevice)),
            "float64[8]");
  EXPECT_EQ(typeOf(call("ldexp", {arg("fp64"), arg("i32[8]")}, {}, kLibdevice)), "float64[8]");
  EXPECT_EQ(typeOf(call("ilogb", {arg("fp64[8]")}, {}, kLibdevice)), "int32[8]");
  EXPECT_NE(errorOf("ldexp", {arg("fp32"), arg("fp32")}, {}, kLibdevice)
                .find("must be an integer of at most 32 bits"),
            std::string::npos);
  EXPECT_EQ(typeOf(call("brev", {arg("u64[8]")}, {}, kLibdevice)), "uint64[8]");
  EXPECT_EQ(typeOf(call("hiloint2double", {arg("i32"), arg("i32[8]")}, {}, kLibdevice)),
            "float64[8]");
  EXPECT_NE(errorOf("hadd", {arg("i64"), arg("i32")}, {}, kLibdevice)
                .find("needs integers of 32 bits, but got int64"),
            std::string::npos);
  EXPECT_EQ(typeOf(call("fdim", {arg("fp32"), arg("fp32")}, {}, kLibdevice)), "float32");
  EXPECT_EQ(typeOf(call("saturatef", {arg("fp32")}, {}, kLibdevice)), "float32");
  EXPECT_NE(errorOf("tanh", {arg("fp16")}, {}, kLibdevice).find("needs float32 or float64"),
            std::string::npos);
  EXPECT_NE(errorOf("float_as_int", {arg("i32")}, {}, kLibdevice).find("must be float32"),
            std::string::npos);
  for (const char *name : {"jn", "yn"}) {
    EXPECT_NE(errorOf(name, {arg("fp32"), arg("fp32")}, {}, kLibdevice)
                  .find("must be an integer of at most 32 bits"),
              std::string::npos);
    EXPECT_NE(
        errorOf(name, {arg("i32"), arg("fp16")}, {}, kLibdevice).find("must be float32 or float64"),
        std::string::npos);
  }
}
TEST_F(Math, RoundedInADirection) {
  for (const char *suffix : {"_rd", "_ru", "_rz"}) {
    for (const char *name : {"add", "sub", "mul", "div"}) {
      std::string full = std::string(name) + suffix;
      EXPECT_EQ(typeOf(call(full, {arg("fp32[8]"), lit(3.0)}, {}, kLibdevice)), "float32[8]");
      EXPECT_EQ(typeOf(call(full, {arg("fp64[8, 1]"), arg("fp64[4]")}, {}, kLibdevice)),
                "float64[8, 4]");
      EXPECT_NE(errorOf(full, {arg("fp16"), arg("fp16")}, {}, kLibdevice)
                    .find("needs float32 or float64, but got float16"),
                std::string::npos);
    }
    for (const char *name : {"sqrt", "rcp"})
      EXPECT_EQ(typeOf(call(std::string(name) + suffix, {arg("fp64[8]")}, {}, kLibdevice)),
                "float64[8]");
    EXPECT_EQ(typeOf(call(std::string("fma") + suffix, {arg("fp32[8]"), arg("fp32"), lit(1.0)}, {},
                          kLibdevice)),
              "float32[8]");
  }
  for (const char *name : {"double2float_rd", "double2float_ru"}) {
    EXPECT_EQ(typeOf(call(name, {arg("fp64[8]")}, {}, kLibdevice)), "float32[8]");
    EXPECT_NE(errorOf(name, {arg("fp32")}, {}, kLibdevice).find("must be float64"),
              std::string::npos);
  }
  for (const char *suffix : {"_rd", "_ru", "_rz"}) {
    auto to = [&](const char *prefix, const char *from) {
      return typeOf(call(std::string(prefix) + suffix, {arg(from)}, {}, kLibdevice));
    };
    EXPECT_EQ(to("int2float", "i32[8]"), "float32[8]");
    EXPECT_EQ(to("uint2float", "u32"), "float32");
    EXPECT_EQ(to("ll2float", "i64[8]"), "float32[8]");
    EXPECT_EQ(to("ull2float", "u64"), "float32");
    EXPECT_EQ(to("ll2double", "i64"), "float64");
    EXPECT_EQ(to("ull2double", "u64[8]"), "float64[8]");
    EXPECT_NE(errorOf(std::string("ll2float") + suffix, {arg("i32")}, {}, kLibdevice)
                  .find("must be int64"),
              std::string::npos);
  }
  EXPECT_EQ(typeOf(call("rcp64h", {arg("fp64[8]")}, {}, kLibdevice)), "float64[8]");
  EXPECT_NE(errorOf("rcp64h", {arg("fp32")}, {}, kLibdevice).find("must be float64"),
            std::string::npos);
}
TEST_F(Math, SpecialFunctions) {
  for (const char *name : {"erfcx", "erfcinv", "normcdfinv", "tgamma", "lgamma", "cyl_bessel_i0",
                           "cyl_bessel_i1", "j0", "j1", "y0", "y1"}) {
    EXPECT_EQ(typeOf(call(name, {arg("fp32[8]")}, {}, kLibdevice)), "float32[8]") << name;
    EXPECT_EQ(typeOf(call(name, {arg("fp64")}, {}, kLibdevice)), "float64") << name;
    EXPECT_NE(errorOf(name, {arg("bf16")}, {}, kLibdevice).find("needs float32 or float64"),
              std::string::npos)
        << name;
  }
}
TEST_F(Math, Float8ByHand) {
  constexpr const char *cuda = "triton.language.extra.cuda";
  auto type = [](Scalar scalar) { return Value(dtype(scalar)); };
  for (const char *name : {"convert_custom_float8_sm70", "convert_custom_float8_sm80"}) {
    EXPECT_EQ(typeOf(call(name, {arg("fp8e4b15[8]"), type(Scalar::F16)}, {}, cuda)), "float16[8]");
    EXPECT_EQ(typeOf(call(name, {arg("fp16[8]"), type(Scalar::F8E4B15)}, {}, cuda)),
              "float8e4b15[8]");
    EXPECT_NE(errorOf(name, {arg("fp16"), type(Scalar::F32)}, {}, cuda)
                  .find("converts floats from or to an 8-bit float, but got float16 to float32"),
              std::string::npos);
  }
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

TEST_F(Math, Hints) {
  EXPECT_EQ(typeOf(call("multiple_of", {arg("i32[8]"), lit(16)})), "int32[8]");
  call("max_contiguous", {arg("i32[8, 4]"), list({1, 4})});
  call("max_constancy", {arg("*fp32[8]"), list({4})});
  EXPECT_IR("divisibility = array<i64: 16>");
  EXPECT_IR("contiguity = array<i64: 1, 4>");
  EXPECT_IR("constancy = array<i64: 4>");
  EXPECT_EQ(typeOf(call("multiple_of", {arg("i32"), lit(8)})), "int32");
  EXPECT_TRUE(call("multiple_of", {lit(32), lit(16)}).is<PyInt>());
  EXPECT_NE(errorOf("multiple_of", {arg("i32[8, 4]"), lit(16)}).find("needs 2"), std::string::npos);
  EXPECT_NE(errorOf("multiple_of", {arg("i32"), lit(0)}).find("positive"), std::string::npos);
  EXPECT_NE(errorOf("multiple_of", {arg("fp32"), lit(4)}).find("integer or a pointer"),
            std::string::npos);
  EXPECT_NE(errorOf("multiple_of", {arg("i32"), arg("i32")}).find("compile time"),
            std::string::npos);
}
TEST_F(Math, Assume) {
  call("assume", {arg("i1")});
  EXPECT_EQ(countOps("tile.assume"), 1u);
  call("assume", {lit(true)});
  EXPECT_EQ(countOps("tile.assume"), 1u);
  EXPECT_NE(errorOf("assume", {lit(false)}).find("is false at compile time"), std::string::npos);
  EXPECT_NE(errorOf("assume", {arg("i1[8]")}).find("must be one value"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

TEST_F(Math, StaticPrint) {
  call("static_print", {lit("n ="), lit(3), type("fp16"), lit(true)});
  EXPECT_EQ(services.printed, "n = 3 fp16 True\n");
  services.printed.clear();
  call("static_print", {lit(1), lit(2)}, {{"sep", lit("-")}, {"end", lit("")}});
  EXPECT_EQ(services.printed, "1-2");
}
TEST_F(Math, StaticAssert) {
  call("static_assert", {lit(true)});
  EXPECT_EQ(errorOf("static_assert", {lit(false), lit("K must be even")}),
            "tl.static_assert: 'cond' is false: K must be even");
  EXPECT_EQ(errorOf("static_assert", {lit(0)}), "tl.static_assert: 'cond' is false");
  EXPECT_NE(errorOf("static_assert", {arg("i1")}).find("use tl.device_assert"), std::string::npos);
}
TEST_F(Math, DevicePrint) {
  call("device_print", {lit("x"), arg("i32[8]"), arg("u32"), lit(3)}, {{"hex", lit(true)}});
  auto op = mlir::cast<tile::PrintOp>(onlyOp("tile.print"));
  EXPECT_EQ(op.getPrefix(), "x: ");
  EXPECT_TRUE(op.getHex());
  EXPECT_EQ(op.getIsSigned(), (llvm::ArrayRef<bool>{true, false, true}));
  EXPECT_NE(errorOf("device_print", {arg("i32")}).find("'prefix' must be a string"),
            std::string::npos);
}
TEST_F(Math, PythonPrint) {
  call("print", {arg("i32")}, {}, "builtins");
  EXPECT_EQ(mlir::cast<tile::PrintOp>(onlyOp("tile.print")).getPrefix(), "");
}
TEST_F(Math, DeviceAssertIsForDebugMode) {
  call("device_assert", {arg("i1[8]"), lit("bad")});
  EXPECT_EQ(countOps("tile.assert"), 0u);
  services.options["debug"] = 1;
  call("device_assert", {arg("i32[8]"), lit("bad"), arg("i1")});
  auto op = mlir::cast<tile::AssertOp>(onlyOp("tile.assert"));
  EXPECT_EQ(op.getMessage(), "bad");
  EXPECT_TRUE(op.getMask() != nullptr);
}
TEST_F(Math, Barrier) {
  call("debug_barrier", {});
  EXPECT_EQ(countOps("tile.barrier"), 1u);
}
} // namespace
