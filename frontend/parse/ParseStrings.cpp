// String literals: pieces that stand side by side are one string; one f-string among them makes
// the whole an f-string.
#include "frontend/parse/ParserImpl.h"

using namespace llvm;

namespace tilerun::parse {

const Expr *Parser::parseStrings() {
  SourceLoc begin = here();
  SmallVector<JoinedPart, 4> parts;
  std::string pending; // Text that is not a part yet.
  unsigned childHeight = 0;
  bool joined = false, bytes = false, first = true;

  while (at(Kind::String) || at(Kind::FStringStart)) {
    const Token token = tok();
    StringRef spelling = text(token);
    size_t quote = spelling.find_first_of("'\"");
    StringRef prefix = spelling.take_front(quote);
    bool isBytes = prefix.contains_insensitive('b');
    if (!first && isBytes != bytes) {
      errorHere("bytes and text are adjacent; make both the same kind of string");
      return nullptr;
    }
    bytes = isBytes;
    first = false;
    if (at(Kind::FStringStart)) {
      joined = true;
      if (!parseFString(parts, pending, childHeight))
        return nullptr;
      continue;
    }
    advance();
    size_t quotes = spelling.substr(quote).starts_with(std::string(3, spelling[quote])) &&
                            spelling.size() >= quote + 6
                        ? 3
                        : 1;
    StringRef body = spelling.substr(quote + quotes).drop_back(quotes);
    DecodeOptions options;
    options.raw = prefix.contains_insensitive('r');
    options.bytes = bytes;
    DecodeError problem;
    if (!decodeString(body, options, pending, problem)) {
      uint32_t base = token.begin + quote + quotes;
      error({{file, static_cast<uint32_t>(base + problem.begin)},
             static_cast<uint32_t>(base + problem.end)},
            problem.message);
      return nullptr;
    }
  }

  if (!joined) {
    auto *e = context.make<ConstantExpr>(rangeFrom(begin));
    e->constant = bytes ? ConstantKind::Bytes : ConstantKind::String;
    e->text = context.copy(StringRef(pending));
    return e;
  }
  if (!pending.empty()) {
    JoinedPart part;
    part.text = context.copy(StringRef(pending));
    parts.push_back(part);
  }
  auto *e = context.make<JoinedStrExpr>(rangeFrom(begin));
  e->parts = context.copy(ArrayRef(parts));
  return finish(e, childHeight);
}

/// One f-string, from its opening to its closing quote.
bool Parser::parseFString(SmallVectorImpl<JoinedPart> &parts, std::string &pending,
                          unsigned &childHeight) {
  bool raw = text(tok()).take_front(2).contains_insensitive('r');
  advance();
  while (!accept(Kind::FStringEnd)) {
    if (at(Kind::FStringMiddle)) {
      DecodeOptions options;
      options.raw = raw;
      options.fstring = true;
      DecodeError problem;
      if (!decodeString(text(tok()), options, pending, problem)) {
        error({{file, static_cast<uint32_t>(tok().begin + problem.begin)},
               static_cast<uint32_t>(tok().begin + problem.end)},
              problem.message);
        return false;
      }
      advance();
      continue;
    }
    if (!at(Kind::LBrace)) {
      errorHere("expected the rest of the f-string, found " + describe(tok()));
      return false;
    }
    if (!pending.empty()) {
      JoinedPart part;
      part.text = context.copy(StringRef(pending));
      parts.push_back(part);
      pending.clear();
    }
    JoinedPart part;
    if (!parseField(part, raw, childHeight))
      return false;
    parts.push_back(part);
  }
  return true;
}

/// `{value=!r:format}`
bool Parser::parseField(JoinedPart &part, bool raw, unsigned &childHeight) {
  DepthGuard guard(*this);
  if (!guard.ok())
    return false;
  const Token open = tok();
  advance();
  if (at(Kind::RBrace) || at(Kind::Exclaim) || at(Kind::Colon)) {
    error(rangeOf(open), "this replacement field is empty; write a value, or '{{' for a brace");
    return false;
  }
  part.value = parseYieldOrList("a value in the replacement field");
  if (!part.value)
    return false;
  childHeight = std::max(childHeight, height(part.value));
  if (accept(Kind::Equal))
    part.sourceText = source.slice(open.end, tok().begin);
  if (accept(Kind::Exclaim)) {
    StringRef name = at(Kind::Name) ? text(tok()) : StringRef();
    if (name != "r" && name != "s" && name != "a") {
      errorHere("expected a conversion (!r, !s or !a), found " + describe(tok()));
      return false;
    }
    part.conversion = name[0];
    advance();
  }
  if (accept(Kind::Colon)) {
    SmallVector<JoinedPart, 2> format;
    while (at(Kind::FStringMiddle) || at(Kind::LBrace)) {
      JoinedPart piece;
      if (at(Kind::LBrace)) {
        if (!parseField(piece, raw, childHeight))
          return false;
      } else {
        DecodeOptions options;
        options.raw = raw;
        std::string decoded;
        DecodeError problem;
        if (!decodeString(text(tok()), options, decoded, problem)) {
          errorHere(problem.message);
          return false;
        }
        piece.text = context.copy(StringRef(decoded));
        advance();
      }
      format.push_back(piece);
    }
    part.format = context.copy(ArrayRef(format));
  } else if (!part.sourceText.empty() && !part.conversion) {
    part.conversion = 'r';
  }
  return expectClose(Kind::RBrace, open, "'!', ':' or ");
}

} // namespace tilerun::parse
