// See Strides.h.
#include "ir/distribute/Strides.h"

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilerun;

namespace {
class Strides {
public:
  std::optional<int64_t> get(Value value, unsigned dim);

private:
  std::optional<int64_t> compute(Operation *op, unsigned dim);
  std::optional<int64_t> add(Operation *op, unsigned dim, int64_t sign);
  std::optional<int64_t> multiply(Operation *op, unsigned dim);
  std::optional<int64_t> divide(Operation *op, unsigned dim);

  llvm::DenseMap<std::pair<Value, unsigned>, std::optional<int64_t>> known;
};
} // namespace

/// The one integer of a constant, or of a scalar that was spread.
static std::optional<int64_t> getNumber(Value value) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat.getSource();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getSignificantBits() <= 32)
    return number.getSExtValue();
  return std::nullopt;
}

std::optional<int64_t> Strides::get(Value value, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getDimSize(dim) == 1)
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto [it, isNew] = known.try_emplace({value, dim}, std::nullopt);
  if (!isNew)
    return it->second;
  std::optional<int64_t> stride = compute(op, dim);
  // Far beyond what any access is.
  if (stride && (*stride > (int64_t(1) << 40) || *stride < -(int64_t(1) << 40)))
    stride.reset();
  return known[{value, dim}] = stride;
}

std::optional<int64_t> Strides::add(Operation *op, unsigned dim, int64_t sign) {
  std::optional<int64_t> x = get(op->getOperand(0), dim), y = get(op->getOperand(1), dim);
  return x && y ? std::optional(*x + sign * *y) : std::nullopt;
}

std::optional<int64_t> Strides::multiply(Operation *op, unsigned dim) {
  for (auto [factor, other] : {std::pair(0, 1), std::pair(1, 0)})
    if (std::optional<int64_t> number = getNumber(op->getOperand(factor))) {
      std::optional<int64_t> stride = get(op->getOperand(other), dim);
      int64_t product;
      return stride && !llvm::MulOverflow(*stride, *number, product) ? std::optional(product)
                                                                     : std::nullopt;
    }
  std::optional<int64_t> x = get(op->getOperand(0), dim), y = get(op->getOperand(1), dim);
  return x == 0 && y == 0 ? x : std::nullopt;
}

/// Most neighbours have one quotient where the divisor is larger than their difference.
std::optional<int64_t> Strides::divide(Operation *op, unsigned dim) {
  std::optional<int64_t> stride = get(op->getOperand(0), dim),
                         divisor = getNumber(op->getOperand(1));
  if (!stride || *stride == 0 || !divisor || *divisor == 0)
    return stride == 0 ? stride : std::nullopt;
  return *stride / *divisor;
}

std::optional<int64_t> Strides::compute(Operation *op, unsigned dim) {
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::ConstantOp>([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue()) ? Result(0) : std::nullopt;
      })
      .Case<tile::SplatOp>([](auto) { return Result(0); })
      .Case<tile::MakeRangeOp>([](auto) { return Result(1); })
      .Case<tile::ExpandDimsOp>([&](tile::ExpandDimsOp expand) {
        return get(expand.getSource(), dim - (dim > unsigned(expand.getAxis())));
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) { return get(broadcast.getSource(), dim); })
      .Case<tile::TransOp>(
          [&](tile::TransOp trans) { return get(trans.getSource(), trans.getOrder()[dim]); })
      .Case<tile::HintOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](auto) { return get(op->getOperand(0), dim); })
      .Case<arith::AddIOp, tile::AddPtrOp>([&](auto) { return add(op, dim, 1); })
      .Case<arith::SubIOp>([&](auto) { return add(op, dim, -1); })
      .Case<arith::MulIOp>([&](auto) { return multiply(op, dim); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return divide(op, dim); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return get(op->getOperand(0), dim); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> tilerun::distribute::getStride(Value value, unsigned dim) {
  return Strides().get(value, dim);
}
