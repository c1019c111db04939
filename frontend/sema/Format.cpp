// Python's format mini-language for f-strings in messages:
// [[fill]align][sign][#][0][width][,][.precision][type].
#include "frontend/sema/ConstEval.h"

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
    // Widest case: 309 digits before the point, kMaxWidth behind it.
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
  std::string plain = value.is<std::string>() && conversion != 'r' && conversion != 'a'
                          ? value.get<std::string>()
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

} // namespace tilerun::sema
