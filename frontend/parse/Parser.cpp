// The parser's token stream, its errors, and the entry points.
//
// A line with a lexical error gets that error only: whatever the grammar then misses follows from
// it. For the same reason one logical line never shows more than one lexical error.
#include "frontend/parse/ParserImpl.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilerun::parse {

Parser::Parser(const SourceManager &sources, uint32_t file, uint32_t begin, uint32_t end,
               Context &context, DiagnosticEngine *diagnostics)
    : sources(sources), file(file), source(sources.getText(file)), context(context),
      diagnostics(diagnostics) {
  Lexer lexer(sources, file, &lexErrors, begin, end);
  while (true) {
    Token token = lexer.next();
    while (lexErrorTokens.size() < lexErrors.size())
      lexErrorTokens.push_back(tokens.size());
    if (tokens.size() >= kMaxParseTokens) {
      lexErrors.push_back({{{file, token.begin}, token.end},
                           "the text to parse has more than " + std::to_string(kMaxParseTokens) +
                               " tokens; split it",
                           std::nullopt});
      lexErrorTokens.push_back(tokens.size());
      tokens.push_back({TokenKind::Newline, token.begin, token.begin});
      token.kind = TokenKind::Eof;
    }
    tokens.push_back(token);
    if (token.is(TokenKind::Eof))
      break;
  }
  lexErrorShown.resize(lexErrors.size());
}

std::string Parser::describe(const Token &t) const {
  switch (t.kind) {
  case Kind::Name:
    return "'" + text(t).take_front(60).str() + "'";
  case Kind::Int:
  case Kind::Float:
  case Kind::Imaginary:
    return "the number " + text(t).take_front(40).str();
  case Kind::String:
  case Kind::FStringStart:
    return "a string";
  case Kind::Indent:
    return "deeper indentation";
  default:
    if (isKeyword(t.kind) || isPunctuation(t.kind))
      return "'" + getTokenText(t.kind).str() + "'";
    return getTokenText(t.kind).str();
  }
}

void Parser::countError(Diagnostic &latest) {
  if (++numErrors < kMaxParseErrors)
    return;
  stopped = true;
  latest.notes.push_back({latest.range, "too many errors; the rest of the text is not checked"});
  // The end is the only token left to see.
  pos = tokens.size() - 1;
}

/// Reports the first lexical error of the tokens [from, to]; true if there is one.
bool Parser::reportLexErrors(size_t from, size_t to) {
  auto first = llvm::lower_bound(lexErrorTokens, from);
  if (first == lexErrorTokens.end() || *first > to)
    return false;
  hadError = true;
  size_t shown = first - lexErrorTokens.begin();
  bool report = !lexErrorShown[shown];
  for (size_t i = shown; i < lexErrors.size() && lexErrorTokens[i] <= to; ++i)
    lexErrorShown[i] = true;
  if (report && diagnostics && !speculating && !stopped) {
    Diagnostic &d = diagnostics->error(lexErrors[shown].range, lexErrors[shown].message);
    if (lexErrors[shown].note)
      d.notes.push_back(*lexErrors[shown].note);
    countError(d);
  }
  return true;
}

Diagnostic *Parser::error(SourceRange range, const Twine &message) {
  hadError = true;
  if (!diagnostics || speculating || stopped)
    return nullptr;
  size_t lineEnd = pos;
  while (!tokens[lineEnd].is(Kind::Newline) && !tokens[lineEnd].is(Kind::Eof))
    ++lineEnd;
  if (reportLexErrors(statementStart, lineEnd))
    return nullptr;
  Diagnostic &d = diagnostics->error(range, message);
  countError(d);
  return &d;
}

void Parser::reportTooDeep(SourceRange range) {
  error({range.begin, std::min(range.end, range.begin.offset + 1)},
        "nested more than " + Twine(kMaxDepth) + " levels deep; split it up");
}

