// The syntax side of the expression evaluator: walks the tree, reports errors with their place.
#include "tools/tilerun/host/Evaluator.h"

#include "tools/tilerun/host/Operators.h"
#include "tools/tilerun/host/Try.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <numbers>

using namespace tilerun;
using namespace tilerun::host;
using mlir::failed;
using mlir::failure;

/// Prefixes that host code puts before names; they mean nothing here.
static bool isNamespace(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "tl",   "triton",   "triton.language",     "torch",         "np", "numpy",
      "math", "torch.nn", "torch.nn.functional", "torch.special", "F",  "triton.language.math"};
  return llvm::is_contained(names, name);
}

static std::optional<Value> findConstant(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Value>>(name)
      .Cases({"true", "True"}, Value(true))
      .Cases({"false", "False"}, Value(false))
      .Cases({"none", "None"}, Value())
      .Case("inf", Value(std::numeric_limits<double>::infinity()))
      .Case("nan", Value(std::numeric_limits<double>::quiet_NaN()))
      .Case("pi", Value(std::numbers::pi))
      .Case("e", Value(std::numbers::e))
      .Default(std::nullopt);
}

/// A function or dtype by its bare name.
static std::optional<Value> findBuiltin(llvm::StringRef name) {
  if (const Function *function = findFunction(name))
    return Value(function);
  if (auto dtype = parseDType(name); dtype && !name.contains('*') && !name.empty())
    return Value(*dtype);
  return findConstant(name);
}

mlir::LogicalResult Evaluator::fail(SourceRange range, const llvm::Twine &message) {
  diagnostics.error(range, message);
  return failure();
}

Evaluator::Result Evaluator::evaluate(const ast::Expr &expr) {
  return llvm::TypeSwitch<const ast::Expr *, Result>(&expr)
      .Case<ast::NameExpr, ast::ConstantExpr, ast::UnaryExpr, ast::BinaryExpr, ast::BoolOpExpr,
            ast::CompareExpr, ast::TernaryExpr, ast::CallExpr, ast::AttributeExpr,
            ast::SubscriptExpr>([&](auto *known) { return evaluateNode(*known); })
      .Case([&](const ast::TupleExpr *tuple) { return evaluateElements(tuple->elements); })
      .Case([&](const ast::ListExpr *list) {
        return evaluateElements(list->elements, /*isList=*/true);
      })
      .Case([](const ast::LambdaExpr *lambda) { return Value(lambda); })
      .Default([&](const ast::Expr *other) {
        return fail(other->range, "a " + ast::getKindName(other->kind) +
                                      " cannot be used here; write a number, a name, a call or an "
                                      "operation on them");
      });
}

Evaluator::Result Evaluator::evaluateNode(const ast::TernaryExpr &expr) {
  TILERUN_TRY_RESULT(condition, evaluate(*expr.condition));
  TILERUN_TRY_RESULT(taken, truth(*expr.condition, condition));
  return evaluate(taken ? *expr.thenValue : *expr.elseValue);
}

Evaluator::Result Evaluator::evaluateElements(llvm::ArrayRef<const ast::Expr *> elements,
                                              bool isList) {
  std::vector<Value> values;
  for (const ast::Expr *element : elements) {
    const ast::Expr *inner = element;
    auto *starred = llvm::dyn_cast<ast::StarredExpr>(element);
    if (starred)
      inner = starred->value;
    TILERUN_TRY_RESULT(value, evaluate(*inner));
    if (!starred) {
      values.push_back(std::move(value));
      continue;
    }
    const Tuple *tuple = value.asTuple();
    if (!tuple)
      return fail(inner->range, "'*' needs a tuple, not " + value.describe());
    llvm::append_range(values, tuple->elements);
  }
  return Value::tuple(std::move(values), isList);
}

Evaluator::Result Evaluator::evaluateNode(const ast::NameExpr &expr) {
  if (auto it = names.find(expr.name); it != names.end()) {
    used.insert(expr.name.str());
    return it->second;
  }
  // Kernel files may define a `max` of their own: it wins in their lambdas, not on the command
  // line.
  std::optional<Value> builtin = findBuiltin(expr.name);
  if (builtin && !preferFallback)
    return *builtin;
  if (fallback) {
    TILERUN_TRY_RESULT(value, fallback(expr));
    if (value)
      return std::move(*value);
  }
  if (builtin)
    return *builtin;
  if (isNamespace(expr.name))
    return Value(Namespace{expr.name.str()});
  std::vector<llvm::StringRef> candidates;
  for (const auto &entry : names)
    candidates.push_back(entry.first);
  for (const Function &function : getFunctions())
    candidates.push_back(function.name);
  std::string message =
      ("unknown name '" + expr.name + "'").str() + suggestNear(expr.name, candidates);
  if (advisesDefinition)
    message +=
        ("; define it before (" + expr.name + "=…), or write a string as '\"" + expr.name + "\"'")
            .str();
  return fail(expr.range, message);
}

