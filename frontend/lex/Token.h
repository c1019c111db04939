// Tokens: a kind and the bytes it covers. Small, because a file may have millions of them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tilerun {

enum class TokenKind : uint8_t {
#define TOKEN(Name, Text) Name,
#include "frontend/lex/Tokens.def"
};

struct Token {
  TokenKind kind = TokenKind::Eof;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool is(TokenKind k) const { return kind == k; }
};

/// The spelling of a keyword or an operator; the name of any other token in messages.
llvm::StringRef getTokenText(TokenKind kind);
bool isKeyword(TokenKind kind);
bool isPunctuation(TokenKind kind);

/// The keyword with this spelling, or `Name`.
TokenKind classifyName(llvm::StringRef text);
/// The longest operator that `text` begins with, or `Error`.
TokenKind matchPunctuation(llvm::StringRef text);

} // namespace tilerun
