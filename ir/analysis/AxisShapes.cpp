// What ops that make tensors, change their shape or say something about them do to axis
// information.
#include "ir/analysis/AxisTransfer.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::axis;

using Axis = AxisInfo::Axis;

AxisInfo AxisTransfer::constant(Attribute value) const {
  Type resultType = this->resultType();
  if (auto splat = dyn_cast<SplatElementsAttr>(value)) {
    if (isa<IntegerType>(splat.getElementType()))
      return AxisInfo::constant(resultType, splat.getSplatValue<APInt>().getSExtValue());
    AxisInfo result = AxisInfo::unknown(resultType);
    for (unsigned dim = 0; dim < rank(); ++dim)
      result[dim].constancy = fullRun(resultType, dim);
    return result;
  }
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return AxisInfo::constant(resultType, integer.getValue().getSExtValue());
  AxisInfo result = AxisInfo::unknown(resultType);
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (!dense)
    return result;
  int64_t divisibility = kMax;
  for (const APInt &element : dense.getValues<APInt>())
    divisibility = std::min(divisibility, AxisInfo::largestPowerOfTwoIn(element.getSExtValue()));
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim].divisibility = divisibility;
  return result;
}

AxisInfo AxisTransfer::makeRange(tile::MakeRangeOp range) const {
  AxisInfo result = AxisInfo::unknown(resultType());
  result[0].contiguity = fullRun(resultType(), 0);
  result[0].divisibility = AxisInfo::largestPowerOfTwoIn(int32_t(range.getStart()));
  return result;
}

AxisInfo AxisTransfer::splat() const {
  AxisInfo result = AxisInfo::unknown(resultType());
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim] = {1, a()[0].divisibility, fullRun(resultType(), dim)};
  result.setConstant(a().getConstant());
  return result;
}

AxisInfo AxisTransfer::broadcast() const {
  AxisInfo result = a();
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (shapeOf(type())[dim] != shapeOf(resultType())[dim])
      result[dim].constancy = fullRun(resultType(), dim);
  return result;
}

AxisInfo AxisTransfer::expandDims(unsigned axis) const {
  AxisInfo result = AxisInfo::unknown(resultType());
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim] = dim < axis   ? a()[dim]
                  : dim > axis ? a()[dim - 1]
                               : Axis{1, a().getElementDivisibility(), 1};
  result.setConstant(a().getConstant());
  return result;
}

AxisInfo AxisTransfer::reshape(tile::ReshapeOp reshape) const {
  if (a().getConstant())
    return AxisInfo::constant(resultType(), *a().getConstant());
  ArrayRef<int64_t> from = shapeOf(type()), to = shapeOf(resultType());
  AxisInfo result = AxisInfo::unknown(resultType());
  bool isUniform = true;
  for (auto [dim, size] : llvm::enumerate(from))
    isUniform &= a()[dim].constancy == size;
  for (unsigned dim = 0; dim < to.size(); ++dim) {
    result[dim].divisibility = a().getElementDivisibility();
    if (isUniform)
      result[dim].constancy = fullRun(resultType(), dim);
  }
  if (reshape.getAllowReorder() || isUniform)
    return result;

  auto isNotOne = [](int64_t size) { return size != 1; };
  if (llvm::equal(llvm::make_filter_range(from, isNotOne), llvm::make_filter_range(to, isNotOne))) {
    // Only dimensions of size 1 come and go.
    unsigned source = 0;
    for (unsigned dim = 0; dim < to.size(); ++dim) {
      if (to[dim] == 1)
        continue;
      while (from[source] == 1)
        ++source;
      result[dim] = a()[source++];
    }
    return result;
  }
  // Runs along the innermost dimension that is not 1 are runs in row-major order, and stay so where
  // they fit.
  int source = from.size() - 1, target = to.size() - 1;
  while (source > 0 && from[source] == 1)
    --source;
  while (target > 0 && to[target] == 1)
    --target;
  int64_t limit = fullRun(resultType(), target);
  Axis &inner = result[target];
  inner.contiguity = std::min(a()[source].contiguity, limit);
  inner.divisibility = a().getDivisibilityOfRuns(source, inner.contiguity);
  inner.constancy = std::min(a()[source].constancy, limit);
  return result;
}

AxisInfo AxisTransfer::trans(ArrayRef<int32_t> order) const {
  AxisInfo result = a();
  for (auto [dim, source] : llvm::enumerate(order))
    result[dim] = a()[source];
  return result;
}

AxisInfo AxisTransfer::joinOp() const {
  AxisInfo both = AxisInfo::join(a(), b());
  AxisInfo result = AxisInfo::unknown(resultType());
  unsigned inner = rank() - 1;
  for (unsigned dim = 0; dim < inner; ++dim)
    result[dim] = both[dim];
  result[inner].divisibility = std::min(a().getElementDivisibility(), b().getElementDivisibility());
  if (op->getOperand(0) == op->getOperand(1))
    result[inner].constancy = 2;
  result.setConstant(both.getConstant());
  return result;
}

AxisInfo AxisTransfer::cat() const {
  // Runs of both divide both sizes, so they stay aligned.
  AxisInfo result = AxisInfo::join(a(), b());
  if (result.getConstant())
    return AxisInfo::constant(resultType(), *result.getConstant());
  return result;
}

AxisInfo AxisTransfer::hint(tile::HintOp hint) const {
  AxisInfo result = a();
  auto entry = [&](ArrayRef<int64_t> list, unsigned dim) { return list.empty() ? 1 : list[dim]; };
  for (unsigned dim = 0; dim < rank(); ++dim) {
    Axis &axis = result[dim];
    int64_t size = fullRun(resultType(), dim), whole = shapeOf(resultType())[dim];
    int64_t contiguity = std::min(entry(hint.getContiguity(), dim), whole);
    int64_t divisibility = AxisInfo::largestPowerOfTwoIn(entry(hint.getDivisibility(), dim));
    int64_t run =
        contiguity == whole ? size : std::min(AxisInfo::largestPowerOfTwoIn(contiguity), size);
    // Runs of a length that is not a power of two are cut, and what starts inside them is less
    // aligned.
    if (run < contiguity)
      divisibility = std::min(divisibility, run * result.getUnit());
    if (run > axis.contiguity)
      axis.contiguity = run;
    axis.divisibility = std::max(axis.divisibility, divisibility);
    axis.constancy =
        std::max(axis.constancy,
                 std::min(AxisInfo::largestPowerOfTwoIn(entry(hint.getConstancy(), dim)), size));
  }
  return result;
}
