// `x.name` on tensors, dtypes, tensor types, tuples, numbers and namespaces.
#include "frontend/lang/BlockPointer.h"
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"
#include "frontend/lang/TensorDescriptor.h"
#include "frontend/types/Text.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
Value shapeTuple(llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> sizes;
  for (int64_t size : shape)
    sizes.push_back(Value::integer(size));
  return Value::tuple(std::move(sizes));
}

Value bind(const Value &self, const Value &function) {
  return Value(BoundValue{std::make_shared<Value>(self), std::make_shared<Value>(function)});
}

/// Bits of the explicit mantissa, and the exponent's bias.
struct FloatFormat {
  int mantissa, bias;
};
FloatFormat getFormat(DType type) {
  switch (type.scalar) {
  case Scalar::F8E5:
    return {2, 15};
  case Scalar::F8E5B16:
    return {2, 16};
  case Scalar::F8E4NV:
    return {3, 7};
  case Scalar::F8E4B8:
    return {3, 8};
  case Scalar::F8E4B15:
    return {3, 15};
  case Scalar::F16:
    return {10, 15};
  case Scalar::BF16:
    return {7, 127};
  case Scalar::F32:
    return {23, 127};
  default:
    return {52, 1023};
  }
}

std::optional<Value> dtypeAttribute(const Value &self, DType type, StringRef name) {
  if (name == "element_ty" && type.isPointer())
    return Value(type.getPointee());
  if (name == "scalar")
    return Value(type);
  if (name == "name")
    return Value(getTextOf(type));
  if (name == "primitive_bitwidth")
    return Value::integer(type.getBits());
  if (name == "itemsize")
    return Value::integer(std::max(1u, type.getBits() / 8));
  if (name == "int_bitwidth" && type.isInt())
    return Value::integer(type.getBits());
  if (name == "fp_mantissa_width" && type.isFloat())
    return Value::integer(getFormat(type).mantissa);
  if (name == "exponent_bias" && type.isFloat())
    return Value::integer(getFormat(type).bias);
  if (name == "int_signedness" && type.isInt())
    return Value::integer(type.isSigned() ? 0 : 1); // tl.dtype.SIGNEDNESS
  if (name == "address_space" && type.isPointer())
    return Value::integer(1);
  if (name == "const" && type.isPointer())
    return Value(type.isConst);
  if (const Builtin *method = findBuiltin(kDTypeMembers, name))
    return bind(self, Value(BuiltinValue{method}));
  return std::nullopt;
}

std::optional<Value> typeAttribute(const Value &self, const TensorType &type, StringRef name) {
  if (name == "shape")
    return shapeTuple(type.shape);
  if (name == "element_ty" || name == "scalar" || name == "dtype")
    return Value(type.dtype);
  if (name == "numel")
    return Value::integer(type.numElements());
  if (name == "nbytes")
    return Value::integer(type.numElements() * std::max(1u, type.dtype.getBits() / 8));
  if (const Builtin *method = findBuiltin(kDTypeMembers, name))
    return bind(self, Value(BuiltinValue{method}));
  return std::nullopt;
}

/// A type that has parts of its own, as a value with names.
constexpr StringLiteral kBlockPointerType{"block pointer type"};
Value makeType(StringRef typeName, llvm::ArrayRef<std::pair<StringRef, Value>> parts) {
  auto out = std::make_shared<TupleValue>();
  out->typeName = typeName.str();
  for (const auto &[name, part] : parts) {
    out->names.push_back(name.str());
    out->elements.push_back(part);
  }
  return Value(std::move(out));
}

std::optional<Value> tensorAttribute(Emitter &e, const Value &base, StringRef name) {
  if (auto *tensor = base.getIf<TensorValue>()) {
    const TensorType &type = tensor->type;
    if (name == "dtype")
      return Value(type.dtype);
    if (name == "type")
      return type.isScalar() ? Value(type.dtype) : Value(type);
    if (name == "shape")
      return shapeTuple(type.shape);
    if (name == "numel")
      return Value::integer(type.numElements());
    if (name == "ndim" || name == "rank")
      return Value::integer(type.shape.size());
    if (name == "T" && type.shape.size() == 2) {
      TensorType out{type.dtype, {type.shape[1], type.shape[0]}};
      return Value(TensorValue{tile::TransOp::create(e.builder, e.loc(),
                                                     getMlirType(e.builder.getContext(), out),
                                                     tensor->value, llvm::ArrayRef<int32_t>{1, 0}),
                               out});
    }
  } else if (name == "value") {
    return base; // constexpr.value
  }
  if (std::optional<Value> method = findMethod(name, e.services.getPrelude()))
    return bind(base, *method);
  return std::nullopt;
}

