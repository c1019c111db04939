// See ProtocolTrace.h: an interpreter of the few scalars that slots and phases are made of.
#include "ir/schedule/ProtocolTrace.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

//===----------------------------------------------------------------------===//
// Equal values
//===----------------------------------------------------------------------===//

/// What `op` uses of values from around it.
static SmallVector<Value> usesOf(Operation *op) {
  SmallVector<Value> uses;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        uses.push_back(operand);
  });
  return uses;
}

bool ValueNumbers::areEqual(Operation *x, Operation *y) {
  llvm::DenseMap<Value, Value> inner;
  auto check = [&](Value left, Value right) {
    if (auto it = inner.find(left); it != inner.end())
      return success(it->second == right);
    auto its = known.find(left), others = known.find(right);
    return success(its != known.end() && others != known.end() && its->second == others->second);
  };
  return OperationEquivalence::isEquivalentTo(
      x, y, check, [&](Value left, Value right) { inner[left] = right; },
      OperationEquivalence::IgnoreLocations);
}

void ValueNumbers::number(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isMemoryEffectFree(op)) {
    known[value] = next++;
    return;
  }
  auto &others = byName[op->getName().getStringRef()];
  for (Operation *other : others)
    if (areEqual(op, other)) {
      for (auto [own, its] : llvm::zip(op->getResults(), other->getResults()))
        known[own] = known.lookup(its);
      return;
    }
  others.push_back(op);
  for (Value result : op->getResults())
    known[result] = next++;
}

unsigned ValueNumbers::of(Value value) {
  // What an op uses is numbered before it; chains may be too long for recursion.
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value last = work.back();
    if (known.contains(last)) {
      work.pop_back();
      continue;
    }
    size_t before = work.size();
    if (Operation *op = last.getDefiningOp(); op && isMemoryEffectFree(op))
      llvm::copy_if(usesOf(op), std::back_inserter(work),
                    [&](Value use) { return !known.contains(use); });
    if (work.size() == before)
      number(last);
  }
  return known.lookup(value);
}

int64_t TripCounts::get(scf::ForOp loop) {
  std::array<unsigned, 3> key = {numbers.of(loop.getLowerBound()), numbers.of(loop.getUpperBound()),
                                 numbers.of(loop.getStep())};
  return counts.try_emplace(key, first + int64_t(counts.size())).first->second;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
class Tracer {
public:
  explicit Tracer(TripCounts &trips) : trips(trips) {}
  LogicalResult run(Block &block);
  std::vector<ProtocolStep> steps;

private:
  using Number = std::optional<int64_t>;

  Number get(Value value) const {
    auto it = values.find(value);
    return it == values.end() ? Number() : it->second;
  }
  void set(Value value, Number number) { values[value] = number; }
  void evaluate(Operation *op);
  LogicalResult visit(Operation *op);
  LogicalResult visitLoop(scf::ForOp loop);
  LogicalResult visitOther(Operation *op);
  /// A step on `slot`, if it is known.
  LogicalResult add(Operation *op, Value slot, Value phase = {}, Value when = {});

  TripCounts &trips;
  llvm::DenseMap<Value, Number> values;
};
} // namespace

LogicalResult Tracer::add(Operation *op, Value slot, Value phase, Value when) {
  ProtocolStep step{op};
  auto known = [&](Value value, int64_t &to, StringRef what) {
    Number number = get(value);
    to = number.value_or(0);
    return number ? success()
                  : op->emitOpError()
                        << "has a " << what << " that depends on data; it must follow "
                        << "from how often loops have run";
  };
  if (failed(known(slot, step.slot, "slot")))
    return failure();
  if (phase && failed(known(phase, step.phase, "phase")))
    return failure();
  int64_t holds = 1;
  if (when && failed(known(when, holds, "predicate")))
    return failure();
  step.when = holds != 0;
  steps.push_back(step);
  return success();
}

/// Of two numbers; nullopt for what slots are not made of.
static std::optional<int64_t> apply(Operation *op, int64_t x, int64_t y) {
  if (isa<arith::AddIOp>(op))
    return x + y;
  if (isa<arith::SubIOp>(op))
    return x - y;
  if (isa<arith::MulIOp>(op))
    return x * y;
  if (isa<arith::AndIOp>(op))
    return x & y;
  if (isa<arith::OrIOp>(op))
    return x | y;
  if (isa<arith::XOrIOp>(op))
    return x ^ y;
  if (isa<arith::MinSIOp>(op))
    return std::min(x, y);
  if (isa<arith::MaxSIOp>(op))
    return std::max(x, y);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && y > 0 && x >= 0)
    return x / y;
  if (isa<arith::RemUIOp, arith::RemSIOp>(op) && y > 0 && x >= 0)
    return x % y;
  return std::nullopt;
}

static bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return uint64_t(x) < uint64_t(y);
  case arith::CmpIPredicate::ule:
    return uint64_t(x) <= uint64_t(y);
  case arith::CmpIPredicate::ugt:
    return uint64_t(x) > uint64_t(y);
  case arith::CmpIPredicate::uge:
    return uint64_t(x) >= uint64_t(y);
  }
  llvm_unreachable("not a predicate");
}

