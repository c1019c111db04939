// Building blocks of the patterns: held types, constants, words, memory, variables, conditions, and
// instructions that the dialect lacks. See Patterns.h for the rules.
#include "backends/spirv/Interface.h"
#include "backends/spirv/Patterns.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

Type spirvbackend::heldType(Type type, const Target &target) {
  MLIRContext *context = type.getContext();
  auto integer = [&](unsigned bits) { return IntegerType::get(context, bits); };
  if (type.isIndex())
    return integer(64);
  if (type.isF32() || type.isF64())
    return type;
  if (type.isF16() && target.hasFloat16)
    return type;
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() == 16  ? heldType(integer(16), target)
           : type.getIntOrFloatBitWidth() == 8 ? heldType(integer(8), target)
                                               : Type();
  if (!isa<IntegerType>(type))
    return {};
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
  case 32:
  case 64:
    return integer(type.getIntOrFloatBitWidth());
  case 8:
    return integer(target.hasInt8 ? 8 : 32);
  case 16:
    return integer(target.hasInt16 ? 16 : 32);
  }
  return {};
}

Value spirvbackend::constantOf(OpBuilder &b, Location loc, Type type, int64_t value) {
  Attribute attribute;
  if (type.isInteger(1))
    attribute = b.getBoolAttr(value & 1);
  else if (auto integer = dyn_cast<IntegerType>(type))
    attribute = IntegerAttr::get(
        type, APInt(integer.getWidth(), uint64_t(value), false, /*implicitTrunc=*/true));
  else if (isa<FloatType>(type))
    attribute = FloatAttr::get(type, double(value));
  else {
    auto vector = cast<VectorType>(type);
    Value element = constantOf(b, loc, vector.getElementType(), value);
    Attribute inner;
    matchPattern(element, m_Constant(&inner));
    attribute = DenseElementsAttr::get(vector, inner);
  }
  return spirv::ConstantOp::create(b, loc, type, attribute);
}

Value spirvbackend::constantFrom(OpBuilder &b, Location loc, Type type, Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    if (type == number.getType())
      return spirv::ConstantOp::create(b, loc, type, number);
    return constantOf(b, loc, type, number.getValue().bitcastToAPInt().getZExtValue());
  }
  APInt value = cast<IntegerAttr>(attribute).getValue();
  // A value held in a wider type has zeros above.
  bool isWider = value.getBitWidth() < type.getIntOrFloatBitWidth();
  return constantOf(b, loc, type, isWider ? int64_t(value.getZExtValue()) : value.getSExtValue());
}

Value spirvbackend::resizeUnsigned(OpBuilder &b, Location loc, Value integer, unsigned bits) {
  unsigned own = integer.getType().getIntOrFloatBitWidth();
  if (own == bits)
    return integer;
  Type type = b.getIntegerType(bits);
  if (own == 1)
    return spirv::SelectOp::create(b, loc, type, integer, constantOf(b, loc, type, 1),
                                   constantOf(b, loc, type, 0));
  if (bits == 1) {
    Value one = constantOf(b, loc, integer.getType(), 1);
    Value low = spirv::BitwiseAndOp::create(b, loc, integer, one);
    return spirv::INotEqualOp::create(b, loc, low, constantOf(b, loc, integer.getType(), 0));
  }
  return spirv::UConvertOp::create(b, loc, type, integer);
}

Value spirvbackend::bitcast(OpBuilder &b, Location loc, Type type, Value value) {
  return value.getType() == type ? value : Value(spirv::BitcastOp::create(b, loc, type, value));
}

Value spirvbackend::composite(OpBuilder &b, Location loc, ValueRange scalars) {
  if (scalars.size() == 1)
    return scalars.front();
  auto type = VectorType::get({int64_t(scalars.size())}, scalars.front().getType());
  return spirv::CompositeConstructOp::create(b, loc, type, scalars);
}

