// Tensor descriptors: a view of memory with extents, strides and the shape of the blocks that are
// read and written. They exist only while compiling: an access expands to a tensor of pointers and
// a mask.
#pragma once

#include "frontend/lang/Emit.h"

namespace tilerun::lang {

/// Whether a value is a tensor descriptor: a tuple with its own type name, so that loops and
/// branches carry its run-time parts like those of any tuple.
bool isTensorDescriptor(const Value &v);

/// A descriptor of its parts, which were checked: `base` is a pointer, `shape` and `strides` (in
/// elements) are integers, one for each dimension of `block`.
Value makeTensorDescriptor(const Value &base, std::vector<Value> shape, std::vector<Value> strides,
                           llvm::ArrayRef<int64_t> block, bool padsWithNan);

/// Why blocks of this shape cannot be accessed through a descriptor; empty if they can.
std::string checkDescriptorBlock(DType element, llvm::ArrayRef<int64_t> block);

/// `descriptor.name`.
std::optional<Value> findDescriptorAttribute(const Value &descriptor, llvm::StringRef name);

} // namespace tilerun::lang
