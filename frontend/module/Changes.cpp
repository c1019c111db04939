// Changes of globals beside plain assignments: those that host functions make, `:=`, and methods
// that change a list or a dict. Nobody knows the values without running the code.
#include "frontend/module/ModuleReader.h"

using namespace llvm;

namespace tilerun {

using Kind = TokenKind;

bool ModuleReader::isAssignment(Token t) {
  return t.is(Kind::Equal) || (t.kind >= Kind::PlusEqual && t.kind <= Kind::AtEqual) ||
         t.is(Kind::PowEqual) || t.is(Kind::FloorDivEqual) || t.is(Kind::ShlEqual) ||
         t.is(Kind::ShrEqual);
}

/// Methods by which lists, dicts and sets change.
static bool isMutator(StringRef name) {
  static constexpr StringLiteral kNames[] = {
      "append",     "extend",  "insert", "remove",  "pop", "clear",   "update",
      "setdefault", "popitem", "sort",   "reverse", "add", "discard", "__setitem__"};
  return llvm::is_contained(kNames, name);
}

/// What a global holds was changed: it is not what its assignment says.
void ModuleReader::forgetChanged(StringRef name) {
  auto it = module.globals.find(name);
  if (it == module.globals.end() || it->second.kind != Global::Kind::Value)
    return;
  it->second.kind = Global::Kind::Unknown;
  it->second.value = nullptr;
}

/// `L.append(1)`, `del L[0]`
void ModuleReader::readMutation(Tokens tokens) {
  bool isDelete = tokens[0].is(Kind::KwDel);
  tokens = tokens.drop_front(isDelete);
  if (tokens.size() > 3 && tokens[0].is(Kind::Name) &&
      (isDelete ||
       (tokens[1].is(Kind::Dot) && tokens[3].is(Kind::LParen) && isMutator(text(tokens[2])))))
    mutated.insert(text(tokens[0]));
}

/// A statement of a function: notes which globals it assigns.
void ModuleReader::readHostStatement(Tokens tokens) {
  auto scope = llvm::find_if(llvm::reverse(scopes),
                             [](const Scope &s) { return s.kind == ScopeKind::Function; });
  if (scope == scopes.rend())
    return;
  if (tokens[0].is(Kind::KwGlobal)) {
    for (Token token : tokens)
      if (token.is(Kind::Name))
        scope->declared.insert(text(token));
    return;
  }
  if (scope->declared.empty())
    return;
  // The targets end at the last assignment that is outside of brackets.
  unsigned depth = 0;
  size_t end = 0;
  for (auto [i, token] : llvm::enumerate(tokens)) {
    Kind kind = token.kind;
    depth += kind == Kind::LParen || kind == Kind::LBracket || kind == Kind::LBrace;
    if (depth > 0)
      depth -= kind == Kind::RParen || kind == Kind::RBracket || kind == Kind::RBrace;
    else if (isAssignment(token))
      end = i;
  }
  for (size_t i = 0; i < end; ++i)
    if (tokens[i].is(Kind::Name) && (i == 0 || !tokens[i - 1].is(Kind::Dot)) &&
        scope->declared.contains(text(tokens[i])))
      setByFunctions.insert(text(tokens[i]));
}

/// `if (x := f()):`; only host code knows such a value.
void ModuleReader::readWalruses(Tokens tokens) {
  if (!atModuleLevel())
    return;
  for (size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].is(Kind::Walrus) && tokens[i - 1].is(Kind::Name)) {
      Global global;
      global.range = {{module.file, tokens[i - 1].begin}, tokens[i - 1].end};
      bind(text(tokens[i - 1]), global);
    }
}

} // namespace tilerun
