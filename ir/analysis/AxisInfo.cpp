// The lattice of axis information, and the data-flow analysis over it. Rules of single ops are in
// AxisTransfer.cpp.
#include "ir/analysis/AxisInfo.h"

#include "ir/tile/TileOps.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilerun;

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

int64_t AxisInfo::largestPowerOfTwoIn(int64_t value) {
  return int64_t(1) << std::min(62, llvm::countr_zero(uint64_t(value)));
}

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  auto tensor = dyn_cast<RankedTensorType>(type);
  info.axes.resize(tensor ? std::max<int64_t>(1, tensor.getRank()) : 1);
  if (auto pointer = dyn_cast<tile::PointerType>(getElementTypeOrSelf(type)))
    info.unit = tile::getElementBytes(pointer.getPointeeType());
  return info;
}

AxisInfo AxisInfo::constant(Type type, int64_t value) {
  AxisInfo info = unknown(type);
  info.constantValue = value;
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (auto [dim, axis] : llvm::enumerate(info.axes)) {
    axis.divisibility = largestPowerOfTwoIn(value);
    // The largest power of two that divides the size.
    if (tensor && tensor.getRank() != 0)
      axis.constancy = tensor.getDimSize(dim) & -tensor.getDimSize(dim);
  }
  return info;
}

int64_t AxisInfo::getDivisibilityOfRuns(unsigned dim, int64_t run) const {
  const Axis &axis = axes[dim];
  // Longer runs start where shorter ones do. Shorter runs also start inside, at multiples of `run`
  // neighbours.
  if (run >= axis.contiguity)
    return axis.divisibility;
  return std::min(axis.divisibility, run * unit);
}

int64_t AxisInfo::getElementDivisibility() const {
  int64_t result = 1;
  for (unsigned dim = 0; dim < axes.size(); ++dim)
    result = std::max(result, getDivisibilityOfRuns(dim, 1));
  return result;
}

int64_t AxisInfo::getAlignedRun(unsigned dim) const {
  const Axis &axis = axes[dim];
  return std::min(axis.contiguity, std::max<int64_t>(1, axis.divisibility / unit));
}

AxisInfo AxisInfo::join(const AxisInfo &lhs, const AxisInfo &rhs) {
  if (lhs.isUninitialized())
    return rhs;
  if (rhs.isUninitialized())
    return lhs;
  assert(lhs.getRank() == rhs.getRank() && lhs.unit == rhs.unit && "facts about different types");
  AxisInfo result = lhs;
  for (unsigned dim = 0; dim < lhs.getRank(); ++dim) {
    Axis &axis = result.axes[dim];
    axis.contiguity = std::min(lhs[dim].contiguity, rhs[dim].contiguity);
    axis.divisibility = std::min(lhs.getDivisibilityOfRuns(dim, axis.contiguity),
                                 rhs.getDivisibilityOfRuns(dim, axis.contiguity));
    axis.constancy = std::min(lhs[dim].constancy, rhs[dim].constancy);
  }
  if (lhs.constantValue != rhs.constantValue)
    result.constantValue.reset();
  return result;
}

void AxisInfo::print(raw_ostream &os) const {
  if (isUninitialized()) {
    os << "uninitialized";
    return;
  }
  auto list = [&](StringRef name, int64_t Axis::*member) {
    os << name << " = [";
    llvm::interleaveComma(axes, os, [&](const Axis &axis) { os << axis.*member; });
    os << "]";
  };
  list("contiguity", &Axis::contiguity);
  os << ", ";
  list("divisibility", &Axis::divisibility);
  os << ", ";
  list("constancy", &Axis::constancy);
  if (constantValue)
    os << ", constant = " << *constantValue;
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

LogicalResult AxisInfoAnalysis::visitOperation(Operation *op,
                                               ArrayRef<const AxisInfoLattice *> operands,
                                               ArrayRef<AxisInfoLattice *> results) {
  SmallVector<AxisInfo> infos;
  for (const AxisInfoLattice *operand : operands) {
    // Comes again when the operand is known.
    if (operand->getValue().isUninitialized())
      return success();
    infos.push_back(operand->getValue());
  }
  bool waits = false;
  auto isNonNegative = [&](unsigned index) {
    auto *lattice = getOrCreate<dataflow::IntegerValueRangeLattice>(op->getOperand(index));
    lattice->useDefSubscribe(this);
    const IntegerValueRange &range = lattice->getValue();
    waits |= range.isUninitialized();
    return !range.isUninitialized() && range.getValue().smin().isNonNegative();
  };
  SmallVector<AxisInfo> values;
  transferAxisInfo(op, infos, isNonNegative, values, assumption);
  if (waits)
    return success();
  for (auto [lattice, value] : llvm::zip(results, values))
    propagateIfChanged(lattice, lattice->join(value));
  return success();
}

void AxisInfoAnalysis::visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                                    ArrayRef<AxisInfoLattice *> arguments,
                                                    unsigned firstIndex) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || successor.isParent())
    return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                                       firstIndex);
  // The induction variable is the lower bound plus a multiple of the step.
  ProgramPoint *point = getProgramPointBefore(loop.getBody());
  const AxisInfo &lower = getLatticeElementFor(point, loop.getLowerBound())->getValue();
  const AxisInfo &step = getLatticeElementFor(point, loop.getStep())->getValue();
  if (lower.isUninitialized() || step.isUninitialized())
    return;
  AxisInfo info = AxisInfo::unknown(loop.getInductionVar().getType());
  info[0].divisibility = std::min(lower.getElementDivisibility(), step.getElementDivisibility());
  AxisInfoLattice *lattice = getLatticeElement(loop.getInductionVar());
  propagateIfChanged(lattice, lattice->join(info));
}

