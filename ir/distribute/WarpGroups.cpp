// Products by instructions of warp groups: which of them can be, and how groups tile the result.
//
// A group computes the rows of its instruction at a time and reads operands from shared memory, so
// it needs that many warps and rows, and both operands must fit there together. Of operands that
// must be contiguous along k (unless the instruction takes any order) but lie the other way round
// in memory, one can be read from its tile by threads, as the instruction's first operand, which
// may be in registers; where that is the product's second operand, the instruction computes the
// transposed product. Others are transposed on the way, by copies of one element, if those are as
// large as copies can be small: 4 bytes. Of two operands of bytes that lie across k, threads
// transpose the tiles of the other one in shared memory. What stays with the instructions of one
// warp: smaller and larger products, three dimensions, operands in parts.
#include "ir/distribute/Layouts.h"
#include "ir/distribute/Plans.h"
#include "ir/distribute/RowOrder.h"
#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"
#include "ir/tile/Remarks.h"

#include <array>

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

static unsigned bytesOf(Value value) {
  return tile::getElementBytes(getElementTypeOrSelf(value.getType()));
}

namespace {
/// How an operand can come to an instruction of warp groups.
enum class Way {
  AsItLies,  ///< The instruction reads it as it lies in memory, or as it is stored.
  Copies,    ///< It lies across k, and can be transposed on its way.
  Registers, ///< It lies across k, and can only be read by threads.
  None
};
} // namespace

/// How the operand comes to the instruction, if that reads it from shared memory.
static Way wayOf(Value operand, unsigned summed, const WarpGroupInstruction &row,
                 AccessFunction access) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto canLie = [&](unsigned inner) {
    MatrixTile tile{{type.getDimSize(0), type.getDimSize(1)}, inner, bytesOf(operand)};
    return tile.isOperand(summed, row.k);
  };
  auto [load, swapped] = findLoad(operand);
  // An operand that is not loaded can be stored in any order.
  if (!load)
    return canLie(summed) ? Way::AsItLies : Way::None;
  unsigned dim = access(load).order.front(), inner = swapped ? 1 - dim : dim;
  if (inner == summed || row.takesAnyOrder)
    return canLie(inner) && canLie(summed) ? Way::AsItLies : Way::None;
  return canTranspose(load) && canLie(summed) ? Way::Copies : Way::Registers;
}

/// Bytes of a register.
static constexpr unsigned kWordBytes = 4;

/// Whether threads can read fragments across k: words, or bytes that a matrix load brings.
static bool canReadAcross(unsigned elementBytes, const target::TargetInfo &target) {
  return elementBytes == kWordBytes || (elementBytes == 1 && target.hasLoadMatrix);
}

/// Whether there are as many rows and columns as the instruction needs; `swapped`: of the
/// transposed product.
static bool fillsInstruction(RankedTensorType result, const WarpGroupInstruction &row,
                             bool swapped) {
  return result.getDimSize(swapped ? 1 : 0) >= row.m &&
         result.getDimSize(swapped ? 0 : 1) >= row.leastColumns();
}

