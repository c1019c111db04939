// Float64 array arithmetic. Sums use Neumaier's compensation, so that a reference is good to the
// last bits even over millions of elements.
#include "tools/tilerun/host/ArrayMath.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace tilerun;
using namespace tilerun::host;

llvm::Expected<int64_t> host::normalizeAxis(int64_t axis, size_t rank) {
  int64_t n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n)
    return makeError("axis " + llvm::Twine(axis) + " of a tensor with " + llvm::Twine(rank) +
                     " dimensions");
  return axis < 0 ? axis + n : axis;
}

llvm::Expected<Shape> host::broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (da != db && da != 1 && db != 1)
      return makeError("shapes " + formatIndex(a) + " and " + formatIndex(b) +
                       " do not broadcast together");
    out[out.size() - 1 - i] = da == 1 ? db : da;
  }
  return out;
}

/// Strides that walk `shape` over an array of a shape that broadcasts to it.
static Shape broadcastStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> shape) {
  Shape own = contiguousStrides(from), out(shape.size(), 0);
  size_t shift = shape.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    out[d + shift] = from[d] == 1 ? 0 : own[d];
  return out;
}

/// Walks `shape` in row-major order, giving the position in each of several strided operands.
template <size_t N, typename Fn>
static void walk(llvm::ArrayRef<int64_t> shape, const std::array<Shape, N> &strides, Fn fn) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  Shape index(shape.size(), 0);
  std::array<int64_t, N> at{};
  for (int64_t position = 0; position < count; ++position) {
    fn(position, at);
    for (size_t d = shape.size(); d-- > 0;) {
      for (size_t k = 0; k < N; ++k)
        at[k] += strides[k][d];
      if (++index[d] < shape[d])
        break;
      for (size_t k = 0; k < N; ++k)
        at[k] -= shape[d] * strides[k][d];
      index[d] = 0;
    }
  }
}

llvm::Expected<Array> host::gather(const Array &array, llvm::ArrayRef<int64_t> shape, Shape strides,
                                   int64_t start) {
  TILERUN_TRY_VALUE(out, Array::create(shape));
  out.dtype = array.dtype;
  walk<1>(shape, {std::move(strides)},
          [&](int64_t position, auto at) { out.data[position] = array.data[start + at[0]]; });
  return std::move(out);
}

llvm::Expected<Array> host::broadcastTo(const Array &array, llvm::ArrayRef<int64_t> shape) {
  TILERUN_TRY_VALUE(common, broadcastShapes(array.shape, shape));
  if (llvm::ArrayRef<int64_t>(common) != shape)
    return makeError("shape " + formatIndex(array.shape) + " does not broadcast to " +
                     formatIndex(shape));
  return gather(array, shape, broadcastStrides(array.shape, shape));
}

Array host::mapElements(Array array, UnaryFn fn) {
  for (double &x : array.data)
    x = fn(x);
  return array;
}

llvm::Expected<Array> host::mapElements(const Array &a, const Array &b, BinaryFn fn) {
  TILERUN_TRY_VALUE(shape, broadcastShapes(a.shape, b.shape));
  TILERUN_TRY_VALUE(out, Array::create(shape));
  out.dtype = a.shape.empty() ? b.dtype : a.dtype;
  walk<2>(
      shape, {broadcastStrides(a.shape, shape), broadcastStrides(b.shape, shape)},
      [&](int64_t position, auto at) { out.data[position] = fn(a.data[at[0]], b.data[at[1]]); });
  return std::move(out);
}

