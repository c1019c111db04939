// Loads and stores through pointers.
#include "frontend/lang/Memory.h"
#include "frontend/lang/Table.h"

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
                           const TensorValue &pointer) {
  llvm::ArrayRef<int64_t> from = v.type.shape, to = pointer.type.shape;
  bool fits = from.size() <= to.size();
  for (size_t d = 0; fits && d < from.size(); ++d) {
    int64_t size = from[from.size() - 1 - d];
    fits = size == 1 || size == to[to.size() - 1 - d];
  }
  if (!fits)
    return argError(e, args, i,
                    "has shape " + shapeString(from) +
                        ", which does not broadcast to the pointer's shape " + shapeString(to));
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

/// A value as what is stored in memory: of the pointee type, booleans as bytes.
TensorOr castForMemory(Emitter &e, const Arguments &args, size_t i, DType pointee) {
  if (!getOperand(args[i]))
    return argError(e, args, i, "must be a tensor or a number, but it is " + args[i].describe());
  TensorOr value = cast(e, args[i], pointee);
  if (failed(value))
    return failure();
  return pointee.isBool() ? convert(e, *value, dtype(Scalar::Int8)) : *value;
}

Result emitLoad(Emitter &e, const Arguments &args) {
  TensorOr pointer = getPointer(e, args, 0, /*forWriting=*/false);
  if (failed(pointer) || failed(refuseBlockOptions(e, args, 3, 4)))
    return failure();
  FailureOr<std::optional<TensorValue>> mask = getMask(e, args, 1, *pointer);
  if (failed(mask))
    return failure();
  DType pointee = pointer->type.dtype.getPointee();
  std::optional<TensorValue> other;
  if (!args[2].isNone()) {
    if (args[1].isNone())
      return argError(e, args, 2, "has no effect without 'mask'; add the mask or leave it out");
    TensorOr value = castForMemory(e, args, 2, pointee);
    if (failed(value))
      return failure();
    if (pointer->type.isScalar() && !value->type.isScalar())
      return argError(e, args, 2, "is " + args[2].describe() + ", but the pointer is a scalar");
    if (*mask)
      other = *value;
  }
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
  SmallVector<TensorValue, 3> values{asMemoryPointer(e, *pointer)};
  if (*mask)
    values.push_back(**mask);
  if (other)
    values.push_back(*other);
  if (failed(broadcastTogether(e, values)))
    return failure();
  auto load = tile::LoadOp::create(
      e.builder, e.loc(), values[0].value, *mask ? values[1].value : mlir::Value(),
      other ? values[2].value : mlir::Value(), *cache, *evict, *isVolatile);
  TensorValue result{load.getResult(),
                     TensorType{values[0].type.dtype.getPointee(), values[0].type.shape}};
  return Value(pointee.isBool() ? convert(e, result, pointee) : result);
}

Result emitStore(Emitter &e, const Arguments &args) {
  TensorOr pointer = getPointer(e, args, 0, /*forWriting=*/true);
  if (failed(pointer) || failed(refuseBlockOptions(e, args, 3, std::nullopt)))
    return failure();
  FailureOr<std::optional<TensorValue>> mask = getMask(e, args, 2, *pointer);
  if (failed(mask))
    return failure();
  TensorOr value = castForMemory(e, args, 1, pointer->type.dtype.getPointee());
  if (failed(value))
    return failure();
  value = broadcastArgument(e, args, 1, *value, *pointer);
  if (failed(value))
    return failure();
  mlir::Value maskValue;
  if (*mask) {
    TensorOr wide = broadcastArgument(e, args, 2, **mask, *pointer);
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
  tile::StoreOp::create(e.builder, e.loc(), asMemoryPointer(e, *pointer).value, value->value,
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
