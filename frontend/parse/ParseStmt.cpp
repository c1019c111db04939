// Simple statements, and the loop over statements with its recovery after errors.
#include "frontend/parse/ParserImpl.h"

using namespace llvm;

namespace tilerun::parse {

void Parser::parseStatement(StmtList &out) {
  statementStart = pos;
  flushLexErrors();
  switch (tok().kind) {
  case Kind::Indent: {
    if (Diagnostic *d = errorHere("unexpected indentation; align this line with the one before"))
      d->range.end = d->range.begin.offset;
    parseIndented(out);
    return;
  }
  case Kind::KwElif:
  case Kind::KwElse:
  case Kind::KwExcept:
  case Kind::KwFinally: {
    const Token header = tok();
    StringRef owner = at(Kind::KwElif)   ? "'if'"
                      : at(Kind::KwElse) ? "'if', 'for', 'while' or 'try'"
                                         : "'try'";
    errorHere("'" + getTokenText(header.kind) + "' belongs to no " + owner +
              "; check the indentation");
    (void)parseBlock(header, "", /*headerOk=*/false);
    return;
  }
  case Kind::KwIf:
  case Kind::KwFor:
  case Kind::KwWhile:
  case Kind::KwTry:
  case Kind::KwWith:
  case Kind::KwDef:
  case Kind::KwClass:
  case Kind::KwAsync:
  case Kind::At:
    if (const Stmt *stmt = parseCompound())
      out.push_back(stmt);
    return;
  default:
    if (atMatchStatement()) {
      if (const Stmt *stmt = parseMatch())
        out.push_back(stmt);
      return;
    }
    parseSimpleLine(out);
  }
}

/// `a; b; c` up to and with the end of the line.
void Parser::parseSimpleLine(StmtList &out) {
  bool broken = false;
  while (true) {
    const Stmt *stmt = parseSimple();
    broken = !stmt;
    if (broken)
      break;
    out.push_back(stmt);
    if (accept(Kind::Semicolon)) {
      if (at(Kind::Newline) || at(Kind::Eof))
        break;
      continue;
    }
    if (!at(Kind::Newline) && !at(Kind::Eof)) {
      std::string message = "expected the end of the statement, found " + describe(tok());
      const Expr *value = isa<ExprStmt>(stmt) ? cast<ExprStmt>(stmt)->value : nullptr;
      auto *name = dyn_cast_or_null<NameExpr>(value);
      if (name && (name->name == "print" || name->name == "exec"))
        message += ("; calls need parentheses: " + name->name + "(...)").str();
      else if (at(Kind::Colon))
        message += "; only if, for, while, def and the like end in ':'";
      else if (at(Kind::Equal))
        message += "; '==' compares";
      errorHere(message);
      broken = true;
    }
    break;
  }
  skipToLineEnd();
  accept(Kind::Newline);
  // A broken header of a block, most likely: its block is in place.
  if (broken && at(Kind::Indent))
    parseIndented(out);
}

const Stmt *Parser::parseSimple() {
  SourceLoc begin = here();
  switch (tok().kind) {
  case Kind::KwPass:
    advance();
    return makeStmt<PassStmt>(begin);
  case Kind::KwBreak:
    advance();
    return makeStmt<BreakStmt>(begin);
  case Kind::KwContinue:
    advance();
    return makeStmt<ContinueStmt>(begin);
  case Kind::KwReturn:
    return parseReturn();
  case Kind::KwRaise:
    return parseRaise();
  case Kind::KwAssert:
    return parseAssert();
  case Kind::KwDel:
    return parseDelete();
  case Kind::KwGlobal:
  case Kind::KwNonlocal:
    return parseGlobal();
  case Kind::KwImport:
    return parseImport();
  case Kind::KwFrom:
    return parseFromImport();
  case Kind::Name:
    if (text(tok()) == "type" && ahead(1).is(Kind::Name) &&
        (ahead(2).is(Kind::Equal) || ahead(2).is(Kind::LBracket)))
      return parseTypeAlias();
    return parseExpressionStatement();
  default:
    return parseExpressionStatement();
  }
}

static std::optional<BinaryOp> augmentedOp(Kind kind) {
  switch (kind) {
  case Kind::PlusEqual:
    return BinaryOp::Add;
  case Kind::MinusEqual:
    return BinaryOp::Sub;
  case Kind::StarEqual:
    return BinaryOp::Mul;
  case Kind::SlashEqual:
    return BinaryOp::Div;
  case Kind::FloorDivEqual:
    return BinaryOp::FloorDiv;
  case Kind::PercentEqual:
    return BinaryOp::Mod;
  case Kind::PowEqual:
    return BinaryOp::Pow;
  case Kind::AtEqual:
    return BinaryOp::MatMul;
  case Kind::ShlEqual:
    return BinaryOp::Shl;
  case Kind::ShrEqual:
    return BinaryOp::Shr;
  case Kind::AmpEqual:
    return BinaryOp::And;
  case Kind::PipeEqual:
    return BinaryOp::Or;
  case Kind::CaretEqual:
    return BinaryOp::Xor;
  default:
    return std::nullopt;
  }
}

const Stmt *Parser::parseExpressionStatement() {
  SourceLoc begin = here();
  const Expr *first;
  if (at(Kind::Star)) {
    // `*a, b = c`: a starred target needs no value of its own yet.
    ExprList elements;
    first = parseStarred();
    if (!first)
      return nullptr;
    elements.push_back(first);
    if (!at(Kind::Comma)) {
      error(first->range, "a starred expression must be in a list or a tuple; add a ','");
      return nullptr;
    }
    while (accept(Kind::Comma)) {
      if (!startsExpression(tok()))
        break;
      elements.push_back(parseStarOrNamed());
      if (!elements.back())
        return nullptr;
    }
    auto *tuple = context.make<TupleExpr>(rangeFrom(begin));
    tuple->elements = context.copy(ArrayRef(elements));
    first = finish(tuple, heightOfAll(elements));
  } else {
    first = parseYieldOrList("a statement");
  }
  if (!first)
    return nullptr;

  if (at(Kind::Equal)) {
    ExprList targets = {first};
    const Expr *value = nullptr;
    while (accept(Kind::Equal)) {
      if (!checkTarget(targets.back(), "assign to"))
        return nullptr;
      value = parseYieldOrList("a value after '='");
      if (!value)
        return nullptr;
      if (at(Kind::Equal))
        targets.push_back(value);
    }
    auto *s = makeStmt<AssignStmt>(begin);
    s->targets = context.copy(ArrayRef(targets));
    s->value = value;
    return finish(s, std::max(heightOfAll(targets), height(value)));
  }

  if (auto op = augmentedOp(tok().kind)) {
    if (!isa<NameExpr, AttributeExpr, SubscriptExpr>(first)) {
      error(first->range, "'" + getTokenText(tok().kind) +
                              "' needs a name, an attribute or a subscript on its left side");
      return nullptr;
    }
    SourceRange opRange = rangeOf(tok());
    advance();
    const Expr *value = parseYieldOrList("a value after the operator");
    if (!value)
      return nullptr;
    auto *s = makeStmt<AugAssignStmt>(begin);
    s->target = first;
    s->op = *op;
    s->value = value;
    s->opRange = opRange;
    return finish(s, std::max(height(first), height(value)));
  }

  bool annotatable = isa<NameExpr, AttributeExpr, SubscriptExpr>(first);
  if (at(Kind::Colon) && annotatable && startsExpression(ahead(1))) {
    advance();
    const Expr *annotation = parseExpr();
    if (!annotation)
      return nullptr;
    const Expr *value = nullptr;
    if (accept(Kind::Equal)) {
      value = parseYieldOrList("a value after '='");
      if (!value)
        return nullptr;
    }
    auto *s = makeStmt<AnnAssignStmt>(begin);
    s->target = first;
    s->annotation = annotation;
    s->value = value;
    return finish(s, std::max({height(first), height(annotation), height(value)}));
  }

  auto *s = makeStmt<ExprStmt>(begin);
  s->value = first;
  return finish(s, height(first));
}

const Stmt *Parser::parseReturn() {
  SourceLoc begin = here();
  advance();
  const Expr *value = nullptr;
  if (!at(Kind::Newline) && !at(Kind::Semicolon) && !at(Kind::Eof)) {
    value = parseExpressionList("a value after 'return'");
    if (!value)
      return nullptr;
  }
  auto *s = makeStmt<ReturnStmt>(begin);
  s->value = value;
  return finish(s, height(value));
}

const Stmt *Parser::parseRaise() {
  SourceLoc begin = here();
  advance();
  const Expr *value = nullptr, *cause = nullptr;
  if (!at(Kind::Newline) && !at(Kind::Semicolon) && !at(Kind::Eof)) {
    value = parseExpr();
    if (!value || (accept(Kind::KwFrom) && !(cause = parseExpr())))
      return nullptr;
  }
  auto *s = makeStmt<RaiseStmt>(begin);
  s->value = value;
  s->cause = cause;
  return finish(s, std::max(height(value), height(cause)));
}

const Stmt *Parser::parseAssert() {
  SourceLoc begin = here();
  advance();
  const Expr *condition = parseNamed(), *message = nullptr;
  if (!condition || (accept(Kind::Comma) && !(message = parseExpr())))
    return nullptr;
  auto *s = makeStmt<AssertStmt>(begin);
  s->condition = condition;
  s->message = message;
  return finish(s, std::max(height(condition), height(message)));
}

const Stmt *Parser::parseDelete() {
  SourceLoc begin = here();
  advance();
  ExprList targets;
  do {
    if (!targets.empty() && (at(Kind::Newline) || at(Kind::Semicolon)))
      break;
    targets.push_back(parseBinary(0));
    if (!targets.back() || !checkTarget(targets.back(), "delete"))
      return nullptr;
  } while (accept(Kind::Comma));
  auto *s = makeStmt<DeleteStmt>(begin);
  s->targets = context.copy(ArrayRef(targets));
  return finish(s, heightOfAll(targets));
}

const Stmt *Parser::parseGlobal() {
  SourceLoc begin = here();
  bool isNonlocal = at(Kind::KwNonlocal);
  advance();
  SmallVector<StringRef, 2> names;
  do {
    StringRef name;
    SourceRange range;
    if (!expectName(name, range, "a name"))
      return nullptr;
    names.push_back(name);
  } while (accept(Kind::Comma));
  auto *s = makeStmt<GlobalStmt>(begin);
  s->names = context.copy(ArrayRef(names));
  s->isNonlocal = isNonlocal;
  return s;
}

/// `a.b as c`
bool Parser::parseImportName(ImportName &out, bool dotted) {
  SourceLoc begin = here();
  StringRef name;
  SourceRange range;
  if (!expectName(name, range, "a name to import"))
    return false;
  bool spaced = false;
  std::string joined = name.str();
  while (dotted && accept(Kind::Dot)) {
    if (!expectName(name, range, "a name after '.'"))
      return false;
    joined += ("." + name).str();
    spaced |= source.slice(begin.offset, range.end) != joined;
  }
  out.name = spaced ? context.copy(StringRef(joined)) : source.slice(begin.offset, range.end);
  out.alias = {};
  if (accept(Kind::KwAs)) {
    SourceRange aliasRange;
    if (!expectName(out.alias, aliasRange, "a name after 'as'"))
      return false;
  }
  out.range = rangeFrom(begin);
  return true;
}

const Stmt *Parser::parseImport() {
  SourceLoc begin = here();
  advance();
  SmallVector<ImportName, 2> names;
  do {
    names.emplace_back();
    if (!parseImportName(names.back(), /*dotted=*/true))
      return nullptr;
  } while (accept(Kind::Comma));
  auto *s = makeStmt<ImportStmt>(begin);
  s->names = context.copy(ArrayRef(names));
  return s;
}

const Stmt *Parser::parseFromImport() {
  SourceLoc begin = here();
  advance();
  unsigned level = 0;
  while (at(Kind::Dot) || at(Kind::Ellipsis)) {
    level += at(Kind::Dot) ? 1 : 3;
    advance();
  }
  StringRef module;
  if (level == 0 || !at(Kind::KwImport)) {
    ImportName name;
    if (!parseImportName(name, /*dotted=*/true))
      return nullptr;
    if (!name.alias.empty()) {
      error(name.range, "'as' renames what is imported; it belongs after 'import'");
      return nullptr;
    }
    module = name.name;
  }
  if (!expect(Kind::KwImport, "after the module of 'from'"))
    return nullptr;
  SmallVector<ImportName, 4> names;
  if (at(Kind::Star)) {
    names.push_back({"*", {}, rangeOf(tok())});
    advance();
  } else {
    const Token open = tok();
    bool parens = accept(Kind::LParen);
    do {
      if (parens && at(Kind::RParen) && !names.empty())
        break;
      names.emplace_back();
      if (!parseImportName(names.back(), /*dotted=*/false))
        return nullptr;
    } while (accept(Kind::Comma));
    if (parens && !expectClose(Kind::RParen, open, "',' or "))
      return nullptr;
  }
  auto *s = makeStmt<ImportFromStmt>(begin);
  s->module = module;
  s->level = level;
  s->names = context.copy(ArrayRef(names));
  return s;
}

/// `type X[T] = value`
const Stmt *Parser::parseTypeAlias() {
  SourceLoc begin = here();
  advance();
  advance();
  if (at(Kind::LBracket) && !parseTypeParameters())
    return nullptr;
  if (!expect(Kind::Equal, "after the name of a type alias") || !parseExpr())
    return nullptr;
  return makeStmt<TypeAliasStmt>(begin);
}

} // namespace tilerun::parse
