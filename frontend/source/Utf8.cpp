// UTF-8 decoding by the rules of the Unicode standard, table 3-7 (no overlong forms, no
// surrogates).
#include "frontend/source/Utf8.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;

namespace tilerun {

DecodedChar decodeUtf8(StringRef text, size_t pos) {
  auto byteAt = [&](size_t i) -> unsigned {
    return pos + i < text.size() ? static_cast<unsigned char>(text[pos + i]) : 0;
  };
  auto isTail = [&](size_t i) { return (byteAt(i) & 0xC0) == 0x80; };
  unsigned lead = byteAt(0);
  if (lead < 0x80)
    return {lead, 1, true};
  if (lead >= 0xC2 && lead <= 0xDF && isTail(1))
    return {(lead & 0x1F) << 6 | (byteAt(1) & 0x3F), 2, true};
  if (lead >= 0xE0 && lead <= 0xEF && isTail(1) && isTail(2)) {
    uint32_t c = (lead & 0x0F) << 12 | (byteAt(1) & 0x3F) << 6 | (byteAt(2) & 0x3F);
    if (c >= 0x800 && (c < 0xD800 || c > 0xDFFF))
      return {c, 3, true};
  }
  if (lead >= 0xF0 && lead <= 0xF4 && isTail(1) && isTail(2) && isTail(3)) {
    uint32_t c = (lead & 0x07) << 18 | (byteAt(1) & 0x3F) << 12 | (byteAt(2) & 0x3F) << 6 |
                 (byteAt(3) & 0x3F);
    if (c >= 0x10000 && c <= 0x10FFFF)
      return {c, 4, true};
  }
  return {lead, 1, false};
}

void appendUtf8(uint32_t c, SmallVectorImpl<char> &out) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
    return;
  }
  if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | c >> 6));
  } else {
    if (c < 0x10000) {
      out.push_back(static_cast<char>(0xE0 | c >> 12));
    } else {
      out.push_back(static_cast<char>(0xF0 | c >> 18));
      out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    }
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
  }
  out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
}

int columnWidth(const DecodedChar &c, StringRef bytes) {
  if (!c.valid || c.codePoint < 0x20 || c.codePoint == 0x7F)
    return -1;
  if (c.codePoint < 0x7F)
    return 1;
  int width = sys::unicode::columnWidthUTF8(bytes);
  return width < 0 || width > 2 ? -1 : width;
}

std::string formatCodePoint(uint32_t codePoint) {
  std::string digits = utohexstr(codePoint);
  if (digits.size() < 4)
    digits.insert(0, 4 - digits.size(), '0');
  return "U+" + digits;
}

} // namespace tilerun
