// Names of types in the language (`tl.constexpr`, `tl.pointer_type`, …), methods of dtypes, and the
// ranges of `for` statements.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"
#include "frontend/types/Text.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
Result emitIdentity(Emitter &, const Arguments &args) { return args[0]; }

Result emitConstexpr(Emitter &e, const Arguments &args) {
  // Triton accepts run-time values, and objects only where a compile-time value is needed.
  if (!args[0].isConstexpr())
    e.services.warning(e.range, "tl.constexpr: 'value' is known only at run time (" +
                                    args[0].describe() + "); it stays an ordinary value");
  auto *opaque = args[0].getIf<OpaqueValue>();
  return opaque && opaque->member ? Value(opaque->inConstexpr(true)) : args[0];
}

Result emitNotCallable(Emitter &e, const Arguments &args) {
  return callError(e, args, "is a type for annotations and isinstance; it cannot be called");
}

Result emitDType(Emitter &e, const Arguments &args) {
  FailureOr<DType> type = getDType(e, args, 0);
  if (failed(type))
    return failure();
  return Value(*type);
}

Result emitPointerType(Emitter &e, const Arguments &args) {
  FailureOr<DType> element = getDType(e, args, 0);
  if (failed(element))
    return failure();
  if (element->pointerDepth >= 8)
    return argError(e, args, 0, "is a pointer to a pointer more than 8 levels deep");
  DType type = element->getPointerTo();
  FailureOr<bool> isConst = getBool(e, args, 2);
  if (failed(isConst))
    return failure();
  type.isConst = *isConst;
  return Value(type);
}

Result emitBlockType(Emitter &e, const Arguments &args) {
  FailureOr<DType> element = getDType(e, args, 0);
  if (failed(element))
    return failure();
  FailureOr<Shape> shape = getShape(e, args, 1);
  if (failed(shape))
    return failure();
  return Value(TensorType{*element, *shape});
}

Result emitTuple(Emitter &e, const Arguments &args) {
  if (args[0].getTuple())
    return Value::tuple(getElements(args[0]));
  return argError(e, args, 0, "must be a tuple or a list, but it is " + args[0].describe());
}

//===----------------------------------------------------------------------===//
// Methods of dtypes and tensor types
//===----------------------------------------------------------------------===//

/// The element type of a dtype or tensor type.
DType elementOf(const Value &v) {
  if (auto *type = v.getIf<TensorType>())
    return type->dtype;
  if (auto *type = v.getIf<DType>())
    return *type;
  return DType();
}

template <Scalar S> Result isScalarType(Emitter &, const Arguments &args) {
  return Value(elementOf(args[0]) == dtype(S));
}

template <bool (DType::*Member)() const> Result isKind(Emitter &, const Arguments &args) {
  return Value((elementOf(args[0]).*Member)());
}

Result isStandardFloating(Emitter &, const Arguments &args) {
  DType type = elementOf(args[0]);
  return Value(type.isFloat() && !type.isFp8());
}
/// As tl.dtype.KIND counts them.
Result emitKind(Emitter &e, const Arguments &args) {
  DType type = elementOf(args[0]);
  if (type.isPointer() || !(type.isFloat() || type.isInt()))
    return argError(e, args, 0, "is " + args[0].describe() + ", which is not a type of numbers");
  return Value::integer(type.isBool() ? 0 : type.isInt() ? 1 : 2);
}
Result isDTypeName(Emitter &, const Arguments &args) {
  auto *text = args[0].getIf<std::string>();
  std::optional<DType> type = text ? parseDType(*text) : std::nullopt;
  return Value(type && !type->isPointer() && getTextOf(*type) == *text);
}
Result isBlock(Emitter &, const Arguments &args) { return Value(args[0].is<TensorType>()); }
Result isPointerType(Emitter &, const Arguments &args) {
  auto *type = args[0].getIf<DType>();
  return Value(type && type->isPointer());
}
Result isConstType(Emitter &, const Arguments &args) {
  DType type = elementOf(args[0]);
  return Value(type.isPointer() && type.isConst);
}

template <bool IsMax> Result emitLimit(Emitter &e, const Arguments &args) {
  DType type = elementOf(args[0]);
  if (!type.isInt())
    return argError(e, args, 0, "must be an integer type, but it is " + type.str());
  return Value::integer(IsMax ? getMaxInt(type) : getMinInt(type));
}

Result emitWithElement(Emitter &e, const Arguments &args) {
  FailureOr<DType> element = getDType(e, args, 1);
  if (failed(element))
    return failure();
  if (auto *type = args[0].getIf<TensorType>())
    return Value(TensorType{*element, type->shape});
  return Value(*element);
}

