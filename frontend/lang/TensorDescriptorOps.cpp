// tl.make_tensor_descriptor, and what descriptors do; see TensorDescriptor.h.
#include "frontend/lang/BlockPointer.h"
#include "frontend/lang/Memory.h"
#include "frontend/lang/Table.h"
#include "frontend/lang/TensorDescriptor.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
/// Of the innermost dimension of a block, in bytes.
constexpr int64_t kSmallestRow = 16;
constexpr size_t kMostDimensions = tile::DescriptorType::kMaxRank;
constexpr StringLiteral kZero{"zero"}, kNan{"nan"};

/// As memory has it: booleans occupy bytes.
tile::DescriptorType getDescriptorType(MLIRContext *context, const DescriptorValue &v) {
  DType element = v.block.dtype.isBool() ? dtype(Scalar::Int8) : v.block.dtype;
  return tile::DescriptorType::get(context, v.block.shape, getMlirType(context, element),
                                   v.padsWithNan ? tile::DescriptorPadding::NaN
                                                 : tile::DescriptorPadding::Zero);
}

FailureOr<DescriptorValue> getDescriptor(Emitter &e, const Arguments &args) {
  if (auto *descriptor = args[0].getIf<DescriptorValue>())
    return *descriptor;
  return argError(e, args, 0,
                  "must be a tensor descriptor, but it is " + args[0].describe() +
                      "; make one with tl.make_tensor_descriptor");
}

/// In debug mode the computation of an access's address must not overflow.
void markIndices(Emitter &e, Operation *op) {
  if (e.services.getOption("debug") != 0)
    op->setAttr(tile::TileDialect::kSignedAttr, e.builder.getUnitAttr());
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
  return makeTensorDescriptor(e, *base, lists[0], lists[1], *block, *padding == kNan);
}

SmallVector<mlir::Value> getValues(llvm::ArrayRef<Value> scalars) {
  return llvm::map_to_vector(scalars, [](const Value &v) { return v.get<TensorValue>().value; });
}

/// A block of a descriptor, or rows of it.
struct Block {
  DescriptorValue descriptor;
  SmallVector<mlir::Value> offsets; ///< Or the numbers of rows, and the column.
  Shape shape;
};

/// The block at the offsets in argument `i`.
FailureOr<Block> getBlockAt(Emitter &e, const Arguments &args, size_t i) {
  FailureOr<DescriptorValue> descriptor = getDescriptor(e, args);
  if (failed(descriptor))
    return failure();
  FailureOr<std::vector<Value>> offsets = getScalars(e, args, i);
  if (failed(offsets))
    return failure();
  const Shape &block = descriptor->block.shape;
  if (offsets->size() != block.size())
    return argError(e, args, i,
                    "has " + Twine(offsets->size()) + " entries, but the descriptor has " +
                        Twine(block.size()) + " dimensions");
  noteOffsets(e, args, i);
  return Block{*descriptor, getValues(*offsets), block};
}

/// In strict mode: fewer rows than NVIDIA's hardware gathers, or shorter ones.
void noteSmallRows(Emitter &e, const TensorType &block, int64_t rows) {
  constexpr int64_t kRows = 8, kRowBytes = 32;
  if (rows < kRows)
    e.beyondTriton("a list of " + Twine(rows) + " rows", "M10", "use 8 or more");
  else if (block.shape[1] * block.dtype.getBits() < kRowBytes * 8)
    e.beyondTriton("a row of fewer than 32 bytes", "M10", "use longer rows");
}

/// The rows in argument `rows` of a two-dimensional view, from the column in argument `column` on.
FailureOr<Block> getRowsAt(Emitter &e, const Arguments &args, size_t rows, size_t column) {
  FailureOr<DescriptorValue> descriptor = getDescriptor(e, args);
  if (failed(descriptor))
    return failure();
  const Shape &block = descriptor->block.shape;
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
  noteSmallRows(e, descriptor->block, list->type.shape[0]);
  Shape shape{list->type.shape[0], block[1]};
  if (std::string excess = findExcess(shape); !excess.empty())
    return argError(e, args, rows,
                    "gives a tensor of shape " + shapeString(shape) + ", which is " + excess);
  // 64 bits, so that a row times the stride cannot overflow.
  TensorValue wide = convert(e, *list, dtype(Scalar::Int64));
  return Block{*descriptor, {wide.value, start->front().get<TensorValue>().value}, shape};
}

