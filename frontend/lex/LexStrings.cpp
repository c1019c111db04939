// Strings and f-strings. An f-string is a mode of the lexer (frames FString, Field, FormatSpec),
// as PEP 701 has it: any expression may stand in a field, quotes and line ends included.
#include "frontend/lex/Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilerun {

bool Lexer::isStringPrefix(StringRef prefix) const {
  if (prefix.size() > 2)
    return false;
  std::string lower = prefix.lower();
  return lower == "r" || lower == "b" || lower == "u" || lower == "f" || lower == "rb" ||
         lower == "br" || lower == "rf" || lower == "fr";
}

bool Lexer::atQuote(char quote, bool triple) const {
  if (peek() != quote)
    return false;
  return !triple || (peek(1) == quote && peek(2) == quote);
}

/// At a backslash: skips it and the character that it escapes.
void Lexer::skipEscape(bool raw) {
  ++pos;
  if (atEnd())
    return;
  if (atNewline()) {
    skipNewline();
    return;
  }
  if (!raw && peek() == 'N' && peek(1) == '{') {
    // A character name ends on the same line.
    size_t close = text.find_first_of("}\n\r\"'", pos);
    if (close != StringRef::npos && text[close] == '}') {
      pos = close + 1;
      return;
    }
  }
  ++pos;
}

/// After an error inside one-line f-strings: forget them, so that the line end counts again.
void Lexer::dropBrokenFStrings() {
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].kind != FrameKind::FString || frames[i].triple)
      continue;
    frames.truncate(i);
    overflow = 0;
    break;
  }
  numFStrings = llvm::count_if(frames, [](const Frame &f) { return f.kind == FrameKind::FString; });
}

Token Lexer::unterminated(uint32_t begin, bool triple, StringRef what) {
  // A quote where a field of a one-line f-string should end is most likely the f-string's own end.
  const Frame *field = nullptr, *outer = nullptr;
  for (const Frame &frame : frames) {
    if (frame.kind == FrameKind::Field)
      field = &frame;
    else if (frame.kind == FrameKind::FString)
      outer = &frame;
  }
  if (field && outer && !outer->triple && !triple && text[begin] == outer->quote)
    report(field->begin, begin,
           "expected '}' to end this replacement field before the f-string ends");
  else if (triple)
    report(begin, std::min<size_t>(begin + 4, text.size()),
           "unterminated triple-quoted " + what + "; the closing quotes are missing");
  else
    report(begin, pos, "unterminated " + what + "; add the closing quote on this line");
  dropBrokenFStrings();
  return make(TokenKind::Error, begin);
}

Token Lexer::lexString(uint32_t begin, StringRef prefix) {
  char quote = text[pos];
  bool triple = peek(1) == quote && peek(2) == quote;
  bool raw = prefix.contains_insensitive('r');
  pos += triple ? 3 : 1;
  if (prefix.contains_insensitive('f')) {
    if (getNesting() < kMaxNesting) {
      Frame frame{FrameKind::FString};
      frame.triple = triple;
      frame.raw = raw;
      frame.quote = quote;
      frame.begin = begin;
      frame.end = pos;
      frames.push_back(frame);
      ++numFStrings;
      return make(TokenKind::FStringStart, begin);
    }
    report(begin, pos,
           "brackets are nested more than " + Twine(kMaxNesting) + " deep; use variables");
  }
  while (true) {
    // Jump over the plain characters.
    if (triple) {
      size_t stop = text.find_first_of(quote == '"' ? StringRef("\"\\") : StringRef("'\\"), pos);
      pos = stop == StringRef::npos ? text.size() : stop;
    } else {
      while (!atEnd() && text[pos] != quote && text[pos] != '\\' && !atNewline())
        ++pos;
    }
    if (atEnd() || (!triple && atNewline()))
      return unterminated(begin, triple, "string");
    if (text[pos] == '\\') {
      skipEscape(/*raw=*/true);
      if (pos > text.size())
        pos = text.size();
      continue;
    }
    if (atQuote(quote, triple)) {
      pos += triple ? 3 : 1;
      return make(TokenKind::String, begin);
    }
    ++pos;
  }
}

/// Text of an f-string or of a format specification, up to the next field or the end.
Token Lexer::lexFStringText() {
  bool inSpec = isTop(FrameKind::FormatSpec);
  const Frame *string = &frames.back();
  while (string->kind != FrameKind::FString)
    --string;
  const Frame fstring = *string;
  uint32_t begin = pos;
  auto middle = [&] { return make(TokenKind::FStringMiddle, begin); };

  while (true) {
    if (pos > text.size())
      pos = text.size();
    if (atEnd() || (!fstring.triple && atNewline())) {
      if (fstring.triple) {
        report(fstring.begin, fstring.end,
               "unterminated triple-quoted f-string; the closing quotes are missing");
        frames.clear();
        overflow = numFStrings = 0;
      } else {
        report(fstring.begin, pos, "unterminated f-string; add the closing quote on this line");
        dropBrokenFStrings();
      }
      return make(TokenKind::Error, begin);
    }
    if (atQuote(fstring.quote, fstring.triple)) {
      if (pos > begin)
        return middle();
      if (inSpec) {
        frames.pop_back();
        report(frames.back().begin, pos,
               "expected '}' to end this replacement field before the f-string ends");
        while (frames.back().kind != FrameKind::FString)
          frames.pop_back();
      }
      pos += fstring.triple ? 3 : 1;
      frames.pop_back();
      --numFStrings;
      return make(TokenKind::FStringEnd, begin);
    }
    char c = text[pos];
    if (c == '\\') {
      // Braces keep their meaning after a backslash.
      if (peek(1) == '{' || peek(1) == '}')
        ++pos;
      else
        skipEscape(fstring.raw);
      continue;
    }
    if (c == '{' && !inSpec && peek(1) == '{') {
      pos += 2;
      continue;
    }
    if (c == '{') {
      if (pos > begin)
        return middle();
      ++pos;
      if (getNesting() >= kMaxNesting) {
        report(begin, pos,
               "brackets are nested more than " + Twine(kMaxNesting) + " deep; use variables");
        return make(TokenKind::Error, begin);
      }
      openBracket(FrameKind::Field, begin);
      return make(TokenKind::LBrace, begin);
    }
    if (c == '}') {
      if (!inSpec && peek(1) == '}') {
        pos += 2;
        continue;
      }
      if (pos > begin)
        return middle();
      ++pos;
      if (inSpec) {
        frames.pop_back(); // The format,
        frames.pop_back(); // and the field that it belongs to.
        return make(TokenKind::RBrace, begin);
      }
      report(begin, pos, "single '}' in an f-string; write '}}' for the character itself");
      return make(TokenKind::Error, begin);
    }
    ++pos;
  }
}

} // namespace tilerun
