// The walk over a file. Host code is only ever lexed, with errors ignored; what is parsed are jit
// functions (errors reported), imports, global assignments and small global classes (errors
// ignored: such a name then stands for something unknown).
#include "frontend/module/ModuleReader.h"
#include "frontend/parse/Parser.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

using Kind = TokenKind;

ModuleReader::ModuleReader(ModuleLoader &loader, LoadedModule &module)
    : loader(loader), module(module), context(loader.context),
      lexer(loader.sources, module.file, nullptr), errorsBefore(loader.diagnostics.getNumErrors()) {
}

bool ModuleReader::atModuleLevel() const {
  return llvm::none_of(scopes, [](const Scope &scope) {
    return scope.kind == ScopeKind::Function || scope.kind == ScopeKind::Class ||
           scope.kind == ScopeKind::Other;
  });
}

std::optional<ModuleReader::ScopeKind> ModuleReader::getCondition() const {
  std::optional<ScopeKind> condition;
  for (const Scope &scope : scopes) {
    if (scope.kind == ScopeKind::Loop)
      return ScopeKind::Loop;
    if (scope.runs == true)
      continue;
    if (scope.kind == ScopeKind::Further || !condition)
      condition = scope.kind;
  }
  return condition;
}

bool ModuleReader::read() {
  while (!done) {
    Token token = pendingToken ? *pendingToken : lexer.next();
    pendingToken.reset();
    switch (token.kind) {
    case Kind::Indent:
      // A scope that no header announced is part of the scope around it.
      scopes.push_back(pendingScope
                           ? *pendingScope
                           : Scope{scopes.empty() ? ScopeKind::First : scopes.back().kind, {}});
      pendingScope.reset();
      break;
    case Kind::Dedent:
      if (!scopes.empty()) {
        finishScope(scopes.pop_back_val());
      }
      break;
    case Kind::Newline:
      lastLineEnd = token.end;
      pendingScope.reset();
      readLine();
      line.clear();
      lineTruncated = false;
      break;
    case Kind::Eof:
      done = true;
      break;
    default:
      if (line.size() < kMaxLineTokens)
        line.push_back(token);
      else
        lineTruncated = true;
    }
  }
  readHostUses();
  markHelpers();
  return !failed;
}

void ModuleReader::readLine() {
  if (line.empty())
    return;
  Tokens tokens = line;
  Kind first = tokens[0].kind;
  notePiece();
  if (first == Kind::At) {
    if (!decoratorsBegin)
      decoratorsBegin = tokens[0].begin;
    decoratedByJit |= isJitDecorator(tokens);
    decoratedAsRecord |= isRecordDecorator(tokens);
    decoratedByGluon |= isGluonDecorator(tokens);
    return;
  }
  readWalruses(tokens);
  noteCalls(tokens);
  bool isAsync = first == Kind::KwAsync && tokens.size() > 1;
  if (isAsync)
    first = tokens[1].kind;
  switch (first) {
  case Kind::KwDef:
    readDefinition(isAsync ? tokens.drop_front() : tokens);
    break;
  case Kind::KwClass:
    readClass(tokens);
    break;
  case Kind::KwIf:
  case Kind::KwTry:
  case Kind::KwWith:
    readHeader(tokens, ScopeKind::First);
    break;
  case Kind::KwElif:
  case Kind::KwElse:
  case Kind::KwExcept:
  case Kind::KwFinally:
    readHeader(tokens, ScopeKind::Further);
    break;
  case Kind::KwFor:
  case Kind::KwWhile:
    readHeader(tokens, ScopeKind::Loop);
    break;
  default:
    if (first == Kind::Name && (text(tokens[0]) == "match" || text(tokens[0]) == "case") &&
        tokens.size() > 2 && tokens.back().is(Kind::Colon)) {
      pendingScope = Scope{ScopeKind::Other, {}};
    } else {
      // `a; b; c`
      unsigned depth = 0;
      size_t begin = 0;
      for (size_t i = 0; i <= tokens.size(); ++i) {
        if (i == tokens.size() || (depth == 0 && tokens[i].is(Kind::Semicolon))) {
          readSimple(tokens.slice(begin, i - begin));
          begin = i + 1;
          continue;
        }
        Kind kind = tokens[i].kind;
        depth += kind == Kind::LParen || kind == Kind::LBracket || kind == Kind::LBrace;
        if (depth > 0)
          depth -= kind == Kind::RParen || kind == Kind::RBracket || kind == Kind::RBrace;
      }
    }
  }
  decoratorsBegin.reset();
  decoratedByJit = decoratedAsRecord = decoratedByGluon = false;
}

