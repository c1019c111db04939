// Matrix fragments as bases.
#include "ir/layout/Fragments.h"
#include "ir/layout/TensorLayout.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun::layout;

llvm::ArrayRef<FragmentInfo> tilerun::layout::allFragments() {
  static constexpr FragmentInfo infos[] = {
#define FRAGMENT(kind, name, lanes, description) {FragmentKind::kind, name, lanes, description},
#include "ir/layout/Fragments.def"
  };
  return infos;
}

namespace {

using Bases = llvm::SmallVector<llvm::SmallVector<uint64_t, 4>, 8>;

LinearLayout matrix(uint64_t rows, uint64_t columns, Bases registers, Bases lanes) {
  const Dim outs[] = {Dim(dimName(0), static_cast<unsigned>(std::countr_zero(rows))),
                      Dim(dimName(1), static_cast<unsigned>(std::countr_zero(columns)))};
  return llvm::cantFail(LinearLayout::create(
      {{kRegister.str(), std::move(registers)}, {kLane.str(), std::move(lanes)}}, outs));
}

/// The A operand of mma.sync with 8 or 16 rows. A lane's 32-bit words hold k-consecutive elements,
/// so narrower elements put more registers below the same pattern of words; f64 is laid out as
/// 32-bit elements are. A lane has `groups` such words (of f64: elements) along k.
LinearLayout mmaA(uint64_t rows, unsigned elementBits, uint64_t groups) {
  uint64_t perWord = std::max(1u, 32 / elementBits);
  Bases registers;
  for (uint64_t k = 1; k < perWord; k *= 2)
    registers.push_back({0, k});
  if (rows == 16)
    registers.push_back({8, 0});
  for (uint64_t group = 1; group < groups; group *= 2)
    registers.push_back({0, 4 * perWord * group});
  return matrix(rows, 4 * perWord * groups, registers,
                {{0, perWord}, {0, 2 * perWord}, {1, 0}, {2, 0}, {4, 0}});
}

/// The same fragment for the transposed matrix.
LinearLayout transposed(const LinearLayout &fragment) { return transposeDims(fragment, {1, 0}); }

/// The B operand: as A with 8 rows, of the transposed matrix.
LinearLayout mmaB(unsigned elementBits, uint64_t groups) {
  return transposed(mmaA(8, elementBits, groups));
}

/// The A operand of mfma with one block of `rows` (16 or 32) by `k`: a lane holds its share of k,
/// k * rows / 64 neighbours, of one row.
LinearLayout mfmaA(uint64_t rows, uint64_t k) {
  uint64_t perLane = k * rows / 64;
  Bases registers, lanes;
  for (uint64_t step = 1; step < perLane; step *= 2)
    registers.push_back({0, step});
  for (uint64_t row = 1; row < rows; row *= 2)
    lanes.push_back({row, 0});
  for (uint64_t step = perLane; step < k; step *= 2)
    lanes.push_back({0, step});
  return matrix(rows, k, registers, lanes);
}

/// A or B of mfma. Precondition: the kind is one of these.
LinearLayout mfmaOperand(FragmentKind kind) {
  struct Shape {
    FragmentKind a, b;
    uint64_t rows, k;
  };
  static constexpr Shape shapes[] = {
      {FragmentKind::Mfma32x32x2A, FragmentKind::Mfma32x32x2B, 32, 2},
      {FragmentKind::Mfma32x32x4A, FragmentKind::Mfma32x32x4B, 32, 4},
      {FragmentKind::Mfma32x32x8A, FragmentKind::Mfma32x32x8B, 32, 8},
      {FragmentKind::Mfma32x32x16A, FragmentKind::Mfma32x32x16B, 32, 16},
      {FragmentKind::Mfma32x32x32A, FragmentKind::Mfma32x32x32B, 32, 32},
      {FragmentKind::Mfma16x16x4A, FragmentKind::Mfma16x16x4B, 16, 4},
      {FragmentKind::Mfma16x16x8A, FragmentKind::Mfma16x16x8B, 16, 8},
      {FragmentKind::Mfma16x16x16A, FragmentKind::Mfma16x16x16B, 16, 16},
      {FragmentKind::Mfma16x16x32A, FragmentKind::Mfma16x16x32B, 16, 32},
      {FragmentKind::Mfma16x16x64A, FragmentKind::Mfma16x16x64B, 16, 64},
      {FragmentKind::Mfma32x32x64A4, FragmentKind::Mfma32x32x64B4, 32, 64},
      {FragmentKind::Mfma16x16x128A4, FragmentKind::Mfma16x16x128B4, 16, 128},
  };
  const auto *shape =
      llvm::find_if(shapes, [&](const Shape &shape) { return kind == shape.a || kind == shape.b; });
  assert(shape != std::end(shapes) && "an operand of mfma");
  LinearLayout a = mfmaA(shape->rows, shape->k);
  return kind == shape->a ? a : transposed(a);
}

/// A or B of the mfma whose lanes hold two parts of k, half of it apart. Precondition: the kind is
/// one of these.
LinearLayout mfmaOperandInHalves(FragmentKind kind) {
  bool isWide = kind == FragmentKind::Mfma32x32x64A8 || kind == FragmentKind::Mfma32x32x64B8;
  LinearLayout a = isWide ? matrix(32, 64, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 32}},
                                   {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 16}})
                          : matrix(16, 128, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 64}},
                                   {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 16}, {0, 32}});
  bool isA = kind == FragmentKind::Mfma32x32x64A8 || kind == FragmentKind::Mfma16x16x128A8;
  return isA ? a : transposed(a);
}

} // namespace

