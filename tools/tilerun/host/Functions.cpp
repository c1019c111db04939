// The functions of the command line's expressions, as one table.
#include "tools/tilerun/host/Operators.h"
#include "tools/tilerun/host/Random.h"

#include "frontend/source/Source.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace tilerun;
using namespace tilerun::host;

using Args = llvm::ArrayRef<Value>;
using Result = llvm::Expected<Value>;

static Result wrap(llvm::Expected<Array> array) {
  if (!array)
    return array.takeError();
  return Value::array(std::move(*array));
}

//===----------------------------------------------------------------------===//
// Elementwise functions: numbers stay numbers
//===----------------------------------------------------------------------===//

static Result callUnary(Args args, const Function &self) {
  if (auto number = args[0].asDouble())
    return Value(self.unary(*number));
  llvm::Expected<Array> array = getArray(args[0]);
  if (!array)
    return array.takeError();
  return Value::array(mapElements(std::move(*array), self.unary));
}

static Result callBinary(Args args, const Function &self) {
  auto a = args[0].asDouble(), b = args[1].asDouble();
  if (a && b)
    return Value(self.binary(*a, *b));
  llvm::Expected<Array> lhs = getArray(args[0]);
  if (!lhs)
    return lhs.takeError();
  llvm::Expected<Array> rhs = getArray(args[1]);
  if (!rhs)
    return rhs.takeError();
  return wrap(mapElements(*lhs, *rhs, self.binary));
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
static double maximum(double a, double b) { return std::isnan(a) || a > b ? a : b; }
static double minimum(double a, double b) { return std::isnan(a) || a < b ? a : b; }

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
  llvm::Expected<Array> array = getArray(args[0]);
  if (!array)
    return array.takeError();
  if (array->numElements() != 1)
    return makeError(self.name + " takes a number, not " + args[0].describe());
  if (self.code == kToFloat)
    return Value(array->data[0]);
  if (auto integer = args[0].asInteger())
    return Value::integer(*integer);
  if (!(std::fabs(array->data[0]) < 0x1p120))
    return makeError("a float that is not a finite integer");
  return Value::integer(static_cast<Integer>(array->data[0]));
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
      llvm::Expected<int64_t> at = getInt64(axisValue, "axis");
      if (!at)
        return at.takeError();
      axis = *at;
    }
    llvm::Expected<bool> keep = getTruth(args[2]);
    if (!keep)
      return keep.takeError();
    llvm::Expected<Array> array = getArray(values[0]);
    if (!array)
      return array.takeError();
    return wrap(
        reduce(*array, self.code == kMax ? Reduction::Max : Reduction::Min, axis, *keep, 0));
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
// Functions of tensors
//===----------------------------------------------------------------------===//

static Result callReduction(Args args, const Function &self) {
  llvm::Expected<Array> array = getArray(args[0]);
  if (!array)
    return array.takeError();
  std::optional<int64_t> axis;
  if (!args[1].isNone()) {
    llvm::Expected<int64_t> at = getInt64(args[1], "axis");
    if (!at)
      return at.takeError();
    axis = *at;
  }
  llvm::Expected<bool> keep = getTruth(args[2]);
  if (!keep)
    return keep.takeError();
  double correction = args.size() > 3 ? args[3].asDouble().value_or(0) : 0;
  return wrap(reduce(*array, static_cast<Reduction>(self.code), axis, *keep, correction));
}

static Result callCumsum(Args args, const Function &) {
  llvm::Expected<Array> array = getArray(args[0]);
  if (!array)
    return array.takeError();
  llvm::Expected<int64_t> axis = getInt64(args[1], "axis");
  if (!axis)
    return axis.takeError();
  return wrap(cumulativeSum(*array, *axis));
}

static Result callSoftmax(Args args, const Function &self) {
  llvm::Expected<Array> array = getArray(args[0]);
  if (!array)
    return array.takeError();
  llvm::Expected<int64_t> axis = getInt64(args[1], "axis");
  if (!axis)
    return axis.takeError();
  return wrap(softmax(*array, *axis, /*logarithm=*/self.code));
}

