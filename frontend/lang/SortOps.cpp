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

//===----------------------------------------------------------------------===//
// Sizes that are no powers of two
//===----------------------------------------------------------------------===//

/// The numbers [first, first + count).
TensorValue makeRange(Emitter &e, int64_t first, int64_t count) {
  TensorType line{dtype(Scalar::Int32), {count}};
  return {tile::MakeRangeOp::create(e.builder, e.loc(), getMlirType(e.builder.getContext(), line),
                                    static_cast<uint32_t>(first),
                                    static_cast<uint32_t>(first + count)),
          line};
}

/// A 1-D tensor along the last dimension of `shape`.
TensorValue stretch(Emitter &e, TensorValue line, ArrayRef<int64_t> shape) {
  while (line.type.shape.size() < shape.size())
    line = expandDims(e, line, 0);
  // The shapes fit by construction.
  return *broadcastTo(e, line, shape);
}

/// The elements of `v` at positions `line` of the last dimension.
TensorValue takeLast(Emitter &e, const TensorValue &v, const TensorValue &line) {
  TensorType type = v.type;
  type.shape.back() = line.type.shape[0];
  TensorValue index = stretch(e, line, type.shape);
  return {tile::GatherOp::create(e.builder, e.loc(), getMlirType(e.builder.getContext(), type),
                                 v.value, index.value, type.shape.size() - 1),
          type};
}

/// The least or the greatest number of an integer type.
Literal getExtreme(DType type, bool greatest) {
  unsigned bits = type.getBits() - type.isSigned();
  PyInt most = (PyInt(1) << bits) - 1;
  return Literal(greatest ? most : type.isSigned() ? -most - 1 : PyInt(0));
}

/// `v` with as many elements along the last dimension as the next power of two; the new ones are
/// the least or the greatest there are.
TensorValue extendLast(Emitter &e, const TensorValue &v, bool greatest) {
  int64_t size = v.type.shape.back(), extended = llvm::PowerOf2Ceil(size);
  if (size == extended)
    return v;
  TensorValue line = makeRange(e, 0, extended);
  TensorValue last = makeConstant(e, line.type, Literal(PyInt(size - 1)));
  TensorValue nearest{arith::MinSIOp::create(e.builder, e.loc(), line.value, last.value),
                      line.type};
  TensorValue wide = takeLast(e, v, nearest);
  TensorType flags{dtype(Scalar::Int1), line.type.shape};
  TensorValue isOld{
      arith::CmpIOp::create(e.builder, e.loc(), arith::CmpIPredicate::sle, line.value, last.value),
      flags};
  TensorValue extreme = makeConstant(e, wide.type, getExtreme(v.type.dtype, greatest));
  return {arith::SelectOp::create(e.builder, e.loc(), stretch(e, isOld, wide.type.shape).value,
                                  wide.value, extreme.value),
          wide.type};
}

/// Elements [first, first + count) of the last dimension.
TensorValue cutLast(Emitter &e, const TensorValue &v, int64_t first, int64_t count) {
  return count == v.type.shape.back() ? v : takeLast(e, v, makeRange(e, first, count));
}

/// The bits of floats as signed integers of the same order, and back: below zero, all bits but the
/// sign are turned over.
TensorValue turnBits(Emitter &e, const TensorValue &v) {
  unsigned bits = v.type.dtype.getBits();
  TensorValue width = makeConstant(e, v.type, Literal(PyInt(bits - 1)));
  TensorValue most = makeConstant(e, v.type, getExtreme(v.type.dtype, /*greatest=*/true));
  mlir::Value sign = arith::ShRSIOp::create(e.builder, e.loc(), v.value, width.value);
  mlir::Value turned = arith::AndIOp::create(e.builder, e.loc(), sign, most.value);
  return {arith::XOrIOp::create(e.builder, e.loc(), v.value, turned), v.type};
}

/// Sorts any number of elements. Floats whose number is extended are sorted by their bits: NaN has
/// no place among numbers, so that one that is there could change places with a new element.
Result sortWith(Emitter &e, const TensorValue &v, function_ref<TensorValue(TensorValue)> sort) {
  DType type = v.type.dtype;
  if (!type.isFloat() || llvm::isPowerOf2_64(v.type.shape.back()))
    return Value(sort(v));
  unsigned bits = type.getBits();
  DType integer = dtype(bits == 8    ? Scalar::Int8
                        : bits == 16 ? Scalar::Int16
                        : bits == 32 ? Scalar::Int32
                                     : Scalar::Int64);
  TensorOr keys = cast(e, Value(v), integer, /*bitcast=*/true);
  if (failed(keys))
    return failure();
  TensorOr sorted = cast(e, Value(turnBits(e, sort(turnBits(e, *keys)))), type, /*bitcast=*/true);
  if (failed(sorted))
    return failure();
  return Value(*sorted);
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
  return v;
}

Result emitSort(Emitter &e, const Arguments &args) {
  TensorOr v = getSorted(e, args, 1);
  if (failed(v))
    return failure();
  FailureOr<bool> descending = getBool(e, args, 2);
  if (failed(descending))
    return failure();
  return sortWith(e, *v, [&](TensorValue v) {
    TensorValue sorted = sortLast(e, extendLast(e, v, !*descending), *descending);
    return cutLast(e, sorted, 0, v.type.shape.back());
  });
}

Result emitMerge(Emitter &e, const Arguments &args) {
  TensorOr v = getSorted(e, args, 1);
  if (failed(v))
    return failure();
  FailureOr<bool> descending = getBool(e, args, 2);
  if (failed(descending))
    return failure();
  return sortWith(e, *v, [&](TensorValue v) {
    // What rises and falls goes on to fall.
    int64_t size = v.type.shape.back();
    TensorValue wide = extendLast(e, v, /*greatest=*/false);
    int64_t extended = wide.type.shape.back();
    TensorValue sorted = merge(e, wide, extended, *descending);
    return cutLast(e, sorted, *descending ? 0 : extended - size, size);
  });
}

Result emitTopK(Emitter &e, const Arguments &args) {
  TensorOr v = getSorted(e, args, 2);
  if (failed(v))
    return failure();
  FailureOr<int64_t> k = getInt(e, args, 1, 1, v->type.shape.back());
  if (failed(k))
    return failure();
  return sortWith(e, *v, [&](TensorValue v) {
    TensorValue out = sortLast(e, extendLast(e, v, /*greatest=*/false), /*descending=*/true);
    // Drop the second half as long as that leaves k.
    for (int64_t size = out.type.shape.back(); size / 2 >= *k; size /= 2) {
      Shape shape = out.type.shape;
      shape.back() /= 2;
      out = reshapeTo(e, splitPairs(e, out, size / 2).first, shape);
    }
    return cutLast(e, out, 0, *k);
  });
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