bool Parser::DepthGuard::ok() {
  if (parser.depth <= kMaxDepth)
    return true;
  parser.reportTooDeep(parser.rangeOf(parser.tok()));
  return false;
}

/// Goes to the Newline of the line at hand (or the end of the text).
void Parser::skipToLineEnd() {
  while (!at(Kind::Newline) && !at(Kind::Eof))
    advance();
}

bool Parser::expect(Kind kind, const Twine &purpose) {
  if (accept(kind))
    return true;
  errorHere("expected '" + getTokenText(kind) + "' " + purpose + ", found " + describe(tok()));
  return false;
}

bool Parser::expectClose(Kind kind, const Token &open, const Twine &orElse) {
  if (accept(kind))
    return true;
  Diagnostic *d = errorHere("expected " + orElse + "'" + getTokenText(kind) + "' to close '" +
                            text(open) + "', found " + describe(tok()));
  if (d)
    d->notes.push_back({rangeOf(open), "opened here"});
  return false;
}

bool Parser::expectName(StringRef &name, SourceRange &range, const Twine &what) {
  if (at(Kind::Name)) {
    name = text(tok());
    range = rangeOf(tok());
    advance();
    return true;
  }
  errorHere("expected " + what + ", found " + describe(tok()) +
            (isKeyword(tok().kind) ? ", which is a keyword" : ""));
  return false;
}

/// Reports what came before or with the token at hand and was not reported yet.
void Parser::flushLexErrors() {
  while (nextLexError < lexErrors.size() && lexErrorTokens[nextLexError] <= pos && !stopped) {
    size_t token = lexErrorTokens[nextLexError];
    if (!lexErrorShown[nextLexError])
      reportLexErrors(token, token);
    ++nextLexError;
  }
}

Block Parser::parseAll() {
  StmtList body;
  while (!at(Kind::Eof)) {
    if (at(Kind::Newline) || at(Kind::Dedent)) {
      advance();
      continue;
    }
    parseStatement(body);
  }
  flushLexErrors();
  if (!lexErrors.empty())
    hadError = true;
  return context.copy(ArrayRef(body));
}

const Expr *Parser::parseWholeExpression() {
  while (at(Kind::Indent))
    advance();
  statementStart = pos;
  const Expr *value = parseExpressionList("an expression");
  if (value && !at(Kind::Newline) && !at(Kind::Eof)) {
    errorHere("expected the end of the expression, found " + describe(tok()));
    return nullptr;
  }
  accept(Kind::Newline);
  while (accept(Kind::Dedent))
    ;
  if (value && !at(Kind::Eof)) {
    errorHere("expected one expression, found another line");
    return nullptr;
  }
  if (value && !lexErrors.empty())
    reportLexErrors(0, tokens.size());
  return hadError ? nullptr : value;
}

} // namespace tilerun::parse

namespace tilerun {

std::optional<ast::Module> parseModule(const SourceManager &sources, uint32_t file,
                                       ast::Context &context, DiagnosticEngine &diagnostics) {
  parse::Parser parser(sources, file, 0, ~0u, context, &diagnostics);
  ast::Block body = parser.parseAll();
  if (parser.failed())
    return std::nullopt;
  return ast::Module{file, body};
}

std::optional<ast::Block> parseStatements(const SourceManager &sources, uint32_t file,
                                          uint32_t begin, uint32_t end, ast::Context &context,
                                          DiagnosticEngine *diagnostics) {
  parse::Parser parser(sources, file, begin, end, context, diagnostics);
  ast::Block body = parser.parseAll();
  if (parser.failed())
    return std::nullopt;
  return body;
}

const ast::Expr *parseExpression(const SourceManager &sources, uint32_t file, ast::Context &context,
                                 DiagnosticEngine &diagnostics) {
  parse::Parser parser(sources, file, 0, ~0u, context, &diagnostics);
  return parser.parseWholeExpression();
}

} // namespace tilerun
