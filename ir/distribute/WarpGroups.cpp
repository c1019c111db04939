// Products by instructions of warp groups: which of them can be, and how groups tile the result.
//
// A group computes the rows of its instruction at a time and reads operands from shared memory, so
// it needs that many warps and rows, and both operands must fit there together. Operands that must
// be contiguous along k (unless the instruction takes any order) but lie the other way round in
// memory are transposed on the way, by copies of one element, if those are as large as copies can
// be small: 4 bytes. What stays with the instructions of one warp: smaller and larger products,
// three dimensions, operands in parts, and smaller operands that would have to be transposed.
#include "ir/distribute/Layouts.h"
#include "ir/distribute/Plans.h"
#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using target::MatrixElement;
using target::WarpGroupInstruction;

static bool feedsOnlyProducts(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto trans = dyn_cast<tile::TransOp>(use.getOwner()))
      return feedsOnlyProducts(trans.getResult());
    return isa<tile::DotOp>(use.getOwner()) && use.getOperandNumber() < 2;
  });
}

/// Whether elements can be copied one by one.
static bool canTranspose(tile::LoadOp load) {
  return tile::getElementBytes(getElementTypeOrSelf(load.getType())) == 4 &&
         feedsOnlyProducts(load.getResult());
}

/// Whether the operand can lie in shared memory so that the instruction reads it.
static bool fits(Value operand, unsigned summed, const WarpGroupInstruction &row,
                 AccessFunction access) {
  auto type = cast<RankedTensorType>(operand.getType());
  unsigned bytes = tile::getElementBytes(type.getElementType());
  unsigned inner = summed;
  if (auto [load, swapped] = findLoad(operand); load) {
    unsigned dim = access(load).order.front();
    inner = swapped ? 1 - dim : dim;
    if (inner != summed && !row.takesAnyOrder) {
      if (!canTranspose(load))
        return false;
      inner = summed;
    }
  }
  // An operand that is not loaded can be stored in any order.
  return llvm::all_of(std::array{inner, summed}, [&](unsigned inner) {
    MatrixTile tile{{type.getDimSize(0), type.getDimSize(1)}, inner, bytes};
    return tile.isOperand(summed, row.k);
  });
}

/// The row for a product that otherwise takes `instruction`, with k of at least a step; null: none.
static const WarpGroupInstruction *
findRow(const target::TargetInfo &target, const target::MatrixInstruction &instruction, int64_t k) {
  const WarpGroupInstruction *found = nullptr;
  for (const WarpGroupInstruction &row : target.warpGroupInstructions)
    if (row.a == instruction.a && row.b == instruction.b && row.acc == instruction.acc &&
        k >= row.k)
      found = &row;
  return found;
}

/// Layouts of the result and of a first operand in registers.
static void tileGroups(tile::DotOp op, const Options &options, const WarpGroupInstruction &row,
                       DotPlan &plan) {
  SmallVector<unsigned, 4> bits = shapeBits(cast<RankedTensorType>(op.getType()).getShape());
  unsigned innerBits = llvm::Log2_64(cast<RankedTensorType>(op.getA().getType()).getDimSize(1));
  unsigned warpBits = llvm::Log2_32(options.numWarps), rowBits = llvm::Log2_32(row.m);
  // Groups over rows first: they share the second operand, which all of them read.
  unsigned groupBits = warpBits - llvm::Log2_32(row.warps);
  unsigned rowGroups = std::min(groupBits, bits[0] - rowBits);
  unsigned columnGroups =
      std::min(groupBits - rowGroups, bits[1] - llvm::Log2_32(row.leastColumns()));
  unsigned columnBits = std::min(bits[1] - columnGroups, llvm::Log2_32(row.n));
  auto spread = [](unsigned bits, unsigned dim) {
    return LinearLayout::identity1D(bits, kWarp, dimName(dim));
  };
  auto repeat = [](unsigned bits, unsigned dim) {
    return LinearLayout::identity1D(bits, kRegister, dimName(dim));
  };
  auto finish = [&](LinearLayout layout) {
    if (layout.inBits(kWarp) < warpBits) // groups that repeat others' work
      layout = layout.resizeIn(kWarp, warpBits);
    return normalize(layout, llvm::Log2_32(options.target->warpSize), warpBits);
  };
  unsigned moreRows = bits[0] - rowBits - rowGroups;
  plan.warpGroup = WarpGroupPlan{&row, 1u << columnBits};
  plan.d =
      finish(row.resultLayout(1u << columnBits) * spread(rowGroups, 0) * spread(columnGroups, 1) *
             repeat(bits[1] - columnGroups - columnBits, 1) * repeat(moreRows, 0));
  LinearLayout a = row.operandLayout() * spread(rowGroups, 0) *
                   LinearLayout::zeros1D(columnGroups, kWarp, dimName(0));
  plan.a = finish(a * repeat(innerBits - llvm::Log2_32(row.k), 1) * repeat(moreRows, 0));
  plan.b = LinearLayout();
}

