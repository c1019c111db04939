// Sorting along the last dimension as a bitonic network (Batcher, 1968): every step pairs elements
// at one distance by reshaping, and exchanges those that are out of order. Elements are integers,
// of which a step takes the lesser and the greater.
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

/// The lesser of each two elements, or the greater.
mlir::Value lesser(Emitter &e, mlir::Value x, mlir::Value y, DType type, bool greater) {
  OpBuilder &b = e.builder;
  if (type.isSigned())
    return greater ? arith::MaxSIOp::create(b, e.loc(), x, y).getResult()
                   : arith::MinSIOp::create(b, e.loc(), x, y).getResult();
  return greater ? arith::MaxUIOp::create(b, e.loc(), x, y).getResult()
                 : arith::MinUIOp::create(b, e.loc(), x, y).getResult();
}

/// One step: pairs at `distance` in order.
TensorValue exchange(Emitter &e, const TensorValue &v, int64_t distance, bool descending) {
  auto [low, high] = splitPairs(e, v, distance);
  mlir::Value first = lesser(e, low.value, high.value, v.type.dtype, descending);
  mlir::Value second = lesser(e, low.value, high.value, v.type.dtype, !descending);
  return joinPairs(e, first, second, low.type, v.type.shape);
}

/// Sorts runs of `run` elements, each of which is bitonic: rises and then falls, or the reverse.
TensorValue merge(Emitter &e, TensorValue v, int64_t run, bool descending) {
  for (int64_t distance = run / 2; distance >= 1; distance /= 2)
    v = exchange(e, v, distance, descending);
  return v;
}

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

/// Inverts all bits, which reverses the order, where bits `from` and `to` of the position differ;
/// a bit that is the dimension's size is clear everywhere, as is 0.
TensorValue turn(Emitter &e, const TensorValue &v, int64_t from, int64_t to) {
  int64_t size = v.type.shape.back();
  auto effective = [&](int64_t bit) { return bit < size ? bit : 0; };
  from = effective(from);
  to = effective(to);
  if (!from && !to)
    return v;
  TensorValue place = makeRange(e, 0, size);
  auto constant = [&](const TensorType &type, int64_t value) {
    return makeConstant(e, type, Literal(PyInt(value))).value;
  };
  auto bitOf = [&](int64_t bit) -> mlir::Value {
    return arith::ShRUIOp::create(e.builder, e.loc(), place.value,
                                  constant(place.type, llvm::Log2_64(bit)));
  };
  mlir::Value both = bitOf(from ? from : to);
  if (from && to)
    both = arith::XOrIOp::create(e.builder, e.loc(), both, bitOf(to));
  mlir::Value bit = arith::AndIOp::create(e.builder, e.loc(), both, constant(place.type, 1));
  TensorValue line = convert(e, {bit, place.type}, v.type.dtype);
  line.value = arith::SubIOp::create(e.builder, e.loc(), constant(line.type, 0), line.value);
  TensorValue mask = stretch(e, line, v.type.shape);
  return TensorValue{arith::XOrIOp::create(e.builder, e.loc(), v.value, mask.value), v.type};
}

/// Turns bitonic runs of `before` elements (any two elements are one) into sorted runs of `most`
/// elements, of which every second is in the opposite order.
TensorValue sortRuns(Emitter &e, TensorValue v, int64_t before, int64_t most, bool descending) {
  // Inverted where a run must have the opposite order, so that one step serves all runs.
  v = turn(e, v, 0, before);
  for (int64_t run = before; run <= most; run *= 2) {
    if (run > before)
      v = turn(e, v, run / 2, run);
    v = merge(e, v, run, descending);
  }
  return turn(e, v, most, 0);
}

TensorValue sortLast(Emitter &e, const TensorValue &v, bool descending) {
  return v.type.shape.back() < 2 ? v : sortRuns(e, v, 2, v.type.shape.back(), descending);
}

/// The `count` greatest elements, a power of two, in descending order: of two runs in opposite
/// orders, the greater elements of each pair are the greatest of all, and rise and fall once
/// (Shanbhag, Pirk, Madden: "Efficient Top-K Query Processing on GPUs", 2018).
TensorValue selectGreatest(Emitter &e, TensorValue v, int64_t count) {
  if (count > 1)
    v = sortRuns(e, v, 2, count, /*descending=*/true);
  while (v.type.shape.back() > count) {
    auto [low, high] = splitPairs(e, v, count);
    TensorType half = v.type;
    half.shape.back() /= 2;
    v = reshapeTo(e, {lesser(e, low.value, high.value, v.type.dtype, /*greater=*/true), low.type},
                  half.shape);
    if (count > 1)
      v = sortRuns(e, v, count, count, /*descending=*/true);
  }
  return v;
}

//===----------------------------------------------------------------------===//
// Sizes that are not powers of two
//===----------------------------------------------------------------------===//

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
/// sign are inverted.
TensorValue turnBits(Emitter &e, const TensorValue &v) {
  unsigned bits = v.type.dtype.getBits();
  TensorValue width = makeConstant(e, v.type, Literal(PyInt(bits - 1)));
  TensorValue most = makeConstant(e, v.type, getExtreme(v.type.dtype, /*greatest=*/true));
  mlir::Value sign = arith::ShRSIOp::create(e.builder, e.loc(), v.value, width.value);
  mlir::Value turned = arith::AndIOp::create(e.builder, e.loc(), sign, most.value);
  return {arith::XOrIOp::create(e.builder, e.loc(), v.value, turned), v.type};
}

/// Sorts by integers of the same order: the bits of floats, so that NaN has a place of its own, and
/// the bytes of bools.
Result sortWith(Emitter &e, const TensorValue &v, function_ref<TensorValue(TensorValue)> sort) {
  DType type = v.type.dtype;
  if (type.isInt() && !type.isBool())
    return Value(sort(v));
  unsigned bits = type.getBits();
  DType integer = dtype(bits <= 8    ? Scalar::Int8
                        : bits == 16 ? Scalar::Int16
                        : bits == 32 ? Scalar::Int32
                                     : Scalar::Int64);
  bool isFloat = type.isFloat();
  TensorOr keys = cast(e, Value(v), integer, /*bitcast=*/isFloat);
  if (failed(keys))
    return failure();
  TensorValue sorted = isFloat ? turnBits(e, sort(turnBits(e, *keys))) : sort(*keys);
  TensorOr result = cast(e, Value(sorted), type, /*bitcast=*/isFloat);
  if (failed(result))
    return failure();
  return Value(*result);
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
    // A sequence that rises and falls continues to fall.
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
  return sortWith(e, *v, [&](const TensorValue &v) {
    TensorValue wide = extendLast(e, v, /*greatest=*/false);
    return cutLast(e, selectGreatest(e, wide, llvm::PowerOf2Ceil(*k)), 0, *k);
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
