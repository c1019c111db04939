// Reductions and scans: with a function of the language, or with one of the user's.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
/// Combines accumulated and next scalars inside the region of a reduction or scan.
using CombineFn = function_ref<FailureOr<SmallVector<TensorValue>>(ArrayRef<TensorValue> left,
                                                                   ArrayRef<TensorValue> right)>;

/// Fills the region of a reduction or scan over values of these element types.
LogicalResult fillRegion(Emitter &e, Region &region, ArrayRef<TensorValue> inputs, CombineFn fn) {
  OpBuilder::InsertionGuard guard(e.builder);
  SmallVector<mlir::Type> types;
  for (unsigned side = 0; side < 2; ++side)
    for (const TensorValue &v : inputs)
      types.push_back(getMlirType(e.builder.getContext(), v.type.dtype));
  SmallVector<Location> locations(types.size(), e.loc());
  Block *block = e.builder.createBlock(&region, {}, types, locations);
  SmallVector<TensorValue> left, right;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorType scalar{inputs[i].type.dtype, {}};
    left.push_back({block->getArgument(i), scalar});
    right.push_back({block->getArgument(inputs.size() + i), scalar});
  }
  SourceRange range = e.range;
  FailureOr<SmallVector<TensorValue>> out = fn(left, right);
  if (failed(out))
    return failure();
  SmallVector<mlir::Value> results;
  for (const TensorValue &v : *out)
    results.push_back(v.value);
  tile::YieldOp::create(e.builder, e.loc(), results);
  return checkPure(e, *block, range);
}

/// The reduced axis, or all of them.
struct Axis {
  unsigned index = 0;
  bool all = false;
};

FailureOr<Axis> getReduceAxis(Emitter &e, const Arguments &args, size_t i, unsigned rank) {
  if (args[i].isNone())
    return Axis{0, true};
  FailureOr<unsigned> axis = getAxis(e, args, i, rank);
  if (failed(axis))
    return failure();
  return Axis{*axis, false};
}

/// Tensors of one shape, reduced to one value each. A scalar reduces to itself.
FailureOr<SmallVector<TensorValue>> reduce(Emitter &e, ArrayRef<TensorValue> inputs, Axis axis,
                                           bool keepDims, bool commutative, CombineFn fn) {
  Shape original = inputs[0].type.shape;
  SmallVector<TensorValue> operands(inputs);
  if (axis.all)
    for (TensorValue &v : operands)
      v = reshapeTo(e, v, {v.type.numElements()}, commutative && inputs.size() == 1);
  Shape shape = operands[0].type.shape;
  shape.erase(shape.begin() + axis.index);
  SmallVector<mlir::Value> values;
  SmallVector<mlir::Type> types;
  for (const TensorValue &v : operands) {
    values.push_back(v.value);
    types.push_back(getMlirType(e.builder.getContext(), TensorType{v.type.dtype, shape}));
  }
  auto op = tile::ReduceOp::create(e.builder, e.loc(), types, values, axis.index);
  if (failed(fillRegion(e, op.getCombine(), operands, fn))) {
    op->erase();
    return failure();
  }
  SmallVector<TensorValue> out;
  for (size_t i = 0; i < operands.size(); ++i) {
    TensorValue v{op->getResult(i), TensorType{operands[i].type.dtype, shape}};
    if (keepDims && axis.all)
      v = reshapeTo(e, v, Shape(original.size(), 1));
    else if (keepDims)
      v = expandDims(e, v, axis.index);
    out.push_back(v);
  }
  return out;
}

FailureOr<SmallVector<TensorValue>> scan(Emitter &e, ArrayRef<TensorValue> inputs, unsigned axis,
                                         bool reverse, CombineFn fn) {
  SmallVector<mlir::Value> values;
  SmallVector<mlir::Type> types;
  for (const TensorValue &v : inputs) {
    values.push_back(v.value);
    types.push_back(v.value.getType());
  }
  auto op = tile::ScanOp::create(e.builder, e.loc(), types, values, axis, reverse);
  if (failed(fillRegion(e, op.getCombine(), inputs, fn))) {
    op->erase();
    return failure();
  }
  SmallVector<TensorValue> out;
  for (size_t i = 0; i < inputs.size(); ++i)
    out.push_back({op->getResult(i), inputs[i].type});
  return out;
}

//===----------------------------------------------------------------------===//
// With one of the user's functions
//===----------------------------------------------------------------------===//

