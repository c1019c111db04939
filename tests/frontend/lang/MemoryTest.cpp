// Loads, stores and atomics.
#include "tests/frontend/lang/LangTest.h"

using namespace tilerun;
using namespace tilerun::lang;

namespace {
using Memory = LangTest;

TEST_F(Memory, LoadOfATensor) {
  Value v = call("load", {arg("*fp16[64]")});
  EXPECT_EQ(typeOf(v), "float16[64]");
  EXPECT_IR("tile.load %arg0 : tensor<64x!tile.ptr<f16>>");
}
TEST_F(Memory, LoadOfAScalar) { EXPECT_EQ(typeOf(call("load", {arg("*i64")})), "int64"); }
TEST_F(Memory, LoadOfAPointer) {
  EXPECT_EQ(typeOf(call("load", {arg("**fp32[8]")})), "pointer<float32>[8]");
}
TEST_F(Memory, MaskAndOtherBroadcast) {
  call("load", {arg("*fp32[8, 4]"), arg("i1[8, 1]"), lit(0)});
  EXPECT_IR("tile.broadcast %arg1");
  EXPECT_IR("mask %");
  EXPECT_IR("other %");
}
TEST_F(Memory, PointersBroadcastToTheMaskInLoads) {
  EXPECT_EQ(typeOf(call("load", {arg("*fp32[8, 1]"), arg("i1[8, 4]")})), "float32[8, 4]");
}
TEST_F(Memory, OtherIsCastToTheElementType) {
  call("load", {arg("*fp16[8]"), arg("i1[8]"), arg("fp32")});
  EXPECT_IR("arith.truncf %arg2 : f32 to f16");
}
TEST_F(Memory, MaskKnownToBeTrueIsDropped) {
  call("load", {arg("*fp32[8]"), lit(true), lit(0)});
  EXPECT_IR("tile.load %arg0 : ");
}
TEST_F(Memory, MaskKnownToBeFalseStays) {
  call("load", {arg("*fp32[8]"), lit(false), lit(7)});
  EXPECT_IR("mask %");
  EXPECT_IR("other %");
}
TEST_F(Memory, BoolsAreBytes) {
  EXPECT_EQ(typeOf(call("load", {arg("*i1[8]"), arg("i1[8]"), lit(true)})), "int1[8]");
  EXPECT_IR("tile.bitcast %arg0 : tensor<8x!tile.ptr<i1>> -> tensor<8x!tile.ptr<i8>>");
  EXPECT_IR("arith.cmpi ne");
  call("store", {arg("*i1[8]"), arg("i32[8]")});
  EXPECT_IR("arith.extui");
}
TEST_F(Memory, LoadOptions) {
  call("load", {arg("*fp32[8]")},
       {{"cache_modifier", lit(".cg")},
        {"eviction_policy", lit("evict_last")},
        {"volatile", lit(true)}});
  auto load = mlir::cast<tile::LoadOp>(onlyOp("tile.load"));
  EXPECT_EQ(load.getCache(), tile::CacheModifier::CG);
  EXPECT_EQ(load.getEvict(), tile::EvictionPolicy::Last);
  EXPECT_TRUE(load.getIsVolatile());
}
TEST_F(Memory, LoadErrors) {
  Value p = arg("*fp32[8]"), mask = arg("i1[8]");
  EXPECT_NE(errorOf("load", {arg("fp32[8]")}).find("tl.load: 'pointer' must be a pointer"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {lit(3)}).find("'pointer' must be a pointer"), std::string::npos);
  EXPECT_NE(errorOf("load", {arg("*void")}).find("points to void"), std::string::npos);
  EXPECT_NE(errorOf("load", {p, none(), lit(0)}).find("'other' has no effect without 'mask'"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p, arg("i32[8]")}).find("'mask' must be a tensor of int1"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {arg("*fp32"), mask}).find("the pointer is a scalar"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p, arg("i1[16]")}).find("cannot broadcast shapes [8] and [16]"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p, mask, lit("x")}).find("'other' must be a tensor or a number"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p}, {{"cache_modifier", lit(".xx")}}).find("use '.ca', '.cg'"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p}, {{"cache_modifier", lit(".wb")}}).find("use '.ca', '.cg'"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p}, {{"eviction_policy", lit("keep")}}).find("evict_first"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p}, {{"boundary_check", list({0})}}).find("tl.make_block_ptr"),
            std::string::npos);
  EXPECT_NE(errorOf("load", {p}, {{"padding_option", lit("zero")}}).find("tl.make_block_ptr"),
            std::string::npos);
}

