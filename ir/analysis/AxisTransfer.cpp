// The transfer function of each op on axis information. Each rule argues why it holds in wrapping
// arithmetic. Powers of two make greatest common divisors minima.
#include "ir/analysis/AxisTransfer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::axis;

AxisInfo AxisTransfer::elementwise() const {
  AxisInfo result = AxisInfo::unknown(resultType());
  if (operands.empty())
    return result;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    int64_t constancy = fullRun(resultType(), dim);
    for (auto [operand, value] : llvm::zip(operands, op->getOperands()))
      if (isa<RankedTensorType>(value.getType()))
        constancy = std::min(constancy, operand[dim].constancy);
    result[dim].constancy = constancy;
  }
  return result;
}

AxisInfo AxisTransfer::withElementDivisibility(int64_t divisibility) const {
  AxisInfo result = elementwise();
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim].divisibility = divisibility;
  return result;
}

/// a + b, or a - b where only a's runs survive.
AxisInfo AxisTransfer::add(const AxisInfo &a, const AxisInfo &b, bool rightRuns) const {
  AxisInfo result = elementwise();
  for (unsigned dim = 0; dim < rank(); ++dim) {
    int64_t run = std::min(a[dim].contiguity, b[dim].constancy);
    if (rightRuns)
      run = std::max(run, std::min(a[dim].constancy, b[dim].contiguity));
    result[dim].contiguity = run;
    result[dim].divisibility =
        std::min(a.getDivisibilityOfRuns(dim, run), b.getDivisibilityOfRuns(dim, run));
  }
  return result;
}

AxisInfo AxisTransfer::addPtr() const {
  // The offset is sign-extended and scaled; scaled by the unit, its runs are runs of pointers.
  AxisInfo offset = extend(b(), widthOf(op->getOperand(1).getType()));
  AxisInfo result = elementwise();
  int64_t unit = result.getUnit();
  for (unsigned dim = 0; dim < rank(); ++dim) {
    int64_t run = std::max(std::min(a()[dim].contiguity, offset[dim].constancy),
                           std::min(a()[dim].constancy, offset[dim].contiguity));
    result[dim].contiguity = run;
    result[dim].divisibility = std::min(a().getDivisibilityOfRuns(dim, run),
                                        multiply(offset.getDivisibilityOfRuns(dim, run), unit));
  }
  return result;
}

AxisInfo AxisTransfer::multiplication() const {
  return withElementDivisibility(
      multiply(a().getElementDivisibility(), b().getElementDivisibility()));
}

/// Division by operand 1, or by a constant `divisor`, that rounds down for the values at hand
/// unless `truncates`.
AxisInfo AxisTransfer::division(int64_t divisor, bool truncates, bool isConstant) const {
  AxisInfo result = elementwise();
  int64_t elementDivisibility = a().getElementDivisibility();
  bool isPower = isConstant && divisor > 0 && llvm::isPowerOf2_64(divisor);
  for (unsigned dim = 0; dim < rank(); ++dim) {
    // Exact division takes the divisor's factors away.
    if (isPower && elementDivisibility >= divisor)
      result[dim].divisibility = elementDivisibility == kMax ? kMax : elementDivisibility / divisor;
    if (truncates)
      continue;
    // Where first element and divisor are multiples of the run, floor((first + j) / divisor) does
    // not depend on j.
    int64_t divides =
        isConstant ? AxisInfo::largestPowerOfTwoIn(divisor) : b().getElementDivisibility();
    int64_t run = isConstant ? std::min({a()[dim].contiguity, a()[dim].divisibility, divides,
                                         int64_t(1) << std::min(62u, widthOf(type()) - 1)})
                             : alignedRun(dim, divides);
    result[dim].constancy = std::max(result[dim].constancy, run);
  }
  return result;
}

AxisInfo AxisTransfer::remainder(bool isUnsigned) const {
  // A common divisor also divides the remainder, whatever its sign.
  int64_t common = std::min(a().getElementDivisibility(), b().getElementDivisibility());
  AxisInfo result = withElementDivisibility(common);
  if (!isUnsigned && !isNonNegative(0))
    return result;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    // Where first element and divisor are multiples of the run, the remainder of the first leaves
    // room for the rest.
    int64_t run = alignedRun(dim, b().getElementDivisibility());
    if (run == 1)
      continue;
    result[dim].contiguity = run;
    result[dim].divisibility =
        std::min(a().getDivisibilityOfRuns(dim, run), b().getElementDivisibility());
  }
  return result;
}

AxisInfo AxisTransfer::shiftLeft() const {
  int64_t divisibility = a().getElementDivisibility();
  if (std::optional<int64_t> amount = b().getConstant(); amount && *amount >= 0 && *amount < 62)
    divisibility = multiply(divisibility, int64_t(1) << *amount);
  return withElementDivisibility(divisibility);
}