Evaluator::Result Evaluator::evaluateNode(const ast::ConstantExpr &expr) {
  switch (expr.constant) {
  case ast::ConstantKind::None:
    return Value();
  case ast::ConstantKind::True:
    return Value(true);
  case ast::ConstantKind::False:
    return Value(false);
  case ast::ConstantKind::Int: {
    llvm::APInt integer;
    llvm::StringRef text = expr.text;
    // 126 bits: 38 decimal or 31 hexadecimal digits; longer texts are not worth parsing.
    if (text.size() > 130 || text.getAsInteger(0, integer) || integer.getActiveBits() > 126)
      if (text.find_first_not_of('0') != llvm::StringRef::npos)
        return fail(expr.range, "an integer that does not fit 128 bits");
    integer = integer.zextOrTrunc(128);
    return Value::integer(static_cast<Integer>(integer.getRawData()[1]) << 64 |
                          integer.getRawData()[0]);
  }
  case ast::ConstantKind::Float:
    return Value(expr.floating);
  case ast::ConstantKind::String:
    return Value(expr.text.str());
  default:
    return fail(expr.range, "this kind of constant cannot be used here");
  }
}

Evaluator::Result Evaluator::evaluateNode(const ast::UnaryExpr &expr) {
  TILERUN_TRY_RESULT(operand, evaluate(*expr.operand));
  return check(expr.range, applyUnary(expr.op, operand));
}

Evaluator::Result Evaluator::evaluateNode(const ast::BinaryExpr &expr) {
  TILERUN_TRY_RESULT(lhs, evaluate(*expr.lhs));
  TILERUN_TRY_RESULT(rhs, evaluate(*expr.rhs));
  return check(expr.opRange.isValid() ? expr.opRange : expr.range, applyBinary(expr.op, lhs, rhs));
}

mlir::FailureOr<bool> Evaluator::truth(const ast::Expr &expr, const Value &value) {
  return check(expr.range, getTruth(value));
}

Evaluator::Result Evaluator::evaluateNode(const ast::BoolOpExpr &expr) {
  Result value = failure();
  for (const ast::Expr *operand : expr.operands) {
    value = evaluate(*operand);
    if (failed(value))
      return failure();
    TILERUN_TRY_RESULT(flag, truth(*operand, *value));
    if (flag != expr.isAnd)
      break;
  }
  return value;
}

Evaluator::Result Evaluator::evaluateNode(const ast::CompareExpr &expr) {
  TILERUN_TRY_RESULT(lhs, evaluate(*expr.first));
  Result result = failure();
  for (auto [op, operand] : llvm::zip_equal(expr.ops, expr.rest)) {
    TILERUN_TRY_RESULT(rhs, evaluate(*operand));
    result = check(expr.range, applyCompare(op, lhs, rhs));
    if (failed(result) || expr.ops.size() == 1)
      return result;
    TILERUN_TRY_RESULT(flag, truth(*operand, *result));
    if (!flag)
      return result;
    lhs = rhs;
  }
  return result;
}

Evaluator::Result Evaluator::evaluateNode(const ast::CallExpr &expr) {
  TILERUN_TRY_RESULT(callee, evaluate(*expr.callee));
  TILERUN_TRY_RESULT(positional, evaluateElements(expr.args));
  CallArguments args;
  args.positional = positional.asTuple()->elements;
  for (const ast::Keyword &keyword : expr.keywords) {
    if (keyword.name.empty())
      return fail(keyword.range, "'**' cannot be used here");
    TILERUN_TRY_RESULT(value, evaluate(*keyword.value));
    args.keywords.emplace_back(keyword.name.str(), value);
  }
  if (auto *function = callee.getIf<const Function *>())
    return check(expr.range, callFunction(**function, args));
  if (auto *bound = callee.getIf<BoundFunction>()) {
    args.positional.insert(args.positional.begin(), *bound->self);
    return check(expr.range, callFunction(*bound->function, args));
  }
  if (auto *dtype = callee.getIf<DType>(); dtype && args.keywords.empty()) {
    if (args.positional.size() != 1)
      return fail(expr.range, dtype->str() + "(…) takes one value");
    return check(expr.range, castValue(*dtype, args.positional[0]));
  }
  if (auto *lambda = callee.getIf<const ast::LambdaExpr *>(); lambda && args.keywords.empty())
    return call(**lambda, args.positional);
  return fail(expr.callee->range, callee.describe() + " cannot be called here");
}