TEST_F(Memory, StoreCastsToTheElementType) {
  call("store", {arg("*bf16[8]"), arg("fp32[8]"), arg("i1[8]")});
  EXPECT_IR("arith.truncf %arg1");
  EXPECT_IR("tile.store %arg0, %0 mask %arg2");
}
TEST_F(Memory, StoreOfALiteral) {
  call("store", {arg("*fp32[8]"), lit(0)});
  EXPECT_IR("arith.constant 0.000000e+00 : f32");
  EXPECT_EQ(countOps("tile.splat"), 1u);
}
TEST_F(Memory, StoreOptions) {
  call("store", {arg("*fp32"), lit(1.0)},
       {{"cache_modifier", lit(".wt")}, {"eviction_policy", lit("evict_first")}});
  auto store = mlir::cast<tile::StoreOp>(onlyOp("tile.store"));
  EXPECT_EQ(store.getCache(), tile::CacheModifier::WT);
  EXPECT_EQ(store.getEvict(), tile::EvictionPolicy::First);
}
TEST_F(Memory, StoreErrors) {
  EXPECT_NE(errorOf("store", {arg("*kfp32"), lit(0)}).find("nothing may be written"),
            std::string::npos);
  EXPECT_NE(errorOf("store", {arg("*fp32[1]"), arg("fp32[8]")})
                .find("'value' has shape [8], which does not broadcast to the pointer's shape [1]"),
            std::string::npos);
  EXPECT_NE(errorOf("store", {arg("*fp32"), arg("fp32[8]")}).find("a single pointer"),
            std::string::npos);
  EXPECT_NE(errorOf("store", {arg("*fp32[8]"), lit(0), arg("i1[8, 8]")}).find("'mask' has shape"),
            std::string::npos);
  EXPECT_NE(
      errorOf("store", {arg("*fp32"), lit(0)}, {{"cache_modifier", lit(".ca")}}).find("use '.wb'"),
      std::string::npos);
}

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

TEST_F(Memory, DescriptorErrors) {
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  auto make = [&](Value strides, Value block, Value padding = lit("zero")) {
    return errorOf("make_tensor_descriptor",
                   {arg("*i32"), list({64, 64}), strides, block, padding});
  };
  EXPECT_TRUE(has(make(list({64, 2}), list({8, 8})), "ends with 2"));
  EXPECT_TRUE(has(make(list({64}), list({8, 8})), "'strides' has 1 entries"));
  EXPECT_TRUE(has(make(list({64, 1}), list({8, 2})), "8 bytes of int32; it must have at least 16"));
  EXPECT_TRUE(has(make(list({64, 1}), list({8, 0})), "sizes of tensors are 1 or more"));
  EXPECT_TRUE(has(make(list({64, 1}), list({1025, 513})), "rounded up to powers of two"));
  EXPECT_TRUE(has(make(list({64, 1}), list({8, 8}), lit("one")), "'zero' or 'nan'"));
  EXPECT_TRUE(has(make(list({64, 1}), list({8, 8}), lit("nan")), "the elements are int32"));
  EXPECT_TRUE(has(errorOf("load_tensor_descriptor", {arg("*i32"), list({0, 0})}),
                  "make one with tl.make_tensor_descriptor"));
  Value good =
      call("make_tensor_descriptor", {arg("*i32"), list({64, 64}), list({64, 1}), list({8, 8})});
  EXPECT_TRUE(has(errorOf("load_tensor_descriptor", {good, list({0})}), "has 1 entries"));
  EXPECT_TRUE(has(errorOf("store_tensor_descriptor", {good, list({0, 0}), arg("i32[16, 16]")}),
                  "does not broadcast"));
}

