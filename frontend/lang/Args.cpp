// Reading of bound arguments: each reader checks one kind of value and names function and parameter
// in its message.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilerun::lang {

std::string displayName(const Builtin &builtin) {
  StringRef path = builtin.namespacePath;
  if (path == kTl)
    return ("tl." + builtin.name).str();
  if (path == kPython || path == kDTypeMembers)
    return builtin.name.str();
  if (path == kDescriptorMembers)
    return ("desc." + builtin.name).str();
  if (path.consume_front("triton.language.extra.") || path.consume_front("triton.language."))
    return (path + "." + builtin.name).str();
  return (path + "." + builtin.name).str();
}

LogicalResult argError(Emitter &e, const Arguments &args, size_t i, const Twine &message) {
  SourceRange range = i < args.ranges.size() && args.ranges[i].isValid() ? args.ranges[i] : e.range;
  std::string prefix;
  if (args.builtin) {
    prefix = displayName(*args.builtin) + ": ";
    llvm::ArrayRef<SignatureParameter> parameters = getParameters(*args.builtin);
    if (i < parameters.size())
      prefix += "'" + parameters[i].name + "' ";
  }
  return e.services.error(range, prefix + message);
}

LogicalResult callError(Emitter &e, const Arguments &args, const Twine &message) {
  return e.error((args.builtin ? displayName(*args.builtin) + ": " : std::string()) + message);
}

std::string describeNonTensor(const Value &v) {
  const TupleValue *tuple = v.getSequence();
  if (!tuple || tuple->info || !tuple->typeName.empty())
    return v.describe();
  return v.describe() + "; a " + (tuple->isList ? "list" : "tuple") +
         " is not a tensor: load its values from memory, or compute them from tl.arange";
}

FailureOr<int64_t> getInt(Emitter &e, const Arguments &args, size_t i, int64_t lower,
                          int64_t upper) {
  PyInt value;
  if (auto *integer = args[i].getIf<PyInt>())
    value = *integer;
  else if (auto *boolean = args[i].getIf<bool>())
    value = *boolean;
  else
    return argError(e, args, i,
                    "must be an integer known at compile time, but it is " + args[i].describe() +
                        (args[i].isTensor() ? "; pass a tl.constexpr" : ""));
  if (value < lower || value > upper) {
    if (upper == INT64_MAX)
      return argError(e, args, i,
                      "must be at least " + Twine(lower) + ", but it is " + formatInt(value));
    return argError(e, args, i,
                    "must be " + Twine(lower) + " to " + Twine(upper) + ", but it is " +
                        formatInt(value));
  }
  return static_cast<int64_t>(value);
}

FailureOr<bool> getBool(Emitter &e, const Arguments &args, size_t i) {
  if (auto *boolean = args[i].getIf<bool>())
    return *boolean;
  if (auto *integer = args[i].getIf<PyInt>())
    return *integer != 0;
  if (args[i].isNone())
    return false;
  return argError(e, args, i,
                  "must be True or False at compile time, but it is " + args[i].describe());
}

FailureOr<std::string> getString(Emitter &e, const Arguments &args, size_t i) {
  if (auto *text = args[i].getIf<std::string>())
    return *text;
  if (args[i].isNone())
    return std::string();
  return argError(e, args, i, "must be a string, but it is " + args[i].describe());
}

FailureOr<DType> getDType(Emitter &e, const Arguments &args, size_t i) {
  if (auto *type = args[i].getIf<DType>())
    return *type;
  if (auto *block = args[i].getIf<TensorType>()) // `x.to(block_pointer.dtype.element_ty)`
    return block->dtype;
  if (auto *text = args[i].getIf<std::string>())
    if (std::optional<DType> type = parseDType(*text))
      return *type;
  // Python's own type names stand for their usual widths.
  if (auto *builtin = args[i].getIf<BuiltinValue>();
      builtin && builtin->builtin->namespacePath == kPython)
    if (std::optional<DType> type = parseDType(builtin->builtin->name))
      return *type;
  return argError(e, args, i,
                  "must be a dtype such as tl.float32, but it is " + args[i].describe());
}

