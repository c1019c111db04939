// Types of the dialect and the small functions over them.
#include "ir/tile/TileUtils.h"
#include "tests/ir/tile/TileTest.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace tilerun;

namespace {

class TypesTest : public test::TileTest {
protected:
  /// Every element type of the language with its size in memory.
  SmallVector<std::pair<Type, unsigned>> elements() {
    return {{builder.getI1Type(), 1},
            {builder.getI8Type(), 1},
            {builder.getI16Type(), 2},
            {builder.getI32Type(), 4},
            {builder.getI64Type(), 8},
            {builder.getF16Type(), 2},
            {builder.getBF16Type(), 2},
            {builder.getF32Type(), 4},
            {builder.getF64Type(), 8},
            {Float8E5M2Type::get(&context), 1},
            {Float8E4M3FNType::get(&context), 1},
            {Float8E4M3FNUZType::get(&context), 1},
            {Float8E5M2FNUZType::get(&context), 1},
            {tile::F8E4M3B15Type::get(&context), 1},
            {pointer(builder.getF32Type()), 8}};
  }
};

TEST_F(TypesTest, ElementBytes) {
  for (auto [type, bytes] : elements())
    EXPECT_EQ(tile::getElementBytes(type), bytes);
}

TEST_F(TypesTest, ElementTypesAreTheLanguages) {
  for (auto [type, bytes] : elements())
    EXPECT_EQ(tile::isElementInteger(type) + tile::isElementFloat(type),
              !isa<tile::PointerType>(type));
  for (Type type : {Type(builder.getIndexType()), Type(builder.getIntegerType(24)),
                    Type(builder.getIntegerType(128)), Type(builder.getIntegerType(32, true)),
                    Type(Float80Type::get(&context)), Type(Float8E8M0FNUType::get(&context)),
                    Type(builder.getNoneType())}) {
    EXPECT_FALSE(tile::isElementInteger(type));
    EXPECT_FALSE(tile::isElementFloat(type));
  }
}

TEST_F(TypesTest, PointersPointToEveryElementType) {
  for (auto [type, bytes] : elements()) {
    Type element = type;
    auto emitError = [&] { return mlir::emitError(loc()); };
    EXPECT_TRUE(tile::PointerType::getChecked(emitError, &context, element, 1u));
    std::string text;
    llvm::raw_string_ostream(text) << pointer(element);
    EXPECT_EQ(parseType(text, &context), pointer(element)) << text;
  }
}

TEST_F(TypesTest, PointersRefuseOtherTypes) {
  auto emitError = [&] { return mlir::emitError(loc()); };
  EXPECT_FALSE(
      tile::PointerType::getChecked(emitError, &context, Type(builder.getIndexType()), 1u));
  EXPECT_NE(diagnostics.find("not to 'index'"), std::string::npos) << diagnostics;
  EXPECT_FALSE(tile::PointerType::getChecked(emitError, &context, Type(builder.getF32Type()), 3u));
  EXPECT_NE(diagnostics.find("address space 3 is reserved"), std::string::npos) << diagnostics;
}

TEST_F(TypesTest, HasTileShape) {
  Type f32 = builder.getF32Type();
  EXPECT_TRUE(tile::hasTileShape(tensor({1}, f32)));
  EXPECT_TRUE(tile::hasTileShape(tensor({1024, 1024}, f32)));
  EXPECT_FALSE(tile::hasTileShape(tensor({1024, 1025}, f32)));
  EXPECT_FALSE(tile::hasTileShape(tensor({}, f32)));
  EXPECT_FALSE(tile::hasTileShape(tensor({4, 0}, f32)));
  EXPECT_FALSE(tile::hasTileShape(tensor({ShapedType::kDynamic}, f32)));
  EXPECT_FALSE(tile::hasTileShape(UnrankedTensorType::get(f32)));
  EXPECT_FALSE(tile::hasTileShape(f32));
  // The product of sizes must not overflow on the way.
  EXPECT_FALSE(tile::hasTileShape(tensor({int64_t(1) << 40, int64_t(1) << 40}, f32)));
}

TEST_F(TypesTest, WithElementTypeAndMaskType) {
  Type f32 = builder.getF32Type(), i1 = builder.getI1Type();
  EXPECT_EQ(tile::withElementType(f32, i1), i1);
  EXPECT_EQ(tile::withElementType(tensor({4, 8}, f32), i1), tensor({4, 8}, i1));
  EXPECT_EQ(tile::getMaskType(tensor({4}, pointer(f32))), tensor({4}, i1));
  EXPECT_EQ(tile::getMaskType(pointer(f32)), i1);
}

TEST_F(TypesTest, PointeeValueType) {
  Type f16 = builder.getF16Type();
  EXPECT_EQ(tile::getPointeeValueType(pointer(f16)), f16);
  EXPECT_EQ(tile::getPointeeValueType(tensor({8}, pointer(f16))), tensor({8}, f16));
  EXPECT_EQ(tile::getPointeeValueType(pointer(pointer(f16))), pointer(f16));
  EXPECT_EQ(tile::getPointeeValueType(f16), f16);
}

TEST_F(TypesTest, ZeroOfEveryElementType) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc());
  builder.setInsertionPointToEnd(module->getBody());
  for (auto [element, bytes] : elements())
    for (Type type : {element, Type(tensor({4, 2}, element))})
      EXPECT_EQ(tile::createZero(builder, loc(), type).getType(), type);
  EXPECT_TRUE(succeeded(verify(*module))) << diagnostics;
}

