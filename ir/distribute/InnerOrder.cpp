// The order of k in a product's operands. A matrix instruction adds up over k, so any permutation
// of k that both operands share gives the same product, and the plan's layouts may take k in the
// order that suits the way to a lane's registers (but where scales belong to blocks of k):
//
// - From shared memory: neighbours fill the registers of a lane before the next lane continues.
// They
//   are the operands of several instructions where one takes fewer than the widest access brings.
// - From another product's result: in the order in which registers and lanes hold the rows of that
//   (transposed) result, so that it is the operand as it is.
#include "ir/distribute/Layouts.h"
#include "ir/distribute/Plans.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

namespace {
/// Which bits of k the bits of a lane's registers and of its number are, in a fragment.
struct InnerBits {
  SmallVector<unsigned, 8> registers, lanes;
  bool operator==(const InnerBits &) const = default;
};
} // namespace

static InnerBits innerBitsOf(const LinearLayout &fragment, unsigned innerDim) {
  InnerBits result;
  auto collect = [&](StringRef in, SmallVectorImpl<unsigned> &bits) {
    for (unsigned bit = 0; bit < fragment.inBits(in); ++bit)
      if (uint64_t basis = fragment.getBasis(in, bit, dimName(innerDim)))
        bits.push_back(llvm::Log2_64(basis));
  };
  collect(kRegister, result.registers);
  collect(kLane, result.lanes);
  return result;
}

/// Whether `value` is computed, element by element, from the result of a product.
static bool isFromProduct(Value value, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 8;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<tile::DotOp>(op))
    return true;
  if (!op || depth == kMaxDepth || !op->hasTrait<OpTrait::Elementwise>())
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isFromProduct(operand, depth + 1); });
}

/// The bits of k from the lowest, as bits of a fragment and of steps: neighbours of one access
/// first.
static SmallVector<unsigned, 8> orderForReads(const InnerBits &fragment, ArrayRef<unsigned> steps,
                                              unsigned accessBits, unsigned mostStepBits) {
  SmallVector<unsigned, 8> order(fragment.registers);
  unsigned more = accessBits > order.size() ? accessBits - order.size() : 0;
  more = std::min<unsigned>({more, mostStepBits, unsigned(steps.size())});
  order.append(steps.begin(), steps.begin() + more);
  order.append(fragment.lanes);
  order.append(steps.begin() + more, steps.end());
  return order;
}

/// The same in the order of the rows of a result, `d`.
static SmallVector<unsigned, 8> orderOfResult(const InnerBits &fragment, ArrayRef<unsigned> steps,
                                              const LinearLayout &d) {
  SmallVector<unsigned, 8> inRegisters(fragment.registers), inLanes(fragment.lanes), order;
  inRegisters.append(steps.begin(), steps.end());
  InnerBits rows = innerBitsOf(d, 0);
  ArrayRef<unsigned> registers = inRegisters, lanes = inLanes;
  for (unsigned bit = 0; bit < rows.registers.size() + rows.lanes.size(); ++bit) {
    ArrayRef<unsigned> &from = llvm::is_contained(rows.lanes, bit) ? lanes : registers;
    if (from.empty()) // all lanes hold all of k
      break;
    order.push_back(from.front());
    from = from.drop_front();
  }
  order.append(lanes.begin(), lanes.end());
  order.append(registers.begin(), registers.end());
  return order;
}

/// `layout` with bit order[i] of dimension `dim` as bit i.
static LinearLayout permute(const LinearLayout &layout, unsigned dim, ArrayRef<unsigned> order) {
  DimList dims(layout.getOuts());
  BitVectors bases;
  uint64_t start = 0;
  for (auto [number, out] : llvm::enumerate(dims)) {
    for (unsigned bit = 0; bit < out.bits; ++bit) {
      unsigned image = number == dim ? unsigned(llvm::find(order, bit) - order.begin()) : bit;
      bases.push_back(uint64_t(1) << (start + image));
    }
    start += out.bits;
  }
  return layout.compose(LinearLayout(dims, dims, bases));
}

void distribute::orderInner(tile::DotOp op, const Options &options, DotPlan &plan) {
  const target::TargetInfo &target = *options.target;
  const target::MatrixInstruction &row = *plan.instruction;
  auto type = cast<RankedTensorType>(op.getA().getType());
  unsigned innerBits = llvm::Log2_64(type.getShape().back()), kBits = llvm::Log2_32(row.k);
  if (target.hasLoadMatrix || row.isScaled || type.getRank() != 2 || innerBits < kBits)
    return;
  InnerBits fragment = innerBitsOf(row.aLayout, 1);
  if (fragment != innerBitsOf(row.bLayout, 0))
    return;
  auto steps = llvm::to_vector<8>(llvm::seq(kBits, innerBits));
  unsigned bytes = 1;
  for (Value operand : {op.getA(), op.getB()})
    bytes = std::max(bytes, tile::getElementBytes(getElementTypeOrSelf(operand.getType())));
  unsigned accessBits = llvm::Log2_32(std::max(1u, target.sharedModel.maxVectorBytes / bytes));
  auto order =
      isFromProduct(op.getA()) || isFromProduct(op.getB())
          ? orderOfResult(fragment, steps, row.dLayout)
          : orderForReads(fragment, steps, accessBits, llvm::Log2_32(target.mostStepsOfRead));
  plan.a = permute(plan.a, 1, order);
  plan.b = permute(plan.b, 0, order);
}