void AxisInfoAnalysis::setToEntryState(AxisInfoLattice *lattice) {
  Value value = lattice->getAnchor();
  AxisInfo info = AxisInfo::unknown(value.getType());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast_if_present<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (function && argument.getOwner()->isEntryBlock()) {
      auto promise = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                            tile::TileDialect::kDivisibilityAttr);
      if (promise)
        info[0].divisibility = AxisInfo::largestPowerOfTwoIn(promise.getInt());
    }
  }
  propagateIfChanged(lattice, lattice->join(info));
}

std::optional<ProgramProduct> tilerun::getProgramProduct(Operation *op) {
  auto product = dyn_cast<arith::MulIOp>(op);
  if (!product || !product.getType().isInteger(32))
    return std::nullopt;
  for (auto [number, other] : {std::pair(product.getLhs(), product.getRhs()),
                               std::pair(product.getRhs(), product.getLhs())}) {
    auto program = number.getDefiningOp<tile::ProgramIdOp>();
    APInt factor;
    if (program && matchPattern(other, m_ConstantInt(&factor)) && factor.isStrictlyPositive())
      return ProgramProduct{program.getAxis(), factor.getSExtValue()};
  }
  return std::nullopt;
}

namespace {
/// MLIR's integer ranges, made to end: a value that a loop carries through the arguments of an
/// inner one grows by a step a visit, and upstream widens only what is yielded directly. After some
/// visits a result may be anything.
class BoundedIntegerRangeAnalysis : public dataflow::IntegerRangeAnalysis {
public:
  BoundedIntegerRangeAnalysis(DataFlowSolver &solver, bool fewPrograms)
      : IntegerRangeAnalysis(solver), fewPrograms(fewPrograms) {}
  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
                               ArrayRef<dataflow::IntegerValueRangeLattice *> results) override {
    if (std::optional<ProgramProduct> product =
            fewPrograms ? getProgramProduct(op) : std::nullopt) {
      const auto range = ConstantIntRanges::fromSigned(
          APInt(32, 0), APInt(32, uint64_t(product->getMostPrograms() - 1) * product->factor));
      propagateIfChanged(results[0], results[0]->join(IntegerValueRange(range)));
      return success();
    }
    if (++visits[op] <= kMaxVisits)
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    setAllToEntryStates(results);
    return success();
  }

private:
  bool fewPrograms;
  static constexpr unsigned kMaxVisits = 64;
  DenseMap<Operation *, unsigned> visits;
};
} // namespace

AxisInfoMap::AxisInfoMap(Operation *root, AxisAssumption assumption) {
  dataflow::loadBaselineAnalyses(solver);
  solver.load<BoundedIntegerRangeAnalysis>(assumption == AxisAssumption::FewPrograms);
  solver.load<AxisInfoAnalysis>(assumption);
  // Fails only where an analysis reports an error, and none of these does; without a result,
  // nothing is known.
  (void)solver.initializeAndRun(root);
}

AxisInfo AxisInfoMap::lookup(Value value) const {
  const auto *lattice = solver.lookupState<AxisInfoLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return AxisInfo::unknown(value.getType());
  return lattice->getValue();
}
