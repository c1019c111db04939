// The registers that a thread needs for tensors, and in a loop with products: estimates from
// layouts and plans.
#pragma once

#include "ir/distribute/LayoutAssignment.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::schedule {

/// Registers of 32 bits that a thread needs in the loop's body without loads that run ahead: the
/// tensors that the loop carries; operands of products from outside of it; the fragments of one
/// step; and results of products twice, if the body computes something of them, as it does in
/// attention. Addresses are not counted. `whole`: a product whose fragments of all steps are there
/// at once; null: none.
int64_t countRegisters(mlir::scf::ForOp loop, const distribute::LayoutAssignment &layouts,
                       tile::DotOp whole = nullptr);

/// Of a tensor that is kept in its layout; 0 for scalars and for tensors of addresses.
int64_t countRegisters(mlir::Value tensor, const distribute::LayoutAssignment &layouts);

/// Of a load on its way to a slot.
int64_t countRegisters(tile::LoadOp load, const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
