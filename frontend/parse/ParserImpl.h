// The parser's state and its functions, shared only by the files of this folder.
#pragma once

#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"

namespace tilerun::parse {

using namespace ast;
using Kind = TokenKind;

class Parser {
public:
  Parser(const SourceManager &sources, uint32_t file, uint32_t begin, uint32_t end,
         Context &context, DiagnosticEngine *diagnostics);

  Block parseAll();
  const Expr *parseWholeExpression();
  bool failed() const { return hadError; }

private:
  //===--------------------------------------------------------------------===//
  // Tokens and errors (Parser.cpp)
  //===--------------------------------------------------------------------===//
  const Token &tok() const { return tokens[pos]; }
  const Token &ahead(unsigned n) const {
    return tokens[std::min<size_t>(pos + n, tokens.size() - 1)];
  }
  bool at(Kind kind) const { return tok().kind == kind; }
  bool atName(llvm::StringRef spelling) const { return at(Kind::Name) && text(tok()) == spelling; }
  llvm::StringRef text(const Token &t) const { return source.slice(t.begin, t.end); }
  void advance() {
    if (pos + 1 < tokens.size())
      ++pos;
  }
  bool accept(Kind kind) {
    if (!at(kind))
      return false;
    advance();
    return true;
  }
  /// "expected ')' to close …, found …".
  bool expect(Kind kind, const llvm::Twine &purpose);
  /// As `expect`, for a closing bracket; names its opener if it is on another line.
  bool expectClose(Kind kind, const Token &open, const llvm::Twine &orElse = "");
  bool expectName(llvm::StringRef &name, SourceRange &range, const llvm::Twine &what);

  SourceRange rangeOf(const Token &t) const { return {{file, t.begin}, t.end}; }
  /// From a place to the end of the last token taken.
  SourceRange rangeFrom(SourceLoc begin) const {
    return {begin, std::max(begin.offset, pos == 0 ? 0 : tokens[pos - 1].end)};
  }
  SourceLoc here() const { return {file, tok().begin}; }

  /// The name of the current token in messages: "'x'", "end of line", …
  std::string describe(const Token &t) const;
  /// Reports unless the line has a lexical error, which then is what is reported. Null when the
  /// error is not to be shown; a note may be added otherwise.
  Diagnostic *error(SourceRange range, const llvm::Twine &message);
  Diagnostic *errorHere(const llvm::Twine &message) { return error(rangeOf(tok()), message); }
  bool reportLexErrors(size_t from, size_t to);
  void flushLexErrors();
  void skipToLineEnd();
  void countError(Diagnostic &latest);

  /// Bounds recursion; false (and an error) when it is too deep.
  class DepthGuard {
  public:
    explicit DepthGuard(Parser &parser) : parser(parser) { ++parser.depth; }
    ~DepthGuard() { --parser.depth; }
    bool ok();

  private:
    Parser &parser;
  };

  /// Sets the height of a node from its children; null (and an error) when it is too high.
  template <typename T> T *finish(T *node, unsigned childHeight) {
    if (childHeight >= kMaxDepth) {
      reportTooDeep(node->range);
      return nullptr;
    }
    node->height = static_cast<uint16_t>(childHeight + 1);
    return node;
  }
  void reportTooDeep(SourceRange range);
  static unsigned height(const Node *n) { return n ? n->height : 0; }
  template <typename List> static unsigned heightOfAll(const List &list) {
    unsigned out = 0;
    for (const auto *n : list)
      out = std::max(out, height(n));
    return out;
  }
  static unsigned heightOfAll(llvm::ArrayRef<Keyword> list) {
    unsigned out = 0;
    for (const Keyword &k : list)
      out = std::max(out, height(k.value));
    return out;
  }
  static unsigned heightOfAll(llvm::ArrayRef<Parameter> list) {
    unsigned out = 0;
    for (const Parameter &p : list)
      out = std::max({out, height(p.annotation), height(p.defaultValue)});
    return out;
  }

  //===--------------------------------------------------------------------===//
  // Expressions (ParseExpr.cpp, ParseCalls.cpp, ParseStrings.cpp)
  //===--------------------------------------------------------------------===//
  using ExprList = llvm::SmallVector<const Expr *, 4>;

