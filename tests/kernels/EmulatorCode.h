// A kernel in the form in which the emulator runs it: each value has a slot, and properties of an
// operation are computed once and kept with it. All warps and programs share it.
#pragma once

#include "ir/simt/SimtOps.h"
#include "tests/kernels/EmulatorElementwise.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::test::emulator {

struct Step {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<unsigned, 4> operands, results; ///< Slots.
  llvm::SmallVector<ElementFunction, 1> functions;  ///< Of arithmetic: one for each result.
  std::vector<std::vector<Step>> regions;           ///< Each of one block.
  simt::SharedUse use;
  bool isCollective = false; ///< All lanes of a warp do it together, or none.
  bool isSwitch = false;     ///< Other warps may see that it comes early or late.
};

struct Code {
  /// `lanes`: of a warp, over which an opaque matrix is spread.
  Code(mlir::func::FuncOp kernel, unsigned lanes);

  mlir::func::FuncOp kernel;
  std::vector<Step> body;
  llvm::DenseMap<mlir::Value, unsigned> slots;
  std::vector<unsigned> counts; ///< By slot: words of a thread.

private:
  unsigned addSlot(mlir::Value value);
  std::vector<Step> decode(mlir::Block &block);
  unsigned lanes;
};

} // namespace tilerun::test::emulator