class Descriptors : public LangTest {
protected:
  Value make(llvm::StringRef pointer, std::vector<Value> block, llvm::StringRef padding = "zero") {
    return call("make_tensor_descriptor", {arg(pointer.str()), Value::tuple({arg("i32"), lit(64)}),
                                           Value::tuple({arg("i64"), lit(1)}),
                                           Value::tuple(std::move(block)), Value::string(padding)});
  }
};
TEST_F(Descriptors, AreOneValue) {
  Value d = make("*fp16", {lit(16), lit(8)}, "nan");
  EXPECT_EQ(d.describe(), "a tensor descriptor of float16[16, 8], padded with NaN");
  EXPECT_IR("tile.make_descriptor %arg0 sizes[%0, %c64_i64] strides[%arg2, %c1_i64] : "
            "!tile.descriptor<16x8xf16, nan>");
  EXPECT_EQ(typeOf(call("load_tensor_descriptor", {d, list({0, 0}), lit(".cg")})),
            "float16[16, 8]");
  EXPECT_IR("{cache = #tile<cache cg>} : !tile.descriptor<16x8xf16, nan>");
  EXPECT_NO_IR("mask");
}
TEST_F(Descriptors, StoresCastAndBroadcast) {
  Value d = make("*fp16", {lit(16), lit(8)});
  call("store_tensor_descriptor", {d, list({0, 0}), arg("fp32[16, 1]")});
  EXPECT_IR("arith.truncf %arg3 : tensor<16x1xf32> to tensor<16x1xf16>");
  EXPECT_IR("tile.broadcast");
  EXPECT_IR("tile.descriptor_store");
}
TEST_F(Descriptors, OfBoolsAreOfBytes) {
  Value d = make("*i1", {lit(4), lit(16)});
  EXPECT_EQ(typeOf(call("load_tensor_descriptor", {d, list({0, 0})})), "int1[4, 16]");
  EXPECT_IR("tile.bitcast %arg0 : !tile.ptr<i1> -> !tile.ptr<i8>");
  EXPECT_IR("arith.cmpi ne");
}
TEST_F(Descriptors, FieldsAreThoseThatMadeThem) {
  Value d = make("*fp32", {lit(4), lit(16)});
  for (const char *name : {"shape", "strides"}) {
    Result fields = attribute(emitter, d, name);
    ASSERT_TRUE(mlir::succeeded(fields));
    ASSERT_EQ(fields->getTuple()->elements.size(), 2u);
    EXPECT_EQ(typeOf(fields->getTuple()->elements[1]), "int64");
  }
  EXPECT_NO_IR("tile.descriptor_size");
  EXPECT_NO_IR("tile.descriptor_stride");
  EXPECT_EQ(attribute(emitter, d, "block_type")->get<TensorType>(),
            (TensorType{dtype(Scalar::F32), {4, 16}}));
}

