// Properties of values: whether they are known at compile time, and how they print.
#include "frontend/sema/Value.h"

#include "frontend/lang/Builtin.h"

#include "llvm/ADT/StringExtras.h"

#include <array>
#include <cmath>

namespace tilerun {

std::optional<size_t> ClassInfo::findField(llvm::StringRef field) const {
  for (size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == field)
      return i;
  return std::nullopt;
}

bool ClassInfo::isDerivedFrom(const ClassInfo &other) const {
  return this == &other || llvm::any_of(bases, [&](const std::shared_ptr<const ClassInfo> &base) {
           return base->isDerivedFrom(other);
         });
}

Value Value::tuple(std::vector<Value> elements) {
  auto tuple = std::make_shared<TupleValue>();
  tuple->elements = std::move(elements);
  return Value(std::move(tuple));
}

Value TupleValue::getKey(size_t i) const { return keys.empty() ? Value(names[i]) : keys[i]; }

bool Value::isConstexpr() const {
  if (is<std::monostate>() || is<TensorValue>() || is<DescriptorValue>())
    return false;
  if (const TupleValue *tuple = getTuple())
    return llvm::all_of(tuple->elements, [](const Value &v) { return v.isConstexpr(); });
  if (auto *bound = getIf<BoundValue>())
    return bound->self->isConstexpr();
  if (auto *slice = getIf<SliceValue>()) {
    for (const auto &part : {slice->lower, slice->upper, slice->step})
      if (part && !part->isConstexpr())
        return false;
    return true;
  }
  if (auto *range = getIf<std::shared_ptr<RangeValue>>()) {
    for (const auto &part : {(*range)->lower, (*range)->upper, (*range)->step})
      if (part && !part->isConstexpr())
        return false;
  }
  return true;
}

const OpaqueValue *Value::findUnknown() const {
  auto findIn = [](const auto &parts) -> const OpaqueValue * {
    for (const auto &part : parts)
      if (const OpaqueValue *unknown = part ? part->findUnknown() : nullptr)
        return unknown;
    return nullptr;
  };
  if (const OpaqueValue *unknown = asUnknown())
    return unknown;
  if (const TupleValue *tuple = getTuple()) {
    for (const Value &element : tuple->elements)
      if (const OpaqueValue *unknown = element.findUnknown())
        return unknown;
  } else if (auto *slice = getIf<SliceValue>()) {
    return findIn(std::array{slice->lower, slice->upper, slice->step});
  } else if (auto *range = getIf<std::shared_ptr<RangeValue>>()) {
    return findIn(std::array{(*range)->lower, (*range)->upper, (*range)->step});
  }
  return nullptr;
}

OpaqueValue OpaqueValue::inConstexpr(bool isConstexpr) const {
  auto changed = std::make_shared<EnumMember>(*member);
  changed->isConstexpr = isConstexpr;
  OpaqueValue out = *this;
  out.member = std::move(changed);
  return out;
}

std::string OpaqueValue::explain() const {
  std::string way = remedy;
  if (way.empty() && !name.empty())
    way = "pass its value, " + name +
          "=…, with the kernel's arguments, make it a tl.constexpr "
          "parameter, or let the Python package compile the kernel";
  return "the value of " + what + " is not known: " + cause + (way.empty() ? "" : "; " + way);
}

std::string formatInteger(PyInt value) {
  if (value == 0)
    return "0";
  bool negative = value < 0;
  unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(value) : value;
  std::string digits;
  for (; rest != 0; rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return negative ? "-" + digits : digits;
}

std::string formatFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // The shortest text that reads back as the same number, as Python prints it.
  char buffer[40];
  for (int precision = 1; precision <= 17; ++precision) {
    snprintf(buffer, sizeof(buffer), "%.*e", precision - 1, value);
    if (strtod(buffer, nullptr) == value)
      break;
  }
  llvm::StringRef text(buffer);
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  (void)exponentText.ltrim('+').getAsInteger(10, exponent);
  bool negative = mantissa.consume_front("-");
  std::string digits;
  for (char c : mantissa)
    if (c != '.')
      digits += c;
  std::string out = negative ? "-" : "";
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1)
      out += "." + digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    int magnitude = std::abs(exponent);
    out += magnitude < 10 ? "0" + std::to_string(magnitude) : std::to_string(magnitude);
    return out;
  }
  if (exponent < 0)
    return out + "0." + std::string(-exponent - 1, '0') + digits;
  if (count <= exponent + 1)
    return out + digits + std::string(exponent + 1 - count, '0') + ".0";
  return out + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
}

