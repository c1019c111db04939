// The statements of host code: what they bind, assign and delete.
#include "frontend/module/HostUses.h"
#include "frontend/ast/Bindings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

static bool isConstant(const Global &global) {
  return global.kind == Global::Kind::Value || global.kind == Global::Kind::Class;
}

HostUses::HostUses(LoadedModule &module, function_ref<std::string(const Expr *)> getPath,
                   function_ref<StringRef(SourceRange)> getText, const DenseSet<uint32_t> &kernels)
    : module(module), getPath(getPath), getText(getText), kernels(kernels) {
  scopes.push_back({Scope::Kind::Module, "", ""});
  for (const auto &entry : module.globals)
    holdsItself |= entry.getValue().module == &module || entry.getValue().path == "__main__";
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

HostUses::Resolved HostUses::resolve(StringRef name) const {
  for (size_t i = scopes.size(); i-- > 1;) {
    const Scope &scope = scopes[i];
    if (scope.globals.contains(name))
      break;
    if (scope.outer.contains(name) || !scope.locals.contains(name))
      continue;
    if (scope.kind == Scope::Kind::Comprehension)
      return {Resolved::Kind::Other, ""};
    if (scope.kind == Scope::Kind::Function)
      return {Resolved::Kind::Variable, scope.name + "." + name.str()};
    // The names of a class are seen in its body, and not in its functions.
    if (llvm::all_of(ArrayRef(scopes).drop_front(i + 1),
                     [](const Scope &s) { return s.kind == Scope::Kind::Comprehension; }))
      return {Resolved::Kind::Member, name.str()};
  }
  return {Resolved::Kind::Variable, name.str()};
}

const Global *HostUses::findGlobal(const Expr *expr) const {
  const auto *name = dyn_cast<NameExpr>(expr);
  if (!name)
    return nullptr;
  Resolved resolved = resolve(name->name);
  if (resolved.kind != Resolved::Kind::Variable)
    return nullptr;
  auto it = module.globals.find(resolved.key);
  return it == module.globals.end() ? nullptr : &it->second;
}

bool HostUses::isBuiltin(StringRef name) const {
  Resolved resolved = resolve(name);
  return resolved.kind == Resolved::Kind::Variable && resolved.key == name &&
         !module.globals.contains(name);
}

void HostUses::push(Scope::Kind kind, StringRef name) {
  std::string prefix;
  for (const Scope &scope : llvm::reverse(scopes))
    if (!scope.name.empty()) {
      prefix = scope.name + ".";
      break;
    }
  scopes.push_back({kind, prefix + name.str(), ""});
}

/// The names that a function or class binds itself. Those that `:=` binds are left out, and count
/// as names of something outside.
void HostUses::collectLocals(Block block, Scope &scope) {
  forEachBinding(
      block, [&](StringRef name) { scope.locals.insert(name); },
      [&](const GlobalStmt &statement) {
        for (StringRef name : statement.names)
          (statement.isNonlocal ? scope.outer : scope.globals).insert(name);
      });
}

//===----------------------------------------------------------------------===//
// What is noted
//===----------------------------------------------------------------------===//

void HostUses::doubt(StringRef key, Doubt level, SourceRange place) {
  if (level != Doubt::None)
    changes[key].add({level, place});
}

void HostUses::doubtEverything(Doubt level, SourceRange place) {
  if (level != Doubt::None)
    everything.add({level, place});
}

void HostUses::doubtMember(StringRef name, Doubt level, SourceRange place) {
  if (level == Doubt::None)
    return;
  (name.empty() ? module.anyMemberChange : module.memberChanges[name]).add({level, place});
}

void HostUses::doubtForeign(const Expr *base, StringRef name, Doubt level, SourceRange place) {
  const Expr *root = base;
  while (const auto *attribute = dyn_cast<AttributeExpr>(root))
    root = attribute->value;
  const Global *global = findGlobal(root);
  if (level == Doubt::None || !global)
    return;
  auto note = [&](LoadedModule *of) {
    if (!of || of == &module)
      return;
    (name.empty() ? of->anyMemberChange : of->memberChanges[name]).add({level, place});
    (name.empty() ? of->anyForeignChange : of->foreignChanges[name]).add({level, place});
  };
  note(global->module);
  if (root == base)
    return;
  // `a.b.name`: whichever file of the package it is.
  for (const auto &[path, imported] : module.importedModules)
    note(imported);
}

void HostUses::finish() {
  if (holdsItself)
    for (const auto &attribute : attributes)
      attribute.getKey().empty()
          ? doubtEverything(attribute.getValue().doubt, attribute.getValue().place)
          : doubt(attribute.getKey(), attribute.getValue().doubt, attribute.getValue().place);
  // An effect on an object holds under all of its names.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[a, b] : aliases)
      for (auto [from, to] : {std::pair{&a, &b}, {&b, &a}}) {
        HostChange change = changes.lookup(*from);
        change.doubt = std::min(change.doubt, Doubt::Value);
        if (change.doubt != Doubt::None)
          changed |= changes[*to].add(change);
      }
  }
  for (const auto &entry : changes) {
    auto global = module.globals.find(entry.getKey());
    if (global != module.globals.end()) {
      global->second.change.add(entry.getValue());
      // Under another name elsewhere, it is the same object.
      if (Global &own = global->second; own.kind == Global::Kind::ImportedName && own.module &&
                                        own.module != &module &&
                                        entry.getValue().doubt != Doubt::Binding)
        own.module->foreignChanges[own.importedName].add(entry.getValue());
    }
    if (auto nested = module.nested.find(entry.getKey()); nested != module.nested.end())
      nested->second.change.add(entry.getValue());
  }
  // Functions and modules are assumed not to change.
  for (auto &global : module.globals)
    if (everything.doubt != Doubt::None && isConstant(global.second))
      global.second.change.add(everything);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void HostUses::read(Block block) {
  for (const Stmt *statement : block)
    readStatement(*statement);
}

/// Every name in it may be bound where its position allows that, and every attribute set.
void HostUses::readUnparsed(SourceRange range) {
  auto isWord = [](char c) { return isAlnum(c) || c == '_' || static_cast<signed char>(c) < 0; };
  StringRef rest = getText(range);
  bool isAttribute = false;
  while (!rest.empty()) {
    StringRef word = rest.take_while(isWord);
    if (word.empty()) {
      isAttribute = rest.consume_front(".");
      rest = isAttribute ? rest : rest.drop_front();
      continue;
    }
    rest = rest.drop_front(word.size());
    holdsItself |= word == "modules" || word == "import_module" || word == "__import__";
    if (word == "exec" || word == "globals")
      doubtEverything(Doubt::Binding, range);
    if (isAttribute) {
      doubtMember(word, Doubt::Binding, range);
      attributes[word].add({Doubt::Binding, range});
    } else if (Resolved resolved = resolve(word); resolved.kind != Resolved::Kind::Other) {
      auto known = module.globals.find(resolved.key);
      if (known != module.globals.end() && !isConstant(known->second))
        continue;
      bool isOwn = atModuleLevel() || llvm::any_of(scopes, [&](const Scope &scope) {
                     return scope.globals.contains(word) || scope.outer.contains(word);
                   });
      doubt(resolved.key, isOwn ? Doubt::Binding : Doubt::Value, range);
    }
    isAttribute = false;
  }
}

void HostUses::readDecorators(ArrayRef<const Expr *> decorators) {
  for (const Expr *decorator : decorators)
    use(decorator, Doubt::None);
}

void HostUses::readParameters(ArrayRef<Parameter> parameters) {
  for (const Parameter &parameter : parameters)
    use(parameter.defaultValue, Doubt::Value);
}

void HostUses::readKernel(const FunctionDef &def) {
  readDecorators(def.decorators);
  // A default belongs to the kernel alone, which changes nothing.
  for (const Parameter &parameter : def.parameters)
    use(parameter.defaultValue, Doubt::None);
}

void HostUses::readFunction(const FunctionDef &def) {
  if (kernels.contains(def.nameRange.begin.offset))
    return readKernel(def);
  readDecorators(def.decorators);
  readParameters(def.parameters);
  bool isMethod = scopes.back().kind == Scope::Kind::Class && def.decorators.empty() &&
                  !def.parameters.empty() && def.parameters[0].name == "self";
  push(Scope::Kind::Function, def.name);
  for (const Parameter &parameter : def.parameters)
    scopes.back().locals.insert(parameter.name);
  if (isMethod)
    scopes.back().self = "self";
  collectLocals(def.body, scopes.back());
  read(def.body);
  scopes.pop_back();
}

/// Decorators that give the class itself back, with functions added.
static bool isClassDecorator(StringRef path) {
  StringRef last = path.substr(path.rfind('.') + 1);
  return is_contained({"dataclass", "aggregate", "_aggregate", "final", "total_ordering", "unique",
                       "runtime_checkable"},
                      last);
}

void HostUses::readClass(const ClassDef &def) {
  Resolved own = resolve(def.name);
  for (const Expr *decorator : def.decorators) {
    const auto *call = dyn_cast<CallExpr>(decorator);
    if (!isClassDecorator(getPath(call ? call->callee : decorator)))
      doubt(own.key, Doubt::Value, decorator->range);
    use(decorator, Doubt::None);
  }
  for (const Expr *base : def.bases) {
    use(base, Doubt::None);
    if (const auto *name = dyn_cast<NameExpr>(base))
      aliases.emplace_back(own.key, resolve(name->name).key);
  }
  for (const Keyword &keyword : def.keywords)
    use(keyword.value, Doubt::Value);
  push(Scope::Kind::Class, def.name);
  collectLocals(def.body, scopes.back());
  read(def.body);
  scopes.pop_back();
}

void HostUses::storeName(StringRef name, SourceRange place) {
  // Assignments at module level are what the reader of the file binds.
  if (atModuleLevel())
    return;
  for (const Scope &scope : llvm::reverse(scopes)) {
    if (scope.globals.contains(name))
      return doubt(name, Doubt::Binding, place);
    if (scope.outer.contains(name))
      return doubt(resolve(name).key, Doubt::Binding, place);
    if (scope.kind != Scope::Kind::Comprehension)
      return;
  }
}

void HostUses::storeAttribute(const Expr *base, StringRef name, SourceRange place) {
  const auto *object = dyn_cast<NameExpr>(base);
  const Scope *method = nullptr;
  for (const Scope &scope : scopes)
    if (scope.kind == Scope::Kind::Function)
      method = &scope;
  // A value gets it, not its class.
  if (object && method && !method->self.empty() && object->name == method->self)
    return;
  doubtMember(name, Doubt::Binding, place);
  doubtForeign(base, name, Doubt::Binding, place);
  attributes[name].add({Doubt::Binding, place});
  // `F.value = 2`
  if (const Global *global = object ? findGlobal(object) : nullptr;
      global && global->kind == Global::Kind::Value)
    doubt(resolve(object->name).key, Doubt::Binding, place);
}

void HostUses::store(const Expr *target) {
  if (!target)
    return;
  if (const auto *name = dyn_cast<NameExpr>(target))
    return storeName(name->name, name->range);
  if (const auto *star = dyn_cast<StarredExpr>(target))
    return store(star->value);
  const auto *tuple = dyn_cast<TupleExpr>(target);
  const auto *list = dyn_cast<ListExpr>(target);
  if (tuple || list) {
    for (const Expr *element : tuple ? tuple->elements : list->elements)
      store(element);
    return;
  }
  if (const auto *attribute = dyn_cast<AttributeExpr>(target)) {
    use(attribute->value, Doubt::None);
    return storeAttribute(attribute->value, attribute->name, attribute->range);
  }
  if (const auto *subscript = dyn_cast<SubscriptExpr>(target)) {
    use(subscript->index, Doubt::None);
    if (isNamespace(subscript->value))
      return useNamespaceItem(subscript->value, subscript->index, Doubt::Binding, target->range);
    use(subscript->value, Doubt::Value);
  }
}

void HostUses::readAssignment(ArrayRef<const Expr *> targets, const Expr *value) {
  llvm::for_each(targets, [&](const Expr *target) { store(target); });
  if (!value)
    return;
  // `A = B = C`: names of one object.
  SmallVector<std::string> names;
  bool areNames = true;
  auto add = [&](const Expr *expr) {
    const auto *name = dyn_cast<NameExpr>(expr);
    Resolved resolved = name ? resolve(name->name) : Resolved{Resolved::Kind::Other, ""};
    if (resolved.kind == Resolved::Kind::Variable)
      names.push_back(resolved.key);
    return resolved.kind == Resolved::Kind::Variable;
  };
  for (const Expr *target : targets)
    areNames &= add(target);
  const bool isAlias = areNames && isa<NameExpr>(value) && add(value);
  for (size_t i = 1; i < names.size(); ++i)
    aliases.emplace_back(names[0], names[i]);
  // A new list in its own variable is not shared; a list around another one shares it.
  if (!isAlias)
    use(value, Doubt::Value);
}

void HostUses::readStatement(const Stmt &statement) {
  switch (statement.kind) {
  case Kind::ExprStmt:
    return use(cast<ExprStmt>(&statement)->value, Doubt::None);
  case Kind::AssignStmt: {
    const auto *assign = cast<AssignStmt>(&statement);
    return readAssignment(assign->targets, assign->value);
  }
  case Kind::AnnAssignStmt: {
    const auto *annotated = cast<AnnAssignStmt>(&statement);
    if (annotated->value)
      readAssignment(annotated->target, annotated->value);
    return;
  }
  case Kind::AugAssignStmt: {
    // `L += [1]` changes the list itself, under all its names.
    const auto *augmented = cast<AugAssignStmt>(&statement);
    store(augmented->target);
    use(augmented->target, Doubt::Value);
    return use(augmented->value, Doubt::Elements);
  }
  case Kind::IfStmt: {
    const auto *branch = cast<IfStmt>(&statement);
    use(branch->condition, Doubt::None);
    read(branch->thenBody);
    return read(branch->elseBody);
  }
  case Kind::ForStmt: {
    const auto *loop = cast<ForStmt>(&statement);
    use(loop->iterable, Doubt::Elements);
    store(loop->target);
    read(loop->body);
    return read(loop->elseBody);
  }
  case Kind::WhileStmt: {
    const auto *loop = cast<WhileStmt>(&statement);
    use(loop->condition, Doubt::None);
    read(loop->body);
    return read(loop->elseBody);
  }
  case Kind::WithStmt: {
    const auto *with = cast<WithStmt>(&statement);
    for (const WithItem &item : with->items) {
      use(item.context, Doubt::Value);
      store(item.target);
    }
    return read(with->body);
  }
  case Kind::TryStmt: {
    const auto *attempt = cast<TryStmt>(&statement);
    read(attempt->body);
    for (const ExceptHandler &handler : attempt->handlers) {
      use(handler.type, Doubt::None);
      if (!handler.name.empty())
        atModuleLevel() ? doubt(handler.name, Doubt::Binding, statement.range)
                        : storeName(handler.name, statement.range);
      read(handler.body);
    }
    read(attempt->elseBody);
    return read(attempt->finalBody);
  }
  case Kind::ReturnStmt:
    return use(cast<ReturnStmt>(&statement)->value, Doubt::Value);
  case Kind::AssertStmt:
    use(cast<AssertStmt>(&statement)->condition, Doubt::None);
    return use(cast<AssertStmt>(&statement)->message, Doubt::Value);
  case Kind::RaiseStmt:
    use(cast<RaiseStmt>(&statement)->value, Doubt::Value);
    return use(cast<RaiseStmt>(&statement)->cause, Doubt::Value);
  case Kind::DeleteStmt:
    for (const Expr *target : cast<DeleteStmt>(&statement)->targets) {
      store(target);
      if (const auto *name = dyn_cast<NameExpr>(target); name && atModuleLevel())
        doubt(name->name, Doubt::Binding, name->range);
    }
    return;
  case Kind::FunctionDef:
    return readFunction(*cast<FunctionDef>(&statement));
  case Kind::ClassDef:
    return readClass(*cast<ClassDef>(&statement));
  case Kind::ImportStmt:
    for (const ImportName &name : cast<ImportStmt>(&statement)->names) {
      storeName(name.alias.empty() ? name.name.split('.').first : name.alias, name.range);
      StringRef last = name.name.substr(name.name.rfind('.') + 1);
      holdsItself |= last == "__main__" || last == sys::path::stem(module.path);
    }
    return;
  case Kind::ImportFromStmt:
    for (const ImportName &name : cast<ImportFromStmt>(&statement)->names)
      storeName(name.alias.empty() ? name.name : name.alias, name.range);
    return;
  case Kind::MatchStmt:
    return readUnparsed(statement.range);
  default:
    return; // `pass`, `global` and their like.
  }
}

} // namespace tilerun
