// How a product is spread over threads: the way its operands enter the hardware, which matrix
// instruction, and the layouts that follow.
#include "ir/distribute/Layouts.h"
#include "ir/distribute/Plans.h"
#include "ir/layout/TensorLayout.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using target::MatrixElement;
using target::MatrixInstruction;

namespace {
/// The sizes of a product in bits.
struct Sizes {
  unsigned batch = 0, rows, columns, inner;
};

/// A way to bring operands into a matrix instruction.
struct Entry {
  MatrixElement a, b;
  unsigned parts = 1;
  bool isScaled = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which instruction
//===----------------------------------------------------------------------===//

/// How an operand of this type enters a matrix instruction as it is.
static std::optional<MatrixElement> nativeElement(Type type) {
  if (type.isF16())
    return MatrixElement::F16;
  if (type.isBF16())
    return MatrixElement::BF16;
  if (type.isF64())
    return MatrixElement::F64;
  if (type.isInteger(8))
    return MatrixElement::I8;
  if (isa<Float8E4M3FNType>(type))
    return MatrixElement::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MatrixElement::E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return MatrixElement::E4B8;
  if (isa<Float8E5M2FNUZType>(type))
    return MatrixElement::E5B16;
  return std::nullopt;
}

/// The ways for operands of these types, best first.
static SmallVector<Entry, 2> entriesFor(Type a, Type b, tile::InputPrecision precision) {
  if (a.isF32()) {
    const Entry float32{MatrixElement::F32, MatrixElement::F32};
    switch (precision) {
    case tile::InputPrecision::IEEE:
      return {float32};
    case tile::InputPrecision::TF32:
      return {{MatrixElement::TF32, MatrixElement::TF32}, float32};
    case tile::InputPrecision::TF32x3:
      return {{MatrixElement::TF32, MatrixElement::TF32, 2}, float32};
    case tile::InputPrecision::BF16x3:
      return {{MatrixElement::BF16, MatrixElement::BF16, 2}};
    case tile::InputPrecision::BF16x6:
      return {{MatrixElement::BF16, MatrixElement::BF16, 3}};
    }
  }
  SmallVector<Entry, 2> entries;
  auto nativeA = nativeElement(a), nativeB = nativeElement(b);
  if (nativeA && nativeB)
    entries.push_back({*nativeA, *nativeB});
  // float16 holds every value of the 8-bit formats.
  if (isa<FloatType>(a) && a.getIntOrFloatBitWidth() == 8)
    entries.push_back({MatrixElement::F16, MatrixElement::F16});
  return entries;
}

/// The ways for this product, best first.
static SmallVector<Entry, 2> entriesFor(tile::DotOp op) {
  SmallVector<Entry, 2> entries =
      entriesFor(getElementTypeOrSelf(op.getA().getType()),
                 getElementTypeOrSelf(op.getB().getType()), op.getPrecision());
  auto a = findScaled(op.getA(), 1), b = findScaled(op.getB(), 0);
  if (a && b)
    entries.insert(entries.begin(), Entry{a->format, b->format, 1, /*isScaled=*/true});
  return entries;
}

/// Accumulators for a product into `type`: of that type, else of a wider one.
static SmallVector<MatrixElement, 2> accumulatorsFor(Type type) {
  if (type.isInteger(32))
    return {MatrixElement::I32};
  if (type.isF64())
    return {MatrixElement::F64};
  if (type.isF16())
    return {MatrixElement::F16, MatrixElement::F32};
  return {MatrixElement::F32};
}

/// Opaque fragments are read from memory as they are: nothing in them may lie beyond the operands,
/// or differ from them.
static bool fitsOpaque(const MatrixInstruction &row, const Entry &entry, const Sizes &sizes,
                       unsigned rank) {
  auto isIn = [](unsigned tile, unsigned bits) { return tile <= uint64_t(1) << bits; };
  // How exactly opaque instructions add up float32 is the target's choice.
  return rank == 2 && entry.parts == 1 && entry.a != MatrixElement::F32 &&
         isIn(row.m, sizes.rows) && isIn(row.n, sizes.columns) && isIn(row.k, sizes.inner);
}

/// The instruction that wastes least on padding; of those the largest.
static const MatrixInstruction *chooseInstruction(const target::TargetInfo &target,
                                                  const Entry &entry, MatrixElement acc,
                                                  const Sizes &sizes, unsigned rank) {
  auto costOf = [&](const MatrixInstruction &row) {
    auto padded = [](unsigned bits, unsigned tile) {
      return std::max(uint64_t(1) << bits, uint64_t(tile));
    };
    uint64_t work =
        padded(sizes.rows, row.m) * padded(sizes.columns, row.n) * padded(sizes.inner, row.k);
    return std::pair(work, -int64_t(row.m * row.n * row.k));
  };
  const MatrixInstruction *best = nullptr;
  for (const MatrixInstruction &row : target.matrixInstructions)
    if (row.a == entry.a && row.b == entry.b && row.acc == acc && row.isScaled == entry.isScaled &&
        (!row.isOpaque || fitsOpaque(row, entry, sizes, rank)) &&
        (!best || costOf(row) < costOf(*best)))
      best = &row;
  return best;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Whether rows of the product should stay inside a warp: it is reduced, or feeds another product.
static bool staysInRows(tile::DotOp op) {
  ForwardSliceOptions sliceOptions;
  Block *block = op->getBlock();
  sliceOptions.filter = [&](Operation *user) { return user->getBlock() == block; };
  SetVector<Operation *> slice;
  getForwardSlice(op.getOperation(), &slice, sliceOptions);
  return llvm::any_of(
      slice, [](Operation *user) { return isa<tile::ReduceOp>(user) || isa<tile::DotOp>(user); });
}

/// Whether to compute the transposed product. It gives a lane neighbouring columns where `row`
/// gives it neighbouring rows, so that results are stored in wide accesses; and it gives a lane a
/// whole row's elements, which are reduced without exchange, and feed another product as its
/// operand.
static bool shouldSwap(const MatrixInstruction &row, const target::TargetInfo &target,
                       bool byRows) {
  if (row.isOpaque || target.hasLoadMatrix || row.m != row.n || row.a != row.b ||
      row.bLayout != transposeDims(row.aLayout, {1, 0}))
    return false;
  return byRows || row.dLayout.getBasis(kRegister, 0, dimName(0)) == 1;
}

namespace {
/// Bits of the warp number along each dimension of the product; columns are lowest, batches
/// highest.
struct Warps {
  unsigned batch = 0, rows = 0, columns = 0;
  unsigned used() const { return batch + rows + columns; }
};

/// Builds layouts of one product's operands and result.
class DotLayouts {
public:
  DotLayouts(const Sizes &sizes, unsigned rank, Warps warps, unsigned laneBits, unsigned warpBits)
      : sizes(sizes), rank(rank), warps(warps), laneBits(laneBits), warpBits(warpBits) {}

  LinearLayout a(const LinearLayout &fragment) const {
    LinearLayout layout = inRank(fragment) * idle(warps.columns) * spread(warps.rows, row());
    return finish(repeat(layout, {{column(), sizes.inner}, {row(), sizes.rows}}));
  }
  LinearLayout b(const LinearLayout &fragment) const {
    LinearLayout layout = inRank(fragment) * spread(warps.columns, column()) * idle(warps.rows);
    return finish(repeat(layout, {{row(), sizes.inner}, {column(), sizes.columns}}));
  }
  LinearLayout d(const LinearLayout &fragment) const {
    LinearLayout layout =
        inRank(fragment) * spread(warps.columns, column()) * spread(warps.rows, row());
    return finish(repeat(layout, {{column(), sizes.columns}, {row(), sizes.rows}}));
  }

private:
  std::string row() const { return dimName(rank - 2); }
  std::string column() const { return dimName(rank - 1); }

  LinearLayout inRank(const LinearLayout &fragment) const {
    if (rank == 2)
      return fragment;
    return fragment.renameOut(dimName(1), dimName(2)).renameOut(dimName(0), dimName(1));
  }
  static LinearLayout spread(unsigned bits, const std::string &name) {
    return LinearLayout::identity1D(bits, kWarp, name);
  }
  LinearLayout idle(unsigned bits) const { return LinearLayout::zeros1D(bits, kWarp, row()); }

  /// Continues in registers along the given dimensions, then along batches; a fragment that is
  /// larger than the tensor repeats its elements.
  LinearLayout repeat(LinearLayout layout,
                      ArrayRef<std::pair<std::string, unsigned>> dimensions) const {
    SmallVector<std::pair<std::string, unsigned>, 3> all(dimensions);
    if (rank == 3) {
      layout = layout * spread(warps.batch, dimName(0));
      all.push_back({dimName(0), sizes.batch});
    }
    for (auto &[name, bits] : all)
      if (bits > layout.outBits(name))
        layout = layout * LinearLayout::identity1D(bits - layout.outBits(name), kRegister, name);
    for (auto &[name, bits] : all)
      if (bits < layout.outBits(name))
        layout = layout.resizeOut(name, bits);
    return layout;
  }
  LinearLayout finish(const LinearLayout &layout) const {
    return normalize(layout, laneBits, warpBits);
  }

  const Sizes &sizes;
  unsigned rank;
  Warps warps;
  unsigned laneBits, warpBits;
};
} // namespace

/// Whether the second operand takes more reads than the first: it alone is transposed as it is
/// read, eight bytes of a lane at a time.
static bool readsColumnsInPieces(tile::DotOp op, const Options &options, AccessFunction access) {
  constexpr unsigned kMostBytes = 2; // Of an element that a read transposes.
  if (!options.target->hasTransposedRead || !access ||
      tile::getElementBytes(getElementTypeOrSelf(op.getB().getType())) > kMostBytes)
    return false;
  if (cast<RankedTensorType>(op.getType()).getRank() != 2)
    return false;
  auto [a, swappedA] = findLoad(op.getA());
  auto [b, swappedB] = findLoad(op.getB());
  const unsigned alongA = swappedA ? 0 : 1, alongB = swappedB ? 1 : 0;
  return a && b && access(a).order.front() == alongA && access(b).order.front() != alongB;
}

/// Warps over batches first, then so that a warp's part of the product is as square as it can be;
/// where it cannot, it has more columns than rows, or with `fewColumns` more rows than columns.
static Warps distributeWarps(const Sizes &sizes, unsigned warpBits, unsigned tileRows,
                             unsigned tileColumns, bool byRows, bool fewColumns = false) {
  Warps warps;
  warps.batch = std::min(warpBits, sizes.batch);
  while (warps.used() < warpBits) {
    bool rowsFit = tileRows + warps.rows < sizes.rows;
    bool columnsFit = tileColumns + warps.columns < sizes.columns;
    bool tall = sizes.rows - warps.rows >= sizes.columns - warps.columns + fewColumns;
    if (rowsFit && (byRows || !columnsFit || tall))
      ++warps.rows;
    else if (columnsFit)
      ++warps.columns;
    else
      break; // the other warps repeat these ones' work
  }
  return warps;
}

/// The result of multiply-adds: up to 4×4 neighbours in a thread, then lanes, then warps, then more
/// registers. Each operand element that a thread reads is used as often as it has rows or columns.
static LinearLayout blockedResult(const Sizes &sizes, ArrayRef<int64_t> shape, unsigned laneBits,
                                  unsigned warpBits, bool byRows) {
  unsigned total = sizes.batch + sizes.rows + sizes.columns, threadBits = laneBits + warpBits;
  unsigned perThread = total > threadBits ? total - threadBits : 0;
  unsigned columns = std::min({2u, sizes.columns, (perThread + 1) / 2});
  unsigned rows = std::min({2u, sizes.rows, perThread - columns});
  unsigned roomRows = sizes.rows - rows, roomColumns = sizes.columns - columns;
  unsigned laneColumns = std::min((laneBits + 1) / 2, roomColumns);
  unsigned laneRows = std::min(laneBits - laneColumns, roomRows);
  laneColumns = std::min(laneBits - laneRows, roomColumns);
  Warps warps = distributeWarps(sizes, warpBits, rows + laneRows, columns + laneColumns, byRows);
  // Lanes that neither rows nor columns can use take batches.
  unsigned laneBatch = std::min(laneBits - laneRows - laneColumns, sizes.batch - warps.batch);
  BlockedTile tile;
  if (shape.size() == 3) {
    tile.elementsPerThread.push_back(1);
    tile.threadsPerWarp.push_back(1u << laneBatch);
    tile.warps.push_back(1u << warps.batch);
  }
  tile.elementsPerThread.append({1u << rows, 1u << columns});
  tile.threadsPerWarp.append({1u << laneRows, 1u << laneColumns});
  tile.warps.append({1u << warps.rows, 1u << warps.columns});
  for (unsigned i = shape.size(); i-- > 0;)
    tile.order.push_back(i);
  // Shapes were checked, so that this cannot fail.
  return canonicalize(llvm::cantFail(blockedLayout(shape, tile)), laneBits, warpBits);
}

DotPlan distribute::planDot(tile::DotOp op, const Options &options, AccessFunction access) {
  auto type = cast<RankedTensorType>(op.getType());
  auto aType = cast<RankedTensorType>(op.getA().getType());
  unsigned rank = type.getRank();
  SmallVector<unsigned, 4> bits = shapeBits(type.getShape());
  Sizes sizes{rank == 3 ? bits[0] : 0, bits[rank - 2], bits[rank - 1],
              llvm::Log2_64(aType.getShape().back())};
  unsigned laneBits = llvm::Log2_32(options.target->warpSize);
  unsigned warpBits = llvm::Log2_32(options.numWarps);
  bool byRows = staysInRows(op);

  DotPlan plan;
  for (const Entry &entry : entriesFor(op))
    for (MatrixElement acc : accumulatorsFor(type.getElementType())) {
      if (plan.instruction)
        continue;
      plan.instruction = chooseInstruction(*options.target, entry, acc, sizes, rank);
      plan.parts = plan.instruction ? entry.parts : 1;
    }
  if (!plan.instruction) {
    plan.d = blockedResult(sizes, type.getShape(), laneBits, warpBits, byRows);
    return plan;
  }
  const MatrixInstruction &row = *plan.instruction;
  auto beyond = [](unsigned bits, unsigned tile) {
    unsigned tileBits = llvm::Log2_32(tile);
    return bits > tileBits ? bits - tileBits : 0;
  };
  Warps warps = distributeWarps(sizes, warpBits, llvm::Log2_32(row.m), llvm::Log2_32(row.n), byRows,
                                readsColumnsInPieces(op, options, access));
  plan.stepBits = beyond(sizes.inner, row.k);
  plan.rowBits = beyond(sizes.rows - warps.rows, row.m);
  plan.columnBits = beyond(sizes.columns - warps.columns, row.n);
  plan.batchBits = sizes.batch - warps.batch;
  DotLayouts layouts(sizes, rank, warps, laneBits, warpBits);
  plan.swapped = shouldSwap(row, *options.target, byRows);
  if (!row.isOpaque) {
    plan.a = layouts.a(row.aLayout);
    plan.b = layouts.b(row.bLayout);
    orderInner(op, options, plan);
  }
  plan.d = layouts.d(plan.swapped ? transposeDims(row.dLayout, {1, 0}) : row.dLayout);
  return plan;
}

std::string distribute::explainNoInstruction(tile::DotOp op, const Options &options) {
  const target::TargetInfo &target = *options.target;
  Type a = getElementTypeOrSelf(op.getA().getType()), b = getElementTypeOrSelf(op.getB().getType());
  auto type = cast<RankedTensorType>(op.getType());
  std::string text;
  llvm::raw_string_ostream os(text);
  if (target.matrixInstructions.empty()) {
    os << target.name << " has no matrix instructions";
    return text;
  }
  if (a.isF32() && op.getPrecision() == tile::InputPrecision::IEEE) {
    os << "input_precision='ieee' asks for float32 products, and matrix instructions round their "
          "operands";
    return text;
  }
  auto matches = [&](const MatrixInstruction &row) {
    return llvm::any_of(entriesFor(op), [&](const Entry &entry) {
      return row.a == entry.a && row.b == entry.b &&
             llvm::is_contained(accumulatorsFor(type.getElementType()), row.acc);
    });
  };
  if (llvm::none_of(target.matrixInstructions, matches)) {
    os << "no matrix instruction of " << target.name << " takes operands of " << a << " and " << b
       << " and sums of " << type.getElementType();
    return text;
  }
  // Only opaque instructions want tiles that they fill.
  auto inner = cast<RankedTensorType>(op.getA().getType()).getShape().back();
  os << "its tiles, ";
  llvm::interleave(type.getShape(), os, "x");
  os << " with " << inner << " along k, do not fill a matrix instruction of " << target.name;
  return text;
}
