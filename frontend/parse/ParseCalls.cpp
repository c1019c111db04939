// Postfix parts of expressions: calls, subscripts, comprehensions, parameters, and the check of
// assignment targets.
#include "frontend/parse/ParserImpl.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tilerun::parse {

const Expr *Parser::parseCall(const Expr *callee, SourceLoc begin) {
  const Token open = tok();
  advance();
  ExprList args;
  SmallVector<Keyword, 4> keywords;
  if (!parseArguments(open, args, keywords))
    return nullptr;
  if (!expectClose(Kind::RParen, open, "',' or "))
    return nullptr;
  auto *e = context.make<CallExpr>(rangeFrom(begin));
  e->callee = callee;
  e->args = context.copy(ArrayRef(args));
  e->keywords = context.copy(ArrayRef(keywords));
  return finish(
      e, std::max({height(callee), heightOfAll(args), heightOfAll(ArrayRef<Keyword>(keywords))}));
}

/// Arguments up to the closing parenthesis, which is left.
bool Parser::parseArguments(const Token &open, ExprList &args, SmallVectorImpl<Keyword> &keywords) {
  bool afterDoubleStar = false;
  while (!at(Kind::RParen)) {
    SourceRange range = rangeOf(tok());
    if (at(Kind::Star)) {
      if (afterDoubleStar) {
        errorHere("a '*' argument cannot follow a '**' argument; put it first");
        return false;
      }
      SourceLoc begin = here();
      advance();
      const Expr *value = parseExpr();
      if (!value)
        return false;
      auto *star = context.make<StarredExpr>(rangeFrom(begin));
      star->value = value;
      if (!finish(star, height(value)))
        return false;
      args.push_back(star);
    } else if (accept(Kind::Pow)) {
      const Expr *value = parseExpr();
      if (!value)
        return false;
      afterDoubleStar = true;
      keywords.push_back({{}, value, value->range});
    } else if (at(Kind::Name) && ahead(1).is(Kind::Equal)) {
      StringRef name = text(tok());
      advance();
      advance();
      const Expr *value = parseExpr();
      if (!value)
        return false;
      keywords.push_back({name, value, range});
    } else {
      SourceLoc begin = here();
      const Expr *value = parseNamed();
      if (!value)
        return false;
      if (at(Kind::Equal)) {
        errorHere("only a plain name can be the name of a keyword argument; '==' compares");
        return false;
      }
      if (atComprehension()) {
        SmallVector<ComprehensionFor, 2> clauses;
        unsigned childHeight = height(value);
        if (!parseClauses(clauses, childHeight))
          return false;
        // It shares the parentheses of the call.
        auto *e = context.make<ComprehensionExpr>({{file, open.begin}, tok().end});
        e->comprehension = ComprehensionKind::Generator;
        e->element = value;
        e->clauses = context.copy(ArrayRef(clauses));
        value = finish(e, childHeight);
        if (!value)
          return false;
        if (!args.empty() || !keywords.empty() || (at(Kind::Comma) && !ahead(1).is(Kind::RParen))) {
          error(rangeFrom(begin), "a generator next to other arguments needs its own parentheses");
          return false;
        }
      } else if (!keywords.empty()) {
        error(value->range, afterDoubleStar
                                ? "a positional argument follows a '**' argument; put it first"
                                : "a positional argument follows a keyword argument; put it first, "
                                  "or name it too");
        return false;
      }
      args.push_back(value);
    }
    if (!accept(Kind::Comma))
      break;
  }
  return true;
}

const Expr *Parser::parseSubscript(const Expr *value, SourceLoc begin) {
  const Token open = tok();
  advance();
  if (at(Kind::RBracket)) {
    errorHere("expected an index between '[' and ']'");
    return nullptr;
  }
  SourceLoc indexBegin = here();
  const Expr *index = parseSliceItem();
  if (!index)
    return nullptr;
  if (at(Kind::Comma) || isa<StarredExpr>(index)) {
    ExprList elements = {index};
    while (accept(Kind::Comma)) {
      if (at(Kind::RBracket))
        break;
      elements.push_back(parseSliceItem());
      if (!elements.back())
        return nullptr;
    }
    auto *tuple = context.make<TupleExpr>(rangeFrom(indexBegin));
    tuple->elements = context.copy(ArrayRef(elements));
    index = finish(tuple, heightOfAll(elements));
    if (!index)
      return nullptr;
  }
  if (!expectClose(Kind::RBracket, open, "',' or "))
    return nullptr;
  auto *e = context.make<SubscriptExpr>(rangeFrom(begin));
  e->value = value;
  e->index = index;
  return finish(e, std::max(height(value), height(index)));
}