/// Names for "did you mean".
std::vector<StringRef> attributeNames(Emitter &e, const Value &base) {
  std::vector<StringRef> names;
  LoadedModule *prelude = e.services.getPrelude();
  if (base.isTensor() || base.isConstNumber()) {
    names = listMethods(prelude);
    for (StringRef fixed : {"dtype", "type", "shape", "numel", "ndim", "T"})
      names.push_back(fixed);
  } else if (base.is<DType>()) {
    names = listNames(kDTypeMembers, nullptr);
    for (StringRef fixed : {"element_ty", "scalar", "name", "primitive_bitwidth", "itemsize"})
      names.push_back(fixed);
  } else if (base.is<TensorType>()) {
    names = listNames(kDTypeMembers, nullptr);
    for (StringRef fixed : {"shape", "element_ty", "scalar", "dtype", "numel"})
      names.push_back(fixed);
  } else if (base.is<DescriptorValue>()) {
    names = listNames(kDescriptorMembers, nullptr);
    for (StringRef fixed : {"shape", "strides", "block_shape", "block_type", "dtype", "type"})
      names.push_back(fixed);
  } else if (const TupleValue *tuple = base.getTuple()) {
    names.assign(tuple->names.begin(), tuple->names.end());
  } else if (auto *space = base.getIf<NamespaceValue>()) {
    names = space->module ? space->module->globalNames() : listNames(space->path, prelude);
  }
  return names;
}
} // namespace

std::optional<Value> findAttribute(Emitter &e, const Value &base, StringRef name) {
  if (base.isTensor() || base.isConstNumber())
    return tensorAttribute(e, base, name);
  if (auto *type = base.getIf<DType>())
    return dtypeAttribute(base, *type, name);
  if (auto *type = base.getIf<TensorType>())
    return typeAttribute(base, *type, name);
  if (auto *descriptor = base.getIf<DescriptorValue>()) {
    if (name == "type")
      return makeType("tensor_descriptor_type", {{"block_type", Value(descriptor->block)}});
    return findDescriptorAttribute(e, *descriptor, name);
  }
  if (const TupleValue *tuple = base.getTuple(); base.is<ClassValue>() || (tuple && tuple->info))
    return e.services.findMember(base, name, e.range);
  if (const TupleValue *tuple = base.getTuple()) {
    for (size_t i = 0; i < tuple->names.size() && i < tuple->elements.size(); ++i)
      if (tuple->names[i] == name && !tuple->isDict())
        return tuple->elements[i];
    // A pointer to blocks answers as pointers do.
    if (tuple->typeName == kBlockPointerType) {
      if (name == "scalar")
        return base;
      if (const Builtin *method = findBuiltin(kDTypeMembers, name))
        return bind(tuple->elements[0].get<TensorType>().dtype.getPointerTo(),
                    Value(BuiltinValue{method}));
    }
    if (isBlockPointer(base)) {
      if (name == "dtype" || name == "type")
        return makeType(kBlockPointerType, {{"element_ty", Value(getBlockPointerBlock(base))},
                                            {"address_space", Value::integer(1)}});
      if (const Builtin *method = findBuiltin(kTl, name); method && method->isMethod)
        return bind(base, Value(BuiltinValue{method}));
    }
    return std::nullopt;
  }
  // The class attributes of `tl.dtype`: `tl.dtype.KIND`, `tl.dtype.is_dtype`.
  if (auto *builtin = base.getIf<BuiltinValue>();
      builtin && builtin->builtin == findBuiltin(kTl, "dtype"))
    return lookup(kDTypeMembers, name, nullptr);
  if (auto *space = base.getIf<NamespaceValue>()) {
    if (!space->module)
      return lookup(space->path, name, e.services.getPrelude());
    return e.services.findMember(base, name, e.range);
  }
  return std::nullopt;
}

Result attribute(Emitter &e, const Value &base, StringRef name) {
  if (std::optional<Value> found = findAttribute(e, base, name))
    return *found;
  if (base.isTensor() && name == "T")
    return e.error(".T needs a tensor of 2 dimensions, but this is " + base.describe() +
                   "; use tl.permute");
  auto *space = base.getIf<NamespaceValue>();
  std::string message = space ? (space->module ? "module '" : "'") + space->path +
                                    "' has no name '" + name.str() + "'"
                              : base.describe() + " has no attribute '" + name.str() + "'";
  if (std::optional<StringRef> near = findNearName(name, attributeNames(e, base)))
    message += "; did you mean '" + near->str() + "'?";
  return e.error(message);
}

} // namespace tilerun::lang
