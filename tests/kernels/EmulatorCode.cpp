// See EmulatorCode.h.
#include "tests/kernels/EmulatorCode.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

Code::Code(func::FuncOp kernel, unsigned lanes) : kernel(kernel), lanes(lanes) {
  body = decode(kernel.getBody().front());
}

unsigned Code::addSlot(Value value) {
  // A lane's words of a matrix are a part of its elements in row-major order, which no hardware
  // does.
  unsigned count = 1;
  if (auto matrix = dyn_cast<MatrixType>(value.getType()))
    count = llvm::divideCeil(matrix.getRows() * matrix.getColumns(), lanes);
  else if (auto vector = dyn_cast<VectorType>(value.getType()))
    count = vector.getNumElements();
  counts.push_back(count);
  return slots[value] = unsigned(counts.size() - 1);
}

std::vector<Step> Code::decode(Block &block) {
  for (Value argument : block.getArguments())
    addSlot(argument);
  std::vector<Step> steps;
  steps.reserve(block.getOperations().size());
  for (Operation &op : block) {
    Step step;
    step.op = &op;
    for (Value operand : op.getOperands())
      step.operands.push_back(slots.at(operand));
    if (auto user = dyn_cast<SharedUser>(op))
      step.use = user.getSharedUse();
    step.isCollective = !step.use.isNone() || isa<ShuffleOp, MmaOp, MatrixMultiplyAddOp>(op);
    step.isSwitch = op.getNumRegions() == 0 && !isMemoryEffectFree(&op) && !isa<SharedAllocOp>(op);
    // A loop's results get their slots before its body, which does not need them.
    for (Value result : op.getResults())
      step.results.push_back(addSlot(result));
    for (Region &region : op.getRegions())
      step.regions.push_back(region.empty() ? std::vector<Step>() : decode(region.front()));
    StringRef dialect = op.getName().getDialectNamespace();
    if (dialect == "arith" || dialect == "math" || isa<DotBytesOp>(op))
      for (unsigned r = 0; r < op.getNumResults(); ++r)
        if (ElementFunction function = getElementFunction(&op, r))
          step.functions.push_back(std::move(function));
    steps.push_back(std::move(step));
  }
  return steps;
}