SmallVector<Value> spirvbackend::elementsOf(OpBuilder &b, Location loc, Value composite) {
  auto type = dyn_cast<VectorType>(composite.getType());
  if (!type)
    return {composite};
  SmallVector<Value> elements;
  for (int32_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(spirv::CompositeExtractOp::create(b, loc, composite, ArrayRef<int32_t>{i}));
  return elements;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value spirvbackend::joinWords(OpBuilder &b, Location loc, Value low, Value high) {
  return bitcast(b, loc, b.getI64Type(), composite(b, loc, {low, high}));
}

SmallVector<Value> spirvbackend::toWords(OpBuilder &b, Location loc, ValueRange elements,
                                         Type element, const Target &target) {
  Type i32 = b.getI32Type();
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  SmallVector<Value> words;
  if (bits >= 32) {
    Type parts = bits == 64 ? Type(VectorType::get({2}, i32)) : Type(i32);
    for (Value value : elements)
      llvm::append_range(words, elementsOf(b, loc, bitcast(b, loc, parts, value)));
    return words;
  }
  unsigned inWord = 32 / bits;
  Type held = heldType(element, target);
  for (size_t i = 0; i < elements.size(); i += inWord) {
    SmallVector<Value> group(elements.slice(i, std::min<size_t>(inWord, elements.size() - i)));
    bool isNarrow = held.getIntOrFloatBitWidth() == bits;
    if (isNarrow && (group.size() == inWord || isa<FloatType>(held))) {
      while (group.size() < inWord)
        group.push_back(constantOf(b, loc, held, 0));
      words.push_back(bitcast(b, loc, i32, composite(b, loc, group)));
      continue;
    }
    Value word;
    for (auto [k, value] : llvm::enumerate(group)) {
      Value part = resizeUnsigned(b, loc, value, 32);
      if (k)
        part =
            spirv::ShiftLeftLogicalOp::create(b, loc, i32, part, constantOf(b, loc, i32, k * bits));
      word = word ? Value(spirv::BitwiseOrOp::create(b, loc, word, part)) : part;
    }
    words.push_back(word);
  }
  return words;
}

SmallVector<Value> spirvbackend::fromWords(OpBuilder &b, Location loc, ValueRange words,
                                           Type element, unsigned count, const Target &target) {
  Type i32 = b.getI32Type();
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  Type held = heldType(element, target);
  SmallVector<Value> elements;
  if (bits >= 32) {
    for (unsigned i = 0; i < count; ++i)
      elements.push_back(
          bitcast(b, loc, held, bits == 64 ? composite(b, loc, words.slice(2 * i, 2)) : words[i]));
    return elements;
  }
  unsigned inWord = 32 / bits;
  for (unsigned i = 0; i < count; ++i) {
    Value word = words[i / inWord];
    unsigned place = i % inWord;
    if (held.getIntOrFloatBitWidth() == bits && (isa<FloatType>(held) || count > 1)) {
      if (place == 0) {
        Value parts = bitcast(b, loc, VectorType::get({int64_t(inWord)}, held), word);
        for (int32_t k = 0; k < int32_t(std::min(inWord, count - i)); ++k)
          elements.push_back(
              spirv::CompositeExtractOp::create(b, loc, parts, ArrayRef<int32_t>{k}));
      }
      continue;
    }
    Value part = word;
    if (place)
      part = spirv::ShiftRightLogicalOp::create(b, loc, i32, part,
                                                constantOf(b, loc, i32, place * bits));
    if (held.getIntOrFloatBitWidth() == 32)
      part = spirv::BitwiseAndOp::create(b, loc, part, constantOf(b, loc, i32, (1 << bits) - 1));
    else
      part = spirv::UConvertOp::create(b, loc, held, part);
    elements.push_back(part);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value spirvbackend::pointerTo(OpBuilder &b, Location loc, Value address, Type type) {
  auto pointer = spirv::PointerType::get(type, spirv::StorageClass::PhysicalStorageBuffer);
  return spirv::ConvertUToPtrOp::create(b, loc, pointer, address);
}

static spirv::MemoryAccessAttr accessOf(OpBuilder &b, bool isVolatile) {
  auto access = spirv::MemoryAccess::Aligned;
  if (isVolatile)
    access = access | spirv::MemoryAccess::Volatile;
  return spirv::MemoryAccessAttr::get(b.getContext(), access);
}

Value spirvbackend::loadGlobal(OpBuilder &b, Location loc, Value address, Type type,
                               unsigned alignment, bool isVolatile) {
  return spirv::LoadOp::create(b, loc, pointerTo(b, loc, address, type), accessOf(b, isVolatile),
                               b.getI32IntegerAttr(alignment));
}

void spirvbackend::storeGlobal(OpBuilder &b, Location loc, Value address, Value value,
                               unsigned alignment, bool isVolatile) {
  Value pointer = pointerTo(b, loc, address, value.getType());
  auto store = spirv::StoreOp::create(b, loc, pointer, value);
  store.setMemoryAccessAttr(accessOf(b, isVolatile));
  store.setAlignmentAttr(b.getI32IntegerAttr(alignment));
}

Value spirvbackend::makeVariable(OpBuilder &b, Location loc, Type type, KernelContext &kernel) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.function.getBody().front());
  auto pointer = spirv::PointerType::get(type, spirv::StorageClass::Function);
  return spirv::VariableOp::create(b, loc, pointer, spirv::StorageClass::Function,
                                   /*initializer=*/Value());
}
Value spirvbackend::loadVariable(OpBuilder &b, Location loc, Value variable) {
  return spirv::LoadOp::create(b, loc, variable);
}
void spirvbackend::storeVariable(OpBuilder &b, Location loc, Value variable, Value value) {
  spirv::StoreOp::create(b, loc, variable, value);
}

//===----------------------------------------------------------------------===//
// Conditions and loops
//===----------------------------------------------------------------------===//

SmallVector<Value> spirvbackend::selectIf(OpBuilder &b, Location loc, KernelContext &kernel,
                                          Value condition, ArrayRef<Type> types,
                                          ValueRange defaults,
                                          function_ref<SmallVector<Value>(OpBuilder &)> then,
                                          function_ref<SmallVector<Value>(OpBuilder &)> otherwise) {
  if (!condition)
    return then(b);
  SmallVector<Value> variables;
  for (Type type : types)
    variables.push_back(makeVariable(b, loc, type, kernel));
  if (!otherwise)
    for (auto [variable, value] : llvm::zip_equal(variables, defaults))
      storeVariable(b, loc, variable, value);
  auto selection = spirv::SelectionOp::create(b, loc, spirv::SelectionControl::None);
  {
    OpBuilder::InsertionGuard guard(b);
    selection.addMergeBlock(b);
    Block *merge = selection.getMergeBlock();
    Block *header = b.createBlock(merge);
    auto branch = [&](function_ref<SmallVector<Value>(OpBuilder &)> body) {
      Block *block = b.createBlock(merge);
      for (auto [variable, value] : llvm::zip_equal(variables, body(b)))
        storeVariable(b, loc, variable, value);
      spirv::BranchOp::create(b, loc, merge);
      return block;
    };
    Block *thenBlock = branch(then);
    Block *otherBlock = otherwise ? branch(otherwise) : merge;
    b.setInsertionPointToEnd(header);
    spirv::BranchConditionalOp::create(b, loc, condition, thenBlock, ValueRange(), otherBlock,
                                       ValueRange());
  }
  SmallVector<Value> results;
  for (Value variable : variables)
    results.push_back(loadVariable(b, loc, variable));
  return results;
}

void spirvbackend::repeatUntil(OpBuilder &b, Location loc, function_ref<Value(OpBuilder &)> body) {
  auto loop = spirv::LoopOp::create(b, loc, spirv::LoopControl::None);
  OpBuilder::InsertionGuard guard(b);
  loop.addEntryAndMergeBlock(b);
  Block *entry = loop.getEntryBlock(), *merge = loop.getMergeBlock();
  Block *header = b.createBlock(merge);
  Block *run = b.createBlock(merge);
  Block *next = b.createBlock(merge);
  b.setInsertionPointToEnd(entry);
  spirv::BranchOp::create(b, loc, header);
  b.setInsertionPointToEnd(header);
  spirv::BranchOp::create(b, loc, run);
  b.setInsertionPointToEnd(run);
  Value done = body(b);
  spirv::BranchConditionalOp::create(b, loc, done, merge, ValueRange(), next, ValueRange());
  b.setInsertionPointToEnd(next);
  spirv::BranchOp::create(b, loc, header);
}

//===----------------------------------------------------------------------===//
// Inputs of the kernel
//===----------------------------------------------------------------------===//

Value spirvbackend::pushWord(OpBuilder &b, Location loc, KernelContext &kernel, uint32_t offset) {
  Type i32 = b.getI32Type();
  Value place = spirv::AccessChainOp::create(
      b, loc, kernel.pushPointer,
      ValueRange{constantOf(b, loc, i32, 0), constantOf(b, loc, i32, offset / 4)});
  return spirv::LoadOp::create(b, loc, place);
}

Value spirvbackend::programId(OpBuilder &b, Location loc, KernelContext &kernel, unsigned axis) {
  auto type = VectorType::get({3}, b.getI32Type());
  Value groups = builtinValue(b, loc, kernel, spirv::BuiltIn::WorkgroupId, type);
  Value group = spirv::CompositeExtractOp::create(b, loc, groups, ArrayRef<int32_t>{int32_t(axis)});
  return spirv::IAddOp::create(b, loc, group, pushWord(b, loc, kernel, kBaseOffset + 4 * axis));
}

Value spirvbackend::gridSize(OpBuilder &b, Location loc, KernelContext &kernel, unsigned axis) {
  return pushWord(b, loc, kernel, kGridOffset + 4 * axis);
}

spirv::GlobalVariableOp spirvbackend::globalVariable(KernelContext &kernel, StringRef name,
                                                     Type type) {
  Operation *&known = kernel.symbols[name];
  if (!known) {
    // With a dot, which no kernel's name has.
    OpBuilder b(kernel.function);
    known = spirv::GlobalVariableOp::create(b, kernel.function.getLoc(), TypeAttr::get(type),
                                            b.getStringAttr("tilerun." + name));
  }
  return cast<spirv::GlobalVariableOp>(known);
}

Value spirvbackend::addressOf(OpBuilder &b, Location loc, spirv::GlobalVariableOp global) {
  return spirv::AddressOfOp::create(b, loc, global);
}

Value spirvbackend::builtinValue(OpBuilder &b, Location loc, KernelContext &kernel,
                                 spirv::BuiltIn builtin, Type type) {
  StringRef name = spirv::stringifyBuiltIn(builtin);
  auto pointer = spirv::PointerType::get(type, spirv::StorageClass::Input);
  spirv::GlobalVariableOp global = globalVariable(kernel, name, pointer);
  global->setAttr("built_in", b.getStringAttr(name));
  return spirv::LoadOp::create(b, loc, addressOf(b, loc, global));
}

//===----------------------------------------------------------------------===//
// Instructions that the dialect lacks
//===----------------------------------------------------------------------===//

Value spirvbackend::emitInstruction(OpBuilder &b, Location loc, KernelContext &kernel,
                                    uint32_t opcode, Type type, ArrayRef<InstructionWord> words) {
  // "tilerun!81 %0 =3 glsl": an opcode, operands by number, literals, the set of functions.
  std::string name = "tilerun!" + std::to_string(opcode);
  SmallVector<Value> operands;
  for (const InstructionWord &word : words)
    switch (word.kind) {
    case InstructionWord::Kind::Value:
      name += " %" + std::to_string(operands.size());
      operands.push_back(word.value);
      break;
    case InstructionWord::Kind::Literal:
      name += " =" + std::to_string(word.literal);
      break;
    case InstructionWord::Kind::GlslSet:
      name += " glsl";
      break;
    }
  auto signature = FunctionType::get(b.getContext(), TypeRange(ValueRange(operands)),
                                     type ? TypeRange(type) : TypeRange());
  // The types are part of the symbol, because a function has one signature.
  std::string symbol = name + " : ";
  llvm::raw_string_ostream(symbol) << signature;
  Operation *&known = kernel.symbols[symbol];
  if (!known) {
    OpBuilder outside(kernel.function);
    auto function = spirv::FuncOp::create(outside, kernel.function.getLoc(), symbol, signature);
    function.setLinkageAttributesAttr(spirv::LinkageAttributesAttr::get(
        b.getContext(), b.getStringAttr(name),
        spirv::LinkageTypeAttr::get(b.getContext(), spirv::LinkageType::Import)));
    known = function;
  }
  auto callee = FlatSymbolRefAttr::get(b.getContext(), symbol);
  OperationState state(loc, spirv::FunctionCallOp::getOperationName());
  spirv::FunctionCallOp::build(b, state, TypeRange(signature.getResults()), callee, operands,
                               ArrayAttr(), ArrayAttr());
  Operation *call = b.create(state);
  return type ? call->getResult(0) : Value();
}

Value spirvbackend::emitGlsl(OpBuilder &b, Location loc, KernelContext &kernel, uint32_t number,
                             Type type, ValueRange operands) {
  constexpr uint32_t kExtInst = 12;
  SmallVector<InstructionWord> words{InstructionWord::glsl(), InstructionWord::number(number)};
  for (Value operand : operands)
    words.push_back(InstructionWord::of(operand));
  return emitInstruction(b, loc, kernel, kExtInst, type, words);
}

void spirvbackend::noContraction(Operation *op) {
  op->setAttr("no_contraction", UnitAttr::get(op->getContext()));
}

InFlightDiagnostic spirvbackend::lacks(Operation *op, const Twine &what, const Twine &remedy) {
  return op->emitError() << kTargetName << " lacks " << what << " here; " << remedy;
}
