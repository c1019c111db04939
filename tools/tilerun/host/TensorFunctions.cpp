// Functions of the command line's expressions over tensors: reductions and products, making,
// converting, properties.
#include "tools/tilerun/host/Functions.h"
#include "tools/tilerun/host/Random.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::host;

static Result callReduction(Args args, const Function &self) {
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  std::optional<int64_t> axis;
  if (!args[1].isNone()) {
    TILERUN_TRY_VALUE(at, getInt64(args[1], "axis"));
    axis = at;
  }
  TILERUN_TRY_VALUE(keep, getTruth(args[2]));
  double correction = args.size() > 3 ? args[3].asDouble().value_or(0) : 0;
  return wrap(reduce(array, static_cast<Reduction>(self.code), axis, keep, correction));
}

static Result callCumsum(Args args, const Function &) {
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  TILERUN_TRY_VALUE(axis, getInt64(args[1], "axis"));
  return wrap(cumulativeSum(array, axis));
}

/// sort (code 0) and argsort (code 1).
static Result callSort(Args args, const Function &self) {
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  TILERUN_TRY_VALUE(axis, getInt64(args[1], "axis"));
  TILERUN_TRY_VALUE(descending, getTruth(args[2]));
  TILERUN_TRY_VALUE(sorted, sort(array, axis, descending, /*positions=*/self.code));
  if (self.code)
    sorted.dtype = dtype(Scalar::Int64);
  return Value::array(std::move(sorted));
}

static Result callSoftmax(Args args, const Function &self) {
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  TILERUN_TRY_VALUE(axis, getInt64(args[1], "axis"));
  return wrap(softmax(array, axis, /*logarithm=*/self.code));
}

static Result callMatmul(Args args, const Function &) {
  return applyBinary(ast::BinaryOp::MatMul, args[0], args[1]);
}

static Result callWhere(Args args, const Function &) {
  TILERUN_TRY_VALUE(c, getArray(args[0]));
  TILERUN_TRY_VALUE(a, getArray(args[1]));
  TILERUN_TRY_VALUE(b, getArray(args[2]));
  return wrap(selectElements(c, a, b));
}

static Result callClamp(Args args, const Function &) {
  TILERUN_TRY_VALUE(x, getArray(args[0]));
  for (auto [bound, fn] : {std::pair{1, &maximum}, std::pair{2, &minimum}}) {
    TILERUN_TRY_VALUE(limit, getArray(args[bound]));
    TILERUN_TRY_VALUE(bounded, mapElements(x, limit, fn));
    x = std::move(bounded);
  }
  return Value::array(std::move(x));
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
  TILERUN_TRY_VALUE(array, Array::create({std::max<int64_t>(0, static_cast<int64_t>(count))}));
  for (auto [i, x] : llvm::enumerate(array.data))
    x = *first + static_cast<double>(i) * *step;
  array.dtype = dtype(args[0].is<double>() ? Scalar::F32 : Scalar::Int64);
  return Value::array(std::move(array));
}

static Result callFull(Args args, const Function &self) {
  TILERUN_TRY_VALUE(shape, getShape(args[0], "a dimension"));
  TILERUN_TRY_VALUE(array, Array::create(shape));
  auto value = args.size() > 1 ? args[1].asDouble() : std::optional<double>(self.code);
  if (!value)
    return makeError("full takes a shape and a number");
  llvm::fill(array.data, *value);
  return Value::array(std::move(array));
}

/// tril (code 1) keeps the elements on and below the k-th diagonal, triu (code 0) those on and
/// above.
static Result callTriangle(Args args, const Function &self) {
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  TILERUN_TRY_VALUE(k, getInt64(args[1], "the diagonal"));
  if (array.shape.size() < 2)
    return makeError(self.name + " needs at least two dimensions");
  int64_t rows = array.shape[array.shape.size() - 2], columns = array.shape.back();
  for (auto [i, x] : llvm::enumerate(array.data)) {
    int64_t column = static_cast<int64_t>(i) % columns;
    int64_t row = static_cast<int64_t>(i) / columns % rows;
    // Dimensions are far below 2^62, so that only k could overflow.
    int64_t limit = std::clamp<int64_t>(k, -rows, columns);
    if (self.code ? column - row > limit : column - row < limit)
      x = 0;
  }
  return Value::array(std::move(array));
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
  TILERUN_TRY_VALUE(copy, Tensor::create(tensor->dtype, tensor->shape));
  copy.poisoned = tensor->poisoned;
  unsigned bytes = tensor->elementBytes();
  tensor->forEach([&](int64_t position, uint64_t at) {
    std::memcpy(copy.storage->bytes().data() + static_cast<uint64_t>(position) * bytes,
                tensor->storage->bytes().data() + at, bytes);
  });
  return Value(copy);
}

/// The kernel language's tl.rand (code 0) and tl.randint (code 1).
static Result callRand(Args args, const Function &self) {
  auto seed = args[0].asDouble();
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  if (array.numElements() == 1)
    seed = array.data[0];
  TILERUN_TRY_VALUE(offsets, getArray(args[1]));
  if (!seed || !(std::fabs(*seed) < 0x1p53))
    return makeError(self.name + " takes a seed of at most 53 bits and offsets");
  for (double &x : offsets.data) {
    if (!(x >= 0 && x < 0x1p32))
      return makeError(self.name + " takes offsets of 32 bits");
    x = (self.code ? languageInteger : languageUniform)(
        static_cast<uint64_t>(static_cast<int64_t>(*seed)), static_cast<uint32_t>(x));
  }
  if (self.code)
    offsets.dtype = dtype(Scalar::UInt32);
  return Value::array(std::move(offsets));
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
    TILERUN_TRY_VALUE(axis, getInt64(args[1], "dim"));
    TILERUN_TRY_VALUE(at, normalizeAxis(axis, values.size()));
    return Value::integer(values[at]);
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

#define REDUCTION(Name, Kind)                                                                      \
  {Name,    "x, axis=none, keepdims=false",   callReduction, nullptr,                              \
   nullptr, static_cast<int>(Reduction::Kind)}

llvm::ArrayRef<Function> host::getTensorFunctions() {
  static const Function functions[] = {
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
      {"sort", "x, axis=-1, descending=false", callSort, nullptr, nullptr, 0},
      {"argsort", "x, axis=-1, descending=false", callSort, nullptr, nullptr, 1},
      {"softmax", "x, axis=-1", callSoftmax},
      {"log_softmax", "x, axis=-1", callSoftmax, nullptr, nullptr, 1},
      {"matmul", "x, y", callMatmul},
      {"dot", "x, y", callMatmul},
      {"where", "condition, x, y", callWhere},
      {"clamp", "x, min, max", callClamp},
      {"arange", "start, end=none, step=1", callArange},
      {"full", "shape, value", callFull},
      {"zeros", "shape", callFull, nullptr, nullptr, 0},
      {"ones", "shape", callFull, nullptr, nullptr, 1},
      {"tril", "x, k=0", callTriangle, nullptr, nullptr, 1},
      {"triu", "x, k=0", callTriangle, nullptr, nullptr, 0},
      {"rand", "seed, offset", callRand, nullptr, nullptr, 0},
      {"randint", "seed, offset", callRand, nullptr, nullptr, 1},
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
  return functions;
}