class BlockPointers : public LangTest {
protected:
  Value make() {
    return call("make_block_ptr",
                {arg("*fp16"), Value::tuple({arg("i32"), lit(64)}),
                 Value::tuple({arg("i64"), lit(1)}), list({0, 0}), list({16, 8}), list({1, 0})});
  }
};
TEST_F(BlockPointers, LoadExpandsToPointers) {
  EXPECT_EQ(typeOf(call("load", {make()})), "float16[16, 8]");
  EXPECT_NO_IR("mask");
  EXPECT_IR("tile.load %");
}
TEST_F(BlockPointers, BoundaryCheckMasks) {
  call("load", {make()}, {{"boundary_check", list({0, 1})}, {"padding_option", lit("nan")}});
  EXPECT_EQ(countOps("arith.cmpi"), 4u);
  EXPECT_IR("other %");
  call("load", {make()}, {{"boundary_check", list({1})}, {"padding_option", lit("zero")}});
  EXPECT_EQ(countOps("arith.cmpi"), 6u);
}
TEST_F(BlockPointers, StoreCasts) {
  call("store", {make(), arg("fp32[16, 8]")}, {{"boundary_check", list({0})}});
  EXPECT_EQ(countOps("arith.truncf"), 1u);
  EXPECT_IR("mask %");
}
TEST_F(BlockPointers, AdvanceMovesTheOffsets) {
  Value p = make(), q = call("advance", {p, Value::tuple({lit(0), arg("i32")})});
  EXPECT_EQ(typeOf(call("load", {q})), "float16[16, 8]");
  EXPECT_TRUE(attribute(emitter, p, "advance")->is<BoundValue>());
  Value type = *attribute(emitter, p, "dtype");
  EXPECT_EQ(attribute(emitter, type, "element_ty")->get<TensorType>(),
            (TensorType{dtype(Scalar::F16), {16, 8}}));
  EXPECT_TRUE(attribute(emitter, type, "is_ptr")->is<BoundValue>());
}
TEST_F(BlockPointers, Errors) {
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess()
                                                : testing::AssertionFailure() << text;
  };
  Value p = make();
  EXPECT_TRUE(has(errorOf("load", {p, arg("i1[16, 8]")}), "'mask' cannot be used"));
  EXPECT_TRUE(has(errorOf("load", {p}, {{"boundary_check", list({2})}}), "names dimension 2"));
  EXPECT_TRUE(has(errorOf("load", {p}, {{"padding_option", lit("one")}}), "'zero' or 'nan'"));
  EXPECT_TRUE(has(errorOf("store", {p, lit(0), arg("i1")}), "'mask' cannot be used"));
  EXPECT_TRUE(has(errorOf("advance", {p, list({1})}), "has 1 entries"));
  EXPECT_TRUE(has(errorOf("advance", {arg("*fp32"), list({1})}), "must be a block pointer"));
  EXPECT_TRUE(has(errorOf("make_block_ptr",
                          {arg("*fp32[8]"), list({8}), list({1}), list({0}), list({8}), list({0})}),
                  "must be one pointer"));
  EXPECT_TRUE(has(errorOf("make_block_ptr",
                          {arg("*fp32"), list({8, 8}), list({1}), list({0}), list({8}), list({0})}),
                  "'shape' has 2 entries"));
  EXPECT_TRUE(has(errorOf("make_block_ptr",
                          {arg("*fp32"), list({8}), list({1}), list({0}), list({8}), list({1})}),
                  "'order' is [1]"));
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

struct AtomicCase {
  const char *name, *function, *element;
  std::optional<tile::AtomicKind> kind;
};
class Atomics : public LangTest, public testing::WithParamInterface<AtomicCase> {};

