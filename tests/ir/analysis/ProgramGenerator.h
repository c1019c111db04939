// Random programs over small integers and pointers, with inputs for them. Narrow types make every
// kind of overflow common.
#pragma once

#include "tests/ir/analysis/ElementMachine.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <random>

namespace tilerun::test {

/// Makes one program of a seed, then any number of inputs.
class ProgramGenerator {
public:
  ProgramGenerator(mlir::MLIRContext &context, uint64_t seed) : builder(&context), random(seed) {}

  /// A module of one function `f`, whose arguments may promise to be divisible.
  mlir::OwningOpRef<mlir::ModuleOp> program();
  /// A random value that keeps the argument's promise.
  Elements input(mlir::BlockArgument argument);
  uint64_t pick(uint64_t count) { return random() % count; }

private:
  using Pool = llvm::SmallVector<mlir::Value>;
  mlir::Location loc() { return builder.getUnknownLoc(); }
  mlir::Type integer(unsigned width) { return builder.getIntegerType(width); }
  int64_t interestingNumber();
  mlir::Value constantOf(mlir::Type type, int64_t value);
  mlir::Value any(const Pool &pool, llvm::function_ref<bool(mlir::Type)> accept);
  mlir::Value sameType(const Pool &pool, mlir::Type type);
  void step(Pool &pool, int depth);
  void shapeStep(Pool &pool, mlir::Value value);
  void control(Pool &pool, int depth);

  mlir::OpBuilder builder;
  std::mt19937_64 random;
};

} // namespace tilerun::test
