// make_block_ptr, advance, and the expansion of block pointers; see BlockPointer.h.
#include "frontend/lang/BlockPointer.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
constexpr StringLiteral kTypeName{"block pointer"};
enum Field { Base, ViewShape, Strides, Offsets, Block };

const TupleValue &fields(const Value &v) { return *v.getTuple(); }
const TupleValue &listOf(const Value &v, Field field) {
  return *fields(v).elements[field].getTuple();
}

Result emitMake(Emitter &e, const Arguments &args) {
  TensorOr base = getBase(e, args, 0);
  if (failed(base))
    return failure();
  FailureOr<Shape> block = getShape(e, args, 4);
  if (failed(block))
    return failure();
  std::vector<Value> lists[3];
  for (size_t i = 0; i < 3; ++i) {
    FailureOr<std::vector<Value>> scalars = getScalars(e, args, i + 1);
    if (failed(scalars))
      return failure();
    if (scalars->size() != block->size() || block->empty())
      return argError(e, args, i + 1,
                      "has " + Twine(scalars->size()) + " entries, but the block has " +
                          Twine(block->size()) + " dimensions");
    lists[i] = std::move(*scalars);
  }
  noteOffsets(e, args, 3);
  FailureOr<Shape> order = getIntList(e, args, 5);
  if (failed(order))
    return failure();
  Shape sorted = *order;
  llvm::sort(sorted);
  for (size_t i = 0; i < std::max(sorted.size(), block->size()); ++i)
    if (sorted.size() != block->size() || sorted[i] != static_cast<int64_t>(i))
      return argError(e, args, 5,
                      "is " + shapeString(*order) + ", but must name each of the " +
                          Twine(block->size()) + " dimensions once");
  auto out = std::make_shared<TupleValue>();
  out->typeName = kTypeName.str();
  out->elements = {Value(*base), Value::tuple(lists[0]), Value::tuple(lists[1]),
                   Value::tuple(lists[2]),
                   Value(TensorType{base->type.dtype.getPointee(), *block})};
  return Value(std::move(out));
}

Result emitAdvance(Emitter &e, const Arguments &args) {
  if (!isBlockPointer(args[0]))
    return argError(e, args, 0,
                    "must be a block pointer of tl.make_block_ptr, but it is " +
                        args[0].describe());
  FailureOr<std::vector<Value>> steps = getScalars(e, args, 1);
  if (failed(steps))
    return failure();
  const TupleValue &offsets = listOf(args[0], Offsets);
  if (steps->size() != offsets.elements.size())
    return argError(e, args, 1,
                    "has " + Twine(steps->size()) + " entries, but the block has " +
                        Twine(offsets.elements.size()) + " dimensions");
  noteOffsets(e, args, 1);
  std::vector<Value> moved;
  for (size_t d = 0; d < steps->size(); ++d) {
    Result sum = binary(e, ast::BinaryOp::Add, offsets.elements[d], (*steps)[d]);
    if (failed(sum))
      return failure();
    moved.push_back(*sum);
  }
  auto out = std::make_shared<TupleValue>(fields(args[0]));
  out->elements[Offsets] = Value::tuple(std::move(moved));
  return Value(std::move(out));
}

const Builtin kRows[] = {
    {"make_block_ptr", kTl, "base, shape, strides, offsets, block_shape, order",
     "A pointer to a block of a tensor in memory, for loads and stores with `boundary_check`.",
     emitMake},
    {"advance", kTl, "base, offsets", "A block pointer moved by an offset along each dimension.",
     emitAdvance, true},
};
} // namespace

bool isBlockPointer(const Value &v) {
  const TupleValue *tuple = v.getTuple();
  return tuple && tuple->typeName == kTypeName && tuple->elements.size() == Block + 1 &&
         tuple->elements[Base].isTensor() && tuple->elements[Block].is<TensorType>();
}

DType getBlockPointerType(const Value &v) {
  return fields(v).elements[Base].get<TensorValue>().type.dtype;
}

const TensorType &getBlockPointerBlock(const Value &v) {
  return fields(v).elements[Block].get<TensorType>();
}

