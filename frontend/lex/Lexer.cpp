// Lines, indentation, names and operators. Numbers are in LexNumbers.cpp, strings in
// LexStrings.cpp.
#include "frontend/lex/Lexer.h"
#include "frontend/source/Utf8.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilerun {

bool isNameChar(uint32_t c) {
  if (c < 0x80)
    return isAlnum(static_cast<char>(c)) || c == '_';
  // Blocks of letters, marks and digits, coarsely: what is left out are punctuation, symbols,
  // spaces, format characters, surrogates and private use.
  static constexpr std::pair<uint32_t, uint32_t> kRanges[] = {
      {0xAA, 0xAA},       {0xB5, 0xB5},       {0xB7, 0xB7},       {0xBA, 0xBA},
      {0xC0, 0xD6},       {0xD8, 0xF6},       {0xF8, 0x167F},     {0x1681, 0x180D},
      {0x180F, 0x1FFF},   {0x200C, 0x200D},   {0x203F, 0x2040},   {0x2054, 0x2054},
      {0x2071, 0x2071},   {0x207F, 0x207F},   {0x2090, 0x209C},   {0x20D0, 0x20FF},
      {0x2102, 0x2188},   {0x2C00, 0x2DFF},   {0x2E80, 0x2FFF},   {0x3005, 0x3007},
      {0x3021, 0x302F},   {0x3031, 0x3035},   {0x3038, 0x303C},   {0x3040, 0xD7FF},
      {0xF900, 0xFD3D},   {0xFD50, 0xFDCF},   {0xFDF0, 0xFDFB},   {0xFE00, 0xFE0F},
      {0xFE20, 0xFE2F},   {0xFE33, 0xFE34},   {0xFE4D, 0xFE4F},   {0xFE70, 0xFEFC},
      {0xFF10, 0xFF19},   {0xFF21, 0xFF3A},   {0xFF3F, 0xFF3F},   {0xFF41, 0xFF5A},
      {0xFF66, 0xFFDC},   {0x10000, 0x1EFFF}, {0x1FBF0, 0x1FBF9}, {0x20000, 0x3FFFD},
      {0xE0100, 0xE01EF},
  };
  for (auto [first, last] : kRanges)
    if (c >= first && c <= last)
      return true;
  return false;
}

Lexer::Lexer(const SourceManager &sources, uint32_t file, std::vector<LexError> *errors,
             uint32_t begin, uint32_t end)
    : sources(sources), text(sources.getText(file).take_front(end)), file(file), errors(errors),
      pos(begin) {
  if (pos == 0 && text.starts_with("\xEF\xBB\xBF"))
    pos = 3;
  // The indentation in front of `begin` is the outermost level.
  size_t lineStart = std::min(pos, text.size());
  while (lineStart > 0 && (text[lineStart - 1] == ' ' || text[lineStart - 1] == '\t'))
    --lineStart;
  Indent base{0, 0};
  for (size_t i = lineStart; i < pos; ++i) {
    base.column = text[i] == '\t' ? base.column / 8 * 8 + 8 : base.column + 1;
    ++base.altColumn;
  }
  indents.push_back(base);
  if (lineStart < pos)
    atLineStart = false;
}

Token Lexer::make(TokenKind kind, uint32_t begin) {
  lineHasTokens = true;
  return {kind, begin, static_cast<uint32_t>(pos)};
}

void Lexer::report(uint32_t begin, uint32_t end, const Twine &message) {
  if (errors)
    errors->push_back({{{file, begin}, end}, message.str(), std::nullopt});
}

void Lexer::report(uint32_t begin, uint32_t end, const Twine &message, uint32_t noteBegin,
                   uint32_t noteEnd, const Twine &note) {
  if (errors)
    errors->push_back(
        {{{file, begin}, end}, message.str(), Note{{{file, noteBegin}, noteEnd}, note.str()}});
}

void Lexer::skipNewline() {
  if (peek() == '\r' && peek(1) == '\n')
    ++pos;
  ++pos;
}

