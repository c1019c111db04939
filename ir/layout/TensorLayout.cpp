// Layouts of tensors over threads, and what shape operations do to them.
#include "ir/layout/TensorLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilerun::layout;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static unsigned logOf(uint64_t powerOfTwo) {
  return static_cast<unsigned>(std::countr_zero(powerOfTwo));
}

llvm::Expected<DimList> tilerun::layout::tensorDims(ArrayRef<int64_t> shape) {
  DimList dims;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size <= 0 || !std::has_single_bit(static_cast<uint64_t>(size)))
      return makeError("dimension " + Twine(i) + " has size " + Twine(size) +
                       ", which is not a power of two");
    dims.emplace_back(dimName(i), logOf(size));
  }
  // One bit less than a layout's limit, so that one dimension (registers, say) can hold it all.
  if (LinearLayout::totalBits(dims) >= kMaxBits)
    return makeError("the tensor has more than 2^63 elements");
  return dims;
}

static llvm::Error checkOrder(ArrayRef<unsigned> order, size_t rank) {
  llvm::SmallVector<unsigned> sorted(order);
  llvm::sort(sorted);
  for (size_t i = 0; i < rank; ++i)
    if (sorted.size() != rank || sorted[i] != i)
      return makeError("the order is not a permutation of " + Twine(rank) + " dimensions");
  return llvm::Error::success();
}

static DimList zeroDims(size_t rank) {
  DimList dims;
  for (size_t i = 0; i < rank; ++i)
    dims.emplace_back(dimName(i), 0);
  return dims;
}

llvm::Expected<LinearLayout> tilerun::layout::blockedLayout(ArrayRef<int64_t> shape,
                                                            const BlockedTile &tile) {
  llvm::Expected<DimList> dims = tensorDims(shape);
  if (!dims)
    return dims.takeError();
  if (llvm::Error error = checkOrder(tile.order, shape.size()))
    return error;
  LinearLayout layout({}, zeroDims(shape.size()), {});
  struct Level {
    StringRef in, what;
    ArrayRef<unsigned> counts;
  };
  const Level levels[] = {{kRegister, "elements per thread", tile.elementsPerThread},
                          {kLane, "threads per warp", tile.threadsPerWarp},
                          {kWarp, "warps", tile.warps}};
  unsigned bits = 0;
  for (const Level &level : levels) {
    layout = layout.resizeIn(level.in, 0);
    if (level.counts.size() != shape.size())
      return makeError(level.what + " has " + Twine(level.counts.size()) + " entries for " +
                       Twine(shape.size()) + " dimensions");
    for (unsigned d : tile.order) {
      if (!std::has_single_bit(level.counts[d]))
        return makeError(level.what + " of dimension " + Twine(d) + " is " +
                         Twine(level.counts[d]) + ", which is not a power of two");
      unsigned count = logOf(level.counts[d]);
      bits += count;
      if (bits > kMaxBits / 2)
        return makeError("the tile has more than 2^32 elements");
      layout = layout * LinearLayout::identity1D(count, level.in, dimName(d));
    }
  }
  // Cutting to the shape leaves registers that hold nothing new; they are not wanted here.
  llvm::SmallVector<unsigned, 4> shapeBits;
  for (const Dim &dim : *dims)
    shapeBits.push_back(dim.bits);
  if (LinearLayout::totalBits(*dims) + bits > kMaxBits)
    return makeError("the layout has more than 2^64 positions");
  return dropRedundantRegisters(fitToShape(layout, shapeBits, tile.order));
}

llvm::Expected<LinearLayout> tilerun::layout::coalescedLayout(ArrayRef<int64_t> shape,
                                                              unsigned elementsPerThread,
                                                              unsigned threadsPerWarp,
                                                              unsigned warps,
                                                              ArrayRef<unsigned> order) {
  llvm::Expected<DimList> dims = tensorDims(shape);
  if (!dims)
    return dims.takeError();
  if (llvm::Error error = checkOrder(order, shape.size()))
    return error;
  for (unsigned count : {elementsPerThread, threadsPerWarp, warps})
    if (!std::has_single_bit(count))
      return makeError(Twine(count) + " is not a power of two");
  BlockedTile tile;
  tile.order.assign(order.begin(), order.end());
  size_t rank = shape.size();
  tile.elementsPerThread.assign(rank, 1);
  tile.threadsPerWarp.assign(rank, 1);
  tile.warps.assign(rank, 1);
  // Fill each dimension, fastest first, with what is left of each level. Lanes and warps that no
  // dimension can take are added back as replication at the end.
  llvm::SmallVector<uint64_t, 4> left;
  for (int64_t size : shape)
    left.push_back(size);
  unsigned allLaneBits = logOf(threadsPerWarp), allWarpBits = logOf(warps);
  auto take = [](unsigned &count, uint64_t &room) {
    uint64_t taken = std::min<uint64_t>(count, room);
    count = static_cast<unsigned>(count / taken);
    room /= taken;
    return static_cast<unsigned>(taken);
  };
  if (rank)
    tile.elementsPerThread[order[0]] = take(elementsPerThread, left[order[0]]);
  for (unsigned d : order)
    tile.threadsPerWarp[d] = take(threadsPerWarp, left[d]);
  for (unsigned d : order)
    tile.warps[d] = take(warps, left[d]);
  llvm::Expected<LinearLayout> layout = blockedLayout(shape, tile);
  if (!layout)
    return layout.takeError();
  if (layout->inBits(kRegister) + allLaneBits + allWarpBits > kMaxBits)
    return makeError("the layout has more than 2^64 positions");
  return layout->resizeIn(kLane, allLaneBits).resizeIn(kWarp, allWarpBits);
}

