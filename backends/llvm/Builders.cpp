// Small builders that conversion patterns share.
#include "backends/llvm/Builders.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilerun;

Value llvmbackend::integerConstant(OpBuilder &b, Location loc, unsigned bits, int64_t value) {
  Type type = b.getIntegerType(bits);
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

SmallVector<Value> llvmbackend::inlineAssembly(OpBuilder &b, Location loc, ArrayRef<Type> results,
                                               ValueRange inputs, StringRef text,
                                               StringRef constraints, bool hasSideEffects) {
  Type type = LLVM::LLVMVoidType::get(b.getContext());
  if (results.size() == 1)
    type = results[0];
  else if (results.size() > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto call = LLVM::InlineAsmOp::create(
      b, loc, results.empty() ? TypeRange() : TypeRange(type), inputs, text, constraints,
      hasSideEffects, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None, dialect,
      /*operand_attrs=*/ArrayAttr());
  SmallVector<Value> values;
  if (results.size() == 1)
    values.push_back(call->getResult(0));
  for (size_t i = 0; results.size() > 1 && i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, call->getResult(0), i));
  return values;
}

Value llvmbackend::sharedAddress(OpBuilder &b, Location loc, Value buffer, Value offset) {
  // Added as integers: pointers have 64 bits, even those to shared memory.
  Value base = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), buffer);
  return LLVM::AddOp::create(b, loc, base, offset,
                             LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw);
}

Value llvmbackend::callIntrinsic(OpBuilder &b, Location loc, Type type, StringRef name,
                                 ValueRange operands) {
  StringAttr callee = b.getStringAttr(name);
  if (type)
    return LLVM::CallIntrinsicOp::create(b, loc, type, callee, operands)->getResult(0);
  LLVM::CallIntrinsicOp::create(b, loc, callee, operands);
  return {};
}

Value llvmbackend::mapElements(OpBuilder &b, Location loc, Type type, ValueRange operands,
                               function_ref<Value(ValueRange)> body) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return body(operands);
  Value result = LLVM::PoisonOp::create(b, loc, type);
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value index = integerConstant(b, loc, 64, i);
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(LLVM::ExtractElementOp::create(b, loc, operand, index));
    result = LLVM::InsertElementOp::create(b, loc, result, body(elements), index);
  }
  return result;
}

SmallVector<Value> llvmbackend::toWords(OpBuilder &b, Location loc, Value vector, unsigned bits) {
  auto type = cast<VectorType>(vector.getType());
  unsigned total = type.getNumElements() * type.getElementTypeBitWidth();
  unsigned count = total / bits;
  Type word = b.getIntegerType(bits);
  if (count == 1)
    return {LLVM::BitcastOp::create(b, loc, word, vector)};
  Value cast = LLVM::BitcastOp::create(b, loc, VectorType::get({count}, word), vector);
  SmallVector<Value> words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(LLVM::ExtractElementOp::create(b, loc, cast, integerConstant(b, loc, 64, i)));
  return words;
}

Value llvmbackend::fromWords(OpBuilder &b, Location loc, ValueRange words, VectorType type) {
  if (words.size() == 1)
    return LLVM::BitcastOp::create(b, loc, type, words[0]);
  auto wide = VectorType::get({int64_t(words.size())}, words[0].getType());
  Value vector = LLVM::PoisonOp::create(b, loc, wide);
  for (auto [i, word] : llvm::enumerate(words))
    vector = LLVM::InsertElementOp::create(b, loc, vector, word, integerConstant(b, loc, 64, i));
  return LLVM::BitcastOp::create(b, loc, type, vector);
}

Value llvmbackend::mapWords(OpBuilder &b, Location loc, Value value,
                            function_ref<Value(Value)> move) {
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  if (type != integer)
    value = LLVM::BitcastOp::create(b, loc, integer, value);
  if (bits == 64) {
    auto pair = VectorType::get({2}, i32);
    Value words = LLVM::BitcastOp::create(b, loc, pair, value);
    value = mapElements(b, loc, pair, words, [&](ValueRange word) { return move(word[0]); });
    value = LLVM::BitcastOp::create(b, loc, integer, value);
  } else if (bits == 32) {
    value = move(value);
  } else {
    value = move(LLVM::ZExtOp::create(b, loc, i32, value));
    value = LLVM::TruncOp::create(b, loc, integer, value);
  }
  return type == integer ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}