static Result callMatmul(Args args, const Function &) {
  return applyBinary(ast::BinaryOp::MatMul, args[0], args[1]);
}

static Result callWhere(Args args, const Function &) {
  llvm::Expected<Array> c = getArray(args[0]);
  if (!c)
    return c.takeError();
  llvm::Expected<Array> a = getArray(args[1]);
  if (!a)
    return a.takeError();
  llvm::Expected<Array> b = getArray(args[2]);
  if (!b)
    return b.takeError();
  return wrap(selectElements(*c, *a, *b));
}

static Result callClamp(Args args, const Function &) {
  llvm::Expected<Array> x = getArray(args[0]);
  if (!x)
    return x.takeError();
  for (auto [bound, fn] : {std::pair{1, &maximum}, std::pair{2, &minimum}}) {
    llvm::Expected<Array> limit = getArray(args[bound]);
    if (!limit)
      return limit.takeError();
    x = mapElements(*x, *limit, fn);
    if (!x)
      return x.takeError();
  }
  return Value::array(std::move(*x));
}

/// Tensors are viewed, arrays copied.
static Result permute(const Value &value, llvm::ArrayRef<int64_t> order) {
  if (auto *tensor = value.getIf<Tensor>()) {
    Tensor view = *tensor;
    if (order.size() != view.shape.size())
      return makeError("a permutation of " + llvm::Twine(order.size()) +
                       " axes for a tensor with " + llvm::Twine(view.shape.size()) + " dimensions");
    std::vector<bool> seen(order.size());
    for (auto [d, axis] : llvm::enumerate(order)) {
      llvm::Expected<int64_t> at = normalizeAxis(axis, order.size());
      if (!at)
        return at.takeError();
      if (seen[*at])
        return makeError("axis " + llvm::Twine(axis) + " occurs twice in a permutation");
      seen[*at] = true;
      view.shape[d] = tensor->shape[*at];
      view.strides[d] = tensor->strides[*at];
    }
    return Value(view);
  }
  llvm::Expected<Array> array = getArray(value);
  if (!array)
    return array.takeError();
  return wrap(transpose(*array, order));
}

static llvm::Expected<size_t> getRank(const Value &value) {
  if (auto *tensor = value.getIf<Tensor>())
    return tensor->shape.size();
  if (auto *array = value.getIf<std::shared_ptr<const Array>>())
    return (*array)->shape.size();
  return makeError("expected a tensor, found " + value.describe());
}

static Result reverseAxes(const Value &value) {
  llvm::Expected<size_t> rank = getRank(value);
  if (!rank)
    return rank.takeError();
  Shape order;
  for (size_t d = *rank; d-- > 0;)
    order.push_back(static_cast<int64_t>(d));
  return permute(value, order);
}

/// Dimensions given one by one or as one tuple.
static llvm::Expected<Shape> getDims(const Value &rest, const llvm::Twine &what) {
  const Tuple *tuple = rest.asTuple();
  if (tuple->elements.size() == 1)
    return getShape(tuple->elements[0], what);
  return getShape(rest, what);
}

static Result callPermute(Args args, const Function &) {
  llvm::Expected<Shape> order = getDims(args[1], "an axis");
  if (!order)
    return order.takeError();
  return permute(args[0], *order);
}

/// transpose(x) reverses the axes; transpose(x, a, b) swaps two.
static Result callTranspose(Args args, const Function &) {
  if (args[1].isNone() && args[2].isNone())
    return reverseAxes(args[0]);
  llvm::Expected<size_t> rank = getRank(args[0]);
  if (!rank)
    return rank.takeError();
  Shape order;
  for (size_t d = 0; d < *rank; ++d)
    order.push_back(static_cast<int64_t>(d));
  int64_t axes[2];
  for (int i : {0, 1}) {
    llvm::Expected<int64_t> axis = getInt64(args[i + 1], "an axis");
    if (!axis)
      return axis.takeError();
    llvm::Expected<int64_t> at = normalizeAxis(*axis, *rank);
    if (!at)
      return at.takeError();
    axes[i] = *at;
  }
  std::swap(order[axes[0]], order[axes[1]]);
  return permute(args[0], order);
}

