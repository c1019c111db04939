// tl.make_tensor_descriptor, and what descriptors do; see TensorDescriptor.h.
#include "frontend/lang/BlockPointer.h"
#include "frontend/lang/Table.h"
#include "frontend/lang/TensorDescriptor.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
constexpr StringLiteral kTypeName{"tensor descriptor"};
/// Of the padding. A boolean would become a run-time one where a descriptor gets a name.
constexpr StringLiteral kZero{"zero"}, kNan{"nan"};
enum Field { Base, ViewShape, Strides, Block, Padding, NumFields };
/// Of the innermost dimension of a block, in bytes.
constexpr int64_t kSmallestRow = 16;
constexpr size_t kMostDimensions = 5;

const std::vector<Value> &fields(const Value &v) { return v.getTuple()->elements; }
const std::vector<Value> &listOf(const Value &v, Field field) {
  return fields(v)[field].getTuple()->elements;
}
const TensorType &blockOf(const Value &v) { return fields(v)[Block].get<TensorType>(); }
bool padsWithNan(const Value &v) { return fields(v)[Padding].get<std::string>() == kNan; }

LogicalResult checkDescriptor(Emitter &e, const Arguments &args) {
  if (isTensorDescriptor(args[0]))
    return success();
  return argError(e, args, 0,
                  "must be a tensor descriptor, but it is " + args[0].describe() +
                      "; make one with tl.make_tensor_descriptor");
}

Result emitMake(Emitter &e, const Arguments &args) {
  TensorOr base = getBase(e, args, 0);
  if (failed(base))
    return failure();
  FailureOr<Shape> block = getShape(e, args, 3);
  if (failed(block))
    return failure();
  DType element = base->type.dtype.getPointee();
  if (std::string why = checkDescriptorBlock(element, *block); !why.empty())
    return argError(e, args, 3, why);
  std::vector<Value> lists[2];
  for (size_t i = 0; i < 2; ++i) {
    FailureOr<std::vector<Value>> scalars = getScalars(e, args, i + 1);
    if (failed(scalars))
      return failure();
    if (scalars->size() != block->size())
      return argError(e, args, i + 1,
                      "has " + Twine(scalars->size()) + " entries, but the block has " +
                          Twine(block->size()) + " dimensions");
    lists[i] = std::move(*scalars);
  }
  std::vector<Value> strides = getElements(args[2]);
  if (std::optional<Literal> last = getLiteral(strides.back()))
    if (auto *stride = std::get_if<PyInt>(&*last); stride && *stride != 1)
      return argError(e, args, 2,
                      "ends with " + formatInteger(*stride) +
                          ", but the last dimension must have stride 1");
  FailureOr<std::string> padding = getString(e, args, 4);
  if (failed(padding))
    return failure();
  if (*padding != kZero && *padding != kNan && !padding->empty())
    return argError(e, args, 4, "is '" + *padding + "'; use 'zero' or 'nan'");
  if (*padding == kNan && !element.isFloat())
    return argError(e, args, 4, "is 'nan', but the elements are " + element.str());
  return makeTensorDescriptor(Value(*base), std::move(lists[0]), std::move(lists[1]), *block,
                              *padding == kNan);
}

/// Calls a function of the language, which checks what it is given, and speaks as `caller`.
Result callFunction(Emitter &e, const Builtin &caller, StringRef name,
                    llvm::ArrayRef<Value> positional,
                    llvm::ArrayRef<std::pair<StringRef, Value>> keywords) {
  Builtin function = *findBuiltin(kTl, name);
  function.name = caller.name;
  function.namespacePath = caller.namespacePath;
  SmallVector<SourceRange> positions(positional.size(), e.range), names(keywords.size(), e.range);
  FailureOr<Arguments> bound = bindArguments(e, function, positional, positions, keywords, names);
  return failed(bound) ? Result(failure()) : function.emit(e, *bound);
}

FailureOr<BlockAccess> expand(Emitter &e, const Value &descriptor, llvm::ArrayRef<Value> indices,
                              llvm::ArrayRef<int64_t> block) {
  View view{fields(descriptor)[Base], listOf(descriptor, ViewShape), listOf(descriptor, Strides)};
  SmallVector<bool> checked(block.size(), true);
  return expandIndices(e, view, indices, checked, block);
}

