// `x[:, None, 2:4, -1]`: new dimensions, parts and elements of run-time tensors. Parts of a
// dimension are gathered.
#include "frontend/lang/Emit.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
/// The positions along one dimension that a subscript takes.
struct Positions {
  Value first; ///< An integer, at compile time or not.
  int64_t count = 1;
  int64_t step = 1;
  bool isSingle = true; ///< The dimension goes.
};

std::optional<int64_t> getInteger(const Value &v) {
  if (auto *boolean = v.getIf<bool>())
    return *boolean;
  auto *integer = v.getIf<PyInt>();
  // Far beyond any tensor, so that nothing below overflows.
  constexpr PyInt kMost = PyInt(1) << 40;
  return integer ? std::optional<int64_t>(std::clamp(*integer, -kMost, kMost)) : std::nullopt;
}

/// As Python clips the bounds of a slice.
FailureOr<Positions> getSlice(Emitter &e, const SliceValue &slice, int64_t size) {
  std::optional<int64_t> bounds[3];
  const std::shared_ptr<Value> *parts[] = {&slice.lower, &slice.upper, &slice.step};
  for (auto [bound, part] : llvm::zip(bounds, parts)) {
    if (!*part || !(*part)->isValid() || (*part)->isNone())
      continue;
    bound = getInteger(**part);
    if (!bound)
      return e.error(
          "the bounds of a slice of a tensor must be integers known at compile time, but "
          "one is " +
          (*part)->describe() + "; use tl.gather");
  }
  int64_t step = bounds[2].value_or(1);
  if (step == 0)
    return e.error("the step of a slice cannot be 0");
  auto clip = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound)
      return otherwise;
    int64_t from = *bound < 0 ? *bound + size : *bound;
    return step > 0 ? std::clamp<int64_t>(from, 0, size) : std::clamp<int64_t>(from, -1, size - 1);
  };
  int64_t lower = clip(bounds[0], step > 0 ? 0 : size - 1);
  int64_t upper = clip(bounds[1], step > 0 ? size : -1);
  int64_t span = step > 0 ? upper - lower : lower - upper;
  int64_t count = span <= 0 ? 0 : (span - 1) / std::abs(step) + 1;
  if (count == 0)
    return e.error("this slice of a dimension of " + Twine(size) +
                   " takes no positions, but a tensor has at least one element");
  return Positions{Value::integer(lower), count, step, /*isSingle=*/false};
}

FailureOr<Positions> getSingle(Emitter &e, const Value &index, int64_t size, bool ofPointers) {
  if (std::optional<int64_t> at = getInteger(index)) {
    if (*at < -size || *at >= size)
      return e.error("index " + Twine(*at) + " is outside of a dimension of " + Twine(size));
    return Positions{Value::integer(*at < 0 ? *at + size : *at)};
  }
  auto *tensor = index.getIf<TensorValue>();
  if (ofPointers && tensor && tensor->type.dtype.isInt() && !tensor->type.isScalar())
    return e.error("pointers are not indexed with a tensor: add it to them, and load: "
                   "tl.load(pointers + offsets)");
  if (!tensor || !tensor->type.isScalar() || !tensor->type.dtype.isInt())
    return e.error("a tensor cannot be indexed with " + index.describe() +
                   "; use ':', None, integers, slices with constant bounds, or tl.gather");
  return Positions{index};
}

/// The elements of `v` at `positions` of dimension `axis`.
TensorOr take(Emitter &e, const TensorValue &v, unsigned axis, const Positions &positions) {
  Shape shape = v.type.shape;
  if (!positions.isSingle && positions.count == shape[axis] && positions.step == 1)
    return v;
  shape[axis] = positions.count;
  TensorType line{dtype(Scalar::Int32), {positions.count}};
  TensorValue steps{tile::MakeRangeOp::create(e.builder, e.loc(),
                                              getMlirType(e.builder.getContext(), line), 0u,
                                              static_cast<uint32_t>(positions.count)),
                    line};
  Result scaled = binary(e, ast::BinaryOp::Mul, Value(steps), Value::integer(positions.step));
  if (failed(scaled))
    return failure();
  Result moved = binary(e, ast::BinaryOp::Add, *scaled, positions.first);
  if (failed(moved))
    return failure();
  TensorValue index = moved->get<TensorValue>();
  for (size_t other = 0; other < shape.size(); ++other)
    if (other != axis)
      index = expandDims(e, index, other);
  TensorOr wide = broadcastTo(e, index, shape);
  if (failed(wide))
    return failure();
  TensorType type{v.type.dtype, shape};
  TensorValue out{tile::GatherOp::create(e.builder, e.loc(),
                                         getMlirType(e.builder.getContext(), type), v.value,
                                         wide->value, axis),
                  type};
  if (!positions.isSingle)
    return out;
  shape.erase(shape.begin() + axis);
  return shape.empty() ? extractSingle(e, out) : reshapeTo(e, out, shape);
}
} // namespace

Result subscript(Emitter &e, const Value &base, llvm::ArrayRef<Value> indices) {
  TensorOr tensor = toTensor(e, base);
  if (failed(tensor))
    return failure();
  TensorValue v = *tensor;
  size_t rank = v.type.shape.size();
  size_t used =
      llvm::count_if(indices, [](const Value &i) { return !i.isNone() && !i.is<EllipsisValue>(); });
  // A ':' beyond the last dimension changes nothing, as in `pid[:, None]`.
  auto isWhole = [](const Value &index) {
    auto *slice = index.getIf<SliceValue>();
    return slice && llvm::all_of(llvm::ArrayRef{slice->lower, slice->upper, slice->step},
                                 [](const auto &part) { return !part || part->isNone(); });
  };
  bool seenEllipsis = false;
  std::vector<Value> kept(indices.begin(), indices.end());
  if (llvm::all_of(kept, [&](const Value &index) { return index.isNone() || isWhole(index); }))
    for (size_t i = kept.size(); used > rank; --used) {
      while (kept[--i].isNone()) {
      }
      kept.erase(kept.begin() + i);
    }
  indices = kept;
  if (used > rank)
    return e.error("too many indices for " + base.describe() + ": " + Twine(used) + " for " +
                   Twine(rank) + (rank == 1 ? " dimension" : " dimensions"));
  unsigned axis = 0;
  for (const Value &index : indices) {
    if (index.isNone()) {
      v = expandDims(e, v, axis++);
      continue;
    }
    if (index.is<EllipsisValue>()) {
      if (seenEllipsis)
        return e.error("'...' may be used only once in a subscript");
      seenEllipsis = true;
      e.beyondTriton("'...' in an index", "S10", "write a ':' for each dimension");
      axis += rank - used;
      continue;
    }
    auto *slice = index.getIf<SliceValue>();
    FailureOr<Positions> positions =
        slice ? getSlice(e, *slice, v.type.shape[axis])
              : getSingle(e, index, v.type.shape[axis], v.type.dtype.isPointer());
    if (failed(positions))
      return failure();
    if (!isWhole(index))
      e.beyondTriton(slice ? "a slice of a tensor" : "an index into a tensor", "S7",
                     "use tl.gather, or load the part");
    TensorOr part = take(e, v, axis, *positions);
    if (failed(part))
      return failure();
    v = *part;
    axis += !positions->isSingle;
  }
  return Value(v);
}

} // namespace tilerun::lang