/// The row for a product that otherwise takes `instruction`, with k of at least a step; `swapped`:
/// for the transposed product, whose operands have each other's types. Null: none.
static const WarpGroupInstruction *findRow(const target::TargetInfo &target,
                                           const target::MatrixInstruction &instruction, int64_t k,
                                           bool swapped = false) {
  const WarpGroupInstruction *found = nullptr;
  for (const WarpGroupInstruction &row : target.warpGroupInstructions)
    if (row.a == (swapped ? instruction.b : instruction.a) &&
        row.b == (swapped ? instruction.a : instruction.b) && row.acc == instruction.acc &&
        k >= row.k)
      found = &row;
  return found;
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

/// How many registers of a thread an operand may take that it reads in turns: those of the turn
/// whose products run, and those of the next.
static constexpr unsigned kMostInTurns = 32;
/// With the accumulators; what remains of 255 is for addresses and masks.
static constexpr unsigned kMostWithSums = 200;

/// Layouts of the result and of a first operand in registers; `inTurns`: the operand that threads
/// read from its tile, if any.
static void tileGroups(tile::DotOp op, const Options &options, const WarpGroupInstruction &row,
                       std::optional<unsigned> inTurns, DotPlan &plan) {
  plan.swapped = inTurns == 1u;
  SmallVector<unsigned, 4> bits = shapeBits(cast<RankedTensorType>(op.getType()).getShape());
  if (plan.swapped) // rows and columns are those of the instruction
    std::swap(bits[0], bits[1]);
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
    if (plan.swapped)
      layout = transposeDims(layout, {1, 0});
    return normalize(layout, llvm::Log2_32(options.target->warpSize), warpBits);
  };
  unsigned moreRows = bits[0] - rowBits - rowGroups;
  plan.warpGroup = WarpGroupPlan{&row, 1u << columnBits};
  plan.d =
      finish(row.resultLayout(1u << columnBits) * spread(rowGroups, 0) * spread(columnGroups, 1) *
             repeat(bits[1] - columnGroups - columnBits, 1) * repeat(moreRows, 0));
  LinearLayout first = row.operandLayout() * spread(rowGroups, 0) *
                       LinearLayout::zeros1D(columnGroups, kWarp, dimName(0));
  first = finish(first * repeat(innerBits - llvm::Log2_32(row.k), 1) * repeat(moreRows, 0));
  plan.a = plan.swapped ? LinearLayout() : first;
  plan.b = plan.swapped ? first : LinearLayout();
}

/// Of fragments in `registers`, in words of 32 bits.
static unsigned wordsOf(const LinearLayout &registers, unsigned elementBytes) {
  return (1u << registers.inBits(kRegister)) * elementBytes / kWordBytes;
}

/// The order of rows and the turns of an operand that threads read from its tile. Returns how one
/// thread reads all of its elements.
static SharedAccess takeTurns(tile::DotOp op, const Options &options, DotPlan &plan) {
  Value operand = op->getOperand(plan.registerOperand());
  auto type = cast<RankedTensorType>(operand.getType());
  unsigned bytes = bytesOf(operand), rows = plan.swapped ? 1 : 0;
  LinearLayout &fragments = plan.swapped ? plan.b : plan.a;
  LinearLayout memory = swizzledTile(type.getShape(), /*inner=*/rows, bytes);
  const SharedMemoryModel &model = options.target->sharedModel;
  RowOrder order = bytes == 1 ? byteRowOrder(fragments, rows, memory, model)
                              : chooseRowOrder(fragments, rows, memory, bytes, model);
  fragments = reorderRows(fragments, rows, order.places);
  plan.d = reorderRows(plan.d, rows, order.places);
  unsigned steps = unsigned(type.getDimSize(1 - rows)) / plan.warpGroup->instruction->k;
  unsigned &turns = plan.warpGroup->turns;
  turns = std::min(2u, steps);
  while (turns < steps && wordsOf(fragments, bytes) * 2 / turns > kMostInTurns)
    turns *= 2;
  return std::move(order.read);
}

