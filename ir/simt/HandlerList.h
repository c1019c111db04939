// The handlers' declarations, from Handlers.def. Files that define handlers include this.
#pragma once

#include "ir/schedule/ScheduleOps.h"
#include "ir/simt/Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tilerun::simt {

namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;
namespace ub = mlir::ub;

#define HANDLE_IN_ORDER(OP) llvm::LogicalResult lower(LowerContext &c, OP op);
#define HANDLE_ON_DEMAND(OP)                                                                       \
  mlir::FailureOr<mlir::Value> build(LowerContext &c, OP op, const LinearLayout &layout);
#define HANDLE_ELEMENTWISE(OP)                                                                     \
  mlir::FailureOr<Values> apply(LowerContext &c, OP op, mlir::ValueRange operands, unsigned count);
#define COPY_ELEMENTWISE(OP)
#define PART_OF_PARENT(OP)
#define REFUSE(OP)
#include "ir/simt/Handlers.def"

/// A copy of `op` on `count` registers (0: on scalars).
mlir::FailureOr<Values> copyElementwise(LowerContext &c, mlir::Operation *op,
                                        mlir::ValueRange operands, unsigned count);

} // namespace tilerun::simt
