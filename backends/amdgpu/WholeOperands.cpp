// See WholeOperands.h.
#include "backends/amdgpu/WholeOperands.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun;

/// The reads whose results `operand` consists of, in order; empty if it has other elements.
static SmallVector<Value> findReads(Value operand) {
  constexpr unsigned kElements = 4, kElementBits = 16;
  auto whole = operand.getDefiningOp<vector::FromElementsOp>();
  if (!whole || operand.getType() != whole.getType() ||
      whole.getType().getElementTypeBitWidth() != kElementBits ||
      whole.getElements().size() % kElements)
    return {};
  SmallVector<Value> reads;
  for (auto [i, element] : llvm::enumerate(whole.getElements())) {
    auto parts = element.getDefiningOp<vector::ToElementsOp>();
    if (!parts || !parts.getSource().getDefiningOp<simt::LoadTransposedOp>() ||
        cast<OpResult>(element).getResultNumber() != i % kElements)
      return {};
    if (i % kElements == 0)
      reads.push_back(parts.getSource());
    else if (reads.back() != parts.getSource())
      return {};
  }
  return reads;
}

void amdgpu::joinTransposedReads(func::FuncOp kernel) {
  kernel.walk([](simt::MmaOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    for (OpOperand &operand : op->getOpOperands()) {
      SmallVector<Value> reads = findReads(operand.get());
      if (reads.size() != 2)
        continue;
      Type half = b.getI64Type(), whole = b.getIntegerType(128);
      auto widen = [&](Value read) -> Value {
        return arith::ExtUIOp::create(b, loc, whole, LLVM::BitcastOp::create(b, loc, half, read));
      };
      Value distance = arith::ConstantOp::create(b, loc, b.getIntegerAttr(whole, 64));
      Value high = arith::ShLIOp::create(b, loc, widen(reads[1]), distance);
      Value joined = arith::OrIOp::create(b, loc, widen(reads[0]), high);
      operand.set(LLVM::BitcastOp::create(b, loc, operand.get().getType(), joined));
    }
  });
}