/// The operands of `reduce` and `associative_scan`: a tensor, or a tuple of tensors of one shape.
FailureOr<SmallVector<TensorValue>> getOperandsOf(Emitter &e, const Arguments &args, size_t i) {
  SmallVector<TensorValue> out;
  for (const Value &v : getElements(args[i])) {
    auto *tensor = v.getIf<TensorValue>();
    if (!tensor || tensor->type.isScalar())
      return argError(e, args, i,
                      "must be a tensor or a tuple of tensors, but one is " + v.describe());
    if (!out.empty() && out[0].type.shape != tensor->type.shape)
      return argError(e, args, i,
                      "holds tensors of different shapes: " + shapeString(out[0].type.shape) +
                          " and " + shapeString(tensor->type.shape) + "; broadcast them first");
    out.push_back(*tensor);
  }
  if (out.empty())
    return argError(e, args, i, "is an empty tuple; pass at least one tensor");
  return out;
}

FailureOr<SmallVector<TensorValue>> callCombine(Emitter &e, const Arguments &args, size_t fn,
                                                ArrayRef<TensorValue> left,
                                                ArrayRef<TensorValue> right) {
  std::vector<Value> values;
  for (ArrayRef<TensorValue> side : {left, right})
    for (const TensorValue &v : side)
      values.push_back(Value(v));
  SourceRange range = args.ranges[fn].isValid() ? args.ranges[fn] : e.range;
  Result result = e.services.call(args[fn], values, range);
  if (failed(result))
    return failure();
  std::vector<Value> elements = getElements(*result);
  if (elements.size() != left.size())
    return argError(e, args, fn,
                    "must give " + Twine(left.size()) + " values, but it gives " +
                        result->describe());
  SmallVector<TensorValue> out;
  for (size_t i = 0; i < elements.size(); ++i) {
    DType type = left[i].type.dtype;
    std::optional<Operand> operand = getOperand(elements[i]);
    auto *tensor = elements[i].getIf<TensorValue>();
    if (!operand || (tensor && (!tensor->type.isScalar() ||
                                tensor->type.dtype.isPointer() != type.isPointer())))
      return argError(e, args, fn,
                      "must give scalars like its operands, but value " + Twine(i) + " is " +
                          elements[i].describe() + " instead of " + type.str());
    // Only signedness may differ; any other conversion would lose values silently.
    if (DType given = tensor ? tensor->type.dtype : type;
        getMlirType(e.builder.getContext(), given) != getMlirType(e.builder.getContext(), type))
      return argError(e, args, fn,
                      "must give values of the types that it takes, but value " + Twine(i) +
                          " is " + given.str() + " instead of " + type.str() +
                          "; convert what it returns back, or the operands before");
    TensorOr v = cast(e, elements[i], type);
    if (failed(v))
      return failure();
    out.push_back(*v);
  }
  return out;
}

LogicalResult checkFunction(Emitter &e, const Arguments &args, size_t i) {
  if (args[i].is<FunctionValue>() || args[i].is<BuiltinValue>() || args[i].is<BoundValue>())
    return success();
  return argError(e, args, i,
                  "must be a function with @triton.jit, but it is " + args[i].describe());
}

/// One value as it is, several as a tuple, as the operands were given.
Value pack(const Value &like, ArrayRef<TensorValue> values) {
  if (!like.getTuple())
    return Value(values[0]);
  std::vector<Value> elements;
  for (const TensorValue &v : values)
    elements.push_back(Value(v));
  return Value::tuple(std::move(elements));
}

Result emitReduce(Emitter &e, const Arguments &args) {
  FailureOr<SmallVector<TensorValue>> inputs = getOperandsOf(e, args, 0);
  if (failed(inputs))
    return failure();
  FailureOr<Axis> axis = getReduceAxis(e, args, 1, (*inputs)[0].type.shape.size());
  if (failed(axis) || failed(checkFunction(e, args, 2)))
    return failure();
  FailureOr<bool> keepDims = getBool(e, args, 3);
  if (failed(keepDims))
    return failure();
  auto out = reduce(e, *inputs, *axis, *keepDims, /*commutative=*/false,
                    [&](ArrayRef<TensorValue> left, ArrayRef<TensorValue> right) {
                      return callCombine(e, args, 2, left, right);
                    });
  if (failed(out))
    return failure();
  return pack(args[0], *out);
}