TensorOr getTensor(Emitter &e, const Arguments &args, size_t i) {
  if (auto *tensor = args[i].getIf<TensorValue>())
    return *tensor;
  std::optional<Literal> literal = getLiteral(args[i]);
  if (!literal)
    return argError(e, args, i,
                    "must be a tensor or a number, but it is " + describeNonTensor(args[i]));
  if (TypeOrError type = getLiteralType(*literal); !type)
    return argError(e, args, i, "is invalid: " + type.error);
  return toTensor(e, args[i]);
}

TensorOr getBlock(Emitter &e, const Arguments &args, size_t i) {
  auto *tensor = args[i].getIf<TensorValue>();
  if (!tensor || tensor->type.isScalar())
    return argError(e, args, i, "must be a tensor, but it is " + describeNonTensor(args[i]));
  return *tensor;
}

FailureOr<unsigned> getAxis(Emitter &e, const Arguments &args, size_t i, unsigned rank) {
  FailureOr<int64_t> axis = getInt(e, args, i);
  if (failed(axis))
    return failure();
  if (*axis < -static_cast<int64_t>(rank) || *axis >= static_cast<int64_t>(rank))
    return argError(e, args, i,
                    "is " + Twine(*axis) + ", but the tensor has " + Twine(rank) +
                        (rank == 1 ? " dimension" : " dimensions") + "; use " +
                        (rank == 1 ? "0" : "0 to " + std::to_string(rank - 1)));
  return static_cast<unsigned>(*axis < 0 ? *axis + rank : *axis);
}

std::vector<Value> getElements(const Value &v) {
  if (const TupleValue *tuple = v.getTuple(); tuple && !tuple->isRecord())
    return tuple->elements;
  return {v};
}

FailureOr<Shape> getIntList(Emitter &e, const Arguments &args, size_t i) {
  std::vector<Value> elements = getElements(args[i]);
  // `f(x, *dims)` also takes `f(x, (a, b))`.
  if (elements.size() == 1 && elements[0].getTuple())
    elements = getElements(elements[0]);
  Shape out;
  for (const Value &element : elements) {
    if (auto *integer = element.getIf<PyInt>()) {
      if (*integer < INT64_MIN || *integer > INT64_MAX)
        return argError(e, args, i, "holds " + formatInt(*integer) + ", which is too large");
      out.push_back(static_cast<int64_t>(*integer));
      continue;
    }
    return argError(e, args, i,
                    "must hold integers known at compile time, but one is " + element.describe() +
                        (element.isTensor() ? "; make it a tl.constexpr" : ""));
  }
  return out;
}

std::string findExcess(llvm::ArrayRef<int64_t> shape) {
  // So that no product overflows.
  constexpr int64_t kTooMany = 2 * kMaxTensorElements;
  int64_t real = 1, padded = 1;
  for (int64_t size : shape) {
    size = std::min(size, kTooMany);
    real = std::min(real * size, kTooMany);
    padded = std::min<int64_t>(padded * llvm::PowerOf2Ceil(size), kTooMany);
  }
  if (padded <= kMaxTensorElements)
    return "";
  return "more than " + std::to_string(kMaxTensorElements) + " elements" +
         (real <= kMaxTensorElements ? " with its sizes rounded up to powers of two" : "");
}

FailureOr<Shape> getShape(Emitter &e, const Arguments &args, size_t i) {
  FailureOr<Shape> shape = getIntList(e, args, i);
  if (failed(shape))
    return failure();
  for (size_t d = 0; d < shape->size(); ++d)
    if ((*shape)[d] < 1)
      return argError(e, args, i,
                      "has size " + Twine((*shape)[d]) + " in dimension " + Twine(d) +
                          "; sizes of tensors are 1 or more");
  if (std::string excess = findExcess(*shape); !excess.empty())
    return argError(e, args, i,
                    "is " + shapeString(*shape) + ", which is " + excess + "; use smaller blocks");
  return shape;
}

} // namespace tilerun::lang
