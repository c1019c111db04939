// Tables over the list of tokens.
#include "frontend/lex/Token.h"

#include "llvm/ADT/StringSwitch.h"

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
  for (const auto &entry : kTable)
    if (entry.spelling[0] == text[0] && text.starts_with(entry.spelling))
      return entry.kind;
  return TokenKind::Error;
}

} // namespace tilerun
