// Block pointers: a tensor view of memory with shape and strides, and a window in it. They exist
// only while compiling: a load or store expands to a tensor of pointers and a mask.
#pragma once

#include "frontend/lang/Emit.h"

namespace tilerun::lang {

/// Whether a value is a block pointer: a tuple of run-time scalars with its own type name, so that
/// loops and branches carry it like any tuple.
bool isBlockPointer(const Value &v);
/// The type of a pointer to one of its elements.
DType getBlockPointerType(const Value &v);
/// The type of its blocks.
const TensorType &getBlockPointerBlock(const Value &v);

/// The pointers of the window, and a mask of those inside the view along the dimensions to check.
struct BlockAccess {
  TensorValue pointer;
  std::optional<TensorValue> mask;
};

/// A view of memory: extents and strides (in elements) of each dimension are run-time integers.
struct View {
  Value base;
  llvm::ArrayRef<Value> shape, strides;
};
/// The elements of a view at `indices`, one integer or tensor for each dimension, which broadcast
/// to `block`. Along the dimensions that are `checked`, those outside the view are masked.
mlir::FailureOr<BlockAccess> expandIndices(Emitter &e, const View &view,
                                           llvm::ArrayRef<Value> indices,
                                           llvm::ArrayRef<bool> checked,
                                           llvm::ArrayRef<int64_t> block);
/// The indices of a window along dimension `d`: `offset` + 0, 1, ….
Result windowIndices(Emitter &e, const Value &offset, size_t d, llvm::ArrayRef<int64_t> block);
/// Run-time int64 scalars from a list of integers.
mlir::FailureOr<std::vector<Value>> getScalars(Emitter &e, const Arguments &args, size_t i);
/// In strict mode: offsets of 64 bits, which Triton's blocks do not take, and one that is not in a
/// list.
void noteOffsets(Emitter &e, const Arguments &args, size_t i);
/// One pointer whose pointee type is known.
TensorOr getBase(Emitter &e, const Arguments &args, size_t i);
mlir::FailureOr<BlockAccess> expandBlockPointer(Emitter &e, const Arguments &args, size_t pointer,
                                                size_t boundaryCheck);

} // namespace tilerun::lang
