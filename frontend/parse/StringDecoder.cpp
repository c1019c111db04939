// Escapes in string bodies. Unknown escapes keep their backslash, as in Python.
#include "frontend/parse/ParserImpl.h"
#include "frontend/source/Utf8.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;

namespace tilerun::parse {
namespace {

class Decoder {
public:
  Decoder(StringRef body, DecodeOptions options, std::string &out, DecodeError &error)
      : body(body), options(options), out(out), error(error) {}

  bool run() {
    while (pos < body.size()) {
      char c = body[pos];
      if (c == '\\') {
        if (!(options.raw ? rawBackslash() : escape()))
          return false;
      } else if (c == '\r') {
        newline();
        out.push_back('\n');
      } else if (options.fstring && (c == '{' || c == '}') && pos + 1 < body.size() &&
                 body[pos + 1] == c) {
        out.push_back(c);
        pos += 2;
      } else if (static_cast<unsigned char>(c) < 0x80) {
        out.push_back(c);
        ++pos;
      } else if (!wideCharacter()) {
        return false;
      }
    }
    return true;
  }

private:
  bool fail(size_t begin, const Twine &message) {
    error = {message.str(), begin, std::max(pos, begin + 1)};
    return false;
  }
  void newline() { pos += body.substr(pos).starts_with("\r\n") ? 2 : 1; }

  bool wideCharacter() {
    DecodedChar c = decodeUtf8(body, pos);
    if (!c.valid)
      return fail(pos, "byte 0x" + utohexstr(c.codePoint, false, 2) +
                           " in this string is not UTF-8; save the file as UTF-8, or write \\x" +
                           utohexstr(c.codePoint, true, 2));
    if (options.bytes)
      return fail(pos, "a bytes literal holds ASCII characters only; write others as \\xNN");
    out.append(body.substr(pos, c.length));
    pos += c.length;
    return true;
  }

  bool rawBackslash() {
    out.push_back('\\');
    ++pos;
    return true;
  }

  bool hex(size_t begin, unsigned digits, uint32_t &value) {
    value = 0;
    for (unsigned i = 0; i < digits; ++i, ++pos) {
      unsigned digit = pos < body.size() ? hexDigitValue(body[pos]) : ~0u;
      if (digit == ~0u)
        return fail(begin, "this escape needs " + Twine(digits) + " hexadecimal digits");
      value = value * 16 + digit;
    }
    return true;
  }

  void put(uint32_t value) {
    if (options.bytes) {
      out.push_back(static_cast<char>(value));
      return;
    }
    SmallString<4> utf8;
    appendUtf8(value, utf8);
    out.append(utf8.data(), utf8.size());
  }

  bool namedCharacter(size_t begin) {
    size_t close = body.find('}', pos);
    if (pos >= body.size() || body[pos] != '{' || close == StringRef::npos)
      return fail(begin, "\\N needs a character name in braces, as in \\N{BULLET}");
    StringRef name = body.slice(pos + 1, close);
    pos = close + 1;
    // Names are shorter than this; the table's search takes time with the length.
    std::optional<char32_t> value;
    if (!name.empty() && name.size() <= 100)
      value = sys::unicode::nameToCodepointStrict(name.upper());
    if (!value)
      return fail(begin, "no Unicode character has this name");
    put(*value);
    return true;
  }

  bool escape() {
    size_t begin = pos++;
    if (pos >= body.size()) {
      out.push_back('\\');
      return true;
    }
    char c = body[pos];
    switch (c) {
    case '\n':
    case '\r':
      newline();
      return true;
    case '\\':
    case '\'':
    case '"':
      out.push_back(c);
      break;
    case 'a':
      out.push_back('\a');
      break;
    case 'b':
      out.push_back('\b');
      break;
    case 'f':
      out.push_back('\f');
      break;
    case 'n':
      out.push_back('\n');
      break;
    case 'r':
      out.push_back('\r');
      break;
    case 't':
      out.push_back('\t');
      break;
    case 'v':
      out.push_back('\v');
      break;
    case 'x': {
      ++pos;
      uint32_t value;
      if (!hex(begin, 2, value))
        return false;
      put(value);
      return true;
    }
    case 'u':
    case 'U': {
      if (options.bytes)
        return unknown(c);
      ++pos;
      uint32_t value;
      if (!hex(begin, c == 'u' ? 4 : 8, value))
        return false;
      if (value > 0x10FFFF)
        return fail(begin, "Unicode characters end at \\U0010FFFF");
      put(value);
      return true;
    }
    case 'N':
      if (options.bytes)
        return unknown(c);
      ++pos;
      return namedCharacter(begin);
    default:
      if (c >= '0' && c <= '7') {
        uint32_t value = 0;
        for (unsigned i = 0; i < 3 && pos < body.size() && body[pos] >= '0' && body[pos] <= '7';
             ++i)
          value = value * 8 + (body[pos++] - '0');
        put(options.bytes ? value & 0xFF : value);
        return true;
      }
      // The character itself may be more than one byte, or a doubled brace.
      out.push_back('\\');
      return true;
    }
    ++pos;
    return true;
  }

  bool unknown(char c) {
    out.push_back('\\');
    out.push_back(c);
    ++pos;
    return true;
  }

  StringRef body;
  DecodeOptions options;
  std::string &out;
  DecodeError &error;
  size_t pos = 0;
};

} // namespace

bool decodeString(StringRef body, DecodeOptions options, std::string &out, DecodeError &error) {
  return Decoder(body, options, out, error).run();
}

} // namespace tilerun::parse