llvm::Expected<Array> host::selectElements(const Array &condition, const Array &a, const Array &b) {
  TILERUN_TRY_VALUE(shape, broadcastShapes(a.shape, b.shape));
  TILERUN_TRY_VALUE(whole, broadcastShapes(condition.shape, shape));
  TILERUN_TRY_VALUE(out, Array::create(whole));
  out.dtype = a.shape.empty() ? b.dtype : a.dtype;
  walk<3>(whole,
          {broadcastStrides(condition.shape, whole), broadcastStrides(a.shape, whole),
           broadcastStrides(b.shape, whole)},
          [&](int64_t position, auto at) {
            out.data[position] = condition.data[at[0]] != 0 ? a.data[at[1]] : b.data[at[2]];
          });
  return std::move(out);
}

namespace {
/// Neumaier's compensated sum.
struct CompensatedSum {
  double sum = 0, lost = 0;
  void add(double x) {
    double next = sum + x;
    if (std::isfinite(next))
      lost += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  double get() const { return sum + lost; }
};
} // namespace

/// Reduces `n` elements that are `step` apart.
static double reduceLine(const double *x, int64_t n, int64_t step, Reduction kind,
                         double correction) {
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean: {
    CompensatedSum sum;
    for (int64_t i = 0; i < n; ++i)
      sum.add(x[i * step]);
    return kind == Reduction::Sum ? sum.get() : sum.get() / static_cast<double>(n);
  }
  case Reduction::Var:
  case Reduction::Std: {
    double mean = reduceLine(x, n, step, Reduction::Mean, 0);
    CompensatedSum sum;
    for (int64_t i = 0; i < n; ++i)
      sum.add((x[i * step] - mean) * (x[i * step] - mean));
    double var = sum.get() / (static_cast<double>(n) - correction);
    return kind == Reduction::Var ? var : std::sqrt(var);
  }
  case Reduction::Prod: {
    double product = 1;
    for (int64_t i = 0; i < n; ++i)
      product *= x[i * step];
    return product;
  }
  case Reduction::Max:
  case Reduction::Min:
  case Reduction::ArgMax:
  case Reduction::ArgMin: {
    bool isMax = kind == Reduction::Max || kind == Reduction::ArgMax;
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i) {
      double a = x[best * step], b = x[i * step];
      if (std::isnan(a))
        break; // NaN wins, as in NumPy.
      if (std::isnan(b) || (isMax ? b > a : b < a))
        best = i;
    }
    bool isIndex = kind == Reduction::ArgMax || kind == Reduction::ArgMin;
    return isIndex ? static_cast<double>(best) : x[best * step];
  }
  case Reduction::Any:
  case Reduction::All: {
    bool any = kind == Reduction::Any;
    for (int64_t i = 0; i < n; ++i)
      if ((x[i * step] != 0) == any)
        return any;
    return !any;
  }
  }
  llvm_unreachable("unknown reduction");
}

/// Splits a shape at an axis into the number of elements before it, on it, and after it.
static std::array<int64_t, 3> splitAt(llvm::ArrayRef<int64_t> shape, int64_t axis) {
  std::array<int64_t, 3> parts{1, shape[axis], 1};
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (d != axis)
      parts[d < axis ? 0 : 2] *= shape[d];
  return parts;
}

llvm::Expected<Array> host::reduce(const Array &array, Reduction kind, std::optional<int64_t> axis,
                                   bool keepDims, double correction) {
  Shape shape;
  std::array<int64_t, 3> parts{1, array.numElements(), 1};
  if (axis) {
    TILERUN_TRY_VALUE(at, normalizeAxis(*axis, array.shape.size()));
    parts = splitAt(array.shape, at);
    shape = array.shape;
    shape[at] = 1;
    if (!keepDims)
      shape.erase(shape.begin() + at);
  } else if (keepDims) {
    shape.assign(array.shape.size(), 1);
  }
  bool needsElements = kind == Reduction::Max || kind == Reduction::Min ||
                       kind == Reduction::ArgMax || kind == Reduction::ArgMin;
  if (parts[1] == 0 && needsElements && parts[0] * parts[2] != 0)
    return makeError("a maximum or minimum over no elements");
  TILERUN_TRY_VALUE(out, Array::create(shape));
  out.dtype = array.dtype;
  for (int64_t i = 0; i < parts[0]; ++i)
    for (int64_t j = 0; j < parts[2]; ++j)
      out.data[i * parts[2] + j] = parts[1]
                                       ? reduceLine(array.data.data() + i * parts[1] * parts[2] + j,
                                                    parts[1], parts[2], kind, correction)
                                       : reduceLine(nullptr, 0, 1, kind, correction);
  return std::move(out);
}

