// Operators on run-time values: types, and which ops they become.
#include "tests/frontend/lang/LangTest.h"

using namespace tilerun;
using namespace tilerun::lang;
using ast::BinaryOp;
using ast::CompareOp;
using ast::UnaryOp;

namespace {
class Operators : public LangTest {
protected:
  Value bin(BinaryOp op, const Value &a, const Value &b) {
    Result r = binary(emitter, op, a, b);
    EXPECT_TRUE(mlir::succeeded(r)) << lastError();
    return mlir::succeeded(r) ? *r : Value();
  }
  Value cmp(CompareOp op, const Value &a, const Value &b) {
    Result r = compare(emitter, op, a, b);
    EXPECT_TRUE(mlir::succeeded(r)) << lastError();
    return mlir::succeeded(r) ? *r : Value();
  }
  std::string binError(BinaryOp op, const Value &a, const Value &b) {
    services.errors.clear();
    EXPECT_TRUE(mlir::failed(binary(emitter, op, a, b)));
    return lastError();
  }
};

struct OpCase {
  const char *name;
  BinaryOp op;
  const char *type;
  const char *expected;   // the op's name
  const char *resultType; // of two operands of `type`
};
class OpOfType : public Operators, public testing::WithParamInterface<OpCase> {};

TEST_P(OpOfType, BecomesOneOp) {
  const OpCase &c = GetParam();
  Value v = bin(c.op, arg(std::string(c.type) + "[16]"), arg(std::string(c.type) + "[16]"));
  EXPECT_EQ(typeOf(v), std::string(c.resultType) + "[16]");
  EXPECT_EQ(v.get<TensorValue>().value.getDefiningOp()->getName().getStringRef().str(), c.expected);
}
INSTANTIATE_TEST_SUITE_P(
    All, OpOfType,
    testing::Values(OpCase{"AddI", BinaryOp::Add, "i32", "arith.addi", "int32"},
                    OpCase{"AddF", BinaryOp::Add, "fp32", "arith.addf", "float32"},
                    OpCase{"SubU", BinaryOp::Sub, "u8", "arith.subi", "uint8"},
                    OpCase{"SubF", BinaryOp::Sub, "fp16", "arith.subf", "float16"},
                    OpCase{"MulI", BinaryOp::Mul, "i64", "arith.muli", "int64"},
                    OpCase{"MulF", BinaryOp::Mul, "bf16", "arith.mulf", "bfloat16"},
                    OpCase{"DivI", BinaryOp::Div, "i32", "arith.divf", "float32"},
                    OpCase{"DivF16", BinaryOp::Div, "fp16", "arith.divf", "float32"},
                    OpCase{"DivF64", BinaryOp::Div, "fp64", "arith.divf", "float64"},
                    OpCase{"FloorDivS", BinaryOp::FloorDiv, "i32", "arith.divsi", "int32"},
                    OpCase{"FloorDivU", BinaryOp::FloorDiv, "u32", "arith.divui", "uint32"},
                    OpCase{"ModS", BinaryOp::Mod, "i16", "arith.remsi", "int16"},
                    OpCase{"ModU", BinaryOp::Mod, "u16", "arith.remui", "uint16"},
                    OpCase{"ModF", BinaryOp::Mod, "fp32", "arith.remf", "float32"},
                    OpCase{"And", BinaryOp::And, "i1", "arith.andi", "int1"},
                    OpCase{"Or", BinaryOp::Or, "i32", "arith.ori", "int32"},
                    OpCase{"Xor", BinaryOp::Xor, "u64", "arith.xori", "uint64"},
                    OpCase{"Shl", BinaryOp::Shl, "i32", "arith.shli", "int32"},
                    OpCase{"ShrS", BinaryOp::Shr, "i32", "arith.shrsi", "int32"},
                    OpCase{"ShrU", BinaryOp::Shr, "u32", "arith.shrui", "uint32"}),
    [](const testing::TestParamInfo<OpCase> &info) { return std::string(info.param.name); });

TEST_F(Operators, Float32DivisionIsFast) {
  bin(BinaryOp::Div, arg("fp32[8]"), arg("fp32[8]"));
  EXPECT_IR("fastmath<afn>");
}
TEST_F(Operators, Float64DivisionIsExact) {
  bin(BinaryOp::Div, arg("fp64[8]"), arg("fp64[8]"));
  EXPECT_NO_IR("fastmath");
}
TEST_F(Operators, IntegerDivisionConvertsBySign) {
  bin(BinaryOp::Div, arg("i32[8]"), arg("i32[8]"));
  EXPECT_EQ(countOps("arith.sitofp"), 2u);
  bin(BinaryOp::Div, arg("u32[8]"), arg("u32[8]"));
  EXPECT_EQ(countOps("arith.uitofp"), 2u);
}
TEST_F(Operators, WeakLiteralBecomesAConstantOfTheTensorsType) {
  Value v = bin(BinaryOp::Mul, arg("fp16[8]"), lit(0.1));
  EXPECT_EQ(typeOf(v), "float16[8]");
  EXPECT_EQ(countOps("arith.truncf") + countOps("arith.extf"), 0u);
  EXPECT_IR("arith.constant 9.997550e-02 : f16");
}
TEST_F(Operators, LiteralOnTheLeft) {
  Value v = bin(BinaryOp::Sub, lit(1), arg("u8[8]"));
  EXPECT_EQ(typeOf(v), "uint8[8]");
  EXPECT_IR("arith.constant 1 : i8");
  EXPECT_IR("arith.subi %0, %arg0");
}
TEST_F(Operators, LiteralOfHigherKindPromotesTheTensor) {
  Value v = bin(BinaryOp::Add, arg("i32[8]"), lit(0.5));
  EXPECT_EQ(typeOf(v), "float32[8]");
  EXPECT_EQ(countOps("arith.sitofp"), 1u);
}
TEST_F(Operators, LiteralOutOfRange) {
  EXPECT_EQ(binError(BinaryOp::Add, arg("i8[8]"), lit(300)),
            "'+': the literal 300 is out of range for int8 (-128 to 127); cast the other operand "
            "first");
  EXPECT_EQ(binError(BinaryOp::Add, arg("u8"), lit(-1)),
            "'+': the negative literal -1 meets an unsigned operand of type uint8; cast one of "
            "them first");
}
TEST_F(Operators, MixedSignednessWidens) {
  Value v = bin(BinaryOp::Add, arg("i16[8]"), arg("u8[8]"));
  EXPECT_EQ(typeOf(v), "int16[8]");
  EXPECT_IR("arith.extui %arg1");
}
TEST_F(Operators, MixedSignednessOfDivisionIsAnError) {
  EXPECT_EQ(binError(BinaryOp::FloorDiv, arg("i32"), arg("u32")),
            "'//': '//' of int32 and uint32 mixes signedness; cast one of them first");
}
TEST_F(Operators, FloatFloorDivisionIsAnError) {
  EXPECT_NE(binError(BinaryOp::FloorDiv, arg("fp32"), lit(2)).find("use tl.floor(x / y)"),
            std::string::npos);
}
TEST_F(Operators, BitsOfFloatsAreAnError) {
  EXPECT_NE(binError(BinaryOp::And, arg("fp32"), lit(1)).find("needs integers"), std::string::npos);
}
TEST_F(Operators, PowerAndMatmulGiveAdvice) {
  EXPECT_NE(binError(BinaryOp::Pow, arg("fp32"), lit(2)).find("libdevice.pow"), std::string::npos);
  EXPECT_EQ(binError(BinaryOp::MatMul, arg("fp32[16, 16]"), arg("fp32[16, 16]")),
            "'@' is not defined on tensors; use tl.dot");
}
TEST_F(Operators, NotANumber) {
  EXPECT_NE(binError(BinaryOp::Add, arg("fp32"), lit("a")).find("cannot apply '+'"),
            std::string::npos);
  EXPECT_NE(binError(BinaryOp::Add, none(), arg("fp32")).find("cannot apply '+'"),
            std::string::npos);
}
TEST_F(Operators, RightShiftFollowsTheLeftOperand) {
  // Promotion makes both unsigned, but the left one is signed.
  Value v = bin(BinaryOp::Shr, arg("i32[8]"), arg("u32[8]"));
  EXPECT_EQ(typeOf(v), "uint32[8]");
  EXPECT_EQ(countOps("arith.shrsi"), 1u);
}
TEST_F(Operators, ShiftTooFarWarns) {
  bin(BinaryOp::Shl, arg("i32[8]"), lit(32));
  ASSERT_EQ(services.warnings.size(), 1u);
  EXPECT_NE(services.warnings[0].find("0 to 31"), std::string::npos);
  bin(BinaryOp::Shl, arg("i32[8]"), lit(31));
  EXPECT_EQ(services.warnings.size(), 1u);
}
TEST_F(Operators, SmallFloatsComputeInFloat32) {
  Value v = bin(BinaryOp::Add, arg("fp8e5[16]"), arg("fp8e5[16]"));
  EXPECT_EQ(typeOf(v), "float8e5[16]");
  EXPECT_EQ(countOps("tile.fp_cast"), 3u);
  EXPECT_IR("arith.addf %0, %1 : tensor<16xf32>");
}
TEST_F(Operators, OverflowMarksInDebugModeOnly) {
  bin(BinaryOp::Add, arg("i32[8]"), arg("i32[8]"));
  EXPECT_NO_IR("tile.signed");
  services.options["debug"] = 1;
  bin(BinaryOp::Mul, arg("i32[8]"), arg("i32[8]"));
  bin(BinaryOp::Sub, arg("u32[8]"), arg("u32[8]"));
  bin(BinaryOp::Add, arg("fp32[8]"), arg("fp32[8]"));
  bin(BinaryOp::Xor, arg("i32[8]"), arg("i32[8]"));
  EXPECT_TRUE(onlyOp("arith.muli")->hasAttr("tile.signed"));
  EXPECT_TRUE(onlyOp("arith.subi")->hasAttr("tile.unsigned"));
  EXPECT_FALSE(onlyOp("arith.addf")->hasAttr("tile.signed"));
  EXPECT_FALSE(onlyOp("arith.xori")->hasAttr("tile.signed"));
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

TEST_F(Operators, ScalarSplats) {
  EXPECT_EQ(typeOf(bin(BinaryOp::Add, arg("i32[8, 4]"), arg("i32"))), "int32[8, 4]");
  EXPECT_EQ(countOps("tile.splat"), 1u);
}
TEST_F(Operators, SizesOfOneStretch) {
  EXPECT_EQ(typeOf(bin(BinaryOp::Add, arg("i32[8, 1]"), arg("i32[1, 4]"))), "int32[8, 4]");
  EXPECT_EQ(countOps("tile.broadcast"), 2u);
}
TEST_F(Operators, ShapesPadOnTheLeft) {
  EXPECT_EQ(typeOf(bin(BinaryOp::Add, arg("i32[2, 8, 4]"), arg("i32[4]"))), "int32[2, 8, 4]");
  EXPECT_EQ(countOps("tile.expand_dims"), 2u);
}
TEST_F(Operators, ShapesThatDoNotFit) {
  EXPECT_EQ(binError(BinaryOp::Add, arg("i32[8]"), arg("i32[16]")),
            "cannot broadcast shapes [8] and [16]: dimension 0 is 8 in one and 16 in the other; "
            "sizes must be equal or 1");
}
TEST_F(Operators, ResultTooLarge) {
  EXPECT_NE(binError(BinaryOp::Add, arg("i32[2048, 1]"), arg("i32[1, 2048]"))
                .find("more than 1048576 elements"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

TEST_F(Operators, PointerPlusInteger) {
  Value v = bin(BinaryOp::Add, arg("*fp32"), arg("i32[64]"));
  EXPECT_EQ(typeOf(v), "pointer<float32>[64]");
  EXPECT_IR("tile.addptr %0, %arg1 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>");
}
TEST_F(Operators, IntegerPlusPointer) {
  EXPECT_EQ(typeOf(bin(BinaryOp::Add, arg("i64"), arg("*fp32[8]"))), "pointer<float32>[8]");
}
TEST_F(Operators, UnsignedOffsetsExtendWithZeros) {
  bin(BinaryOp::Add, arg("*fp32"), arg("u32"));
  EXPECT_IR("arith.extui %arg1 : i32 to i64");
}
TEST_F(Operators, PointerMinusIntegerNegatesIn64Bits) {
  bin(BinaryOp::Sub, arg("*fp32"), arg("i32"));
  EXPECT_IR("arith.extsi %arg1 : i32 to i64");
  EXPECT_IR("arith.subi");
}
TEST_F(Operators, PointerMinusLiteral) {
  bin(BinaryOp::Sub, arg("*fp32"), lit(3));
  EXPECT_IR("arith.constant -3 : i32");
  EXPECT_EQ(countOps("arith.subi"), 0u);
}
TEST_F(Operators, PointersKeepConst) {
  Value v = bin(BinaryOp::Add, arg("*kfp32"), arg("i32[8]"));
  EXPECT_TRUE(v.get<TensorValue>().type.dtype.isConst);
}
TEST_F(Operators, PointerErrors) {
  EXPECT_NE(binError(BinaryOp::Sub, arg("*fp32"), arg("*fp32")).find("cannot subtract pointers"),
            std::string::npos);
  EXPECT_NE(binError(BinaryOp::Add, arg("*fp32"), arg("*fp32")).find("two pointers"),
            std::string::npos);
  EXPECT_NE(binError(BinaryOp::Mul, arg("*fp32"), lit(2)).find("pointers only take + and -"),
            std::string::npos);
  EXPECT_NE(binError(BinaryOp::Sub, lit(2), arg("*fp32")).find("pointers only take + and -"),
            std::string::npos);
  EXPECT_NE(binError(BinaryOp::Add, arg("*fp32"), lit(1.5)).find("integer offset"),
            std::string::npos);
  EXPECT_NE(binError(BinaryOp::Add, arg("*fp32"), arg("fp32")).find("integer offset"),
            std::string::npos);
}
TEST_F(Operators, PointersDoNotCompare) {
  auto message = [&](const Value &a, const Value &b) {
    services.errors.clear();
    EXPECT_TRUE(mlir::failed(compare(emitter, CompareOp::Lt, a, b)));
    return lastError();
  };
  EXPECT_EQ(message(arg("i32[8]"), arg("*i64")),
            "cannot compare int32[8] with pointer<int64>; a pointer is not a number: load what it "
            "points to, or compare its address, p.to(tl.int64)");
  EXPECT_NE(message(arg("*fp32"), lit(0)).find("cannot compare pointer<float32> with the integer"),
            std::string::npos);
  EXPECT_NE(message(arg("*fp32[8]"), arg("*fp32")).find("a pointer is not a number"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

TEST_F(Operators, ComparisonsOfIntegersFollowSignedness) {
  cmp(CompareOp::Lt, arg("i32[8]"), arg("i32[8]"));
  cmp(CompareOp::Ge, arg("u32[8]"), arg("u32[8]"));
  EXPECT_IR("arith.cmpi slt");
  EXPECT_IR("arith.cmpi uge");
}
TEST_F(Operators, ComparisonsOfFloatsAreOrderedButNotEqualIsNot) {
  const std::pair<CompareOp, const char *> cases[] = {
      {CompareOp::Eq, "arith.cmpf oeq"}, {CompareOp::Ne, "arith.cmpf une"},
      {CompareOp::Lt, "arith.cmpf olt"}, {CompareOp::Le, "arith.cmpf ole"},
      {CompareOp::Gt, "arith.cmpf ogt"}, {CompareOp::Ge, "arith.cmpf oge"}};
  for (auto [op, text] : cases) {
    EXPECT_EQ(typeOf(cmp(op, arg("fp32[8]"), arg("fp32[8]"))), "int1[8]");
    EXPECT_IR(text);
  }
}
TEST_F(Operators, LiteralsAreNotWeakInComparisons) {
  cmp(CompareOp::Lt, arg("i8[8]"), lit(5));
  EXPECT_IR("arith.extsi %arg0 : tensor<8xi8> to tensor<8xi32>");
  cmp(CompareOp::Gt, arg("u32[8]"), lit(-1));
  EXPECT_IR("arith.constant -1 : i32");
  EXPECT_IR("arith.cmpi ugt");
  cmp(CompareOp::Lt, arg("fp16[8]"), lit(0.5));
  EXPECT_IR("arith.extf");
}
TEST_F(Operators, Float32LiteralBesideFloat64IsRoundedFirst) {
  cmp(CompareOp::Lt, arg("fp64"), lit(0.1));
  EXPECT_IR("arith.constant 0.10000000149011612 : f64");
}
TEST_F(Operators, SmallFloatsCompareInFloat32) {
  cmp(CompareOp::Lt, arg("fp8e4nv[8]"), arg("fp8e4nv[8]"));
  EXPECT_IR("arith.cmpf olt, %0, %1 : tensor<8xf32>");
}
TEST_F(Operators, IdentityAndMembershipAreErrors) {
  for (CompareOp op : {CompareOp::Is, CompareOp::IsNot, CompareOp::In, CompareOp::NotIn}) {
    services.errors.clear();
    EXPECT_TRUE(mlir::failed(compare(emitter, op, arg("i32"), lit(1))));
    EXPECT_NE(lastError().find("is not defined on run-time values"), std::string::npos);
  }
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

TEST_F(Operators, Negation) {
  EXPECT_EQ(typeOf(*unary(emitter, UnaryOp::Minus, arg("fp32[8]"))), "float32[8]");
  EXPECT_EQ(countOps("arith.negf"), 1u);
  EXPECT_EQ(typeOf(*unary(emitter, UnaryOp::Minus, arg("u8[8]"))), "uint8[8]");
  EXPECT_EQ(countOps("arith.subi"), 1u);
}
TEST_F(Operators, NegationOfUnsignedIsNotChecked) {
  services.options["debug"] = 1;
  (void)unary(emitter, UnaryOp::Minus, arg("u32"));
  EXPECT_NO_IR("tile.unsigned");
  (void)unary(emitter, UnaryOp::Minus, arg("i32"));
  EXPECT_IR("tile.signed");
}
TEST_F(Operators, Inversion) {
  (void)unary(emitter, UnaryOp::Invert, arg("i1[8]"));
  EXPECT_IR("arith.constant dense<true> : tensor<8xi1>");
  (void)unary(emitter, UnaryOp::Invert, arg("i32"));
  EXPECT_IR("arith.constant -1 : i32");
  EXPECT_TRUE(mlir::failed(unary(emitter, UnaryOp::Invert, arg("fp32"))));
  EXPECT_NE(lastError().find("unary '~' needs integers"), std::string::npos);
}
TEST_F(Operators, LogicalNot) {
  EXPECT_EQ(typeOf(*unary(emitter, UnaryOp::Not, arg("fp32"))), "int1");
  EXPECT_IR("arith.cmpf une");
  EXPECT_EQ(typeOf(*unary(emitter, UnaryOp::Not, arg("i1[8]"))), "int1[8]");
  EXPECT_IR("arith.constant dense<true> : tensor<8xi1>");
}
TEST_F(Operators, UnaryOnPointersIsAnError) {
  EXPECT_TRUE(mlir::failed(unary(emitter, UnaryOp::Minus, arg("*fp32"))));
  EXPECT_NE(lastError().find("not defined on pointers"), std::string::npos);
}
} // namespace