/// A tensor that was read, of the element type that the language knows.
Value fromMemory(Emitter &e, mlir::Value read, const Block &block) {
  DType element = block.descriptor.block.dtype;
  if (!element.isBool())
    return fromTensor(read, element, block.shape);
  TensorValue bytes{read, TensorType{dtype(Scalar::Int8), block.shape}};
  return Value(convert(e, bytes, element));
}

Result emitLoad(Emitter &e, const Arguments &args) {
  FailureOr<Block> block = getBlockAt(e, args, 1);
  if (failed(block))
    return failure();
  FailureOr<tile::CacheModifier> cache = getCache(e, args, 2, /*forStore=*/false);
  if (failed(cache))
    return failure();
  FailureOr<tile::EvictionPolicy> evict = getEviction(e, args, 3);
  if (failed(evict))
    return failure();
  auto op = tile::DescriptorLoadOp::create(e.builder, e.loc(), block->descriptor.value,
                                           block->offsets, *cache, *evict);
  markIndices(e, op);
  return fromMemory(e, op.getResult(), *block);
}

Result emitGather(Emitter &e, const Arguments &args) {
  FailureOr<Block> block = getRowsAt(e, args, 1, 2);
  if (failed(block))
    return failure();
  FailureOr<tile::CacheModifier> cache = getCache(e, args, 3, /*forStore=*/false);
  if (failed(cache))
    return failure();
  FailureOr<tile::EvictionPolicy> evict = getEviction(e, args, 4);
  if (failed(evict))
    return failure();
  auto type = cast<tile::DescriptorType>(block->descriptor.value.getType());
  auto op = tile::DescriptorGatherOp::create(
      e.builder, e.loc(), RankedTensorType::get(block->shape, type.getElementType()),
      block->descriptor.value, block->offsets[0], block->offsets[1], *cache, *evict);
  markIndices(e, op);
  return fromMemory(e, op.getResult(), *block);
}

/// The value in argument `i`, as it is written to `block`.
FailureOr<mlir::Value> getWritten(Emitter &e, const Arguments &args, size_t i, const Block &block) {
  TensorOr value = castForMemory(e, args, i, block.descriptor.block.dtype);
  if (failed(value))
    return failure();
  value = broadcastArgument(e, args, i, *value, block.shape, "the block's");
  return failed(value) ? FailureOr<mlir::Value>(failure()) : value->value;
}

LogicalResult checkWritable(Emitter &e, const Arguments &args, const DescriptorValue &descriptor) {
  if (!descriptor.isConst)
    return success();
  DType pointer = descriptor.block.dtype.getPointerTo();
  pointer.isConst = true;
  return argError(e, args, 0,
                  "is made of a " + pointer.str() + ", through which nothing may be written");
}

Result emitStore(Emitter &e, const Arguments &args) {
  FailureOr<Block> block = getBlockAt(e, args, 1);
  if (failed(block) || failed(checkWritable(e, args, block->descriptor)))
    return failure();
  FailureOr<mlir::Value> value = getWritten(e, args, 2, *block);
  if (failed(value))
    return failure();
  markIndices(e, tile::DescriptorStoreOp::create(e.builder, e.loc(), block->descriptor.value,
                                                 block->offsets, *value));
  return Value::none();
}

Result emitScatter(Emitter &e, const Arguments &args) {
  FailureOr<Block> block = getRowsAt(e, args, 2, 3);
  if (failed(block) || failed(checkWritable(e, args, block->descriptor)))
    return failure();
  FailureOr<mlir::Value> value = getWritten(e, args, 1, *block);
  if (failed(value))
    return failure();
  markIndices(e, tile::DescriptorScatterOp::create(e.builder, e.loc(), block->descriptor.value,
                                                   block->offsets[0], block->offsets[1], *value));
  return Value::none();
}

/// Sums of int64 and of float64, and extremes of float32 and float64, are not.
bool isReducedByTriton(tile::AtomicKind kind, DType type) {
  using K = tile::AtomicKind;
  switch (kind) {
  case K::Add:
    return type != dtype(Scalar::Int64);
  case K::FAdd:
    return type.getBits() < 64;
  case K::FMax:
  case K::FMin:
    return type.getBits() == 16;
  default:
    return true;
  }
}