/// The block at the offsets in argument `i`.
FailureOr<BlockAccess> expandBlock(Emitter &e, const Arguments &args, size_t i) {
  if (failed(checkDescriptor(e, args)))
    return failure();
  FailureOr<std::vector<Value>> offsets = getScalars(e, args, i);
  if (failed(offsets))
    return failure();
  const Shape &block = blockOf(args[0]).shape;
  if (offsets->size() != block.size())
    return argError(e, args, i,
                    "has " + Twine(offsets->size()) + " entries, but the descriptor has " +
                        Twine(block.size()) + " dimensions");
  std::vector<Value> indices;
  for (size_t d = 0; d < block.size(); ++d) {
    Result index = windowIndices(e, (*offsets)[d], d, block);
    if (failed(index))
      return failure();
    indices.push_back(*index);
  }
  return expand(e, args[0], indices, block);
}

/// The rows in argument `rows` of a two-dimensional view, from the column in argument `column` on.
FailureOr<BlockAccess> expandRows(Emitter &e, const Arguments &args, size_t rows, size_t column) {
  if (failed(checkDescriptor(e, args)))
    return failure();
  const Shape &block = blockOf(args[0]).shape;
  if (block.size() != 2 || block[0] != 1)
    return argError(e, args, 0,
                    "must have two dimensions and blocks of one row, as in [1, 64], but its "
                    "blocks are " +
                        shapeString(block));
  auto *list = args[rows].getIf<TensorValue>();
  if (!list || list->type.shape.size() != 1 || !list->type.dtype.isInt())
    return argError(e, args, rows,
                    "must be a tensor of integers of one dimension, but it is " +
                        args[rows].describe());
  FailureOr<std::vector<Value>> start = getScalars(e, args, column);
  if (failed(start))
    return failure();
  if (start->size() != 1)
    return argError(e, args, column, "must be one integer, but it is " + args[column].describe());
  Shape shape{list->type.shape[0], block[1]};
  // 64 bits, so that a row times the stride cannot overflow.
  TensorValue wide = convert(e, *list, dtype(Scalar::Int64));
  Result columns = windowIndices(e, start->front(), 1, shape);
  if (failed(columns))
    return failure();
  return expand(e, args[0], {Value(expandDims(e, wide, 1)), *columns}, shape);
}

Result load(Emitter &e, const Arguments &args, const FailureOr<BlockAccess> &access,
            const Value &cache, const Value &evict) {
  if (failed(access))
    return failure();
  SmallVector<std::pair<StringRef, Value>> keywords{
      {"mask", Value(*access->mask)}, {"cache_modifier", cache}, {"eviction_policy", evict}};
  if (padsWithNan(args[0])) {
    keywords.push_back({"other", Value(std::numeric_limits<double>::quiet_NaN())});
  } else {
    TensorType type{access->pointer.type.dtype.getPointee(), access->pointer.type.shape};
    mlir::Value zero =
        tile::createZero(e.builder, e.loc(), getMlirType(e.builder.getContext(), type));
    keywords.push_back({"other", Value(TensorValue{zero, type})});
  }
  return callFunction(e, *args.builtin, "load", Value(access->pointer), keywords);
}

Result emitLoad(Emitter &e, const Arguments &args) {
  return load(e, args, expandBlock(e, args, 1), args[2], args[3]);
}
Result emitGather(Emitter &e, const Arguments &args) {
  return load(e, args, expandRows(e, args, 1, 2), args[3], args[4]);
}

/// `function` of memory and the value in argument `i`.
Result write(Emitter &e, const Arguments &args, StringRef function,
             const FailureOr<BlockAccess> &access, size_t i) {
  if (failed(access))
    return failure();
  Result done = callFunction(e, *args.builtin, function, {Value(access->pointer), args[i]},
                             {{StringRef("mask"), Value(*access->mask)}});
  return failed(done) ? done : Result(Value::none());
}

Result emitStore(Emitter &e, const Arguments &args) {
  return write(e, args, "store", expandBlock(e, args, 1), 2);
}
Result emitScatter(Emitter &e, const Arguments &args) {
  return write(e, args, "store", expandRows(e, args, 2, 3), 1);
}
Result emitAtomic(Emitter &e, const Arguments &args) {
  return write(e, args, args.builtin->name, expandBlock(e, args, 1), 2);
}

constexpr StringLiteral kLoad{"self, offsets, cache_modifier=\"\", eviction_policy=\"\""};
constexpr StringLiteral kUpdate{"self, offsets, value"};

