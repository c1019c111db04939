// UTF-8 as source files really contain it: decoding that never fails to make progress, and the
// width of a character on a terminal. Shared by the lexer and the diagnostic printer.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tilerun {

struct DecodedChar {
  uint32_t codePoint = 0;
  unsigned length = 1; ///< Bytes taken, at least 1.
  bool valid = true;   ///< False: a byte that begins no well-formed sequence.
};

/// Decodes the character at `text[pos]`; `pos` must be inside the text.
DecodedChar decodeUtf8(llvm::StringRef text, size_t pos);

/// Appends a code point; surrogates are written as three bytes like any other.
void appendUtf8(uint32_t codePoint, llvm::SmallVectorImpl<char> &out);

/// Columns that a character takes: 0, 1 or 2; -1 if it cannot be printed as it is.
int columnWidth(const DecodedChar &c, llvm::StringRef bytes);

/// "U+201C"
std::string formatCodePoint(uint32_t codePoint);

} // namespace tilerun