/// A block's header; names that it binds (`for x in`, `with … as x`) stand for something unknown.
void ModuleReader::readHeader(Tokens tokens, ScopeKind kind) {
  pendingScope = Scope{kind, {}};
  bool isFor = llvm::any_of(tokens.take_front(2), [](Token t) { return t.is(Kind::KwFor); });
  bool isWith = llvm::any_of(tokens.take_front(2), [](Token t) { return t.is(Kind::KwWith); });
  unsigned depth = 0, lambdas = 0;
  bool inTargets = isFor;
  for (size_t i = 1; i < tokens.size(); ++i) {
    Kind token = tokens[i].kind;
    if (token == Kind::KwIn)
      inTargets = false;
    bool bound = inTargets || (isWith && tokens[i - 1].is(Kind::KwAs));
    if (bound && token == Kind::Name && atModuleLevel()) {
      Global global;
      global.range = {{module.file, tokens[i].begin}, tokens[i].end};
      bind(text(tokens[i]), global);
    }
    depth += token == Kind::LParen || token == Kind::LBracket || token == Kind::LBrace;
    if (depth > 0)
      depth -= token == Kind::RParen || token == Kind::RBracket || token == Kind::RBrace;
    if (depth > 0)
      continue;
    if (token == Kind::KwLambda) {
      ++lambdas;
    } else if (token == Kind::Colon && lambdas > 0) {
      --lambdas;
    } else if (token == Kind::Colon) {
      if (atModuleLevel()) {
        pendingScope->runs = decideArm(tokens, i);
        addGuards(*pendingScope, tokens, i);
      }
      // `if x: statement`
      if (i + 1 < tokens.size()) {
        scopes.push_back(*pendingScope);
        pendingScope.reset();
        readSimple(tokens.drop_front(i + 1));
        scopes.pop_back();
      }
      return;
    }
  }
}

void ModuleReader::readDefinition(Tokens tokens) {
  StringRef name = tokens.size() > 1 && tokens[1].is(Kind::Name) ? text(tokens[1]) : StringRef();
  if (decoratedByJit) {
    skipJitFunction(*decoratorsBegin, name);
    return;
  }
  if (decoratedByGluon && !name.empty())
    module.gluonKernels.push_back({name.str(), {module.file, tokens[1].begin}});
  if (!name.empty() && atModuleLevel()) {
    Global global;
    global.kind = Global::Kind::HostFunction;
    global.range = {{module.file, tokens[1].begin}, tokens[1].end};
    global.begin = decoratorsBegin.value_or(line.front().begin);
    global.end = lastLineEnd; // Of a function in one line; else the end of its scope.
    global.isDecorated = decoratorsBegin.has_value();
    bind(name, global);
  }
  Scope scope{ScopeKind::Function, name.str()};
  scope.begin = decoratorsBegin.value_or(line.front().begin);
  pendingScope = scope;
}

void ModuleReader::readClass(Tokens tokens) {
  StringRef name = tokens.size() > 1 && tokens[1].is(Kind::Name) ? text(tokens[1]) : StringRef();
  Scope scope{ScopeKind::Class, name.str()};
  if (!name.empty() && atModuleLevel()) {
    Global global;
    global.kind = Global::Kind::Class;
    global.range = {{module.file, tokens[1].begin}, tokens[1].end};
    bind(name, global);
    scope.begin = decoratorsBegin.value_or(tokens[0].begin);
  }
  scope.isRecord = decoratedAsRecord;
  if (scope.isRecord)
    markKernelHolders();
  pendingScope = scope;
}

/// The functions around this place hold something that kernels use.
void ModuleReader::markKernelHolders() {
  for (Scope &scope : scopes)
    scope.holdsKernel |= scope.kind == ScopeKind::Function;
}

/// Names of the functions and classes around this place, with a dot after each.
std::string ModuleReader::getScopeName() const {
  std::string prefix;
  for (const Scope &scope : scopes)
    if (!scope.name.empty())
      prefix += scope.name + ".";
  return prefix;
}

void ModuleReader::finishScope(const Scope &scope) {
  if (scope.kind == ScopeKind::Function)
    if (auto it = module.globals.find(scope.name); it != module.globals.end()) {
      auto finish = [&](Global &global) {
        if (global.kind == Global::Kind::HostFunction && global.begin == scope.begin)
          global.end = lastLineEnd;
      };
      finish(it->second);
      llvm::for_each(it->second.choices, finish);
    }
  if (scope.kind == ScopeKind::Class)
    finishClass(scope);
  else if (scope.holdsKernel)
    readNested(scope);
}