static Result reshape(const Value &value, llvm::ArrayRef<int64_t> dims) {
  if (auto *tensor = value.getIf<Tensor>(); tensor && tensor->isContiguous()) {
    llvm::Expected<Shape> shape = resolveReshape(tensor->numElements(), dims);
    if (!shape)
      return shape.takeError();
    Tensor view = *tensor;
    view.shape = *shape;
    view.strides = contiguousStrides(*shape);
    return Value(view);
  }
  llvm::Expected<Array> array = getArray(value);
  if (!array)
    return array.takeError();
  llvm::Expected<Shape> shape = resolveReshape(array->numElements(), dims);
  if (!shape)
    return shape.takeError();
  array->shape = *shape;
  return Value::array(std::move(*array));
}

static Result callReshape(Args args, const Function &) {
  llvm::Expected<Shape> dims = getDims(args[1], "a dimension");
  if (!dims)
    return dims.takeError();
  return reshape(args[0], *dims);
}

static Result callFlatten(Args args, const Function &) { return reshape(args[0], {-1}); }

static Result callBroadcastTo(Args args, const Function &) {
  llvm::Expected<Array> array = getArray(args[0]);
  if (!array)
    return array.takeError();
  llvm::Expected<Shape> dims = getDims(args[1], "a dimension");
  if (!dims)
    return dims.takeError();
  return wrap(broadcastTo(*array, *dims));
}

static Result callCat(Args args, const Function &self) {
  const Tuple *parts = args[0].asTuple();
  if (!parts)
    return makeError(self.name + " takes a tuple of tensors");
  llvm::Expected<int64_t> axis = getInt64(args[1], "axis");
  if (!axis)
    return axis.takeError();
  std::vector<Array> arrays;
  for (const Value &part : parts->elements) {
    llvm::Expected<Array> array = getArray(part);
    if (!array)
      return array.takeError();
    if (self.code) { // stack: a new dimension for each.
      int64_t rank = static_cast<int64_t>(array->shape.size());
      llvm::Expected<int64_t> at = normalizeAxis(*axis, rank + 1);
      if (!at)
        return at.takeError();
      array->shape.insert(array->shape.begin() + *at, 1);
    }
    arrays.push_back(std::move(*array));
  }
  return wrap(concatenate(arrays, *axis));
}

static Result callArange(Args args, const Function &) {
  bool one = args[1].isNone();
  auto first = one ? 0.0 : args[0].asDouble(), last = args[one ? 0 : 1].asDouble(),
       step = args[2].asDouble();
  if (!first || !last || !step || *step == 0)
    return makeError("arange takes numbers, and a step that is not 0");
  double count = std::ceil((*last - *first) / *step);
  if (!(count < 0x1p53))
    return makeError("arange of too many elements");
  llvm::Expected<Array> array = Array::create({std::max<int64_t>(0, static_cast<int64_t>(count))});
  if (!array)
    return array.takeError();
  for (auto [i, x] : llvm::enumerate(array->data))
    x = *first + static_cast<double>(i) * *step;
  array->dtype = dtype(args[0].is<double>() ? Scalar::F32 : Scalar::Int64);
  return Value::array(std::move(*array));
}

static Result callFull(Args args, const Function &self) {
  llvm::Expected<Shape> shape = getShape(args[0], "a dimension");
  if (!shape)
    return shape.takeError();
  llvm::Expected<Array> array = Array::create(*shape);
  if (!array)
    return array.takeError();
  auto value = args.size() > 1 ? args[1].asDouble() : std::optional<double>(self.code);
  if (!value)
    return makeError("full takes a shape and a number");
  llvm::fill(array->data, *value);
  return Value::array(std::move(*array));
}

