// The functions of the command line's expressions: finding them and binding arguments, conversion
// to a dtype, and attributes of tensors.
#include "tools/tilerun/host/Functions.h"

#include "frontend/source/Source.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::host;

llvm::ArrayRef<Function> host::getFunctions() {
  static const std::vector<Function> functions = [] {
    std::vector<Function> all;
    for (llvm::ArrayRef<Function> family :
         {getNumberFunctions(), getTensorFunctions(), getShapeFunctions()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return functions;
}

const Function *host::findFunction(llvm::StringRef name) {
  for (const Function &function : getFunctions())
    if (function.name == name)
      return &function;
  return nullptr;
}

std::string host::suggestNear(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  auto near = findNearName(name, candidates);
  return near ? "; did you mean '" + near->str() + "'?" : "";
}

static Value parseDefault(llvm::StringRef text) {
  int64_t integer;
  if (!text.getAsInteger(10, integer))
    return Value::integer(integer);
  return text == "false" ? Value(false) : Value();
}

Result host::callFunction(const Function &function, const CallArguments &args) {
  llvm::SmallVector<llvm::StringRef, 4> parameters;
  function.signature.split(parameters, ", ");
  std::vector<Value> values;
  std::vector<llvm::StringRef> names;
  size_t next = 0;
  std::vector<bool> usedKeywords(args.keywords.size());
  for (llvm::StringRef parameter : parameters) {
    if (parameter.consume_front("*")) {
      std::vector<Value> rest(args.positional.begin() + std::min(next, args.positional.size()),
                              args.positional.end());
      next = args.positional.size();
      values.push_back(Value::tuple(std::move(rest)));
      continue;
    }
    auto [name, defaultText] = parameter.split('=');
    names.push_back(name);
    std::optional<Value> value;
    if (next < args.positional.size())
      value = args.positional[next++];
    for (auto [i, keyword] : llvm::enumerate(args.keywords)) {
      // NumPy and PyTorch differ in these names.
      llvm::StringRef key = keyword.first;
      key = key == "dim" && name == "axis"           ? "axis"
            : key == "keepdim" || key == "keep_dims" ? "keepdims"
            : key == "ddof"                          ? "correction"
                                                     : key;
      if (key != name)
        continue;
      if (value)
        return makeError("argument '" + name + "' of " + function.name + " is given twice");
      value = keyword.second;
      usedKeywords[i] = true;
    }
    if (!value && !parameter.contains('='))
      return makeError(function.name + "(" + function.signature + ") lacks '" + name + "'");
    values.push_back(value ? *value : parseDefault(defaultText));
  }
  if (next < args.positional.size())
    return makeError(function.name + "(" + function.signature + ") takes fewer than " +
                     llvm::Twine(args.positional.size()) + " arguments");
  for (auto [used, keyword] : llvm::zip_equal(usedKeywords, args.keywords))
    if (!used)
      return makeError(function.name + "(" + function.signature + ") has no argument '" +
                       keyword.first + "'" + suggestNear(keyword.first, names));
  return function.call(values, function);
}

Result host::castValue(DType dtype, const Value &value) {
  if (dtype.isPointer() || dtype.scalar == Scalar::Void)
    return makeError("cannot convert to " + dtype.str());
  if (auto integer = value.asInteger(); integer && dtype.isInt()) {
    uint8_t bytes[8] = {};
    storeInteger(bytes, dtype.scalar, *integer);
    return Value::integer(loadInteger(bytes, dtype.scalar));
  }
  if (auto number = value.asDouble()) {
    double rounded = roundTo(*number, dtype.scalar);
    return dtype.isInt() ? Value::integer(static_cast<Integer>(rounded)) : Value(rounded);
  }
  TILERUN_TRY_VALUE(array, getArray(value));
  TILERUN_TRY_VALUE(tensor, toTensor(array, dtype));
  return Value(tensor);
}

llvm::Expected<std::optional<Value>> host::getTensorAttribute(const Value &value,
                                                              llvm::StringRef name) {
  auto *tensor = value.getIf<Tensor>();
  auto *array = value.getIf<std::shared_ptr<const Array>>();
  const Shape &shape = tensor ? tensor->shape : (*array)->shape;
  if (name == "shape")
    return Value::shape(shape);
  if (name == "ndim")
    return Value::integer(shape.size());
  if (name == "dtype")
    return Value(tensor ? tensor->dtype : (*array)->dtype);
  if (name == "itemsize" && tensor)
    return Value::integer(tensor->elementBytes());
  if (name == "T") {
    TILERUN_TRY_VALUE(transposed, reverseAxes(value));
    return transposed;
  }
  return std::nullopt;
}