AxisInfo AxisTransfer::shiftRight() const {
  // Both shifts round down: the logical one an unsigned number, the arithmetic one a signed number.
  std::optional<int64_t> amount = b().getConstant();
  if (!amount || *amount < 0 || *amount >= 62 || *amount >= widthOf(type()))
    return elementwise();
  AxisInfo result = division(int64_t(1) << *amount, /*truncates=*/false, /*isConstant=*/true);
  return result;
}

AxisInfo AxisTransfer::bitAnd() const {
  AxisInfo result =
      withElementDivisibility(std::max(a().getElementDivisibility(), b().getElementDivisibility()));
  for (auto [value, mask] : {std::pair(a(), b()), std::pair(b(), a())}) {
    // Low ones keep low bits: a remainder. The run must not reach beyond them.
    std::optional<int64_t> ones = mask.getConstant();
    if (!ones || *ones <= 0 || !llvm::isMask_64(*ones))
      continue;
    for (unsigned dim = 0; dim < rank(); ++dim) {
      int64_t run = std::min(value[dim].contiguity, value[dim].divisibility);
      if (run > *ones) // `*ones + 1` may be more than 64 bits hold.
        run = *ones + 1;
      if (run == 1)
        continue;
      result[dim].contiguity = run;
      result[dim].divisibility = value.getDivisibilityOfRuns(dim, run);
    }
  }
  return result;
}

AxisInfo AxisTransfer::bitOr() const {
  AxisInfo result =
      withElementDivisibility(std::min(a().getElementDivisibility(), b().getElementDivisibility()));
  for (auto [runs, other] : {std::pair(a(), b()), std::pair(b(), a())})
    for (unsigned dim = 0; dim < rank(); ++dim) {
      // Where the low bits of the other side are zero, setting (or flipping) bits above them moves
      // the run whole.
      int64_t otherDivisibility = other.getElementDivisibility();
      int64_t run = std::min(
          {runs[dim].contiguity, runs[dim].divisibility, other[dim].constancy, otherDivisibility});
      if (run <= result[dim].contiguity)
        continue;
      result[dim].contiguity = run;
      result[dim].divisibility = std::min(runs.getDivisibilityOfRuns(dim, run), otherDivisibility);
    }
  return result;
}

AxisInfo AxisTransfer::compare(arith::CmpIPredicate predicate) const {
  using Predicate = arith::CmpIPredicate;
  AxisInfo result = elementwise();
  // With first element and bound both multiples of the run: first + j < bound exactly if first <
  // bound.
  bool leftRuns = llvm::is_contained(
      {Predicate::slt, Predicate::ult, Predicate::sge, Predicate::uge}, predicate);
  bool rightRuns = llvm::is_contained(
      {Predicate::sgt, Predicate::ugt, Predicate::sle, Predicate::ule}, predicate);
  if (!leftRuns && !rightRuns)
    return result;
  const AxisInfo &runs = leftRuns ? a() : b(), &bound = leftRuns ? b() : a();
  for (unsigned dim = 0; dim < rank(); ++dim) {
    int64_t run = std::min({runs[dim].contiguity, runs[dim].divisibility, bound[dim].constancy,
                            bound.getElementDivisibility(),
                            int64_t(1) << std::min(62u, widthOf(type()) - 1)});
    result[dim].constancy = std::max(result[dim].constancy, run);
  }
  return result;
}

AxisInfo AxisTransfer::select() const {
  const AxisInfo &condition = operands[0], &yes = operands[1], &no = operands[2];
  AxisInfo result = elementwise();
  bool isScalar = !isa<RankedTensorType>(op->getOperand(0).getType());
  for (unsigned dim = 0; dim < rank(); ++dim) {
    // Each run comes whole from one side.
    int64_t run = std::min(yes[dim].contiguity, no[dim].contiguity);
    if (!isScalar)
      run = std::min(run, condition[dim].constancy);
    result[dim].contiguity = run;
    result[dim].divisibility =
        std::min(yes.getDivisibilityOfRuns(dim, run), no.getDivisibilityOfRuns(dim, run));
  }
  if (yes.getConstant() == no.getConstant())
    result.setConstant(yes.getConstant());
  return result;
}

/// A wider integer. A run that wraps around would break apart, so only what cannot wrap is kept:
/// runs whose first element has zeros where the rest count, below the sign bit.
AxisInfo AxisTransfer::extend(const AxisInfo &source, unsigned width) const {
  if (width >= 64 || assumption == AxisAssumption::PlainIndices)
    return source;
  AxisInfo result = source;
  for (unsigned dim = 0; dim < source.getRank(); ++dim) {
    int64_t run =
        std::min({source[dim].contiguity, source[dim].divisibility, int64_t(1) << (width - 1)});
    result[dim].contiguity = run;
    result[dim].divisibility = source.getDivisibilityOfRuns(dim, run);
  }
  return result;
}