Result emitAtomic(Emitter &e, const Arguments &args) {
  FailureOr<Block> block = getBlockAt(e, args, 1);
  if (failed(block) || failed(checkWritable(e, args, block->descriptor)))
    return failure();
  FailureOr<tile::AtomicKind> kind =
      getAtomicKind(e, args, block->descriptor.block.dtype, "has elements of");
  if (failed(kind))
    return failure();
  if (!isReducedByTriton(*kind, block->descriptor.block.dtype))
    e.beyondTriton("'" + Twine(args.builtin->name) + "' of a descriptor of " +
                       block->descriptor.block.dtype.str(),
                   "M10", "use another dtype, or 'tl." + Twine(args.builtin->name) + "'");
  FailureOr<mlir::Value> value = getWritten(e, args, 2, *block);
  if (failed(value))
    return failure();
  markIndices(e, tile::DescriptorReduceOp::create(e.builder, e.loc(), *kind,
                                                  block->descriptor.value, block->offsets, *value));
  return Value::none();
}

constexpr StringLiteral kLoad{"self, offsets, cache_modifier=\"\", eviction_policy=\"\""};
constexpr StringLiteral kUpdate{"self, offsets, value"};

const Builtin kRows[] = {
    {"make_tensor_descriptor", kTl, "base, shape, strides, block_shape, padding_option=\"zero\"",
     "A view of memory that is read and written in blocks. Elements outside it read as 0 (or "
     "NaN) and are not written.",
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

DescriptorValue makePoison(Emitter &e, const DescriptorValue &like) {
  DescriptorValue out = like;
  out.value =
      ub::PoisonOp::create(e.builder, e.loc(), getDescriptorType(e.builder.getContext(), like));
  return out;
}

Value makeTensorDescriptor(Emitter &e, const TensorValue &base, llvm::ArrayRef<Value> shape,
                           llvm::ArrayRef<Value> strides, llvm::ArrayRef<int64_t> block,
                           bool padsWithNan) {
  DescriptorValue out;
  out.block = {base.type.dtype.getPointee(), Shape(block)};
  out.padsWithNan = padsWithNan;
  out.isConst = base.type.dtype.isConst;
  auto getWide = [&](const Value &v) { return cast(e, v, dtype(Scalar::Int64))->value; };
  out.value = tile::MakeDescriptorOp::create(
      e.builder, e.loc(), getDescriptorType(e.builder.getContext(), out),
      asMemoryPointer(e, base).value, llvm::map_to_vector(shape, getWide),
      llvm::map_to_vector(strides, getWide));
  return Value(out);
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
            " bytes of " + element.str() + "; it must have at least " + Twine(kSmallestRow))
        .str();
  return "";
}

std::optional<Value> findDescriptorAttribute(Emitter &e, const DescriptorValue &descriptor,
                                             StringRef name) {
  const TensorType &block = descriptor.block;
  std::vector<Value> entries;
  for (uint32_t d = 0; d < block.shape.size(); ++d) {
    if (name == "block_shape")
      entries.push_back(Value::integer(block.shape[d]));
    else if (name == "shape")
      entries.push_back(
          fromTensor(e.builder.createOrFold<tile::DescriptorSizeOp>(e.loc(), descriptor.value, d),
                     dtype(Scalar::Int64), {}));
    else if (name == "strides")
      entries.push_back(
          fromTensor(e.builder.createOrFold<tile::DescriptorStrideOp>(e.loc(), descriptor.value, d),
                     dtype(Scalar::Int64), {}));
  }
  if (!entries.empty())
    return Value::tuple(std::move(entries));
  if (name == "block_type")
    return Value(block);
  if (name == "dtype")
    return Value(block.dtype);
  if (const Builtin *method = findBuiltin(kDescriptorMembers, name))
    return Value(BoundValue{std::make_shared<Value>(descriptor),
                            std::make_shared<Value>(Value(BuiltinValue{method}))});
  return std::nullopt;
}

void addTensorDescriptorOps(Rows &rows) {
  rows.insert(rows.end(), std::begin(kRows), std::end(kRows));
}

} // namespace tilerun::lang