Result emitBlockShapes(Emitter &e, const Arguments &args) {
  auto *type = args[0].getIf<TensorType>();
  if (!type)
    return argError(e, args, 0, "must be the type of a tensor, but it is " + args[0].describe());
  std::vector<Value> sizes;
  for (int64_t size : type->shape)
    sizes.push_back(Value::integer(size));
  return Value::tuple(std::move(sizes));
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// `first` and `second` are the bounds as written: (stop, None) or (start, stop).
Result makeRange(Emitter &e, const Arguments &args, RangeValue::Kind kind, const Value &first,
                 const Value &second, const Value &stride, RangeValue range) {
  Value lower = second.isNone() ? Value::integer(0) : first;
  Value upper = second.isNone() ? first : second;
  Value step = stride.isNone() ? Value::integer(1) : stride;
  const Value *all[] = {&lower, &upper, &step};
  static const char *names[] = {"lower bound", "upper bound", "step"};
  for (unsigned i = 0; i < 3; ++i) {
    const Value &v = *all[i];
    auto *tensor = v.getIf<TensorValue>();
    bool isInteger = v.is<PyInt>() || v.is<bool>() ||
                     (tensor && tensor->type.isScalar() && tensor->type.dtype.isInt());
    if (!isInteger)
      return callError(e, args,
                       std::string("the ") + names[i] + " must be an integer, but it is " +
                           v.describe());
    if (tensor && kind == RangeValue::Kind::StaticRange)
      return callError(e, args,
                       std::string("the ") + names[i] +
                           " must be known at compile time, but it is " + v.describe() +
                           "; use tl.range for bounds that are known only at run time");
  }
  if (auto *constant = step.getIf<PyInt>(); constant && *constant == 0)
    return callError(e, args, "the step must not be 0");
  range.kind = kind;
  range.lower = std::make_shared<Value>(lower);
  range.upper = std::make_shared<Value>(upper);
  range.step = std::make_shared<Value>(step);
  return Value(std::make_shared<RangeValue>(std::move(range)));
}

/// The hints of a loop, parameters from `first` on.
FailureOr<RangeValue> getHints(Emitter &e, const Arguments &args, size_t first) {
  RangeValue range;
  llvm::ArrayRef<SignatureParameter> parameters = getParameters(*args.builtin);
  for (size_t i = first; i < parameters.size(); ++i) {
    if (args[i].isNone() || !args.given[i])
      continue;
    FailureOr<int64_t> value = getInt(e, args, i, 0, INT32_MAX);
    if (failed(value))
      return failure();
    range.hints.emplace_back(parameters[i].name, *value);
  }
  return range;
}

Result emitTlRange(Emitter &e, const Arguments &args) {
  FailureOr<RangeValue> range = getHints(e, args, 3);
  if (failed(range))
    return failure();
  return makeRange(e, args, RangeValue::Kind::TlRange, args[0], args[1], args[2],
                   std::move(*range));
}

Result emitStaticRange(Emitter &e, const Arguments &args) {
  return makeRange(e, args, RangeValue::Kind::StaticRange, args[0], args[1], args[2], {});
}

Result emitPythonRange(Emitter &e, const Arguments &args) {
  FailureOr<RangeValue> range = getHints(e, args, 2);
  if (failed(range))
    return failure();
  std::vector<Value> bounds = getElements(args[0]);
  if (bounds.empty() || bounds.size() > 3)
    return callError(e, args, "takes 1 to 3 bounds, but got " + Twine(bounds.size()));
  if (bounds.size() == 3 && args.given[1])
    return callError(e, args, "got 'step' twice; pass it once, by position or by name");
  bounds.resize(3, Value::none());
  return makeRange(e, args, RangeValue::Kind::Range, bounds[0], bounds[1],
                   args.given[1] ? args[1] : bounds[2], std::move(*range));
}

Result emitNextPowerOf2(Emitter &e, const Arguments &args) {
  FailureOr<int64_t> n = getInt(e, args, 0, INT64_MIN, int64_t(1) << 62);
  if (failed(n))
    return failure();
  return Value::integer(*n <= 1 ? 1 : static_cast<PyInt>(llvm::PowerOf2Ceil(*n)));
}

Result emitCondition(Emitter &, const Arguments &args) { return args[0]; }

const Builtin kRows[] = {
    {"constexpr", kTl, "value", "Marks a value as known at compile time.", emitConstexpr},
    {"constexpr_type", kTl, "value", "The type of compile-time values.", emitNotCallable},
    {"tensor", kTl, "value", "The type of run-time values.", emitNotCallable},
    {"tensor_descriptor", kTl, "value", "The type of tensor descriptors.", emitNotCallable},
    {"const", kTl, "value", "Annotation of a pointer through which nothing is written.",
     emitIdentity},
    {"dtype", kTl, "name", "An element type by name.", emitDType},
    {"pointer_type", kTl, "element_ty, address_space=1, const=False",
     "The type of pointers to an element type.", emitPointerType},
    {"block_type", kTl, "element_ty, shape", "The type of tensors of a shape.", emitBlockType},
    {"tuple", kTl, "args", "A tuple.", emitTuple},
    {"slice", kTl, "start, stop=None, step=None", "A part of a subscript.", emitNotCallable},
    {"condition", kTl, "arg, disable_licm=False", "The condition of a `while` loop, with hints.",
     emitCondition},
    {"range", kTl,
     "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
     "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False",
     "A loop over integers, with hints for the compiler.", emitTlRange},
    {"next_power_of_2", kTl, "n",
     "The smallest power of two that is not less than a compile-time integer.", emitNextPowerOf2},
    {"static_range", kTl, "arg1, arg2=None, step=None", "A loop that is unrolled while compiling.",
     emitStaticRange},
    {"range", kPython,
     "*bounds, step=None, num_stages=None, loop_unroll_factor=None, "
     "disallow_acc_multi_buffer=False, "
     "flatten=False, warp_specialize=False, disable_licm=False",
     "A loop over integers; the step by position or by name; with the hints of tl.range.",
     emitPythonRange},

    {"is_fp8", kDTypeMembers, "self", "Whether it is an 8-bit float.", isKind<&DType::isFp8>},
    {"is_fp8e4nv", kDTypeMembers, "self", "Whether it is float8e4nv.",
     isScalarType<Scalar::F8E4NV>},
    {"is_fp8e4b8", kDTypeMembers, "self", "Whether it is float8e4b8.",
     isScalarType<Scalar::F8E4B8>},
    {"is_fp8e4b15", kDTypeMembers, "self", "Whether it is float8e4b15.",
     isScalarType<Scalar::F8E4B15>},
    {"is_fp8e5", kDTypeMembers, "self", "Whether it is float8e5.", isScalarType<Scalar::F8E5>},
    {"is_fp8e5b16", kDTypeMembers, "self", "Whether it is float8e5b16.",
     isScalarType<Scalar::F8E5B16>},
    {"is_fp16", kDTypeMembers, "self", "Whether it is float16.", isScalarType<Scalar::F16>},
    {"is_bf16", kDTypeMembers, "self", "Whether it is bfloat16.", isScalarType<Scalar::BF16>},
    {"is_fp32", kDTypeMembers, "self", "Whether it is float32.", isScalarType<Scalar::F32>},
    {"is_fp64", kDTypeMembers, "self", "Whether it is float64.", isScalarType<Scalar::F64>},
    {"is_int1", kDTypeMembers, "self", "Whether it is int1.", isScalarType<Scalar::Int1>},
    {"is_int8", kDTypeMembers, "self", "Whether it is int8.", isScalarType<Scalar::Int8>},
    {"is_int16", kDTypeMembers, "self", "Whether it is int16.", isScalarType<Scalar::Int16>},
    {"is_int32", kDTypeMembers, "self", "Whether it is int32.", isScalarType<Scalar::Int32>},
    {"is_int64", kDTypeMembers, "self", "Whether it is int64.", isScalarType<Scalar::Int64>},
    {"is_uint8", kDTypeMembers, "self", "Whether it is uint8.", isScalarType<Scalar::UInt8>},
    {"is_uint16", kDTypeMembers, "self", "Whether it is uint16.", isScalarType<Scalar::UInt16>},
    {"is_uint32", kDTypeMembers, "self", "Whether it is uint32.", isScalarType<Scalar::UInt32>},
    {"is_uint64", kDTypeMembers, "self", "Whether it is uint64.", isScalarType<Scalar::UInt64>},
    {"is_void", kDTypeMembers, "self", "Whether it is void.", isScalarType<Scalar::Void>},
    {"is_floating", kDTypeMembers, "self", "Whether it is a float.", isKind<&DType::isFloat>},
    {"is_standard_floating", kDTypeMembers, "self",
     "Whether it is float16, bfloat16, float32 or float64.", isStandardFloating},
    {"is_int", kDTypeMembers, "self", "Whether it is an integer or int1.", isKind<&DType::isInt>},
    {"is_int_signed", kDTypeMembers, "self", "Whether it is a signed integer.",
     isKind<&DType::isSigned>},
    {"is_int_unsigned", kDTypeMembers, "self", "Whether it is an unsigned integer or int1.",
     isKind<&DType::isUnsigned>},
    {"is_bool", kDTypeMembers, "self", "Whether it is int1.", isKind<&DType::isBool>},
    {"is_ptr", kDTypeMembers, "self", "Whether it is a pointer.", isPointerType},
    {"is_const", kDTypeMembers, "self", "Whether it is a pointer to read-only memory.",
     isConstType},
    {"is_block", kDTypeMembers, "self", "Whether it is the type of a tensor.", isBlock},
    {"kind", kDTypeMembers, "self",
     "What kind of number: `tl.dtype.KIND.BOOLEAN`, `INTEGRAL` or "
     "`FLOATING`.",
     emitKind},
    {"is_dtype", kDTypeMembers, "type_str", "Whether a text is the name of a dtype.", isDTypeName},
    {"get_block_shapes", kDTypeMembers, "self", "The shape of a tensor type.", emitBlockShapes},
    {"get_int_max_value", kDTypeMembers, "self", "The largest value of an integer type.",
     emitLimit<true>},
    {"get_int_min_value", kDTypeMembers, "self", "The smallest value of an integer type.",
     emitLimit<false>},
    {"with_element_ty", kDTypeMembers, "self, element_ty", "The same with another element type.",
     emitWithElement},
};
} // namespace

void addTypeNames(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
