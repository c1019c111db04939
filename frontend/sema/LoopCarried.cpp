// Which names a run-time loop carries, and their values at its edges. A loop that may be left early
// (`break`, `return`), or that may change a compile-time number, is emitted twice: a dry run, whose
// IR is dropped, finds out what the exits and types are.
#include "frontend/sema/LoopPlan.h"

#include "frontend/types/Promotion.h"

namespace tilerun::sema {

using namespace ast;

static constexpr const char *kLoopVariable =
    "the variable of a run-time loop has no value after the loop";

Value deepCopy(const Value &value) {
  const TupleValue *tuple = value.getTuple();
  if (!tuple)
    return value;
  auto copy = std::make_shared<TupleValue>(*tuple);
  for (Value &element : copy->elements)
    element = deepCopy(element);
  return Value(std::move(copy));
}

static bool hasTensor(const Value &value) {
  if (const TupleValue *tuple = value.getTuple())
    return llvm::any_of(tuple->elements, hasTensor);
  return value.isTensor() || value.is<DescriptorValue>();
}

static bool hasNumber(const Value &value) {
  if (const TupleValue *tuple = value.getTuple())
    return llvm::any_of(tuple->elements, hasNumber);
  return value.isConstNumber();
}

void Evaluator::planLoop(LoopPlan &plan) {
  std::vector<llvm::StringRef> undecided;
  for (const auto &[name, range] : plan.assigned) {
    auto it = env().names.find(name);
    if (it == env().names.end() || !it->second.isBound())
      continue;
    bool isRead = !frame().liveness ||
                  frame().liveness->isReadByIteration(name, plan.range.begin.offset) ||
                  isLiveAfter(name, plan.range.end);
    const Value &value = it->second.value;
    if (it->second.isConstexpr) {
      plan.fixed.push_back(name);
    } else if (!isRead) {
      plan.dead.push_back(name);
    } else if (hasTensor(value)) {
      // Numbers inside a tuple become run-time scalars with it.
      it->second.value = decay(value, plan.range);
      plan.carried.push_back(name);
    } else if (hasNumber(value)) {
      undecided.push_back(name);
    } else {
      plan.fixed.push_back(name);
    }
  }
  bool leavable = mayLeaveLoop(plan.body);
  while (!undecided.empty() || leavable) {
    plan.before = env();
    Environment after;
    {
      LoopPlan trial = plan;
      llvm::append_range(trial.fixed, undecided);
      if (!dryRun(trial))
        break;
      after = std::move(trial.before);
    }
    auto isFalse = [](const Value &flag) { return flag.is<bool>() && !flag.get<bool>(); };
    plan.mayReturn = !isFalse(after.returned);
    plan.mayBreak = !isFalse(after.broke);
    if (after.result && after.result->isBound()) {
      plan.result = after.result->value;
      plan.resultPlace = after.result->place;
    }
    // A compile-time number that an iteration changes becomes a run-time scalar.
    std::vector<llvm::StringRef> rest;
    for (llvm::StringRef name : undecided) {
      auto it = after.names.find(name);
      bool changed = it == after.names.end() || !it->second.isBound() ||
                     !isSame(it->second.value, env().names[name].value);
      if (!changed) {
        rest.push_back(name);
        continue;
      }
      Binding &binding = env().names[name];
      binding.value = decay(binding.value, plan.range);
      plan.carried.push_back(name);
    }
    bool stable = rest.size() == undecided.size();
    undecided = std::move(rest);
    if (stable || fatal)
      break;
  }
  llvm::append_range(plan.fixed, undecided);
  llvm::sort(plan.carried);
  plan.before = env();
}

/// Emits one iteration into a scratch region, leaves its final environment in `plan.before`, and
/// drops the IR. False if there is nothing to learn.
bool Evaluator::dryRun(LoopPlan &plan) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Location loc = getLocation(plan.range);
  auto scratch = mlir::scf::ExecuteRegionOp::create(builder, loc, mlir::TypeRange{});
  std::vector<mlir::Type> types;
  std::vector<mlir::Value> initial = getInitial(plan);
  types.reserve(initial.size() + 1);
  for (mlir::Value value : initial)
    types.push_back(value.getType());
  if (plan.inductionType)
    types.push_back(lang::getMlirType(&context, *plan.inductionType));
  llvm::SmallVector<mlir::Location> locations(types.size(), loc);
  mlir::Block *block = builder.createBlock(&scratch.getRegion(), {}, types, locations);
  unsigned errorsBefore = numErrors;
  unsigned depth = regionDepth;
  Environment saved = env();
  {
    QuietScope scope(*this);
    mlir::ValueRange arguments = block->getArguments();
    enterIteration(plan, arguments.take_front(initial.size()));
    bool runs = true;
    if (plan.condition) {
      Result condition = evaluate(*plan.condition);
      runs = failed(condition) || getTruth(*condition).value_or(true);
    }
    if (runs)
      emitBody(plan, plan.inductionType ? arguments.back() : mlir::Value());
  }
  if (quiet == 0)
    quietMessage.clear();
  numErrors = errorsBefore;
  regionDepth = depth;
  plan.before = std::exchange(env(), std::move(saved));
  scratch.erase();
  return true;
}

