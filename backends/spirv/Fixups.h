// The last step on a serialized module: instructions that MLIR's dialect lacks, capabilities and
// extensions, and checks.
#pragma once

#include "backends/spirv/Target.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilerun::spirvbackend {

/// Replaces calls of imported functions "tilerun!…" (emitInstruction in Patterns.h) by instructions
/// and declares what the module uses. The error names what is wrong with the module.
llvm::Expected<std::vector<uint32_t>> fixUp(llvm::ArrayRef<uint32_t> words, const Target &target);

/// Makes the workgroup's width specialization constant 0, whose default is the width of the
/// module's LocalSize (WorkgroupSize.cpp).
llvm::Expected<std::vector<uint32_t>> specializeWorkgroup(llvm::ArrayRef<uint32_t> words);

/// An error if any operand of an OpPhi is id 0, which MLIR's serializer has been seen to write.
llvm::Error checkPhis(llvm::ArrayRef<uint32_t> words);

} // namespace tilerun::spirvbackend
