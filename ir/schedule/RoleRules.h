// Which loops can be split into roles: a producer, whose warps compute addresses and copy tiles
// into slots, and the consumer, which does all the rest of the kernel.
#pragma once

#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/Rings.h"

namespace tilerun::schedule {

/// Ops before a loop, in program order.
using OpsBefore = llvm::SetVector<mlir::Operation *>;

/// The ops before `loop`, which is in the kernel's own block, that its bounds and its `slice`
/// depend on. Null if all of them can be computed twice, else one that cannot.
mlir::Operation *findBefore(mlir::scf::ForOp loop, const LoopSlice &slice, OpsBefore &before);

/// Why a target, or the layouts, cannot have so many warps of a producer; empty if they can.
std::string findRoleFault(unsigned producers, CopyKind copies,
                          const distribute::LayoutAssignment &layouts);
/// Why a loop with rings cannot be split; nullopt if it can.
std::optional<Refusal> findRoleFault(mlir::scf::ForOp loop);

/// Warps of a producer of boxes: as many as hand over registers together, where the consumer needs
/// them; else one.
unsigned getBoxProducers(const distribute::LayoutAssignment &layouts);
/// Registers of a lane that roles go on with.
struct RoleRegisters {
  unsigned producer = 0, consumer = 0; ///< 0: what they begin with.
};
RoleRegisters getRegisters(unsigned producers, const distribute::LayoutAssignment &layouts);

/// The kernel's loops with roles, in program order. The first one's rings are those of all.
llvm::SmallVector<mlir::scf::ForOp> findRoleLoops(mlir::func::FuncOp kernel);
/// The first of them; null if there is none.
mlir::scf::ForOp findRoleLoop(mlir::func::FuncOp kernel);
/// Why a loop with copies of boxes cannot use the rings of one before it, whose tiles are all read
/// when it begins; nullopt if it can.
std::optional<Refusal> findSharingFault(mlir::scf::ForOp first, mlir::scf::ForOp loop);

/// Bytes that a loop's rings take, and the phase barriers for them: with as many slots as it has,
/// or with `slots`.
int64_t ringBytesOf(mlir::scf::ForOp loop, const target::TargetInfo &target);
int64_t ringBytesOf(mlir::scf::ForOp loop, int64_t slots, const target::TargetInfo &target);
/// The same of all rings that are alive while the loop runs: its own, those of loops around it, and
/// those between roles.
int64_t ringBytesIn(mlir::scf::ForOp loop, const target::TargetInfo &target);

} // namespace tilerun::schedule