/// Skips blank lines, then compares the indentation of the line with the open blocks.
void Lexer::beginLine() {
  atLineStart = false;
  Indent indent{0, 0};
  while (!atEnd()) {
    char c = text[pos];
    if (c == ' ') {
      ++indent.column;
      ++indent.altColumn;
    } else if (c == '\t') {
      indent.column = indent.column / 8 * 8 + 8;
      ++indent.altColumn;
    } else if (c == '\f') {
      indent = {0, 0};
    } else if (c == '#') {
      while (!atEnd() && !atNewline())
        ++pos;
      continue;
    } else if (atNewline()) {
      skipNewline();
      indent = {0, 0};
      continue;
    } else {
      break;
    }
    ++pos;
  }
  if (atEnd())
    return;

  uint32_t at = pos;
  uint32_t lineStart = at;
  while (lineStart > 0 && isSpace(text[lineStart - 1]) && text[lineStart - 1] != '\n' &&
         text[lineStart - 1] != '\r')
    --lineStart;
  auto reportTabs = [&] {
    // Once is enough: the mistake usually goes through the whole file.
    if (reportedTabs)
      return;
    reportedTabs = true;
    report(lineStart, at,
           "indentation mixes tabs and spaces, so its depth depends on the tab size; use spaces "
           "only");
  };
  Indent top = indents.back();
  if (indent.column == top.column) {
    if (indent.altColumn != top.altColumn)
      reportTabs();
    return;
  }
  if (indent.column > top.column) {
    if (indent.altColumn <= top.altColumn)
      reportTabs();
    indents.push_back(indent);
    pendingIndent = true;
    return;
  }
  while (indents.size() > 1 && indent.column < indents.back().column) {
    indents.pop_back();
    ++pendingDedents;
  }
  if (indent.column != indents.back().column) {
    report(lineStart, at,
           "indentation of this line matches no enclosing block; align it with an earlier line");
    if (indent.column > indents.back().column && pendingDedents > 0) {
      // The last closed block continues at the new column, so that its other lines fit.
      indents.push_back(indent);
      --pendingDedents;
    }
  } else if (indent.altColumn != indents.back().altColumn) {
    reportTabs();
  }
}

/// True if the line at `pos` can only be a statement, so that an open bracket was forgotten.
bool Lexer::isStatementInBrackets() {
  if (numFStrings != 0)
    return false;
  auto wordAt = [&](size_t at) {
    size_t end = at;
    while (end < text.size() && (isAlnum(text[end]) || text[end] == '_'))
      ++end;
    return text.slice(at, end);
  };
  size_t at = pos;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\f'))
    ++at;
  if (at >= text.size())
    return false;
  size_t indentation = at - pos;
  if (text[at] == '@') {
    // A decorator, if the next line of the same indentation is one too, or a definition.
    size_t line = at;
    // Bounded in all, so that files full of such lines do not take quadratic time.
    for (unsigned i = 0; i < 100 && peekedLines < 100'000; ++i, ++peekedLines) {
      line = text.find('\n', line);
      if (line == StringRef::npos)
        return false;
      size_t first = text.find_first_not_of(" \t", ++line);
      if (first == StringRef::npos || first - line != indentation ||
          StringRef(")]}").contains(text[first]))
        continue;
      StringRef word = wordAt(first);
      if (word == "def" || word == "class" || word == "async")
        return true;
      if (text[first] != '@')
        return false;
    }
    return false;
  }
  if (!isAlpha(text[at]))
    return false;
  switch (classifyName(wordAt(at))) {
  case TokenKind::KwDef:
  case TokenKind::KwClass:
  case TokenKind::KwReturn:
  case TokenKind::KwImport:
  case TokenKind::KwWhile:
  case TokenKind::KwWith:
  case TokenKind::KwPass:
  case TokenKind::KwBreak:
  case TokenKind::KwContinue:
  case TokenKind::KwRaise:
  case TokenKind::KwTry:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
  case TokenKind::KwAssert:
  case TokenKind::KwDel:
  case TokenKind::KwGlobal:
  case TokenKind::KwNonlocal:
  case TokenKind::KwElif:
    return true;
  default:
    return false;
  }
}