Evaluator::Result Evaluator::call(const ast::LambdaExpr &lambda, llvm::ArrayRef<Value> args) {
  // Lambdas can call each other only through names, but that is enough for endless recursion.
  if (lambdaDepth >= 4)
    return fail(lambda.range, "lambdas call each other too deeply");
  if (args.size() > lambda.parameters.size())
    return fail(lambda.range, "a lambda with " + llvm::Twine(lambda.parameters.size()) +
                                  " parameters gets " + llvm::Twine(args.size()));
  Names saved = names;
  ++lambdaDepth;
  Result result = [&]() -> Result {
    for (auto [i, parameter] : llvm::enumerate(lambda.parameters)) {
      if (parameter.kind == ast::ParameterKind::VarArgs ||
          parameter.kind == ast::ParameterKind::KwArgs)
        return fail(parameter.range, "'*' parameters cannot be used here");
      Result value = i < args.size()          ? Result(args[i])
                     : parameter.defaultValue ? evaluate(*parameter.defaultValue)
                                              : Result(failure());
      if (failed(value))
        return fail(parameter.range, "no value for parameter '" + parameter.name + "'");
      define(parameter.name, *value);
    }
    return evaluate(*lambda.body);
  }();
  --lambdaDepth;
  names = std::move(saved);
  return result;
}

Evaluator::Result Evaluator::evaluateNode(const ast::AttributeExpr &expr) {
  auto *name = llvm::dyn_cast<ast::NameExpr>(expr.value);
  if (name && fallback && !names.count(name->name.str())) {
    TILERUN_TRY_RESULT(value, fallback(expr));
    if (value)
      return std::move(*value);
  }
  TILERUN_TRY_RESULT(base, evaluate(*expr.value));
  if (auto *space = base.getIf<Namespace>()) {
    std::string path = space->name + "." + expr.name.str();
    if (isNamespace(path))
      return Value(Namespace{path});
    if (auto value = findBuiltin(expr.name))
      return *value;
    return fail(expr.nameRange, "'" + path + "' is not known here");
  }
  if (base.isTensorLike()) {
    TILERUN_TRY_RESULT(attribute, check(expr.range, getTensorAttribute(base, expr.name)));
    if (attribute)
      return *attribute;
    if (const Function *function = findFunction(expr.name))
      return Value(BoundFunction{function, std::make_shared<Value>(base)});
  }
  if (auto *dtype = base.getIf<DType>()) {
    if (expr.name == "itemsize")
      return Value::integer(getElementBytes(*dtype));
    if (expr.name == "primitive_bitwidth")
      return Value::integer(dtype->getBits());
  }
  return fail(expr.nameRange, base.describe() + " has no attribute '" + expr.name + "'");
}

Evaluator::Result Evaluator::evaluateNode(const ast::SubscriptExpr &expr) {
  TILERUN_TRY_RESULT(base, evaluate(*expr.value));
  if (auto *dict = base.getIf<std::shared_ptr<Dictionary>>()) {
    TILERUN_TRY_RESULT(key, evaluate(*expr.index));
    auto *text = key.getIf<std::string>();
    if (!text)
      return fail(expr.index->range, "a key must be a string, not " + key.describe());
    auto it = (*dict)->entries.find(*text);
    if (it != (*dict)->entries.end()) {
      used.insert(*text);
      return it->second;
    }
    std::vector<llvm::StringRef> keys;
    for (const auto &entry : (*dict)->entries)
      keys.push_back(entry.first);
    return fail(expr.index->range, "no argument '" + *text + "'" + suggestNear(*text, keys));
  }
  llvm::SmallVector<const ast::Expr *> parts{expr.index};
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(expr.index))
    parts.assign(tuple->elements.begin(), tuple->elements.end());
  llvm::SmallVector<Index> indices;
  for (const ast::Expr *part : parts) {
    Index index;
    if (auto *slice = llvm::dyn_cast<ast::SliceExpr>(part)) {
      index.kind = Index::Kind::Slice;
      for (auto [bound, out] :
           {std::pair{slice->lower, &index.lower}, std::pair{slice->upper, &index.upper},
            std::pair{slice->step, &index.step}}) {
        if (!bound)
          continue;
        TILERUN_TRY_RESULT(value, evaluate(*bound));
        if (value.isNone())
          continue;
        TILERUN_TRY_RESULT(integer, check(bound->range, getInt64(value, "a slice bound")));
        *out = integer;
      }
    } else if (auto *constant = llvm::dyn_cast<ast::ConstantExpr>(part);
               constant && constant->constant == ast::ConstantKind::Ellipsis) {
      index.kind = Index::Kind::Ellipsis;
    } else {
      TILERUN_TRY_RESULT(value, evaluate(*part));
      if (value.isNone()) {
        index.kind = Index::Kind::NewAxis;
      } else {
        TILERUN_TRY_RESULT(integer, check(part->range, getInt64(value, "an index")));
        index.integer = integer;
      }
    }
    indices.push_back(index);
  }
  return check(expr.range, applySubscript(base, indices));
}
