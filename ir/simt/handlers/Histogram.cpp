// Histograms: bins in shared memory, to which each element's first holder adds.
#include "ir/simt/HandlerList.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;

LogicalResult simt::lower(LowerContext &c, tile::HistogramOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  unsigned width = sourceType.getElementTypeBitWidth();
  Value buffer = SharedAllocOp::create(c.b, type.getNumElements() * 4);
  auto placesOf = [&](const LinearLayout &layout) {
    Values places;
    for (Value index : unpack(c.b, c.threads.coordinates(layout, dimName(0), 0)))
      places.push_back(arith::ShLIOp::create(c.b, index, constant(c.b, 2)));
    return places;
  };
  LinearLayout bins = c.canonicalize(*c.layouts.getHome(op.getResult()));
  Values places = placesOf(bins);
  Value zero = constant(c.b, 0), one = constant(c.b, 1), first = c.threads.isFirstHolder(bins);
  for (Value place : places)
    SharedStoreOp::create(c.b, buffer, place, pack(c.b, {zero}), first);

  LinearLayout layout = c.canonicalize(c.layoutOf(op.getSource()));
  Value firstElement = c.threads.isFirstHolder(layout);
  FailureOr<Values> masks = c.getRegisters(op.getMask(), layout),
                    elements = c.getRegisters(op.getSource(), layout);
  if (failed(masks) || failed(elements))
    return failure();
  for (auto [reg, value] : llvm::enumerate(*elements)) {
    Value mask = conjunction(c.b, firstElement, masks->empty() ? Value() : (*masks)[reg]);
    if (width >= 64 || (int64_t(1) << width) > type.getNumElements()) {
      Value limit = arith::ConstantIntOp::create(c.b, type.getNumElements(), width);
      mask = conjunction(c.b, mask,
                         arith::CmpIOp::create(c.b, arith::CmpIPredicate::ult, value, limit));
    }
    Value place = arith::ShLIOp::create(c.b, resizeInteger(c.b, value, 32), constant(c.b, 2));
    SharedAddOp::create(c.b, buffer, place, one, mask);
  }
  Values result;
  auto word = VectorType::get({1}, c.b.getI32Type());
  for (Value place : places)
    result.push_back(unpack(c.b, SharedLoadOp::create(c.b, word, buffer, place))[0]);
  return c.set(op.getResult(), pack(c.b, result), bins);
}
