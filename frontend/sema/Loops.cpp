// `for` and `while`: unrolled at compile time, or as scf.for, or as scf.while where the loop can be
// left early.
#include "frontend/sema/LoopPlan.h"
#include "frontend/types/Promotion.h"
#include "ir/tile/LoopHints.h"

#include "llvm/ADT/ScopeExit.h"

namespace tilerun::sema {

using namespace ast;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

void Evaluator::emitFor(const ForStmt &statement) {
  if (!statement.elseBody.empty()) {
    (void)error(statement.range,
                "'for … else' cannot be used in a kernel; use a flag that the loop "
                "sets before 'break'");
    return poisonAssigned(&statement);
  }
  Result iterable = evaluate(*statement.iterable);
  if (failed(iterable))
    return poisonAssigned(&statement);
  if (auto *range = iterable->getIf<std::shared_ptr<RangeValue>>();
      range && (*range)->kind != RangeValue::Kind::StaticRange &&
      !(isCompileTime() && iterable->isConstexpr()))
    return emitRuntimeFor(statement, **range);
  if (iterable->isTensor()) {
    (void)error(statement.iterable->range, "cannot iterate over " + iterable->describe() +
                                               "; use range(…) or tl.range(…) and index memory");
    return poisonAssigned(&statement);
  }
  auto items = iterate(*iterable, statement.iterable->range);
  if (failed(items))
    return poisonAssigned(&statement);
  if (!iterable->is<std::shared_ptr<RangeValue>>())
    beyondTriton(statement.iterable->range, "a loop over " + iterable->describe(), "Y17",
                 "index it in a tl.static_range");
  emitUnrolled(statement, *items);
}

void Evaluator::emitUnrolled(const ForStmt &statement, llvm::ArrayRef<Value> items) {
  LoopScope scope;
  scope.range = statement.range;
  scope.bodyEnd = statement.body.back()->range.end;
  scope.unrolled = true;
  scope.header = statement.iterable->range;
  scope.iterations = items.size();
  frame().loops.push_back(std::move(scope));
  const uint64_t opsBefore = ops.count;
  auto isTrue = [](const Value &flag) { return flag.is<bool>() && flag.get<bool>(); };
  auto iteration = [&](const Value &item) {
    // The variable of an unrolled loop stays a compile-time value.
    if (const auto *name = llvm::dyn_cast<NameExpr>(statement.target))
      bind(name->name, item, name->range);
    else
      emitAssign(*statement.target, item, statement.target->range);
    emitBlock(statement.body);
    // `continue` ends here; `break` ends the unrolling below.
    env().continued = Value(false);
    env().unreachable = isTrue(env().returned);
  };
  for (const Value &item : items) {
    if (step(statement.range) || isTrue(env().broke) || env().unreachable)
      break;
    ++frame().loops.back().iteration;
    if (!env().mayHaveExited()) {
      iteration(item);
      continue;
    }
    auto exited = getExited(statement.range);
    if (failed(exited))
      break;
    emitBranch(
        negate(*exited, statement.range), statement.range, statement.range.end,
        [&] { iteration(item); }, [] {}, /*elseExited=*/true);
    // Paths that left by `break` join after the loop.
    env().unreachable = isTrue(env().returned);
  }
  frame().loops.pop_back();
  const bool isWithin = llvm::any_of(frames, [](const auto &active) {
    return llvm::any_of(active->loops, [](const LoopScope &loop) { return loop.unrolled; });
  });
  if (uint64_t made = ops.count - opsBefore;
      !isWithin && frame().module != prelude && made > largestUnrolled.operations)
    largestUnrolled = {statement.iterable->range, items.size(), made, /*kernelOperations=*/0};
  env().broke = Value(false);
  env().unreachable = isTrue(env().returned);
}

bool Evaluator::emitUnrolledWhile(const WhileStmt &statement) {
  LoopScope scope;
  scope.range = statement.range;
  scope.bodyEnd = statement.body.back()->range.end;
  scope.unrolled = true;
  scope.header = statement.condition->range;
  frame().loops.push_back(std::move(scope));
  llvm::scope_exit leave([&] { frame().loops.pop_back(); });
  auto isTrue = [](const Value &flag) { return flag.is<bool>() && flag.get<bool>(); };
  bool isKnown = true;
  while (!step(statement.range) && !isTrue(env().broke) && !env().unreachable) {
    Result condition = evaluate(*statement.condition);
    if (failed(condition)) {
      poisonAssigned(&statement);
      break;
    }
    std::optional<bool> runs = getTruth(*condition);
    isKnown = runs && !env().mayHaveExited();
    LoopScope &loop = frame().loops.back();
    if (!isKnown && loop.iteration == 0)
      return false;
    if (!isKnown) {
      (void)error(statement.condition->range,
                  "the condition is of run time after " + llvm::Twine(loop.iteration) +
                      " iterations at compile time; use a @triton.jit function");
      poisonAssigned(&statement);
      break;
    }
    if (!*runs)
      break;
    ++loop.iteration;
    ++loop.iterations;
    emitBlock(statement.body);
    env().continued = Value(false);
    env().unreachable = isTrue(env().returned);
  }
  env().broke = Value(false);
  env().unreachable = isTrue(env().returned);
  return true;
}

//===----------------------------------------------------------------------===//
// Run-time for
//===----------------------------------------------------------------------===//

static Operand toOperand(const Value &value) {
  if (auto *tensor = value.getIf<TensorValue>())
    return Operand(tensor->type.dtype);
  if (auto *v = value.getIf<bool>())
    return Operand(Literal(*v));
  if (auto *v = value.getIf<PyInt>())
    return Operand(Literal(*v));
  return Operand(Literal(value.get<double>()));
}

void Evaluator::emitRuntimeFor(const ForStmt &statement, const RangeValue &range) {
  SourceRange place = statement.iterable->range;
  auto giveUp = [&] { poisonAssigned(&statement); };
  const auto *target = llvm::dyn_cast<NameExpr>(statement.target);
  if (!target) {
    (void)error(statement.target->range, "the variable of a run-time loop must be one name");
    return giveUp();
  }
  Value lower = range.lower ? *range.lower : Value::none();
  Value upper = range.upper ? *range.upper : Value::none();
  Value stride = range.step ? *range.step : Value::none();
  if (lower.isNone())
    lower = Value(PyInt(0));
  if (stride.isNone())
    stride = Value(PyInt(1));
  for (auto [what, bound] :
       {std::pair{"lower bound", &lower}, {"upper bound", &upper}, {"step", &stride}}) {
    if (failed(requireKnown(*bound, place)))
      return giveUp();
    auto *tensor = bound->getIf<TensorValue>();
    bool ok = tensor ? tensor->type.isScalar() && tensor->type.dtype.isInt()
                     : bound->is<PyInt>() || bound->is<bool>();
    if (ok)
      continue;
    (void)error(place, llvm::Twine("the ") + what + " of a range must be a scalar integer, not " +
                           bound->describe());
    return giveUp();
  }
  TypeOrError type = getInductionType(toOperand(lower), toOperand(upper), toOperand(stride));
  if (!type) {
    (void)error(place, type.error);
    return giveUp();
  }
  // A step whose sign is known may count downwards; a run-time step counts upwards.
  std::optional<PyInt> known;
  llvm::APInt constant;
  if (stride.is<PyInt>() || stride.is<bool>())
    known = stride.is<bool>() ? PyInt(stride.get<bool>()) : stride.get<PyInt>();
  else if (mlir::matchPattern(stride.get<TensorValue>().value, mlir::m_ConstantInt(&constant)))
    known = constant.getSExtValue();
  if (known && *known == 0) {
    (void)error(place, "the step of a range cannot be 0");
    return giveUp();
  }
  bool descending = known && *known < 0;
  if (descending)
    stride = Value(-*known);
  auto convert = [&](const Value &v) { return lang::cast(at(place), v, *type); };
  auto first = convert(lower), last = convert(upper), by = convert(stride);
  if (failed(first) || failed(last) || failed(by))
    return giveUp();

  LoopPlan plan;
  plan.range = statement.range;
  plan.body = statement.body;
  plan.assigned = collectAssigned(statement.body);
  plan.assigned.erase(target->name);
  plan.target = target;
  plan.inductionType = *type;
  mlir::Value start = first->value, stop = last->value;
  mlir::Location loc = getLocation(place);
  if (descending) {
    // Counts k from 0 to lower - upper; the variable is lower - k.
    mlir::Value origin = start;
    stop = arith::SubIOp::create(builder, loc, start, stop);
    start = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(origin.getType(), 0));
    plan.getInduction = [this, origin, loc](mlir::Value counter) -> mlir::Value {
      return arith::SubIOp::create(builder, loc, origin, counter);
    };
  }
  llvm::SmallVector<mlir::NamedAttribute> hints;
  for (const auto &[name, value] : range.hints)
    hints.push_back(builder.getNamedAttr(tilerun::tile::kHintPrefix.str() + name,
                                         builder.getI64IntegerAttr(value)));
  bool isUnsigned = (*type).isUnsigned() && !descending;
  planLoop(plan);
  if (fatal)
    return;
  if (plan.canLeave())
    emitLeavableLoop(plan, start, stop, by->value, isUnsigned, hints);
  else
    emitCountedLoop(plan, start, stop, by->value, isUnsigned, hints);
}

