// What AddressAnalysis knows of masks as comparisons, and of the tensors that addresses count from.
#include "backends/amdgpu/Addresses.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

static bool isInteger(Element element, unsigned bits) {
  return getElementTypeOrSelf(element.value.getType()).isInteger(bits);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

SmallVector<Element> AddressAnalysis::conjunctsOf(Value mask) const {
  SmallVector<Element> conjuncts, open{resolve({mask})};
  while (!open.empty()) {
    Element element = open.pop_back_val();
    if (element.value.getDefiningOp<arith::AndIOp>())
      open.append({operandOf(element, 1), operandOf(element, 0)});
    else
      conjuncts.push_back(element);
  }
  return conjuncts;
}

std::optional<LessThan> AddressAnalysis::splitComparison(Element mask) {
  using arith::CmpIPredicate;
  auto compare = mask.value.getDefiningOp<arith::CmpIOp>();
  if (!compare ||
      !llvm::is_contained({CmpIPredicate::slt, CmpIPredicate::sgt}, compare.getPredicate()))
    return std::nullopt;
  const unsigned small = compare.getPredicate() == CmpIPredicate::slt ? 0 : 1;
  LessThan result;
  result.limit = operandOf(mask, 1 - small);
  AddressParts parts;
  if (!isInteger(result.limit, 32) || !isUniformScalar(result.limit) ||
      !add(operandOf(mask, small), 1, parts) || parts.uniform.size() > 1)
    return std::nullopt;
  if (!parts.uniform.empty()) {
    if (parts.uniform[0].factor != 1 || !isInteger(parts.uniform[0].element, 32))
      return std::nullopt;
    result.start = parts.uniform[0].element;
  }
  result.varying = std::move(parts.varying);
  result.constant = parts.constant;
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

struct AddressAnalysis::Tensors {
  llvm::SmallSetVector<Value, 2> arguments;
  llvm::DenseSet<Key> seen;
  bool isKnown = true; ///< Whether nothing else is what the address may count from.
};

void AddressAnalysis::findTensors(Element address, Tensors &tensors) {
  if (!tensors.isKnown || !tensors.seen.insert({address.value, address.index}).second)
    return;
  auto goOn = [&](Value value, unsigned index) { findTensors(resolve({value, index}), tensors); };
  auto carried = [&](scf::ForOp loop, unsigned number) {
    goOn(loop.getInitArgs()[number], address.index);
    goOn(loop.getBody()->getTerminator()->getOperand(number), address.index);
  };
  if (auto argument = dyn_cast<BlockArgument>(address.value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument != loop.getInductionVar())
      return carried(loop, argument.getArgNumber() - 1);
    if (argument.getOwner()->getParentOp() == kernel.getOperation() &&
        kernel.getArgAttr(argument.getArgNumber(), simt::SimtDialect::kPointerAttr)) {
      tensors.arguments.insert(argument);
      return;
    }
  } else if (auto loop = address.value.getDefiningOp<scf::ForOp>()) {
    return carried(loop, cast<OpResult>(address.value).getResultNumber());
  } else if (auto sum = address.value.getDefiningOp<arith::AddIOp>();
             sum && isInteger(address, 64)) {
    // One side is the pointer, the other a distance, which depends on no pointer.
    Tensors left = tensors;
    findTensors(operandOf(address, 0), left);
    if (left.isKnown) {
      tensors = std::move(left);
      return;
    }
    return findTensors(operandOf(address, 1), tensors);
  }
  tensors.isKnown = false;
}

Value AddressAnalysis::tensorOf(Value address) {
  Tensors tensors;
  findTensors(resolve({address}), tensors);
  return tensors.isKnown && tensors.arguments.size() == 1 ? tensors.arguments.front() : Value();
}
