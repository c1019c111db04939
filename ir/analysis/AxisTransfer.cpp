// The transfer function of each op on axis information. See AxisInfo.h for what the facts mean;
// each rule below argues why it holds in wrapping arithmetic. Powers of two make greatest common
// divisors minima.
#include "ir/analysis/AxisInfo.h"

#include "ir/tile/TileOps.h"

using namespace mlir;
using namespace tilerun;

using Axis = AxisInfo::Axis;

namespace {

constexpr int64_t kMax = AxisInfo::kMaxDivisibility;

int64_t multiply(int64_t a, int64_t b) {
  int log = llvm::Log2_64(a) + llvm::Log2_64(b);
  return log >= 62 ? kMax : int64_t(1) << log;
}

unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth();
  return 64;
}

ArrayRef<int64_t> shapeOf(Type type) {
  static constexpr int64_t one = 1;
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() != 0 ? tensor.getShape() : ArrayRef<int64_t>(one);
}

int64_t fullRun(Type type, unsigned dim) {
  int64_t size = shapeOf(type)[dim];
  return size & -size;
}

/// One transfer: the op, its operands' facts, and the answer about signs.
class Transfer {
public:
  Transfer(Operation *op, ArrayRef<AxisInfo> operands,
           function_ref<bool(unsigned)> knowsNonNegative, AxisAssumption assumption)
      : op(op), operands(operands), knowsNonNegative(knowsNonNegative), assumption(assumption) {}

  AxisInfo run();

private:
  /// Nothing is known but that equal operands give equal results.
  AxisInfo elementwise() const;
  AxisInfo withElementDivisibility(int64_t divisibility) const;

  AxisInfo constant(Attribute value) const;
  AxisInfo makeRange(tile::MakeRangeOp range) const;
  AxisInfo splat() const;
  AxisInfo broadcast() const;
  AxisInfo expandDims(unsigned axis) const;
  AxisInfo reshape(tile::ReshapeOp reshape) const;
  AxisInfo trans(ArrayRef<int32_t> order) const;
  AxisInfo joinOp() const;
  AxisInfo cat() const;
  AxisInfo add(const AxisInfo &a, const AxisInfo &b, bool rightRuns) const;
  AxisInfo addPtr() const;
  AxisInfo multiplication() const;
  AxisInfo division(int64_t divisor, bool truncates, bool isConstant) const;
  AxisInfo remainder(bool isUnsigned) const;
  AxisInfo shiftLeft() const;
  AxisInfo shiftRight() const;
  AxisInfo bitAnd() const;
  AxisInfo bitOr() const;
  AxisInfo compare(arith::CmpIPredicate predicate) const;
  AxisInfo select() const;
  AxisInfo extend(const AxisInfo &source, unsigned width) const;
  AxisInfo retype(const AxisInfo &source) const;
  AxisInfo hint(tile::HintOp hint) const;

  /// The length of aligned runs in which the left operand is `first | j` (so that nothing carries
  /// out of the low bits), the right operand does not change, and its low bits are zero too.
  int64_t alignedRun(unsigned dim, int64_t rightDivisibility) const {
    return std::min({a()[dim].contiguity, a()[dim].divisibility, b()[dim].constancy,
                     rightDivisibility, int64_t(1) << std::min(62u, widthOf(type()) - 1)});
  }

  bool isNonNegative(unsigned index) const {
    return assumption != AxisAssumption::None || knowsNonNegative(index);
  }
  const AxisInfo &a() const { return operands[0]; }
  const AxisInfo &b() const { return operands[1]; }
  Type type() const { return op->getOperand(0).getType(); }
  Type resultType() const { return op->getResult(0).getType(); }
  unsigned rank() const { return shapeOf(resultType()).size(); }

  Operation *op;
  ArrayRef<AxisInfo> operands;
  function_ref<bool(unsigned)> knowsNonNegative;
  AxisAssumption assumption;
};

AxisInfo Transfer::elementwise() const {
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

AxisInfo Transfer::withElementDivisibility(int64_t divisibility) const {
  AxisInfo result = elementwise();
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim].divisibility = divisibility;
  return result;
}

AxisInfo Transfer::constant(Attribute value) const {
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

AxisInfo Transfer::makeRange(tile::MakeRangeOp range) const {
  AxisInfo result = AxisInfo::unknown(resultType());
  result[0].contiguity = fullRun(resultType(), 0);
  result[0].divisibility = AxisInfo::largestPowerOfTwoIn(int32_t(range.getStart()));
  return result;
}

AxisInfo Transfer::splat() const {
  AxisInfo result = AxisInfo::unknown(resultType());
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim] = {1, a()[0].divisibility, fullRun(resultType(), dim)};
  result.setConstant(a().getConstant());
  return result;
}

