// Loads and stores through pointers.
#include "frontend/lang/BlockPointer.h"
#include "frontend/lang/Memory.h"
#include "frontend/lang/Table.h"
#include "ir/tile/TileUtils.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilerun::lang {

TensorOr getPointer(Emitter &e, const Arguments &args, size_t i, bool forWriting) {
  auto *tensor = args[i].getIf<TensorValue>();
  if (!tensor || !tensor->type.dtype.isPointer())
    return argError(e, args, i,
                    "must be a pointer or a tensor of pointers, but it is " + args[i].describe() +
                        "; add offsets to a pointer argument of the kernel");
  DType type = tensor->type.dtype;
  if (type.getPointee() == dtype(Scalar::Void))
    return argError(e, args, i, "points to void; cast it to a pointer of a known type first");
  if (forWriting && type.isConst)
    return argError(e, args, i, "is a " + type.str() + ", through which nothing may be written");
  return *tensor;
}

FailureOr<std::optional<TensorValue>> getMask(Emitter &e, const Arguments &args, size_t i,
                                              const TensorValue &pointer) {
  const Value &mask = args[i];
  if (mask.isNone())
    return std::optional<TensorValue>();
  std::optional<Literal> literal = getLiteral(mask);
  if (literal && !std::holds_alternative<double>(*literal)) {
    bool isOn = std::holds_alternative<bool>(*literal) ? std::get<bool>(*literal)
                                                       : std::get<PyInt>(*literal) != 0;
    if (isOn)
      return std::optional<TensorValue>();
    return std::optional<TensorValue>(makeConstant(e, dtype(Scalar::Int1), Literal(false)));
  }
  auto *tensor = mask.getIf<TensorValue>();
  if (!tensor || !tensor->type.dtype.isBool())
    return argError(e, args, i,
                    "must be a tensor of int1, but it is " + mask.describe() +
                        "; compare with something, as in offsets < n");
  if (pointer.type.isScalar() && !tensor->type.isScalar())
    return argError(e, args, i,
                    "is " + mask.describe() +
                        ", but the pointer is a scalar; make it a tensor of pointers "
                        "by adding offsets");
  return std::optional<TensorValue>(*tensor);
}

TensorOr broadcastArgument(Emitter &e, const Arguments &args, size_t i, const TensorValue &v,
                           llvm::ArrayRef<int64_t> to, StringRef whose) {
  llvm::ArrayRef<int64_t> from = v.type.shape;
  bool fits = from.size() <= to.size();
  for (size_t d = 0; fits && d < from.size(); ++d) {
    int64_t size = from[from.size() - 1 - d];
    fits = size == 1 || size == to[to.size() - 1 - d];
  }
  if (!fits)
    return argError(
        e, args, i,
        "has shape " + shapeString(from) + ", which does not broadcast to " +
            (to.empty() ? "a single pointer" : (whose + " shape " + shapeString(to)).str()));
  return broadcastTo(e, v, to);
}

TensorValue asMemoryPointer(Emitter &e, const TensorValue &pointer) {
  DType type = pointer.type.dtype;
  if (!type.getPointee().isBool())
    return pointer;
  DType bytes = dtype(Scalar::Int8).getPointerTo();
  bytes.isConst = type.isConst;
  return convert(e, pointer, bytes);
}

FailureOr<tile::CacheModifier> getCache(Emitter &e, const Arguments &args, size_t i,
                                        bool forStore) {
  using C = tile::CacheModifier;
  FailureOr<std::string> text = getString(e, args, i);
  if (failed(text))
    return failure();
  auto modifier = forStore ? llvm::StringSwitch<std::optional<C>>(*text)
                                 .Case("", C::None)
                                 .Case(".wb", C::WB)
                                 .Case(".cg", C::CG)
                                 .Case(".cs", C::CS)
                                 .Case(".wt", C::WT)
                                 .Default(std::nullopt)
                           : llvm::StringSwitch<std::optional<C>>(*text)
                                 .Case("", C::None)
                                 .Case(".ca", C::CA)
                                 .Case(".cg", C::CG)
                                 .Case(".cv", C::CV)
                                 .Default(std::nullopt);
  if (!modifier)
    return argError(e, args, i,
                    "is '" + *text + "'; use " +
                        (forStore ? "'.wb', '.cg', '.cs' or '.wt'" : "'.ca', '.cg' or '.cv'"));
  return *modifier;
}

FailureOr<tile::EvictionPolicy> getEviction(Emitter &e, const Arguments &args, size_t i) {
  using P = tile::EvictionPolicy;
  FailureOr<std::string> text = getString(e, args, i);
  if (failed(text))
    return failure();
  auto policy = llvm::StringSwitch<std::optional<P>>(*text)
                    .Cases({"", "evict_normal"}, P::Normal)
                    .Case("evict_first", P::First)
                    .Case("evict_last", P::Last)
                    .Default(std::nullopt);
  if (!policy)
    return argError(e, args, i,
                    "is '" + *text + "'; use 'evict_normal', 'evict_first' or 'evict_last'");
  return *policy;
}