static std::string quote(llvm::StringRef text) {
  char mark = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string out(1, mark);
  for (char c : text) {
    if (c == mark || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
    else
      out += c;
  }
  return out + mark;
}

/// A string for a message: long ones are cut.
static std::string shorten(const std::string &text) {
  constexpr size_t kLongest = 60;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

std::string Value::describe() const {
  if (auto *v = getIf<TensorValue>())
    return v->type.str();
  if (auto *v = getIf<DescriptorValue>())
    return "a tensor descriptor of " + v->block.str() + (v->padsWithNan ? ", padded with NaN" : "");
  if (isNone())
    return "None";
  if (is<EllipsisValue>())
    return "an ellipsis";
  if (auto *v = getIf<bool>())
    return *v ? "the bool True" : "the bool False";
  if (auto *v = getIf<PyInt>())
    return "the integer " + formatInteger(*v);
  if (auto *v = getIf<double>())
    return "the float " + formatFloat(*v);
  if (auto *v = getIf<std::string>())
    return "the string " + shorten(quote(*v));
  if (auto *v = getIf<DType>())
    return "the dtype " + v->str();
  if (auto *v = getIf<TensorType>())
    return "the type " + v->str();
  if (const TupleValue *v = getTuple()) {
    if (v->isDict()) {
      constexpr size_t kMostKeys = 4;
      std::string keys;
      const size_t count = v->elements.size();
      for (size_t i = 0; i < std::min(count, kMostKeys); ++i)
        keys += (keys.empty() ? " with " : ", ") + shorten(v->getKey(i).repr());
      return "a dict" + keys + (count > kMostKeys ? ", …" : "");
    }
    if (v->isRecord())
      return "a record '" + v->typeName + "'";
    if (!v->typeName.empty())
      return "a " + v->typeName;
    return std::string(v->isList ? "a list" : "a tuple") + " of " +
           std::to_string(v->elements.size());
  }
  if (auto *v = getIf<FunctionValue>())
    return "the jit function '" + v->function->qualifiedName + "'";
  if (auto *v = getIf<BuiltinValue>())
    return "the function '" + v->builtin->name.str() + "'";
  if (is<BoundValue>())
    return "a method";
  if (auto *v = getIf<NamespaceValue>())
    return "the module '" + v->path + "'";
  if (is<SliceValue>())
    return "a slice";
  if (is<std::shared_ptr<RangeValue>>())
    return "a range";
  if (auto *v = getIf<OpaqueValue>())
    return (v->member && !v->isUnknown() ? "the enum member " : "") + v->what +
           (v->isUnknown() ? ", whose value is not known" : "");
  if (auto *v = getIf<ClassValue>())
    return "the class '" + v->info->name + "'";
  return "nothing";
}

std::string Value::repr() const {
  if (auto *v = getIf<bool>())
    return *v ? "True" : "False";
  if (auto *v = getIf<PyInt>())
    return formatInteger(*v);
  if (auto *v = getIf<double>())
    return formatFloat(*v);
  if (auto *v = getIf<std::string>())
    return quote(*v);
  if (auto *v = getIf<DType>())
    return v->str();
  if (auto *v = getIf<TensorType>())
    return v->str();
  if (is<EllipsisValue>())
    return "Ellipsis";
  if (const TupleValue *v = getTuple()) {
    bool dict = v->isDict(), set = v->isSet();
    bool named = v->info || (!v->names.empty() && !dict);
    std::string out = dict || set ? "{" : named ? v->typeName + "(" : v->isList ? "[" : "(";
    for (auto [i, element] : llvm::enumerate(v->elements)) {
      if (i)
        out += ", ";
      if (dict)
        out += v->getKey(i).repr() + ": ";
      else if (named && i < v->names.size())
        out += v->names[i] + "=";
      out += element.repr();
    }
    if (!named && !dict && !set && !v->isList && v->elements.size() == 1)
      out += ",";
    return out + (dict || set ? "}" : v->isList ? "]" : ")");
  }
  if (auto *v = getIf<FunctionValue>())
    return "<jit function " + v->function->qualifiedName + ">";
  if (auto *v = getIf<BuiltinValue>())
    return "<function " + v->builtin->name.str() + ">";
  if (auto *v = getIf<TensorValue>())
    return v->type.str();
  if (auto *r = getIf<std::shared_ptr<RangeValue>>()) {
    auto part = [](const std::shared_ptr<Value> &p) { return p ? p->repr() : "None"; };
    return "range(" + part((*r)->lower) + ", " + part((*r)->upper) + ", " + part((*r)->step) + ")";
  }
  if (auto *s = getIf<SliceValue>()) {
    auto part = [](const std::shared_ptr<Value> &p) { return p ? p->repr() : "None"; };
    return "slice(" + part(s->lower) + ", " + part(s->upper) + ", " + part(s->step) + ")";
  }
  return isNone() ? "None" : "<" + describe() + ">";
}

} // namespace tilerun
