// Run-time branches: `if`, the code after an early exit, ternaries, `and` and `or`. Both arms are
// emitted from the same environment; names that differ afterwards become results of the scf.if.
#include "frontend/sema/Evaluator.h"
#include "frontend/types/Promotion.h"

namespace tilerun::sema {

using namespace ast;
namespace scf = mlir::scf;

mlir::Value Evaluator::makeBool(bool value, SourceRange range) {
  return mlir::arith::ConstantOp::create(builder, getLocation(range), builder.getBoolAttr(value));
}

mlir::Value Evaluator::negate(mlir::Value condition, SourceRange range) {
  return mlir::arith::XOrIOp::create(builder, getLocation(range), condition, makeBool(true, range));
}

FailureOr<mlir::Value> Evaluator::toCondition(const Value &value, SourceRange range,
                                              llvm::StringRef construct) {
  if (auto truth = getTruth(value))
    return makeBool(*truth, range);
  if (const OpaqueValue *unknown = value.asUnknown())
    return opaqueError(*unknown, range);
  return lang::condition(at(range), value, construct);
}

FailureOr<mlir::Value> Evaluator::getFlag(const Value &flag, SourceRange range) {
  if (auto *constant = flag.getIf<bool>())
    return makeBool(*constant, range);
  return flag.get<TensorValue>().value;
}

/// One i1 that says whether this path has left; at least one flag is a run-time value.
FailureOr<mlir::Value> Evaluator::getExited(SourceRange range) {
  mlir::Value exited;
  for (const Value *flag : {&env().returned, &env().broke, &env().continued}) {
    auto *tensor = flag->getIf<TensorValue>();
    if (!tensor)
      continue;
    exited = exited ? mlir::arith::OrIOp::create(builder, getLocation(range), exited, tensor->value)
                          .getResult()
                    : tensor->value;
  }
  return exited;
}

bool Evaluator::isLiveAfter(llvm::StringRef name, uint32_t offset) {
  if (name.starts_with("<"))
    return true;
  const Frame &f = frame();
  if (!f.liveness || (f.constructs && name == f.self))
    return true;
  return f.liveness->isLiveAfter(name, offset) || llvm::any_of(f.loops, [&](const LoopScope &loop) {
           return f.liveness->isReadByIteration(name, loop.range.begin.offset);
         });
}

//===----------------------------------------------------------------------===//
// Joining the arms
//===----------------------------------------------------------------------===//

/// State of joining two arms: what each yields.
struct Evaluator::Join {
  scf::IfOp op;
  Arm &thenArm;
  Arm &elseArm;
  SourceRange range;
  std::vector<mlir::Value> thenYields, elseYields;
  /// Joined values with results still missing, in the order of the yields.
  std::vector<std::pair<Value *, size_t>> pending;
  std::string mismatch; ///< Why two values have no common type.

