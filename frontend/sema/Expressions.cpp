// Evaluation of expressions: compile-time operators here, run-time ones through the language table.
#include "frontend/sema/Evaluator.h"

namespace tilerun::sema {

using namespace ast;

Result Evaluator::evaluate(const Expr &expression) {
  if (step(expression.range))
    return failure();
  return evaluateKind(expression);
}

/// Advice for an expression that kernels cannot use; empty for those that they can.
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
  case Kind::SetExpr: {
    if (isOfKernel())
      return error(e.range, getUnsupportedHint(e.kind));
    Result elements = evaluateSequence(llvm::cast<SetExpr>(&e)->elements, /*isList=*/false);
    return failed(elements) ? elements : makeSet(elements->getTuple()->elements, e.range);
  }
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
    beyondTriton(e.range, "':='", "Y17", "assign in a statement of its own");
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

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Result Evaluator::evaluateUnary(const UnaryExpr &e) {
  Result operand = evaluate(*e.operand);
  if (failed(operand))
    return failure();
  if (const TupleValue *tuple = operand->getTuple(); tuple && tuple->info) {
    llvm::StringRef name = e.op == UnaryOp::Minus    ? "__neg__"
                           : e.op == UnaryOp::Plus   ? "__pos__"
                           : e.op == UnaryOp::Invert ? "__invert__"
                                                     : "__not__";
    bool found = false;
    Result result = callOperator(*operand, name, {}, e.range, found);
    if (found)
      return result;
  }
  if (!operand->isTensor())
    return take(evalUnary(e.op, *operand), e.range);
  if (e.op != UnaryOp::Not || !operand->get<TensorValue>().type.shape.empty())
    return lang::unary(at(e.range), e.op, *operand);
  auto condition = toCondition(*operand, e.operand->range, "not");
  if (failed(condition))
    return failure();
  return Value(TensorValue{negate(*condition, e.range), TensorType{dtype(Scalar::Int1), {}}});
}

/// The methods that an operator calls, of the left and of the right operand.
static std::pair<llvm::StringRef, llvm::StringRef> getOperatorMethods(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return {"__add__", "__radd__"};
  case BinaryOp::Sub:
    return {"__sub__", "__rsub__"};
  case BinaryOp::Mul:
    return {"__mul__", "__rmul__"};
  case BinaryOp::MatMul:
    return {"__matmul__", "__rmatmul__"};
  case BinaryOp::Div:
    return {"__truediv__", "__rtruediv__"};
  case BinaryOp::FloorDiv:
    return {"__floordiv__", "__rfloordiv__"};
  case BinaryOp::Mod:
    return {"__mod__", "__rmod__"};
  case BinaryOp::Pow:
    return {"__pow__", "__rpow__"};
  case BinaryOp::Shl:
    return {"__lshift__", "__rlshift__"};
  case BinaryOp::Shr:
    return {"__rshift__", "__rrshift__"};
  case BinaryOp::And:
    return {"__and__", "__rand__"};
  case BinaryOp::Or:
    return {"__or__", "__ror__"};
  case BinaryOp::Xor:
    return {"__xor__", "__rxor__"};
  }
  return {};
}

static llvm::StringRef getCompareMethod(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return "__eq__";
  case CompareOp::Ne:
    return "__ne__";
  case CompareOp::Lt:
    return "__lt__";
  case CompareOp::Le:
    return "__le__";
  case CompareOp::Gt:
    return "__gt__";
  case CompareOp::Ge:
    return "__ge__";
  default:
    return "";
  }
}

std::optional<Result> Evaluator::callOperatorMethod(const Value &self, llvm::StringRef name,
                                                    llvm::ArrayRef<Value> args, SourceRange range) {
  if (args.empty() && name == "__neg__")
    return lang::unary(at(range), UnaryOp::Minus, self);
  if (args.empty() && name == "__invert__")
    return lang::unary(at(range), UnaryOp::Invert, self);
  if (args.size() != 1)
    return std::nullopt;
  for (BinaryOp op :
       {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::FloorDiv,
        BinaryOp::Mod, BinaryOp::Shl, BinaryOp::Shr, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor}) {
    auto [plain, reflected] = getOperatorMethods(op);
    if (name == plain)
      return evaluateBinary(op, self, args[0], range);
    if (name == reflected)
      return evaluateBinary(op, args[0], self, range);
  }
  for (CompareOp op :
       {CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge})
    if (name == getCompareMethod(op))
      return lang::compare(at(range), op, self, args[0]);
  return std::nullopt;
}

static bool isInstance(const Value &value) {
  const TupleValue *tuple = value.getTuple();
  return tuple && tuple->info;
}

