// Assembly of the target: one instance for every `pack` registers of a thread.
#include "ir/simt/Conversions.h"
#include "ir/simt/HandlerList.h"
#include "ir/tile/InlineAsm.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

/// Reports an op that the target does not understand.
static LogicalResult checkAssembler(LowerContext &c, tile::InlineAsmOp op) {
  const std::string &known = c.target.assembler;
  StringRef wanted = op.getAssembler().value_or(known);
  if (!known.empty() && wanted == known)
    return success();
  InFlightDiagnostic error = op.emitError()
                             << "'" << op.getFunction() << "' cannot be compiled for "
                             << c.target.name << ": it is assembly of ";
  if (op.getAssembler())
    error << (wanted == "ptx" ? "NVIDIA GPUs" : "AMD GPUs");
  else
    error << "one kind of GPU";
  error << ", and this target has "
        << (known.empty() ? "no assembler that a kernel can reach" : "another assembler")
        << "; guard the call with a tl.constexpr condition, such as tl.target_info.is_cuda()";
  return error;
}

/// Instances for `count` elements of each operand; elements of each result.
static SmallVector<Values> assemble(LowerContext &c, tile::InlineAsmOp op,
                                    ArrayRef<Values> operands, size_t count) {
  const unsigned pack = op.getPack();
  auto wordType = [&](Type element, unsigned perWord) -> Type {
    if (perWord == 1)
      return element;
    return c.b.getIntegerType(element.getIntOrFloatBitWidth() * perWord);
  };
  auto toWord = [&](ArrayRef<Value> elements) {
    if (elements.size() == 1)
      return elements[0];
    Type word = wordType(elements[0].getType(), elements.size());
    return unpack(c.b, vector::BitCastOp::create(c.b, VectorType::get({1}, word),
                                                 simt::pack(c.b, elements)))[0];
  };
  auto fromWord = [&](Value word, Type element, unsigned perWord) {
    if (perWord == 1)
      return Values{word};
    return unpack(c.b, vector::BitCastOp::create(c.b, VectorType::get({perWord}, element),
                                                 simt::pack(c.b, {word})));
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
        InlineAsmOp::create(c.b, types, op.getPure(), op.getText(), op.getConstraints(), inputs);
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

LogicalResult simt::lower(LowerContext &c, tile::InlineAsmOp op) {
  if (failed(checkAssembler(c, op)))
    return failure();
  SmallVector<Value> values(op.getOutputs());
  llvm::append_range(values, op.getOperands());
  auto type = values.empty() ? RankedTensorType() : dyn_cast<RankedTensorType>(values[0].getType());
  // Elements of each operand, in the registers of one layout: that of the first value which has one
  // (addresses have none before they are used).
  LinearLayout layout;
  if (type) {
    const LinearLayout *home = nullptr;
    for (Value value : values)
      home = home ? home : c.layouts.getHome(value);
    layout = home ? *home : c.layouts.getDefault(type);
  }
  SmallVector<Values> operands;
  for (Value operand : op.getOperands()) {
    FailureOr<Values> elements = c.getElements(operand, layout);
    if (failed(elements))
      return failure();
    operands.push_back(*elements);
  }
  size_t count = type ? registerType(type, layout).getNumElements() : 1;
  for (auto [result, elements] : llvm::zip(op.getOutputs(), assemble(c, op, operands, count)))
    if (!type)
      c.set(result, elements[0]);
    else if (failed(c.set(result, pack(c.b, elements), layout)))
      return failure();
  return success();
}

// In the region of a reduction, scan or map.
FailureOr<Values> simt::apply(LowerContext &c, tile::InlineAsmOp op, ValueRange operands,
                              unsigned count) {
  if (failed(checkAssembler(c, op)))
    return failure();
  SmallVector<Values> elements;
  for (Value operand : operands)
    elements.push_back(count ? unpack(c.b, operand) : Values{operand});
  Values results;
  for (const Values &list : assemble(c, op, elements, std::max(count, 1u)))
    results.push_back(count ? pack(c.b, list) : list[0]);
  return results;
}
