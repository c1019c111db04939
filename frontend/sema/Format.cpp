// Python's format mini-language for f-strings in messages:
// [[fill]align][sign][#][0][width][,][.precision][type].
#include "frontend/sema/ConstEval.h"
#include "frontend/types/Text.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tilerun::sema {

namespace {
struct Spec {
  char fill = ' ', align = 0, sign = '-', type = 0, group = 0;
  bool alternate = false;
  unsigned width = 0;
  std::optional<unsigned> precision;
};
constexpr unsigned kMaxWidth = 1000;
constexpr size_t kMaxParts = 4096; ///< Of a text that is split.
} // namespace

static bool parseSpec(llvm::StringRef text, Spec &spec) {
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  if (text.size() >= 2 && isAlign(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    text = text.drop_front(2);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.alternate = text.consume_front("#");
  if (text.consume_front("0") && !spec.align) {
    spec.fill = '0';
    spec.align = '=';
  }
  auto number = [&](unsigned &out) {
    llvm::StringRef digits = text.take_while(llvm::isDigit);
    text = text.drop_front(digits.size());
    return !digits.getAsInteger(10, out) && out <= kMaxWidth;
  };
  if (!text.empty() && llvm::isDigit(text[0]) && !number(spec.width))
    return false;
  if (!text.empty() && (text[0] == ',' || text[0] == '_')) {
    spec.group = text[0];
    text = text.drop_front();
  }
  if (text.consume_front(".")) {
    unsigned precision = 0;
    if (!number(precision))
      return false;
    spec.precision = precision;
  }
  if (!text.empty()) {
    spec.type = text[0];
    text = text.drop_front();
  }
  return text.empty();
}

/// Puts sign, prefix and body into the width.
static std::string pad(const Spec &spec, const std::string &prefix, const std::string &body,
                       char defaultAlign) {
  size_t size = prefix.size() + body.size();
  size_t missing = spec.width > size ? spec.width - size : 0;
  char align = spec.align ? spec.align : defaultAlign;
  if (align == '=')
    return prefix + std::string(missing, spec.fill) + body;
  size_t left = align == '<' ? 0 : align == '>' ? missing : missing / 2;
  return std::string(left, spec.fill) + prefix + body + std::string(missing - left, spec.fill);
}

static std::string group(const std::string &digits, char separator) {
  size_t whole = std::min(digits.find_first_not_of("0123456789"), digits.size());
  std::string out;
  for (size_t i = 0; i < whole; ++i) {
    if (i && (whole - i) % 3 == 0)
      out += separator;
    out += digits[i];
  }
  return out + digits.substr(whole);
}

static std::string signOf(const Spec &spec, bool negative) {
  return negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

static std::string formatIntegerSpec(const Spec &spec, PyInt value) {
  unsigned __int128 magnitude =
      value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  unsigned base = spec.type == 'x' || spec.type == 'X' ? 16
                  : spec.type == 'o'                   ? 8
                  : spec.type == 'b'                   ? 2
                                                       : 10;
  std::string digits;
  do {
    digits.insert(digits.begin(),
                  (spec.type == 'X' ? "0123456789ABCDEF"
                                    : "0123456789abcdef")[static_cast<unsigned>(magnitude % base)]);
    magnitude /= base;
  } while (magnitude != 0);
  if (spec.group && base == 10)
    digits = group(digits, spec.group);
  std::string prefix = signOf(spec, value < 0);
  if (spec.alternate && base != 10)
    prefix += std::string("0") + spec.type;
  return pad(spec, prefix, digits, '>');
}

static std::string formatFloatSpec(const Spec &spec, double value) {
  double magnitude = std::fabs(value);
  std::string body;
  if (spec.type == 0 && !spec.precision) {
    body = formatFloat(magnitude);
  } else {
    char type = spec.type == 0 ? 'g' : spec.type == '%' ? 'f' : spec.type;
    std::string format = std::string(spec.alternate ? "%#.*" : "%.*") + type;
    // Widest case: 309 digits before the point, kMaxWidth after it.
    char buffer[kMaxWidth + 400];
    snprintf(buffer, sizeof(buffer), format.c_str(), static_cast<int>(spec.precision.value_or(6)),
             spec.type == '%' ? magnitude * 100 : magnitude);
    body = buffer;
    if (spec.type == '%')
      body += '%';
  }
  if (spec.group)
    body = group(body, spec.group);
  return pad(spec, signOf(spec, std::signbit(value)), body, '>');
}

ConstResult formatValue(const Value &value, char conversion, llvm::StringRef text) {
  if (const OpaqueValue *unknown = value.findUnknown())
    return ConstResult::dependsOn(*unknown);
  std::string plain =
      value.is<std::string>() && conversion != 'r' && conversion != 'a' ? value.get<std::string>()
      : value.is<DType>() && conversion != 'r' && conversion != 'a' ? getTextOf(value.get<DType>())
                                                                    : value.repr();
  if (text.empty())
    return {Value(std::move(plain)), ""};
  Spec spec;
  auto bad = [&](llvm::StringRef what) {
    return ConstResult::failure("format '" + text + "' does not apply to " + what);
  };
  if (!parseSpec(text, spec))
    return bad(value.describe());
  if (conversion == 0 && value.isConstNumber()) {
    bool isFloatType = spec.type && llvm::StringRef("eEfFgG%").contains(spec.type);
    if (auto *v = value.getIf<double>()) {
      if (spec.type && !isFloatType)
        return bad(value.describe());
      return {Value(formatFloatSpec(spec, *v)), ""};
    }
    if (value.is<bool>() && !spec.type)
      return {Value(pad(spec, "", plain, '<')), ""};
    PyInt v = value.is<bool>() ? PyInt(value.get<bool>()) : value.get<PyInt>();
    if (isFloatType)
      return {Value(formatFloatSpec(spec, static_cast<double>(v))), ""};
    if (spec.precision || (spec.type && !llvm::StringRef("dxXobn").contains(spec.type)))
      return bad(value.describe());
    return {Value(formatIntegerSpec(spec, v)), ""};
  }
  if ((spec.type && spec.type != 's') || spec.align == '=')
    return bad(value.describe());
  if (spec.precision)
    plain = plain.substr(0, *spec.precision);
  return {Value(pad(spec, "", plain, '<')), ""};
}

//===----------------------------------------------------------------------===//
// Methods of strings
//===----------------------------------------------------------------------===//

/// Whether a text begins (or ends) with a string or one of a tuple of strings.
static ConstResult testEnds(llvm::StringRef text, const Value &given, bool atStart) {
  std::vector<Value> options = {given};
  if (const TupleValue *several = given.getSequence())
    options = several->elements;
  bool found = false;
  for (const Value &option : options) {
    auto *part = option.getIf<std::string>();
    if (!part)
      return ConstResult::failure("a string or a tuple of strings is expected, not " +
                                  option.describe());
    found |= atStart ? text.starts_with(*part) : text.ends_with(*part);
  }
  return {Value(found), ""};
}

static ConstResult joinTexts(llvm::StringRef separator, const Value &given) {
  const TupleValue *parts = given.getSequence();
  if (!parts)
    return ConstResult::failure("a tuple of strings is expected, not " + given.describe());
  std::string out;
  for (const Value &part : parts->elements) {
    if (!part.is<std::string>())
      return ConstResult::failure("strings are expected, not " + part.describe());
    if (&part != parts->elements.data())
      out += separator;
    out += part.get<std::string>();
    if (out.size() > kMaxSequence)
      return ConstResult::failure("the string would have more than 65536 bytes");
  }
  return {Value(std::move(out)), ""};
}

static ConstResult replaceText(llvm::StringRef text, llvm::StringRef from, llvm::StringRef to) {
  if (from.empty())
    return ConstResult::failure("the text to replace is empty");
  std::string out;
  for (size_t at = text.find(from); at != llvm::StringRef::npos; at = text.find(from)) {
    out += text.take_front(at);
    out += to;
    text = text.drop_front(at + from.size());
    if (out.size() > kMaxSequence)
      return ConstResult::failure("the string would have more than 65536 bytes");
  }
  out += text;
  return {Value(std::move(out)), ""};
}

/// The parts of a text between blanks, or between `separator`s.
static ConstResult splitText(llvm::StringRef text, const std::string *separator) {
  if (separator && separator->empty())
    return ConstResult::failure("the separator is empty");
  llvm::SmallVector<llvm::StringRef> parts;
  if (separator)
    text.split(parts, *separator);
  else
    llvm::SplitString(text, parts, " \t\n\r\v\f");
  if (parts.size() > kMaxParts)
    return ConstResult::failure("the string has more than 4096 parts");
  auto out = std::make_shared<TupleValue>();
  out->isList = true;
  for (llvm::StringRef part : parts)
    out->elements.push_back(Value(part.str()));
  return {Value(std::move(out)), ""};
}

std::optional<ConstResult> callNumberMethod(const Value &number, llvm::StringRef method,
                                            llvm::ArrayRef<Value> args) {
  if (!args.empty())
    return std::nullopt;
  if (auto *real = number.getIf<double>(); real && method == "is_integer")
    return ConstResult{Value(std::isfinite(*real) && std::floor(*real) == *real), ""};
  PyInt value = number.is<bool>()    ? PyInt(number.get<bool>())
                : number.is<PyInt>() ? number.get<PyInt>()
                                     : 0;
  if (number.is<double>() || (method != "bit_length" && method != "bit_count"))
    return std::nullopt;
  PyInt count = 0;
  for (unsigned __int128 rest = value < 0 ? -static_cast<unsigned __int128>(value)
                                          : static_cast<unsigned __int128>(value);
       rest; rest >>= 1)
    count += method == "bit_length" ? 1 : static_cast<PyInt>(rest & 1);
  return ConstResult{Value(count), ""};
}

std::optional<ConstResult> callStringMethod(llvm::StringRef text, llvm::StringRef method,
                                            llvm::ArrayRef<Value> args) {
  auto *first = args.empty() ? nullptr : args[0].getIf<std::string>();
  auto *second = args.size() < 2 ? nullptr : args[1].getIf<std::string>();
  auto result = [](auto value) { return ConstResult{Value(std::move(value)), ""}; };
  if (method == "startswith" && args.size() == 1)
    return testEnds(text, args[0], /*atStart=*/true);
  if (method == "endswith" && args.size() == 1)
    return testEnds(text, args[0], /*atStart=*/false);
  if (method == "join" && args.size() == 1)
    return joinTexts(text, args[0]);
  if (method == "replace" && args.size() == 2 && first && second)
    return replaceText(text, *first, *second);
  if (method == "lower" && args.empty())
    return result(text.lower());
  if (method == "upper" && args.empty())
    return result(text.upper());
  llvm::StringRef blanks = first ? llvm::StringRef(*first) : " \t\n\r\v\f";
  bool strips = args.empty() || (args.size() == 1 && first);
  if (method == "strip" && strips)
    return result(text.trim(blanks).str());
  if (method == "lstrip" && strips)
    return result(text.ltrim(blanks).str());
  if (method == "rstrip" && strips)
    return result(text.rtrim(blanks).str());
  if (method == "find" && args.size() == 1 && first) {
    size_t at = text.find(*first);
    return result(at == llvm::StringRef::npos ? PyInt(-1) : PyInt(at));
  }
  if (method == "split" && (args.empty() || (args.size() == 1 && (first || args[0].isNone()))))
    return splitText(text, first);
  if (method == "count" && args.size() == 1 && first && !first->empty())
    return result(PyInt(text.count(*first)));
  if (method == "removeprefix" && args.size() == 1 && first) {
    text.consume_front(*first);
    return result(text.str());
  }
  if (method == "removesuffix" && args.size() == 1 && first) {
    text.consume_back(*first);
    return result(text.str());
  }
  if (method == "isdigit" && args.empty())
    return result(!text.empty() && llvm::all_of(text, [](char c) { return c >= '0' && c <= '9'; }));
  return std::nullopt;
}

} // namespace tilerun::sema
