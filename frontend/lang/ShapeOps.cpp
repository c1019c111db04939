// Shape manipulation: broadcasting, reshaping, permuting, joining and splitting.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
mlir::Type typeOf(Emitter &e, const TensorType &type) {
  return getMlirType(e.builder.getContext(), type);
}

TensorValue transpose(Emitter &e, const TensorValue &v, ArrayRef<int32_t> order) {
  bool isIdentity = true;
  TensorType type{v.type.dtype, {}};
  for (size_t i = 0; i < order.size(); ++i) {
    isIdentity &= order[i] == static_cast<int32_t>(i);
    type.shape.push_back(v.type.shape[order[i]]);
  }
  if (isIdentity)
    return v;
  return {tile::TransOp::create(e.builder, e.loc(), typeOf(e, type), v.value, order), type};
}

TensorValue join(Emitter &e, const TensorValue &a, const TensorValue &b) {
  TensorType type = a.type;
  type.shape.push_back(2);
  return {tile::JoinOp::create(e.builder, e.loc(), typeOf(e, type), a.value, b.value), type};
}

std::pair<TensorValue, TensorValue> split(Emitter &e, const TensorValue &v) {
  TensorType type = v.type;
  type.shape.pop_back();
  mlir::Type half = typeOf(e, type);
  auto op = tile::SplitOp::create(e.builder, e.loc(), half, half, v.value);
  return {TensorValue{op.getLhs(), type}, TensorValue{op.getRhs(), type}};
}

Result emitBroadcast(Emitter &e, const Arguments &args) {
  TensorValue both[2];
  for (size_t i = 0; i < 2; ++i) {
    TensorOr v = getTensor(e, args, i);
    if (failed(v))
      return failure();
    both[i] = *v;
  }
  if (failed(broadcastTogether(e, both)))
    return failure();
  return Value::tuple({Value(both[0]), Value(both[1])});
}

Result emitBroadcastTo(Emitter &e, const Arguments &args) {
  TensorOr v = getTensor(e, args, 0);
  if (failed(v))
    return failure();
  FailureOr<Shape> shape = getShape(e, args, 1);
  if (failed(shape))
    return failure();
  if (!v->type.isScalar() && v->type.shape.size() != shape->size())
    return callError(e, args,
                     "needs equal ranks, but got " + args[0].describe() + " and the shape " +
                         shapeString(*shape) + "; add dimensions with x[:, None] first");
  TensorOr out = broadcastTo(e, *v, *shape);
  if (failed(out))
    return failure();
  return Value(*out);
}

Result emitExpandDims(Emitter &e, const Arguments &args) {
  TensorOr v = getTensor(e, args, 0);
  if (failed(v))
    return failure();
  FailureOr<Shape> axes = getIntList(e, args, 1);
  if (failed(axes))
    return failure();
  int64_t rank = v->type.shape.size() + axes->size();
  SmallVector<int64_t> sorted;
  for (int64_t axis : *axes) {
    if (axis < -rank || axis >= rank)
      return argError(e, args, 1,
                      "is " + Twine(axis) + ", but the result has " + Twine(rank) +
                          " dimensions; use " + Twine(-rank) + " to " + Twine(rank - 1));
    sorted.push_back(axis < 0 ? axis + rank : axis);
  }
  llvm::sort(sorted);
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] == sorted[i - 1])
      return argError(e, args, 1, "names dimension " + Twine(sorted[i]) + " twice");
  for (int64_t axis : sorted)
    v = expandDims(e, *v, axis);
  return Value(*v);
}