LinearLayout tilerun::layout::fitToShape(const LinearLayout &layout, ArrayRef<unsigned> shapeBits,
                                         ArrayRef<unsigned> order) {
  assert(shapeBits.size() == layout.getOuts().size() && order.size() == shapeBits.size());
  LinearLayout result = layout.hasIn(kRegister) ? layout : layout.resizeIn(kRegister, 0);
  for (unsigned d : order) {
    std::string name = dimName(d);
    unsigned have = result.outBits(name), want = shapeBits[d];
    if (want < have)
      result = result.resizeOut(name, want);
    else if (want > have)
      result = result * LinearLayout::identity1D(want - have, kRegister, name);
  }
  return result;
}

LinearLayout tilerun::layout::dropRedundantRegisters(const LinearLayout &layout) {
  if (!layout.hasIn(kRegister))
    return layout;
  // Only dependence among the registers counts, whatever comes before them in the input order.
  uint64_t redundant = layout.restrictIns({kRegister}).freeVariableMask(kRegister);
  DimList ins;
  BitVectors bases;
  for (const Dim &in : layout.getIns()) {
    ArrayRef<uint64_t> old = layout.getBases(in.name);
    size_t before = bases.size();
    for (auto [bit, basis] : llvm::enumerate(old))
      if (in.name != kRegister || !((redundant >> bit) & 1))
        bases.push_back(basis);
    ins.emplace_back(in.name, static_cast<unsigned>(bases.size() - before));
  }
  return LinearLayout(ins, DimList(layout.getOuts()), bases);
}

LinearLayout tilerun::layout::sliceDim(const LinearLayout &layout, unsigned axis) {
  assert(axis < layout.getOuts().size() && "no such dimension");
  llvm::SmallVector<StringRef, 4> kept;
  DimList dims;
  for (auto [i, dim] : llvm::enumerate(layout.getOuts()))
    if (i != axis) {
      kept.push_back(dim.name);
      dims.emplace_back(dimName(dims.size()), dim.bits);
    }
  return layout.projectOuts(kept).reshapeOuts(dims);
}

LinearLayout tilerun::layout::expandDim(const LinearLayout &layout, unsigned axis) {
  assert(axis <= layout.getOuts().size() && "no such dimension");
  DimList dims;
  for (unsigned i = 0, rank = layout.getOuts().size(); i <= rank; ++i)
    dims.emplace_back(dimName(i), i == axis ? 0 : layout.getOuts()[i - (i > axis)].bits);
  return layout.reshapeOuts(dims);
}

LinearLayout tilerun::layout::broadcastDim(const LinearLayout &layout, unsigned axis,
                                           unsigned bits) {
  assert(layout.outBits(dimName(axis)) == 0 && "only dimensions of size 1 are broadcast");
  return layout * LinearLayout::identity1D(bits, kRegister, dimName(axis));
}

LinearLayout tilerun::layout::transposeDims(const LinearLayout &layout,
                                            ArrayRef<unsigned> permutation) {
  llvm::SmallVector<StringRef, 4> names;
  DimList dims;
  for (unsigned from : permutation) {
    const Dim &dim = layout.getOuts()[from];
    names.push_back(dim.name);
    dims.emplace_back(dimName(dims.size()), dim.bits);
  }
  return layout.transposeOuts(names).reshapeOuts(dims);
}

llvm::SmallVector<StringRef, 4> tilerun::layout::rowMajorNames(const LinearLayout &layout) {
  llvm::SmallVector<StringRef, 4> names;
  for (const Dim &dim : llvm::reverse(layout.getOuts()))
    names.push_back(dim.name);
  return names;
}

LinearLayout tilerun::layout::reshapeDims(const LinearLayout &layout,
                                          ArrayRef<unsigned> shapeBits) {
  DimList dims;
  for (auto [i, bits] : llvm::enumerate(shapeBits))
    dims.emplace_back(dimName(i), bits);
  LinearLayout flat = layout.transposeOuts(rowMajorNames(layout));
  LinearLayout cut = flat.reshapeOuts(DimList(llvm::reverse(dims)));
  return cut.transposeOuts(rowMajorNames(cut));
}

LinearLayout tilerun::layout::joinLayout(const LinearLayout &layout) {
  std::string last = dimName(layout.getOuts().size());
  LinearLayout joined = LinearLayout::identity1D(1, kRegister, last) * layout;
  // The product lists its own dimensions first: put both sides back in the usual order.
  llvm::SmallVector<StringRef, 4> ins, outs;
  for (const Dim &dim : layout.getIns())
    ins.push_back(dim.name);
  if (!layout.hasIn(kRegister))
    ins.insert(ins.begin(), kRegister);
  for (const Dim &dim : layout.getOuts())
    outs.push_back(dim.name);
  outs.push_back(last);
  return joined.transposeIns(ins).transposeOuts(outs);
}
