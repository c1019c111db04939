// Access to and description of expression values.
#include "tools/tilerun/host/Value.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <charconv>

using namespace tilerun;
using namespace tilerun::host;

std::string host::formatInteger(Integer value) {
  if (value == 0)
    return "0";
  unsigned __int128 rest = value;
  if (value < 0)
    rest = -rest;
  std::string text;
  for (; rest; rest /= 10)
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return value < 0 ? "-" + text : text;
}

/// The shortest text that reads back as the same number.
static std::string formatDouble(double value) {
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

Value Value::tuple(std::vector<Value> elements, bool isList) {
  return Value(std::make_shared<Tuple>(Tuple{std::move(elements), isList}));
}

Value Value::shape(llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> elements;
  for (int64_t dim : shape)
    elements.push_back(Value::integer(dim));
  return tuple(std::move(elements));
}

std::optional<Integer> Value::asInteger() const {
  if (auto *b = getIf<bool>())
    return *b;
  if (auto *i = getIf<Integer>())
    return *i;
  return std::nullopt;
}

std::optional<double> Value::asDouble() const {
  if (auto *d = getIf<double>())
    return *d;
  if (auto i = asInteger())
    return static_cast<double>(*i);
  return std::nullopt;
}

const Tuple *Value::asTuple() const {
  auto *tuple = getIf<std::shared_ptr<Tuple>>();
  return tuple ? tuple->get() : nullptr;
}

std::string Value::describe() const {
  if (isNone())
    return "none";
  if (auto *b = getIf<bool>())
    return *b ? "true" : "false";
  if (auto *i = getIf<Integer>())
    return "the integer " + formatInteger(*i);
  if (auto *d = getIf<double>())
    return "the float " + formatDouble(*d);
  if (auto *s = getIf<std::string>())
    return "the string \"" + s->substr(0, 40) + (s->size() > 40 ? "…\"" : "\"");
  if (auto *t = getIf<DType>())
    return "the dtype " + t->str();
  if (auto *t = getIf<Tensor>())
    return "a tensor " + t->describe();
  if (auto *a = getIf<std::shared_ptr<const Array>>())
    return "a computed tensor of shape " + formatIndex((*a)->shape);
  if (auto *t = asTuple())
    return llvm::formatv("a {0} of {1}", t->isList ? "list" : "tuple", t->elements.size()).str();
  if (is<std::shared_ptr<Dictionary>>())
    return "a dictionary";
  if (auto *n = getIf<Namespace>())
    return "the namespace '" + n->name + "'";
  if (auto *j = getIf<JitName>())
    return "the kernel function '" + j->name + "'";
  if (is<const ast::LambdaExpr *>())
    return "a lambda";
  return "a function";
}