AxisInfo Transfer::broadcast() const {
  AxisInfo result = a();
  for (unsigned dim = 0; dim < rank(); ++dim)
    if (shapeOf(type())[dim] != shapeOf(resultType())[dim])
      result[dim].constancy = fullRun(resultType(), dim);
  return result;
}

AxisInfo Transfer::expandDims(unsigned axis) const {
  AxisInfo result = AxisInfo::unknown(resultType());
  for (unsigned dim = 0; dim < rank(); ++dim)
    result[dim] = dim < axis   ? a()[dim]
                  : dim > axis ? a()[dim - 1]
                               : Axis{1, a().getElementDivisibility(), 1};
  result.setConstant(a().getConstant());
  return result;
}

AxisInfo Transfer::reshape(tile::ReshapeOp reshape) const {
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

AxisInfo Transfer::trans(ArrayRef<int32_t> order) const {
  AxisInfo result = a();
  for (auto [dim, source] : llvm::enumerate(order))
    result[dim] = a()[source];
  return result;
}

AxisInfo Transfer::joinOp() const {
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

AxisInfo Transfer::cat() const {
  // Runs of both divide both sizes, so they stay aligned.
  AxisInfo result = AxisInfo::join(a(), b());
  if (result.getConstant())
    return AxisInfo::constant(resultType(), *result.getConstant());
  return result;
}

/// a + b, or a - b where only a's runs survive.
AxisInfo Transfer::add(const AxisInfo &a, const AxisInfo &b, bool rightRuns) const {
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

AxisInfo Transfer::addPtr() const {
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

AxisInfo Transfer::multiplication() const {
  return withElementDivisibility(
      multiply(a().getElementDivisibility(), b().getElementDivisibility()));
}

/// Division by operand 1, or by a constant `divisor`, that rounds down for the values at hand
/// unless `truncates`.
AxisInfo Transfer::division(int64_t divisor, bool truncates, bool isConstant) const {
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

AxisInfo Transfer::remainder(bool isUnsigned) const {
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

AxisInfo Transfer::shiftLeft() const {
  int64_t divisibility = a().getElementDivisibility();
  if (std::optional<int64_t> amount = b().getConstant(); amount && *amount >= 0 && *amount < 62)
    divisibility = multiply(divisibility, int64_t(1) << *amount);
  return withElementDivisibility(divisibility);
}

AxisInfo Transfer::shiftRight() const {
  // Both shifts round down: the logical one an unsigned number, the arithmetic one a signed number.
  std::optional<int64_t> amount = b().getConstant();
  if (!amount || *amount < 0 || *amount >= 62 || *amount >= widthOf(type()))
    return elementwise();
  AxisInfo result = division(int64_t(1) << *amount, /*truncates=*/false, /*isConstant=*/true);
  return result;
}

AxisInfo Transfer::bitAnd() const {
  AxisInfo result =
      withElementDivisibility(std::max(a().getElementDivisibility(), b().getElementDivisibility()));
  for (auto [value, mask] : {std::pair(a(), b()), std::pair(b(), a())}) {
    // Low ones keep low bits: a remainder. The run must not reach beyond them.
    std::optional<int64_t> ones = mask.getConstant();
    if (!ones || *ones <= 0 || !llvm::isPowerOf2_64(*ones + 1))
      continue;
    for (unsigned dim = 0; dim < rank(); ++dim) {
      int64_t run = std::min({value[dim].contiguity, value[dim].divisibility, *ones + 1});
      if (run == 1)
        continue;
      result[dim].contiguity = run;
      result[dim].divisibility = value.getDivisibilityOfRuns(dim, run);
    }
  }
  return result;
}

AxisInfo Transfer::bitOr() const {
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

AxisInfo Transfer::compare(arith::CmpIPredicate predicate) const {
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

AxisInfo Transfer::select() const {
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
AxisInfo Transfer::extend(const AxisInfo &source, unsigned width) const {
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
AxisInfo Transfer::retype(const AxisInfo &source) const {
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

AxisInfo Transfer::hint(tile::HintOp hint) const {
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

AxisInfo Transfer::run() {
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

} // namespace

void tilerun::transferAxisInfo(Operation *op, ArrayRef<AxisInfo> operands,
                               function_ref<bool(unsigned)> isNonNegative,
                               SmallVectorImpl<AxisInfo> &results, AxisAssumption assumption) {
  if (op->getNumResults() == 1) {
    results.push_back(Transfer(op, operands, isNonNegative, assumption).run());
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