void Evaluator::emitBody(LoopPlan &plan, mlir::Value induction) {
  LoopScope scope;
  scope.range = plan.range;
  scope.bodyEnd = plan.body.back()->range.end;
  scope.carried.insert(plan.carried.begin(), plan.carried.end());
  scope.carried.insert(plan.fixed.begin(), plan.fixed.end());
  frame().loops.push_back(std::move(scope));
  ++regionDepth;
  if (plan.target) {
    mlir::Value value = plan.getInduction ? plan.getInduction(induction) : induction;
    bind(plan.target->name, Value(TensorValue{value, TensorType{*plan.inductionType, {}}}),
         plan.target->range);
  }
  if (regionDepth > Limits::kRegionDepth)
    (void)fatalError(plan.range, "run-time control flow nests deeper than " +
                                     llvm::Twine(Limits::kRegionDepth) + " levels");
  else
    emitBlock(plan.body);
  --regionDepth;
  frame().loops.pop_back();
}

/// The values on entry: carried names, exit flags, and poison for the result.
std::vector<mlir::Value> Evaluator::getInitial(LoopPlan &plan) {
  std::vector<mlir::Value> out;
  for (llvm::StringRef name : plan.carried)
    forEachLeaf(plan.before.names[name].value, [&](auto &leaf) { out.push_back(leaf.value); });
  if (plan.mayReturn)
    out.push_back(makeBool(false, plan.range));
  if (plan.mayBreak)
    out.push_back(makeBool(false, plan.range));
  if (plan.mayReturn && plan.result)
    forEachLeaf(*plan.result,
                [&](auto &leaf) { out.push_back(lang::makePoison(at(plan.range), leaf).value); });
  return out;
}

/// The environment at the start of an iteration (or of a `while` condition).
void Evaluator::enterIteration(LoopPlan &plan, mlir::ValueRange values) {
  env() = plan.before;
  size_t next = 0;
  for (llvm::StringRef name : plan.carried) {
    Binding &binding = env().names[name];
    binding.value = deepCopy(binding.value);
    forEachLeaf(binding.value, [&](auto &leaf) { leaf.value = values[next++]; });
  }
  for (llvm::StringRef name : plan.dead)
    env().names[name] = Binding::undefined(
        plan.assigned.at(name), "an iteration of this run-time loop assigns it before it is read");
  // Nothing returned yet on this path; what an earlier iteration returned ended the loop.
  env().result.reset();
}

mlir::Value Evaluator::getExitFlags(const LoopPlan &plan, mlir::ValueRange values) {
  size_t next = 0;
  for (llvm::StringRef name : plan.carried) {
    Value copy = deepCopy(plan.before.names.at(name).value);
    forEachLeaf(copy, [&](auto &) { ++next; });
  }
  mlir::Value exited = values[next];
  if (plan.mayReturn && plan.mayBreak)
    exited = mlir::arith::OrIOp::create(builder, getLocation(plan.range), exited, values[next + 1]);
  return exited;
}

/// The leaves of a carried value, converted to the types before the loop; false if one differs.
bool Evaluator::getCarriedLeaves(LoopPlan &plan, const Value &initial, const Value &current,
                                 std::vector<mlir::Value> &out, std::string &mismatch) {
  mismatch =
      (initial.isValid() ? initial.describe() : "not set") + " before and " + current.describe();
  if (auto *expected = initial.getIf<TensorValue>()) {
    if (auto *tensor = current.getIf<TensorValue>()) {
      out.push_back(tensor->value);
      return tensor->type == expected->type;
    }
    if (!current.isConstNumber() || !expected->type.isScalar() || expected->type.dtype.isPointer())
      return false;
    Literal literal = current.is<bool>()    ? Literal(current.get<bool>())
                      : current.is<PyInt>() ? Literal(current.get<PyInt>())
                                            : Literal(current.get<double>());
    TypeOrError adopted = adoptLiteral(literal, expected->type.dtype);
    if (!adopted || !(*adopted == expected->type.dtype))
      return false;
    auto converted = lang::cast(at(plan.range), current, expected->type.dtype);
    if (failed(converted))
      return false;
    out.push_back(converted->value);
    return true;
  }
  if (auto *expected = initial.getIf<DescriptorValue>()) {
    auto *descriptor = current.getIf<DescriptorValue>();
    if (!descriptor || !descriptor->hasTypeOf(*expected))
      return false;
    out.push_back(descriptor->value);
    return true;
  }
  const TupleValue *a = initial.getTuple(), *b = current.getTuple();
  if (!a)
    return isSame(initial, current);
  if (!b || a->elements.size() != b->elements.size() || a->info != b->info ||
      a->isDict() != b->isDict() ||
      (a->isDict() && (a->names != b->names || !a->keys.empty() || !b->keys.empty())))
    return false;
  for (auto [index, element] : llvm::enumerate(a->elements))
    if (!getCarriedLeaves(plan, element, b->elements[index], out, mismatch)) {
      mismatch = nameElement(*a, index) + " is " + mismatch;
      return false;
    }
  return true;
}