static LinearLayout wmmaFragment(FragmentKind kind) {
  switch (kind) {
  case FragmentKind::WmmaGfx11A:
    return matrix(16, 16, {{0, 1}, {0, 2}, {0, 4}, {0, 8}},
                  {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}});
  case FragmentKind::WmmaGfx11B:
    return transposed(wmmaFragment(FragmentKind::WmmaGfx11A));
  case FragmentKind::WmmaGfx11D:
    return matrix(16, 16, {{2, 0}, {4, 0}, {8, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}});
  case FragmentKind::WmmaGfx12D:
    return matrix(16, 16, {{1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}});
  case FragmentKind::WmmaGfx12A16:
    return matrix(16, 16, {{0, 1}, {0, 2}, {0, 8}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 4}});
  case FragmentKind::WmmaGfx12B16:
    return transposed(wmmaFragment(FragmentKind::WmmaGfx12A16));
  case FragmentKind::WmmaGfx12A8:
    return matrix(16, 16, {{0, 1}, {0, 2}, {0, 4}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}});
  case FragmentKind::WmmaGfx12B8:
    return transposed(wmmaFragment(FragmentKind::WmmaGfx12A8));
  default:
    return {};
  }
}

LinearLayout tilerun::layout::fragmentLayout(FragmentKind kind) {
  switch (kind) {
  case FragmentKind::MmaD:
    return matrix(16, 8, {{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}});
  case FragmentKind::MmaA8:
    return mmaA(16, 8, 2);
  case FragmentKind::MmaA16:
    return mmaA(16, 16, 2);
  case FragmentKind::MmaA32:
    return mmaA(16, 32, 2);
  case FragmentKind::MmaB8:
    return mmaB(8, 2);
  case FragmentKind::MmaB16:
    return mmaB(16, 2);
  case FragmentKind::MmaB32:
    return mmaB(32, 2);
  case FragmentKind::MmaA8K16:
    return mmaA(16, 8, 1);
  case FragmentKind::MmaB8K16:
    return mmaB(8, 1);
  case FragmentKind::MmaA16K8:
    return mmaA(16, 16, 1);
  case FragmentKind::MmaB16K8:
    return mmaB(16, 1);
  case FragmentKind::MmaA64K4:
    return mmaA(16, 64, 1);
  case FragmentKind::MmaB64K4:
    return mmaB(64, 1);
  case FragmentKind::MmaA64K8:
    return mmaA(16, 64, 2);
  case FragmentKind::MmaB64K8:
    return mmaB(64, 2);
  case FragmentKind::MmaA64K16:
    return mmaA(16, 64, 4);
  case FragmentKind::MmaB64K16:
    return mmaB(64, 4);
  case FragmentKind::Mma8D:
    return matrix(8, 8, {{0, 1}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}});
  case FragmentKind::Mma8A64:
    return mmaA(8, 64, 1);
  case FragmentKind::Mma8B64:
    return mmaB(64, 1);
  case FragmentKind::Mma8A8:
    return mmaA(8, 8, 1);
  case FragmentKind::Mma8B8:
    return mmaB(8, 1);
  case FragmentKind::Mfma32D:
    return matrix(32, 32, {{1, 0}, {2, 0}, {8, 0}, {16, 0}},
                  {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}});
  case FragmentKind::Mfma16D:
    return matrix(16, 16, {{1, 0}, {2, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}});
  case FragmentKind::Mfma16D64:
    return matrix(16, 16, {{4, 0}, {8, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}});
  case FragmentKind::Mfma32x32x2A:
  case FragmentKind::Mfma32x32x2B:
  case FragmentKind::Mfma32x32x4A:
  case FragmentKind::Mfma32x32x4B:
  case FragmentKind::Mfma32x32x8A:
  case FragmentKind::Mfma32x32x8B:
  case FragmentKind::Mfma32x32x16A:
  case FragmentKind::Mfma32x32x16B:
  case FragmentKind::Mfma32x32x32A:
  case FragmentKind::Mfma32x32x32B:
  case FragmentKind::Mfma16x16x4A:
  case FragmentKind::Mfma16x16x4B:
  case FragmentKind::Mfma16x16x8A:
  case FragmentKind::Mfma16x16x8B:
  case FragmentKind::Mfma16x16x16A:
  case FragmentKind::Mfma16x16x16B:
  case FragmentKind::Mfma16x16x32A:
  case FragmentKind::Mfma16x16x32B:
  case FragmentKind::Mfma16x16x64A:
  case FragmentKind::Mfma16x16x64B:
  case FragmentKind::Mfma32x32x64A4:
  case FragmentKind::Mfma32x32x64B4:
  case FragmentKind::Mfma16x16x128A4:
  case FragmentKind::Mfma16x16x128B4:
    return mfmaOperand(kind);
  case FragmentKind::Mfma32x32x64A8:
  case FragmentKind::Mfma32x32x64B8:
  case FragmentKind::Mfma16x16x128A8:
  case FragmentKind::Mfma16x16x128B8:
    return mfmaOperandInHalves(kind);
  case FragmentKind::WmmaGfx11A:
  case FragmentKind::WmmaGfx11B:
  case FragmentKind::WmmaGfx11D:
  case FragmentKind::WmmaGfx12D:
  case FragmentKind::WmmaGfx12A16:
  case FragmentKind::WmmaGfx12B16:
  case FragmentKind::WmmaGfx12A8:
  case FragmentKind::WmmaGfx12B8:
    return wmmaFragment(kind);
  }
  return {};
}