Result Evaluator::evaluateBinary(BinaryOp op, const Value &lhs, const Value &rhs,
                                 SourceRange range) {
  if (isInstance(lhs) || isInstance(rhs)) {
    auto [left, right] = getOperatorMethods(op);
    bool found = false;
    Result result = callOperator(lhs, left, {rhs}, range, found);
    if (!found)
      result = callOperator(rhs, right, {lhs}, range, found);
    if (found)
      return result;
  }
  auto isSequence = [](const Value &v) { return v.getTuple() || v.is<std::string>(); };
  for (const Value *operand : {&lhs, &rhs})
    if (const OpaqueValue *unknown = operand->asUnknown())
      return opaqueError(*unknown, range);
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
      if (const OpaqueValue *unknown = left->asUnknown())
        return opaqueError(*unknown, e.range);
      if (!truth)
        return error(e.range, "'" + spelling + "' does not apply to " + left->describe());
      if (*truth != e.isAnd)
        return left; // Python's short circuit gives the operand itself.
      left = evaluate(*next);
      continue;
    }
    // Elementwise on tensors, as Triton does, although `&` and `|` say it better.
    auto isTile = [](const Value &v) {
      return v.isTensor() && !v.get<TensorValue>().type.isScalar();
    };
    auto elementwise = [&](const Value &lhs, const Value &rhs) -> Result {
      if (const OpaqueValue *unknown = rhs.asUnknown())
        return opaqueError(*unknown, e.range);
      warning(e.range, "'" + spelling +
                           "' on tensors is elementwise and evaluates both sides; use '" +
                           (e.isAnd ? "&" : "|") + "'");
      Result a = lang::compare(at(e.range), CompareOp::Ne, lhs, Value(PyInt(0)));
      Result b = rhs.isTensor() ? lang::compare(at(e.range), CompareOp::Ne, rhs, Value(PyInt(0)))
                                : Result(Value(getTruth(rhs).value_or(true)));
      if (failed(a) || failed(b))
        return failure();
      return lang::binary(at(e.range), e.isAnd ? BinaryOp::And : BinaryOp::Or, *a, *b);
    };
    if (isTile(*left)) {
      Result right = evaluate(*next);
      if (failed(right))
        return failure();
      left = elementwise(*left, *right);
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
      if (isTile(*right)) {
        left = elementwise(*left, *right);
        continue;
      }
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
  if (e.ops.size() > 1)
    beyondTriton(e.range, "a chain of comparisons", "C13", "write (a < b) & (b < c)");
  Result left = evaluate(*e.first);
  if (failed(left))
    return failure();
  bool result = true;
  std::optional<Value> atRunTime; ///< The comparisons so far, of those that are not constant.
  for (auto [op, next] : llvm::zip(e.ops, e.rest)) {
    Result right = evaluate(*next);
    if (failed(right))
      return failure();
    if (llvm::StringRef method = getCompareMethod(op);
        !method.empty() && e.ops.size() == 1 && isInstance(*left)) {
      bool found = false;
      Result outcome = callOperator(*left, method, {*right}, e.range, found);
      if (found)
        return outcome;
    }
    if (auto outcome = askEnvironment(op, *left, *right, e.range); outcome && e.ops.size() == 1)
      return *outcome;
    // `is` and `==` of a thing that may be anything have no answer, also beside a tensor.
    for (const Value *operand : {&*left, &*right})
      if (const OpaqueValue *unknown = operand->asUnknown(); unknown && !unknown->isSomeObject)
        return opaqueError(*unknown, e.range);
    bool runTime = left->isTensor() || right->isTensor();
    const bool isIn = op == CompareOp::In || op == CompareOp::NotIn;
    if (isIn)
      beyondTriton(e.range, op == CompareOp::In ? "'in'" : "'not in'", "Y17", "compare by '=='");
    bool structural = op == CompareOp::Is || op == CompareOp::IsNot || isIn;
    // A run-time value cannot be compared with a module or a function, and `False` would hide the
    // mistake; dtypes, strings, None and tuples differ from every number.
    auto isNumeric = [](const Value &v) { return v.isTensor() || v.isConstNumber(); };
    auto isData = [&](const Value &v) {
      return isNumeric(v) || v.isNone() || v.is<std::string>() || v.is<DType>() ||
             v.is<TensorType>() || v.is<DescriptorValue>() || v.getTuple();
    };
    if ((op == CompareOp::Eq || op == CompareOp::Ne) && !(isNumeric(*left) && isNumeric(*right)))
      structural = !runTime || (isData(*left) && isData(*right));
    if (runTime && !structural) {
      Result link = lang::compare(at(e.range), op, *left, *right);
      if (succeeded(link) && atRunTime)
        link = lang::binary(at(e.range), BinaryOp::And, *atRunTime, *link);
      if (failed(link))
        return failure();
      atRunTime = *link;
      left = std::move(right);
      continue;
    }
    Result outcome = take(evalCompare(op, *left, *right), e.range);
    if (failed(outcome))
      return failure();
    result = outcome->get<bool>();
    if (!result)
      return Value(false);
    left = std::move(right);
  }
  if (atRunTime)
    return *atRunTime;
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
    // One of the two is chosen at run time, so both must be known.
    if (const OpaqueValue *unknown = succeeded(result) ? result->asUnknown() : nullptr)
      result = opaqueError(*unknown, value.range);
    env().names[kHidden] =
        failed(result) ? Binding::poisoned(value.range) : Binding::bound(*result, value.range);
  };
  emitBranch(
      *flag, e.range, e.range.end, [&] { arm(*e.thenValue); }, [&] { arm(*e.elseValue); },
      /*elseExited=*/false);
  return takeHidden(kHidden, e.range);
}

} // namespace tilerun::sema
