// Access by position within tensors, counting, and functions of single elements.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
Result emitGather(Emitter &e, const Arguments &args) {
  TensorOr source = getBlock(e, args, 0);
  if (failed(source))
    return failure();
  TensorOr index = getBlock(e, args, 1);
  if (failed(index))
    return failure();
  if (!index->type.dtype.isInt())
    return argError(e, args, 1, "must hold integers, but it is " + args[1].describe());
  if (index->type.shape.size() != source->type.shape.size())
    return argError(e, args, 1,
                    "must have the rank of 'src', but they have the shapes " +
                        shapeString(index->type.shape) + " and " + shapeString(source->type.shape));
  FailureOr<unsigned> axis = getAxis(e, args, 2, source->type.shape.size());
  if (failed(axis))
    return failure();
  for (unsigned d = 0; d < source->type.shape.size(); ++d)
    if (d != *axis && source->type.shape[d] != index->type.shape[d])
      return argError(e, args, 1,
                      "must have the shape of 'src' except in dimension " + Twine(*axis) +
                          ", but they have the shapes " + shapeString(index->type.shape) + " and " +
                          shapeString(source->type.shape));
  // Positions are signed; the unsigned ones of these fit.
  if (index->type.dtype.getBits() < 32)
    index = convert(e, *index, dtype(Scalar::Int32));
  TensorType type{source->type.dtype, index->type.shape};
  return Value(TensorValue{tile::GatherOp::create(e.builder, e.loc(),
                                                  getMlirType(e.builder.getContext(), type),
                                                  source->value, index->value, *axis),
                           type});
}

Result emitHistogram(Emitter &e, const Arguments &args) {
  TensorOr source = getBlock(e, args, 0);
  if (failed(source))
    return failure();
  if (source->type.shape.size() != 1)
    return argError(e, args, 0,
                    "must have one dimension, but it is " + args[0].describe() +
                        "; use tl.ravel first");
  if (!source->type.dtype.isInt())
    return argError(e, args, 0, "must hold integers, but it is " + args[0].describe());
  FailureOr<int64_t> bins = getInt(e, args, 1, 1, kMaxTensorElements);
  if (failed(bins))
    return failure();
  mlir::Value mask;
  if (!args[2].isNone()) {
    TensorOr given = getTensor(e, args, 2);
    if (failed(given))
      return failure();
    if (given->type.dtype.isPointer())
      return argError(e, args, 2, "must hold booleans, but it is " + args[2].describe());
    TensorOr wide = broadcastTo(e, convert(e, *given, dtype(Scalar::Int1)), source->type.shape);
    if (failed(wide))
      return failure();
    mask = wide->value;
  }
  TensorType type{dtype(Scalar::Int32), {*bins}};
  return Value(TensorValue{tile::HistogramOp::create(e.builder, e.loc(),
                                                     getMlirType(e.builder.getContext(), type),
                                                     source->value, mask),
                           type});
}

