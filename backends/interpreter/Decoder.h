// Decodes a verified kernel function into a Program: plans where every value lives, and emits the
// steps.
#pragma once

#include "backends/interpreter/Origins.h"
#include "backends/interpreter/Program.h"
#include "backends/interpreter/SlotPlan.h"
#include "ir/tile/TileOps.h"

namespace tilerun::interp {

/// One use per kernel. Failures have been reported as diagnostics on the operation that caused
/// them.
class Decoder {
public:
  Decoder(mlir::ModuleOp module, Program &program) : module(module), program(program) {}
  mlir::LogicalResult decode(mlir::func::FuncOp function);

private:
  /// A value's type as the interpreter sees it.
  struct Shape {
    Dtype type;
    size_t count;
    llvm::SmallVector<int64_t, 3> sizes;
    bool isScalar;
    size_t bytes() const { return count * sizeOf(type); }
  };

  // Structure (Decoder.cpp)
  using TerminatorFn = llvm::function_ref<mlir::LogicalResult(mlir::Operation &)>;
  mlir::LogicalResult decodeRegion(mlir::Region &region, StepList &steps, TerminatorFn atEnd);
  mlir::LogicalResult decodeOp(mlir::Operation &op, StepList &steps);
  mlir::LogicalResult decodeFor(mlir::scf::ForOp op, StepList &steps);
  /// Slots for all results of an operation, in their order.
  llvm::LogicalResult defineAll(mlir::Operation &op, llvm::SmallVectorImpl<Slot> &results);
  mlir::LogicalResult decodeIf(mlir::scf::IfOp op, StepList &steps);
  mlir::LogicalResult decodeWhile(mlir::scf::WhileOp op, StepList &steps);
  mlir::LogicalResult decodeSwitch(mlir::scf::IndexSwitchOp op, StepList &steps);
  mlir::LogicalResult decodeExecuteRegion(mlir::scf::ExecuteRegionOp op, StepList &steps);
  mlir::LogicalResult decodeCall(mlir::func::CallOp op, StepList &steps);

  // Single operations (DecodeOps.cpp)
  mlir::LogicalResult decodeConstant(mlir::Operation &op, mlir::Attribute value, StepList &steps);
  mlir::LogicalResult decodeElementwise(mlir::Operation &op, StepList &steps);
  mlir::LogicalResult decodeTileOp(mlir::Operation &op, StepList &steps);
  mlir::LogicalResult decodeDot(tile::DotOp op, StepList &steps);
  mlir::LogicalResult decodeAtomic(mlir::Operation &op, Step &step);
  mlir::LogicalResult decodePrint(tile::PrintOp op, Step &step);

  // Combine regions (DecodeRegions.cpp)
  mlir::LogicalResult decodeCombine(mlir::Operation &op, unsigned axis, bool reverse, StepFn run,
                                    StepList &steps);
  mlir::LogicalResult decodeMap(tile::MapOp op, StepList &steps);
  bool isBatchable(mlir::Operation &op);
  /// Makes a lane's copy of every scalar that a batched region uses from outside.
  mlir::LogicalResult splatCaptured(mlir::Operation &op, size_t laneCount, StepList &block,
                                    llvm::SmallVectorImpl<std::pair<mlir::Value, Slot>> &outside,
                                    llvm::function_ref<mlir::FailureOr<Slot>(size_t)> temporary);
  /// Decodes what `op` does with single elements as the step's one block; `laneCount` of them at
  /// once if it is batched.
  mlir::LogicalResult decodeBody(mlir::Operation &op, Step &step, bool batched, size_t laneCount,
                                 llvm::function_ref<mlir::FailureOr<Slot>(size_t)> temporary);

  // Values and places
  mlir::FailureOr<Shape> shapeOf(mlir::Value value, mlir::Operation &reportAt);
  /// Allocates a result of `op` and arranges its release after its last use.
  mlir::FailureOr<Slot> define(mlir::Value value, mlir::Operation &op);
  /// A place to be released by hand; a `lasting` one keeps its content from program to program.
  mlir::FailureOr<Slot> allocate(size_t bytes, mlir::Operation &op, bool lasting = false);
  void alias(mlir::Value value, mlir::Value source) { slots[value] = slots.lookup(source); }
  Slot slotOf(mlir::Value value) const { return slots.lookup(value); }
  /// Steps for to[i] = from[i], as if all at once.
  mlir::LogicalResult copyAll(mlir::ValueRange from, llvm::ArrayRef<Slot> to, mlir::Operation &op,
                              StepList &steps);
  /// A step with its source, operands and results filled in; results are defined.
  mlir::FailureOr<Step> makeStep(mlir::Operation &op, StepFn run);
  mlir::LogicalResult append(mlir::Operation &op, Step step, StepList &steps);
  uint32_t sourceOf(mlir::Location location);
  uint32_t originOf(mlir::Value pointer);

  mlir::ModuleOp module;
  Program &program;
  mlir::func::FuncOp kernel;
  OriginFinder origins;
  SlotPlan plan;
  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Slot, 2>>
      dying; ///< Released after the operation.
  llvm::DenseMap<mlir::Location, uint32_t> sourceIndex;
  llvm::SmallVector<mlir::func::CallOp> calls; ///< Being decoded, outermost first.
  std::optional<mlir::Location> callSite;      ///< Of the innermost of them, with its callers.
  size_t lanes = 0;                            ///< Inside a batched combine region: lanes at most.
  unsigned depth = 0;
  size_t numSteps = 0;
};

} // namespace tilerun::interp