/// Skips blanks, comments and joined lines. True if that ended a logical line (`out`).
bool Lexer::skipBlanks(Token &out) {
  while (!atEnd()) {
    char c = text[pos];
    if (c == ' ' || c == '\t' || c == '\f') {
      ++pos;
    } else if (c == '#') {
      while (!atEnd() && !atNewline())
        ++pos;
    } else if (c == '\\') {
      uint32_t begin = pos++;
      if (atNewline()) {
        skipNewline();
        if (atEnd())
          report(begin, begin + 1, "'\\' joins this line with the next one, but the file ends");
        continue;
      }
      size_t blanks = pos;
      while (blanks < text.size() && (text[blanks] == ' ' || text[blanks] == '\t'))
        ++blanks;
      bool onlyBlanks = blanks >= text.size() || text[blanks] == '\n' || text[blanks] == '\r';
      report(begin, begin + 1,
             onlyBlanks ? "blanks after '\\'; it joins lines only as the last character of a line"
                        : "unexpected '\\'; outside strings it can only end a line");
      if (!onlyBlanks) {
        out = make(TokenKind::Error, begin);
        return true;
      }
    } else if (atNewline()) {
      uint32_t begin = pos;
      skipNewline();
      if (frames.empty() && overflow == 0) {
        atLineStart = true;
        if (!lineHasTokens)
          continue;
        out = {TokenKind::Newline, begin, static_cast<uint32_t>(pos)};
        lineHasTokens = false;
        return true;
      }
      if (isStatementInBrackets()) {
        const Frame &open = frames.back();
        report(open.begin, open.end,
               "'" + text.slice(open.begin, open.end) +
                   "' was never closed: the next line that begins a statement is still inside it");
        frames.clear();
        overflow = 0;
        atLineStart = true;
        lineHasTokens = false;
        out = {TokenKind::Newline, begin, begin};
        return true;
      }
    } else {
      return false;
    }
  }
  return false;
}

Token Lexer::finish() {
  uint32_t end = text.size();
  if (!frames.empty() || overflow != 0) {
    const Frame &open = frames.back();
    report(open.begin, open.end, "'" + text.slice(open.begin, open.end) + "' was never closed");
    frames.clear();
    overflow = numFStrings = 0;
  }
  if (lineHasTokens) {
    lineHasTokens = false;
    return {TokenKind::Newline, end, end};
  }
  if (indents.size() > 1) {
    indents.pop_back();
    return {TokenKind::Dedent, end, end};
  }
  return {TokenKind::Eof, end, end};
}

Token Lexer::next() {
  while (true) {
    if (isTop(FrameKind::FString) || isTop(FrameKind::FormatSpec))
      return lexFStringText();
    if (atLineStart)
      beginLine();
    if (pendingDedents > 0) {
      --pendingDedents;
      return {TokenKind::Dedent, static_cast<uint32_t>(pos), static_cast<uint32_t>(pos)};
    }
    if (pendingIndent) {
      pendingIndent = false;
      return {TokenKind::Indent, static_cast<uint32_t>(pos), static_cast<uint32_t>(pos)};
    }
    Token out;
    if (skipBlanks(out))
      return out;
    if (atLineStart)
      continue;
    if (atEnd())
      return finish();
    unsigned char c = text[pos];
    if (isAlpha(c) || c == '_' || c >= 0x80)
      return lexName();
    if (isDigit(c) || (c == '.' && isDigit(peek(1))))
      return lexNumber();
    if (c == '"' || c == '\'')
      return lexString(pos, "");
    return lexPunctuation();
  }
}

Token Lexer::lexName() {
  uint32_t begin = pos;
  while (!atEnd()) {
    unsigned char c = text[pos];
    if (c < 0x80) {
      if (!isAlnum(c) && c != '_')
        break;
      ++pos;
      continue;
    }
    DecodedChar decoded = decodeUtf8(text, pos);
    if (!decoded.valid || !isNameChar(decoded.codePoint))
      break;
    pos += decoded.length;
  }
  if (pos == begin)
    return lexInvalid();
  StringRef name = text.slice(begin, pos);
  if ((peek() == '"' || peek() == '\'') && isStringPrefix(name))
    return lexString(begin, name);
  return make(classifyName(name), begin);
}