/// tril (code 1) keeps what is on and below the k-th diagonal, triu (code 0) on and above.
static Result callTriangle(Args args, const Function &self) {
  llvm::Expected<Array> array = getArray(args[0]);
  if (!array)
    return array.takeError();
  llvm::Expected<int64_t> k = getInt64(args[1], "the diagonal");
  if (!k)
    return k.takeError();
  if (array->shape.size() < 2)
    return makeError(self.name + " needs at least two dimensions");
  int64_t rows = array->shape[array->shape.size() - 2], columns = array->shape.back();
  for (auto [i, x] : llvm::enumerate(array->data)) {
    int64_t column = static_cast<int64_t>(i) % columns;
    int64_t row = static_cast<int64_t>(i) / columns % rows;
    // Dimensions are far below 2^62, so that only k could overflow.
    int64_t limit = std::clamp<int64_t>(*k, -rows, columns);
    if (self.code ? column - row > limit : column - row < limit)
      x = 0;
  }
  return Value::array(std::move(*array));
}

static Result callCast(Args args, const Function &self) {
  auto *dtype = args[1].getIf<DType>();
  if (!dtype)
    return makeError(self.name + " takes a dtype, not " + args[1].describe());
  return castValue(*dtype, args[0]);
}

static Result callCopy(Args args, const Function &) {
  auto *tensor = args[0].getIf<Tensor>();
  if (!tensor)
    return args[0];
  llvm::Expected<Tensor> copy = Tensor::create(tensor->dtype, tensor->shape);
  if (!copy)
    return copy.takeError();
  copy->poisoned = tensor->poisoned;
  unsigned bytes = tensor->elementBytes();
  tensor->forEach([&](int64_t position, uint64_t at) {
    std::memcpy(copy->storage->bytes().data() + static_cast<uint64_t>(position) * bytes,
                tensor->storage->bytes().data() + at, bytes);
  });
  return Value(*copy);
}

/// The kernel language's tl.rand.
static Result callRand(Args args, const Function &) {
  auto seed = args[0].asDouble();
  if (llvm::Expected<Array> array = getArray(args[0]); array && array->numElements() == 1)
    seed = array->data[0];
  else if (!array)
    return array.takeError();
  llvm::Expected<Array> offsets = getArray(args[1]);
  if (!offsets)
    return offsets.takeError();
  if (!seed || !(std::fabs(*seed) < 0x1p53))
    return makeError("rand takes a seed of at most 53 bits and offsets");
  for (double &x : offsets->data) {
    if (!(x >= 0 && x < 0x1p32))
      return makeError("rand takes offsets of 32 bits");
    x = languageUniform(static_cast<uint64_t>(static_cast<int64_t>(*seed)),
                        static_cast<uint32_t>(x));
  }
  return Value::array(std::move(*offsets));
}

