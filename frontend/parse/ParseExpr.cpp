// Expressions, from the loosest binding to atoms. Calls, subscripts, comprehensions and parameters
// are in ParseCalls.cpp, strings in ParseStrings.cpp.
#include "frontend/parse/ParserImpl.h"

#include <charconv>

using namespace llvm;

namespace tilerun::parse {

bool Parser::startsExpression(const Token &t) const {
  switch (t.kind) {
  case Kind::Name:
  case Kind::Int:
  case Kind::Float:
  case Kind::Imaginary:
  case Kind::String:
  case Kind::FStringStart:
  case Kind::KwFalse:
  case Kind::KwNone:
  case Kind::KwTrue:
  case Kind::KwAwait:
  case Kind::KwLambda:
  case Kind::KwNot:
  case Kind::Ellipsis:
  case Kind::LParen:
  case Kind::LBracket:
  case Kind::LBrace:
  case Kind::Plus:
  case Kind::Minus:
  case Kind::Star:
  case Kind::Tilde:
    return true;
  default:
    return false;
  }
}

/// Complains that `what` is missing; always null.
const Expr *Parser::parseRequired(const char *what) {
  std::string message = "expected " + std::string(what) + ", found " + describe(tok());
  Kind before = pos > 0 ? tokens[pos - 1].kind : Kind::Eof;
  if (at(Kind::Equal))
    message += before == Kind::Equal ? "; '==' compares" : "; '=' assigns, '==' compares";
  else if (at(Kind::Amp) && before == Kind::Amp)
    message += "; write 'and'";
  else if (at(Kind::Pipe) && before == Kind::Pipe)
    message += "; write 'or'";
  else if (at(Kind::KwYield))
    message += "; put the 'yield' in parentheses";
  else if (isKeyword(tok().kind))
    message += ", which is a keyword";
  errorHere(message);
  return nullptr;
}

const Expr *Parser::parseExpressionList(const char *what) {
  if (!startsExpression(tok()))
    return parseRequired(what);
  SourceLoc begin = here();
  const Expr *first = parseStarOrNamed();
  if (!first || !at(Kind::Comma)) {
    if (first && isa<StarredExpr>(first)) {
      error(first->range, "a starred expression must be in a list or a tuple; add a ','");
      return nullptr;
    }
    return first;
  }
  ExprList elements = {first};
  while (accept(Kind::Comma)) {
    if (!startsExpression(tok()))
      break;
    elements.push_back(parseStarOrNamed());
    if (!elements.back())
      return nullptr;
  }
  auto *tuple = context.make<TupleExpr>(rangeFrom(begin));
  tuple->elements = context.copy(ArrayRef(elements));
  return finish(tuple, heightOfAll(elements));
}

const Expr *Parser::parseYieldOrList(const char *what) {
  if (!at(Kind::KwYield))
    return parseExpressionList(what);
  SourceLoc begin = here();
  advance();
  bool isFrom = accept(Kind::KwFrom);
  const Expr *value = nullptr;
  if (isFrom) {
    value = parseExpr();
    if (!value)
      return nullptr;
  } else if (startsExpression(tok())) {
    value = parseExpressionList("a value after 'yield'");
    if (!value)
      return nullptr;
  }
  auto *e = context.make<YieldExpr>(rangeFrom(begin));
  e->value = value;
  e->isFrom = isFrom;
  return finish(e, height(value));
}

const Expr *Parser::parseStarred() {
  SourceLoc begin = here();
  advance();
  const Expr *value = parseBinary(0);
  if (!value)
    return nullptr;
  auto *e = context.make<StarredExpr>(rangeFrom(begin));
  e->value = value;
  return finish(e, height(value));
}

const Expr *Parser::parseStarOrNamed() { return at(Kind::Star) ? parseStarred() : parseNamed(); }

const Expr *Parser::parseNamed() {
  if (!at(Kind::Name) || !ahead(1).is(Kind::Walrus))
    return parseExpr();
  SourceLoc begin = here();
  auto *target = context.make<NameExpr>(rangeOf(tok()));
  target->name = text(tok());
  advance();
  advance();
  const Expr *value = parseExpr();
  if (!value)
    return nullptr;
  auto *e = context.make<NamedExpr>(rangeFrom(begin));
  e->target = target;
  e->value = value;
  return finish(e, height(value));
}

const Expr *Parser::parseExpr() {
  if (at(Kind::KwLambda))
    return parseLambda();
  SourceLoc begin = here();
  const Expr *value = parseOr();
  if (!value || !at(Kind::KwIf))
    return value;
  advance();
  const Expr *condition = parseOr();
  if (!condition)
    return nullptr;
  if (!expect(Kind::KwElse, "and a value, which a conditional expression needs"))
    return nullptr;
  DepthGuard guard(*this);
  const Expr *otherwise = guard.ok() ? parseExpr() : nullptr;
  if (!otherwise)
    return nullptr;
  auto *e = context.make<TernaryExpr>(rangeFrom(begin));
  e->condition = condition;
  e->thenValue = value;
  e->elseValue = otherwise;
  return finish(e, std::max({height(condition), height(value), height(otherwise)}));
}

const Expr *Parser::parseOr() {
  SourceLoc begin = here();
  const Expr *first = parseAnd();
  if (!first || !at(Kind::KwOr))
    return first;
  ExprList operands = {first};
  while (accept(Kind::KwOr)) {
    operands.push_back(parseAnd());
    if (!operands.back())
      return nullptr;
  }
  auto *e = context.make<BoolOpExpr>(rangeFrom(begin));
  e->isAnd = false;
  e->operands = context.copy(ArrayRef(operands));
  return finish(e, heightOfAll(operands));
}

const Expr *Parser::parseAnd() {
  SourceLoc begin = here();
  const Expr *first = parseNot();
  if (!first || !at(Kind::KwAnd))
    return first;
  ExprList operands = {first};
  while (accept(Kind::KwAnd)) {
    operands.push_back(parseNot());
    if (!operands.back())
      return nullptr;
  }
  auto *e = context.make<BoolOpExpr>(rangeFrom(begin));
  e->isAnd = true;
  e->operands = context.copy(ArrayRef(operands));
  return finish(e, heightOfAll(operands));
}

const Expr *Parser::parseNot() {
  if (!at(Kind::KwNot))
    return parseComparison();
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = here();
  advance();
  const Expr *operand = parseNot();
  if (!operand)
    return nullptr;
  auto *e = context.make<UnaryExpr>(rangeFrom(begin));
  e->op = UnaryOp::Not;
  e->operand = operand;
  return finish(e, height(operand));
}

static std::optional<CompareOp> compareOp(Kind kind, Kind next) {
  switch (kind) {
  case Kind::EqualEqual:
    return CompareOp::Eq;
  case Kind::NotEqual:
    return CompareOp::Ne;
  case Kind::Less:
    return CompareOp::Lt;
  case Kind::LessEqual:
    return CompareOp::Le;
  case Kind::Greater:
    return CompareOp::Gt;
  case Kind::GreaterEqual:
    return CompareOp::Ge;
  case Kind::KwIn:
    return CompareOp::In;
  case Kind::KwIs:
    return next == Kind::KwNot ? CompareOp::IsNot : CompareOp::Is;
  case Kind::KwNot:
    if (next == Kind::KwIn)
      return CompareOp::NotIn;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseComparison() {
  SourceLoc begin = here();
  const Expr *first = parseBinary(0);
  if (!first)
    return nullptr;
  SmallVector<CompareOp, 2> ops;
  ExprList rest;
  while (auto op = compareOp(tok().kind, ahead(1).kind)) {
    advance();
    if (*op == CompareOp::IsNot || *op == CompareOp::NotIn)
      advance();
    ops.push_back(*op);
    rest.push_back(parseBinary(0));
    if (!rest.back())
      return nullptr;
  }
  if (ops.empty())
    return first;
  auto *e = context.make<CompareExpr>(rangeFrom(begin));
  e->first = first;
  e->ops = context.copy(ArrayRef(ops));
  e->rest = context.copy(ArrayRef(rest));
  return finish(e, std::max(height(first), heightOfAll(rest)));
}

namespace {
struct BinaryInfo {
  BinaryOp op;
  unsigned precedence;
};
} // namespace

static std::optional<BinaryInfo> binaryOp(Kind kind) {
  switch (kind) {
  case Kind::Pipe:
    return BinaryInfo{BinaryOp::Or, 0};
  case Kind::Caret:
    return BinaryInfo{BinaryOp::Xor, 1};
  case Kind::Amp:
    return BinaryInfo{BinaryOp::And, 2};
  case Kind::Shl:
    return BinaryInfo{BinaryOp::Shl, 3};
  case Kind::Shr:
    return BinaryInfo{BinaryOp::Shr, 3};
  case Kind::Plus:
    return BinaryInfo{BinaryOp::Add, 4};
  case Kind::Minus:
    return BinaryInfo{BinaryOp::Sub, 4};
  case Kind::Star:
    return BinaryInfo{BinaryOp::Mul, 5};
  case Kind::Slash:
    return BinaryInfo{BinaryOp::Div, 5};
  case Kind::FloorDiv:
    return BinaryInfo{BinaryOp::FloorDiv, 5};
  case Kind::Percent:
    return BinaryInfo{BinaryOp::Mod, 5};
  case Kind::At:
    return BinaryInfo{BinaryOp::MatMul, 5};
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseBinary(unsigned minPrecedence) {
  SourceLoc begin = here();
  const Expr *lhs = parseUnary();
  while (lhs) {
    std::optional<BinaryInfo> info = binaryOp(tok().kind);
    if (!info || info->precedence < minPrecedence)
      return lhs;
    SourceRange opRange = rangeOf(tok());
    advance();
    const Expr *rhs = parseBinary(info->precedence + 1);
    if (!rhs)
      return nullptr;
    auto *e = context.make<BinaryExpr>(rangeFrom(begin));
    e->op = info->op;
    e->lhs = lhs;
    e->rhs = rhs;
    e->opRange = opRange;
    lhs = finish(e, std::max(height(lhs), height(rhs)));
  }
  return nullptr;
}

/// Every nested expression passes here, so here recursion is bounded.
const Expr *Parser::parseUnary() {
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = here();
  std::optional<UnaryOp> op;
  if (at(Kind::Plus))
    op = UnaryOp::Plus;
  else if (at(Kind::Minus))
    op = UnaryOp::Minus;
  else if (at(Kind::Tilde))
    op = UnaryOp::Invert;
  if (op) {
    advance();
    const Expr *operand = parseUnary();
    if (!operand)
      return nullptr;
    auto *e = context.make<UnaryExpr>(rangeFrom(begin));
    e->op = *op;
    e->operand = operand;
    return finish(e, height(operand));
  }

  bool awaits = accept(Kind::KwAwait);
  const Expr *base = parsePostfix();
  if (base && awaits) {
    auto *e = context.make<AwaitExpr>(rangeFrom(begin));
    e->value = base;
    base = finish(e, height(base));
  }
  if (!base || !at(Kind::Pow))
    return base;
  SourceRange opRange = rangeOf(tok());
  advance();
  const Expr *exponent = parseUnary();
  if (!exponent)
    return nullptr;
  auto *e = context.make<BinaryExpr>(rangeFrom(begin));
  e->op = BinaryOp::Pow;
  e->lhs = base;
  e->rhs = exponent;
  e->opRange = opRange;
  return finish(e, std::max(height(base), height(exponent)));
}

const Expr *Parser::parsePostfix() {
  SourceLoc begin = here();
  const Expr *value = parseAtom();
  while (value) {
    if (at(Kind::Dot)) {
      advance();
      StringRef name;
      SourceRange nameRange;
      if (!expectName(name, nameRange, "an attribute name after '.'"))
        return nullptr;
      auto *e = context.make<AttributeExpr>(rangeFrom(begin));
      e->value = value;
      e->name = name;
      e->nameRange = nameRange;
      value = finish(e, height(value));
    } else if (at(Kind::LParen)) {
      value = parseCall(value, begin);
    } else if (at(Kind::LBracket)) {
      value = parseSubscript(value, begin);
    } else {
      return value;
    }
  }
  return nullptr;
}

const Expr *Parser::makeConstant(ConstantKind constant) {
  auto *e = context.make<ConstantExpr>(rangeOf(tok()));
  e->constant = constant;
  advance();
  return e;
}

const Expr *Parser::parseAtom() {
  switch (tok().kind) {
  case Kind::Name: {
    auto *e = context.make<NameExpr>(rangeOf(tok()));
    e->name = text(tok());
    advance();
    return e;
  }
  case Kind::KwNone:
    return makeConstant(ConstantKind::None);
  case Kind::KwTrue:
    return makeConstant(ConstantKind::True);
  case Kind::KwFalse:
    return makeConstant(ConstantKind::False);
  case Kind::Ellipsis:
    return makeConstant(ConstantKind::Ellipsis);
  case Kind::Int:
  case Kind::Float:
  case Kind::Imaginary:
    return parseNumber();
  case Kind::String:
  case Kind::FStringStart:
    return parseStrings();
  case Kind::LParen:
    return parseParens();
  case Kind::LBracket:
    return parseList();
  case Kind::LBrace:
    return parseBraces();
  default:
    return parseRequired("an expression");
  }
}

const Expr *Parser::parseNumber() {
  StringRef spelling = text(tok());
  // Converting takes time that grows with the square of the length; Python has the same limit.
  constexpr size_t kMaxDigits = 4300;
  if (spelling.size() > kMaxDigits) {
    errorHere("this number has " + Twine(spelling.size()) + " characters; the limit is " +
              Twine(kMaxDigits));
    return nullptr;
  }
  std::string digits;
  for (char c : spelling)
    if (c != '_')
      digits.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  auto *e = context.make<ConstantExpr>(rangeOf(tok()));
  if (at(Kind::Int)) {
    e->constant = ConstantKind::Int;
    StringRef value = digits;
    if (!value.starts_with("0x") && !value.starts_with("0o") && !value.starts_with("0b")) {
      value = value.ltrim('0');
      if (value.empty())
        value = "0";
    }
    e->text = value == spelling ? spelling : context.copy(value);
  } else {
    e->constant = at(Kind::Float) ? ConstantKind::Float : ConstantKind::Imaginary;
    e->text = spelling;
    double value = 0;
    auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
      // Too large or too small: APFloat returns infinity or zero.
      APFloat wide(APFloat::IEEEdouble());
      auto status =
          wide.convertFromString(StringRef(digits).rtrim('j'), APFloat::rmNearestTiesToEven);
      if (status)
        value = wide.convertToDouble();
      else
        consumeError(status.takeError());
    }
    e->floating = value;
  }
  advance();
  return e;
}

/// `( … )`: a group, a tuple, a generator or a `yield`.
const Expr *Parser::parseParens() {
  const Token open = tok();
  SourceLoc begin = here();
  advance();
  if (at(Kind::RParen)) {
    advance();
    return context.make<TupleExpr>(rangeFrom(begin));
  }
  if (at(Kind::KwYield)) {
    const Expr *value = parseYieldOrList("a value");
    if (!value || !expectClose(Kind::RParen, open))
      return nullptr;
    return value;
  }
  const Expr *first = parseStarOrNamed();
  if (!first)
    return nullptr;
  if (atComprehension())
    return finishComprehension(begin, ComprehensionKind::Generator, nullptr, first, open,
                               Kind::RParen);
  if (!at(Kind::Comma)) {
    if (isa<StarredExpr>(first)) {
      error(first->range, "a starred expression must be in a list or a tuple; add a ','");
      return nullptr;
    }
    if (!expectClose(Kind::RParen, open, "an operator, ',' or "))
      return nullptr;
    return first;
  }
  ExprList elements = {first};
  while (accept(Kind::Comma)) {
    if (at(Kind::RParen))
      break;
    elements.push_back(parseStarOrNamed());
    if (!elements.back())
      return nullptr;
  }
  if (!expectClose(Kind::RParen, open, "',' or "))
    return nullptr;
  auto *tuple = context.make<TupleExpr>(rangeFrom(begin));
  tuple->elements = context.copy(ArrayRef(elements));
  return finish(tuple, heightOfAll(elements));
}

const Expr *Parser::parseList() {
  const Token open = tok();
  SourceLoc begin = here();
  advance();
  ExprList elements;
  while (!at(Kind::RBracket)) {
    elements.push_back(parseStarOrNamed());
    if (!elements.back())
      return nullptr;
    if (elements.size() == 1 && atComprehension())
      return finishComprehension(begin, ComprehensionKind::List, nullptr, elements[0], open,
                                 Kind::RBracket);
    if (!accept(Kind::Comma))
      break;
  }
  if (!expectClose(Kind::RBracket, open, "',' or "))
    return nullptr;
  auto *list = context.make<ListExpr>(rangeFrom(begin));
  list->elements = context.copy(ArrayRef(elements));
  return finish(list, heightOfAll(elements));
}

/// `{ … }`: a dict, a set, or a comprehension of either.
const Expr *Parser::parseBraces() {
  const Token open = tok();
  SourceLoc begin = here();
  advance();
  ExprList keys, values;
  bool isDict = at(Kind::RBrace), isSet = false;
  while (!at(Kind::RBrace)) {
    if (!isSet && at(Kind::Pow)) {
      isDict = true;
      advance();
      keys.push_back(nullptr);
      values.push_back(parseBinary(0));
    } else {
      const Expr *key = isDict ? parseExpr() : parseStarOrNamed();
      if (!key)
        return nullptr;
      if (!isSet && !isa<StarredExpr>(key) && (isDict || at(Kind::Colon))) {
        isDict = true;
        if (!expect(Kind::Colon, "after the key of a dict"))
          return nullptr;
        keys.push_back(key);
        values.push_back(parseExpr());
      } else {
        isSet = true;
        values.push_back(key);
      }
    }
    if (!values.back())
      return nullptr;
    if (values.size() == 1 && atComprehension()) {
      if (isDict && !keys[0]) {
        errorHere("'**' cannot be used in a comprehension");
        return nullptr;
      }
      return finishComprehension(begin, isDict ? ComprehensionKind::Dict : ComprehensionKind::Set,
                                 isDict ? keys[0] : nullptr, values[0], open, Kind::RBrace);
    }
    if (!accept(Kind::Comma))
      break;
  }
  if (!expectClose(Kind::RBrace, open, "',' or "))
    return nullptr;
  if (isSet) {
    auto *set = context.make<SetExpr>(rangeFrom(begin));
    set->elements = context.copy(ArrayRef(values));
    return finish(set, heightOfAll(values));
  }
  auto *dict = context.make<DictExpr>(rangeFrom(begin));
  dict->keys = context.copy(ArrayRef(keys));
  dict->values = context.copy(ArrayRef(values));
  return finish(dict, std::max(heightOfAll(keys), heightOfAll(values)));
}

} // namespace tilerun::parse
