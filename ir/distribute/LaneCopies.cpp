// Loads of products' operands for asynchronous copies that follow the lanes of a warp: the first
// lane says where in shared memory its bytes go, and the others' go behind them. So a warp copies
// neighbouring bytes of a tile, whatever elements of the tensor these are: of a swizzled tile the
// lanes of a line read its pieces in another order, which is the same line of global memory.
#include "ir/distribute/Layouts.h"
#include "ir/distribute/Plans.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Threads in the order in which a tile lies in memory: `run` elements of a lane, then lanes, then
/// warps, then again from the first warp's. nullopt if the tile has fewer elements than that.
static std::optional<LinearLayout> layoutAlong(const LinearLayout &memory, int64_t run,
                                               unsigned warpSize, unsigned numWarps) {
  const unsigned runBits = llvm::Log2_64(run), laneBits = llvm::Log2_32(warpSize),
                 warpBits = llvm::Log2_32(numWarps), bits = memory.inBits(kOffset);
  const unsigned first = runBits + laneBits + warpBits;
  if (first > bits)
    return std::nullopt;
  BitVectors bases;
  auto take = [&](unsigned begin, unsigned end) {
    llvm::append_range(bases, memory.getBases(kOffset).slice(begin, end - begin));
  };
  take(0, runBits);
  take(first, bits);
  take(runBits, first);
  return LinearLayout(
      {Dim(kRegister, bits - laneBits - warpBits), Dim(kLane, laneBits), Dim(kWarp, warpBits)},
      DimList(memory.getOuts()), bases);
}

void distribute::followLanes(tile::DotOp op, const DotPlan &plan, const Options &options,
                             AccessFunction access) {
  const target::TargetInfo &target = *options.target;
  const target::MatrixInstruction *row = plan.instruction;
  if (!target.copiesFollowLanes || !row || row->isOpaque || plan.warpGroup ||
      cast<RankedTensorType>(op.getType()).getRank() != 2)
    return;
  for (auto [operand, planned] : {std::pair(op.getA(), &plan.a), std::pair(op.getB(), &plan.b)}) {
    auto [load, swapped] = findLoad(operand);
    if (!load)
      continue;
    AccessPlan &loaded = access(load);
    const unsigned inner = loaded.order.front();
    if (loaded.tileInner.value_or(inner) != inner)
      continue;
    auto type = cast<RankedTensorType>(load.getType());
    const int64_t bytes = tile::getElementBytes(type.getElementType());
    // As the plan of rings has it (ir/schedule/Rings.cpp).
    const bool isTurned = target.sharedModel.banks > 32 ||
                          (target.hasTransposedRead &&
                           isReadTransposed(*planned, swapped ? 1 - inner : inner, bytes));
    const LinearLayout memory = isTurned ? turnedTile(type.getShape(), inner, bytes)
                                         : swizzledTile(type.getShape(), inner, bytes);
    const int64_t known =
        std::min({loaded.facts.contiguity[inner], loaded.facts.alignment[inner] / bytes,
                  loaded.facts.constancy[inner]});
    for (int64_t copied : {16, 4}) {
      const int64_t run = copied / bytes;
      if (run < 1 || run > known)
        continue;
      if (auto layout = layoutAlong(memory, run, target.warpSize, options.numWarps)) {
        loaded.layout = std::move(*layout);
        break;
      }
    }
  }
}
