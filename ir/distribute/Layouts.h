// Layouts over the threads of a program, in the fixed form that distribution and the lowering work
// with: inputs register, lane and warp, outputs dim0, dim1, ….
#pragma once

#include "ir/layout/LinearLayout.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tilerun::distribute {

using layout::LinearLayout;

/// Register, lane and warp inputs in this order (added where missing), dim0, dim1, … as outputs,
/// and no registers that repeat others.
LinearLayout canonicalize(const LinearLayout &layout, unsigned laneBits, unsigned warpBits);

/// As canonicalize, but keeps repeating registers.
LinearLayout normalize(const LinearLayout &layout, unsigned laneBits, unsigned warpBits);

/// Sizes of `shape` in bits. Precondition: powers of two.
llvm::SmallVector<unsigned, 4> shapeBits(llvm::ArrayRef<int64_t> shape);

/// Threads of a program.
struct Threads {
  unsigned lanes, warps;
  unsigned laneBits() const { return llvm::Log2_32(lanes); }
  unsigned warpBits() const { return llvm::Log2_32(warps); }
  int64_t count() const { return int64_t(lanes) * warps; }
};

/// A coalesced layout (layout::coalescedLayout) of a tensor whose sizes were checked.
LinearLayout coalescedOver(Threads threads, llvm::ArrayRef<int64_t> shape, unsigned perThread,
                           llvm::ArrayRef<unsigned> order);
/// The default layout of a tensor: coalesced, one element per thread.
LinearLayout defaultLayout(Threads threads, mlir::RankedTensorType type);
/// A layout in which positions along `axis` ascend with registers, then lanes, then warps.
LinearLayout orderedLayout(Threads threads, mlir::RankedTensorType type, unsigned axis);

/// The operand's layout for a shape op whose result has `result`: registers correspond one to one
/// for all but broadcast, whose operand drops repeating registers.
LinearLayout expandDimsSource(const LinearLayout &result, unsigned axis);
LinearLayout transSource(const LinearLayout &result, llvm::ArrayRef<int32_t> order);
LinearLayout reshapeSource(const LinearLayout &result, llvm::ArrayRef<int64_t> sourceShape);
/// With repeating registers: one for each register of the result.
LinearLayout broadcastSource(const LinearLayout &result, llvm::ArrayRef<int64_t> sourceShape);

/// A layout for the halves of a tensor whose last dimension has size 2. Where lanes or warps hold
/// that dimension they take over a dimension of registers, rather than to repeat both halves in all
/// of them: a chain of splits and joins (a sorting network) keeps its number of registers.
LinearLayout splitLayout(const LinearLayout &source);

} // namespace tilerun::distribute
