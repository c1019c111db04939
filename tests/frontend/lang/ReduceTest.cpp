// Reductions, scans and matrix products.
#include "tests/frontend/lang/LangTest.h"

using namespace tilerun;
using namespace tilerun::lang;

namespace {
using Reduce = LangTest;

TEST_F(Reduce, SumAlongAnAxis) {
  EXPECT_EQ(typeOf(call("sum", {arg("fp32[8, 4]"), lit(1)})), "float32[8]");
  auto op = mlir::cast<tile::ReduceOp>(onlyOp("tile.reduce"));
  EXPECT_EQ(op.getAxis(), 1u);
  EXPECT_EQ(countOps("arith.addf"), 1u);
  EXPECT_EQ(typeOf(call("sum", {arg("fp32[8, 4]"), lit(-2)})), "float32[4]");
}
TEST_F(Reduce, SumOfEverything) {
  EXPECT_EQ(typeOf(call("sum", {arg("fp32[8, 4]")})), "float32");
  EXPECT_IR("tile.reshape %arg0 allow_reorder");
  EXPECT_EQ(typeOf(call("sum", {arg("fp32[8]"), lit(0)})), "float32");
}
TEST_F(Reduce, KeepDims) {
  EXPECT_EQ(typeOf(call("sum", {arg("fp32[8, 4]"), lit(1)}, {{"keep_dims", lit(true)}})),
            "float32[8, 1]");
  EXPECT_EQ(typeOf(call("sum", {arg("fp32[8, 4]")}, {{"keep_dims", lit(true)}})), "float32[1, 1]");
}
TEST_F(Reduce, SumWidens) {
  EXPECT_EQ(typeOf(call("sum", {arg("i8[8]"), lit(0)})), "int32");
  EXPECT_IR("arith.extsi %arg0");
  EXPECT_EQ(typeOf(call("sum", {arg("i1[8]"), lit(0)})), "uint32");
  EXPECT_EQ(typeOf(call("sum", {arg("fp16[8]"), lit(0)}, {{"dtype", type("fp32")}})), "float32");
}
TEST_F(Reduce, SumIsCheckedInDebugMode) {
  services.options["debug"] = 1;
  call("sum", {arg("i32[8]"), lit(0)});
  EXPECT_TRUE(onlyOp("arith.addi")->hasAttr("tile.signed"));
}
TEST_F(Reduce, ScalarsReduceToThemselves) {
  EXPECT_EQ(typeOf(call("sum", {arg("fp32")})), "float32");
}
TEST_F(Reduce, MaximumIgnoresNan) {
  EXPECT_EQ(typeOf(call("max", {arg("fp32[8, 4]"), lit(0)})), "float32[4]");
  EXPECT_EQ(countOps("arith.maxnumf"), 1u);
  call("min", {arg("fp16[8]"), lit(0)});
  EXPECT_EQ(countOps("arith.minnumf"), 1u);
  EXPECT_IR("arith.extf");
}
TEST_F(Reduce, ExtremaFollowSignedness) {
  call("max", {arg("u32[8]"), lit(0)});
  call("min", {arg("i64[8]"), lit(0)});
  EXPECT_EQ(countOps("arith.maxui"), 1u);
  EXPECT_EQ(countOps("arith.minsi"), 1u);
  call("max", {arg("u8[8]"), lit(0)}); // widens to int32
  EXPECT_EQ(countOps("arith.maxsi"), 1u);
}
TEST_F(Reduce, MaximumWithIndex) {
  Value both = call("max", {arg("fp32[8, 4]"), lit(1)}, {{"return_indices", lit(true)}});
  EXPECT_EQ(typeOf(both.getTuple()->elements[0]), "float32[8]");
  EXPECT_EQ(typeOf(both.getTuple()->elements[1]), "int32[8]");
  EXPECT_IR("tile.make_range 0 to 4");
  EXPECT_IR("arith.cmpf ogt");
  EXPECT_IR("arith.cmpi slt"); // ties go by index
}
TEST_F(Reduce, ArgminTies) {
  EXPECT_EQ(typeOf(call("argmin", {arg("i32[8]"), lit(0)})), "int32");
  EXPECT_EQ(countOps("arith.cmpi"), 3u); // less, equal, index
  call("argmin", {arg("i32[8]"), lit(0)}, {{"tie_break_left", lit(false)}});
  EXPECT_EQ(countOps("arith.cmpi"), 4u);
  EXPECT_EQ(typeOf(call("argmax", {arg("fp32[8, 4]"), lit(0)}, {{"keep_dims", lit(true)}})),
            "int32[1, 4]");
}
TEST_F(Reduce, ArgmaxOfEverything) {
  EXPECT_EQ(typeOf(call("argmax", {arg("fp32[8, 4]"), none()})), "int32");
  EXPECT_IR("tile.make_range 0 to 32");
  EXPECT_NO_IR("allow_reorder");
}
TEST_F(Reduce, Bits) {
  EXPECT_EQ(typeOf(call("xor_sum", {arg("i32[8]")})), "int32");
  EXPECT_EQ(countOps("arith.xori"), 1u);
  EXPECT_EQ(typeOf(call("reduce_or", {arg("u8[8]"), lit(0)})), "uint8");
  EXPECT_EQ(countOps("arith.ori"), 1u);
  EXPECT_NE(errorOf("xor_sum", {arg("fp32[8]")}).find("must hold integers"), std::string::npos);
}
TEST_F(Reduce, ReduceWithAFunction) {
  EXPECT_EQ(typeOf(call("reduce", {arg("fp32[8, 4]"), lit(1), fn("maximum")})), "float32[8]");
  EXPECT_EQ(countOps("arith.maxnumf"), 1u);
  EXPECT_EQ(typeOf(call("reduce", {arg("fp32[8, 4]"), none(), fn("mul")})), "float32");
  EXPECT_NO_IR("allow_reorder"); // the function need not be commutative
}
TEST_F(Reduce, ReduceOfTuples) {
  JitFunction jit;
  services.functions[&jit] = [](Emitter &e, llvm::ArrayRef<Value> v) -> Result {
    EXPECT_EQ(v.size(), 4u);
    return Value::tuple(
        {*binary(e, ast::BinaryOp::Add, v[0], v[2]), *binary(e, ast::BinaryOp::Mul, v[1], v[3])});
  };
  Value both = call("reduce", {Value::tuple({arg("fp32[8, 4]"), arg("i32[8, 4]")}), lit(0),
                               Value(FunctionValue{&jit})});
  EXPECT_EQ(typeOf(both.getTuple()->elements[0]), "float32[4]");
  EXPECT_EQ(typeOf(both.getTuple()->elements[1]), "int32[4]");
  auto op = mlir::cast<tile::ReduceOp>(onlyOp("tile.reduce"));
  EXPECT_EQ(op.getCombine().front().getNumArguments(), 4u);
}
TEST_F(Reduce, TheFunctionKeepsItsTypes) {
  JitFunction jit;
  services.functions[&jit] = [](Emitter &e, llvm::ArrayRef<Value> v) -> Result {
    return binary(e, ast::BinaryOp::Div, v[0], v[1]); // float32 of float16 operands
  };
  EXPECT_NE(errorOf("reduce", {arg("fp16[8]"), lit(0), Value(FunctionValue{&jit})})
                .find("value 0 is float32 instead of float16; convert what it returns back"),
            std::string::npos);
}
TEST_F(Reduce, SignednessIsNoOtherType) {
  JitFunction jit;
  services.functions[&jit] = [](Emitter &e, llvm::ArrayRef<Value> v) -> Result {
    auto sum = cast(e, v[0], dtype(Scalar::UInt32));
    return mlir::failed(sum) ? Result(mlir::failure()) : Result(Value(*sum));
  };
  EXPECT_EQ(typeOf(call("reduce", {arg("i32[8]"), lit(0), Value(FunctionValue{&jit})})), "int32");
}
TEST_F(Reduce, ReduceErrors) {
  EXPECT_NE(errorOf("reduce", {arg("fp32[8]"), lit(1), fn("maximum")})
                .find("'axis' is 1, but the tensor has 1 dimension; use 0"),
            std::string::npos);
  EXPECT_NE(errorOf("reduce", {arg("fp32[8]"), lit(0), lit(3)}).find("must be a function"),
            std::string::npos);
  EXPECT_NE(errorOf("reduce", {arg("fp32"), lit(0), fn("maximum")}).find("must be a tensor"),
            std::string::npos);
  EXPECT_NE(
      errorOf("reduce", {Value::tuple({arg("fp32[8]"), arg("fp32[4]")}), lit(0), fn("maximum")})
          .find("different shapes"),
      std::string::npos);
  EXPECT_NE(errorOf("reduce", {Value::tuple({}), lit(0), fn("maximum")}).find("empty tuple"),
            std::string::npos);
  JitFunction jit;
  services.functions[&jit] = [](Emitter &, llvm::ArrayRef<Value>) -> Result {
    return Value::tuple({lit(1), lit(2)});
  };
  EXPECT_NE(errorOf("reduce", {arg("fp32[8]"), lit(0), Value(FunctionValue{&jit})})
                .find("must give 1 values"),
            std::string::npos);
  services.functions[&jit] = [](Emitter &, llvm::ArrayRef<Value>) -> Result { return none(); };
  EXPECT_NE(errorOf("reduce", {arg("fp32[8]"), lit(0), Value(FunctionValue{&jit})})
                .find("must give scalars like its operands"),
            std::string::npos);
}
TEST_F(Reduce, Scans) {
  EXPECT_EQ(typeOf(call("cumsum", {arg("fp32[8, 4]"), lit(1)})), "float32[8, 4]");
  EXPECT_IR("tile.scan %arg0 axis 1 :");
  EXPECT_EQ(typeOf(call("cumsum", {arg("i16[8]")}, {{"reverse", lit(true)}})), "int32[8]");
  EXPECT_IR("axis 0 reverse");
  EXPECT_EQ(typeOf(call("cumprod", {arg("bf16[8]")})), "float32[8]");
  EXPECT_EQ(typeOf(call("associative_scan", {arg("i32[8]"), lit(0), fn("maximum")})), "int32[8]");
  EXPECT_EQ(typeOf(call("cumsum", {arg("i8[8]")}, {{"dtype", type("i64")}})), "int64[8]");
  EXPECT_NE(errorOf("cumsum", {arg("fp32[8]"), lit(1)}).find("'axis' is 1"), std::string::npos);
  EXPECT_NE(errorOf("cumsum", {arg("fp32")}).find("must be a tensor"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

struct DotCase {
  const char *name, *a, *b, *result;
};
class Dots : public LangTest, public testing::WithParamInterface<DotCase> {};
TEST_P(Dots, Types) {
  const DotCase &c = GetParam();
  Value v = call("dot", {arg(std::string(c.a) + "[16, 32]"), arg(std::string(c.b) + "[32, 64]")});
  EXPECT_EQ(typeOf(v), std::string(c.result) + "[16, 64]");
}
INSTANTIATE_TEST_SUITE_P(
    All, Dots,
    testing::Values(
        DotCase{"Half", "fp16", "fp16", "float32"}, DotCase{"Bfloat", "bf16", "bf16", "float32"},
        DotCase{"Float", "fp32", "fp32", "float32"}, DotCase{"Double", "fp64", "fp64", "float64"},
        DotCase{"Int8", "i8", "i8", "int32"}, DotCase{"Fp8", "fp8e5", "fp8e5", "float32"},
        DotCase{"MixedFp8", "fp8e5", "fp8e4nv", "float32"},
        DotCase{"Fp8ThatOnlyStores", "fp8e4b15", "fp8e4b15", "float32"}),
    [](const testing::TestParamInfo<DotCase> &info) { return std::string(info.param.name); });

using Dot = LangTest;
TEST_F(Dot, Accumulator) {
  Value acc = arg("fp32[16, 16]");
  call("dot", {arg("fp16[16, 32]"), arg("fp16[32, 16]"), acc});
  EXPECT_EQ(mlir::cast<tile::DotOp>(onlyOp("tile.dot")).getAcc(), acc.get<TensorValue>().value);
  EXPECT_EQ(countOps("arith.constant"), 0u);
}
TEST_F(Dot, Batches) {
  EXPECT_EQ(typeOf(call("dot", {arg("fp16[4, 16, 32]"), arg("fp16[4, 32, 8]")})),
            "float32[4, 16, 8]");
}
TEST_F(Dot, HalfAccumulator) {
  EXPECT_EQ(typeOf(call("dot", {arg("fp16[16, 16]"), arg("fp16[16, 16]")},
                        {{"out_dtype", type("fp16")}})),
            "float16[16, 16]");
}
TEST_F(Dot, Precision) {
  auto precisionOf = [&](Keywords keywords, const char *element = "fp32") {
    Value a = arg(std::string(element) + "[16, 16]");
    Value v = call("dot", {a, a}, std::move(keywords));
    return mlir::cast<tile::DotOp>(v.get<TensorValue>().value.getDefiningOp()).getPrecision();
  };
  using P = tile::InputPrecision;
  EXPECT_EQ(precisionOf({}), P::IEEE);
  EXPECT_EQ(precisionOf({{"allow_tf32", lit(true)}}), P::TF32);
  EXPECT_EQ(precisionOf({{"input_precision", lit("tf32x3")}}), P::TF32x3);
  EXPECT_EQ(precisionOf({{"input_precision", lit("bf16x6")}}), P::BF16x6);
  EXPECT_EQ(precisionOf({{"allow_tf32", lit(true)}}, "fp16"), P::IEEE);
  services.target = "cuda:sm_90a";
  EXPECT_EQ(precisionOf({}), P::TF32);
  EXPECT_EQ(precisionOf({{"allow_tf32", lit(false)}}), P::IEEE);
  EXPECT_EQ(precisionOf({{"input_precision", lit("ieee")}}), P::IEEE);
  EXPECT_EQ(precisionOf({}, "bf16"), P::IEEE);
}
TEST_F(Dot, Errors) {
  Value half = arg("fp16[16, 16]"), full = arg("fp32[16, 16]");
  auto e = [&](std::vector<Value> v, Keywords k = {}) { return errorOf("dot", v, k); };
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess()
                                                : testing::AssertionFailure() << text;
  };
  EXPECT_EQ(e({arg("fp16[16, 32]"), arg("fp16[16, 32]")}),
            "tl.dot: inner dimensions differ: [16, 32] and [16, 32] (32 and 16); transpose one "
            "with tl.trans?");
  EXPECT_TRUE(has(e({arg("fp16[16]"), half}), "2 or more, but got [16] and [16, 16]"));
  EXPECT_TRUE(has(e({arg("fp16[2, 16, 16]"), arg("fp16[4, 16, 16]")}), "batch sizes differ"));
  EXPECT_TRUE(has(e({half, full}), "different dtypes: float16 and float32"));
  EXPECT_TRUE(has(e({arg("i32[16, 16]"), arg("i32[16, 16]")}), "'input' has dtype int32"));
  EXPECT_TRUE(has(e({arg("fp16[16, 8]"), arg("fp16[8, 16]")}), "need at least 16"));
  EXPECT_TRUE(has(e({arg("i8[16, 16]"), arg("i8[16, 16]")}), "need at least 32"));
  EXPECT_TRUE(has(e({arg("fp32[16, 4]"), arg("fp32[4, 16]")}), "need at least 8"));
  EXPECT_TRUE(has(e({half, half}, {{"out_dtype", type("bf16")}}), "use float32 or float16"));
  EXPECT_TRUE(has(e({full, full}, {{"out_dtype", type("fp16")}}), "cannot accumulate products of"));
  EXPECT_TRUE(has(e({half, half, arg("fp32[16, 32]")}), "the product has shape [16, 16]"));
  EXPECT_TRUE(has(e({half, half, arg("fp16[16, 16]")}), "accumulates in float32"));
  EXPECT_TRUE(has(e({full, full}, {{"input_precision", lit("fp8")}}), "use 'tf32'"));
  EXPECT_TRUE(has(e({full, full}, {{"input_precision", lit("ieee")}, {"allow_tf32", lit(true)}}),
                  "pass one of them"));
  EXPECT_TRUE(has(e({lit(3), half}), "'input' must be a tensor"));
}
TEST_F(Dot, DimensionsBeforeTheMatrixAreBatches) {
  Value a = arg("fp16[2, 4, 16, 32]"), b = arg("fp16[2, 4, 32, 16]");
  EXPECT_EQ(typeOf(call("dot", {a, b, arg("fp32[2, 4, 16, 16]")})), "float32[2, 4, 16, 16]");
  EXPECT_NE(onlyOp("tile.dot"), nullptr);
  EXPECT_NE(dump().find("8x16x16"), std::string::npos) << dump();
}
TEST_F(Dot, IntegersHaveOneAccumulator) {
  Value a = arg("i8[16, 32]"), b = arg("i8[32, 16]");
  EXPECT_EQ(typeOf(call("dot", {a, b}, {{"out_dtype", type("i8")}})), "int32[16, 16]");
}
TEST_F(Dot, SmallOuterDimensions) {
  EXPECT_EQ(typeOf(call("dot", {arg("fp16[1, 16]"), arg("fp16[16, 2]")})), "float32[1, 2]");
}
TEST_F(Dot, ImpreciseAccumulation) {
  call("dot", {arg("fp8e5[16, 64]"), arg("fp8e5[64, 16]")}, {{"max_num_imprecise_acc", lit(32)}});
  EXPECT_EQ(mlir::cast<tile::DotOp>(onlyOp("tile.dot")).getMaxImprecise(), 32u);
}

using Sort = LangTest;
TEST_F(Sort, Shapes) {
  EXPECT_EQ(typeOf(call("sort", {arg("fp32[4, 8]")})), "float32[4, 8]");
  EXPECT_EQ(countOps("tile.split"), 6u); // 1 + 2 + 3 steps
  EXPECT_EQ(typeOf(call("topk", {arg("fp32[4, 8]"), lit(2)})), "float32[4, 2]");
  EXPECT_EQ(typeOf(call("bitonic_merge", {arg("i32[8]")})), "int32[8]");
  EXPECT_EQ(typeOf(call("sort", {arg("i32[1]")})), "int32[1]");
  EXPECT_EQ(typeOf(call("sort", {arg("fp32[4, 48]")})), "float32[4, 48]");
  EXPECT_EQ(typeOf(call("sort", {arg("fp8e4nv[3]")})), "float8e4nv[3]");
  EXPECT_EQ(typeOf(call("topk", {arg("uint8[4, 20]"), lit(3)})), "uint8[4, 3]");
  EXPECT_EQ(typeOf(call("bitonic_merge", {arg("fp16[5]")})), "float16[5]");
}
TEST_F(Sort, Errors) {
  EXPECT_NE(errorOf("sort", {arg("fp32[4, 8]"), lit(0)}).find("only the last dimension"),
            std::string::npos);
  EXPECT_NE(errorOf("topk", {arg("fp32[8]"), lit(16)}).find("must be 1 to 8"), std::string::npos);
  EXPECT_NE(errorOf("sort", {arg("*fp32[8]")}).find("must hold numbers"), std::string::npos);
}
} // namespace
