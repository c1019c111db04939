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
    Value counter = findCounter(value);
    if (counter == value)
      known[value] = next++;
    else
      known[value] = known.lookup(counter);
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

/// Counters of loops with equal bounds are equal: of roles that loop over the same programs.
Value ValueNumbers::findCounter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return value;
  std::array<unsigned, 3> bounds = {of(loop.getLowerBound()), of(loop.getUpperBound()),
                                    of(loop.getStep())};
  return counters.try_emplace(bounds, value).first->second;
}

unsigned ValueNumbers::of(Value value) {
  // Operands are numbered before their user; chains may be too long for recursion.
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
// Values that matter
//===----------------------------------------------------------------------===//

/// Whether steps are made in it.
static bool hasSteps(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<SchedDialect>(inner->getDialect()) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether it goes on with a channel between roles, which is made outside of all control flow.
static bool usesRoles(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (isa<ChannelType>(operand.getType()) && getChannelType(operand).isBetweenRoles())
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void ProtocolValues::addSinks(Operation *op, SmallVectorImpl<Value> &work) const {
  auto add = [&](std::initializer_list<Value> operands) {
    llvm::copy_if(operands, std::back_inserter(work), [](Value value) { return bool(value); });
  };
  if (auto acquire = dyn_cast<AcquireOp>(op))
    add({acquire.getSlot(), acquire.getPhase()});
  else if (auto publish = dyn_cast<PublishOp>(op))
    add({publish.getSlot(), publish.getWhen()});
  else if (auto await = dyn_cast<AwaitOp>(op))
    add({await.getSlot(), await.getPhase()});
  else if (auto release = dyn_cast<ReleaseOp>(op))
    add({release.getSlot(), release.getWhen()});
  else if (auto copy = dyn_cast<CopyOp>(op))
    add({copy.getSlot()});
  else if (auto copy = dyn_cast<CopyBoxOp>(op))
    add({copy.getSlot()});
  else if (auto put = dyn_cast<PutOp>(op))
    add({put.getSlot()});
  else if (auto read = dyn_cast<ReadOp>(op))
    add({read.getSlot()});
  else if (auto loop = dyn_cast<scf::ForOp>(op); loop && hasSteps(op))
    add({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
}

void ProtocolValues::addSources(Value value, SmallVectorImpl<Value> &work) const {
  auto addCarried = [&](scf::ForOp loop, unsigned index) {
    work.push_back(loop.getInitArgs()[index]);
    work.push_back(loop.getYieldedValues()[index]);
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument.getArgNumber() > 0)
      addCarried(loop, argument.getArgNumber() - 1);
    else if (loop)
      work.append({loop.getLowerBound(), loop.getStep()});
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    addCarried(loop, index);
  else if (auto ahead = dyn_cast<AheadOp>(op))
    work.push_back(ahead.getBody().front().getTerminator()->getOperand(index));
  else if (!op->getNumRegions())
    llvm::copy_if(op->getOperands(), std::back_inserter(work),
                  [](Value operand) { return operand.getType().isSignlessInteger(); });
}

ProtocolValues::Loop ProtocolValues::describe(scf::ForOp loop) const {
  llvm::SetVector<Value> inputs, channels;
  Loop its;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (isa<ChannelType>(operand.getType()))
        its.waits |= getChannelType(operand).isBetweenRoles();
      if (loop->isAncestor(operand.getParentRegion()->getParentOp()))
        continue;
      if (contains(operand))
        inputs.insert(operand);
      else if (isa<ChannelType>(operand.getType()))
        channels.insert(operand);
      else if (isa<RingType>(operand.getType()) &&
               !loop->isAncestor(getChannel(operand).getDefiningOp()))
        channels.insert(getChannel(operand));
    }
  });
  its.inputs.assign(inputs.begin(), inputs.end());
  its.channels.assign(channels.begin(), channels.end());
  return its;
}

ProtocolValues::ProtocolValues(func::FuncOp kernel) {
  SmallVector<Value> work;
  kernel.walk([&](Operation *op) { addSinks(op, work); });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (values.insert(value).second)
      addSources(value, work);
  }
  kernel.walk([&](scf::ForOp loop) {
    if (hasSteps(loop))
      loops[loop] = describe(loop);
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LogicalResult ProtocolTracer::add(Operation *op, Value slot, Value phase, Value when) {
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

void ProtocolTracer::evaluate(Operation *op) {
  if (op->getNumResults() != 1 || !relevant.contains(op->getResult(0)))
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

/// Bounds that do not follow from constants are the same wherever they are computed in the same
/// way.
int64_t ProtocolTracer::countTrips(scf::ForOp loop) {
  Number lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound()),
         step = get(loop.getStep());
  if (!lower)
    set(loop.getLowerBound(), lower = 0);
  if (!step)
    set(loop.getStep(), step = 1);
  if (!upper)
    set(loop.getUpperBound(), upper = *lower + trips.get(loop) * *step);
  int64_t span = *upper - *lower;
  return span <= 0 || *step < 1 ? 0 : std::min((span + *step - 1) / *step, trips.limit());
}

LogicalResult ProtocolTracer::runLoop(scf::ForOp loop, int64_t count, Numbers &carried) {
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
  return success();
}

LogicalResult ProtocolTracer::visitLoop(scf::ForOp loop, const ProtocolValues::Loop &its) {
  // Channels that are made in the loop are the same in each iteration.
  int64_t count = its.channels.empty() ? 1 : countTrips(loop);
  Numbers inputs, carried;
  for (Value input : its.inputs)
    inputs.push_back(get(input));
  auto [it, isNew] = known.try_emplace({loop, std::move(inputs)});
  if (isNew) {
    for (Value init : loop.getInitArgs())
      carried.push_back(get(init));
    std::vector<ProtocolStep> around = std::exchange(steps, {});
    if (failed(runLoop(loop, count, carried)))
      return failure();
    traces.push_back(std::make_unique<ProtocolTrace>());
    *traces.back() = {std::exchange(steps, std::move(around)), its.waits, its.channels};
    it->second = {traces.back().get(), std::move(carried)};
  }
  ProtocolStep step{loop};
  step.loop = it->second.trace;
  steps.push_back(step);
  for (auto [result, number] : llvm::zip(loop.getResults(), it->second.results))
    set(result, number);
  return success();
}

/// Its regions, once each: what begins in them ends in them.
LogicalResult ProtocolTracer::visitOther(Operation *op) {
  if (!isa<AheadOp, FetchOp, RoleOp>(op) && usesRoles(op))
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

LogicalResult ProtocolTracer::visit(Operation *op) {
  ++visits;
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
  if (auto copy = dyn_cast<CopyBoxOp>(op))
    return add(op, copy.getSlot());
  if (auto put = dyn_cast<PutOp>(op))
    return add(op, put.getSlot());
  if (auto read = dyn_cast<ReadOp>(op))
    return add(op, read.getSlot());
  if (isa<ChannelOp, DrainOp, DotWaitOp, TurnOp, tile::DotOp>(op)) {
    steps.push_back({op});
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (const ProtocolValues::Loop *its = relevant.find(loop))
      return visitLoop(loop, *its);
  } else if (op->getNumRegions() && hasSteps(op)) {
    return visitOther(op);
  }
  evaluate(op);
  return success();
}

LogicalResult ProtocolTracer::run(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

const ProtocolTrace *ProtocolTracer::trace(Block &block) {
  steps.clear();
  if (failed(run(block)))
    return nullptr;
  traces.push_back(std::make_unique<ProtocolTrace>());
  traces.back()->steps = std::move(steps);
  return traces.back().get();
}