TEST_F(TypesTest, PositiveZero) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc());
  builder.setInsertionPointToEnd(module->getBody());
  auto constant = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, loc(), value);
  };
  EXPECT_TRUE(tile::isPositiveZero(constant(builder.getI32IntegerAttr(0))));
  EXPECT_TRUE(tile::isPositiveZero(constant(builder.getF32FloatAttr(0.0f))));
  EXPECT_FALSE(tile::isPositiveZero(constant(builder.getF32FloatAttr(-0.0f))));
  EXPECT_FALSE(tile::isPositiveZero(constant(builder.getI32IntegerAttr(1))));
  for (auto [element, bytes] : elements())
    EXPECT_TRUE(tile::isPositiveZero(tile::createZero(builder, loc(), tensor({4}, element))));
}

TEST_F(TypesTest, MaskImplication) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @f(%a: i1, %b: i1, %c: i1) {
      %0 = arith.andi %a, %b : i1
      %1 = arith.andi %c, %0 : i1
      %2 = arith.ori %a, %b : i1
      return
    })");
  Block &block = (*module->getOps<func::FuncOp>().begin()).getBody().front();
  Value a = block.getArgument(0), c = block.getArgument(2);
  SmallVector<Value> results;
  for (Operation &op : block.without_terminator())
    results.push_back(op.getResult(0));
  EXPECT_TRUE(tile::maskImplies(a, a));
  EXPECT_TRUE(tile::maskImplies(results[1], a));
  EXPECT_TRUE(tile::maskImplies(results[1], results[0]));
  EXPECT_FALSE(tile::maskImplies(a, results[0]));
  EXPECT_FALSE(tile::maskImplies(results[0], c));
  EXPECT_FALSE(tile::maskImplies(results[2], a));
}

TEST_F(TypesTest, MaskImplicationIsBounded) {
  // Each conjunction uses the one before twice: 2^200 paths.
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc());
  builder.setInsertionPointToEnd(module->getBody());
  Value first = arith::ConstantOp::create(builder, loc(), builder.getBoolAttr(true));
  Value other = arith::ConstantOp::create(builder, loc(), builder.getBoolAttr(true));
  Value chain = first;
  for (int i = 0; i < 200; ++i)
    chain = arith::AndIOp::create(builder, loc(), chain, chain);
  EXPECT_FALSE(tile::maskImplies(chain, other));
}

} // namespace
