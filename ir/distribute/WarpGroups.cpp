// Products by instructions of warp groups: which of them can be, and how groups tile the result.
//
// A group computes 64 rows at a time and reads operands from shared memory, so it needs at least
// four warps and 64 rows. What stays with the instructions of one warp: fewer rows, three
// dimensions, operands in parts, and operands that must be contiguous along k (all but 16-bit ones)
// but lie the other way round in memory, since they would have to be transposed on the way.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using simt::MatrixElement;
using simt::WarpGroupInstruction;

/// The operand's contiguous dimension in memory, if it is a load, possibly transposed.
static std::optional<unsigned> contiguousDim(Value operand, const LayoutAssignment &layouts) {
  bool swapped = false;
  while (auto trans = operand.getDefiningOp<tile::TransOp>()) {
    swapped ^= trans.getOrder()[0] == 1;
    operand = trans.getSource();
  }
  auto load = operand.getDefiningOp<tile::LoadOp>();
  if (!load)
    return std::nullopt;
  unsigned dim = layouts.getAccess(load).order.front();
  return swapped ? 1 - dim : dim;
}

/// Whether the operand can lie in shared memory so that the instruction reads it.
static bool fits(Value operand, unsigned summed, const WarpGroupInstruction &row,
                 const LayoutAssignment &layouts) {
  auto type = cast<RankedTensorType>(operand.getType());
  unsigned bytes = tile::getElementBytes(type.getElementType());
  std::optional<unsigned> inner = contiguousDim(operand, layouts);
  if (inner && *inner != summed && !row.takesAnyOrder)
    return false;
  // What is not loaded can be stored in the order that suits.
  return describeTile(type.getShape(), inner.value_or(summed), bytes, summed).has_value() &&
         describeTile(type.getShape(), summed, bytes, summed).has_value();
}

static FragmentKind fragmentA(MatrixElement element) {
  switch (element) {
  case MatrixElement::F16:
  case MatrixElement::BF16:
    return FragmentKind::MmaA16;
  case MatrixElement::TF32:
    return FragmentKind::MmaA32;
  default:
    return FragmentKind::MmaA8;
  }
}

void distribute::useWarpGroups(tile::DotOp op, const LayoutAssignment &layouts, DotPlan &plan) {
  constexpr unsigned kGroupBits = 2, kRowBits = 6, kMinColumnBits = 3, kMaxColumnBits = 8;
  auto type = cast<RankedTensorType>(op.getType());
  unsigned warpBits = llvm::Log2_32(layouts.numWarps());
  if (!plan.instruction || plan.parts != 1 || type.getRank() != 2 || warpBits < kGroupBits)
    return;
  SmallVector<unsigned, 4> bits = shapeBits(type.getShape());
  auto aShape = cast<RankedTensorType>(op.getA().getType()).getShape();
  unsigned innerBits = llvm::Log2_64(aShape[1]);
  if (bits[0] < kRowBits || bits[1] < kMinColumnBits)
    return;
  const WarpGroupInstruction *row = nullptr;
  for (const WarpGroupInstruction &candidate : layouts.target().warpGroupInstructions)
    if (candidate.a == plan.instruction->a && candidate.b == plan.instruction->b &&
        candidate.acc == plan.instruction->acc && aShape[1] >= candidate.k)
      row = &candidate;
  auto bytesOf = [](Value value) {
    return tile::getElementBytes(getElementTypeOrSelf(value.getType()));
  };
  // Operands are read as they lie in memory: they must have the instruction's own type.
  if (!row || bytesOf(op.getA()) * row->k != 32 || bytesOf(op.getB()) * row->k != 32 ||
      !fits(op.getA(), 1, *row, layouts) || !fits(op.getB(), 0, *row, layouts))
    return;

  // Groups over rows first: they share the second operand, which all of them read.
  unsigned groupBits = warpBits - kGroupBits;
  unsigned rowGroups = std::min(groupBits, bits[0] - kRowBits);
  unsigned columnGroups = std::min(groupBits - rowGroups, bits[1] - kMinColumnBits);
  unsigned columnBits = std::min(bits[1] - columnGroups, kMaxColumnBits);
  auto spread = [](unsigned bits, unsigned dim) {
    return LinearLayout::identity1D(bits, kWarp, dimName(dim));
  };
  auto repeat = [](unsigned bits, unsigned dim) {
    return LinearLayout::identity1D(bits, kRegister, dimName(dim));
  };
  auto finish = [&](LinearLayout layout) {
    if (layout.inBits(kWarp) < warpBits) // groups that repeat others' work
      layout = layout.resizeIn(kWarp, warpBits);
    return normalize(layout, llvm::Log2_32(layouts.target().warpSize), warpBits);
  };
  unsigned moreRows = bits[0] - kRowBits - rowGroups;
  plan.warpGroup = WarpGroupPlan{row, 1u << columnBits};
  plan.d = finish(*wgmmaLayout(1u << columnBits) * spread(rowGroups, 0) * spread(columnGroups, 1) *
                  repeat(bits[1] - columnGroups - columnBits, 1) * repeat(moreRows, 0));
  LinearLayout a = fragmentLayout(fragmentA(row->a)) * spread(kGroupBits, 0) *
                   spread(rowGroups, 0) * LinearLayout::zeros1D(columnGroups, kWarp, dimName(0));
  plan.a = finish(a * repeat(innerBits - llvm::Log2_32(row->k), 1) * repeat(moreRows, 0));
  plan.b = LinearLayout();
}