void Tracer::evaluate(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isSignlessInteger())
    return;
  Value result = op->getResult(0);
  Number number;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    APInt bits = cast<IntegerAttr>(constant.getValue()).getValue();
    if (bits.getBitWidth() <= 64)
      number = bits.getBitWidth() == 1 ? int64_t(bits.getZExtValue()) : bits.getSExtValue();
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (Number condition = get(select.getCondition()))
      number = get(*condition ? select.getTrueValue() : select.getFalseValue());
  } else if (op->getNumOperands() == 2) {
    Number x = get(op->getOperand(0)), y = get(op->getOperand(1));
    if (auto cmp = dyn_cast<arith::CmpIOp>(op); cmp && x && y)
      number = compare(cmp.getPredicate(), *x, *y);
    else if (x && y)
      number = apply(op, *x, *y);
    else if (isa<arith::AndIOp>(op) && result.getType().isInteger(1) && (x == 0 || y == 0))
      number = 0;
  }
  // Not one of an earlier iteration.
  set(result, number);
}

/// Whether steps are made in it.
static bool hasSteps(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<SchedDialect>(inner->getDialect()) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether it goes on with channels that were made outside of it.
static bool usesChannelsFromOutside(Operation *op, bool betweenRoles) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (isa<ChannelType>(operand.getType()) &&
              !op->isAncestor(operand.getParentRegion()->getParentOp()) &&
              (!betweenRoles || getChannelType(operand).isBetweenRoles()))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Tracer::visitLoop(scf::ForOp loop) {
  int64_t count = 1;
  if (usesChannelsFromOutside(loop, /*betweenRoles=*/false)) {
    Number lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound()),
           step = get(loop.getStep());
    if (!lower)
      set(loop.getLowerBound(), lower = 0);
    if (!step)
      set(loop.getStep(), step = 1);
    if (!upper)
      set(loop.getUpperBound(), upper = *lower + trips.get(loop) * *step);
    int64_t span = *upper - *lower;
    count = span <= 0 || *step < 1 ? 0 : std::min((span + *step - 1) / *step, trips.limit());
  }
  SmallVector<Number> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(get(init));
  Number lower = get(loop.getLowerBound()), step = get(loop.getStep());
  for (int64_t i = 0; i < count; ++i) {
    set(loop.getInductionVar(), lower && step ? Number(*lower + i * *step) : Number());
    for (auto [argument, number] : llvm::zip(loop.getRegionIterArgs(), carried))
      set(argument, number);
    if (failed(run(*loop.getBody())))
      return failure();
    for (auto [value, number] : llvm::zip(loop.getYieldedValues(), carried))
      number = get(value);
  }
  for (auto [result, number] : llvm::zip(loop.getResults(), carried))
    set(result, number);
  return success();
}

/// Its regions, once each: what begins in them ends in them.
LogicalResult Tracer::visitOther(Operation *op) {
  if (!isa<AheadOp, FetchOp, RoleOp>(op) && usesChannelsFromOutside(op, /*betweenRoles=*/true))
    return op->emitOpError("contains ops of a channel between roles, which only loops may");
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(run(block)))
        return failure();
  if (auto ahead = dyn_cast<AheadOp>(op))
    for (auto [result, value] :
         llvm::zip(op->getResults(), ahead.getBody().front().getTerminator()->getOperands()))
      set(result, get(value));
  return success();
}

LogicalResult Tracer::visit(Operation *op) {
  if (auto acquire = dyn_cast<AcquireOp>(op))
    return add(op, acquire.getSlot(), acquire.getPhase());
  if (auto publish = dyn_cast<PublishOp>(op))
    return add(op, publish.getSlot(), {}, publish.getWhen());
  if (auto await = dyn_cast<AwaitOp>(op))
    return add(op, await.getSlot(), await.getPhase());
  if (auto release = dyn_cast<ReleaseOp>(op))
    return add(op, release.getSlot(), {}, release.getWhen());
  if (auto copy = dyn_cast<CopyOp>(op))
    return add(op, copy.getSlot());
  if (auto put = dyn_cast<PutOp>(op))
    return add(op, put.getSlot());
  if (auto read = dyn_cast<ReadOp>(op))
    return add(op, read.getSlot());
  auto dot = dyn_cast<tile::DotOp>(op);
  if (isa<RingOp, ChannelOp, DotWaitOp, DrainOp>(op) || (dot && isInFlight(dot))) {
    steps.push_back({op});
    return success();
  }
  if (op->getNumRegions() && hasSteps(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitLoop(loop);
    return visitOther(op);
  }
  evaluate(op);
  return success();
}

LogicalResult Tracer::run(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

FailureOr<std::vector<ProtocolStep>> schedule::traceProtocol(Block &block, TripCounts &trips) {
  Tracer tracer(trips);
  if (failed(tracer.run(block)))
    return failure();
  return std::move(tracer.steps);
}
