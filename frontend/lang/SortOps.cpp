// Sorting along the last dimension as a bitonic network (Batcher, 1968): every step pairs elements
// at one distance by reshaping, and exchanges those that are out of order.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
TensorValue swapLast(Emitter &e, const TensorValue &v) {
  TensorType type{v.type.dtype, {v.type.shape[0], v.type.shape[2], v.type.shape[1]}};
  return {tile::TransOp::create(e.builder, e.loc(), getMlirType(e.builder.getContext(), type),
                                v.value, ArrayRef<int32_t>{0, 2, 1}),
          type};
}

/// The elements `distance` apart as two tensors [blocks, distance].
std::pair<TensorValue, TensorValue> splitPairs(Emitter &e, const TensorValue &v, int64_t distance) {
  int64_t blocks = v.type.numElements() / (2 * distance);
  TensorValue pairs = swapLast(e, reshapeTo(e, v, {blocks, 2, distance}));
  TensorType half{v.type.dtype, {blocks, distance}};
  mlir::Type type = getMlirType(e.builder.getContext(), half);
  auto split = tile::SplitOp::create(e.builder, e.loc(), type, type, pairs.value);
  return {TensorValue{split.getLhs(), half}, TensorValue{split.getRhs(), half}};
}

TensorValue joinPairs(Emitter &e, mlir::Value low, mlir::Value high, const TensorType &half,
                      ArrayRef<int64_t> shape) {
  TensorType type = half;
  type.shape.push_back(2);
  TensorValue joined{tile::JoinOp::create(e.builder, e.loc(),
                                          getMlirType(e.builder.getContext(), type), low, high),
                     type};
  return reshapeTo(e, swapLast(e, joined), shape);
}

/// One step: pairs at `distance`, ascending in every other run of `run` elements; in all of them if
/// `run` is the whole dimension.
TensorValue exchange(Emitter &e, const TensorValue &v, int64_t distance, int64_t run,
                     bool descending) {
  int64_t size = v.type.shape.back();
  auto [low, high] = splitPairs(e, v, distance);
  using ast::CompareOp;
  auto compareHalves = [&](CompareOp op) {
    return compare(e, op, Value(low), Value(high))->get<TensorValue>();
  };
  TensorValue swap = compareHalves(descending ? CompareOp::Lt : CompareOp::Gt);
  if (run < size) {
    // Blocks whose bit `run` is set go the other way.
    int64_t blocks = low.type.shape[0];
    TensorType line{dtype(Scalar::Int32), {blocks}};
    TensorValue block{tile::MakeRangeOp::create(e.builder, e.loc(),
                                                getMlirType(e.builder.getContext(), line), 0u,
                                                static_cast<uint32_t>(blocks)),
                      line};
    TensorValue bit = makeConstant(e, line, Literal(PyInt(run / (2 * distance))));
    TensorValue masked{arith::AndIOp::create(e.builder, e.loc(), block.value, bit.value), line};
    TensorValue turned = expandDims(e, convert(e, masked, dtype(Scalar::Int1)), 1);
    TensorValue back = compareHalves(descending ? CompareOp::Gt : CompareOp::Lt);
    // The shapes fit by construction.
    TensorValue wide = *broadcastTo(e, turned, swap.type.shape);
    swap.value = arith::SelectOp::create(e.builder, e.loc(), wide.value, back.value, swap.value);
  }
  mlir::Value first =
      arith::SelectOp::create(e.builder, e.loc(), swap.value, high.value, low.value);
  mlir::Value second =
      arith::SelectOp::create(e.builder, e.loc(), swap.value, low.value, high.value);
  return joinPairs(e, first, second, low.type, v.type.shape);
}

TensorValue merge(Emitter &e, TensorValue v, int64_t run, bool descending) {
  for (int64_t distance = run / 2; distance >= 1; distance /= 2)
    v = exchange(e, v, distance, run, descending);
  return v;
}

TensorValue sortLast(Emitter &e, TensorValue v, bool descending) {
  for (int64_t run = 2; run <= v.type.shape.back(); run *= 2)
    v = merge(e, v, run, descending);
  return v;
}

/// The tensor to sort; `dim` must be its last dimension.
TensorOr getSorted(Emitter &e, const Arguments &args, size_t dimIndex) {
  TensorOr v = getBlock(e, args, 0);
  if (failed(v))
    return failure();
  if (v->type.dtype.isPointer())
    return argError(e, args, 0, "must hold numbers, but it is " + args[0].describe());
  unsigned last = v->type.shape.size() - 1;
  if (!args[dimIndex].isNone()) {
    FailureOr<unsigned> dim = getAxis(e, args, dimIndex, last + 1);
    if (failed(dim))
      return failure();
    if (*dim != last)
      return argError(e, args, dimIndex,
                      "is " + Twine(*dim) +
                          ", but only the last dimension can be sorted; "
                          "permute first");
  }
  if (int64_t size = v->type.shape[last]; !llvm::isPowerOf2_64(size))
    return argError(e, args, 0,
                    "is " + args[0].describe() + ", but sorting takes a power of two; use " +
                        Twine(llvm::NextPowerOf2(size)) +
                        " elements, with values beyond the end that sort last");
  return v;
}

Result emitSort(Emitter &e, const Arguments &args) {
  TensorOr v = getSorted(e, args, 1);
  if (failed(v))
    return failure();
  FailureOr<bool> descending = getBool(e, args, 2);
  if (failed(descending))
    return failure();
  return Value(sortLast(e, *v, *descending));
}

Result emitMerge(Emitter &e, const Arguments &args) {
  TensorOr v = getSorted(e, args, 1);
  if (failed(v))
    return failure();
  FailureOr<bool> descending = getBool(e, args, 2);
  if (failed(descending))
    return failure();
  return Value(merge(e, *v, v->type.shape.back(), *descending));
}

Result emitTopK(Emitter &e, const Arguments &args) {
  TensorOr v = getSorted(e, args, 2);
  if (failed(v))
    return failure();
  int64_t size = v->type.shape.back();
  FailureOr<int64_t> k = getInt(e, args, 1, 1, size);
  if (failed(k))
    return failure();
  if (!llvm::isPowerOf2_64(*k))
    return argError(e, args, 1,
                    "is " + Twine(*k) + ", which is not a power of two; use " +
                        Twine(llvm::NextPowerOf2(*k)) + " and take a part, as in x[:" + Twine(*k) +
                        "]");
  TensorValue out = sortLast(e, *v, /*descending=*/true);
  // Drop the second half until k are left.
  for (; size > *k; size /= 2) {
    Shape shape = out.type.shape;
    shape.back() /= 2;
    out = reshapeTo(e, splitPairs(e, out, size / 2).first, shape);
  }
  return Value(out);
}

const Builtin kRows[] = {
    {"sort", kTl, "x, dim=None, descending=False", "Sorts along the last dimension.", emitSort,
     true},
    {"topk", kTl, "x, k, dim=None",
     "The `k` largest elements along the last dimension, largest first.", emitTopK},
    {"bitonic_merge", kTl, "x, dim=None, descending=False",
     "Sorts a sequence that first rises and then falls.", emitMerge},
};
} // namespace

void addSortOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
