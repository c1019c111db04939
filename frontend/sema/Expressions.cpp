// Evaluation of expressions: compile-time operators here, run-time ones through the language table.
#include "frontend/sema/Evaluator.h"

#include "llvm/ADT/ScopeExit.h"

namespace tilerun::sema {

using namespace ast;

Result Evaluator::evaluate(const Expr &expression) {
  if (step(expression.range))
    return failure();
  return evaluateKind(expression);
}

/// What to do instead of an expression that kernels cannot have; empty for those they can.
static llvm::StringRef getUnsupportedHint(Kind kind) {
  switch (kind) {
  case Kind::LambdaExpr:
    return "lambda expressions cannot be used in a kernel; write a @triton.jit function";
  case Kind::SetExpr:
    return "sets cannot be used in a kernel; use a tuple";
  case Kind::AwaitExpr:
    return "'await' cannot be used in a kernel";
  case Kind::YieldExpr:
    return "'yield' cannot be used in a kernel; return a tuple";
  default:
    return "";
  }
}

Result Evaluator::evaluateKind(const Expr &e) {
  switch (e.kind) {
  case Kind::NameExpr:
    return lookupName(llvm::cast<NameExpr>(&e)->name, e.range);
  case Kind::ConstantExpr:
    return evaluateConstantExpr(*llvm::cast<ConstantExpr>(&e));
  case Kind::JoinedStrExpr:
    return evaluateJoined(llvm::cast<JoinedStrExpr>(&e)->parts, e.range);
  case Kind::TupleExpr:
    return evaluateSequence(llvm::cast<TupleExpr>(&e)->elements, /*isList=*/false);
  case Kind::ListExpr:
    return evaluateSequence(llvm::cast<ListExpr>(&e)->elements, /*isList=*/true);
  case Kind::DictExpr:
    return evaluateDict(*llvm::cast<DictExpr>(&e));
  case Kind::UnaryExpr:
    return evaluateUnary(*llvm::cast<UnaryExpr>(&e));
  case Kind::BinaryExpr: {
    const auto &binary = *llvm::cast<BinaryExpr>(&e);
    Result lhs = evaluate(*binary.lhs);
    Result rhs = evaluate(*binary.rhs);
    if (failed(lhs) || failed(rhs))
      return failure();
    return evaluateBinary(binary.op, *lhs, *rhs, e.range);
  }
  case Kind::BoolOpExpr:
    return evaluateBoolOp(*llvm::cast<BoolOpExpr>(&e));
  case Kind::CompareExpr:
    return evaluateCompare(*llvm::cast<CompareExpr>(&e));
  case Kind::TernaryExpr:
    return evaluateTernary(*llvm::cast<TernaryExpr>(&e));
  case Kind::CallExpr:
    return evaluateCall(*llvm::cast<CallExpr>(&e));
  case Kind::AttributeExpr:
    return evaluateAttribute(*llvm::cast<AttributeExpr>(&e));
  case Kind::SubscriptExpr:
    return evaluateSubscript(*llvm::cast<SubscriptExpr>(&e));
  case Kind::SliceExpr: {
    const auto &slice = *llvm::cast<SliceExpr>(&e);
    SliceValue value;
    for (auto [part, out] : {std::pair{slice.lower, &value.lower},
                             {slice.upper, &value.upper},
                             {slice.step, &value.step}}) {
      *out = std::make_shared<Value>(Value::none());
      if (!part)
        continue;
      Result bound = evaluate(*part);
      if (failed(bound))
        return failure();
      **out = std::move(*bound);
    }
    return Value(std::move(value));
  }
  case Kind::StarredExpr:
    return error(e.range, "a starred expression is only allowed in a call, a tuple or a list");
  case Kind::NamedExpr: {
    const auto &named = *llvm::cast<NamedExpr>(&e);
    Result value = evaluate(*named.value);
    if (failed(value)) {
      poisonTargets(*named.target);
      return failure();
    }
    // Unlike a statement, this keeps a compile-time value, as in Triton.
    bind(named.target->name, *value, named.target->range);
    return value;
  }
  case Kind::ComprehensionExpr:
    return evaluateComprehension(*llvm::cast<ComprehensionExpr>(&e));
  default:
    return error(e.range, getUnsupportedHint(e.kind));
  }
}

/// Digits in base 2, 8, 10 or 16 with Python's prefixes; none beyond 127 bits.
static std::optional<PyInt> parseInteger(llvm::StringRef text) {
  unsigned base = text.consume_front_insensitive("0x")   ? 16
                  : text.consume_front_insensitive("0o") ? 8
                  : text.consume_front_insensitive("0b") ? 2
                                                         : 10;
  PyInt value = 0;
  for (char c : text) {
    unsigned digit = llvm::hexDigitValue(c);
    if (digit >= base || __builtin_mul_overflow(value, static_cast<PyInt>(base), &value) ||
        __builtin_add_overflow(value, static_cast<PyInt>(digit), &value))
      return std::nullopt;
  }
  return value;
}

Result Evaluator::evaluateConstantExpr(const ConstantExpr &e) {
  switch (e.constant) {
  case ConstantKind::None:
    return Value::none();
  case ConstantKind::True:
    return Value(true);
  case ConstantKind::False:
    return Value(false);
  case ConstantKind::Ellipsis:
    return Value(EllipsisValue{});
  case ConstantKind::Int:
    if (auto value = parseInteger(e.text))
      return Value(*value);
    return error(e.range, "this integer does not fit 128 bits; kernels have 64-bit integers");
  case ConstantKind::Float:
    return Value(e.floating);
  case ConstantKind::String:
    return Value::string(e.text);
  case ConstantKind::Imaginary:
    return error(e.range, "complex numbers cannot be used in a kernel");
  case ConstantKind::Bytes:
    return error(e.range, "bytes cannot be used in a kernel; use a string");
  }
  return failure();
}

Result Evaluator::evaluateJoined(llvm::ArrayRef<JoinedPart> parts, SourceRange range) {
  std::string out;
  for (const JoinedPart &part : parts) {
    if (!part.value) {
      out += part.text;
      continue;
    }
    Result value = evaluate(*part.value);
    Result format = failed(value) ? Result(failure()) : evaluateJoined(part.format, range);
    if (failed(format))
      return failure();
    // `{x=}` prints the representation unless a format is given.
    char conversion = part.conversion;
    if (!part.sourceText.empty() && conversion == 0 && part.format.empty())
      conversion = 'r';
    Result text =
        take(formatValue(*value, conversion, format->get<std::string>()), part.value->range);
    if (failed(text))
      return failure();
    out += part.sourceText;
    out += text->get<std::string>();
    if (out.size() > kMaxSequence)
      return error(range, "the formatted string has more than 65536 bytes");
  }
  return Value(std::move(out));
}

Result Evaluator::evaluateSequence(llvm::ArrayRef<const Expr *> elements, bool isList) {
  auto out = std::make_shared<TupleValue>();
  out->isList = isList;
  bool ok = true;
  for (const Expr *element : elements) {
    const auto *starred = llvm::dyn_cast<StarredExpr>(element);
    Result value = evaluate(starred ? *starred->value : *element);
    if (failed(value)) {
      ok = false;
      continue;
    }
    if (!starred) {
      out->elements.push_back(std::move(*value));
      continue;
    }
    auto items = iterate(*value, element->range);
    if (failed(items))
      ok = false;
    else
      llvm::append_range(out->elements, *items);
  }
  if (!ok)
    return failure();
  return bounded(Value(std::move(out)), elements.empty() ? SourceRange() : elements.front()->range);
}

/// Elements of a value, nested ones included; more than the limit if it nests too deeply.
static size_t countElements(const Value &value, unsigned depth) {
  const TupleValue *tuple = value.getTuple();
  if (!tuple)
    return 1;
  if (depth >= Limits::kTupleDepth)
    return Limits::kTupleElements + 1;
  size_t count = 1;
  for (const Value &element : tuple->elements) {
    count += countElements(element, depth + 1);
    if (count > Limits::kTupleElements)
      break;
  }
  return count;
}

/// Every tuple that an expression makes passes here, so that no program builds one without bound.
Result Evaluator::bounded(Value value, SourceRange range) {
  if (!value.getTuple())
    return value;
  size_t count = countElements(value, 0);
  steps += count / 8;
  if (count > Limits::kTupleElements)
    return error(range, "this tuple has more than " + llvm::Twine(Limits::kTupleElements) +
                            " elements, or nests deeper than " + llvm::Twine(Limits::kTupleDepth) +
                            " levels");
  return value;
}

Result Evaluator::evaluateDict(const DictExpr &e) {
  if (frame().function)
    return error(e.range, "dicts cannot be used in a kernel; use a tuple or a named tuple");
  auto out = std::make_shared<TupleValue>();
  out->typeName = "dict";
  for (auto [keyExpr, valueExpr] : llvm::zip(e.keys, e.values)) {
    if (!keyExpr)
      return error(e.range, "'**' in a dict is not evaluated");
    Result key = evaluate(*keyExpr);
    Result value = evaluate(*valueExpr);
    if (failed(key) || failed(value))
      return failure();
    if (!key->is<std::string>())
      return error(keyExpr->range, "only strings can be keys here, not " + key->describe());
    out->names.push_back(key->get<std::string>());
    out->elements.push_back(std::move(*value));
  }
  return Value(std::move(out));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Result Evaluator::evaluateUnary(const UnaryExpr &e) {
  Result operand = evaluate(*e.operand);
  if (failed(operand))
    return failure();
  if (!operand->isTensor())
    return take(evalUnary(e.op, *operand), e.range);
  if (e.op != UnaryOp::Not)
    return lang::unary(at(e.range), e.op, *operand);
  auto condition = toCondition(*operand, e.operand->range, "not");
  if (failed(condition))
    return failure();
  return Value(TensorValue{negate(*condition, e.range), TensorType{dtype(Scalar::Int1), {}}});
}

Result Evaluator::evaluateBinary(BinaryOp op, const Value &lhs, const Value &rhs,
                                 SourceRange range) {
  auto isSequence = [](const Value &v) { return v.getTuple() || v.is<std::string>(); };
  bool runTime = lhs.isTensor() || rhs.isTensor();
  if (!runTime || isSequence(lhs) || isSequence(rhs)) {
    Result result = take(evalBinary(op, lhs, rhs), range);
    return failed(result) ? result : bounded(std::move(*result), range);
  }
  return lang::binary(at(range), op, lhs, rhs);
}

/// Whether evaluating an expression eagerly can neither fault nor have effects: names, literals and
/// arithmetic without division.
static bool isHarmless(const Expr &e) {
  switch (e.kind) {
  case Kind::NameExpr:
  case Kind::ConstantExpr:
    return true;
  case Kind::UnaryExpr:
    return isHarmless(*llvm::cast<UnaryExpr>(&e)->operand);
  case Kind::BinaryExpr: {
    const auto &binary = *llvm::cast<BinaryExpr>(&e);
    return binary.op != BinaryOp::Div && binary.op != BinaryOp::FloorDiv &&
           binary.op != BinaryOp::Mod && isHarmless(*binary.lhs) && isHarmless(*binary.rhs);
  }
  case Kind::CompareExpr: {
    const auto &compare = *llvm::cast<CompareExpr>(&e);
    return isHarmless(*compare.first) &&
           llvm::all_of(compare.rest, [](const Expr *part) { return isHarmless(*part); });
  }
  case Kind::BoolOpExpr:
    return llvm::all_of(llvm::cast<BoolOpExpr>(&e)->operands,
                        [](const Expr *part) { return isHarmless(*part); });
  default:
    return false;
  }
}

static constexpr llvm::StringLiteral kHidden = "<value>";

Result Evaluator::takeHidden(llvm::StringRef name, SourceRange range) {
  auto it = env().names.find(name);
  if (it == env().names.end())
    return failure();
  Binding binding = std::move(it->second);
  env().names.erase(it);
  if (binding.isBound())
    return std::move(binding.value);
  if (!binding.isPoisoned())
    return error(range, binding.why);
  return failure();
}

Result Evaluator::evaluateBoolOp(const BoolOpExpr &e) {
  llvm::StringRef spelling = e.isAnd ? "and" : "or";
  Result left = evaluate(*e.operands.front());
  for (const Expr *next : e.operands.drop_front()) {
    if (failed(left))
      return failure();
    if (!left->isTensor()) {
      auto truth = getTruth(*left);
      if (!truth)
        return error(e.range, "'" + spelling + "' does not apply to " + left->describe());
      if (*truth != e.isAnd)
        return left; // Python's short circuit gives the operand itself.
      left = evaluate(*next);
      continue;
    }
    // Elementwise on tensors, as Triton does, although `&` and `|` say it better.
    auto isTile = [](const Value &v) {
      return v.isTensor() && v.get<TensorValue>().type.numElements() != 1;
    };
    if (isTile(*left)) {
      warning(e.range, "'" + spelling +
                           "' on tensors is elementwise and evaluates both sides; use '" +
                           (e.isAnd ? "&" : "|") + "'");
      Result right = evaluate(*next);
      if (failed(right))
        return failure();
      Result a = lang::compare(at(e.range), CompareOp::Ne, *left, Value(PyInt(0)));
      Result b = right->isTensor()
                     ? lang::compare(at(e.range), CompareOp::Ne, *right, Value(PyInt(0)))
                     : Result(Value(getTruth(*right).value_or(true)));
      if (failed(a) || failed(b))
        return failure();
      left = lang::binary(at(e.range), e.isAnd ? BinaryOp::And : BinaryOp::Or, *a, *b);
      continue;
    }
    auto condition = toCondition(*left, e.operands.front()->range, spelling);
    if (failed(condition))
      return failure();
    auto boolean = [](mlir::Value v) {
      return Value(TensorValue{v, TensorType{dtype(Scalar::Int1), {}}});
    };
    if (isHarmless(*next)) {
      Result right = evaluate(*next);
      if (failed(right))
        return failure();
      auto other = toCondition(*right, next->range, spelling);
      if (failed(other))
        return failure();
      mlir::Location loc = getLocation(e.range);
      left = boolean(
          e.isAnd ? mlir::arith::AndIOp::create(builder, loc, *condition, *other).getResult()
                  : mlir::arith::OrIOp::create(builder, loc, *condition, *other).getResult());
      continue;
    }
    auto evaluateNext = [&] {
      Result right = evaluate(*next);
      auto other = failed(right) ? FailureOr<mlir::Value>(failure())
                                 : toCondition(*right, next->range, spelling);
      env().names[kHidden] = failed(other) ? Binding::poisoned(next->range)
                                           : Binding::bound(boolean(*other), next->range);
    };
    auto known = [&] {
      env().names[kHidden] = Binding::bound(boolean(makeBool(!e.isAnd, e.range)), e.range);
    };
    if (e.isAnd)
      emitBranch(*condition, e.range, e.range.end, evaluateNext, known, /*elseExited=*/false);
    else
      emitBranch(*condition, e.range, e.range.end, known, evaluateNext, /*elseExited=*/false);
    left = takeHidden(kHidden, e.range);
  }
  return left;
}

Result Evaluator::evaluateCompare(const CompareExpr &e) {
  Result left = evaluate(*e.first);
  if (failed(left))
    return failure();
  bool result = true;
  for (auto [op, next] : llvm::zip(e.ops, e.rest)) {
    Result right = evaluate(*next);
    if (failed(right))
      return failure();
    bool runTime = left->isTensor() || right->isTensor();
    bool structural = op == CompareOp::Is || op == CompareOp::IsNot || op == CompareOp::In ||
                      op == CompareOp::NotIn;
    auto isNumeric = [](const Value &v) { return v.isTensor() || v.isConstNumber(); };
    if ((op == CompareOp::Eq || op == CompareOp::Ne) && !(isNumeric(*left) && isNumeric(*right)))
      structural = true; // Dtypes, strings, None, tuples.
    if (runTime && !structural) {
      if (e.ops.size() > 1)
        return error(e.range, "chained comparisons of run-time values are not supported; write "
                              "'(a < b) & (b < c)', or 'a < b and b < c' for scalars");
      return lang::compare(at(e.range), op, *left, *right);
    }
    Result outcome = take(evalCompare(op, *left, *right), e.range);
    if (failed(outcome))
      return failure();
    result = outcome->get<bool>();
    if (!result)
      return Value(false);
    left = std::move(right);
  }
  return Value(result);
}

Result Evaluator::evaluateTernary(const TernaryExpr &e) {
  Result condition = evaluate(*e.condition);
  if (failed(condition))
    return failure();
  if (auto truth = getTruth(*condition))
    return evaluate(*truth ? *e.thenValue : *e.elseValue);
  auto flag = toCondition(*condition, e.condition->range, "if");
  if (failed(flag))
    return failure();
  auto arm = [&](const Expr &value) {
    Result result = evaluate(value);
    env().names[kHidden] =
        failed(result) ? Binding::poisoned(value.range) : Binding::bound(*result, value.range);
  };
  emitBranch(
      *flag, e.range, e.range.end, [&] { arm(*e.thenValue); }, [&] { arm(*e.elseValue); },
      /*elseExited=*/false);
  return takeHidden(kHidden, e.range);
}

//===----------------------------------------------------------------------===//
// Parts of values
//===----------------------------------------------------------------------===//

Result Evaluator::evaluateAttribute(const AttributeExpr &e) {
  Result base = evaluate(*e.value);
  if (failed(base))
    return failure();
  return getAttribute(*base, e.name, e.nameRange.isValid() ? e.nameRange : e.range);
}

Result Evaluator::getAttribute(const Value &base, llvm::StringRef name, SourceRange range) {
  if (auto *space = base.getIf<NamespaceValue>(); space && space->module) {
    if (auto value = lookupGlobal(*space->module, name))
      return *value;
    std::vector<llvm::StringRef> names = space->module->globalNames();
    auto near = findNearName(name, names);
    return error(range, "'" + space->path + "' has no '" + name + "'" +
                            (near ? "; did you mean '" + near->str() + "'?" : std::string()));
  }
  if (auto *space = base.getIf<NamespaceValue>(); space && space->path == "math")
    return getMathMember(name, range);
  if (auto *opaque = base.getIf<OpaqueValue>())
    return errorWithNotes(range, opaque->what + " cannot be used in a kernel",
                          opaque->range.isValid()
                              ? llvm::ArrayRef<Note>(Note{opaque->range, "defined here"})
                              : llvm::ArrayRef<Note>());
  if (auto *classValue = base.getIf<ClassValue>())
    return getClassMember(*classValue, name, range);
  if (const TupleValue *tuple = base.getTuple()) {
    for (auto [field, element] : llvm::zip(tuple->names, tuple->elements))
      if (field == name && tuple->typeName != "dict")
        return element;
    if (!tuple->names.empty()) {
      std::vector<llvm::StringRef> names(tuple->names.begin(), tuple->names.end());
      auto near = findNearName(name, names);
      return error(range, base.describe() + " has no field '" + name + "'" +
                              (near ? "; did you mean '" + near->str() + "'?" : std::string()));
    }
  }
  if (base.isConstNumber()) {
    if (name == "value")
      return base;
    // A specialized argument (1) is a number here but a tensor elsewhere: `n.to(tl.int64)`.
    auto tensor = lang::toTensor(at(range), base);
    if (failed(tensor))
      return failure();
    return lang::attribute(at(range), Value(*tensor), name);
  }
  if (name == "value" && (base.is<std::string>() || base.isNone() || base.is<DType>()))
    return base;
  return lang::attribute(at(range), base, name);
}

/// A run-time scalar that is an integer constant in the IR, as that constant.
static Value toKnownInteger(const Value &value) {
  auto *tensor = value.getIf<TensorValue>();
  llvm::APInt constant;
  if (tensor && tensor->type.isScalar() && tensor->type.dtype.isInt() && tensor->value &&
      mlir::matchPattern(tensor->value, mlir::m_ConstantInt(&constant)))
    return Value(PyInt(tensor->type.dtype.isSigned() ? constant.getSExtValue()
                                                     : PyInt(constant.getZExtValue())));
  return value;
}

Result Evaluator::evaluateSubscript(const SubscriptExpr &e) {
  Result base = evaluate(*e.value);
  if (failed(base))
    return failure();
  std::vector<Value> indices;
  bool ok = true;
  auto add = [&](const Expr &index) {
    Result value = evaluate(index);
    if (failed(value))
      ok = false;
    else
      indices.push_back(std::move(*value));
  };
  const auto *tuple = llvm::dyn_cast<TupleExpr>(e.index);
  if (tuple)
    for (const Expr *index : tuple->elements)
      add(*index);
  else
    add(*e.index);
  if (!ok)
    return failure();
  if (base->isTensor())
    return lang::subscript(at(e.range), *base, indices);
  if (base->getTuple() || base->is<std::string>()) {
    if (indices.size() != 1)
      return error(e.range, base->describe() + " takes one index, but there are " +
                                llvm::Twine(indices.size()));
    return take(evalSubscript(*base, toKnownInteger(indices[0])), e.range);
  }
  if (auto *opaque = base->getIf<OpaqueValue>())
    return error(e.range, opaque->what + " cannot be used in a kernel");
  if (base->isConstNumber())
    return error(e.range, base->describe() + " cannot be indexed; it is a scalar");
  return lang::subscript(at(e.range), *base, indices);
}

FailureOr<std::vector<Value>> Evaluator::iterate(const Value &value, SourceRange range) {
  if (const TupleValue *tuple = value.getTuple(); tuple && tuple->typeName != "dict")
    return tuple->elements;
  auto *shared = value.getIf<std::shared_ptr<RangeValue>>();
  if (!shared)
    return error(range, value.describe() + " cannot be iterated over; use a tuple, a list, range, "
                                           "tl.range or tl.static_range");
  const RangeValue &r = **shared;
  PyInt bounds[3] = {0, 0, 1};
  for (auto [part, out] :
       {std::pair{&r.lower, &bounds[0]}, {&r.upper, &bounds[1]}, {&r.step, &bounds[2]}}) {
    if (!*part || (*part)->isNone())
      continue;
    Value known = r.kind == RangeValue::Kind::StaticRange ? **part : toKnownInteger(**part);
    if (auto *v = known.getIf<PyInt>())
      *out = *v;
    else if (auto *b = known.getIf<bool>())
      *out = *b;
    else
      return error(range,
                   "the bounds of an unrolled loop must be compile-time integers, but one is " +
                       known.describe() + "; use tl.range for run-time bounds");
  }
  auto [lower, upper, stride] = bounds;
  if (stride == 0)
    return error(range, "the step of a range cannot be 0");
  std::vector<Value> items;
  for (PyInt i = lower; stride > 0 ? i < upper : i > upper; i += stride) {
    if (items.size() >= Limits::kIterations)
      return error(range, "this loop unrolls to more than " + llvm::Twine(Limits::kIterations) +
                              " iterations; use range or tl.range");
    items.push_back(Value(i));
  }
  return items;
}

LogicalResult Evaluator::evaluateClauses(const ComprehensionExpr &e, size_t clause,
                                         std::vector<Value> &out) {
  if (clause == e.clauses.size()) {
    Result value = evaluate(*e.element);
    if (failed(value))
      return failure();
    if (out.size() >= kMaxSequence)
      return error(e.range, "the comprehension has more than 65536 elements");
    out.push_back(std::move(*value));
    return success();
  }
  const ComprehensionFor &part = e.clauses[clause];
  Result iterable = evaluate(*part.iterable);
  if (failed(iterable))
    return failure();
  auto items = iterate(*iterable, part.iterable->range);
  if (failed(items))
    return failure();
  for (const Value &item : *items) {
    if (const auto *name = llvm::dyn_cast<NameExpr>(part.target))
      env().names[name->name] = Binding::bound(item, name->range);
    else
      emitAssign(*part.target, item, part.target->range);
    bool wanted = true;
    for (const Expr *conditionExpr : part.conditions) {
      Result condition = evaluate(*conditionExpr);
      if (failed(condition))
        return failure();
      auto truth = getTruth(*condition);
      if (!truth)
        return error(conditionExpr->range, "the condition of a comprehension must be known at "
                                           "compile time, but it is " +
                                               condition->describe());
      wanted = wanted && *truth;
    }
    if (wanted && failed(evaluateClauses(e, clause + 1, out)))
      return failure();
  }
  return success();
}

Result Evaluator::evaluateComprehension(const ComprehensionExpr &e) {
  if (e.comprehension == ComprehensionKind::Dict || e.comprehension == ComprehensionKind::Set)
    return error(e.range, "set and dict comprehensions cannot be used in a kernel; use a tuple");
  // The loop variables are local to the comprehension.
  std::map<llvm::StringRef, std::optional<Binding>> saved;
  auto save = [&](auto &self, const Expr &target) -> void {
    if (const auto *name = llvm::dyn_cast<NameExpr>(&target)) {
      auto it = env().names.find(name->name);
      saved.try_emplace(name->name, it == env().names.end() ? std::nullopt
                                                            : std::optional<Binding>(it->second));
    } else if (const auto *tuple = llvm::dyn_cast<TupleExpr>(&target)) {
      for (const Expr *element : tuple->elements)
        self(self, *element);
    }
  };
  for (const ComprehensionFor &clause : e.clauses)
    save(save, *clause.target);
  std::vector<Value> elements;
  LogicalResult result = evaluateClauses(e, 0, elements);
  for (auto &[name, binding] : saved) {
    if (binding)
      env().names[name] = *binding;
    else
      env().names.erase(name);
  }
  if (failed(result))
    return failure();
  Value value = Value::tuple(std::move(elements));
  value.get<std::shared_ptr<TupleValue>>()->isList = e.comprehension == ComprehensionKind::List;
  return bounded(std::move(value), e.range);
}

} // namespace tilerun::sema