TEST_P(Atomics, Kind) {
  const AtomicCase &c = GetParam();
  std::string pointer = "*" + std::string(c.element) + "[8]";
  if (!c.kind) {
    EXPECT_NE(errorOf(c.function, {arg(pointer), lit(1)}).find("but this atomic works on"),
              std::string::npos);
    return;
  }
  Value v = call(c.function, {arg(pointer), lit(1)});
  EXPECT_EQ(v.get<TensorValue>().type.dtype, *parseDType(c.element));
  auto op = mlir::cast<tile::AtomicRMWOp>(onlyOp("tile.atomic_rmw"));
  EXPECT_EQ(op.getKind(), *c.kind);
  EXPECT_EQ(op.getSem(), tile::MemSemantic::AcquireRelease);
  EXPECT_EQ(op.getScope(), tile::MemScope::GPU);
}
using K = tile::AtomicKind;
INSTANTIATE_TEST_SUITE_P(
    All, Atomics,
    testing::Values(AtomicCase{"AddI32", "atomic_add", "i32", K::Add},
                    AtomicCase{"AddU64", "atomic_add", "u64", K::Add},
                    AtomicCase{"AddF16", "atomic_add", "fp16", K::FAdd},
                    AtomicCase{"AddBF16", "atomic_add", "bf16", K::FAdd},
                    AtomicCase{"AddF64", "atomic_add", "fp64", K::FAdd},
                    AtomicCase{"AddI8", "atomic_add", "i8", std::nullopt},
                    AtomicCase{"AddI1", "atomic_add", "i1", std::nullopt},
                    AtomicCase{"AddF8", "atomic_add", "fp8e5", std::nullopt},
                    AtomicCase{"AddPointer", "atomic_add", "*fp32", std::nullopt},
                    AtomicCase{"MaxI32", "atomic_max", "i32", K::Max},
                    AtomicCase{"MaxU32", "atomic_max", "u32", K::UMax},
                    AtomicCase{"MaxF32", "atomic_max", "fp32", K::FMax},
                    AtomicCase{"MinI64", "atomic_min", "i64", K::Min},
                    AtomicCase{"MinU64", "atomic_min", "u64", K::UMin},
                    AtomicCase{"MinF64", "atomic_min", "fp64", K::FMin},
                    AtomicCase{"MinF16", "atomic_min", "fp16", K::FMin},
                    AtomicCase{"MaxBF16", "atomic_max", "bf16", K::FMax},
                    AtomicCase{"MaxF8", "atomic_max", "fp8e5", std::nullopt},
                    AtomicCase{"MinI16", "atomic_min", "i16", std::nullopt},
                    AtomicCase{"AndI32", "atomic_and", "i32", K::And},
                    AtomicCase{"OrU64", "atomic_or", "u64", K::Or},
                    AtomicCase{"XorI64", "atomic_xor", "i64", K::Xor},
                    AtomicCase{"XorF32", "atomic_xor", "fp32", std::nullopt},
                    AtomicCase{"XchgF16", "atomic_xchg", "fp16", K::Xchg},
                    AtomicCase{"XchgF32", "atomic_xchg", "fp32", K::Xchg},
                    AtomicCase{"XchgI16", "atomic_xchg", "i16", K::Xchg},
                    AtomicCase{"XchgI8", "atomic_xchg", "i8", std::nullopt}),
    [](const testing::TestParamInfo<AtomicCase> &info) { return std::string(info.param.name); });

TEST_F(Memory, AtomicOrderAndScope) {
  call("atomic_add", {arg("*fp32[8]"), arg("fp32"), arg("i1")},
       {{"sem", lit("relaxed")}, {"scope", lit("sys")}});
  auto op = mlir::cast<tile::AtomicRMWOp>(onlyOp("tile.atomic_rmw"));
  EXPECT_EQ(op.getSem(), tile::MemSemantic::Relaxed);
  EXPECT_EQ(op.getScope(), tile::MemScope::System);
  EXPECT_TRUE(op.getMask() != nullptr);
}
TEST_F(Memory, AtomicErrors) {
  EXPECT_NE(errorOf("atomic_add", {arg("*fp32"), lit(1)}, {{"sem", lit("seq")}}).find("'acquire'"),
            std::string::npos);
  EXPECT_NE(errorOf("atomic_add", {arg("*fp32"), lit(1)}, {{"scope", lit("all")}}).find("'cta'"),
            std::string::npos);
  EXPECT_NE(errorOf("atomic_add", {arg("*kfp32"), lit(1)}).find("nothing may be written"),
            std::string::npos);
  EXPECT_NE(errorOf("atomic_add", {arg("*fp32[1]"), arg("fp32[8]")}).find("does not broadcast"),
            std::string::npos);
}
TEST_F(Memory, CompareAndSwap) {
  EXPECT_EQ(typeOf(call("atomic_cas", {arg("*i32"), lit(0), lit(1)})), "int32");
  auto op = mlir::cast<tile::AtomicCASOp>(onlyOp("tile.atomic_cas"));
  EXPECT_EQ(op.getSem(), tile::MemSemantic::AcquireRelease);
  EXPECT_NE(errorOf("atomic_cas", {arg("*i8"), lit(0), lit(1)}).find("16, 32 or 64 bits"),
            std::string::npos);
}
} // namespace