Result emitScan(Emitter &e, const Arguments &args) {
  FailureOr<SmallVector<TensorValue>> inputs = getOperandsOf(e, args, 0);
  if (failed(inputs))
    return failure();
  FailureOr<unsigned> axis = getAxis(e, args, 1, (*inputs)[0].type.shape.size());
  if (failed(axis) || failed(checkFunction(e, args, 2)))
    return failure();
  FailureOr<bool> reverse = getBool(e, args, 3);
  if (failed(reverse))
    return failure();
  auto out = scan(e, *inputs, *axis, *reverse,
                  [&](ArrayRef<TensorValue> left, ArrayRef<TensorValue> right) {
                    return callCombine(e, args, 2, left, right);
                  });
  if (failed(out))
    return failure();
  return pack(args[0], *out);
}

//===----------------------------------------------------------------------===//
// Sums, extrema, bits
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<TensorValue>> combineBinary(Emitter &e, ast::BinaryOp op,
                                                  ArrayRef<TensorValue> left,
                                                  ArrayRef<TensorValue> right) {
  Result out = binary(e, op, Value(left[0]), Value(right[0]));
  if (failed(out))
    return failure();
  return SmallVector<TensorValue>{out->get<TensorValue>()};
}

/// A number or tensor of numbers to reduce; a scalar counts as a tensor of one element.
TensorOr getReduced(Emitter &e, const Arguments &args) {
  TensorOr v = getTensor(e, args, 0);
  if (failed(v))
    return failure();
  if (v->type.dtype.isPointer())
    return argError(e, args, 0, "must hold numbers, but it is " + args[0].describe());
  return v;
}

/// The dtype asked for, or `fallback`.
FailureOr<DType> getResultType(Emitter &e, const Arguments &args, size_t i, DType fallback) {
  if (args[i].isNone())
    return fallback;
  return getDType(e, args, i);
}

Result reduceOne(Emitter &e, const Arguments &args, TensorValue v, DType type, size_t axisIndex,
                 size_t keepDimsIndex, CombineFn fn) {
  if (v.type.isScalar())
    v = expandDims(e, v, 0);
  FailureOr<Axis> axis = getReduceAxis(e, args, axisIndex, v.type.shape.size());
  if (failed(axis))
    return failure();
  FailureOr<bool> keepDims = getBool(e, args, keepDimsIndex);
  if (failed(keepDims))
    return failure();
  auto out = reduce(e, {convert(e, v, type)}, *axis, *keepDims, /*commutative=*/true, fn);
  if (failed(out))
    return failure();
  return Value((*out)[0]);
}

Result emitSum(Emitter &e, const Arguments &args) {
  TensorOr v = getReduced(e, args);
  if (failed(v))
    return failure();
  FailureOr<DType> type = getResultType(e, args, 3, getSumType(v->type.dtype));
  if (failed(type))
    return failure();
  if (type->isPointer() || type->scalar == Scalar::Void)
    return argError(e, args, 3, "must be a number type, but it is " + type->str());
  return reduceOne(e, args, *v, *type, 1, 2,
                   [&](ArrayRef<TensorValue> left, ArrayRef<TensorValue> right) {
                     return combineBinary(e, ast::BinaryOp::Add, left, right);
                   });
}

template <ast::BinaryOp Op> Result emitBits(Emitter &e, const Arguments &args) {
  TensorOr v = getReduced(e, args);
  if (failed(v))
    return failure();
  if (!v->type.dtype.isInt())
    return argError(e, args, 0, "must hold integers, but it is " + args[0].describe());
  return reduceOne(e, args, *v, v->type.dtype, 1, 2,
                   [&](ArrayRef<TensorValue> left, ArrayRef<TensorValue> right) {
                     return combineBinary(e, Op, left, right);
                   });
}