/// The properties that host code asks a tensor for.
enum { kStride, kSize, kNumel, kElementSize, kDataPtr, kDim, kIsContiguous };
static Result callProperty(Args args, const Function &self) {
  auto *tensor = args[0].getIf<Tensor>();
  if (!tensor)
    return makeError(self.name + " needs a tensor of the command line, not " + args[0].describe());
  switch (self.code) {
  case kStride:
  case kSize: {
    const Shape &values = self.code == kStride ? tensor->strides : tensor->shape;
    if (args[1].isNone())
      return Value::shape(values);
    llvm::Expected<int64_t> axis = getInt64(args[1], "dim");
    if (!axis)
      return axis.takeError();
    llvm::Expected<int64_t> at = normalizeAxis(*axis, values.size());
    if (!at)
      return at.takeError();
    return Value::integer(values[*at]);
  }
  case kNumel:
    return Value::integer(tensor->numElements());
  case kElementSize:
    return Value::integer(tensor->elementBytes());
  case kDataPtr: // Storage starts on a multiple of 256; only alignment can be asked for.
    return Value::integer(256 + tensor->offset);
  case kDim:
    return Value::integer(tensor->shape.size());
  default:
    return Value(tensor->isContiguous());
  }
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
#define REDUCTION(Name, Kind)                                                                      \
  {Name,    "x, axis=none, keepdims=false",   callReduction, nullptr,                              \
   nullptr, static_cast<int>(Reduction::Kind)}

static const Function kFunctions[] = {
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
    UNARY("silu", x *sigmoid(x)),
    UNARY("relu", x > 0 || std::isnan(x) ? x : 0),
    UNARY("gelu", gelu(x)),
    UNARY("gelu_tanh", geluTanh(x)),
    UNARY("softplus", x > 30 ? x : std::log1p(std::exp(x))),
    UNARY("square", x *x),
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
    REDUCTION("sum", Sum),
    REDUCTION("mean", Mean),
    REDUCTION("prod", Prod),
    REDUCTION("argmax", ArgMax),
    REDUCTION("argmin", ArgMin),
    REDUCTION("any", Any),
    REDUCTION("all", All),
    {"var", "x, axis=none, keepdims=false, correction=0", callReduction, nullptr, nullptr,
     static_cast<int>(Reduction::Var)},
    {"std", "x, axis=none, keepdims=false, correction=0", callReduction, nullptr, nullptr,
     static_cast<int>(Reduction::Std)},
    {"cumsum", "x, axis=-1", callCumsum},
    {"softmax", "x, axis=-1", callSoftmax},
    {"log_softmax", "x, axis=-1", callSoftmax, nullptr, nullptr, 1},
    {"matmul", "x, y", callMatmul},
    {"dot", "x, y", callMatmul},
    {"where", "condition, x, y", callWhere},
    {"clamp", "x, min, max", callClamp},
    {"permute", "x, *order", callPermute},
    {"transpose", "x, dim0=none, dim1=none", callTranspose},
    {"reshape", "x, *shape", callReshape},
    {"view", "x, *shape", callReshape},
    {"flatten", "x", callFlatten},
    {"broadcast_to", "x, *shape", callBroadcastTo},
    {"cat", "tensors, axis=0", callCat},
    {"concatenate", "tensors, axis=0", callCat},
    {"stack", "tensors, axis=0", callCat, nullptr, nullptr, 1},
    {"arange", "start, end=none, step=1", callArange},
    {"full", "shape, value", callFull},
    {"zeros", "shape", callFull, nullptr, nullptr, 0},
    {"ones", "shape", callFull, nullptr, nullptr, 1},
    {"tril", "x, k=0", callTriangle, nullptr, nullptr, 1},
    {"triu", "x, k=0", callTriangle, nullptr, nullptr, 0},
    {"rand", "seed, offset", callRand},
    {"to", "x, dtype", callCast},
    {"cast", "x, dtype", callCast},
    {"copy", "x", callCopy},
    {"clone", "x", callCopy},
    {"stride", "x, dim=none", callProperty, nullptr, nullptr, kStride},
    {"size", "x, dim=none", callProperty, nullptr, nullptr, kSize},
    {"numel", "x", callProperty, nullptr, nullptr, kNumel},
    {"element_size", "x", callProperty, nullptr, nullptr, kElementSize},
    {"data_ptr", "x", callProperty, nullptr, nullptr, kDataPtr},
    {"dim", "x", callProperty, nullptr, nullptr, kDim},
    {"is_contiguous", "x", callProperty, nullptr, nullptr, kIsContiguous},
};
#undef UNARY
#undef BINARY
#undef ROUNDING
#undef REDUCTION

llvm::ArrayRef<Function> host::getFunctions() { return kFunctions; }

const Function *host::findFunction(llvm::StringRef name) {
  for (const Function &function : kFunctions)
    if (function.name == name)
      return &function;
  return nullptr;
}

static Value parseDefault(llvm::StringRef text) {
  int64_t integer;
  if (!text.getAsInteger(10, integer))
    return Value::integer(integer);
  return text == "false" ? Value(false) : Value();
}

Result host::callFunction(const Function &function, const CallArguments &args) {
  llvm::SmallVector<llvm::StringRef, 4> parameters;
  function.signature.split(parameters, ", ");
  std::vector<Value> values;
  std::vector<llvm::StringRef> names;
  size_t next = 0;
  std::vector<bool> usedKeywords(args.keywords.size());
  for (llvm::StringRef parameter : parameters) {
    if (parameter.consume_front("*")) {
      std::vector<Value> rest(args.positional.begin() + std::min(next, args.positional.size()),
                              args.positional.end());
      next = args.positional.size();
      values.push_back(Value::tuple(std::move(rest)));
      continue;
    }
    auto [name, defaultText] = parameter.split('=');
    names.push_back(name);
    std::optional<Value> value;
    if (next < args.positional.size())
      value = args.positional[next++];
    for (auto [i, keyword] : llvm::enumerate(args.keywords)) {
      // NumPy and PyTorch differ in these names.
      llvm::StringRef key = keyword.first;
      key = key == "dim" && name == "axis"           ? "axis"
            : key == "keepdim" || key == "keep_dims" ? "keepdims"
            : key == "ddof"                          ? "correction"
                                                     : key;
      if (key != name)
        continue;
      if (value)
        return makeError("argument '" + name + "' of " + function.name + " is given twice");
      value = keyword.second;
      usedKeywords[i] = true;
    }
    if (!value && !parameter.contains('='))
      return makeError(function.name + "(" + function.signature + ") lacks '" + name + "'");
    values.push_back(value ? *value : parseDefault(defaultText));
  }
  if (next < args.positional.size())
    return makeError(function.name + "(" + function.signature + ") takes fewer than " +
                     llvm::Twine(args.positional.size()) + " arguments");
  for (auto [used, keyword] : llvm::zip_equal(usedKeywords, args.keywords))
    if (!used) {
      auto near = findNearName(keyword.first, names);
      return makeError(function.name + "(" + function.signature + ") has no argument '" +
                       keyword.first + "'" +
                       (near ? "; did you mean '" + near->str() + "'?" : std::string()));
    }
  return function.call(values, function);
}

Result host::castValue(DType dtype, const Value &value) {
  if (dtype.isPointer() || dtype.scalar == Scalar::Void)
    return makeError("cannot convert to " + dtype.str());
  if (auto integer = value.asInteger(); integer && dtype.isInt()) {
    uint8_t bytes[8] = {};
    storeInteger(bytes, dtype.scalar, *integer);
    return Value::integer(loadInteger(bytes, dtype.scalar));
  }
  if (auto number = value.asDouble()) {
    double rounded = roundTo(*number, dtype.scalar);
    return dtype.isInt() ? Value::integer(static_cast<Integer>(rounded)) : Value(rounded);
  }
  llvm::Expected<Array> array = getArray(value);
  if (!array)
    return array.takeError();
  llvm::Expected<Tensor> tensor = toTensor(*array, dtype);
  if (!tensor)
    return tensor.takeError();
  return Value(*tensor);
}

llvm::Expected<std::optional<Value>> host::getTensorAttribute(const Value &value,
                                                              llvm::StringRef name) {
  auto *tensor = value.getIf<Tensor>();
  auto *array = value.getIf<std::shared_ptr<const Array>>();
  const Shape &shape = tensor ? tensor->shape : (*array)->shape;
  if (name == "shape")
    return Value::shape(shape);
  if (name == "ndim")
    return Value::integer(shape.size());
  if (name == "dtype")
    return Value(tensor ? tensor->dtype : (*array)->dtype);
  if (name == "itemsize" && tensor)
    return Value::integer(tensor->elementBytes());
  if (name == "T") {
    Result transposed = reverseAxes(value);
    if (!transposed)
      return transposed.takeError();
    return *transposed;
  }
  return std::nullopt;
}
