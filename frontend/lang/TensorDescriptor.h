// Tensor descriptors: a view of memory with extents, strides and the shape of the blocks that are
// read and written. Each is one run-time value (`DescriptorValue`), and so is each access.
#pragma once

#include "frontend/lang/Emit.h"

namespace tilerun::lang {

/// A descriptor of its parts, which were checked: `base` is a pointer, `shape` and `strides` (in
/// elements) are integers, one for each dimension of `block`.
Value makeTensorDescriptor(Emitter &e, const TensorValue &base, llvm::ArrayRef<Value> shape,
                           llvm::ArrayRef<Value> strides, llvm::ArrayRef<int64_t> block,
                           bool padsWithNan);

/// Why blocks of this shape cannot be accessed through a descriptor; empty if they can.
std::string checkDescriptorBlock(DType element, llvm::ArrayRef<int64_t> block);

/// `descriptor.name`.
std::optional<Value> findDescriptorAttribute(Emitter &e, const DescriptorValue &descriptor,
                                             llvm::StringRef name);

} // namespace tilerun::lang