/// After the body of a class: keeps its syntax, if a kernel may use it.
void ModuleReader::finishClass(const Scope &scope) {
  // Methods of records are not kernels.
  if (scope.isRecord) {
    std::string prefix = getScopeName() + scope.name + ".";
    for (const auto &function : llvm::reverse(module.functions)) {
      if (!StringRef(function->qualifiedName).starts_with(prefix))
        break; // Its functions are the last ones.
      function->usedAsHelper = true;
    }
  }
  if (scope.begin == ~0u)
    return;
  // Small enough to be more than host code.
  constexpr uint32_t kMaxClassBytes = 64u << 10;
  if (!scope.isRecord && lastLineEnd - scope.begin > kMaxClassBytes)
    return;
  unsigned before = loader.diagnostics.getNumErrors();
  std::optional<Block> block = parseSilently(scope.begin, lastLineEnd);
  // Errors in its jit functions were reported with them.
  if (!block && scope.isRecord && before == errorsBefore)
    block = parseStatements(loader.sources, module.file, scope.begin, lastLineEnd, context,
                            &loader.diagnostics);
  failed |= loader.diagnostics.getNumErrors() != before;
  auto *def = block && block->size() == 1 ? dyn_cast<ClassDef>(block->front()) : nullptr;
  auto it = def ? module.globals.find(def->name) : module.globals.end();
  if (it == module.globals.end())
    return;
  for (Global &choice : it->second.choices)
    if (choice.kind == Global::Kind::Class && choice.range.begin == def->nameRange.begin)
      choice.classDef = def;
  if (it->second.kind == Global::Kind::Class)
    it->second.classDef = def;
}

/// Goes over the body of a jit function, then parses the whole of it.
void ModuleReader::skipJitFunction(uint32_t begin, StringRef name) {
  std::string prefix = getScopeName();
  markKernelHolders();
  if (scopes.empty()) {
    // Its decorators and defaults are read with its own syntax.
    pieces.pop_back();
    inPiece = false;
  }
  StringSet<> names;
  Token previous;
  auto note = [&](Token token) {
    if (token.is(Kind::Name) && !previous.is(Kind::Dot))
      names.insert(text(token));
    previous = token;
  };
  for (Token token : line)
    note(token);
  uint32_t end = lastLineEnd;
  // The line is over; a block follows if the next token is an indentation.
  unsigned depth = 0;
  std::optional<Token> left;
  while (true) {
    Token token = lexer.next();
    if (depth == 0 && !token.is(Kind::Indent)) {
      left = token;
      break;
    }
    if (token.is(Kind::Eof))
      break;
    depth += token.is(Kind::Indent);
    if (token.is(Kind::Newline))
      end = lastLineEnd = token.end;
    else
      note(token);
    if (token.is(Kind::Dedent) && --depth == 0)
      break;
  }

  if (inPiece)
    pieces.back().second = end;
  SourceLoc loc{module.file, begin};
  if (loader.diagnostics.getNumErrors() - errorsBefore >= kMaxParseErrors) {
    // Enough errors were reported about this file.
  } else if (module.functions.size() >= kMaxFunctions) {
    failed = true;
    loader.diagnostics.error({loc, begin + 1}, "this file has more than " + Twine(kMaxFunctions) +
                                                   " jit functions; split it");
    done = true;
  } else if (end - begin > kMaxJitBytes - jitBytes) {
    failed = true;
    loader.diagnostics.error({loc, begin + 1}, "the jit functions of this file are larger than " +
                                                   Twine(kMaxJitBytes >> 20) +
                                                   " MiB; split the file");
  } else {
    jitBytes += end - begin;
    std::optional<Block> block =
        parseStatements(loader.sources, module.file, begin, end, context, &loader.diagnostics);
    auto *def = block && !block->empty() ? dyn_cast<FunctionDef>(block->front()) : nullptr;
    if (!def) {
      failed = true;
    } else {
      auto function = std::make_unique<JitFunction>();
      function->def = expandMeta(def, *function);
      function->module = &module;
      function->qualifiedName = prefix + name.str();
      readDecorators(*function);
      if (atModuleLevel()) {
        Global global;
        global.kind = Global::Kind::Jit;
        global.jit = function.get();
        global.range = def->nameRange;
        bind(name, global);
      }
      if (bool isLocal = !scopes.empty() && scopes.back().kind == ScopeKind::Function; isLocal) {
        Global global;
        global.kind = Global::Kind::Jit;
        global.jit = function.get();
        global.range = def->nameRange;
        module.nested.insert_or_assign(function->qualifiedName, global);
      }
      module.functions.push_back(std::move(function));
      usedNames.push_back(std::move(names));
    }
  }
  decoratorsBegin.reset();
  decoratedByJit = decoratedAsRecord = decoratedByGluon = false;
  line.clear();

  // Without a block the token after the line was taken too early.
  if (!left || done)
    return;
  switch (left->kind) {
  case Kind::Eof:
    done = true;
    break;
  case Kind::Dedent:
    if (!scopes.empty())
      finishScope(scopes.pop_back_val());
    break;
  default:
    pendingToken = *left;
  }
}