  bool startsExpression(const Token &t) const;
  /// `a, *b, c`: a tuple without brackets.
  const Expr *parseExpressionList(const char *what);
  const Expr *parseRequired(const char *what);
  const Expr *parseYieldOrList(const char *what);
  const Expr *parseStarOrNamed();
  const Expr *parseNamed();
  const Expr *parseExpr();
  const Expr *parseOr();
  const Expr *parseAnd();
  const Expr *parseNot();
  const Expr *parseComparison();
  const Expr *parseBinary(unsigned minPrecedence);
  const Expr *parseUnary();
  const Expr *parsePostfix();
  const Expr *parseAtom();
  const Expr *parseParens();
  const Expr *parseList();
  const Expr *parseBraces();
  const Expr *parseLambda();
  const Expr *parseNumber();
  const Expr *parseStrings();
  bool parseFString(llvm::SmallVectorImpl<JoinedPart> &parts, std::string &pending,
                    unsigned &height);
  bool parseField(JoinedPart &part, bool raw, unsigned &height);
  const Expr *parseCall(const Expr *callee, SourceLoc begin);
  const Expr *parseSubscript(const Expr *value, SourceLoc begin);
  const Expr *parseSliceItem();
  const Expr *parseTargetList(const char *what);
  const Expr *parseStarred();
  bool parseArguments(const Token &open, ExprList &args, llvm::SmallVectorImpl<Keyword> &keywords);
  bool parseClauses(llvm::SmallVectorImpl<ComprehensionFor> &clauses, unsigned &height);
  const Expr *finishComprehension(SourceLoc begin, ComprehensionKind kind, const Expr *key,
                                  const Expr *element, const Token &open, Kind close);
  bool atComprehension() const {
    return at(Kind::KwFor) || (at(Kind::KwAsync) && ahead(1).is(Kind::KwFor));
  }
  bool parseParameters(Kind end, bool annotations, llvm::SmallVectorImpl<Parameter> &out);
  const Expr *makeConstant(ConstantKind constant);
  bool checkTarget(const Expr *target, const char *verb, bool starred = false);

  //===--------------------------------------------------------------------===//
  // Statements (ParseStmt.cpp, ParseCompound.cpp)
  //===--------------------------------------------------------------------===//
  using StmtList = llvm::SmallVector<const Stmt *, 8>;

  void parseStatement(StmtList &out);
  void parseSimpleLine(StmtList &out);
  const Stmt *parseSimple();
  const Stmt *parseExpressionStatement();
  const Stmt *parseImport();
  const Stmt *parseFromImport();
  bool parseImportName(ImportName &out, bool dotted);
  const Stmt *parseReturn();
  const Stmt *parseRaise();
  const Stmt *parseAssert();
  const Stmt *parseGlobal();
  const Stmt *parseDelete();
  const Stmt *parseTypeAlias();
  const Stmt *parseCompound();
  const Stmt *parseIf();
  const Stmt *parseFor(SourceLoc begin);
  const Stmt *parseWhile();
  const Stmt *parseTry();
  const Stmt *parseWith(SourceLoc begin);
  bool parseWithItems(llvm::SmallVectorImpl<WithItem> &items, bool inParens);
  const Stmt *parseMatch();
  bool atMatchStatement() const;
  const Stmt *parseDecorated();
  const Stmt *parseFunction(SourceLoc begin, llvm::ArrayRef<const Expr *> decorators, bool isAsync);
  const Stmt *parseClass(llvm::ArrayRef<const Expr *> decorators);
  bool parseTypeParameters();
  /// `: block`. After a broken header (`headerOk` false) only what is indented below it.
  Block parseBlock(const Token &header, const llvm::Twine &after, bool headerOk);
  Block parseLoopElse(); ///< After the body of a loop; empty if there is none.
  void parseIndented(StmtList &out);
  void skipIndented();
  template <typename T> T *makeStmt(SourceLoc begin) { return context.make<T>(rangeFrom(begin)); }

  const SourceManager &sources;
  uint32_t file;
  llvm::StringRef source;
  Context &context;
  DiagnosticEngine *diagnostics;
  std::vector<Token> tokens;
  std::vector<LexError> lexErrors;
  std::vector<size_t> lexErrorTokens; ///< The token that each lexical error came with.
  std::vector<bool> lexErrorShown;
  size_t nextLexError = 0;
  size_t pos = 0;
  size_t statementStart = 0;
  unsigned depth = 0;
  unsigned numErrors = 0;
  unsigned speculating = 0; ///< Errors are not reported while trying.
  bool hadError = false;
  bool stopped = false;
};

/// Decodes the body of a string. False, with `message` and the offending bytes, if it is malformed.
struct DecodeError {
  std::string message;
  size_t begin = 0;
  size_t end = 0;
};
struct DecodeOptions {
  bool raw = false;
  bool bytes = false;
  bool fstring = false; ///< `{{` and `}}` stand for one brace.
};
bool decodeString(llvm::StringRef body, DecodeOptions options, std::string &out,
                  DecodeError &error);

} // namespace tilerun::parse
