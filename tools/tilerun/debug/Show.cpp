// See Show.h.
#include "tools/tilerun/debug/Show.h"

#include "tools/tilerun/host/Compare.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::debug;
using interp::Assignment;

/// Elements beyond these are left out of JSON.
static constexpr int64_t kMaxJsonElements = 1 << 16;

static std::string formatNumber(double value) {
  return host::formatElement(value, dtype(Scalar::F32));
}

/// A finite number, or its name: JSON has no others.
static llvm::json::Value toJsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Statistics debug::getStatistics(const host::Tensor &tensor) {
  Statistics out;
  out.elements = tensor.numElements();
  int64_t finite = 0;
  double sum = 0;
  const uint8_t *bytes = tensor.storage->bytes().data();
  tensor.forEach([&](int64_t, uint64_t at) {
    const double value = host::loadElement(bytes + at, tensor.dtype.scalar);
    out.nans += std::isnan(value);
    out.infinities += std::isinf(value);
    if (!std::isfinite(value))
      return;
    out.least = finite ? std::min(out.least, value) : value;
    out.most = finite ? std::max(out.most, value) : value;
    ++finite;
    sum += value;
  });
  out.mean = finite ? sum / static_cast<double>(finite) : 0;
  return out;
}

std::string debug::describe(const Statistics &s) {
  std::string text;
  if (s.elements > s.nans + s.infinities)
    text = "min " + formatNumber(s.least) + ", max " + formatNumber(s.most) + ", mean " +
           formatNumber(s.mean);
  auto add = [&](int64_t count, llvm::StringRef what) {
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + what.str();
  };
  add(s.nans, " NaN");
  add(s.infinities, " infinite");
  return text;
}

/// The elements, on the line of what is before them if they are one row.
static std::string formatElements(const host::Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  host::printTensor(os, tensor);
  return (tensor.shape.size() > 1 ? "\n" : " ") + text;
}

/// A number, text or tuple.
static std::string formatSimple(const host::Value &value) {
  if (value.isNone())
    return "None";
  if (auto *truth = value.getIf<bool>())
    return *truth ? "True" : "False";
  if (auto *integer = value.getIf<host::Integer>())
    return host::formatInteger(*integer);
  if (auto *number = value.getIf<double>())
    return host::formatElement(*number, dtype(Scalar::F64));
  if (auto *text = value.getIf<std::string>())
    return *text;
  if (const host::Tuple *tuple = value.asTuple()) {
    std::string text = "(";
    for (const host::Value &element : tuple->elements)
      text += (text.size() > 1 ? ", " : "") + formatSimple(element);
    return text + ")";
  }
  return value.describe();
}

/// A tensor, or an array as a tensor of the type of its values.
static std::optional<host::Tensor> asTensor(const host::Value &value) {
  if (auto *tensor = value.getIf<host::Tensor>())
    return *tensor;
  auto *array = value.getIf<std::shared_ptr<const host::Array>>();
  if (!array)
    return std::nullopt;
  llvm::Expected<host::Tensor> tensor = host::toTensor(**array, (*array)->dtype);
  if (tensor)
    return *tensor;
  llvm::consumeError(tensor.takeError());
  return std::nullopt;
}

std::string debug::describe(const host::Value &value) {
  std::optional<host::Tensor> tensor = asTensor(value);
  if (!tensor)
    return formatSimple(value);
  if (tensor->shape.empty())
    return host::formatElement(tensor->get(0), tensor->dtype);
  const std::string statistics = describe(getStatistics(*tensor));
  return tensor->describe() + (statistics.empty() ? "" : ", " + statistics) + ":" +
         formatElements(*tensor);
}

