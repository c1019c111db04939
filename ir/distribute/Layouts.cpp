// Layouts over the threads of a program, and those of shape operations' operands.
#include "ir/distribute/Layouts.h"
#include "ir/layout/TensorLayout.h"

using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

SmallVector<unsigned, 4> distribute::shapeBits(ArrayRef<int64_t> shape) {
  SmallVector<unsigned, 4> bits;
  for (int64_t size : shape)
    bits.push_back(llvm::Log2_64(size));
  return bits;
}

LinearLayout distribute::normalize(const LinearLayout &layout, unsigned laneBits,
                                   unsigned warpBits) {
  LinearLayout result = layout;
  if (!result.hasIn(kRegister))
    result = result.resizeIn(kRegister, 0);
  if (result.inBits(kLane) != laneBits || !result.hasIn(kLane))
    result = result.resizeIn(kLane, laneBits);
  if (result.inBits(kWarp) != warpBits || !result.hasIn(kWarp))
    result = result.resizeIn(kWarp, warpBits);
  result = result.transposeIns({kRegister, kLane, kWarp});
  SmallVector<std::string, 4> names;
  SmallVector<StringRef, 4> refs;
  for (unsigned i = 0; i < result.getOuts().size(); ++i)
    names.push_back(dimName(i));
  for (const std::string &name : names)
    refs.push_back(name);
  return result.transposeOuts(refs);
}

LinearLayout distribute::canonicalize(const LinearLayout &layout, unsigned laneBits,
                                      unsigned warpBits) {
  return normalize(dropRedundantRegisters(layout), laneBits, warpBits);
}

LinearLayout distribute::coalescedOver(Threads threads, ArrayRef<int64_t> shape, unsigned perThread,
                                       ArrayRef<unsigned> order) {
  // Shapes were checked, so that this cannot fail.
  LinearLayout layout =
      llvm::cantFail(coalescedLayout(shape, perThread, threads.lanes, threads.warps, order));
  return canonicalize(layout, threads.laneBits(), threads.warpBits());
}

LinearLayout distribute::defaultLayout(Threads threads, mlir::RankedTensorType type) {
  SmallVector<unsigned, 4> order;
  for (int64_t i = type.getRank(); i-- > 0;)
    order.push_back(i);
  return coalescedOver(threads, type.getShape(), 1, order);
}

LinearLayout distribute::orderedLayout(Threads threads, mlir::RankedTensorType type,
                                       unsigned axis) {
  SmallVector<unsigned, 4> order{axis};
  for (int64_t i = type.getRank(); i-- > 0;)
    if (i != axis)
      order.push_back(i);
  int64_t perThread = std::max<int64_t>(1, type.getDimSize(axis) / threads.count());
  return coalescedOver(threads, type.getShape(), perThread, order);
}

LinearLayout distribute::expandDimsSource(const LinearLayout &result, unsigned axis) {
  return sliceDim(result, axis);
}

LinearLayout distribute::transSource(const LinearLayout &result, ArrayRef<int32_t> order) {
  SmallVector<unsigned, 4> inverse(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    inverse[dim] = i;
  return transposeDims(result, inverse);
}

LinearLayout distribute::reshapeSource(const LinearLayout &result, ArrayRef<int64_t> sourceShape) {
  return reshapeDims(result, shapeBits(sourceShape));
}

LinearLayout distribute::broadcastSource(const LinearLayout &result,
                                         ArrayRef<int64_t> sourceShape) {
  LinearLayout source = result;
  for (auto [i, bits] : llvm::enumerate(shapeBits(sourceShape)))
    if (source.outBits(dimName(i)) != bits)
      source = source.resizeOut(dimName(i), bits);
  return source;
}

LinearLayout distribute::splitLayout(const LinearLayout &source) {
  unsigned last = source.getOuts().size() - 1;
  std::string name = dimName(last);
  for (unsigned bit = 0; bit < source.inBits(kRegister); ++bit)
    if (source.getBasis(kRegister, bit, name))
      return sliceDim(source, last);
  uint64_t along = LinearLayout::pack(source.getOuts(), [&] {
    SmallVector<uint64_t, 4> coordinates(last + 1, 0);
    coordinates[last] = 1;
    return coordinates;
  }());
  BitVectors bases(source.getBases().begin(), source.getBases().end());
  // The lowest register bit is what was joined last, which a network needs again the latest.
  for (StringRef in : {StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < source.inBits(in); ++bit)
      if (source.getBases(in)[bit] == along && source.inBits(kRegister)) {
        std::swap(bases[source.inShift(in) + bit], bases[source.inShift(kRegister)]);
        return sliceDim(LinearLayout(DimList(source.getIns()), DimList(source.getOuts()), bases),
                        last);
      }
  return sliceDim(source, last);
}