std::optional<Block> ModuleReader::parseSilently(uint32_t begin, uint32_t end) {
  if (end < begin || end - begin > kMaxHostBytes - hostBytes)
    return std::nullopt;
  hostBytes += end - begin;
  return parseStatements(loader.sources, module.file, begin, end, context, nullptr);
}

void ModuleReader::readSimple(Tokens tokens) {
  if (tokens.empty())
    return;
  Kind first = tokens[0].kind;
  uint32_t begin = tokens.front().begin, end = tokens.back().end;
  if (first == Kind::KwImport || first == Kind::KwFrom) {
    std::optional<Block> block = parseSilently(begin, end);
    if (!block || block->size() != 1)
      return;
    if (auto *import = dyn_cast<ImportStmt>(block->front()))
      readImport(*import);
    else if (auto *from = dyn_cast<ImportFromStmt>(block->front()))
      readFromImport(*from);
    return;
  }
  if (!atModuleLevel())
    return;
  if (first == Kind::KwDel) {
    if (tokens.size() == 2 && tokens[1].is(Kind::Name))
      module.globals.erase(text(tokens[1]));
    return;
  }
  // Only assignments bind names: a call, a docstring and the like are not worth parsing.
  if (llvm::none_of(tokens, isAssignment) || first == Kind::Error)
    return;
  std::optional<Block> block;
  if (!lineTruncated)
    block = parseSilently(begin, end);
  if (block && block->size() == 1) {
    readAssignment(*block->front());
  } else if (first == Kind::Name && tokens.size() > 1 && tokens[1].is(Kind::Equal)) {
    Global global;
    global.range = {{module.file, begin}, tokens[0].end};
    bind(text(tokens[0]), global);
  }
}

void ModuleReader::readAssignment(const Stmt &stmt) {
  if (auto *assign = dyn_cast<AssignStmt>(&stmt)) {
    for (const Expr *target : assign->targets)
      bindTarget(target, assign->value, nullptr);
    // `function.__triton_builtin__ = True`
    if (auto *attribute = dyn_cast<AttributeExpr>(assign->targets[0]);
        attribute && attribute->name == "__triton_builtin__")
      if (auto *name = dyn_cast<NameExpr>(attribute->value))
        if (auto it = module.globals.find(name->name); it != module.globals.end())
          it->second.isBuiltin = true;
    // `jit = triton.jit`
    if (auto *name = dyn_cast<NameExpr>(assign->targets[0]))
      if (isa<AttributeExpr>(assign->value))
        if (std::string path = getPath(assign->value); StringRef(path).contains("triton"))
          aliases.try_emplace(name->name, path);
  } else if (auto *annotated = dyn_cast<AnnAssignStmt>(&stmt)) {
    if (annotated->value)
      bindTarget(annotated->target, annotated->value, annotated->annotation);
  } else if (auto *augmented = dyn_cast<AugAssignStmt>(&stmt)) {
    bindTarget(augmented->target, nullptr, nullptr);
  }
}

void ModuleReader::bindTarget(const Expr *target, const Expr *value, const Expr *annotation) {
  if (auto *name = dyn_cast<NameExpr>(target)) {
    Global global;
    global.kind = value ? Global::Kind::Value : Global::Kind::Unknown;
    global.value = value;
    global.annotation = annotation;
    global.range = name->range;
    bind(name->name, global);
    return;
  }
  if (auto *star = dyn_cast<StarredExpr>(target))
    return bindTarget(star->value, nullptr, nullptr);
  auto elementsOf = [](const Expr *expr) -> std::optional<ArrayRef<const Expr *>> {
    if (!expr)
      return std::nullopt;
    if (auto *tuple = dyn_cast<TupleExpr>(expr))
      return tuple->elements;
    if (auto *list = dyn_cast<ListExpr>(expr))
      return list->elements;
    return std::nullopt;
  };
  auto targets = elementsOf(target);
  if (!targets)
    return;
  auto values = elementsOf(value);
  auto isStar = [](const Expr *e) { return isa<StarredExpr>(e); };
  bool pairwise = values && values->size() == targets->size() && llvm::none_of(*targets, isStar) &&
                  llvm::none_of(*values, isStar);
  for (size_t i = 0; i < targets->size(); ++i)
    bindTarget((*targets)[i], pairwise ? (*values)[i] : nullptr, nullptr);
}

