// Functions of the command line's expressions that rearrange: permutations, reshapes, joining.
#include "tools/tilerun/host/Functions.h"

using namespace tilerun;
using namespace tilerun::host;

/// Tensors are viewed, arrays copied.
static Result permute(const Value &value, llvm::ArrayRef<int64_t> order) {
  if (auto *tensor = value.getIf<Tensor>()) {
    Tensor view = *tensor;
    TILERUN_TRY_VALUE(axes, normalizePermutation(order, view.shape.size()));
    for (auto [d, at] : llvm::enumerate(axes)) {
      view.shape[d] = tensor->shape[at];
      view.strides[d] = tensor->strides[at];
    }
    return Value(view);
  }
  TILERUN_TRY_VALUE(array, getArray(value));
  return wrap(transpose(array, order));
}

static llvm::Expected<size_t> getRank(const Value &value) {
  if (auto *tensor = value.getIf<Tensor>())
    return tensor->shape.size();
  if (auto *array = value.getIf<std::shared_ptr<const Array>>())
    return (*array)->shape.size();
  return makeError("expected a tensor, found " + value.describe());
}

Result host::reverseAxes(const Value &value) {
  TILERUN_TRY_VALUE(rank, getRank(value));
  Shape order;
  for (size_t d = rank; d-- > 0;)
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
  TILERUN_TRY_VALUE(order, getDims(args[1], "an axis"));
  return permute(args[0], order);
}

/// transpose(x) reverses the axes; transpose(x, a, b) swaps two.
static Result callTranspose(Args args, const Function &) {
  if (args[1].isNone() && args[2].isNone())
    return reverseAxes(args[0]);
  TILERUN_TRY_VALUE(rank, getRank(args[0]));
  Shape order;
  for (size_t d = 0; d < rank; ++d)
    order.push_back(static_cast<int64_t>(d));
  int64_t axes[2];
  for (int i : {0, 1}) {
    TILERUN_TRY_VALUE(axis, getInt64(args[i + 1], "an axis"));
    TILERUN_TRY_VALUE(at, normalizeAxis(axis, rank));
    axes[i] = at;
  }
  std::swap(order[axes[0]], order[axes[1]]);
  return permute(args[0], order);
}

static Result reshape(const Value &value, llvm::ArrayRef<int64_t> dims) {
  if (auto *tensor = value.getIf<Tensor>(); tensor && tensor->isContiguous()) {
    TILERUN_TRY_VALUE(shape, resolveReshape(tensor->numElements(), dims));
    Tensor view = *tensor;
    view.shape = shape;
    view.strides = contiguousStrides(shape);
    return Value(view);
  }
  TILERUN_TRY_VALUE(array, getArray(value));
  TILERUN_TRY_VALUE(shape, resolveReshape(array.numElements(), dims));
  array.shape = shape;
  return Value::array(std::move(array));
}

static Result callReshape(Args args, const Function &) {
  TILERUN_TRY_VALUE(dims, getDims(args[1], "a dimension"));
  return reshape(args[0], dims);
}

static Result callFlatten(Args args, const Function &) { return reshape(args[0], {-1}); }

static Result callBroadcastTo(Args args, const Function &) {
  TILERUN_TRY_VALUE(array, getArray(args[0]));
  TILERUN_TRY_VALUE(dims, getDims(args[1], "a dimension"));
  return wrap(broadcastTo(array, dims));
}

static Result callCat(Args args, const Function &self) {
  const Tuple *parts = args[0].asTuple();
  if (!parts)
    return makeError(self.name + " takes a tuple of tensors");
  TILERUN_TRY_VALUE(axis, getInt64(args[1], "axis"));
  std::vector<Array> arrays;
  for (const Value &part : parts->elements) {
    TILERUN_TRY_VALUE(array, getArray(part));
    if (self.code) { // stack: a new dimension for each.
      int64_t rank = static_cast<int64_t>(array.shape.size());
      TILERUN_TRY_VALUE(at, normalizeAxis(axis, rank + 1));
      array.shape.insert(array.shape.begin() + at, 1);
    }
    arrays.push_back(std::move(array));
  }
  return wrap(concatenate(arrays, axis));
}

llvm::ArrayRef<Function> host::getShapeFunctions() {
  static const Function functions[] = {
      {"permute", "x, *order", callPermute},
      {"transpose", "x, dim0=none, dim1=none", callTranspose},
      {"reshape", "x, *shape", callReshape},
      {"view", "x, *shape", callReshape},
      {"flatten", "x", callFlatten},
      {"broadcast_to", "x, *shape", callBroadcastTo},
      {"cat", "tensors, axis=0", callCat},
      {"concatenate", "tensors, axis=0", callCat},
      {"stack", "tensors, axis=0", callCat, nullptr, nullptr, 1},
  };
  return functions;
}
