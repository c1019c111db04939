// Creation and shape functions, subscripts and attributes.
#include "tests/frontend/lang/LangTest.h"

using namespace tilerun;
using namespace tilerun::lang;

namespace {
using Shapes = LangTest;

TEST_F(Shapes, ProgramIndex) {
  EXPECT_EQ(typeOf(call("program_id", {lit(0)})), "int32");
  EXPECT_EQ(typeOf(call("num_programs", {}, {{"axis", lit(2)}})), "int32");
  EXPECT_IR("tile.program_id 0");
  EXPECT_IR("tile.num_programs 2");
  EXPECT_EQ(errorOf("program_id", {lit(3)}), "tl.program_id: 'axis' must be 0 to 2, but it is 3");
  EXPECT_NE(errorOf("program_id", {arg("i32")}).find("pass a tl.constexpr"), std::string::npos);
}
TEST_F(Shapes, Arange) {
  EXPECT_EQ(typeOf(call("arange", {lit(0), lit(128)})), "int32[128]");
  EXPECT_IR("tile.make_range 0 to 128");
  EXPECT_EQ(typeOf(call("arange", {lit(64), lit(128)})), "int32[64]");
  EXPECT_EQ(typeOf(call("arange", {lit(3), lit(51)})), "int32[48]");
  EXPECT_IR("tile.make_range 3 to 51 : tensor<48xi32>");
  EXPECT_NE(errorOf("arange", {lit(8), lit(8)}).find("must be greater than 'start'"),
            std::string::npos);
  EXPECT_NE(errorOf("arange", {lit(0), lit(1 << 21)}).find("more than 1048576"), std::string::npos);
  EXPECT_NE(errorOf("arange", {lit(0), arg("i32")}).find("known at compile time"),
            std::string::npos);
}
TEST_F(Shapes, ZerosAndFull) {
  EXPECT_EQ(typeOf(call("zeros", {list({16, 8}), type("fp32")})), "float32[16, 8]");
  EXPECT_IR("arith.constant dense<0.000000e+00> : tensor<16x8xf32>");
  EXPECT_EQ(typeOf(call("full", {list({16}), lit(3), type("i8")})), "int8[16]");
  EXPECT_IR("arith.constant dense<3> : tensor<16xi8>");
  EXPECT_EQ(typeOf(call("full", {list({16}), arg("fp32"), type("fp16")})), "float16[16]");
  EXPECT_EQ(typeOf(call("full", {lit(16), lit(2.7), type("i32")})), "int32[16]");
  EXPECT_IR("arith.constant 2 : i32");
  EXPECT_EQ(typeOf(call("zeros", {list({16}), type("fp8e4b15")})), "float8e4b15[16]");
  EXPECT_EQ(typeOf(call("zeros", {list({16}), type("*fp32")})), "pointer<float32>[16]");
}
TEST_F(Shapes, ZerosErrors) {
  EXPECT_EQ(errorOf("zeros", {list({0}), type("fp32")}),
            "tl.zeros: 'shape' has size 0 in dimension 0; sizes of tensors are 1 or more");
  EXPECT_EQ(errorOf("zeros", {list({3, -8}), type("fp32")}),
            "tl.zeros: 'shape' has size -8 in dimension 1; sizes of tensors are 1 or more");
  EXPECT_NE(errorOf("zeros", {list({2048, 1024}), type("fp32")}).find("more than 1048576"),
            std::string::npos);
  EXPECT_NE(errorOf("zeros", {list({8}), lit(5)}).find("must be a dtype"), std::string::npos);
  EXPECT_NE(errorOf("zeros", {list({8}), type("void")}).find("is void"), std::string::npos);
  EXPECT_NE(
      errorOf("zeros", {Value::tuple({arg("i32")}), type("fp32")}).find("make it a tl.constexpr"),
      std::string::npos);
  EXPECT_NE(errorOf("full", {list({8}), arg("fp32[8]"), type("fp32")}).find("one number"),
            std::string::npos);
}
TEST_F(Shapes, CastFunction) {
  EXPECT_EQ(typeOf(call("cast", {arg("fp32[8]"), type("fp16")})), "float16[8]");
  EXPECT_EQ(typeOf(call("cast", {arg("fp32[8]"), type("i32")}, {{"bitcast", lit(true)}})),
            "int32[8]");
  EXPECT_EQ(typeOf(call("to", {lit(1), type("i64")}, {}, "triton.language.tensor")), "int64");
}
TEST_F(Shapes, ExpandDims) {
  EXPECT_EQ(typeOf(call("expand_dims", {arg("fp32[8]"), lit(0)})), "float32[1, 8]");
  EXPECT_EQ(typeOf(call("expand_dims", {arg("fp32[8]"), lit(-1)})), "float32[8, 1]");
  EXPECT_EQ(typeOf(call("expand_dims", {arg("fp32[8]"), list({0, 2})})), "float32[1, 8, 1]");
  EXPECT_EQ(typeOf(call("expand_dims", {arg("fp32"), lit(0)})), "float32[1]");
  EXPECT_NE(errorOf("expand_dims", {arg("fp32[8]"), lit(2)}).find("use -2 to 1"),
            std::string::npos);
  EXPECT_NE(errorOf("expand_dims", {arg("fp32[8]"), list({0, 0})}).find("twice"),
            std::string::npos);
}
TEST_F(Shapes, BroadcastTo) {
  EXPECT_EQ(typeOf(call("broadcast_to", {arg("fp32[8, 1]"), lit(8), lit(4)})), "float32[8, 4]");
  EXPECT_EQ(typeOf(call("broadcast_to", {arg("fp32[8, 1]"), list({8, 4})})), "float32[8, 4]");
  EXPECT_EQ(typeOf(call("broadcast_to", {arg("fp32[1]")}, {{"shape", list({8})}})), "float32[8]");
  EXPECT_EQ(typeOf(call("broadcast_to", {arg("fp32"), list({8, 4})})), "float32[8, 4]");
  EXPECT_NE(errorOf("broadcast_to", {arg("fp32[4]"), list({8, 4})}).find("needs equal ranks"),
            std::string::npos);
  EXPECT_NE(errorOf("broadcast_to", {arg("fp32[8]"), list({4})}).find("cannot broadcast"),
            std::string::npos);
  Value both = call("broadcast", {arg("fp32[8, 1]"), arg("fp32[1, 4]")});
  ASSERT_TRUE(both.getTuple());
  EXPECT_EQ(typeOf(both.getTuple()->elements[1]), "float32[8, 4]");
}
TEST_F(Shapes, Reshape) {
  EXPECT_EQ(typeOf(call("reshape", {arg("fp32[8, 4]"), list({2, 16})})), "float32[2, 16]");
  EXPECT_EQ(typeOf(call("reshape", {arg("fp32[8, 4]"), lit(-1)})), "float32[32]");
  EXPECT_NO_IR("allow_reorder");
  EXPECT_EQ(typeOf(call("view", {arg("fp32[8, 4]"), lit(32)})), "float32[32]");
  EXPECT_IR("allow_reorder");
  EXPECT_NE(errorOf("reshape", {arg("fp32[8, 4]"), list({16})})
                .find("(32 elements) the shape [16] (16 elements)"),
            std::string::npos);
  EXPECT_NE(errorOf("reshape", {arg("fp32[8]"), list({0})}).find("must be positive"),
            std::string::npos);
  EXPECT_NE(errorOf("reshape", {arg("fp32[8]"), list({-1, -1})}).find("must be positive"),
            std::string::npos);
}
TEST_F(Shapes, Permutations) {
  EXPECT_EQ(typeOf(call("trans", {arg("fp32[8, 4]")})), "float32[4, 8]");
  EXPECT_EQ(typeOf(call("trans", {arg("fp32[2, 8, 4]")})), "float32[2, 4, 8]");
  EXPECT_EQ(typeOf(call("permute", {arg("fp32[2, 8, 4]"), list({2, 0, 1})})), "float32[4, 2, 8]");
  EXPECT_EQ(typeOf(call("permute", {arg("fp32[2, 8]"), lit(1), lit(0)})), "float32[8, 2]");
  EXPECT_NE(errorOf("trans", {arg("fp32[8]")}).find("needs two dimensions or more"),
            std::string::npos);
  EXPECT_NE(errorOf("permute", {arg("fp32[8, 4]"), list({0, 0})}).find("does not name each"),
            std::string::npos);
  EXPECT_NE(errorOf("permute", {arg("fp32[8, 4]"), list({0})}).find("does not name each"),
            std::string::npos);
  EXPECT_NE(errorOf("permute", {arg("fp32[8, 4]"), list({0, 5})}).find("does not name each"),
            std::string::npos);
}
TEST_F(Shapes, JoinAndSplit) {
  EXPECT_EQ(typeOf(call("join", {arg("fp32[8]"), arg("fp32[8]")})), "float32[8, 2]");
  EXPECT_EQ(typeOf(call("join", {arg("fp32"), arg("fp32")})), "float32[2]");
  EXPECT_EQ(typeOf(call("join", {arg("fp32[8]"), lit(0)})), "float32[8, 2]");
  Value halves = call("split", {arg("i32[8, 2]")});
  EXPECT_EQ(typeOf(halves.getTuple()->elements[0]), "int32[8]");
  Value scalars = call("split", {arg("i32[2]")});
  EXPECT_EQ(typeOf(scalars.getTuple()->elements[1]), "int32");
  EXPECT_NE(errorOf("split", {arg("i32[8]")}).find("must have size 2"), std::string::npos);
  EXPECT_NE(errorOf("split", {arg("i32")}).find("must be a tensor"), std::string::npos);
}
TEST_F(Shapes, Concatenation) {
  EXPECT_EQ(typeOf(call("cat", {arg("fp32[8]"), arg("fp32[8]")}, {{"can_reorder", lit(true)}})),
            "float32[16]");
  EXPECT_EQ(countOps("tile.cat"), 1u);
  EXPECT_EQ(typeOf(call("cat", {arg("fp32[8, 4]"), arg("fp32[8, 4]")}, {{"dim", lit(1)}})),
            "float32[8, 8]");
  EXPECT_EQ(typeOf(call("cat", {arg("fp32[8, 4]"), arg("fp32[8, 4]")})), "float32[16, 4]");
  EXPECT_NE(errorOf("cat", {arg("fp32[8]"), arg("fp32[4]")}).find("one shape and dtype"),
            std::string::npos);
}
TEST_F(Shapes, FlipExchangesHalves) {
  EXPECT_EQ(typeOf(call("flip", {arg("fp32[2, 8]")})), "float32[2, 8]");
  EXPECT_EQ(countOps("tile.join"), 3u); // log2(8)
  EXPECT_EQ(typeOf(call("flip", {arg("fp32[2, 8]"), lit(0)})), "float32[2, 8]");
  EXPECT_EQ(countOps("tile.join"), 4u);
}
TEST_F(Shapes, ItemAndSqueeze) {
  EXPECT_EQ(typeOf(call("item", {arg("fp32[1, 1]")})), "float32");
  EXPECT_NE(errorOf("item", {arg("fp32[2]")}).find("must have one element"), std::string::npos);
  EXPECT_EQ(typeOf(call("squeeze", {arg("fp32[8, 1]"), lit(1)})), "float32[8]");
  EXPECT_NE(errorOf("squeeze", {arg("fp32[8, 1]"), lit(0)}).find("whose size is not 1"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Subscripts and attributes
//===----------------------------------------------------------------------===//

Value colon() { return Value(SliceValue{}); }

TEST_F(Shapes, SubscriptsAddDimensions) {
  auto at = [&](const Value &v, std::vector<Value> indices) {
    Result r = subscript(emitter, v, indices);
    return mlir::succeeded(r) ? typeOf(*r) : "error: " + lastError();
  };
  EXPECT_EQ(at(arg("i32[8]"), {colon(), none()}), "int32[8, 1]");
  EXPECT_EQ(at(arg("i32[8]"), {none(), colon()}), "int32[1, 8]");
  EXPECT_EQ(at(arg("i32[8, 4]"), {colon(), none(), colon()}), "int32[8, 1, 4]");
  EXPECT_EQ(at(arg("i32[8, 4]"), {none(), colon(), none(), colon(), none()}),
            "int32[1, 8, 1, 4, 1]");
  EXPECT_EQ(at(arg("i32[8, 4]"), {Value(EllipsisValue{}), none()}), "int32[8, 4, 1]");
  EXPECT_EQ(at(arg("i32"), {none()}), "int32[1]");
  EXPECT_EQ(at(arg("i32[8]"), {none()}), "int32[1, 8]");
  EXPECT_EQ(at(arg("i32[8]"), {colon(), colon()}), "int32[8]");
  EXPECT_EQ(at(arg("i32"), {colon(), none()}), "int32[1]");
  EXPECT_EQ(at(arg("i32[8]"), {colon(), none(), colon(), none()}), "int32[8, 1, 1]");
  EXPECT_NE(at(arg("i32[8]"), {lit(0), colon()}).find("too many indices"), std::string::npos);
  EXPECT_NE(at(arg("i32[8]"), {Value(EllipsisValue{}), colon(), colon()}).find("too many indices"),
            std::string::npos);
}
TEST_F(Shapes, SubscriptsTakeParts) {
  auto at = [&](const Value &v, std::vector<Value> indices) {
    Result r = subscript(emitter, v, indices);
    return mlir::succeeded(r) ? typeOf(*r) : "error: " + lastError();
  };
  auto slice = [&](Value lower, Value upper, Value step) {
    return Value(SliceValue{std::make_shared<Value>(lower), std::make_shared<Value>(upper),
                            std::make_shared<Value>(step)});
  };
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(at(arg("i32[8]"), {slice(lit(2), lit(4), none())}), "int32[2]");
  EXPECT_EQ(at(arg("i32[8]"), {slice(lit(-4), none(), none())}), "int32[4]");
  EXPECT_EQ(at(arg("i32[8]"), {slice(none(), none(), lit(-2))}), "int32[4]");
  EXPECT_EQ(at(arg("i32[8]"), {slice(lit(0), lit(100), none())}), "int32[8]");
  EXPECT_EQ(at(arg("i32[8, 4]"), {lit(-1)}), "int32[4]");
  EXPECT_EQ(at(arg("i32[8, 4]"), {colon(), lit(1), none()}), "int32[8, 1]");
  EXPECT_EQ(at(arg("i32[8, 4]"), {arg("i64"), lit(1)}), "int32");
  EXPECT_EQ(at(arg("i32[8, 4, 2]"), {lit(1), Value(EllipsisValue{}), lit(0)}), "int32[4]");
  EXPECT_TRUE(has(at(arg("i32[8]"), {lit(8)}), "index 8 is outside of a dimension of 8"));
  EXPECT_TRUE(has(at(arg("i32[8]"), {lit(-9)}), "outside"));
  EXPECT_EQ(at(arg("i32[8]"), {slice(lit(1), lit(4), none())}), "int32[3]");
  EXPECT_EQ(at(arg("i32[10, 3]"), {slice(lit(1), none(), lit(2)), lit(2)}), "int32[5]");
  EXPECT_TRUE(has(at(arg("i32[8]"), {slice(lit(4), lit(4), none())}), "takes no positions"));
  EXPECT_TRUE(has(at(arg("i32[8]"), {slice(none(), none(), lit(0))}), "cannot be 0"));
  EXPECT_TRUE(has(at(arg("i32[8]"), {slice(arg("i32"), none(), none())}), "known at compile time"));
  EXPECT_TRUE(has(at(arg("i32[8]"), {arg("i32[8]")}), "cannot be indexed with"));
  EXPECT_TRUE(has(at(arg("i32[8]"), {arg("fp32")}), "cannot be indexed with"));
}
TEST_F(Shapes, TensorAttributes) {
  Value x = arg("fp16[8, 4]");
  auto get = [&](const Value &v, const char *name) {
    Result r = attribute(emitter, v, name);
    return mlir::succeeded(r) ? *r : Value();
  };
  EXPECT_EQ(get(x, "dtype").get<DType>(), dtype(Scalar::F16));
  EXPECT_EQ(get(x, "shape").getTuple()->elements.size(), 2u);
  EXPECT_TRUE(get(x, "numel").get<PyInt>() == 32);
  EXPECT_EQ(typeOf(get(x, "T")), "float16[4, 8]");
  EXPECT_EQ(get(get(x, "type"), "element_ty").get<DType>(), dtype(Scalar::F16));
  EXPECT_EQ(get(get(arg("*i32"), "dtype"), "element_ty").get<DType>(), dtype(Scalar::Int32));
  EXPECT_TRUE(get(dtype(Scalar::BF16), "primitive_bitwidth").get<PyInt>() == 16);
  EXPECT_TRUE(get(x, "sum").is<BoundValue>());
  EXPECT_TRUE(get(lit(1), "to").is<BoundValue>());
  EXPECT_FALSE(get(x, "suum").isValid());
  EXPECT_NE(lastError().find("did you mean 'sum'?"), std::string::npos);
  EXPECT_FALSE(get(arg("fp32[8]"), "T").isValid());
  EXPECT_NE(lastError().find("use tl.permute"), std::string::npos);
}
TEST_F(Shapes, DTypeMethods) {
  auto ask = [&](DType t, const char *method) -> std::string {
    Result bound = attribute(emitter, Value(t), method);
    if (mlir::failed(bound))
      return "none";
    Result r = services.call(*bound->get<BoundValue>().function, {Value(t)}, {});
    return mlir::succeeded(r) && r->is<bool>() ? (r->get<bool>() ? "True" : "False") : "other";
  };
  EXPECT_EQ(ask(dtype(Scalar::F8E5), "is_fp8"), "True");
  EXPECT_EQ(ask(dtype(Scalar::F16), "is_fp8"), "False");
  EXPECT_EQ(ask(dtype(Scalar::F16), "is_fp16"), "True");
  EXPECT_EQ(ask(dtype(Scalar::UInt8), "is_int_unsigned"), "True");
  EXPECT_EQ(ask(dtype(Scalar::F32).getPointerTo(), "is_ptr"), "True");
  EXPECT_EQ(ask(dtype(Scalar::F32), "is_floating"), "True");
  EXPECT_EQ(ask(dtype(Scalar::Int1), "is_bool"), "True");
  EXPECT_EQ(ask(dtype(Scalar::Int1), "is_funny"), "none");
}
TEST_F(Shapes, NamespaceAttributes) {
  Value tl(NamespaceValue{"triton.language"});
  EXPECT_TRUE(mlir::succeeded(attribute(emitter, tl, "math")));
  EXPECT_TRUE(mlir::failed(attribute(emitter, tl, "loadd")));
  EXPECT_EQ(lastError(), "'triton.language' has no name 'loadd'; did you mean 'load'?");
}
TEST_F(Shapes, Gather) {
  Value v = call("gather", {arg("fp16[8, 4]"), arg("int64[8, 2]"), lit(-1)});
  EXPECT_EQ(typeOf(v), "float16[8, 2]");
  EXPECT_IR("axis 1 : tensor<8x4xf16>, tensor<8x2xi64> -> tensor<8x2xf16>");
  EXPECT_EQ(errorOf("gather", {arg("fp16[8]"), arg("fp32[8]"), lit(0)}),
            "tl.gather: 'index' must hold integers, but it is float32[8]");
  EXPECT_EQ(
      errorOf("gather", {arg("fp16[8, 4]"), arg("int32[4, 4]"), lit(1)}),
      "tl.gather: 'index' must have the shape of 'src' except in dimension 1, but they have the "
      "shapes [4, 4] and [8, 4]");
  EXPECT_EQ(errorOf("gather", {arg("fp16[8, 4]"), arg("int32[8]"), lit(0)}),
            "tl.gather: 'index' must have the rank of 'src', but they have the shapes [8] and "
            "[8, 4]");
}

TEST_F(Shapes, AnySize) {
  EXPECT_EQ(typeOf(call("zeros", {list({48, 80}), type("fp32")})), "float32[48, 80]");
  EXPECT_EQ(typeOf(call("full", {list({3, 5, 7}), lit(1), type("i8")})), "int8[3, 5, 7]");
  EXPECT_EQ(typeOf(call("reshape", {arg("fp32[48, 80]"), list({3840})})), "float32[3840]");
  EXPECT_EQ(typeOf(call("reshape", {arg("fp32[48, 80]"), list({-1, 6})})), "float32[640, 6]");
  EXPECT_EQ(typeOf(call("join", {arg("fp32[12]"), arg("fp32[12]")})), "float32[12, 2]");
  EXPECT_EQ(typeOf(call("cat", {arg("fp32[12]"), arg("fp32[12]")})), "float32[24]");
  EXPECT_EQ(typeOf(call("flip", {arg("fp32[12, 3]"), lit(0)})), "float32[12, 3]");
  EXPECT_EQ(typeOf(call("dot", {arg("fp16[48, 96]"), arg("fp16[96, 80]")})), "float32[48, 80]");
}

TEST_F(Shapes, SizesCountAsTheyAreRoundedUp) {
  // 3 × 262144 rounds up to 4 × 262144, which is just allowed.
  EXPECT_EQ(typeOf(call("zeros", {list({3, 262144}), type("i8")})), "int8[3, 262144]");
  EXPECT_EQ(errorOf("zeros", {list({3, 262145}), type("i8")}),
            "tl.zeros: 'shape' is [3, 262145], which is more than 1048576 elements with its sizes "
            "rounded up to powers of two; use smaller blocks");
  EXPECT_EQ(errorOf("zeros", {list({3, INT_MAX, INT_MAX}), type("i8")}),
            "tl.zeros: 'shape' is [3, 2147483647, 2147483647], which is more than 1048576 "
            "elements; use smaller blocks");
  EXPECT_NE(errorOf("broadcast_to", {arg("i8[1, 1]"), list({1025, 513})}).find("rounded up"),
            std::string::npos);
  EXPECT_NE(errorOf("broadcast", {arg("i8[1025, 1]"), arg("i8[1, 513]")}).find("rounded up"),
            std::string::npos);
  EXPECT_NE(
      errorOf("reshape", {arg("i8[390625]"), list({5, 5, 5, 5, 5, 5, 5, 5})}).find("rounded up"),
      std::string::npos);
  EXPECT_NE(errorOf("join", {arg("i8[5, 81920]"), arg("i8[5, 81920]")}).find("rounded up"),
            std::string::npos);
  EXPECT_NE(errorOf("cat", {arg("i8[3, 262144]"), arg("i8[3, 262144]")}).find("more than 1048576"),
            std::string::npos);
}

TEST_F(Shapes, Histogram) {
  Value v = call("histogram", {arg("uint8[64]"), lit(16), arg("int1[64]")});
  EXPECT_EQ(typeOf(v), "int32[16]");
  EXPECT_IR("tile.histogram");
  EXPECT_EQ(typeOf(call("histogram", {arg("int32[100]"), lit(10)})), "int32[10]");
  EXPECT_TRUE(llvm::StringRef(errorOf("histogram", {arg("int32[8, 8]"), lit(8)}))
                  .contains("must have one dimension"));
  EXPECT_TRUE(llvm::StringRef(errorOf("histogram", {arg("fp32[8]"), lit(8)}))
                  .contains("must hold integers"));
}
} // namespace