  bool isInside(mlir::Value value) {
    mlir::Region *region = value.getParentRegion();
    return op.getThenRegion().isAncestor(region) || op.getElseRegion().isAncestor(region);
  }
};

/// The join where one arm has no value and needs none: poison stands in for it.
std::optional<Value> Evaluator::joinMissing(Join &join, const Value &v, bool missingThen) {
  auto joinLeaf = [&](auto leaf) {
    if (!join.isInside(leaf.value))
      return v;
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(missingThen ? join.thenArm.block : join.elseArm.block);
    mlir::Value poison = lang::makePoison(at(join.range), leaf).value;
    join.thenYields.push_back(missingThen ? poison : leaf.value);
    join.elseYields.push_back(missingThen ? leaf.value : poison);
    leaf.value = nullptr;
    return Value(leaf);
  };
  if (auto *tensor = v.getIf<TensorValue>())
    return joinLeaf(*tensor);
  if (auto *descriptor = v.getIf<DescriptorValue>())
    return joinLeaf(*descriptor);
  if (const TupleValue *tuple = v.getTuple()) {
    auto copy = std::make_shared<TupleValue>(*tuple);
    for (Value &element : copy->elements) {
      auto joined = joinMissing(join, element, missingThen);
      if (!joined)
        return std::nullopt;
      element = std::move(*joined);
    }
    return Value(std::move(copy));
  }
  return v;
}

/// Whether a literal may become a value of `type` without changing its kind or value.
static bool fitsLiteral(const Value &literal, DType type) {
  if (type.isPointer())
    return false;
  Literal number = literal.is<bool>()    ? Literal(literal.get<bool>())
                   : literal.is<PyInt>() ? Literal(literal.get<PyInt>())
                                         : Literal(literal.get<double>());
  TypeOrError adopted = adoptLiteral(number, type);
  return adopted && *adopted == type;
}

std::optional<Value> Evaluator::joinValues(Join &join, const Value &a, const Value &b) {
  if (a.storage.index() == b.storage.index() && isEqual(a, b) && !a.getTuple())
    return a;
  if (!a.isValid() && !b.isValid())
    return a; // A field that is set later.
  if (!a.isValid() || !b.isValid()) {
    join.mismatch = "set in one arm only";
    return std::nullopt;
  }
  const TupleValue *leftTuple = a.getTuple(), *rightTuple = b.getTuple();
  if (leftTuple && rightTuple && leftTuple->elements.size() == rightTuple->elements.size() &&
      leftTuple->names == rightTuple->names && leftTuple->info == rightTuple->info) {
    auto copy = std::make_shared<TupleValue>(*leftTuple);
    for (auto [index, element] : llvm::enumerate(copy->elements)) {
      const Value &other = rightTuple->elements[index];
      bool isFixed = copy->isRecord() && copy->info->fields[index].isConstexpr;
      std::optional<Value> joined;
      if (!isFixed)
        joined = joinValues(join, element, other);
      else if (isSame(element, other))
        joined = element;
      else
        join.mismatch = element.describe() + " in one arm and " + other.describe() +
                        " in the other, but it is a tl.constexpr";
      if (!joined) {
        join.mismatch = nameElement(*copy, index) + " is " + join.mismatch;
        return std::nullopt;
      }
      element = std::move(*joined);
    }
    return Value(std::move(copy));
  }
  auto *leftView = a.getIf<DescriptorValue>(), *rightView = b.getIf<DescriptorValue>();
  if (leftView && rightView && leftView->hasTypeOf(*rightView)) {
    join.thenYields.push_back(leftView->value);
    join.elseYields.push_back(rightView->value);
    DescriptorValue joined = *leftView;
    joined.value = nullptr;
    joined.isConst |= rightView->isConst;
    return Value(joined);
  }
  auto isNumeric = [](const Value &v) { return v.isTensor() || v.isConstNumber(); };
  if (!isNumeric(a) || !isNumeric(b)) {
    join.mismatch = a.describe() + " in one arm and " + b.describe() + " in the other";
    return std::nullopt;
  }
  // Numbers become run-time scalars: of the other arm's type where that holds them, else of their
  // own.
  auto convert = [&](const Value &v, mlir::Block *block,
                     std::optional<DType> type) -> std::optional<TensorValue> {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    auto tensor = type ? lang::cast(at(join.range), v, *type) : lang::toTensor(at(join.range), v);
    return succeeded(tensor) ? std::optional<TensorValue>(*tensor) : std::nullopt;
  };
  auto adopt = [&](const Value &v, const Value &other, mlir::Block *block) {
    if (auto *tensor = v.getIf<TensorValue>())
      return std::optional<TensorValue>(*tensor);
    auto *type = other.getIf<TensorValue>();
    bool fits = type && type->type.isScalar() && fitsLiteral(v, type->type.dtype);
    return convert(v, block, fits ? std::optional<DType>(type->type.dtype) : std::nullopt);
  };
  auto left = adopt(a, b, join.thenArm.block);
  auto right = adopt(b, a, join.elseArm.block);
  if (!left || !right) {
    join.mismatch = "values that cannot be converted";
    return std::nullopt;
  }
  if (!(left->type == right->type) && a.isConstNumber() && b.isConstNumber()) {
    if (TypeOrError common = promote(left->type.dtype, right->type.dtype)) {
      left = convert(Value(*left), join.thenArm.block, *common);
      right = convert(Value(*right), join.elseArm.block, *common);
    }
  }
  if (!left || !right || !(left->type == right->type)) {
    join.mismatch = a.describe() + " in one arm and " + b.describe() + " in the other";
    return std::nullopt;
  }
  join.thenYields.push_back(left->value);
  join.elseYields.push_back(right->value);
  return Value(TensorValue{nullptr, left->type});
}

/// Puts the results of the finished branch into the values that wait for them.
static void fillResults(Value &value, mlir::ValueRange results, size_t &next) {
  auto fill = [&](auto &leaf) {
    if (!leaf.value)
      leaf.value = results[next++];
  };
  if (auto *tensor = std::get_if<TensorValue>(&value.storage))
    return fill(*tensor);
  if (auto *descriptor = std::get_if<DescriptorValue>(&value.storage))
    return fill(*descriptor);
  if (auto *tuple = std::get_if<std::shared_ptr<TupleValue>>(&value.storage))
    for (Value &element : (*tuple)->elements)
      fillResults(element, results, next);
}

static bool isFalse(const Value &flag) { return flag.is<bool>() && !flag.get<bool>(); }

/// Whether what a name stands for at the end of an arm does not matter: the arm has returned, or it
/// has left an iteration of a loop that does not carry the name.
bool Evaluator::isIrrelevant(const Arm &arm, llvm::StringRef name) {
  if (!arm.gone)
    return false;
  if (frame().loops.empty() || (isFalse(arm.env.broke) && isFalse(arm.env.continued)))
    return true;
  const LoopScope &loop = frame().loops.back();
  return !loop.unrolled && !loop.carried.count(name);
}

void Evaluator::joinNames(Join &join, uint32_t end) {
  std::map<llvm::StringRef, Binding> joined;
  auto &thenNames = join.thenArm.env.names, &elseNames = join.elseArm.env.names;
  std::set<llvm::StringRef> names;
  for (const auto &[name, binding] : thenNames)
    names.insert(name);
  for (const auto &[name, binding] : elseNames)
    names.insert(name);
  for (llvm::StringRef name : names) {
    auto inThen = thenNames.find(name), inElse = elseNames.find(name);
    bool hasThen = inThen != thenNames.end(), hasElse = inElse != elseNames.end();
    const Binding &some = hasThen ? inThen->second : inElse->second;
    if (!isLiveAfter(name, end)) {
      // It is not read: keep it only if nothing has to be yielded.
      if (hasThen && hasElse && inThen->second.isBound() && inElse->second.isBound() &&
          inThen->second.value.storage.index() == inElse->second.value.storage.index() &&
          isEqual(inThen->second.value, inElse->second.value))
        joined[name] = inThen->second;
      continue;
    }
    if ((hasThen && inThen->second.isPoisoned()) || (hasElse && inElse->second.isPoisoned())) {
      joined[name] = Binding::poisoned(some.place);
      continue;
    }
    bool boundThen = hasThen && inThen->second.isBound();
    bool boundElse = hasElse && inElse->second.isBound();
    // An arm that has left does not decide the name's value, unless a loop carries the name.
    bool skipThen = isIrrelevant(join.thenArm, name);
    bool skipElse = isIrrelevant(join.elseArm, name);
    std::optional<Value> value;
    const Binding *source = &some;
    size_t yields = join.thenYields.size();
    if (boundThen && boundElse) {
      source = skipThen ? &inElse->second : &inThen->second;
      value = skipThen == skipElse ? joinValues(join, inThen->second.value, inElse->second.value)
                                   : joinMissing(join, source->value, /*missingThen=*/skipThen);
    } else if (boundThen && skipElse) {
      value = joinMissing(join, inThen->second.value, /*missingThen=*/false);
      source = &inThen->second;
    } else if (boundElse && skipThen) {
      value = joinMissing(join, inElse->second.value, /*missingThen=*/true);
      source = &inElse->second;
    } else {
      const Binding &bound = boundThen ? inThen->second : boundElse ? inElse->second : some;
      joined[name] = bound.isBound()
                         ? Binding::undefined(
                               bound.place, "it is bound in only one arm of a run-time 'if'; bind "
                                            "it before the 'if' or in both arms")
                         : bound;
      continue;
    }
    if (value) {
      joined[name] = Binding::bound(std::move(*value), source->place);
      joined[name].isConstexpr = source->isConstexpr && joined[name].value.isConstexpr();
      continue;
    }
    // Undo the part of a tuple that was already joined.
    join.thenYields.resize(yields);
    join.elseYields.resize(yields);
    const Value &a = inThen->second.value, &b = inElse->second.value;
    bool mayDiffer = skipThen || skipElse ||
                     ((join.thenArm.gone || join.elseArm.gone) && frame().loops.back().unrolled);
    const bool areData = a.isTensor() || b.isTensor() || (a.getTuple() && b.getTuple()) ||
                         (a.is<DescriptorValue>() && b.is<DescriptorValue>());
    if (!mayDiffer && areData) {
      bool hidden = name.starts_with("<");
      (void)errorWithNotes(
          join.range,
          (hidden ? llvm::Twine("the two arms of this conditional expression differ in type: ")
                  : "'" + name + "' differs in type after this run-time 'if': ") +
              join.mismatch + "; convert one of them with .to(…)",
          {Note{inThen->second.place, "it is " + a.describe() + " here"},
           Note{inElse->second.place, "it is " + b.describe() + " here"}});
      joined[name] = Binding::poisoned(source->place);
    } else {
      joined[name] = Binding::undefined(
          source->place, "it has different compile-time values in the arms of a run-time 'if' (" +
                             join.mismatch + ")");
    }
  }
  env().names = std::move(joined);
}

void Evaluator::joinResults(Join &join) {
  const auto &a = join.thenArm.env.result, &b = join.elseArm.env.result;
  auto &out = env().result;
  out.reset();
  if (!a && !b)
    return;
  if ((a && a->isPoisoned()) || (b && b->isPoisoned())) {
    out = Binding::poisoned((a ? *a : *b).place);
    return;
  }
  size_t yields = join.thenYields.size();
  std::optional<Value> value;
  if (a && b) {
    value = joinValues(join, a->value, b->value);
  } else {
    value = joinMissing(join, (a ? *a : *b).value, /*missingThen=*/!a);
  }
  if (value) {
    out = Binding::bound(std::move(*value), (a ? *a : *b).place);
    return;
  }
  join.thenYields.resize(yields);
  join.elseYields.resize(yields);
  std::string name = frame().function ? frame().function->qualifiedName : "";
  const TupleValue *left = a->value.getTuple(), *right = b->value.getTuple();
  const bool canConvert = left && right ? left->elements.size() == right->elements.size()
                                        : a->value.isTensor() && b->value.isTensor();
  (void)errorWithNotes(
      b->place,
      "the return values of '" + name + "' differ in type: " +
          (left && right ? join.mismatch : a->value.describe() + " and " + b->value.describe()) +
          (canConvert ? "; convert one of them with .to(…)"
                      : "; return values of one kind on every path"),
      {Note{a->place, a->value.describe() + " is returned here"}});
  out = Binding::poisoned(a->place);
}

/// Whether nothing follows `end` in the innermost loop's body, or in the function's.
bool Evaluator::isLastOfBody(uint32_t end) {
  if (!frame().loops.empty())
    return end >= frame().loops.back().bodyEnd;
  return frame().function && end >= frame().function->def->body.back()->range.end;
}

scf::IfOp Evaluator::openBranch(mlir::Value condition, SourceRange range, Arm &thenArm,
                                Arm &elseArm) {
  auto op = scf::IfOp::create(builder, getLocation(range), mlir::TypeRange{}, condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [region, arm] :
       {std::pair{&op.getThenRegion(), &thenArm}, {&op.getElseRegion(), &elseArm}}) {
    arm->block = &region->front();
    if (!arm->block->empty())
      arm->block->clear();
  }
  return op;
}

void Evaluator::emitArm(Arm &arm, const Environment &start, Emit body) {
  env() = start;
  builder.setInsertionPointToEnd(arm.block);
  body();
  arm.env = std::move(env());
  arm.gone = arm.gone || arm.env.unreachable;
}

void Evaluator::closeBranch(scf::IfOp op, Arm &thenArm, Arm &elseArm, SourceRange range,
                            uint32_t end) {
  Join join{op, thenArm, elseArm, range, {}, {}, {}, {}};
  env() = Environment();
  env().unreachable = thenArm.env.unreachable && elseArm.env.unreachable;
  joinNames(join, end);
  // Flags and results count on every path, also on those that have left.
  joinResults(join);
  // At the end of an iteration, or of the function, exit flags are no longer read; only whether
  // some path has continued still decides what an enclosing branch carries on.
  bool isLast = isLastOfBody(end), inLoop = !frame().loops.empty();
  for (Value Environment::*flag :
       {&Environment::returned, &Environment::broke, &Environment::continued})
    if (!isLast || (flag != &Environment::continued && inLoop))
      env().*flag = *joinValues(join, thenArm.env.*flag, elseArm.env.*flag);
  if (isLast && inLoop)
    env().continued = Value(!isFalse(thenArm.env.continued) || !isFalse(elseArm.env.continued));

  mlir::Location loc = op.getLoc();
  for (auto [arm, yields] : {std::pair{&thenArm, &join.thenYields}, {&elseArm, &join.elseYields}}) {
    builder.setInsertionPointToEnd(arm->block);
    scf::YieldOp::create(builder, loc, *yields);
  }
  builder.setInsertionPoint(op);
  auto finished = scf::IfOp::create(builder, loc, mlir::ValueRange(join.thenYields).getTypes(),
                                    op.getCondition(), /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
  finished.getThenRegion().takeBody(op.getThenRegion());
  bool emptyElse = join.thenYields.empty() && llvm::hasSingleElement(*elseArm.block);
  if (!emptyElse)
    finished.getElseRegion().takeBody(op.getElseRegion());
  op.erase();
  size_t next = 0;
  for (auto &[name, binding] : env().names)
    fillResults(binding.value, finished.getResults(), next);
  if (env().result)
    fillResults(env().result->value, finished.getResults(), next);
  for (Value *flag : {&env().returned, &env().broke, &env().continued})
    fillResults(*flag, finished.getResults(), next);
  builder.setInsertionPointAfter(finished);
}

void Evaluator::emitBranch(mlir::Value condition, SourceRange range, uint32_t end, Emit thenBody,
                           Emit elseBody, bool elseExited) {
  if (regionDepth >= Limits::kRegionDepth) {
    (void)fatalError(
        range, "run-time control flow nests deeper than " + llvm::Twine(Limits::kRegionDepth) +
                   " levels (the statements after an early exit count as nested in it)");
    return;
  }
  ++regionDepth;
  Arm thenArm, elseArm;
  elseArm.gone = elseExited;
  scf::IfOp op = openBranch(condition, range, thenArm, elseArm);
  Environment start = env();
  Environment live = start;
  if (elseExited) // The first arm is entered only where no exit has happened.
    live.returned = live.broke = live.continued = Value(false);
  emitArm(thenArm, live, thenBody);
  emitArm(elseArm, start, elseBody);
  // Where an exit was taken, nothing that follows runs.
  elseArm.env.unreachable |= elseExited;
  --regionDepth;
  closeBranch(op, thenArm, elseArm, range, end);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Evaluator::emitGuarded(Block rest) {
  SourceRange range = rest.front()->range;
  auto exited = getExited(range);
  if (failed(exited))
    return;
  emitBranch(
      negate(*exited, range), range, rest.back()->range.end, [&] { emitBlock(rest); }, [] {},
      /*elseExited=*/true);
}

bool Evaluator::emitIf(const IfStmt &statement, Block rest) {
  Result condition = evaluate(*statement.condition);
  if (failed(condition)) {
    poisonAssigned(statement.thenBody);
    poisonAssigned(statement.elseBody);
    return false;
  }
  if (!condition->isTensor()) {
    auto truth = getTruth(*condition);
    if (!truth) {
      if (const OpaqueValue *unknown = condition->asUnknown())
        (void)opaqueError(*unknown, statement.condition->range);
      else
        (void)error(statement.condition->range, condition->describe() + " has no truth value");
      poisonAssigned(statement.thenBody);
      poisonAssigned(statement.elseBody);
      return false;
    }
    emitBlock(*truth ? statement.thenBody : statement.elseBody);
    return false;
  }
  auto flag = toCondition(*condition, statement.condition->range, "if");
  if (failed(flag)) {
    poisonAssigned(statement.thenBody);
    poisonAssigned(statement.elseBody);
    return false;
  }
  if (regionDepth >= Limits::kRegionDepth) {
    (void)fatalError(statement.range,
                     "run-time control flow nests deeper than " +
                         llvm::Twine(Limits::kRegionDepth) +
                         " levels (the statements after an early exit count as nested in it)");
    return true;
  }
  ++regionDepth;
  SourceRange range = statement.range;
  uint32_t end = range.end;
  Arm thenArm, elseArm;
  scf::IfOp op = openBranch(*flag, range, thenArm, elseArm);
  Environment start = env();
  emitArm(thenArm, start, [&] { emitBlock(statement.thenBody); });
  // Where one arm has left, the rest of the block belongs to the other one. The else part and the
  // rest become one block, so that an `elif` chain of returns nests without flags.
  bool thenLeft = thenArm.env.unreachable, consumed = thenLeft && !rest.empty();
  std::vector<const Stmt *> elseBlock(statement.elseBody.begin(), statement.elseBody.end());
  if (consumed)
    llvm::append_range(elseBlock, rest);
  emitArm(elseArm, start, [&] { emitBlock(elseBlock); });
  if (!consumed && !thenLeft && elseArm.env.unreachable && !rest.empty()) {
    Environment continued = std::move(thenArm.env);
    emitArm(thenArm, continued, [&] { emitBlock(rest); });
    consumed = true;
  }
  if (consumed)
    end = rest.back()->range.end;
  --regionDepth;
  closeBranch(op, thenArm, elseArm, range, end);
  return consumed;
}

} // namespace tilerun::sema
