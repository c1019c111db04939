// Splitting one kernel's tensors (SplitTensors.h): what is planned (SplitTensors.cpp), and how it
// is emitted (SplitEmission.cpp).
#pragma once

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tilerun::split {

/// Sinks that share a loop, of which an iteration takes the same part.
struct Group {
  mlir::Block *block = nullptr;
  int64_t parts = 0;
  unsigned dim = 0;   ///< Of the sinks: else a part would not be the same elements.
  unsigned epoch = 0; ///< What may be loaded again.
  llvm::SmallVector<mlir::Operation *> sinks; ///< In program order.
  /// Loads that they need and the sinks, each with the dimension that is split; in program order.
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> members;
  /// Small stores before its last sink, which come after its loop: what it loads again was loaded
  /// before them.
  llvm::SmallVector<mlir::Operation *> delayed;
};

class Splitter {
public:
  Splitter(mlir::func::FuncOp kernel, int64_t most, int64_t part)
      : kernel(kernel), most(most), part(part), b(kernel.getContext()) {}
  void run();

private:
  bool isLarge(mlir::Type type) const {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.getNumElements() > most;
  }
  bool touchesLarge(mlir::Operation *op) const {
    auto large = [&](mlir::Type type) { return isLarge(type); };
    return llvm::any_of(op->getOperandTypes(), large) || llvm::any_of(op->getResultTypes(), large);
  }

  // Whether it can be done, without changing anything.
  bool plan(mlir::Block &block);
  bool addSink(mlir::Operation *op, Group &group);
  bool canSplit(mlir::Value value, unsigned dim, Group &group, unsigned depth = 0);
  bool canCombine(tile::ReduceOp op);
  static bool maySwap(const Group &group);
  void finish(Group &group);

  // Doing it.
  void emit(Group &group);
  /// The results of the group's reductions of one part; null index: of the first.
  llvm::SmallVector<mlir::Value> emitPart(Group &group, mlir::Value index);
  mlir::Value partOf(mlir::Value value, unsigned dim);
  llvm::SmallVector<mlir::Value> combine(tile::ReduceOp op, mlir::ValueRange left,
                                         mlir::ValueRange right);

  mlir::func::FuncOp kernel;
  int64_t most, part;
  mlir::OpBuilder b;
  llvm::SmallVector<Group> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> epochs; ///< Of loads.
  unsigned epoch = 0;
  llvm::SmallVector<mlir::Operation *>
      delayed; ///< Small stores since anything else that has an effect.

  // Of the part that is being emitted.
  int64_t parts = 1;
  mlir::Value index;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> built;
};

} // namespace tilerun::split