/// The last binding wins, unless it may not run: then the first stays (`try: import triton;
/// except ImportError: triton = None`), and a name with two values is unknown.
void ModuleReader::bindLocally(StringRef name, Global global) {
  if (module.localImports.size() < kMaxGlobals)
    module.localImports.try_emplace(name, std::move(global));
}

void ModuleReader::bind(StringRef name, Global global) {
  if (llvm::any_of(scopes, [](const Scope &scope) { return scope.runs == false; }))
    return;
  std::optional<ScopeKind> condition = getCondition();
  if (condition == ScopeKind::Loop && global.kind == Global::Kind::Value) {
    global.kind = Global::Kind::Unknown;
    global.value = nullptr;
  }
  if (module.globals.size() >= kMaxGlobals && !module.globals.contains(name)) {
    if (!globalsFull)
      loader.diagnostics.warning(global.range, "this file has more than " + Twine(kMaxGlobals) +
                                                   " global names; kernels do not see this one "
                                                   "and those after it");
    globalsFull = true;
    return;
  }
  guard(global);
  auto [it, isNew] = module.globals.try_emplace(name, global);
  if (isNew)
    return;
  Global &old = it->second;
  if (auto &before = module.earlier[name]; before.size() < kMaxEarlier)
    before.push_back(old);
  std::vector<Global> choices = std::move(old.choices);
  old.choices.clear();
  // `except ImportError:` runs where a file of the same package is not there.
  if (!condition || missingImports.erase(name)) {
    old = global;
    return;
  }
  addChoice(choices, old, global);
  llvm::scope_exit keep([&] { old.choices = std::move(choices); });
  bool bothValues = old.kind == Global::Kind::Value && global.kind == Global::Kind::Value;
  if (bothValues && foldedText(old.value->range) == foldedText(global.value->range))
    return;
  // A function of the language, or a jit function where there is none: which one is decided by the
  // part that knows the language.
  auto isFunctionOfTriton = [&](const Global &one) {
    auto isPath = [&](const Expr *value) {
      // Some packages re-export Triton's modules.
      return ("." + getPath(value)).find(".triton.language.") != std::string::npos;
    };
    return one.value ? isPath(one.value)
                     : !one.alternatives.empty() && llvm::all_of(one.alternatives, isPath);
  };
  bool isFallback =
      (old.jit && isFunctionOfTriton(global)) || (global.jit && isFunctionOfTriton(old));
  if (isFallback)
    old.jit = old.jit ? old.jit : global.jit;
  auto isConstant = [](const Global &one) {
    return one.kind == Global::Kind::Value || one.kind == Global::Kind::Unknown;
  };
  // Two functions of one name: which one counts is decided when a kernel is compiled.
  if (old.jit && global.jit && old.jit != global.jit && !isFallback) {
    if (old.functions.empty())
      old.functions.push_back(old.jit);
    old.functions.push_back(global.jit);
    return;
  }
  // `try: import mylib` / `except ImportError: mylib = None`, in either order.
  if (isConstant(old) != isConstant(global))
    global.mayBeMissing = old.mayBeMissing = true;
  if (!isConstant(old) && !isFallback)
    return;
  if (isFallback || global.kind == Global::Kind::Value || global.kind == Global::Kind::Unknown) {
    constexpr size_t kMaxAlternatives = 8;
    for (const Expr *value : {old.value, global.value})
      if (value && old.alternatives.size() < kMaxAlternatives)
        old.alternatives.push_back(value);
    old.kind = Global::Kind::Unknown;
    old.value = nullptr;
    old.range = global.range;
  } else {
    old = global;
  }
}

void ModuleReader::markHelpers() {
  StringMap<unsigned> users;
  for (const StringSet<> &names : usedNames)
    for (const auto &name : names)
      ++users[name.getKey()];
  for (auto [function, names] : llvm::zip(module.functions, usedNames)) {
    StringRef name = function->def->name;
    function->usedAsHelper |= users.lookup(name) > (names.contains(name) ? 1u : 0u);
  }
}

} // namespace tilerun