LinearLayout tilerun::layout::rowMajorFragment(unsigned rows, unsigned columns, unsigned run,
                                               unsigned lanes) {
  unsigned columnBits = std::countr_zero(columns), total = columnBits + std::countr_zero(rows);
  unsigned runBits = std::countr_zero(run), laneBits = std::countr_zero(lanes);
  assert(runBits + laneBits <= total && "every lane holds a run");
  Bases registers, inLanes;
  for (unsigned bit = 0; bit < total; ++bit) {
    bool isLane = bit >= runBits && bit < runBits + laneBits;
    bool isColumn = bit < columnBits;
    uint64_t step = uint64_t(1) << (isColumn ? bit : bit - columnBits);
    (isLane ? inLanes : registers).push_back({isColumn ? 0 : step, isColumn ? step : 0});
  }
  return matrix(rows, columns, registers, inLanes);
}

LinearLayout tilerun::layout::tileFragment(const LinearLayout &fragment, unsigned rowBits,
                                           unsigned columnBits, unsigned warpRowBits,
                                           unsigned warpColumnBits) {
  LinearLayout tile = fragment * LinearLayout::identity1D(warpColumnBits, kWarp, dimName(1)) *
                      LinearLayout::identity1D(warpRowBits, kWarp, dimName(0));
  return dropRedundantRegisters(fitToShape(tile, {rowBits, columnBits}, {1, 0}));
}