/// One error for a whole run of characters that begin no token.
Token Lexer::lexInvalid() {
  uint32_t begin = pos;
  DecodedChar first = decodeUtf8(text, pos);
  while (!atEnd()) {
    unsigned char c = text[pos];
    DecodedChar decoded = decodeUtf8(text, pos);
    bool bad = c >= 0x80
                   ? !decoded.valid || !isNameChar(decoded.codePoint)
                   : (c < 0x20 && !isSpace(c)) || c == 0x7F || c == '$' || c == '?' || c == '`';
    if (!bad)
      break;
    pos += decoded.length;
  }
  // Always makes progress, whatever the caller saw here.
  if (pos == begin)
    pos += first.length;
  if (errors) {
    std::string what;
    if (!first.valid)
      what = "byte 0x" + utohexstr(first.codePoint, /*LowerCase=*/false, 2) +
             " is not UTF-8; save the file as UTF-8";
    else if (first.codePoint == 0)
      what = "a NUL byte cannot be part of source code; remove it";
    else if (first.codePoint < 0x20 || first.codePoint == 0x7F)
      what = "control character " + formatCodePoint(first.codePoint) +
             " cannot be part of source code; remove it";
    else
      what = "'" + text.substr(begin, first.length).str() + "' (" +
             formatCodePoint(first.codePoint) + ") is not a character of the language; ";
    if (first.valid && first.codePoint >= 0x20 && first.codePoint != 0x7F) {
      switch (first.codePoint) {
      case 0x2018:
      case 0x2019:
      case 0x201C:
      case 0x201D:
        what += "write straight quotes";
        break;
      case 0xA0:
      case 0x3000:
      case 0x2002:
      case 0x2003:
      case 0x2009:
      case 0x202F:
        what += "write an ordinary space";
        break;
      case 0x2212:
      case 0x2013:
      case 0x2014:
        what += "write '-'";
        break;
      case 0xD7:
        what += "write '*'";
        break;
      default:
        what += "remove it";
      }
    }
    report(begin, pos, what);
  }
  return make(TokenKind::Error, begin);
}

void Lexer::openBracket(FrameKind kind, uint32_t begin) {
  if (getNesting() >= kMaxNesting) {
    if (overflow++ == 0)
      report(begin, pos,
             "brackets are nested more than " + Twine(kMaxNesting) + " deep; use variables");
    return;
  }
  Frame frame{kind};
  frame.begin = begin;
  frame.end = pos;
  frames.push_back(frame);
}

/// False if the closing bracket at `begin` fits nothing and is to be ignored.
bool Lexer::closeBracket(FrameKind kind, uint32_t begin) {
  if (overflow > 0) {
    --overflow;
    return true;
  }
  StringRef closer = text.slice(begin, pos);
  if (frames.empty()) {
    report(begin, pos, "'" + closer + "' closes nothing; remove it, or add its opening bracket");
    return false;
  }
  Frame &top = frames.back();
  if (top.kind == kind || (kind == FrameKind::Brace && top.kind == FrameKind::Field)) {
    frames.pop_back();
    return true;
  }
  report(begin, pos, "'" + closer + "' does not close '" + text.slice(top.begin, top.end) + "'",
         top.begin, top.end, "the bracket that is open");
  // If it closes one further out, the inner ones were forgotten.
  for (size_t i = frames.size(); i-- > 0;) {
    if (frames[i].kind == FrameKind::FString)
      break;
    if (frames[i].kind == kind ||
        (kind == FrameKind::Brace && frames[i].kind == FrameKind::Field)) {
      frames.truncate(i);
      return true;
    }
  }
  return false;
}

Token Lexer::lexPunctuation() {
  uint32_t begin = pos;
  TokenKind kind = matchPunctuation(text.substr(pos));
  if (kind == TokenKind::Error)
    return lexInvalid();
  if (isTop(FrameKind::Field) && overflow == 0) {
    // Here ':' begins the format, whatever follows it.
    if (kind == TokenKind::Walrus)
      kind = TokenKind::Colon;
    if (kind == TokenKind::Colon) {
      ++pos;
      Frame spec{FrameKind::FormatSpec};
      spec.begin = begin;
      spec.end = pos;
      frames.push_back(spec);
      return make(kind, begin);
    }
  }
  pos += getTokenText(kind).size();
  bool fits = true;
  switch (kind) {
  case TokenKind::LParen:
    openBracket(FrameKind::Paren, begin);
    break;
  case TokenKind::LBracket:
    openBracket(FrameKind::Bracket, begin);
    break;
  case TokenKind::LBrace:
    openBracket(FrameKind::Brace, begin);
    break;
  case TokenKind::RParen:
    fits = closeBracket(FrameKind::Paren, begin);
    break;
  case TokenKind::RBracket:
    fits = closeBracket(FrameKind::Bracket, begin);
    break;
  case TokenKind::RBrace:
    fits = closeBracket(FrameKind::Brace, begin);
    break;
  case TokenKind::Exclaim:
    if (!isTop(FrameKind::Field)) {
      report(begin, pos, "'!' is not an operator; write 'not'");
      fits = false;
    }
    break;
  case TokenKind::Less:
    if (peek() == '>') {
      ++pos;
      report(begin, pos, "'<>' is not an operator; write '!='");
      fits = false;
    }
    break;
  default:
    break;
  }
  return make(fits ? kind : TokenKind::Error, begin);
}

} // namespace tilerun