void Evaluator::emitCountedLoop(LoopPlan &plan, mlir::Value lower, mlir::Value upper,
                                mlir::Value step, bool isUnsigned,
                                llvm::ArrayRef<mlir::NamedAttribute> hints) {
  mlir::Location loc = getLocation(plan.range);
  auto loop =
      scf::ForOp::create(builder, loc, lower, upper, step, getInitial(plan), nullptr, isUnsigned);
  for (mlir::NamedAttribute hint : hints)
    loop->setAttr(hint.getName(), hint.getValue());
  mlir::Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase(); // An implicit terminator.
  builder.setInsertionPointToEnd(body);
  enterIteration(plan, loop.getRegionIterArgs());
  emitBody(plan, loop.getInductionVar());
  checkFixed(plan);
  scf::YieldOp::create(builder, loc, getCarried(plan, loop.getRegionIterArgs()));
  builder.setInsertionPointAfter(loop);
  leaveLoop(plan, loop.getResults());
}

/// An scf.while with empty regions for the plan's values, and its two blocks.
static scf::WhileOp makeWhile(mlir::OpBuilder &builder, mlir::Location loc,
                              llvm::ArrayRef<mlir::Value> initial, mlir::Block *&before,
                              mlir::Block *&after) {
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(initial).getTypes());
  llvm::SmallVector<mlir::Location> locations(types.size(), loc);
  auto loop = scf::WhileOp::create(builder, loc, types, initial);
  mlir::OpBuilder::InsertionGuard guard(builder);
  before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  return loop;
}