void Evaluator::checkFixed(LoopPlan &plan) {
  for (llvm::StringRef name : plan.fixed) {
    const Binding &before = plan.before.names.at(name);
    auto it = env().names.find(name);
    if (it == env().names.end() || it->second.isPoisoned())
      continue;
    if (it->second.isBound() && isSame(it->second.value, before.value))
      continue;
    SourceRange place = it->second.isBound() ? it->second.place : plan.assigned.at(name);
    (void)errorWithNotes(
        place,
        "'" + name + "' is " + before.value.describe() +
            (before.isConstexpr ? " (declared tl.constexpr)" : "") +
            " before this run-time loop and cannot be reassigned in it; use another name, or "
            "tl.static_range to unroll the loop",
        {Note{before.place, "it was bound here"}, Note{plan.range, "the loop starts here"}});
    plan.poisoned.insert(name);
  }
}

/// The values at the end of an iteration, in the order of `getInitial`.
std::vector<mlir::Value> Evaluator::getCarried(LoopPlan &plan, mlir::ValueRange previous) {
  std::vector<mlir::Value> out;
  for (llvm::StringRef name : plan.carried) {
    const Binding &before = plan.before.names.at(name);
    size_t start = out.size(), leaves = 0;
    Value counted = deepCopy(before.value);
    forEachLeaf(counted, [&](auto &) { ++leaves; });
    auto it = env().names.find(name);
    bool ok = it != env().names.end() && it->second.isBound();
    std::string mismatch;
    if (ok && !getCarriedLeaves(plan, before.value, it->second.value, out, mismatch)) {
      ok = false;
      (void)errorWithNotes(
          it->second.place,
          "'" + name + "' changes its type in this loop: " +
              (before.value.getTuple() && it->second.value.getTuple() ? "" : "it is ") + mismatch +
              " after an iteration; start it with the type that it keeps, or "
              "convert the new value with .to(…)",
          {Note{before.place, "it is " + before.value.describe() + " here"},
           Note{plan.range, "the loop starts here"}});
    } else if (!ok && it != env().names.end() && !it->second.isPoisoned()) {
      const bool isLoopVariable = it->second.why == kLoopVariable;
      (void)errorWithNotes(
          plan.assigned.at(name),
          "'" + name + "' has no single value at the end of an iteration: " + it->second.why +
              (isLoopVariable ? ", and the next iteration, or what follows, reads "
                                "it; give the variable of the inner loop another "
                                "name, or assign '" +
                                    name.str() + "' after that loop"
                              : ""),
          Note{plan.range, "the loop starts here"});
    }
    if (ok && out.size() == start + leaves)
      continue;
    plan.poisoned.insert(name);
    out.resize(start);
    for (size_t i = 0; i < leaves; ++i)
      out.push_back(previous[start + i]);
  }
  if (plan.mayReturn)
    out.push_back(*getFlag(env().returned, plan.range));
  if (plan.mayBreak)
    out.push_back(*getFlag(env().broke, plan.range));
  if (plan.mayReturn && plan.result) {
    size_t start = out.size(), leaves = 0;
    forEachLeaf(*plan.result, [&](auto &) { ++leaves; });
    if (env().result && env().result->isBound())
      forEachLeaf(env().result->value, [&](auto &leaf) { out.push_back(leaf.value); });
    if (out.size() != start + leaves)
      out.resize(start);
    for (size_t i = out.size(); i < start + leaves; ++i)
      out.push_back(previous[i]);
  }
  return out;
}

/// The environment after the loop.
void Evaluator::leaveLoop(LoopPlan &plan, mlir::ValueRange results) {
  bool resultPoisoned = env().result && env().result->isPoisoned();
  SourceRange resultPlace = plan.resultPlace;
  enterIteration(plan, results);
  size_t next = 0;
  for (llvm::StringRef name : plan.carried)
    forEachLeaf(env().names[name].value, [&](auto &) { ++next; });
  auto flag = [&] {
    return Value(TensorValue{results[next++], TensorType{dtype(Scalar::Int1), {}}});
  };
  if (plan.mayReturn)
    env().returned = flag();
  if (plan.mayBreak)
    ++next;
  if (plan.mayReturn && plan.result) {
    Value value = deepCopy(*plan.result);
    forEachLeaf(value, [&](auto &leaf) { leaf.value = results[next++]; });
    env().result = Binding::bound(std::move(value), resultPlace);
  }
  if (resultPoisoned)
    env().result = Binding::poisoned(resultPlace);
  for (const auto &[name, range] : plan.assigned) {
    auto it = plan.before.names.find(name);
    if (it == plan.before.names.end() || !it->second.isBound()) {
      if (it == plan.before.names.end() || !it->second.isPoisoned())
        env().names[name] = Binding::undefined(
            range, "it is first bound inside a run-time loop, which may run zero times; bind it "
                   "before the loop");
    } else if (plan.poisoned.count(name)) {
      env().names[name] = Binding::poisoned(range);
    }
  }
  if (plan.target)
    env().names[plan.target->name] = Binding::undefined(plan.target->range, kLoopVariable);
}

} // namespace tilerun::sema