/// Calls `fn(first element, their number, distance)` for each line of elements along an axis.
static llvm::Expected<Array> changeLines(Array array, int64_t axis,
                                         llvm::function_ref<void(double *, int64_t, int64_t)> fn) {
  TILERUN_TRY_VALUE(at, normalizeAxis(axis, array.shape.size()));
  auto [before, count, step] = splitAt(array.shape, at);
  for (int64_t i = 0; i < before && count; ++i)
    for (int64_t j = 0; j < step; ++j)
      fn(array.data.data() + i * count * step + j, count, step);
  return std::move(array);
}

llvm::Expected<Array> host::cumulativeSum(const Array &array, int64_t axis) {
  return changeLines(array, axis, [](double *x, int64_t count, int64_t step) {
    CompensatedSum sum;
    for (int64_t k = 0; k < count; ++k) {
      sum.add(x[k * step]);
      x[k * step] = sum.get();
    }
  });
}

llvm::Expected<Array> host::sort(const Array &array, int64_t axis, bool descending,
                                 bool positions) {
  return changeLines(array, axis, [&](double *x, int64_t count, int64_t step) {
    std::vector<std::pair<double, int64_t>> line(count);
    for (int64_t k = 0; k < count; ++k)
      line[k] = {x[k * step], k};
    auto isLess = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
    // By positions where neither is less, so that the order is stable.
    llvm::sort(line, [&](const auto &a, const auto &b) {
      if (isLess(a.first, b.first))
        return !descending;
      if (isLess(b.first, a.first))
        return descending;
      return a.second < b.second;
    });
    for (int64_t k = 0; k < count; ++k)
      x[k * step] = positions ? static_cast<double>(line[k].second) : line[k].first;
  });
}

llvm::Expected<Array> host::softmax(const Array &array, int64_t axis, bool logarithm) {
  return changeLines(array, axis, [&](double *x, int64_t count, int64_t step) {
    const double largest = reduceLine(x, count, step, Reduction::Max, 0);
    CompensatedSum sum;
    for (int64_t k = 0; k < count; ++k)
      sum.add(std::exp(x[k * step] - largest));
    for (int64_t k = 0; k < count; ++k) {
      const double shifted = x[k * step] - largest;
      x[k * step] = logarithm ? shifted - std::log(sum.get()) : std::exp(shifted) / sum.get();
    }
  });
}

llvm::Expected<Array> host::matmul(const Array &a, const Array &b) {
  if (a.shape.empty() || b.shape.empty())
    return makeError("a matrix product needs operands of at least one dimension; use '*'");
  Shape as = a.shape, bs = b.shape;
  if (as.size() == 1)
    as.insert(as.begin(), 1);
  if (bs.size() == 1)
    bs.push_back(1);
  int64_t m = as[as.size() - 2], k = as.back(), n = bs.back();
  if (bs[bs.size() - 2] != k)
    return makeError("a matrix product of shapes " + formatIndex(a.shape) + " and " +
                     formatIndex(b.shape) + ": the inner dimensions differ");
  llvm::ArrayRef<int64_t> aBatch = llvm::ArrayRef(as).drop_back(2),
                          bBatch = llvm::ArrayRef(bs).drop_back(2);
  TILERUN_TRY_VALUE(batch, broadcastShapes(aBatch, bBatch));
  Shape shape = batch;
  if (a.shape.size() > 1)
    shape.push_back(m);
  if (b.shape.size() > 1)
    shape.push_back(n);
  TILERUN_TRY_VALUE(out, Array::create(shape));
  out.dtype = a.dtype;
  walk<2>(batch, {broadcastStrides(aBatch, batch), broadcastStrides(bBatch, batch)},
          [&](int64_t position, auto at) {
            const double *pa = a.data.data() + at[0] * m * k, *pb = b.data.data() + at[1] * k * n;
            double *pc = out.data.data() + position * m * n;
            for (int64_t i = 0; i < m; ++i)
              for (int64_t l = 0; l < k; ++l)
                for (int64_t j = 0; j < n; ++j)
                  pc[i * n + j] += pa[i * k + l] * pb[l * n + j];
          });
  return std::move(out);
}