void Evaluator::emitLeavableLoop(LoopPlan &plan, mlir::Value lower, mlir::Value upper,
                                 mlir::Value step, bool isUnsigned,
                                 llvm::ArrayRef<mlir::NamedAttribute> hints) {
  mlir::Location loc = getLocation(plan.range);
  std::vector<mlir::Value> initial = getInitial(plan);
  initial.push_back(lower); // The counter comes last.
  mlir::Block *before = nullptr, *after = nullptr;
  scf::WhileOp loop = makeWhile(builder, loc, initial, before, after);
  for (mlir::NamedAttribute hint : hints)
    loop->setAttr(hint.getName(), hint.getValue());

  builder.setInsertionPointToEnd(before);
  mlir::ValueRange entry = before->getArguments();
  mlir::Value more = arith::CmpIOp::create(
      builder, loc, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
      entry.back(), upper);
  mlir::Value stay = negate(getExitFlags(plan, entry), plan.range);
  more = arith::AndIOp::create(builder, loc, more, stay);
  scf::ConditionOp::create(builder, loc, more, entry);

  builder.setInsertionPointToEnd(after);
  mlir::ValueRange values = after->getArguments();
  enterIteration(plan, values.drop_back());
  emitBody(plan, values.back());
  checkFixed(plan);
  std::vector<mlir::Value> next = getCarried(plan, values.drop_back());
  next.push_back(arith::AddIOp::create(builder, loc, values.back(), step));
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(loop);
  leaveLoop(plan, loop.getResults().drop_back());
}

//===----------------------------------------------------------------------===//
// While
//===----------------------------------------------------------------------===//

/// The condition of a `while` as an i1, at the end of the before-region. `neverRuns` is set if it
/// is false at compile time.
FailureOr<mlir::Value> Evaluator::emitWhileCondition(const LoopPlan &plan, const Expr &condition,
                                                     mlir::ValueRange values, bool &neverRuns) {
  static constexpr llvm::StringLiteral kCondition = "<condition>";
  bool isKnown = false;
  auto evaluateInto = [&]() -> FailureOr<mlir::Value> {
    Result value = evaluate(condition);
    if (failed(value))
      return failure();
    if (auto truth = getTruth(*value)) {
      neverRuns = !*truth;
      isKnown = true;
    }
    return toCondition(*value, condition.range, "while");
  };
  FailureOr<mlir::Value> result = failure();
  if (!plan.canLeave()) {
    result = evaluateInto();
  } else {
    // After an exit the condition must not be evaluated again.
    mlir::Value stay = negate(getExitFlags(plan, values), plan.range);
    auto hide = [&](FailureOr<mlir::Value> flag) {
      env().names[kCondition] =
          failed(flag)
              ? Binding::poisoned(condition.range)
              : Binding::bound(Value(TensorValue{*flag, TensorType{dtype(Scalar::Int1), {}}}),
                               condition.range);
    };
    // Names bound by the condition have no value where it is not evaluated, and need none.
    emitBranch(
        stay, condition.range, condition.range.end, [&] { hide(evaluateInto()); }, [] {},
        /*elseExited=*/true);
    Result value = takeHidden(kCondition, condition.range);
    if (succeeded(value))
      result = mlir::arith::SelectOp::create(builder, getLocation(condition.range), stay,
                                             value->get<TensorValue>().value,
                                             makeBool(false, condition.range))
                   .getResult();
  }
  if (succeeded(result) && isKnown && !neverRuns && !plan.canLeave())
    return error(condition.range, "this loop never ends: its condition is always true, and nothing "
                                  "in it leaves the loop");
  return result;
}

