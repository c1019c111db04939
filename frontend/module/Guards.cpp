// What must hold for a statement at module level to run: conditions of `if`, and imports of `try`.
// Conditions.cpp decides those that depend on the file alone; the others are kept with the names
// that are bound under them, for the part that evaluates expressions.
#include "frontend/module/ModuleReader.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

using Kind = TokenKind;

const Expr *ModuleReader::parseExpression(Tokens tokens) {
  if (tokens.empty() || lineTruncated)
    return nullptr;
  std::optional<Block> block = parseSilently(tokens.front().begin, tokens.back().end);
  const auto *statement =
      block && block->size() == 1 ? dyn_cast<ExprStmt>(block->front()) : nullptr;
  return statement ? statement->value : nullptr;
}

/// Whether a handler catches a failed import; none if that takes evaluation.
static std::optional<bool> catchesImports(ArrayRef<StringRef> names) {
  if (names.empty())
    return true;
  bool catches = false;
  for (StringRef name : names) {
    if (is_contained({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}, name))
      catches = true;
    else if (!name.ends_with("Error") && !name.ends_with("Exception") && name != "as")
      break; // `except ImportError as e`, or something computed.
  }
  return catches;
}

/// Sets the guards of an arm of an `if` or `try` at module level, whose header ends at `colon`.
void ModuleReader::addGuards(Scope &scope, Tokens tokens, size_t colon) {
  const size_t depth = scopes.size();
  const Kind first = tokens[0].kind;
  if (first == Kind::KwIf || first == Kind::KwTry)
    guardChains[depth] = {};
  GuardChain &chain = guardChains[depth];
  auto addCondition = [&] {
    const Expr *condition = parseExpression(tokens.slice(1, colon - 1));
    chain.isKnown &= condition != nullptr;
    scope.guards.push_back({condition});
    chain.conditions.push_back(condition);
  };
  if (first == Kind::KwTry) {
    scope.tried = chain.tried = std::make_shared<TryBody>();
  } else if (first == Kind::KwIf) {
    addCondition();
  } else if (chain.tried && (first == Kind::KwExcept || first == Kind::KwElse)) {
    SmallVector<StringRef> names;
    for (Token token : tokens.slice(1, colon - 1))
      if (token.is(Kind::Name))
        names.push_back(text(token));
    const bool isHandler = first == Kind::KwExcept;
    std::optional<bool> catches = isHandler ? catchesImports(names) : std::optional<bool>(true);
    scope.isOpen = !catches || !*catches;
    scope.guards.push_back({nullptr, chain.tried, chain.tried->imports.size(), !isHandler});
  } else if (first == Kind::KwElif || first == Kind::KwElse) {
    for (const Expr *condition : chain.conditions)
      scope.guards.push_back({condition, nullptr, 0, /*wanted=*/false});
    if (first == Kind::KwElif)
      addCondition();
  } else {
    scope.isOpen = first != Kind::KwFinally;
  }
  scope.isOpen |= !chain.isKnown;
  // What the file alone has decided needs no guard.
  if (scope.runs)
    scope.guards.clear();
}

/// Gives a binding the guards of the places that it is in.
void ModuleReader::guard(Global &global) const {
  for (const Scope &scope : scopes) {
    global.isOpen |= scope.isOpen || scope.kind == ScopeKind::Loop;
    append_range(global.guards, scope.guards);
    if (scope.tried)
      global.guards.push_back({nullptr, scope.tried, scope.tried->imports.size(), true});
  }
}

/// An import in a `try:` block: what follows it runs only if it succeeds.
void ModuleReader::noteTried(StringRef dotted, unsigned level, StringRef name) {
  if (none_of(scopes, [](const Scope &scope) { return scope.tried != nullptr; }))
    return;
  const TriedImport import = classify(dotted, level, name);
  for (Scope &scope : scopes)
    if (scope.tried)
      scope.tried->imports.push_back(import);
}

/// Code of a `try:` block that calls something may raise what its handlers catch.
void ModuleReader::noteCalls(Tokens tokens) {
  const Kind first = tokens[0].kind;
  if (!atModuleLevel() || first == Kind::KwImport || first == Kind::KwFrom ||
      first == Kind::KwDef || first == Kind::KwClass || first == Kind::At ||
      first == Kind::KwExcept || none_of(tokens, [](Token t) { return t.is(Kind::LParen); }))
    return;
  for (Scope &scope : scopes)
    if (scope.tried)
      scope.tried->mayRaise = true;
}

/// Keeps a further binding of a name that is bound under conditions.
void ModuleReader::addChoice(std::vector<Global> &choices, const Global &old,
                             const Global &global) {
  constexpr size_t kMaxChoices = 16;
  if (choices.empty())
    choices.push_back(old);
  if (choices.size() < kMaxChoices)
    choices.push_back(global);
  else
    choices.back().isOpen = true;
}

} // namespace tilerun
