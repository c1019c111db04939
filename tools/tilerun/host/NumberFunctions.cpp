// Functions of the command line's expressions that work on numbers: elementwise ones, where numbers
// stay numbers, and those of integers.
#include "tools/tilerun/host/Functions.h"

#include <cmath>
#include <numbers>

using namespace tilerun;
using namespace tilerun::host;

static Result callUnary(Args args, const Function &self) {
  if (auto number = args[0].asDouble())
    return Value(self.unary(*number));
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  return Value::array(mapElements(std::move(array), self.unary));
}

static Result callBinary(Args args, const Function &self) {
  auto a = args[0].asDouble(), b = args[1].asDouble();
  if (a && b)
    return Value(self.binary(*a, *b));
  TILERUN_TRY_VALUE(lhs, getArray(args[0]));
  TILERUN_TRY_VALUE(rhs, getArray(args[1]));
  return wrap(mapElements(lhs, rhs, self.binary));
}

/// floor, ceil, round, trunc and abs of a number give a number of its kind.
static Result callRounding(Args args, const Function &self) {
  if (auto integer = args[0].asInteger())
    return Value::integer(self.name == "abs" && *integer < 0 ? -*integer : *integer);
  if (auto number = args[0].asDouble(); number && self.name != "abs") {
    double rounded = self.unary(*number);
    if (!(std::fabs(rounded) < 0x1p120))
      return makeError("the result of " + self.name + " is not a finite integer");
    return Value::integer(static_cast<Integer>(rounded));
  }
  return callUnary(args, self);
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }
static double geluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double host::maximum(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double host::minimum(double a, double b) { return std::isnan(a) || a < b ? a : b; }

//===----------------------------------------------------------------------===//
// Functions of integers
//===----------------------------------------------------------------------===//

static Result callCdiv(Args args, const Function &) {
  auto a = args[0].asInteger(), b = args[1].asInteger();
  if (!a || !b)
    return makeError("cdiv takes two integers, found " + args[0].describe() + " and " +
                     args[1].describe());
  Result sum = applyBinary(ast::BinaryOp::Add, args[0], Value::integer(*b - 1));
  return sum ? applyBinary(ast::BinaryOp::FloorDiv, *sum, args[1]) : std::move(sum);
}

static Result callNextPowerOf2(Args args, const Function &) {
  auto n = args[0].asInteger();
  if (!n || *n > (Integer{1} << 62))
    return makeError("next_power_of_2 takes an integer up to 2**62, not " + args[0].describe());
  Integer power = 1;
  while (power < *n)
    power *= 2;
  return Value::integer(*n < 1 ? 0 : power);
}

static Result callLen(Args args, const Function &) {
  if (const Tuple *tuple = args[0].asTuple())
    return Value::integer(tuple->elements.size());
  if (auto *text = args[0].getIf<std::string>())
    return Value::integer(text->size());
  if (auto *tensor = args[0].getIf<Tensor>(); tensor && !tensor->shape.empty())
    return Value::integer(tensor->shape[0]);
  return makeError("len of " + args[0].describe());
}

enum { kToInt, kToFloat, kToBool };
static Result callConversion(Args args, const Function &self) {
  if (self.code == kToBool) {
    llvm::Expected<bool> truth = getTruth(args[0]);
    return truth ? Result(Value(*truth)) : truth.takeError();
  }
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  if (array.numElements() != 1)
    return makeError(self.name + " takes a number, not " + args[0].describe());
  if (self.code == kToFloat)
    return Value(array.data[0]);
  if (auto integer = args[0].asInteger())
    return Value::integer(*integer);
  if (!(std::fabs(array.data[0]) < 0x1p120))
    return makeError("a float that is not a finite integer");
  return Value::integer(static_cast<Integer>(array.data[0]));
}

/// min(a, b, …) of numbers, or min(x[, axis]) of a tensor.
enum { kMax, kMin };
static Result callMinMax(Args args, const Function &self) {
  const Tuple *rest = args[0].asTuple();
  llvm::ArrayRef<Value> values = rest->elements;
  if (!values.empty() && values[0].isTensorLike()) {
    std::optional<int64_t> axis;
    Value axisValue = values.size() > 1 ? values[1] : args[1];
    if (values.size() > 2 || axisValue.isTensorLike())
      return makeError(self.name + " of several tensors; use " +
                       (self.code == kMax ? "maximum(a, b)" : "minimum(a, b)"));
    if (!axisValue.isNone()) {
      TILERUN_TRY_VALUE(at, getInt64(axisValue, "axis"));
      axis = at;
    }
    TILERUN_TRY_VALUE(keep, getTruth(args[2]));
    TILERUN_TRY_VALUE(array, getArray(values[0]));
    return wrap(reduce(array, self.code == kMax ? Reduction::Max : Reduction::Min, axis, keep, 0));
  }
  if (values.size() == 1 && values[0].asTuple())
    values = values[0].asTuple()->elements;
  if (values.empty())
    return makeError(self.name + " of nothing");
  Value best = values[0];
  if (!best.isNumber())
    return makeError(self.name + " takes numbers or a tensor, not " + best.describe());
  for (const Value &value : values.drop_front()) {
    Result better =
        applyCompare(self.code == kMax ? ast::CompareOp::Gt : ast::CompareOp::Lt, value, best);
    if (!better)
      return better;
    if (auto *flag = better->getIf<bool>(); flag && *flag)
      best = value;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#define UNARY(Name, Expression)                                                                    \
  {Name, "x", callUnary, [](double x) -> double { return Expression; }}
#define BINARY(Name, Expression)                                                                   \
  {Name, "x, y", callBinary, nullptr, [](double x, double y) -> double { return Expression; }}
#define ROUNDING(Name, Expression)                                                                 \
  {Name, "x", callRounding, [](double x) -> double { return Expression; }}

llvm::ArrayRef<Function> host::getNumberFunctions() {
  static const Function functions[] = {
      UNARY("exp", std::exp(x)),
      UNARY("exp2", std::exp2(x)),
      UNARY("expm1", std::expm1(x)),
      UNARY("log", std::log(x)),
      UNARY("log2", std::log2(x)),
      UNARY("log10", std::log10(x)),
      UNARY("log1p", std::log1p(x)),
      UNARY("sqrt", std::sqrt(x)),
      UNARY("rsqrt", 1 / std::sqrt(x)),
      UNARY("sin", std::sin(x)),
      UNARY("cos", std::cos(x)),
      UNARY("tan", std::tan(x)),
      UNARY("tanh", std::tanh(x)),
      UNARY("erf", std::erf(x)),
      UNARY("sigmoid", sigmoid(x)),
      UNARY("silu", x * sigmoid(x)),
      UNARY("relu", x > 0 || std::isnan(x) ? x : 0),
      UNARY("gelu", gelu(x)),
      UNARY("gelu_tanh", geluTanh(x)),
      UNARY("softplus", x > 30 ? x : std::log1p(std::exp(x))),
      UNARY("square", x * x),
      UNARY("sign", (x > 0) - (x < 0)),
      UNARY("isnan", std::isnan(x)),
      UNARY("isinf", std::isinf(x)),
      UNARY("isfinite", std::isfinite(x)),
      ROUNDING("abs", std::fabs(x)),
      ROUNDING("floor", std::floor(x)),
      ROUNDING("ceil", std::ceil(x)),
      ROUNDING("round", std::nearbyint(x)),
      ROUNDING("trunc", std::trunc(x)),
      BINARY("maximum", maximum(x, y)),
      BINARY("minimum", minimum(x, y)),
      BINARY("pow", std::pow(x, y)),
      BINARY("fmod", std::fmod(x, y)),
      BINARY("atan2", std::atan2(x, y)),
      BINARY("logical_and", x != 0 && y != 0),
      BINARY("logical_or", x != 0 || y != 0),
      {"cdiv", "x, div", callCdiv},
      {"next_power_of_2", "n", callNextPowerOf2},
      {"len", "x", callLen},
      {"int", "x", callConversion, nullptr, nullptr, kToInt},
      {"float", "x", callConversion, nullptr, nullptr, kToFloat},
      {"bool", "x", callConversion, nullptr, nullptr, kToBool},
      {"item", "x", callConversion, nullptr, nullptr, kToFloat},
      {"max", "*args, axis=none, keepdims=false", callMinMax, nullptr, nullptr, kMax},
      {"min", "*args, axis=none, keepdims=false", callMinMax, nullptr, nullptr, kMin},
  };
  return functions;
}