/// The names bound by `:=` in a condition that no iteration carries, at the end of the condition.
std::map<llvm::StringRef, Binding> Evaluator::getBoundByCondition(const LoopPlan &plan) {
  AssignedNames assigned;
  collectAssigned(plan.condition, assigned);
  std::map<llvm::StringRef, Binding> out;
  for (const auto &[name, range] : assigned) {
    auto before = plan.before.names.find(name);
    if (before != plan.before.names.end() && before->second.isBound())
      continue;
    if (auto it = env().names.find(name); it != env().names.end() && it->second.isBound()) {
      out[name] = it->second;
      out[name].value = deepCopy(it->second.value);
    }
  }
  return out;
}

void Evaluator::emitWhile(const WhileStmt &statement) {
  if (!statement.elseBody.empty()) {
    (void)error(statement.range, "'while … else' cannot be used in a kernel; use a flag that the "
                                 "loop sets before 'break'");
    return poisonAssigned(&statement);
  }
  if (isCompileTime() && emitUnrolledWhile(statement))
    return;
  LoopPlan plan;
  plan.range = statement.range;
  plan.body = statement.body;
  plan.assigned = collectAssigned(statement.body);
  collectAssigned(statement.condition, plan.assigned);
  plan.condition = statement.condition;
  planLoop(plan);
  if (fatal)
    return;

  mlir::Location loc = getLocation(plan.range);
  mlir::Block *before = nullptr, *after = nullptr;
  scf::WhileOp loop = makeWhile(builder, loc, getInitial(plan), before, after);
  builder.setInsertionPointToEnd(before);
  enterIteration(plan, before->getArguments());
  bool neverRuns = false;
  LoopScope scope;
  scope.range = plan.range;
  scope.carried.insert(plan.carried.begin(), plan.carried.end());
  frame().loops.push_back(scope);
  auto condition =
      emitWhileCondition(plan, *statement.condition, before->getArguments(), neverRuns);
  frame().loops.pop_back();
  if (failed(condition) || neverRuns) {
    env() = plan.before;
    builder.setInsertionPointAfter(loop);
    loop.erase();
    if (failed(condition))
      poisonAssigned(&statement);
    return;
  }
  std::vector<mlir::Value> entered = getCarried(plan, before->getArguments());
  // The condition binds no exits: those are passed on.
  size_t leaves = 0;
  for (llvm::StringRef name : plan.carried)
    forEachLeaf(plan.before.names[name].value, [&](auto &) { ++leaves; });
  for (size_t i = leaves; i < entered.size(); ++i)
    entered[i] = before->getArgument(i);
  const size_t numCarried = entered.size();
  std::map<llvm::StringRef, Binding> bound = getBoundByCondition(plan);
  for (auto &[name, binding] : bound)
    forEachLeaf(binding.value, [&](auto &leaf) { entered.push_back(leaf.value); });
  scf::ConditionOp::create(builder, loc, *condition, entered);
  if (entered.size() != numCarried) {
    // The body takes more than the condition does.
    llvm::SmallVector<mlir::Type> types(mlir::ValueRange(entered).getTypes());
    builder.setInsertionPoint(loop);
    auto wider = scf::WhileOp::create(builder, loc, types, loop.getInits());
    wider.getBefore().takeBody(loop.getBefore());
    loop.erase();
    loop = wider;
    llvm::SmallVector<mlir::Location> locations(types.size(), loc);
    after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  }
  auto rebind = [&](mlir::ValueRange values) {
    size_t next = 0;
    for (auto &[name, binding] : bound) {
      forEachLeaf(binding.value, [&](auto &leaf) { leaf.value = values[next++]; });
      env().names[name] = binding;
      env().names[name].value = deepCopy(binding.value);
    }
  };

  builder.setInsertionPointToEnd(after);
  mlir::ValueRange inside = after->getArguments();
  enterIteration(plan, inside.take_front(numCarried));
  rebind(inside.drop_front(numCarried));
  emitBody(plan, mlir::Value());
  checkFixed(plan);
  scf::YieldOp::create(builder, loc, getCarried(plan, inside.take_front(numCarried)));
  builder.setInsertionPointAfter(loop);
  mlir::ValueRange results = loop.getResults();
  leaveLoop(plan, results.take_front(numCarried));
  // The condition is evaluated last, unless the loop is left by an exit.
  if (!plan.canLeave())
    rebind(results.drop_front(numCarried));
}

} // namespace tilerun::sema