/// The same bits as another type: runs stay where neighbours differ by as much as before.
AxisInfo AxisTransfer::retype(const AxisInfo &source) const {
  AxisInfo result = AxisInfo::unknown(resultType());
  for (unsigned dim = 0; dim < rank(); ++dim) {
    result[dim] = source[dim];
    if (result.getUnit() == source.getUnit())
      continue;
    result[dim].contiguity = 1;
    result[dim].divisibility = source.getElementDivisibility();
  }
  return result;
}

AxisInfo AxisTransfer::run() {
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp c) { return constant(c.getValue()); })
      .Case([&](tile::MakeRangeOp range) { return makeRange(range); })
      .Case([&](tile::SplatOp) { return splat(); })
      .Case([&](tile::BroadcastOp) { return broadcast(); })
      .Case([&](tile::ExpandDimsOp expand) { return expandDims(expand.getAxis()); })
      .Case([&](tile::ReshapeOp r) { return reshape(r); })
      .Case([&](tile::TransOp t) { return trans(t.getOrder()); })
      .Case([&](tile::JoinOp) { return joinOp(); })
      .Case([&](tile::CatOp) { return cat(); })
      .Case([&](tile::HintOp h) { return hint(h); })
      .Case([&](arith::AddIOp) { return add(a(), b(), /*rightRuns=*/true); })
      .Case([&](arith::SubIOp) { return add(a(), b(), /*rightRuns=*/false); })
      .Case([&](tile::AddPtrOp) { return addPtr(); })
      .Case([&](arith::MulIOp) { return multiplication(); })
      .Case([&](arith::DivUIOp) {
        std::optional<int64_t> divisor = b().getConstant();
        // As an unsigned number; what does not fit is not a small power of two.
        bool fits = divisor && *divisor > 0;
        return division(fits ? *divisor : 0, /*truncates=*/false, fits);
      })
      .Case([&](arith::DivSIOp) {
        std::optional<int64_t> divisor = b().getConstant();
        bool fits = divisor && *divisor > 0;
        return division(fits ? *divisor : 0, /*truncates=*/!isNonNegative(0), fits);
      })
      .Case([&](arith::RemUIOp) { return remainder(/*isUnsigned=*/true); })
      .Case([&](arith::RemSIOp) { return remainder(/*isUnsigned=*/false); })
      .Case([&](arith::ShLIOp) { return shiftLeft(); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return shiftRight(); })
      .Case([&](arith::AndIOp) { return bitAnd(); })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return bitOr(); })
      .Case([&](arith::CmpIOp cmp) { return compare(cmp.getPredicate()); })
      .Case([&](arith::SelectOp) { return select(); })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>([&](auto) {
        return withElementDivisibility(
            std::min(a().getElementDivisibility(), b().getElementDivisibility()));
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp>([&](auto) {
        AxisInfo result = extend(a(), widthOf(type()));
        // As an unsigned number a constant may be another one.
        if (isa<arith::ExtUIOp>(op) && result.getConstant().value_or(0) < 0)
          result.setConstant(std::nullopt);
        return result;
      })
      .Case([&](arith::TruncIOp) {
        AxisInfo result = a();
        if (std::optional<int64_t> value = result.getConstant())
          result.setConstant(llvm::SignExtend64(*value, widthOf(resultType())));
        return result;
      })
      .Case<tile::IntToPtrOp, tile::PtrToIntOp, tile::BitcastOp>([&](auto) {
        if (!isa<tile::PointerType>(getElementTypeOrSelf(type())) &&
            !isa<tile::PointerType>(getElementTypeOrSelf(resultType())))
          return elementwise();
        return retype(a());
      })
      .Default([&](Operation *) {
        if (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op))
          return elementwise();
        return AxisInfo::unknown(resultType());
      });
}

void tilerun::transferAxisInfo(Operation *op, ArrayRef<AxisInfo> operands,
                               function_ref<bool(unsigned)> isNonNegative,
                               SmallVectorImpl<AxisInfo> &results, AxisAssumption assumption) {
  if (op->getNumResults() == 1) {
    results.push_back(AxisTransfer(op, operands, isNonNegative, assumption).run());
    return;
  }
  for (Value result : op->getResults()) {
    AxisInfo info = AxisInfo::unknown(result.getType());
    if (isa<tile::SplitOp>(op)) {
      // Each half has every second element along the innermost dimension, and all along the others.
      const AxisInfo &source = operands[0];
      if (source.getRank() == 1)
        info[0].divisibility = source.getElementDivisibility();
      else
        for (unsigned dim = 0; dim < info.getRank(); ++dim)
          info[dim] = source[dim];
      info.setConstant(source.getConstant());
    }
    results.push_back(info);
  }
}
