// Assembly of the target: one instance for every `pack` registers of a thread.
#include "ir/simt/Lowering.h"
#include "ir/tile/InlineAsm.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

bool Lowering::canAssemble(tile::InlineAsmOp op) {
  const std::string &known = options.target->assembler;
  StringRef wanted = op.getAssembler().value_or(known);
  if (!known.empty() && wanted == known)
    return true;
  hasFailed = true;
  InFlightDiagnostic error = op.emitError()
                             << "'" << op.getFunction() << "' cannot be compiled for "
                             << options.target->name << ": it is assembly of ";
  if (op.getAssembler())
    error << (wanted == "ptx" ? "NVIDIA GPUs" : "AMD GPUs");
  else
    error << "one kind of GPU";
  error << ", and this target has "
        << (known.empty() ? "no assembler that a kernel can reach" : "another assembler")
        << "; guard the call with a tl.constexpr condition, such as tl.target_info.is_cuda()";
  return false;
}

SmallVector<Values> Lowering::assemble(tile::InlineAsmOp op, ArrayRef<Values> operands,
                                       size_t count) {
  const unsigned pack = op.getPack();
  auto wordType = [&](Type element, unsigned perWord) -> Type {
    if (perWord == 1)
      return element;
    return b.getIntegerType(element.getIntOrFloatBitWidth() * perWord);
  };
  auto toWord = [&](ArrayRef<Value> elements) {
    if (elements.size() == 1)
      return elements[0];
    Type word = wordType(elements[0].getType(), elements.size());
    return unpack(
        vector::BitCastOp::create(b, loc, VectorType::get({1}, word), this->pack(elements)))[0];
  };
  auto fromWord = [&](Value word, Type element, unsigned perWord) {
    if (perWord == 1)
      return Values{word};
    return unpack(
        vector::BitCastOp::create(b, loc, VectorType::get({perWord}, element), this->pack({word})));
  };

  SmallVector<Type> types;
  for (Value result : op.getOutputs()) {
    Type source = getElementTypeOrSelf(result.getType());
    unsigned perWord = tile::getElementsPerRegister(source, pack);
    types.append(tile::getRegisters(source, pack),
                 wordType(elementType(result.getType()), perWord));
  }
  SmallVector<Values> results(op.getNumResults());
  for (size_t begin = 0; begin < count; begin += pack) {
    Values inputs;
    for (auto [operand, elements] : llvm::zip(op.getOperands(), operands)) {
      unsigned perWord =
          tile::getElementsPerRegister(getElementTypeOrSelf(operand.getType()), pack);
      for (unsigned first = 0; first < pack; first += perWord) {
        Values word;
        // Where a thread has fewer elements than an instance takes, the last one stands in.
        for (unsigned i = 0; i < perWord; ++i)
          word.push_back(elements[std::min(begin + first + i, count - 1)]);
        inputs.push_back(toWord(word));
      }
    }
    auto instance =
        InlineAsmOp::create(b, loc, types, op.getPure(), op.getText(), op.getConstraints(), inputs);
    unsigned next = 0;
    for (auto [result, elements] : llvm::zip(op.getOutputs(), results)) {
      Type source = getElementTypeOrSelf(result.getType());
      unsigned perWord = tile::getElementsPerRegister(source, pack);
      for (unsigned i = 0; i < tile::getRegisters(source, pack); ++i)
        llvm::append_range(
            elements, fromWord(instance.getResult(next++), elementType(result.getType()), perWord));
    }
  }
  for (Values &elements : results)
    elements.resize(count);
  return results;
}

void Lowering::lowerInlineAsm(tile::InlineAsmOp op) {
  if (!canAssemble(op)) {
    for (Value result : op.getOutputs())
      set(result, poison(loweredType(result)));
    return;
  }
  SmallVector<Value> values(op.getOutputs());
  llvm::append_range(values, op.getOperands());
  auto type = values.empty() ? RankedTensorType() : dyn_cast<RankedTensorType>(values[0].getType());
  if (!type) {
    SmallVector<Values> operands;
    for (Value operand : op.getOperands())
      operands.push_back({getScalar(operand)});
    for (auto [result, elements] : llvm::zip(op.getOutputs(), assemble(op, operands, 1)))
      set(result, elements[0]);
    return;
  }
  // Elements of each operand, in the registers of one layout: that of the first value which has one
  // (addresses have none before they are used).
  const LinearLayout *home = nullptr;
  for (Value value : values)
    home = home ? home : layouts.getHome(value);
  LinearLayout layout = home ? *home : layouts.getDefault(type);
  SmallVector<Values> operands;
  for (Value operand : op.getOperands())
    operands.push_back(unpack(get(operand, layout)));
  size_t count = registerType(elementType(type), layout).getNumElements();
  for (auto [result, elements] : llvm::zip(op.getOutputs(), assemble(op, operands, count)))
    set(result, convert(pack(elements), layout, *layouts.getHome(result)));
}