const Expr *Parser::parseSliceItem() {
  SourceLoc begin = here();
  if (at(Kind::Star))
    return parseStarred();
  const Expr *lower = nullptr;
  if (!at(Kind::Colon)) {
    lower = parseNamed();
    if (!lower || !at(Kind::Colon))
      return lower;
  }
  advance();
  auto boundEnds = [&] { return at(Kind::Colon) || at(Kind::Comma) || at(Kind::RBracket); };
  const Expr *upper = nullptr, *step = nullptr;
  if (!boundEnds() && !(upper = parseExpr()))
    return nullptr;
  if (accept(Kind::Colon) && !boundEnds() && !(step = parseExpr()))
    return nullptr;
  auto *e = context.make<SliceExpr>(rangeFrom(begin));
  e->lower = lower;
  e->upper = upper;
  e->step = step;
  return finish(e, std::max({height(lower), height(upper), height(step)}));
}

/// Targets of `for`: like a list of expressions, but `in` ends them.
const Expr *Parser::parseTargetList(const char *what) {
  SourceLoc begin = here();
  ExprList elements;
  bool comma = false;
  do {
    if (!startsExpression(tok()))
      break;
    comma = false;
    elements.push_back(at(Kind::Star) ? parseStarred() : parseBinary(0));
    if (!elements.back())
      return nullptr;
  } while ((comma = accept(Kind::Comma)));
  if (elements.empty())
    return parseRequired(what);
  const Expr *target = elements[0];
  if (comma || elements.size() > 1) {
    auto *tuple = context.make<TupleExpr>(rangeFrom(begin));
    tuple->elements = context.copy(ArrayRef(elements));
    target = finish(tuple, heightOfAll(elements));
    if (!target)
      return nullptr;
  }
  return checkTarget(target, "assign to") ? target : nullptr;
}

bool Parser::parseClauses(SmallVectorImpl<ComprehensionFor> &clauses, unsigned &childHeight) {
  while (atComprehension()) {
    accept(Kind::KwAsync);
    advance();
    ComprehensionFor clause{};
    clause.target = parseTargetList("a name after 'for'");
    if (!clause.target || !expect(Kind::KwIn, "after the target of 'for'"))
      return false;
    clause.iterable = parseOr();
    if (!clause.iterable)
      return false;
    ExprList conditions;
    while (accept(Kind::KwIf)) {
      // `if x := f()` is allowed here.
      conditions.push_back(at(Kind::Name) && ahead(1).is(Kind::Walrus) ? parseNamed() : parseOr());
      if (!conditions.back())
        return false;
    }
    clause.conditions = context.copy(ArrayRef(conditions));
    childHeight = std::max(
        {childHeight, height(clause.target), height(clause.iterable), heightOfAll(conditions)});
    clauses.push_back(clause);
  }
  return true;
}

const Expr *Parser::finishComprehension(SourceLoc begin, ComprehensionKind kind, const Expr *key,
                                        const Expr *element, const Token &open, Kind close) {
  if (isa<StarredExpr>(element)) {
    error(element->range, "a starred expression cannot be the element of a comprehension");
    return nullptr;
  }
  SmallVector<ComprehensionFor, 2> clauses;
  unsigned childHeight = std::max(height(key), height(element));
  if (!parseClauses(clauses, childHeight) || !expectClose(close, open))
    return nullptr;
  auto *e = context.make<ComprehensionExpr>(rangeFrom(begin));
  e->comprehension = kind;
  e->key = key;
  e->element = element;
  e->clauses = context.copy(ArrayRef(clauses));
  return finish(e, childHeight);
}

const Expr *Parser::parseLambda() {
  DepthGuard guard(*this);
  if (!guard.ok())
    return nullptr;
  SourceLoc begin = here();
  advance();
  SmallVector<Parameter, 4> parameters;
  if (!parseParameters(Kind::Colon, /*annotations=*/false, parameters) ||
      !expect(Kind::Colon, "after the parameters of 'lambda'"))
    return nullptr;
  const Expr *body = parseExpr();
  if (!body)
    return nullptr;
  auto *e = context.make<LambdaExpr>(rangeFrom(begin));
  e->parameters = context.copy(ArrayRef(parameters));
  e->body = body;
  return finish(e, std::max(height(body), heightOfAll(ArrayRef<Parameter>(parameters))));
}

