// Numbers: integers of four bases, floats and imaginary numbers, with underscores between digits.
#include "frontend/lex/Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilerun {

Token Lexer::lexNumber() {
  uint32_t begin = pos;
  TokenKind kind = TokenKind::Int;
  StringRef problem;
  // Digits with single underscores between them; false if there are none.
  auto digits = [&](auto isDigitOf, bool underscoreFirst) {
    size_t start = pos;
    bool lastUnderscore = !underscoreFirst;
    while (!atEnd()) {
      if (text[pos] == '_') {
        if (lastUnderscore)
          break;
        lastUnderscore = true;
      } else if (isDigitOf(text[pos])) {
        lastUnderscore = false;
      } else {
        break;
      }
      ++pos;
    }
    if (pos > start && text[pos - 1] == '_')
      problem = "'_' must be between two digits";
    return pos > start;
  };
  auto decimal = [](char c) { return isDigit(c); };

  char marker = toLower(peek(1));
  if (peek() == '0' && (marker == 'x' || marker == 'o' || marker == 'b')) {
    pos += 2;
    bool any = marker == 'x'   ? digits([](char c) { return isHexDigit(c); }, true)
               : marker == 'o' ? digits([](char c) { return c >= '0' && c <= '7'; }, true)
                               : digits([](char c) { return c == '0' || c == '1'; }, true);
    if (!any)
      problem = "digits are missing";
    else if (!atEnd() && isDigit(text[pos]))
      problem = marker == 'o' ? "octal digits are 0 to 7" : "binary digits are 0 and 1";
  } else {
    if (peek() != '.')
      digits(decimal, false);
    StringRef whole = text.slice(begin, pos);
    if (peek() == '.') {
      kind = TokenKind::Float;
      ++pos;
      if (isDigit(peek()))
        digits(decimal, false);
    }
    if (toLower(peek()) == 'e' &&
        (isDigit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && isDigit(peek(2))))) {
      kind = TokenKind::Float;
      pos += 2;
      digits(decimal, false);
    }
    if (toLower(peek()) == 'j') {
      kind = TokenKind::Imaginary;
      ++pos;
    }
    if (kind == TokenKind::Int && whole.starts_with("0") &&
        whole.find_first_not_of("0_") != StringRef::npos)
      problem = "decimal integers have no leading zeros; write 0o for octal";
  }
  // `1if x else y` is allowed: a keyword may follow immediately.
  size_t numberEnd = pos;
  if (!atEnd() && (isAlnum(text[pos]) || text[pos] == '_')) {
    while (!atEnd() && (isAlnum(text[pos]) || text[pos] == '_'))
      ++pos;
    switch (classifyName(text.slice(numberEnd, pos))) {
    case TokenKind::KwAnd:
    case TokenKind::KwElse:
    case TokenKind::KwFor:
    case TokenKind::KwIf:
    case TokenKind::KwIn:
    case TokenKind::KwIs:
    case TokenKind::KwNot:
    case TokenKind::KwOr:
      pos = numberEnd;
      break;
    default:
      if (problem.empty())
        problem = "a name cannot begin with a digit, and a number has no such suffix";
    }
  }
  if (!problem.empty()) {
    report(begin, pos,
           "invalid number '" + text.slice(begin, std::min<size_t>(pos, begin + 40)) +
               "': " + problem);
    kind = TokenKind::Error;
  }
  return make(kind, begin);
}

} // namespace tilerun