FailureOr<BlockAccess> expandBlockPointer(Emitter &e, const Arguments &args, size_t pointer,
                                          size_t boundaryCheck) {
  const Value &v = args[pointer];
  const Shape shape = fields(v).elements[Block].get<TensorType>().shape;
  SmallVector<bool> checked(shape.size(), false);
  if (!args[boundaryCheck].isNone()) {
    if (!args[boundaryCheck].getTuple())
      e.beyondTriton("a number in the place of a list", "M9", "write a tuple");
    FailureOr<Shape> dims = getIntList(e, args, boundaryCheck);
    if (failed(dims))
      return failure();
    for (int64_t dim : *dims) {
      if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
        return argError(e, args, boundaryCheck,
                        "names dimension " + Twine(dim) + ", but the block has " +
                            Twine(shape.size()));
      checked[dim] = true;
    }
  }
  std::vector<Value> indices;
  for (size_t d = 0; d < shape.size(); ++d) {
    Result index = windowIndices(e, listOf(v, Offsets).elements[d], d, shape);
    if (failed(index))
      return failure();
    indices.push_back(*index);
  }
  View view{fields(v).elements[Base], listOf(v, ViewShape).elements, listOf(v, Strides).elements};
  return expandIndices(e, view, indices, checked, shape);
}

Result windowIndices(Emitter &e, const Value &offset, size_t d, llvm::ArrayRef<int64_t> block) {
  TensorType line{dtype(Scalar::Int32), {block[d]}};
  TensorValue steps{tile::MakeRangeOp::create(e.builder, e.loc(),
                                              getMlirType(e.builder.getContext(), line), 0u,
                                              static_cast<uint32_t>(block[d])),
                    line};
  for (size_t other = 0; other < block.size(); ++other)
    if (other != d)
      steps = expandDims(e, steps, other);
  return binary(e, ast::BinaryOp::Add, offset, Value(steps));
}

FailureOr<BlockAccess> expandIndices(Emitter &e, const View &view, llvm::ArrayRef<Value> indices,
                                     llvm::ArrayRef<bool> checked, llvm::ArrayRef<int64_t> block) {
  using ast::BinaryOp;
  using ast::CompareOp;
  Value address = view.base;
  std::optional<Value> mask;
  for (size_t d = 0; d < block.size(); ++d) {
    Result distance = binary(e, BinaryOp::Mul, indices[d], view.strides[d]);
    if (failed(distance))
      return failure();
    Result moved = binary(e, BinaryOp::Add, address, *distance);
    if (failed(moved))
      return failure();
    address = *moved;
    if (!checked[d])
      continue;
    Result low = compare(e, CompareOp::Ge, indices[d], Value::integer(0));
    Result high = compare(e, CompareOp::Lt, indices[d], view.shape[d]);
    if (failed(low) || failed(high))
      return failure();
    for (const Value &part : {*low, *high}) {
      Result both = mask ? binary(e, BinaryOp::And, *mask, part) : Result(part);
      if (failed(both))
        return failure();
      mask = *both;
    }
  }
  BlockAccess out{address.get<TensorValue>(), std::nullopt};
  if (mask) {
    TensorOr wide = broadcastTo(e, mask->get<TensorValue>(), block);
    if (failed(wide))
      return failure();
    out.mask = *wide;
  }
  return out;
}

FailureOr<std::vector<Value>> getScalars(Emitter &e, const Arguments &args, size_t i) {
  std::vector<Value> out;
  for (const Value &v : getElements(args[i])) {
    std::optional<Operand> operand = getOperand(v);
    auto *tensor = v.getIf<TensorValue>();
    bool isInt = operand && (operand->literal ? !std::holds_alternative<double>(*operand->literal)
                                              : operand->type.isInt());
    if (!isInt || (tensor && !tensor->type.isScalar()))
      return argError(e, args, i, "must hold integers, but one is " + v.describe());
    TensorOr wide = cast(e, v, dtype(Scalar::Int64));
    if (failed(wide))
      return failure();
    out.push_back(Value(*wide));
  }
  return out;
}

void noteOffsets(Emitter &e, const Arguments &args, size_t i) {
  if (!args[i].getTuple())
    e.beyondTriton("a number in the place of a list", "M9", "write a tuple");
  if (llvm::any_of(getElements(args[i]), [](const Value &v) {
        auto *tensor = v.getIf<TensorValue>();
        return tensor && tensor->type.dtype.getBits() == 64;
      }))
    e.beyondTriton("an offset of 64 bits", "M9", "convert it with .to(tl.int32)");
}

TensorOr getBase(Emitter &e, const Arguments &args, size_t i) {
  auto *base = args[i].getIf<TensorValue>();
  if (!base || !base->type.isScalar() || !base->type.dtype.isPointer() ||
      base->type.dtype.getPointee() == dtype(Scalar::Void))
    return argError(e, args, i, "must be one pointer, but it is " + args[i].describe());
  return *base;
}

void addBlockPointerOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