/// Whether the left of two (value, index) pairs stays. NaN loses to a number; among equals the
/// smaller index wins if `tieLeft`, else the right one.
mlir::Value keepsLeft(Emitter &e, bool isMax, bool tieLeft, ArrayRef<TensorValue> left,
                      ArrayRef<TensorValue> right) {
  auto compareValues = [&](ast::CompareOp op, const TensorValue &a, const TensorValue &b) {
    Result out = compare(e, op, Value(a), Value(b));
    return out->get<TensorValue>().value;
  };
  auto both = [&](mlir::Value a, mlir::Value b) -> mlir::Value {
    return arith::AndIOp::create(e.builder, e.loc(), a, b);
  };
  auto either = [&](mlir::Value a, mlir::Value b) -> mlir::Value {
    return arith::OrIOp::create(e.builder, e.loc(), a, b);
  };
  using ast::CompareOp;
  mlir::Value keeps = compareValues(isMax ? CompareOp::Gt : CompareOp::Lt, left[0], right[0]);
  bool isFloat = left[0].type.dtype.isFloat();
  mlir::Value rightNan, leftNan;
  if (isFloat)
    rightNan = compareValues(CompareOp::Ne, right[0], right[0]);
  if (!tieLeft)
    return isFloat ? either(keeps, rightNan) : keeps;
  mlir::Value equal = compareValues(CompareOp::Eq, left[0], right[0]);
  if (isFloat) {
    leftNan = compareValues(CompareOp::Ne, left[0], left[0]);
    mlir::Value leftNumber = arith::XOrIOp::create(
        e.builder, e.loc(), leftNan, makeConstant(e, dtype(Scalar::Int1), Literal(true)).value);
    keeps = either(keeps, both(rightNan, leftNumber));
    equal = either(equal, both(leftNan, rightNan));
  }
  mlir::Value first = compareValues(CompareOp::Lt, left[1], right[1]);
  return either(keeps, both(equal, first));
}

/// The extreme value and its index along an axis.
FailureOr<SmallVector<TensorValue>> reduceWithIndex(Emitter &e, const Arguments &args,
                                                    TensorValue v, bool isMax, bool tieLeft,
                                                    size_t axisIndex, bool keepDims) {
  v = convert(e, v, getScanType(v.type.dtype));
  if (v.type.isScalar())
    v = expandDims(e, v, 0);
  FailureOr<Axis> axis = getReduceAxis(e, args, axisIndex, v.type.shape.size());
  if (failed(axis))
    return failure();
  Shape original = v.type.shape;
  if (axis->all)
    v = reshapeTo(e, v, {v.type.numElements()});
  // Positions along the axis, in the tensor's shape.
  int64_t size = v.type.shape[axis->index];
  TensorType line{dtype(Scalar::Int32), {size}};
  TensorValue index;
  index = {tile::MakeRangeOp::create(e.builder, e.loc(), getMlirType(e.builder.getContext(), line),
                                     0u, static_cast<uint32_t>(size)),
           line};
  Shape shape(v.type.shape.size(), 1);
  shape[axis->index] = size;
  for (unsigned d = 0; d < shape.size(); ++d)
    if (d != axis->index)
      index = expandDims(e, index, d);
  TensorOr wide = broadcastTo(e, index, v.type.shape);
  if (failed(wide))
    return failure();
  auto out = reduce(e, {v, *wide}, Axis{axis->index, false}, keepDims, /*commutative=*/true,
                    [&](ArrayRef<TensorValue> left,
                        ArrayRef<TensorValue> right) -> FailureOr<SmallVector<TensorValue>> {
                      mlir::Value keeps = keepsLeft(e, isMax, tieLeft, left, right);
                      SmallVector<TensorValue> both;
                      for (size_t i = 0; i < 2; ++i)
                        both.push_back({arith::SelectOp::create(e.builder, e.loc(), keeps,
                                                                left[i].value, right[i].value),
                                        left[i].type});
                      return both;
                    });
  if (succeeded(out) && axis->all && keepDims)
    for (TensorValue &value : *out)
      value = reshapeTo(e, value, Shape(original.size(), 1));
  return out;
}

template <bool IsMax> Result emitExtremumOf(Emitter &e, const Arguments &args) {
  TensorOr v = getReduced(e, args);
  if (failed(v))
    return failure();
  FailureOr<bool> withIndex = getBool(e, args, 2);
  if (failed(withIndex))
    return failure();
  FailureOr<bool> tieLeft = getBool(e, args, 3);
  if (failed(tieLeft))
    return failure();
  FailureOr<bool> keepDims = getBool(e, args, 4);
  if (failed(keepDims))
    return failure();
  if (*withIndex) {
    auto out = reduceWithIndex(e, args, *v, IsMax, *tieLeft, 1, *keepDims);
    if (failed(out))
      return failure();
    return Value::tuple({Value((*out)[0]), Value((*out)[1])});
  }
  return reduceOne(e, args, *v, getExtremumType(v->type.dtype), 1, 4,
                   [&](ArrayRef<TensorValue> left,
                       ArrayRef<TensorValue> right) -> FailureOr<SmallVector<TensorValue>> {
                     return SmallVector<TensorValue>{
                         emitExtremum(e, IsMax, /*propagateNan=*/false, left[0], right[0])};
                   });
}