Result reshape(Emitter &e, const Arguments &args, bool allowReorder) {
  TensorOr v = getTensor(e, args, 0);
  if (failed(v))
    return failure();
  FailureOr<Shape> shape = getIntList(e, args, 1);
  if (failed(shape))
    return failure();
  // One size may be left open.
  int64_t known = 1, open = -1;
  for (size_t d = 0; d < shape->size(); ++d) {
    int64_t size = (*shape)[d];
    if (size == -1 && open < 0) {
      open = d;
      continue;
    }
    if (size < 1 || size > kMaxTensorElements || known * size > kMaxTensorElements)
      return argError(e, args, 1,
                      "is " + shapeString(*shape) +
                          "; sizes must be positive, and at most 1048576 elements in "
                          "all");
    known *= size;
  }
  int64_t total = v->type.numElements();
  if (open >= 0) {
    e.beyondTriton("a size of -1", "S10", "state the size");
    (*shape)[open] = std::max<int64_t>(total / known, 1);
    known *= (*shape)[open];
  }
  if (std::string excess = findExcess(*shape); known == total && !excess.empty())
    return argError(e, args, 1, "is " + shapeString(*shape) + ", which is " + excess);
  if (known != total)
    return callError(e, args,
                     "cannot give " + args[0].describe() + " (" + Twine(total) +
                         " elements) the shape " + shapeString(*shape) + " (" + Twine(known) +
                         " elements)");
  if (shape->empty())
    return Value(extractSingle(e, *v));
  return Value(reshapeTo(e, *v, *shape, allowReorder));
}

Result emitReshape(Emitter &e, const Arguments &args) {
  FailureOr<bool> reorder = getBool(e, args, 2);
  if (failed(reorder))
    return failure();
  return reshape(e, args, *reorder);
}

Result emitView(Emitter &e, const Arguments &args) { return reshape(e, args, true); }

Result permute(Emitter &e, const Arguments &args, const TensorValue &v, ArrayRef<int64_t> dims) {
  int64_t rank = v.type.shape.size();
  SmallVector<int32_t> order;
  SmallVector<bool> seen(rank, false);
  bool valid = static_cast<int64_t>(dims.size()) == rank;
  if (llvm::any_of(dims, [](int64_t dim) { return dim < 0; }))
    e.beyondTriton("a dimension that is counted from the end", "S10", "count from 0");
  for (int64_t dim : dims) {
    if (dim < 0)
      dim += rank;
    if (dim < 0 || dim >= rank || seen[dim]) {
      valid = false;
      break;
    }
    seen[dim] = true;
    order.push_back(static_cast<int32_t>(dim));
  }
  if (!valid)
    return argError(e, args, 1,
                    "is " + shapeString(dims) + ", which does not name each of the " + Twine(rank) +
                        " dimensions of " + args[0].describe() + " once");
  return Value(transpose(e, v, order));
}

Result emitPermute(Emitter &e, const Arguments &args) {
  TensorOr v = getBlock(e, args, 0);
  if (failed(v))
    return failure();
  FailureOr<Shape> dims = getIntList(e, args, 1);
  if (failed(dims))
    return failure();
  return permute(e, args, *v, *dims);
}

Result emitTrans(Emitter &e, const Arguments &args) {
  TensorOr v = getBlock(e, args, 0);
  if (failed(v))
    return failure();
  FailureOr<Shape> dims = getIntList(e, args, 1);
  if (failed(dims))
    return failure();
  if (dims->empty()) {
    int64_t rank = v->type.shape.size();
    if (rank < 2)
      return argError(e, args, 0,
                      "is " + args[0].describe() + "; transposition needs two dimensions or more");
    for (int64_t i = 0; i < rank; ++i)
      dims->push_back(i);
    std::swap((*dims)[rank - 1], (*dims)[rank - 2]);
  }
  return permute(e, args, *v, *dims);
}

Result emitJoin(Emitter &e, const Arguments &args) {
  std::string name = displayName(*args.builtin);
  auto *a = args[0].getIf<TensorValue>(), *b = args[1].getIf<TensorValue>();
  TensorValue both[2];
  if (a && b && a->type.dtype == b->type.dtype) {
    both[0] = *a;
    both[1] = *b;
    if (failed(broadcastTogether(e, both)))
      return failure();
  } else {
    FailureOr<Operands> operands = bringTogether(e, Combine::Arithmetic, name, args[0], args[1]);
    if (failed(operands))
      return failure();
    both[0] = operands->lhs;
    both[1] = operands->rhs;
  }
  Shape joined = both[0].type.shape;
  joined.push_back(2);
  if (std::string excess = findExcess(joined); !excess.empty())
    return callError(e, args, "the result would have " + excess);
  return Value(join(e, both[0], both[1]));
}