/// Parameters up to `end`, which is left.
bool Parser::parseParameters(Kind end, bool annotations, SmallVectorImpl<Parameter> &out) {
  StringSet<> names;
  bool keywordOnly = false, sawSlash = false, sawDefault = false;
  while (!at(end)) {
    if (!out.empty() && out.back().kind == ParameterKind::KwArgs) {
      errorHere("nothing may follow the '**' parameter");
      return false;
    }
    if (at(Kind::Slash)) {
      if (sawSlash || keywordOnly || out.empty()) {
        errorHere(out.empty() ? "'/' needs a parameter before it"
                              : "'/' may appear only once, before any '*'");
        return false;
      }
      sawSlash = true;
      for (Parameter &p : out)
        p.kind = ParameterKind::PositionalOnly;
      advance();
    } else if (at(Kind::Star) && (ahead(1).is(Kind::Comma) || ahead(1).is(end))) {
      if (keywordOnly || ahead(1).is(end) || ahead(2).is(end) || ahead(2).is(Kind::Pow)) {
        errorHere(keywordOnly ? "'*' may appear only once"
                              : "a named parameter must follow the bare '*'");
        return false;
      }
      keywordOnly = true;
      advance();
    } else {
      Parameter p{};
      p.kind = keywordOnly ? ParameterKind::KeywordOnly : ParameterKind::Positional;
      if (at(Kind::Star)) {
        if (keywordOnly) {
          errorHere("'*' may appear only once");
          return false;
        }
        keywordOnly = true;
        p.kind = ParameterKind::VarArgs;
        advance();
      } else if (accept(Kind::Pow)) {
        p.kind = ParameterKind::KwArgs;
      }
      if (!expectName(p.name, p.range, "a parameter name"))
        return false;
      if (!names.insert(p.name).second) {
        error(p.range, "two parameters are named '" + p.name + "'; rename one");
        return false;
      }
      if (annotations && accept(Kind::Colon)) {
        p.annotation =
            at(Kind::Star) && p.kind == ParameterKind::VarArgs ? parseStarred() : parseExpr();
        if (!p.annotation)
          return false;
      }
      if (at(Kind::Equal)) {
        if (p.kind == ParameterKind::VarArgs || p.kind == ParameterKind::KwArgs) {
          errorHere("a '*' or '**' parameter cannot have a default");
          return false;
        }
        advance();
        p.defaultValue = parseExpr();
        if (!p.defaultValue)
          return false;
        sawDefault |= p.kind == ParameterKind::Positional;
      } else if (sawDefault && p.kind == ParameterKind::Positional) {
        error(p.range, "parameter '" + p.name +
                           "' without a default follows one with a default; give it one, or put "
                           "it first");
        return false;
      }
      out.push_back(p);
    }
    if (!accept(Kind::Comma))
      break;
  }
  if (!at(end) && !at(Kind::RParen) && !at(Kind::Colon)) {
    errorHere("expected ',' or '" + getTokenText(end) + "' after a parameter, found " +
              describe(tok()));
    return false;
  }
  return true;
}

/// Whether `target` can be assigned to (or deleted); an error otherwise.
bool Parser::checkTarget(const Expr *target, const char *verb, bool starred) {
  if (isa<NameExpr, AttributeExpr, SubscriptExpr>(target))
    return true;
  if (auto *star = dyn_cast<StarredExpr>(target); star && starred)
    return checkTarget(star->value, verb);
  ArrayRef<const Expr *> elements;
  bool isSequence = false;
  if (auto *tuple = dyn_cast<TupleExpr>(target)) {
    elements = tuple->elements;
    isSequence = true;
  } else if (auto *list = dyn_cast<ListExpr>(target)) {
    elements = list->elements;
    isSequence = true;
  }
  if (isSequence) {
    const Expr *firstStar = nullptr;
    for (const Expr *element : elements) {
      if (!checkTarget(element, verb, StringRef(verb) != "delete"))
        return false;
      if (isa<StarredExpr>(element) && firstStar) {
        error(element->range, "only one target may be starred");
        return false;
      }
      if (isa<StarredExpr>(element))
        firstStar = element;
    }
    return true;
  }
  std::string what = "a " + ast::getKindName(target->kind).str();
  if (isa<ConstantExpr>(target))
    what =
        "the constant " + source
                              .slice(target->range.begin.offset,
                                     std::min(target->range.end, target->range.begin.offset + 30))
                              .str();
  else if (StringRef("aeiou").contains(what[2]))
    what.insert(1, "n");
  bool assigns = StringRef(verb) == "assign to";
  error(target->range, "cannot " + Twine(verb) + " " + what + (assigns ? "; '==' compares" : ""));
  return false;
}

} // namespace tilerun::parse