const Builtin kRows[] = {
    {"make_tensor_descriptor", kTl, "base, shape, strides, block_shape, padding_option=\"zero\"",
     "A view of memory that is read and written in blocks. What is outside of it reads as 0 (or "
     "NaN) and is not written.",
     emitMake},
    {"load_tensor_descriptor", kTl, "desc, offsets, cache_modifier=\"\", eviction_policy=\"\"",
     "As `desc.load`.", emitLoad},
    {"store_tensor_descriptor", kTl, "desc, offsets, value", "As `desc.store`.", emitStore},
    {"load", kDescriptorMembers, kLoad, "Reads the block at `offsets`.", emitLoad},
    {"store", kDescriptorMembers, kUpdate, "Writes the block at `offsets`.", emitStore},
    {"gather", kDescriptorMembers,
     "self, x_offsets, y_offset, cache_modifier=\"\", eviction_policy=\"\"",
     "Reads the rows `x_offsets` from column `y_offset` on.", emitGather},
    {"scatter", kDescriptorMembers, "self, value, x_offsets, y_offset",
     "Writes the rows `x_offsets` from column `y_offset` on.", emitScatter},
    {"atomic_add", kDescriptorMembers, kUpdate, "Adds to the block at `offsets`.", emitAtomic},
    {"atomic_max", kDescriptorMembers, kUpdate, "Keeps the larger values.", emitAtomic},
    {"atomic_min", kDescriptorMembers, kUpdate, "Keeps the smaller values.", emitAtomic},
    {"atomic_and", kDescriptorMembers, kUpdate, "Bitwise and with memory.", emitAtomic},
    {"atomic_or", kDescriptorMembers, kUpdate, "Bitwise or with memory.", emitAtomic},
    {"atomic_xor", kDescriptorMembers, kUpdate, "Bitwise exclusive or with memory.", emitAtomic},
};
} // namespace

bool isTensorDescriptor(const Value &v) {
  const TupleValue *tuple = v.getTuple();
  return tuple && tuple->typeName == kTypeName && tuple->elements.size() == NumFields &&
         tuple->elements[Base].isTensor() && tuple->elements[Block].is<TensorType>() &&
         tuple->elements[Padding].is<std::string>();
}

Value makeTensorDescriptor(const Value &base, std::vector<Value> shape, std::vector<Value> strides,
                           llvm::ArrayRef<int64_t> block, bool padsWithNan) {
  DType element = base.get<TensorValue>().type.dtype.getPointee();
  auto out = std::make_shared<TupleValue>();
  out->typeName = kTypeName.str();
  out->elements = {base, Value::tuple(std::move(shape)), Value::tuple(std::move(strides)),
                   Value(TensorType{element, Shape(block)}),
                   Value::string(padsWithNan ? kNan : kZero)};
  return Value(std::move(out));
}

std::string checkDescriptorBlock(DType element, llvm::ArrayRef<int64_t> block) {
  if (block.empty() || block.size() > kMostDimensions)
    return ("has " + Twine(block.size()) + " dimensions, but a descriptor has 1 to " +
            Twine(kMostDimensions))
        .str();
  for (int64_t size : block)
    if (size < 1)
      return "is " + shapeString(block) + ", but sizes of tensors are 1 or more";
  if (std::string excess = findExcess(block); !excess.empty())
    return "is " + shapeString(block) + ", which is " + excess;
  int64_t bytes = block.back() * std::max(1u, element.getBits() / 8);
  if (bytes < kSmallestRow)
    return ("is " + shapeString(block) + ", whose last dimension has " + Twine(bytes) +
            " bytes of " + element.str() + "; it must have " + Twine(kSmallestRow) + " at least")
        .str();
  return "";
}

std::optional<Value> findDescriptorAttribute(const Value &descriptor, StringRef name) {
  if (name == "shape" || name == "strides")
    return fields(descriptor)[name == "shape" ? ViewShape : Strides];
  if (name == "block_type")
    return fields(descriptor)[Block];
  if (name == "dtype")
    return Value(blockOf(descriptor).dtype);
  if (name == "block_shape") {
    std::vector<Value> sizes;
    for (int64_t size : blockOf(descriptor).shape)
      sizes.push_back(Value::integer(size));
    return Value::tuple(std::move(sizes));
  }
  if (const Builtin *method = findBuiltin(kDescriptorMembers, name))
    return Value(BoundValue{std::make_shared<Value>(descriptor),
                            std::make_shared<Value>(Value(BuiltinValue{method}))});
  return std::nullopt;
}

void addTensorDescriptorOps(Rows &rows) {
  rows.insert(rows.end(), std::begin(kRows), std::end(kRows));
}

} // namespace tilerun::lang
