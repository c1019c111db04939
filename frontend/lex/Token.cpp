// Tables over the list of tokens.
#include "frontend/lex/Token.h"

#include "llvm/ADT/StringSwitch.h"

#include <array>

using namespace llvm;

namespace tilerun {

StringRef getTokenText(TokenKind kind) {
  switch (kind) {
#define TOKEN(Name, Text)                                                                          \
  case TokenKind::Name:                                                                            \
    return Text;
#include "frontend/lex/Tokens.def"
  }
  llvm_unreachable("all tokens have a text");
}

bool isKeyword(TokenKind kind) { return kind >= TokenKind::KwFalse && kind <= TokenKind::KwYield; }

bool isPunctuation(TokenKind kind) { return kind >= TokenKind::PowEqual; }

TokenKind classifyName(StringRef text) {
  if (text.size() < 2 || text.size() > 8)
    return TokenKind::Name;
  return StringSwitch<TokenKind>(text)
#define TOKEN(Name, Text)
#define PUNCT(Name, Text)
#define KEYWORD(Name, Text) .Case(Text, TokenKind::Name)
#include "frontend/lex/Tokens.def"
      .Default(TokenKind::Name);
}

TokenKind matchPunctuation(StringRef text) {
  static constexpr struct {
    StringLiteral spelling;
    TokenKind kind;
  } kTable[] = {
#define TOKEN(Name, Text)
#define KEYWORD(Name, Text)
#define PUNCT(Name, Text) {Text, TokenKind::Name},
#include "frontend/lex/Tokens.def"
  };
  // Where each first character's entries begin, so that most of the table is never looked at.
  static const std::array<uint8_t, 128> kFirst = [] {
    std::array<uint8_t, 128> first;
    first.fill(std::size(kTable));
    for (size_t i = std::size(kTable); i-- > 0;)
      first[static_cast<unsigned char>(kTable[i].spelling[0])] = i;
    return first;
  }();
  unsigned char c = text[0];
  for (size_t i = c < 128 ? kFirst[c] : std::size(kTable); i < std::size(kTable); ++i)
    if (text.starts_with(kTable[i].spelling))
      return kTable[i].kind;
  return TokenKind::Error;
}

} // namespace tilerun