llvm::json::Object debug::toJson(const host::Value &value) {
  std::optional<host::Tensor> tensor = asTensor(value);
  if (!tensor) {
    if (auto *number = value.getIf<double>())
      return llvm::json::Object{{"value", toJsonNumber(*number)}};
    if (auto *truth = value.getIf<bool>())
      return llvm::json::Object{{"value", *truth}};
    if (auto integer = value.asInteger(); integer && *integer >= INT64_MIN && *integer <= INT64_MAX)
      return llvm::json::Object{{"value", static_cast<int64_t>(*integer)}};
    return llvm::json::Object{
        {"value", value.isNone() ? llvm::json::Value(nullptr)
                                 : llvm::json::Value(llvm::json::fixUTF8(formatSimple(value)))}};
  }
  const Statistics s = getStatistics(*tensor);
  llvm::json::Array values;
  const bool complete = s.elements <= kMaxJsonElements;
  const uint8_t *bytes = tensor->storage->bytes().data();
  if (complete)
    tensor->forEach([&](int64_t, uint64_t at) {
      if (tensor->dtype.scalar == Scalar::UInt64)
        values.push_back(static_cast<uint64_t>(host::loadInteger(bytes + at, Scalar::UInt64)));
      else if (tensor->dtype.isInt())
        values.push_back(static_cast<int64_t>(host::loadInteger(bytes + at, tensor->dtype.scalar)));
      else
        values.push_back(toJsonNumber(host::loadElement(bytes + at, tensor->dtype.scalar)));
    });
  return llvm::json::Object{{"dtype", tensor->dtype.str()},
                            {"shape", llvm::json::Array(tensor->shape)},
                            {"values", std::move(values)},
                            {"complete", complete},
                            {"statistics", llvm::json::Object{{"min", toJsonNumber(s.least)},
                                                              {"max", toJsonNumber(s.most)},
                                                              {"mean", toJsonNumber(s.mean)},
                                                              {"nan", s.nans},
                                                              {"infinite", s.infinities}}}};
}

static bool isPointer(const Assignment &assignment) {
  return assignment.bytes && assignment.step->operandTypes[0] == interp::Dtype::Ptr;
}

/// "&x[16]" for each pointer, of many the first and the last ones.
static std::string formatPointers(const Debuggee &debuggee, const Assignment &assignment) {
  constexpr size_t kEdge = 3, kMost = 8;
  const size_t count = assignment.bytes->size() / sizeof(uint64_t);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (count > kMost && i == kEdge) {
      text += ", ...";
      i = count - kEdge;
    }
    uint64_t address = 0;
    std::memcpy(&address, assignment.bytes->data() + i * sizeof(address), sizeof(address));
    text += (text.empty() ? "&" : ", &") + debuggee.describeAddress(address);
  }
  return assignment.step->shape.empty() ? text : "[" + text + "]";
}

/// "float32[8]"
static std::string formatType(const Assignment &assignment) {
  std::string type = assignment.getText().str();
  if (!assignment.step->shape.empty())
    type += host::formatIndex(assignment.step->shape);
  return type;
}

std::string debug::describe(const Debuggee &debuggee, const Assignment &assignment) {
  if (!assignment.bytes)
    return assignment.getText().str();
  if (isPointer(assignment))
    return formatType(assignment) + ": " + formatPointers(debuggee, assignment);
  llvm::Expected<host::Value> value = Debuggee::toValue(assignment);
  if (!value)
    return llvm::toString(value.takeError());
  if (value->isTensorLike())
    return describe(*value);
  return formatType(assignment) + ": " + describe(*value);
}

llvm::json::Object debug::toJson(const Debuggee &debuggee, const Assignment &assignment) {
  llvm::json::Object object;
  llvm::Expected<host::Value> value = Debuggee::toValue(assignment);
  if (!value) {
    object["value"] = llvm::json::fixUTF8(llvm::toString(value.takeError()));
  } else if (isPointer(assignment)) {
    object =
        llvm::json::Object{{"dtype", assignment.getText()},
                           {"shape", llvm::json::Array(assignment.step->shape)},
                           {"pointers", llvm::json::fixUTF8(formatPointers(debuggee, assignment))}};
  } else {
    object = toJson(*value);
    if (assignment.bytes && !value->isTensorLike()) {
      object["dtype"] = assignment.getText();
      object["shape"] = llvm::json::Array();
    }
  }
  return object;
}

std::string debug::formatPosition(const interp::SourcePosition &position) {
  if (!position.line)
    return "<unknown>";
  return llvm::formatv("{0}:{1}:{2}", position.file, position.line, position.column).str();
}

llvm::json::Object debug::toJson(const interp::SourcePosition &position) {
  return llvm::json::Object{{"file", llvm::json::fixUTF8(position.file)},
                            {"line", position.line},
                            {"column", position.column}};
}
