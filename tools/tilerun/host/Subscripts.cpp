// Python's subscripts of tuples, strings and tensors.
#include "tools/tilerun/host/Operators.h"

using namespace tilerun;
using namespace tilerun::host;

/// The element range [first, last) of a slice over `size` elements; steps are positive.
static llvm::Expected<std::array<int64_t, 3>> resolveSlice(const Index &index, int64_t size) {
  int64_t step = index.step.value_or(1);
  if (step < 1)
    return makeError("a slice with step " + llvm::Twine(step) + "; steps are 1 or more");
  auto clamp = [&](std::optional<int64_t> bound, int64_t missing) {
    if (!bound)
      return missing;
    int64_t at = *bound < 0 ? std::max<int64_t>(*bound, -size) + size : *bound;
    return std::min(at, size);
  };
  int64_t first = clamp(index.lower, 0), last = clamp(index.upper, size);
  int64_t length = last > first ? (last - first - 1) / step + 1 : 0;
  return std::array<int64_t, 3>{first, length, step};
}

/// Applies indices to a shape with strides; `start` counts elements.
static llvm::Error subscript(llvm::ArrayRef<Index> indices, Shape &shape, Shape &strides,
                             int64_t &start) {
  Shape outShape, outStrides;
  size_t consumed = llvm::count_if(indices, [](const Index &i) {
    return i.kind == Index::Kind::Integer || i.kind == Index::Kind::Slice;
  });
  if (consumed > shape.size())
    return makeError(llvm::Twine(consumed) + " indices for a tensor with " +
                     llvm::Twine(shape.size()) + " dimensions");
  if (llvm::count_if(indices, [](const Index &i) { return i.kind == Index::Kind::Ellipsis; }) > 1)
    return makeError("more than one '...' in a subscript");
  size_t at = 0;
  auto keep = [&](size_t count) {
    for (; count; --count, ++at) {
      outShape.push_back(shape[at]);
      outStrides.push_back(strides[at]);
    }
  };
  for (const Index &index : indices) {
    switch (index.kind) {
    case Index::Kind::NewAxis:
      outShape.push_back(1);
      outStrides.push_back(0);
      break;
    case Index::Kind::Ellipsis:
      keep(shape.size() - consumed);
      break;
    case Index::Kind::Integer: {
      int64_t size = shape[at], i = index.integer;
      if (i < -size || i >= size)
        return makeError("index " + llvm::Twine(i) + " is out of range for dimension " +
                         llvm::Twine(at) + " of size " + llvm::Twine(size));
      start += (i < 0 ? i + size : i) * strides[at];
      ++at;
      break;
    }
    case Index::Kind::Slice: {
      TILERUN_TRY_VALUE(range, resolveSlice(index, shape[at]));
      auto [first, length, step] = range;
      // The stride after the only element is never used, and may not overflow.
      start += length ? first * strides[at] : 0;
      outShape.push_back(length);
      outStrides.push_back(length > 1 ? strides[at] * step : strides[at]);
      ++at;
      break;
    }
    }
  }
  keep(shape.size() - at);
  if (outShape.size() > kMaxRank)
    return makeError("a tensor of more than " + llvm::Twine(kMaxRank) + " dimensions");
  shape = outShape;
  strides = outStrides;
  return llvm::Error::success();
}

llvm::Expected<Value> host::applySubscript(const Value &base, llvm::ArrayRef<Index> indices) {
  if (auto *tensor = base.getIf<Tensor>()) {
    Tensor view = *tensor;
    int64_t start = 0;
    TILERUN_TRY_ERROR(subscript(indices, view.shape, view.strides, start));
    view.offset += static_cast<uint64_t>(start) * view.elementBytes();
    return Value(view);
  }
  if (auto *array = base.getIf<std::shared_ptr<const Array>>()) {
    Shape shape = (*array)->shape, strides = contiguousStrides(shape);
    int64_t start = 0;
    TILERUN_TRY_ERROR(subscript(indices, shape, strides, start));
    TILERUN_TRY_VALUE(out, gather(**array, shape, strides, start));
    return Value::array(std::move(out));
  }
  if (const Tuple *tuple = base.asTuple()) {
    int64_t size = static_cast<int64_t>(tuple->elements.size());
    if (indices.size() == 1 && indices[0].kind == Index::Kind::Integer) {
      int64_t i = indices[0].integer;
      if (i < -size || i >= size)
        return makeError("index " + llvm::Twine(i) + " is out of range for a tuple of " +
                         llvm::Twine(size));
      return tuple->elements[i < 0 ? i + size : i];
    }
    if (indices.size() == 1 && indices[0].kind == Index::Kind::Slice) {
      TILERUN_TRY_VALUE(range, resolveSlice(indices[0], size));
      std::vector<Value> elements;
      elements.reserve(range[1]);
      for (int64_t i = 0; i < range[1]; ++i)
        elements.push_back(tuple->elements[range[0] + i * range[2]]);
      return Value::tuple(std::move(elements), tuple->isList);
    }
    return makeError("a tuple takes one integer or slice");
  }
  return makeError(base.describe() + " cannot be indexed");
}
