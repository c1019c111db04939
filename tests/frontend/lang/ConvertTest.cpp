// Conversions: the op for each, rounding, and refusals.
#include "tests/frontend/lang/LangTest.h"

using namespace tilerun;
using namespace tilerun::lang;

namespace {
struct CastCase {
  const char *name, *from, *to;
  const char *ops; // names of the ops, in order, separated by blanks
};
class Casts : public LangTest, public testing::WithParamInterface<CastCase> {};

TEST_P(Casts, TakesTheseOps) {
  const CastCase &c = GetParam();
  auto v = lang::cast(emitter, arg(std::string(c.from) + "[8]"), *parseDType(c.to));
  ASSERT_TRUE(mlir::succeeded(v)) << lastError();
  EXPECT_EQ(v->type.dtype, *parseDType(c.to));
  std::string ops;
  for (mlir::Operation &op : function.getBody().front())
    ops += (ops.empty() ? "" : " ") + op.getName().getStringRef().str();
  EXPECT_EQ(ops, c.ops);
}
INSTANTIATE_TEST_SUITE_P(
    All, Casts,
    testing::Values(CastCase{"Same", "fp32", "fp32", ""}, CastCase{"SignOnly", "i32", "u32", ""},
                    CastCase{"WidenSigned", "i8", "i32", "arith.extsi"},
                    CastCase{"WidenSignedToUnsigned", "i8", "u32", "arith.extsi"},
                    CastCase{"WidenUnsigned", "u8", "i32", "arith.extui"},
                    CastCase{"WidenBool", "i1", "i32", "arith.extui"},
                    CastCase{"Narrow", "i64", "i8", "arith.trunci"},
                    CastCase{"IntToBool", "i32", "i1", "arith.constant arith.cmpi"},
                    CastCase{"FloatToBool", "fp32", "i1", "arith.constant arith.cmpf"},
                    CastCase{"SignedToFloat", "i32", "fp32", "arith.sitofp"},
                    CastCase{"UnsignedToFloat", "u32", "fp16", "arith.uitofp"},
                    CastCase{"BoolToFloat", "i1", "fp32", "arith.uitofp"},
                    CastCase{"FloatToSigned", "fp32", "i32", "arith.fptosi"},
                    CastCase{"FloatToUnsigned", "fp64", "u8", "arith.fptoui"},
                    CastCase{"WidenFloat", "fp16", "fp32", "arith.extf"},
                    CastCase{"NarrowFloat", "fp32", "bf16", "arith.truncf"},
                    CastCase{"HalfToBfloat", "fp16", "bf16", "arith.extf arith.truncf"},
                    CastCase{"ToFp8", "fp32", "fp8e4nv", "tile.fp_cast"},
                    CastCase{"FromFp8", "fp8e5", "fp16", "tile.fp_cast"},
                    CastCase{"BetweenFp8", "fp8e5", "fp8e4b15", "tile.fp_cast"},
                    CastCase{"PointerToPointer", "*fp32", "*i32", "tile.bitcast"},
                    CastCase{"PointerToInt", "*fp32", "i64", "tile.ptr_to_int"},
                    CastCase{"PointerToUnsigned", "*fp32", "u64", "tile.ptr_to_int"},
                    CastCase{"PointerToBool", "*fp32", "i1",
                             "tile.ptr_to_int arith.constant arith.cmpi"},
                    CastCase{"IntToPointer", "i64", "*fp32", "tile.int_to_ptr"},
                    CastCase{"ShortToPointer", "u32", "*fp32", "arith.extui tile.int_to_ptr"}),
    [](const testing::TestParamInfo<CastCase> &info) { return std::string(info.param.name); });

class Convert : public LangTest {
protected:
  std::string castError(const Value &v, const char *to, bool bitcast = false,
                        llvm::StringRef rounding = "") {
    services.errors.clear();
    EXPECT_TRUE(mlir::failed(lang::cast(emitter, v, *parseDType(to), bitcast, rounding)));
    return lastError();
  }
};

TEST_F(Convert, RoundTowardZeroIsAnFpCast) {
  ASSERT_TRUE(
      mlir::succeeded(lang::cast(emitter, arg("fp32[8]"), dtype(Scalar::F16), false, "rtz")));
  EXPECT_IR("tile.fp_cast %arg0 rounding");
  EXPECT_IR("rtz");
}
TEST_F(Convert, RoundNearestIsTheDefault) {
  ASSERT_TRUE(
      mlir::succeeded(lang::cast(emitter, arg("fp32[8]"), dtype(Scalar::F16), false, "rtne")));
  EXPECT_EQ(countOps("arith.truncf"), 1u);
}
TEST_F(Convert, RoundingErrors) {
  EXPECT_EQ(castError(arg("fp32"), "fp16", false, "up"),
            "unknown rounding 'up'; use 'rtne' or 'rtz'");
  EXPECT_NE(castError(arg("fp16"), "fp32", false, "rtz").find("narrower float"), std::string::npos);
  EXPECT_NE(castError(arg("i32"), "fp16", false, "rtz").find("narrower float"), std::string::npos);
}
TEST_F(Convert, Bitcasts) {
  for (auto [from, to] : {std::pair("fp32", "i32"), {"u16", "bf16"}, {"i64", "fp64"}}) {
    auto v = lang::cast(emitter, arg(std::string(from) + "[8]"), *parseDType(to), true);
    ASSERT_TRUE(mlir::succeeded(v));
    EXPECT_EQ(v->type.dtype, *parseDType(to));
  }
  EXPECT_EQ(countOps("arith.bitcast"), 3u);
  ASSERT_TRUE(mlir::succeeded(lang::cast(emitter, arg("i8[8]"), dtype(Scalar::F8E4B15), true)));
  EXPECT_EQ(countOps("tile.bitcast"), 1u);
}
TEST_F(Convert, BitcastOfOtherWidthIsAnError) {
  EXPECT_EQ(castError(arg("fp32"), "i16", true),
            "cannot bitcast float32 (32 bits) to int16 (16 bits): widths differ");
}
TEST_F(Convert, PointerErrors) {
  EXPECT_NE(castError(arg("*fp32"), "i32").find("needs int64 or uint64"), std::string::npos);
  EXPECT_NE(castError(arg("fp32"), "*fp32").find("only integers hold addresses"),
            std::string::npos);
}
TEST_F(Convert, LiteralsBecomeConstants) {
  auto v = lang::cast(emitter, lit(300), dtype(Scalar::Int8));
  ASSERT_TRUE(mlir::succeeded(v));
  EXPECT_IR("arith.constant 44 : i8"); // wraps
  (void)lang::cast(emitter, lit(2.9), dtype(Scalar::Int32));
  EXPECT_IR("arith.constant 2 : i32"); // truncates
  (void)lang::cast(emitter, lit(-2.9), dtype(Scalar::Int32));
  EXPECT_IR("arith.constant -2 : i32");
  (void)lang::cast(emitter, lit(0.5), dtype(Scalar::Int1));
  EXPECT_IR("arith.constant true");
  (void)lang::cast(emitter, lit(1e6), dtype(Scalar::F8E4NV));
  EXPECT_IR("arith.constant 4.480000e+02 : f8E4M3FN"); // saturates
  (void)lang::cast(emitter, lit(-1e9), dtype(Scalar::F8E5));
  EXPECT_IR("arith.constant -5.734400e+04 : f8E5M2");
  (void)lang::cast(emitter, lit(1e30), dtype(Scalar::F16));
  EXPECT_IR("0x7C00 : f16"); // infinity
}
TEST_F(Convert, FloatLiteralsRoundToFloat32First) {
  (void)lang::cast(emitter, lit(0.1), dtype(Scalar::F64));
  EXPECT_IR("arith.constant 0.10000000149011612 : f64");
}
TEST_F(Convert, LiteralsByThemselves) {
  EXPECT_EQ(toTensor(emitter, lit(1))->type.dtype, dtype(Scalar::Int32));
  EXPECT_EQ(toTensor(emitter, lit(3000000000LL))->type.dtype, dtype(Scalar::UInt32));
  EXPECT_EQ(toTensor(emitter, lit(-3000000000LL))->type.dtype, dtype(Scalar::Int64));
  EXPECT_EQ(toTensor(emitter, lit(true))->type.dtype, dtype(Scalar::Int1));
  EXPECT_EQ(toTensor(emitter, lit(1.5))->type.dtype, dtype(Scalar::F32));
  EXPECT_EQ(toTensor(emitter, lit(1e300))->type.dtype, dtype(Scalar::F64));
  EXPECT_TRUE(mlir::failed(toTensor(emitter, Value(PyInt(1) << 70))));
  EXPECT_NE(lastError().find("does not fit in 64 bits"), std::string::npos);
  EXPECT_TRUE(mlir::failed(toTensor(emitter, lit("x"))));
}

//===----------------------------------------------------------------------===//
// condition
//===----------------------------------------------------------------------===//

TEST_F(Convert, ConditionsAreScalars) {
  auto v = condition(emitter, arg("i32"), "'if'");
  ASSERT_TRUE(mlir::succeeded(v));
  EXPECT_TRUE(v->getType().isInteger(1));
  EXPECT_IR("arith.cmpi ne");
  auto one = condition(emitter, arg("i1[1, 1]"), "'if'");
  ASSERT_TRUE(mlir::succeeded(one));
  EXPECT_TRUE(one->getType().isInteger(1));
  EXPECT_TRUE(mlir::failed(condition(emitter, arg("i1[8]"), "'while'")));
  EXPECT_NE(lastError().find("the condition of 'while' must be one value"), std::string::npos);
}
} // namespace