Result emitSplit(Emitter &e, const Arguments &args) {
  TensorOr v = getBlock(e, args, 0);
  if (failed(v))
    return failure();
  if (v->type.shape.back() != 2)
    return argError(e, args, 0,
                    "is " + args[0].describe() +
                        "; the last dimension must have size 2 (reshape and permute first)");
  auto [lhs, rhs] = split(e, *v);
  return Value::tuple({Value(lhs), Value(rhs)});
}

Result emitCat(Emitter &e, const Arguments &args) {
  TensorOr a = getBlock(e, args, 0);
  if (failed(a))
    return failure();
  TensorOr b = getBlock(e, args, 1);
  if (failed(b))
    return failure();
  FailureOr<bool> reorder = getBool(e, args, 2);
  if (failed(reorder))
    return failure();
  if (a->type.dtype != b->type.dtype || a->type.shape != b->type.shape)
    return callError(e, args,
                     "needs two tensors of one shape and dtype, but got " + args[0].describe() +
                         " and " + args[1].describe());
  FailureOr<unsigned> dim = getAxis(e, args, 3, a->type.shape.size());
  if (failed(dim))
    return failure();
  if (!*reorder)
    e.beyondTriton("'tl.cat' in order", "S10",
                   "pass can_reorder=True, or use tl.join, tl.permute and tl.reshape");
  else if (a->type.shape.size() != 1)
    e.beyondTriton("'tl.cat' of several dimensions", "S10",
                   "use tl.join, tl.permute and tl.reshape");
  TensorType type = a->type;
  type.shape[*dim] *= 2;
  if (std::string excess = findExcess(type.shape); !excess.empty())
    return callError(e, args, "the result would have " + excess);
  if (type.shape.size() == 1)
    return Value(TensorValue{
        tile::CatOp::create(e.builder, e.loc(), typeOf(e, type), a->value, b->value), type});
  // The new dimension of a join goes in front of `dim` and merges with it.
  TensorValue joined = join(e, *a, *b);
  SmallVector<int32_t> order;
  for (unsigned i = 0; i < type.shape.size(); ++i) {
    if (i == *dim)
      order.push_back(static_cast<int32_t>(type.shape.size()));
    order.push_back(static_cast<int32_t>(i));
  }
  return Value(reshapeTo(e, transpose(e, joined, order), type.shape));
}

Result emitItem(Emitter &e, const Arguments &args) {
  TensorOr v = getTensor(e, args, 0);
  if (failed(v))
    return failure();
  if (v->type.numElements() != 1)
    return argError(e, args, 0, "must have one element, but it is " + args[0].describe());
  return Value(extractSingle(e, *v));
}

Result emitSqueeze(Emitter &e, const Arguments &args) {
  TensorOr v = getBlock(e, args, 0);
  if (failed(v))
    return failure();
  FailureOr<unsigned> axis = getAxis(e, args, 1, v->type.shape.size());
  if (failed(axis))
    return failure();
  if (v->type.shape[*axis] != 1)
    return argError(e, args, 1,
                    "names dimension " + Twine(*axis) + " of " + args[0].describe() +
                        ", whose size is not 1");
  if (v->type.shape.size() == 1)
    return Value(extractSingle(e, *v));
  Shape shape = v->type.shape;
  shape.erase(shape.begin() + *axis);
  return Value(reshapeTo(e, *v, shape));
}