void distribute::useWarpGroups(tile::DotOp op, const Options &options, AccessFunction access,
                               DotPlan &plan) {
  auto type = cast<RankedTensorType>(op.getType());
  if (!plan.instruction || plan.parts != 1 || type.getRank() != 2)
    return;
  auto aShape = cast<RankedTensorType>(op.getA().getType()).getShape();
  const WarpGroupInstruction *row = findRow(*options.target, *plan.instruction, aShape[1]);
  if (!row || options.numWarps < row->warps || type.getDimSize(0) < row->m ||
      type.getDimSize(1) < row->leastColumns())
    return;
  // Not where the sum would be less precise than asked for, or would be rounded into the result.
  if ((row->isImprecise && int64_t(op.getMaxImprecise()) < aShape[1]) ||
      (type.getElementType().isF16() && row->acc == MatrixElement::F32))
    return;
  auto bytesOf = [](Value value) {
    return tile::getElementBytes(getElementTypeOrSelf(value.getType()));
  };
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isInteger(32))
    return;
  // Operands are read as they lie in memory: they must have the instruction's own type.
  if (bytesOf(op.getA()) != target::bytesOf(row->a) ||
      bytesOf(op.getB()) != target::bytesOf(row->b) || !fits(op.getA(), 1, *row, access) ||
      !fits(op.getB(), 0, *row, access))
    return;

  // Beside the operands there is what conversions need.
  auto sizeOf = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements() * int64_t(bytesOf(value));
  };
  if (sizeOf(op.getA()) + sizeOf(op.getB()) > options.target->budget().forWarpGroupOperands())
    return;

  tileGroups(op, options, *row, plan);
}

void distribute::transposeOnTheWay(tile::DotOp op, const DotPlan &plan, const Options &options,
                                   AccessFunction access) {
  unsigned numWarps = options.numWarps, warpSize = options.target->warpSize;
  if (!plan.warpGroup || plan.warpGroup->instruction->takesAnyOrder)
    return;
  for (auto [operand, summed] : {std::pair(op.getA(), 1u), std::pair(op.getB(), 0u)}) {
    auto [load, swapped] = findLoad(operand);
    if (!load)
      continue;
    unsigned inner = swapped ? 1 - summed : summed, outer = 1 - inner;
    AccessPlan &accessPlan = access(load);
    if (accessPlan.order.front() == inner)
      continue;
    // Neighbours in memory share cache lines, but are in different lines of the tile, where the
    // swizzle keeps no more than eight of them apart; neighbours along k are in different banks,
    // but in different cache lines. Sixteen by two costs two cycles on either side.
    auto shape = cast<RankedTensorType>(load.getType()).getShape();
    BlockedTile tile;
    tile.elementsPerThread.assign(2, 1);
    tile.threadsPerWarp.assign(2, 1);
    tile.warps.assign(2, 1);
    tile.threadsPerWarp[outer] = std::min<int64_t>({16, warpSize, shape[outer]});
    tile.threadsPerWarp[inner] = warpSize / tile.threadsPerWarp[outer];
    tile.warps[outer] = std::min<int64_t>(numWarps, std::max<int64_t>(1, shape[outer] / 16));
    tile.warps[inner] = numWarps / tile.warps[outer];
    tile.order.assign({outer, inner});
    // Shapes were checked, so that this cannot fail.
    accessPlan.layout = canonicalize(llvm::cantFail(blockedLayout(shape, tile)),
                                     llvm::Log2_32(warpSize), llvm::Log2_32(numWarps));
    accessPlan.tileInner = inner;
  }
}