/// How threads read the tiles of the other operand to transpose them: as fragments of a first
/// operand, whose rows are here neighbours in memory.
static void transposeOther(tile::DotOp op, const Options &options, DotPlan &plan) {
  const WarpGroupInstruction &row = *plan.warpGroup->instruction;
  const unsigned operand = 1 - plan.registerOperand(), rows = operand;
  Value value = op->getOperand(operand);
  SmallVector<unsigned, 4> bits = shapeBits(cast<RankedTensorType>(value.getType()).getShape());
  const unsigned warpBits = llvm::Log2_32(options.numWarps);
  unsigned moreRows = bits[rows] - llvm::Log2_32(row.m),
           moreSteps = bits[1 - rows] - llvm::Log2_32(row.k);
  LinearLayout fragments = row.operandLayout();
  for (auto [more, dim] : {std::pair(&moreRows, 0u), std::pair(&moreSteps, 1u)}) {
    const unsigned groups = std::min(warpBits - fragments.inBits(kWarp), *more);
    fragments = fragments * LinearLayout::identity1D(groups, kWarp, dimName(dim));
    *more -= groups;
  }
  fragments = fragments * LinearLayout::identity1D(moreSteps, kRegister, dimName(1)) *
              LinearLayout::identity1D(moreRows, kRegister, dimName(0));
  if (fragments.inBits(kWarp) < warpBits) // warps that repeat others' work
    fragments = fragments.resizeIn(kWarp, warpBits);
  if (rows == 1)
    fragments = transposeDims(fragments, {1, 0});
  LinearLayout &layout = operand == 0 ? plan.a : plan.b;
  layout = normalize(fragments, llvm::Log2_32(options.target->warpSize), warpBits);
  LinearLayout memory = swizzledTile(cast<RankedTensorType>(value.getType()).getShape(), rows, 1);
  RowOrder order = byteRowOrder(layout, rows, memory, options.target->sharedModel);
  layout = reorderRows(layout, rows, order.places);
  emitRemark(op, RemarkName::OperandAcrossK,
             Twine("threads transpose the tiles of the ") + (operand == 0 ? "first" : "second") +
                 " operand, which lies across k, too, in shared memory",
             /*isMissed=*/false);
}

/// What became of an operand across k, as a remark about the product.
static void explainTurns(tile::DotOp op, const DotPlan &plan, const SharedAccess &read,
                         unsigned elementBytes) {
  emitRemark(op, RemarkName::OperandAcrossK,
             Twine("threads read the ") + (plan.swapped ? "second" : "first") +
                 " operand, which lies across k, from its tile into registers, in " +
                 Twine(plan.warpGroup->turns) + " rounds along k, by " + Twine(read.instructions) +
                 " accesses of " + Twine(read.vectorElements * elementBytes) + " bytes with " +
                 Twine(read.conflicts) + " bank conflicts each" +
                 (plan.swapped ? "; the instructions compute the transposed product" : ""),
             /*isMissed=*/false);
}

static void explainCopies(tile::DotOp op, std::array<Way, 2> ways, const Twine &why) {
  bool first = ways[0] != Way::AsItLies, second = ways[1] != Way::AsItLies;
  emitRemark(op, RemarkName::OperandAcrossK,
             Twine(first && second ? "both operands lie"
                   : first         ? "the first operand lies"
                                   : "the second operand lies") +
                 " across k and " + (first && second ? "are" : "is") +
                 " transposed on the way to shared memory, by copies of one element: " + why);
}

/// Whether threads can transpose the operand's tiles in shared memory.
static bool canTransposeTiles(tile::DotOp op, const Options &options,
                              const WarpGroupInstruction &row, unsigned operand) {
  Value value = op->getOperand(operand);
  auto type = cast<RankedTensorType>(value.getType());
  MatrixTile tile{{type.getDimSize(0), type.getDimSize(1)}, 1 - operand, bytesOf(value)};
  return bytesOf(value) == 1 && canReadAcross(1, *options.target) &&
         tile.isOperand(1 - operand, row.k) && type.getDimSize(operand) >= row.m;
}

/// The operand that threads should read from its tile: the larger one if there is a choice.
static std::optional<unsigned> findInTurns(tile::DotOp op, const Options &options,
                                           const WarpGroupInstruction &row,
                                           std::array<Way, 2> ways) {
  auto type = cast<RankedTensorType>(op.getType());
  auto canBe = [&](unsigned operand) {
    Way other = ways[1 - operand];
    return (ways[operand] == Way::Copies || ways[operand] == Way::Registers) &&
           (other == Way::AsItLies || other == Way::Copies ||
            (other == Way::Registers && canTransposeTiles(op, options, row, 1 - operand))) &&
           canReadAcross(bytesOf(op->getOperand(operand)), *options.target) &&
           fillsInstruction(type, row, /*swapped=*/operand == 1);
  };
  if (options.acrossK == AcrossK::Copies)
    return std::nullopt;
  bool first = canBe(0), second = canBe(1);
  if (first && second)
    return type.getDimSize(0) >= type.getDimSize(1) ? 0 : 1;
  return first ? std::optional(0u) : second ? std::optional(1u) : std::nullopt;
}