/// The positions along `axis` in reverse, in the tensor's shape.
TensorOr reversedPositions(Emitter &e, ArrayRef<int64_t> shape, unsigned axis) {
  TensorType line{dtype(Scalar::Int32), {shape[axis]}};
  TensorValue forward{tile::MakeRangeOp::create(e.builder, e.loc(), typeOf(e, line), 0u,
                                                static_cast<uint32_t>(shape[axis])),
                      line};
  TensorValue last = makeConstant(e, line, Literal(PyInt(shape[axis] - 1)));
  TensorValue index{arith::SubIOp::create(e.builder, e.loc(), last.value, forward.value), line};
  for (unsigned d = 0; d < shape.size(); ++d)
    if (d != axis)
      index = expandDims(e, index, d);
  return broadcastTo(e, index, shape);
}

/// Reverses one dimension by exchanging the halves of every power of two below its size; others are
/// gathered.
Result emitFlip(Emitter &e, const Arguments &args) {
  TensorOr v = getBlock(e, args, 0);
  if (failed(v))
    return failure();
  unsigned axis = v->type.shape.size() - 1;
  if (!args[1].isNone()) {
    FailureOr<unsigned> given = getAxis(e, args, 1, v->type.shape.size());
    if (failed(given))
      return failure();
    axis = *given;
  }
  Shape shape = v->type.shape;
  int64_t size = shape[axis];
  if (!llvm::isPowerOf2_64(size)) {
    TensorOr index = reversedPositions(e, shape, axis);
    if (failed(index))
      return failure();
    return Value(TensorValue{tile::GatherOp::create(e.builder, e.loc(), v->value.getType(),
                                                    v->value, index->value, axis),
                             v->type});
  }
  int64_t before = 1, after = 1;
  for (unsigned d = 0; d < shape.size(); ++d)
    (d < axis ? before : after) *= d == axis ? 1 : shape[d];
  TensorValue current = *v;
  for (int64_t half = 1; half < size; half *= 2) {
    TensorValue cube = reshapeTo(e, current, {before * size / (2 * half), 2, half * after});
    auto [low, high] = split(e, transpose(e, cube, {0, 2, 1}));
    current = transpose(e, join(e, high, low), {0, 2, 1});
  }
  return Value(reshapeTo(e, current, shape));
}

const Builtin kRows[] = {
    {"broadcast", kTl, "input, other", "Both tensors, stretched to their common shape.",
     emitBroadcast},
    {"broadcast_to", kTl, "input, *shape",
     "A tensor stretched to a shape of equal rank; sizes of 1 stretch.", emitBroadcastTo, true},
    {"expand_dims", kTl, "input, axis", "Inserts a dimension of size 1, or several.",
     emitExpandDims, true},
    {"unsqueeze", kTl, "input, dim", "Inserts a dimension of size 1.", emitExpandDims, true},
    {"squeeze", kTl, "input, dim", "Removes a dimension of size 1.", emitSqueeze, true},
    {"reshape", kTl, "input, *shape, can_reorder=False",
     "The same elements in row-major order under another shape; one size may be -1.", emitReshape,
     true},
    {"view", kTl, "input, *shape", "The same elements under another shape, in any order.", emitView,
     true},
    {"trans", kTl, "input, *dims", "Permutes dimensions; without `dims` it exchanges the last two.",
     emitTrans, true},
    {"permute", kTl, "input, *dims", "Permutes dimensions.", emitPermute, true},
    {"join", kTl, "a, b", "Two tensors along a new last dimension of size 2.", emitJoin},
    {"split", kTl, "a", "The two halves of a tensor whose last dimension has size 2.", emitSplit,
     true},
    {"cat", kTl, "input, other, can_reorder=False, dim=0",
     "Two tensors of one shape, one after the other along a dimension.", emitCat},
    {"item", kTl, "input", "The only element of a tensor, as a scalar.", emitItem, true},
    {"flip", kTl, "x, dim=None", "Reverses a dimension (the last, if not given).", emitFlip, true},
};
} // namespace

void addShapeOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
