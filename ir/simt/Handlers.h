// The table of handlers: for each op, how it is lowered when the walk meets it, and how its value
// is built in a layout that a user asks for. Handlers.def is the list; the functions are in
// handlers/, products in products/.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// The functions of one op, by its name. One may be null.
struct Handler {
  llvm::LogicalResult (*lower)(LowerContext &c, mlir::Operation *op) = nullptr;
  mlir::FailureOr<mlir::Value> (*build)(LowerContext &c, mlir::Operation *op,
                                        const LinearLayout &layout) = nullptr;
  mlir::FailureOr<Values> (*apply)(LowerContext &c, mlir::Operation *op, mlir::ValueRange operands,
                                   unsigned count) = nullptr;
  /// It terminates a region whose op has a handler.
  bool isPartOfParent = false;
};

/// The entry of ops of this name; null if Handlers.def has none.
const Handler *findHandler(mlir::OperationName name);
/// Whether Handlers.def says that no kernel may have ops of this name.
bool isRefused(mlir::OperationName name);

/// Lowers the ops of `block` except its terminator, in their order.
llvm::LogicalResult lowerBlock(LowerContext &c, mlir::Block &block);
llvm::LogicalResult lowerOp(LowerContext &c, mlir::Operation *op);
/// Computes the results of `op` here, if they have a layout or are scalars, and else leaves them to
/// their users.
llvm::LogicalResult lowerResults(LowerContext &c, mlir::Operation *op);
/// The registers of `value`, which has none yet, in `layout`.
mlir::FailureOr<mlir::Value> buildOnDemand(LowerContext &c, mlir::Value value,
                                           const LinearLayout &layout);
/// The results of an elementwise op on `count` registers of its operands (0: on scalars).
mlir::FailureOr<Values> applyElementwise(LowerContext &c, mlir::Operation *op,
                                         mlir::ValueRange operands, unsigned count);

} // namespace tilerun::simt