void distribute::useWarpGroups(tile::DotOp op, const Options &options, AccessFunction access,
                               DotPlan &plan) {
  auto type = cast<RankedTensorType>(op.getType());
  if (!plan.instruction || plan.parts != 1 || type.getRank() != 2)
    return;
  auto aShape = cast<RankedTensorType>(op.getA().getType()).getShape();
  const WarpGroupInstruction *row = findRow(*options.target, *plan.instruction, aShape[1]);
  if (!row || options.numWarps < row->warps)
    return;
  // Not where the sum would be less precise than asked for, or would be rounded into the result.
  if ((row->isImprecise && int64_t(op.getMaxImprecise()) < aShape[1]) ||
      (type.getElementType().isF16() && row->acc == MatrixElement::F32))
    return;
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isInteger(32))
    return;
  // Operands are read as they lie in memory: they must have the instruction's own type.
  if (bytesOf(op.getA()) != target::bytesOf(row->a) ||
      bytesOf(op.getB()) != target::bytesOf(row->b))
    return;
  // Beside the operands there is what conversions need.
  auto sizeOf = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements() * int64_t(bytesOf(value));
  };
  if (sizeOf(op.getA()) + sizeOf(op.getB()) > options.target->budget().forWarpGroupOperands())
    return;

  std::array<Way, 2> ways{wayOf(op.getA(), 1, *row, access), wayOf(op.getB(), 0, *row, access)};
  auto canBeRead = [](Way way) { return way == Way::AsItLies || way == Way::Copies; };
  bool canAll = llvm::all_of(ways, canBeRead) && fillsInstruction(type, *row, /*swapped=*/false);
  std::optional<unsigned> inTurns = findInTurns(op, options, *row, ways);
  const WarpGroupInstruction *turned =
      inTurns ? findRow(*options.target, *plan.instruction, aShape[1], *inTurns == 1) : nullptr;
  if (turned) {
    DotPlan turning = plan;
    tileGroups(op, options, *turned, inTurns, turning);
    SharedAccess read = takeTurns(op, options, turning);
    unsigned sums = 1u << turning.d.inBits(kRegister), turns = turning.warpGroup->turns,
             words = wordsOf(turning.registers(), target::bytesOf(row->a)) / turns *
                     std::min(turns, 2u);
    // Without it, a product with both operands across k is by instructions of one warp.
    const bool needsTurns = !canAll && ways[1 - *inTurns] != Way::Registers;
    if (needsTurns || sums + words <= kMostWithSums || options.acrossK == AcrossK::Registers) {
      plan = std::move(turning);
      explainTurns(op, plan, read, bytesOf(op->getOperand(*inTurns)));
      if (ways[1 - *inTurns] == Way::Registers)
        transposeOther(op, options, plan);
      return;
    }
    if (canAll)
      explainCopies(op, ways,
                    Twine(sums) + " registers of sums and " + Twine(words) +
                        " of the operand are too many for a thread");
  } else if (canAll && llvm::is_contained(ways, Way::Copies)) {
    explainCopies(op, ways,
                  options.acrossK == AcrossK::Copies
                      ? "operands-across-k=copies asks for it"
                      : "the product has fewer rows or columns than instructions that take it from "
                        "registers need");
  }
  if (canAll)
    tileGroups(op, options, *row, std::nullopt, plan);
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
    bool inTurns = plan.warpGroup->turns && operand == op->getOperand(plan.registerOperand());
    if (accessPlan.order.front() == inner || inTurns || plan.transposesTiles())
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