TensorOr castForMemory(Emitter &e, const Arguments &args, size_t i, DType pointee) {
  if (!getOperand(args[i]))
    return argError(e, args, i,
                    "must be a tensor or a number, but it is " + describeNonTensor(args[i]));
  auto *tensor = args[i].getIf<TensorValue>();
  if (tensor && tensor->type.dtype.isPointer() && !pointee.isPointer() && pointee.getBits() < 64)
    return argError(e, args, i,
                    "is a pointer; load the value that it points to first, with tl.load");
  TensorOr value = cast(e, args[i], pointee);
  if (failed(value))
    return failure();
  return pointee.isBool() ? convert(e, *value, dtype(Scalar::Int8)) : *value;
}

namespace {
LogicalResult refuseBlockOptions(Emitter &e, const Arguments &args, size_t boundary,
                                 std::optional<size_t> padding) {
  const Value &check = args[boundary];
  bool isEmpty = check.isNone() || (check.getTuple() && check.getTuple()->elements.empty());
  if (!isEmpty)
    return argError(e, args, boundary,
                    "is for block pointers of tl.make_block_ptr; use mask= with a tensor of "
                    "pointers");
  if (padding) {
    auto *text = args[*padding].getIf<std::string>();
    if (!args[*padding].isNone() && !(text && text->empty()))
      return argError(e, args, *padding,
                      "is for block pointers of tl.make_block_ptr; use other= with a tensor of "
                      "pointers");
  }
  return success();
}

/// The operands of a load or store, after its arguments are checked.
struct Access {
  TensorValue pointer;
  std::optional<TensorValue> mask, other;
};

/// Zeros of the shape of `pointer`, as memory has them.
TensorValue makeZeros(Emitter &e, const TensorValue &pointer) {
  DType pointee = pointer.type.dtype.getPointee();
  TensorType type{pointee.isBool() ? dtype(Scalar::Int8) : pointee, pointer.type.shape};
  return {tile::createZero(e.builder, e.loc(), getMlirType(e.builder.getContext(), type)), type};
}

/// A load through a block pointer: the mask is its boundary check, `other` its padding.
FailureOr<Access> getBlockLoad(Emitter &e, const Arguments &args) {
  for (size_t i : {1, 2})
    if (!args[i].isNone())
      return argError(e, args, i,
                      "cannot be used with a block pointer; use boundary_check and padding_option");
  FailureOr<BlockAccess> block = expandBlockPointer(e, args, 0, 3);
  if (failed(block))
    return failure();
  FailureOr<std::string> padding = getString(e, args, 4);
  if (failed(padding))
    return failure();
  DType pointee = block->pointer.type.dtype.getPointee();
  Access out{block->pointer, block->mask, std::nullopt};
  if (*padding == "nan") {
    if (!pointee.isFloat())
      return argError(e, args, 4, "is 'nan', but the elements are " + pointee.str());
    if (out.mask)
      out.other = makeConstant(e, TensorType{pointee, block->pointer.type.shape},
                               Literal(std::numeric_limits<double>::quiet_NaN()));
  } else if (!padding->empty() && *padding != "zero") {
    return argError(e, args, 4, "is '" + *padding + "'; use 'zero' or 'nan'");
  } else if (!padding->empty() && out.mask) {
    out.other = makeZeros(e, block->pointer);
  }
  return out;
}

FailureOr<Access> getLoad(Emitter &e, const Arguments &args) {
  TensorOr pointer = getPointer(e, args, 0, /*forWriting=*/false);
  if (failed(pointer) || failed(refuseBlockOptions(e, args, 3, 4)))
    return failure();
  FailureOr<std::optional<TensorValue>> mask = getMask(e, args, 1, *pointer);
  if (failed(mask))
    return failure();
  Access out{*pointer, *mask, std::nullopt};
  if (args[2].isNone())
    return out;
  if (args[1].isNone())
    return argError(e, args, 2, "has no effect without 'mask'; add the mask or leave it out");
  TensorOr value = castForMemory(e, args, 2, pointer->type.dtype.getPointee());
  if (failed(value))
    return failure();
  if (pointer->type.isScalar() && !value->type.isScalar())
    return argError(e, args, 2, "is " + args[2].describe() + ", but the pointer is a scalar");
  if (out.mask)
    out.other = *value;
  return out;
}

Result emitLoad(Emitter &e, const Arguments &args) {
  FailureOr<Access> access = isBlockPointer(args[0]) ? getBlockLoad(e, args) : getLoad(e, args);
  if (failed(access))
    return failure();
  FailureOr<tile::CacheModifier> cache = getCache(e, args, 5, /*forStore=*/false);
  if (failed(cache))
    return failure();
  FailureOr<tile::EvictionPolicy> evict = getEviction(e, args, 6);
  if (failed(evict))
    return failure();
  FailureOr<bool> isVolatile = getBool(e, args, 7);
  if (failed(isVolatile))
    return failure();

  // In a load the pointers may broadcast to the mask's shape, too.
  DType pointee = access->pointer.type.dtype.getPointee();
  SmallVector<TensorValue, 3> values{asMemoryPointer(e, access->pointer)};
  if (access->mask)
    values.push_back(*access->mask);
  if (access->other)
    values.push_back(*access->other);
  if (failed(broadcastTogether(e, values)))
    return failure();
  auto load = tile::LoadOp::create(
      e.builder, e.loc(), values[0].value, access->mask ? values[1].value : mlir::Value(),
      access->other ? values[2].value : mlir::Value(), *cache, *evict, *isVolatile);
  TensorValue result{load.getResult(),
                     TensorType{values[0].type.dtype.getPointee(), values[0].type.shape}};
  return Value(pointee.isBool() ? convert(e, result, pointee) : result);
}

FailureOr<Access> getStore(Emitter &e, const Arguments &args) {
  if (isBlockPointer(args[0])) {
    if (!args[2].isNone())
      return argError(e, args, 2, "cannot be used with a block pointer; use boundary_check");
    if (DType type = getBlockPointerType(args[0]); type.isConst)
      return argError(e, args, 0, "is a " + type.str() + ", through which nothing may be written");
    FailureOr<BlockAccess> block = expandBlockPointer(e, args, 0, 3);
    if (failed(block))
      return failure();
    return Access{block->pointer, block->mask, std::nullopt};
  }
  TensorOr pointer = getPointer(e, args, 0, /*forWriting=*/true);
  if (failed(pointer) || failed(refuseBlockOptions(e, args, 3, std::nullopt)))
    return failure();
  FailureOr<std::optional<TensorValue>> mask = getMask(e, args, 2, *pointer);
  if (failed(mask))
    return failure();
  return Access{*pointer, *mask, std::nullopt};
}

/// In strict mode: Triton neither converts nor broadcasts tensors that go through block pointers.
void noteStoredBlock(Emitter &e, const Value &stored, const TensorType &block) {
  auto *tensor = stored.getIf<TensorValue>();
  if (!tensor)
    return;
  if (tensor->type.dtype != block.dtype)
    e.beyondTriton("a store of " + tensor->type.dtype.str() + " to a block of " + block.dtype.str(),
                   "M9", "convert the value with .to(…)");
  else if (!tensor->type.isScalar() && tensor->type.shape != block.shape)
    e.beyondTriton("a store of a tensor of shape " + shapeString(tensor->type.shape) +
                       " to a block of shape " + shapeString(block.shape),
                   "M9", "use tl.broadcast_to");
}

Result emitStore(Emitter &e, const Arguments &args) {
  FailureOr<Access> access = getStore(e, args);
  if (failed(access))
    return failure();
  const TensorValue &pointer = access->pointer;
  const bool isBlock = isBlockPointer(args[0]);
  TensorOr value = castForMemory(e, args, 1, pointer.type.dtype.getPointee());
  if (failed(value))
    return failure();
  value = broadcastArgument(e, args, 1, *value, pointer.type.shape,
                            isBlock ? "the block's" : "the pointer's");
  if (failed(value))
    return failure();
  if (isBlock)
    noteStoredBlock(e, args[1], getBlockPointerBlock(args[0]));
  mlir::Value maskValue;
  if (access->mask) {
    TensorOr wide = broadcastArgument(e, args, 2, *access->mask, pointer.type.shape);
    if (failed(wide))
      return failure();
    maskValue = wide->value;
  }
  FailureOr<tile::CacheModifier> cache = getCache(e, args, 4, /*forStore=*/true);
  if (failed(cache))
    return failure();
  FailureOr<tile::EvictionPolicy> evict = getEviction(e, args, 5);
  if (failed(evict))
    return failure();
  tile::StoreOp::create(e.builder, e.loc(), asMemoryPointer(e, pointer).value, value->value,
                        maskValue, *cache, *evict);
  return Value::none();
}

const Builtin kRows[] = {
    {"load", kTl,
     "pointer, mask=None, other=None, boundary_check=(), padding_option=\"\", "
     "cache_modifier=\"\", eviction_policy=\"\", volatile=False",
     "Reads memory where `mask` is true; elsewhere the result is `other`, or 0 without it.",
     emitLoad},
    {"store", kTl,
     "pointer, value, mask=None, boundary_check=(), cache_modifier=\"\", eviction_policy=\"\"",
     "Writes `value`, converted to the pointee type, where `mask` is true.", emitStore, true},
};
} // namespace

void addMemoryOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