llvm::Expected<Shape> host::normalizePermutation(llvm::ArrayRef<int64_t> order, size_t rank) {
  if (order.size() != rank)
    return makeError("a permutation of " + llvm::Twine(order.size()) + " axes for a tensor with " +
                     llvm::Twine(rank) + " dimensions");
  Shape axes;
  for (int64_t axis : order) {
    TILERUN_TRY_VALUE(at, normalizeAxis(axis, rank));
    if (llvm::is_contained(axes, at))
      return makeError("axis " + llvm::Twine(axis) + " occurs twice in a permutation");
    axes.push_back(at);
  }
  return axes;
}

llvm::Expected<Array> host::transpose(const Array &array, llvm::ArrayRef<int64_t> order) {
  Shape strides = contiguousStrides(array.shape), shape, permuted;
  TILERUN_TRY_VALUE(axes, normalizePermutation(order, array.shape.size()));
  for (int64_t at : axes) {
    shape.push_back(array.shape[at]);
    permuted.push_back(strides[at]);
  }
  return gather(array, shape, permuted);
}

llvm::Expected<Shape> host::resolveReshape(int64_t elements, llvm::ArrayRef<int64_t> shape) {
  Shape out(shape.begin(), shape.end());
  std::optional<size_t> open;
  for (size_t d = 0; d < out.size(); ++d)
    if (out[d] == -1) {
      if (open)
        return makeError("more than one dimension of -1 in shape " + formatIndex(shape));
      open = d;
      out[d] = 1;
    }
  TILERUN_TRY_VALUE(rest, countElements(out, 1));
  if (open && rest != 0 && elements % rest == 0) {
    out[*open] = elements / rest;
    return out;
  }
  if (open || rest != elements)
    return makeError("cannot reshape " + llvm::Twine(elements) + " elements to " +
                     formatIndex(shape));
  return out;
}

llvm::Expected<Array> host::concatenate(llvm::ArrayRef<Array> arrays, int64_t axis) {
  if (arrays.empty())
    return makeError("nothing to concatenate");
  TILERUN_TRY_VALUE(at, normalizeAxis(axis, arrays[0].shape.size()));
  Shape shape = arrays[0].shape;
  shape[at] = 0;
  for (const Array &array : arrays) {
    Shape same = array.shape;
    if (same.size() != shape.size())
      return makeError("tensors of different rank cannot be concatenated");
    same[at] = shape[at];
    if (same != shape)
      return makeError("shapes " + formatIndex(arrays[0].shape) + " and " +
                       formatIndex(array.shape) + " do not fit along axis " + llvm::Twine(at));
    shape[at] += array.shape[at];
  }
  TILERUN_TRY_VALUE(out, Array::create(shape));
  out.dtype = arrays[0].dtype;
  auto parts = splitAt(shape, at);
  int64_t start = 0;
  for (const Array &array : arrays) {
    int64_t run = array.shape[at] * parts[2];
    for (int64_t i = 0; i < parts[0]; ++i)
      std::copy_n(array.data.begin() + i * run, run,
                  out.data.begin() + i * parts[1] * parts[2] + start);
    start += run;
  }
  return std::move(out);
}
