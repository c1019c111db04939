// How the registers of a thread form accesses, to global memory and to tiles in shared memory.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/tile/TileOps.h"

namespace tilerun::distribute {

/// The registers of each access of a thread, in memory order.
using RegisterGroups = llvm::SmallVector<llvm::SmallVector<unsigned, 8>, 8>;
RegisterGroups groupRegisters(const AccessPlan &plan, unsigned elementBytes, unsigned maxBytes);

/// Bytes that one instruction of the target adds to neighbours in memory for `atomic`; 0: one
/// element at a time, because the target has none, or because of the order or the results.
unsigned getVectorSumBytes(tile::AtomicRMWOp atomic, const target::TargetInfo &target);

/// Calls `body` with the registers of each access, in memory order.
void forEachAccess(const layout::SharedAccess &access,
                   llvm::function_ref<void(llvm::ArrayRef<unsigned>)> body);

/// Whether so many registers in a row are words of `perWord` each, in the order of all registers.
bool areWords(llvm::ArrayRef<unsigned> registers, unsigned perWord);
/// Numbers of those words.
llvm::SmallVector<int64_t> wordsOf(llvm::ArrayRef<unsigned> registers, unsigned perWord);

} // namespace tilerun::distribute
