// Operands of products that lie across k in memory, where the target cannot transpose what it reads
// from shared memory. A thread loads a block, some neighbours in memory by some along k, in
// wide accesses, and stores its columns: so the tile is contiguous along k, and fragments are read
// from it in accesses as wide as an instruction's lane has neighbours along k.
#include "ir/distribute/Layouts.h"
#include "ir/distribute/Plans.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

std::pair<tile::LoadOp, bool> distribute::findLoad(Value operand) {
  bool swapped = false;
  while (auto trans = operand.getDefiningOp<tile::TransOp>()) {
    swapped ^= trans.getOrder()[0] == 1;
    operand = trans.getSource();
  }
  return {operand.getDefiningOp<tile::LoadOp>(), swapped};
}

namespace {
/// What a thread holds: neighbours in memory by neighbours along k.
struct Piece {
  int64_t across, along;
};
} // namespace

/// The block for threads with `each` elements of `bytes`, of which `widest` are one access; nothing
/// if a thread would not have a word of 32 bits on either side.
static std::optional<Piece> chooseBlock(int64_t each, int64_t bytes, int64_t widest,
                                        int64_t shapeAlong, unsigned sharedVectorBytes) {
  constexpr int64_t kWordBytes = 4;
  int64_t least = std::max<int64_t>(2, kWordBytes / bytes);
  int64_t most = std::min<int64_t>(sharedVectorBytes / bytes, shapeAlong);
  if (widest < 1 || most < least)
    return std::nullopt;
  int64_t along = std::clamp<int64_t>(each / widest, least, most);
  int64_t across = std::min(widest, each / along);
  if (across * bytes < kWordBytes)
    return std::nullopt;
  return Piece{across, along};
}

/// Lanes of a row read a cache line of memory together; the others follow along k.
static LinearLayout blockLayout(ArrayRef<int64_t> shape, unsigned across, Piece block,
                                unsigned warpSize, unsigned numWarps) {
  constexpr unsigned kLanesOfRow = 8;
  unsigned along = 1 - across;
  BlockedTile tile;
  tile.elementsPerThread.assign(2, 1);
  tile.threadsPerWarp.assign(2, 1);
  tile.warps.assign(2, 1);
  tile.elementsPerThread[across] = block.across;
  tile.elementsPerThread[along] = block.along;
  auto blocks = [&](unsigned dim) {
    return std::max<int64_t>(1, shape[dim] / tile.elementsPerThread[dim]);
  };
  tile.threadsPerWarp[across] = std::min<int64_t>({kLanesOfRow, warpSize, blocks(across)});
  tile.threadsPerWarp[along] =
      std::min<int64_t>(warpSize / tile.threadsPerWarp[across], blocks(along));
  tile.threadsPerWarp[across] = warpSize / tile.threadsPerWarp[along];
  auto warps = [&](unsigned dim) {
    return std::max<int64_t>(1, blocks(dim) / tile.threadsPerWarp[dim]);
  };
  tile.warps[across] = std::min<int64_t>(numWarps, warps(across));
  tile.warps[along] = numWarps / tile.warps[across];
  tile.order.assign({across, along});
  // Shapes were checked, so that this cannot fail.
  return canonicalize(llvm::cantFail(blockedLayout(shape, tile)), llvm::Log2_32(warpSize),
                      llvm::Log2_32(numWarps));
}

/// Whether a lane's first registers are neighbours along k.
static bool holdsNeighbours(const LinearLayout &fragment, unsigned summed) {
  return fragment.inBits(kRegister) && fragment.getBasis(kRegister, 0, dimName(summed)) == 1;
}

void distribute::transposeInRegisters(tile::DotOp op, const DotPlan &plan, const Options &options,
                                      AccessFunction access) {
  const target::TargetInfo &target = *options.target;
  const target::MatrixInstruction *row = plan.instruction;
  if (!row || row->isOpaque || plan.warpGroup || target.hasLoadMatrix ||
      cast<RankedTensorType>(op.getType()).getRank() != 2)
    return;
  for (auto [operand, fragment, planned, summed] :
       {std::tuple(op.getA(), &row->aLayout, &plan.a, 1u),
        std::tuple(op.getB(), &row->bLayout, &plan.b, 0u)}) {
    auto [load, swapped] = findLoad(operand);
    if (!load || !holdsNeighbours(*fragment, summed))
      continue;
    unsigned along = swapped ? 1 - summed : summed, across = 1 - along;
    AccessPlan &loaded = access(load);
    if (loaded.order.front() == along)
      continue;
    auto type = cast<RankedTensorType>(load.getType());
    int64_t bytes = tile::getElementBytes(type.getElementType());
    if (target.hasTransposedRead && isReadTransposed(*planned, 1 - summed, bytes))
      continue;
    int64_t widest =
        std::min({int64_t(target.maxVectorBytes) / bytes, loaded.facts.contiguity[across],
                  loaded.facts.alignment[across] / bytes, loaded.facts.constancy[across]});
    int64_t each = type.getNumElements() / (options.numWarps * target.warpSize);
    std::optional<Piece> block =
        chooseBlock(each, bytes, int64_t(llvm::bit_floor(uint64_t(std::max<int64_t>(widest, 0)))),
                    type.getDimSize(along), target.sharedModel.maxVectorBytes);
    if (!block)
      continue;
    loaded.layout = blockLayout(type.getShape(), across, *block, target.warpSize, options.numWarps);
    loaded.tileInner = along;
  }
}