template <bool IsMax> Result emitArg(Emitter &e, const Arguments &args) {
  TensorOr v = getReduced(e, args);
  if (failed(v))
    return failure();
  FailureOr<bool> tieLeft = getBool(e, args, 2);
  if (failed(tieLeft))
    return failure();
  FailureOr<bool> keepDims = getBool(e, args, 3);
  if (failed(keepDims))
    return failure();
  auto out = reduceWithIndex(e, args, *v, IsMax, *tieLeft, 1, *keepDims);
  if (failed(out))
    return failure();
  return Value((*out)[1]);
}

Result scanOne(Emitter &e, const Arguments &args, DType type, ast::BinaryOp op) {
  TensorOr v = getBlock(e, args, 0);
  if (failed(v))
    return failure();
  FailureOr<unsigned> axis = getAxis(e, args, 1, v->type.shape.size());
  if (failed(axis))
    return failure();
  FailureOr<bool> reverse = getBool(e, args, 2);
  if (failed(reverse))
    return failure();
  auto out = scan(e, {convert(e, *v, type)}, *axis, *reverse,
                  [&](ArrayRef<TensorValue> left, ArrayRef<TensorValue> right) {
                    return combineBinary(e, op, left, right);
                  });
  if (failed(out))
    return failure();
  return Value((*out)[0]);
}

Result emitCumsum(Emitter &e, const Arguments &args) {
  TensorOr v = getReduced(e, args);
  if (failed(v))
    return failure();
  FailureOr<DType> type = getResultType(e, args, 3, getSumType(getScanType(v->type.dtype)));
  if (failed(type))
    return failure();
  if (type->isPointer() || type->scalar == Scalar::Void)
    return argError(e, args, 3, "must be a number type, but it is " + type->str());
  return scanOne(e, args, *type, ast::BinaryOp::Add);
}

Result emitCumprod(Emitter &e, const Arguments &args) {
  TensorOr v = getReduced(e, args);
  if (failed(v))
    return failure();
  return scanOne(e, args, getScanType(v->type.dtype), ast::BinaryOp::Mul);
}

constexpr StringLiteral kExtremum{
    "input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False"};
constexpr StringLiteral kArg{"input, axis, tie_break_left=True, keep_dims=False"};

const Builtin kRows[] = {
    {"sum", kTl, "input, axis=None, keep_dims=False, dtype=None",
     "Sum along an axis, or of all elements. Integers narrower than 32 bits widen to 32.", emitSum,
     true},
    {"max", kTl, kExtremum,
     "Maximum along an axis, or of all elements; NaN loses. Narrow floats widen to float32, narrow "
     "integers to int32. With `return_indices`, a tuple with the position.",
     emitExtremumOf<true>, true},
    {"min", kTl, kExtremum,
     "Minimum along an axis, or of all elements; NaN loses. Narrow floats widen to float32, narrow "
     "integers to int32. With `return_indices`, a tuple with the position.",
     emitExtremumOf<false>, true},
    {"argmax", kTl, kArg,
     "Position of the maximum along an axis, as int32; the first of several with "
     "`tie_break_left`. NaN loses.",
     emitArg<true>, true},
    {"argmin", kTl, kArg,
     "Position of the minimum along an axis, as int32; the first of several with "
     "`tie_break_left`. NaN loses.",
     emitArg<false>, true},
    {"xor_sum", kTl, "input, axis=None, keep_dims=False",
     "Exclusive or of integers along an axis, or of all elements.", emitBits<ast::BinaryOp::Xor>,
     true},
    {"reduce_or", kTl, "input, axis=None, keep_dims=False",
     "Bitwise or of integers along an axis, or of all elements.", emitBits<ast::BinaryOp::Or>,
     true},
    {"reduce", kTl, "input, axis, combine_fn, keep_dims=False",
     "Reduces a tensor, or a tuple of tensors together, with a function of two scalars (or of two "
     "groups of scalars). The function must be associative.",
     emitReduce, true},
    {"associative_scan", kTl, "input, axis, combine_fn, reverse=False",
     "Every prefix (or suffix) of a reduction with a function.", emitScan, true},
    {"cumsum", kTl, "input, axis=0, reverse=False, dtype=None",
     "Running sum. bfloat16 widens to float32, integers narrower than 32 bits to 32.", emitCumsum,
     true},
    {"cumprod", kTl, "input, axis=0, reverse=False", "Running product. bfloat16 widens to float32.",
     emitCumprod, true},
};
} // namespace

void addReduceOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