/// Calls the function on the scalars of one element inside a region. With `pack`, it gets each
/// scalar that many times, and only its first results are used: which elements share a call is not
/// specified.
Result emitMap(Emitter &e, const Arguments &args) {
  if (!args[0].is<FunctionValue>() && !args[0].is<BuiltinValue>() && !args[0].is<BoundValue>())
    return argError(e, args, 0,
                    "must be a function with @triton.jit, but it is " + args[0].describe());
  SmallVector<TensorValue> inputs;
  for (const Value &v : getElements(args[1])) {
    if (!getOperand(v))
      return argError(e, args, 1, "must hold tensors or numbers, but one is " + v.describe());
    TensorOr input = toTensor(e, v);
    if (failed(input))
      return failure();
    inputs.push_back(*input);
  }
  if (inputs.empty())
    return callError(e, args, "needs at least one tensor after the function");
  FailureOr<int64_t> pack = getInt(e, args, 2, 1, 64);
  if (failed(pack))
    return failure();
  if (failed(broadcastTogether(e, inputs)))
    return failure();
  SourceRange range = args.ranges[0].isValid() ? args.ranges[0] : e.range;
  auto callOn = [&](ArrayRef<TensorValue> elements) -> FailureOr<std::vector<Value>> {
    std::vector<Value> values;
    for (const TensorValue &v : elements)
      values.insert(values.end(), *pack, Value(v));
    Result result = e.services.call(args[0], values, range);
    if (failed(result))
      return failure();
    std::vector<Value> all = getElements(*result), out;
    if (all.empty() || all.size() % *pack)
      return argError(e, args, 0,
                      "must give " + Twine(*pack) + " scalars for each result, but it gives " +
                          result->describe());
    for (size_t i = 0; i < all.size(); i += *pack) {
      if (!getOperand(all[i]))
        return argError(e, args, 0, "must give scalars, but it gives " + all[i].describe());
      TensorOr v = toTensor(e, all[i]);
      if (failed(v))
        return failure();
      if (!v->type.isScalar())
        return argError(e, args, 0, "must give scalars, but it gives " + all[i].describe());
      out.push_back(Value(*v));
    }
    return out;
  };
  auto finish = [](std::vector<Value> out) {
    return out.size() == 1 ? out[0] : Value::tuple(std::move(out));
  };
  if (inputs[0].type.isScalar()) {
    FailureOr<std::vector<Value>> out = callOn(inputs);
    if (failed(out))
      return failure();
    return finish(std::move(*out));
  }

  // The result types follow from the function's body, which is emitted into a region of its own.
  MLIRContext *context = e.builder.getContext();
  Region region;
  std::vector<Value> out;
  {
    OpBuilder::InsertionGuard guard(e.builder);
    SmallVector<mlir::Type> types;
    for (const TensorValue &v : inputs)
      types.push_back(getMlirType(context, v.type.dtype));
    SmallVector<Location> locations(types.size(), e.loc());
    SmallVector<mlir::Value> operands;
    for (const TensorValue &v : inputs)
      operands.push_back(v.value);
    // A place for the body until the operation can be made.
    auto place = tile::MapOp::create(e.builder, e.loc(), TypeRange(), operands);
    Block *block = e.builder.createBlock(&place.getBody(), {}, types, locations);
    SmallVector<TensorValue> scalars;
    for (auto [i, v] : llvm::enumerate(inputs))
      scalars.push_back({block->getArgument(i), TensorType{v.type.dtype, {}}});
    FailureOr<std::vector<Value>> results = callOn(scalars);
    if (failed(results)) {
      place->erase();
      return failure();
    }
    SmallVector<mlir::Value> yielded;
    SmallVector<mlir::Type> resultTypes;
    for (const Value &v : *results) {
      auto scalar = v.get<TensorValue>();
      yielded.push_back(scalar.value);
      resultTypes.push_back(
          getMlirType(context, TensorType{scalar.type.dtype, inputs[0].type.shape}));
    }
    tile::YieldOp::create(e.builder, e.loc(), yielded);
    if (failed(checkPure(e, *block, range))) {
      place->erase();
      return failure();
    }
    e.builder.setInsertionPoint(place);
    auto op = tile::MapOp::create(e.builder, e.loc(), resultTypes, operands);
    op.getBody().takeBody(place.getBody());
    place->erase();
    for (auto [i, v] : llvm::enumerate(*results))
      out.push_back(
          fromTensor(op->getResult(i), v.get<TensorValue>().type.dtype, inputs[0].type.shape));
  }
  return finish(std::move(out));
}

const Builtin kRows[] = {
    {"gather", kTl, "src, index, axis",
     "The elements of `src` at the positions `index` along an axis. The shapes agree except "
     "along that axis; the result has the shape of `index`. Indices wrap around modulo the size of "
     "the axis: -1 is the last.",
     emitGather, true},
    {"histogram", kTl, "input, num_bins, mask=None",
     "How often each of the integers 0 to `num_bins` - 1 occurs in a 1-D tensor of integers, as "
     "int32. Other values, and those whose `mask` is false, are not counted.",
     emitHistogram, true},
    {"map_elementwise", kTl, "scalar_fn, *args, pack=1",
     "Calls a function on the scalars of each element of tensors that broadcast together; its "
     "branches and loops may depend on them. With `pack`, it takes and gives that many scalars of "
     "each tensor in a call.",
     emitMap},
};
} // namespace

void addGatherOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
