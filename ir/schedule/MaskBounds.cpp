// See MaskBounds.h.
#include "ir/schedule/MaskBounds.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

SmallVector<Condition> schedule::getConditions(Value mask) {
  SmallVector<Condition> conditions, work;
  unsigned rank = cast<RankedTensorType>(mask.getType()).getRank();
  work.push_back({mask, llvm::to_vector<2>(llvm::seq(rank))});
  while (!work.empty()) {
    auto [value, dims] = work.pop_back_val();
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)) && !number.isZero())
      continue;
    Operation *op = value.getDefiningOp();
    if (auto both = dyn_cast_if_present<arith::AndIOp>(op)) {
      work.append({{both.getRhs(), dims}, {both.getLhs(), dims}});
    } else if (auto broadcast = dyn_cast_if_present<tile::BroadcastOp>(op)) {
      work.push_back({broadcast.getSource(), dims});
    } else if (auto expand = dyn_cast_if_present<tile::ExpandDimsOp>(op)) {
      dims.erase(dims.begin() + expand.getAxis());
      work.push_back({expand.getSource(), dims});
    } else {
      conditions.push_back({value, dims});
    }
  }
  return conditions;
}

std::optional<MaskBound> schedule::getBound(const Condition &condition, AffineForms &forms,
                                            std::string &reason) {
  auto refuse = [&](const char *why) {
    reason = why;
    return std::nullopt;
  };
  auto comparison = condition.value.getDefiningOp<arith::CmpIOp>();
  if (!comparison)
    return refuse("a condition that does not compare indices");
  Value less = comparison.getLhs(), more = comparison.getRhs();
  using Order = arith::CmpIPredicate;
  Order order = comparison.getPredicate();
  if (order == Order::sge || order == Order::sgt)
    std::swap(less, more);
  else if (order != Order::sle && order != Order::slt)
    return refuse("a condition that compares indices in another way than by their signed order");
  std::optional<AffineForm> x = forms.get(less), y = forms.get(more);
  if (!x || !y || x->base || y->base || !x->wraps.empty() || !y->wraps.empty())
    return refuse("a condition that does not compare sums of multiples of its indices");
  // x - y < 0
  Polynomial difference = x->uniform - y->uniform;
  if (order == Order::sge || order == Order::sle)
    difference = difference - Polynomial::constant(1);
  std::optional<MaskBound> bound;
  for (auto [dim, own, other] : llvm::zip_equal(condition.dims, x->strides, y->strides)) {
    Polynomial stride = own - other;
    if (stride.isZero())
      continue;
    std::optional<int64_t> factor = stride.getConstant();
    if (bound || (factor != 1 && factor != -1))
      return refuse("a condition on more than one index, or on multiples of one");
    bound = {dim, factor == 1, difference};
  }
  if (!bound)
    return refuse("a condition that does not depend on its indices");
  return bound;
}
