// Statements with blocks. After a broken header its block is parsed nevertheless, so that errors
// in it are found in the same run and nothing that follows looks misplaced.
#include "frontend/parse/ParserImpl.h"

using namespace llvm;

namespace tilerun::parse {

/// Over a block, however deep it is.
void Parser::skipIndented() {
  unsigned open = 0;
  do {
    open += at(Kind::Indent);
    open -= at(Kind::Dedent);
    advance();
  } while (open > 0 && !at(Kind::Eof));
}

/// The statements between Indent and Dedent.
void Parser::parseIndented(StmtList &out) {
  DepthGuard guard(*this);
  if (!guard.ok()) {
    skipIndented();
    return;
  }
  advance(); // Indent.
  while (!at(Kind::Dedent) && !at(Kind::Eof)) {
    if (accept(Kind::Newline))
      continue;
    parseStatement(out);
  }
  accept(Kind::Dedent);
}

Block Parser::parseBlock(const Token &header, const Twine &after, bool headerOk) {
  StmtList body;
  if (headerOk && !accept(Kind::Colon)) {
    std::string message =
        ("expected ':' after " + after + ", found " + Twine(describe(tok()))).str();
    if (at(Kind::Equal))
      message += "; '==' compares";
    else if (header.is(Kind::KwElse) && at(Kind::KwIf))
      message += "; write 'elif'";
    errorHere(message);
    headerOk = false;
  }
  if (!headerOk)
    skipToLineEnd();
  if (headerOk && !at(Kind::Newline)) {
    if (at(Kind::Eof)) {
      errorHere("expected a statement after '" + text(header) + "'");
      return {};
    }
    switch (tok().kind) {
    case Kind::KwIf:
    case Kind::KwFor:
    case Kind::KwWhile:
    case Kind::KwTry:
    case Kind::KwWith:
    case Kind::KwDef:
    case Kind::KwClass:
    case Kind::KwAsync:
      errorHere("'" + text(tok()) + "' cannot begin on the line of '" + text(header) +
                "'; put it on its own line");
      skipToLineEnd();
      break;
    default:
      parseSimpleLine(body);
      return context.copy(ArrayRef(body));
    }
    headerOk = false;
  }
  accept(Kind::Newline);
  if (at(Kind::Indent)) {
    parseIndented(body);
  } else if (headerOk) {
    statementStart = pos;
    unsigned line = sources.getLineColumn({file, header.begin}).line;
    errorHere("expected an indented block after '" + text(header) + "' on line " + Twine(line) +
              ", found " + describe(tok()));
  }
  return context.copy(ArrayRef(body));
}

const Stmt *Parser::parseCompound() {
  DepthGuard guard(*this);
  if (!guard.ok()) {
    skipToLineEnd();
    accept(Kind::Newline);
    if (at(Kind::Indent))
      skipIndented();
    return nullptr;
  }
  switch (tok().kind) {
  case Kind::KwIf:
    return parseIf();
  case Kind::KwFor:
    return parseFor(here());
  case Kind::KwWhile:
    return parseWhile();
  case Kind::KwTry:
    return parseTry();
  case Kind::KwWith:
    return parseWith(here());
  case Kind::KwDef:
    return parseFunction(here(), {}, /*isAsync=*/false);
  case Kind::KwClass:
    return parseClass({});
  case Kind::At:
    return parseDecorated();
  case Kind::KwAsync: {
    SourceLoc begin = here();
    advance();
    if (at(Kind::KwDef))
      return parseFunction(begin, {}, /*isAsync=*/true);
    if (at(Kind::KwFor))
      return parseFor(begin);
    if (at(Kind::KwWith))
      return parseWith(begin);
    errorHere("expected 'def', 'for' or 'with' after 'async', found " + describe(tok()));
    skipToLineEnd();
    accept(Kind::Newline);
    return nullptr;
  }
  default:
    llvm_unreachable("not a compound statement");
  }
}

/// The whole chain of `elif`s, without recursion: the branches are kept and joined from the end.
const Stmt *Parser::parseIf() {
  struct Branch {
    SourceLoc begin;
    const Expr *condition;
    Block body;
  };
  SmallVector<Branch, 2> branches;
  Block elseBody;
  bool broken = false;
  do {
    const Token header = tok();
    SourceLoc begin = here();
    statementStart = pos;
    if (branches.size() == kMaxDepth && !broken) {
      errorHere("this 'if' has more than " + Twine(kMaxDepth) + " branches; split it");
      broken = true;
    }
    advance();
    const Expr *condition = parseNamed();
    Block body = parseBlock(header, "the condition of '" + text(header) + "'", condition);
    broken |= !condition;
    if (!broken)
      branches.push_back({begin, condition, body});
  } while (at(Kind::KwElif));
  if (at(Kind::KwElse)) {
    const Token header = tok();
    statementStart = pos;
    advance();
    elseBody = parseBlock(header, "'else'", true);
  }
  if (broken)
    return nullptr;
  SourceRange range = rangeFrom(branches[0].begin);
  IfStmt *out = nullptr;
  while (!branches.empty()) {
    Branch branch = branches.pop_back_val();
    range.begin = branch.begin;
    auto *s = context.make<IfStmt>(range);
    s->condition = branch.condition;
    s->thenBody = branch.body;
    if (out) {
      const Stmt *inner = out;
      s->elseBody = context.copy(ArrayRef(inner));
    } else {
      s->elseBody = elseBody;
    }
    out = finish(
        s, std::max({height(s->condition), heightOfAll(s->thenBody), heightOfAll(s->elseBody)}));
    if (!out)
      return nullptr;
  }
  return out;
}

const Stmt *Parser::parseFor(SourceLoc begin) {
  const Token header = tok();
  advance();
  const Expr *iterable = nullptr;
  const Expr *target = parseTargetList("a name after 'for'");
  if (target && expect(Kind::KwIn, "after the target of 'for'"))
    iterable = parseExpressionList("a value after 'in'");
  Block body = parseBlock(header, "the range of 'for'", iterable);
  Block elseBody = parseLoopElse();
  if (!iterable)
    return nullptr;
  auto *s = makeStmt<ForStmt>(begin);
  s->target = target;
  s->iterable = iterable;
  s->body = body;
  s->elseBody = elseBody;
  return finish(
      s, std::max({height(target), height(iterable), heightOfAll(body), heightOfAll(elseBody)}));
}

Block Parser::parseLoopElse() {
  if (!at(Kind::KwElse))
    return {};
  const Token header = tok();
  statementStart = pos;
  advance();
  return parseBlock(header, "'else'", true);
}

const Stmt *Parser::parseWhile() {
  const Token header = tok();
  SourceLoc begin = here();
  advance();
  const Expr *condition = parseNamed();
  Block body = parseBlock(header, "the condition of 'while'", condition);
  Block elseBody = parseLoopElse();
  if (!condition)
    return nullptr;
  auto *s = makeStmt<WhileStmt>(begin);
  s->condition = condition;
  s->body = body;
  s->elseBody = elseBody;
  return finish(s, std::max({height(condition), heightOfAll(body), heightOfAll(elseBody)}));
}

const Stmt *Parser::parseTry() {
  const Token header = tok();
  SourceLoc begin = here();
  advance();
  auto *s = makeStmt<TryStmt>(begin);
  s->body = parseBlock(header, "'try'", true);
  unsigned childHeight = heightOfAll(s->body);
  SmallVector<ExceptHandler, 2> handlers;
  bool broken = false;
  while (at(Kind::KwExcept)) {
    const Token except = tok();
    statementStart = pos;
    advance();
    accept(Kind::Star);
    ExceptHandler handler{};
    bool ok = true;
    if (!at(Kind::Colon)) {
      handler.type = parseExpressionList("an exception type");
      ok = handler.type;
      if (ok && accept(Kind::KwAs)) {
        SourceRange range;
        ok = expectName(handler.name, range, "a name after 'as'");
      }
    }
    handler.body = parseBlock(except, "'except'", ok);
    broken |= !ok;
    childHeight = std::max({childHeight, height(handler.type), heightOfAll(handler.body)});
    handlers.push_back(handler);
  }
  s->handlers = context.copy(ArrayRef(handlers));
  auto tail = [&](Kind kind, Block &block) {
    if (!at(kind))
      return;
    const Token word = tok();
    statementStart = pos;
    advance();
    block = parseBlock(word, "'" + text(word) + "'", true);
    childHeight = std::max(childHeight, heightOfAll(block));
  };
  if (!handlers.empty())
    tail(Kind::KwElse, s->elseBody);
  bool hasFinally = at(Kind::KwFinally);
  tail(Kind::KwFinally, s->finalBody);
  if (handlers.empty() && !hasFinally) {
    statementStart = pos;
    error(rangeOf(header), "this 'try' has neither 'except' nor 'finally'; add one of them");
    return nullptr;
  }
  s->range = rangeFrom(begin);
  return broken ? nullptr : finish(s, childHeight);
}

bool Parser::parseWithItems(SmallVectorImpl<WithItem> &items, bool inParens) {
  do {
    if (inParens && at(Kind::RParen) && !items.empty())
      break;
    WithItem item{};
    item.context = parseExpr();
    if (!item.context)
      return false;
    if (accept(Kind::KwAs)) {
      item.target = at(Kind::Star) ? parseStarred() : parsePostfix();
      if (!item.target || !checkTarget(item.target, "assign to"))
        return false;
    }
    items.push_back(item);
  } while (accept(Kind::Comma));
  return true;
}

const Stmt *Parser::parseWith(SourceLoc begin) {
  const Token header = tok();
  advance();
  SmallVector<WithItem, 2> items;
  bool ok = false;
  if (at(Kind::LParen)) {
    // `with (a as b, c as d):`, if the whole header reads so; else the parenthesis is an
    // expression.
    size_t start = pos;
    bool hadErrorBefore = hadError;
    ++speculating;
    advance();
    ok = parseWithItems(items, /*inParens=*/true) && accept(Kind::RParen) && at(Kind::Colon);
    --speculating;
    hadError = hadErrorBefore;
    if (!ok) {
      pos = start;
      items.clear();
    }
  }
  if (!ok)
    ok = parseWithItems(items, /*inParens=*/false);
  Block body = parseBlock(header, "the header of 'with'", ok);
  if (!ok)
    return nullptr;
  unsigned childHeight = heightOfAll(body);
  for (const WithItem &item : items)
    childHeight = std::max({childHeight, height(item.context), height(item.target)});
  auto *s = makeStmt<WithStmt>(begin);
  s->items = context.copy(ArrayRef(items));
  s->body = body;
  return finish(s, childHeight);
}

/// `match` is a name unless its line ends in ':' and a block of `case`s follows.
bool Parser::atMatchStatement() const {
  if (!atName("match"))
    return false;
  size_t end = pos + 1;
  while (!tokens[end].is(Kind::Newline) && !tokens[end].is(Kind::Eof))
    ++end;
  return end > pos + 2 && tokens[end - 1].is(Kind::Colon) && end + 2 < tokens.size() &&
         tokens[end + 1].is(Kind::Indent) && tokens[end + 2].is(Kind::Name) &&
         text(tokens[end + 2]) == "case";
}

const Stmt *Parser::parseMatch() {
  SourceLoc begin = here();
  skipToLineEnd();
  advance();
  skipIndented();
  return makeStmt<MatchStmt>(begin);
}

const Stmt *Parser::parseDecorated() {
  ExprList decorators;
  bool broken = false;
  while (at(Kind::At)) {
    statementStart = pos;
    advance();
    const Expr *decorator = parseNamed();
    if (decorator && !at(Kind::Newline)) {
      errorHere("expected the end of the decorator's line, found " + describe(tok()));
      decorator = nullptr;
    }
    broken |= !decorator;
    decorators.push_back(decorator);
    skipToLineEnd();
    accept(Kind::Newline);
  }
  statementStart = pos;
  if (broken)
    decorators.clear();
  SourceLoc begin = here();
  const Stmt *out = nullptr;
  if (at(Kind::KwDef)) {
    out = parseFunction(begin, decorators, /*isAsync=*/false);
  } else if (at(Kind::KwAsync) && ahead(1).is(Kind::KwDef)) {
    advance();
    out = parseFunction(begin, decorators, /*isAsync=*/true);
  } else if (at(Kind::KwClass)) {
    out = parseClass(decorators);
  } else {
    errorHere("expected 'def' or 'class' after a decorator, found " + describe(tok()));
    return nullptr;
  }
  return broken ? nullptr : out;
}

/// `[T, U: bound, *Ts, **P]`; nothing of it is kept.
bool Parser::parseTypeParameters() {
  const Token open = tok();
  advance();
  do {
    if (at(Kind::RBracket))
      break;
    if (at(Kind::Star) || at(Kind::Pow))
      advance();
    StringRef name;
    SourceRange range;
    if (!expectName(name, range, "a type parameter"))
      return false;
    if (accept(Kind::Colon) && !parseExpr())
      return false;
    if (accept(Kind::Equal) && !(at(Kind::Star) ? parseStarred() : parseExpr()))
      return false;
  } while (accept(Kind::Comma));
  return expectClose(Kind::RBracket, open, "',' or ");
}

const Stmt *Parser::parseFunction(SourceLoc begin, ArrayRef<const Expr *> decorators,
                                  bool isAsync) {
  const Token header = tok();
  advance();
  StringRef name;
  SourceRange nameRange;
  SmallVector<Parameter, 8> parameters;
  const Expr *returns = nullptr;
  bool ok = expectName(name, nameRange, "a function name after 'def'");
  if (ok && at(Kind::LBracket))
    ok = parseTypeParameters();
  const Token open = tok();
  ok = ok && expect(Kind::LParen, "and parameters after the function's name") &&
       parseParameters(Kind::RParen, /*annotations=*/true, parameters) &&
       expectClose(Kind::RParen, open, "',' or ");
  if (ok && accept(Kind::Arrow)) {
    returns = parseExpressionList("a type after '->'");
    ok = returns;
  }
  Block body = parseBlock(header, "the parameters of a function", ok);
  if (!ok)
    return nullptr;
  auto *s = makeStmt<FunctionDef>(begin);
  s->name = name;
  s->nameRange = nameRange;
  s->decorators = context.copy(decorators);
  s->parameters = context.copy(ArrayRef(parameters));
  s->returns = returns;
  s->body = body;
  s->isAsync = isAsync;
  if (!body.empty())
    if (auto *first = dyn_cast<ExprStmt>(body[0]))
      if (auto *text = dyn_cast<ConstantExpr>(first->value);
          text && text->constant == ConstantKind::String)
        s->docstring = text->text;
  return finish(s, std::max({heightOfAll(decorators), heightOfAll(ArrayRef<Parameter>(parameters)),
                             height(returns), heightOfAll(body)}));
}

const Stmt *Parser::parseClass(ArrayRef<const Expr *> decorators) {
  const Token header = tok();
  SourceLoc begin = here();
  advance();
  StringRef name;
  SourceRange nameRange;
  ExprList bases;
  SmallVector<Keyword, 2> keywords;
  bool ok = expectName(name, nameRange, "a class name after 'class'");
  if (ok && at(Kind::LBracket))
    ok = parseTypeParameters();
  if (ok && at(Kind::LParen)) {
    const Token open = tok();
    advance();
    ok = parseArguments(open, bases, keywords) && expectClose(Kind::RParen, open, "',' or ");
  }
  Block body = parseBlock(header, "the class's name", ok);
  if (!ok)
    return nullptr;
  auto *s = makeStmt<ClassDef>(begin);
  s->name = name;
  s->nameRange = nameRange;
  s->decorators = context.copy(decorators);
  s->bases = context.copy(ArrayRef(bases));
  s->keywords = context.copy(ArrayRef(keywords));
  s->body = body;
  return finish(s, std::max({heightOfAll(decorators), heightOfAll(bases),
                             heightOfAll(ArrayRef<Keyword>(keywords)), heightOfAll(body)}));
}

} // namespace tilerun::parse
