// Which files the jit functions of a module look something up in: names are followed by syntax
// alone, and too far rather than not far enough, because what is found here decides whether a kept
// artifact is still right.
#include "frontend/ast/Walk.h"
#include "frontend/module/Module.h"

#include "llvm/ADT/StringSet.h"

#include <deque>
#include <set>

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

namespace {
class Reacher {
public:
  explicit Reacher(function_ref<void(StringRef)> noteEnvironment)
      : noteEnvironment(noteEnvironment) {}
  void addModule(const LoadedModule &module);
  void run();

private:
  /// Names, and what is looked up in modules by them: `a` and `b` of `a.b`.
  struct Names {
    StringSet<> plain, attributes;
  };
  struct Item {
    const LoadedModule *module;
    std::string name;
    const Names *user; ///< The context of the name's use.
  };

  void addFunction(const FunctionDef &def, const LoadedModule &module);
  void addNames(const LoadedModule &module, const Names &names);
  void addExpr(const Expr *expr, const LoadedModule &module);
  void addGlobal(const Global &global, StringRef name, const LoadedModule &module,
                 const Names &user);
  void addMembers(const LoadedModule *module, const Names &user);

  function_ref<void(StringRef)> noteEnvironment; ///< Takes names of variables.
  std::deque<Names> names;                       ///< Addresses stay.
  std::vector<Item> items;
  std::set<std::tuple<const LoadedModule *, std::string, const Names *>> seen;
  std::set<const void *> visited; ///< Functions, expressions and classes.
};

class NameCollector : public Walker {
public:
  NameCollector(StringSet<> &plain, StringSet<> &attributes,
                function_ref<void(StringRef)> noteEnvironment)
      : plain(plain), attributes(attributes), noteEnvironment(noteEnvironment) {}
  bool visit(const Node &node) override {
    noteVariable(node);
    if (const auto *name = dyn_cast<NameExpr>(&node))
      plain.insert(name->name);
    if (const auto *attribute = dyn_cast<AttributeExpr>(&node))
      attributes.insert(attribute->name);
    return true;
  }

private:
  /// `os.environ.get("NAME")`, `getenv("NAME")`, `os.environ["NAME"]`, `"NAME" in os.environ`
  void noteVariable(const Node &node) {
    auto isCalled = [](const Expr *expr, StringRef name) {
      const auto *attribute = dyn_cast<AttributeExpr>(expr);
      const auto *plain = dyn_cast<NameExpr>(expr);
      return attribute ? attribute->name == name : plain && plain->name == name;
    };
    const Expr *name = nullptr;
    if (const auto *call = dyn_cast<CallExpr>(&node); call && !call->args.empty()) {
      const auto *method = dyn_cast<AttributeExpr>(call->callee);
      if (isCalled(call->callee, "getenv") ||
          (method && method->name == "get" && isCalled(method->value, "environ")))
        name = call->args[0];
    } else if (const auto *subscript = dyn_cast<SubscriptExpr>(&node)) {
      if (isCalled(subscript->value, "environ"))
        name = subscript->index;
    } else if (const auto *compare = dyn_cast<CompareExpr>(&node)) {
      if (isCalled(compare->rest[0], "environ"))
        name = compare->first;
    }
    const auto *constant = dyn_cast_or_null<ConstantExpr>(name);
    if (constant && constant->constant == ConstantKind::String)
      noteEnvironment(constant->text);
  }

  StringSet<> &plain, &attributes;
  function_ref<void(StringRef)> noteEnvironment;
};
} // namespace

void Reacher::addNames(const LoadedModule &module, const Names &used) {
  for (const auto &name : used.plain)
    items.push_back({&module, name.getKey().str(), &used});
  for (const auto &[path, file] : module.importedModules)
    addMembers(file, used);
}

void Reacher::addFunction(const FunctionDef &def, const LoadedModule &module) {
  if (!visited.insert(&def).second)
    return;
  Names &used = names.emplace_back();
  NameCollector collector(used.plain, used.attributes, noteEnvironment);
  for (const Expr *decorator : def.decorators)
    collector.walk(decorator);
  for (const Parameter &parameter : def.parameters) {
    collector.walk(parameter.annotation);
    collector.walk(parameter.defaultValue);
  }
  collector.walk(def.body);
  addNames(module, used);
}

void Reacher::addExpr(const Expr *expr, const LoadedModule &module) {
  if (!expr || !visited.insert(expr).second)
    return;
  Names &used = names.emplace_back();
  NameCollector(used.plain, used.attributes, noteEnvironment).walk(expr);
  addNames(module, used);
}

void Reacher::addMembers(const LoadedModule *module, const Names &user) {
  if (module)
    for (const auto &name : user.attributes)
      items.push_back({module, name.getKey().str(), &user});
}

void Reacher::addGlobal(const Global &global, StringRef name, const LoadedModule &module,
                        const Names &user) {
  if (global.jit)
    addFunction(*global.jit->def, *global.jit->module);
  // A function of compile-time values may call it.
  if (global.kind == Global::Kind::HostFunction)
    if (const JitFunction *function = module.readHostFunction(global, name))
      addFunction(*function->def, module);
  addExpr(global.value, module);
  addExpr(global.annotation, module);
  for (const Expr *value : global.alternatives)
    addExpr(value, module);
  for (const Global &choice : global.choices)
    addGlobal(choice, name, module, user);
  for (const Guard &guard : global.guards) {
    addExpr(guard.condition, module);
    if (guard.tried)
      for (const TriedImport &import : guard.tried->imports)
        if (import.kind == TriedImport::Kind::FromFile)
          items.push_back({import.module, import.name, &user});
  }
  if (global.kind == Global::Kind::ImportedName && global.module)
    items.push_back({global.module, global.importedName, &user});
  else
    addMembers(global.module, user);
  if (global.classDef && visited.insert(global.classDef).second) {
    Names &used = names.emplace_back();
    NameCollector collector(used.plain, used.attributes, noteEnvironment);
    for (const Expr *base : global.classDef->bases)
      collector.walk(base);
    for (const Stmt *statement : global.classDef->body) {
      if (const auto *method = dyn_cast<FunctionDef>(statement))
        addFunction(*method, module);
      else
        collector.walk(statement);
    }
    addNames(module, used);
  }
}

void Reacher::addModule(const LoadedModule &module) {
  for (const auto &function : module.functions)
    addFunction(*function->def, module);
  Names &used = names.emplace_back();
  for (const auto &entry : module.nested)
    addGlobal(entry.getValue(), entry.getKey(), module, used);
}

void Reacher::run() {
  while (!items.empty()) {
    Item item = std::move(items.back());
    items.pop_back();
    if (!seen.insert({item.module, item.name, item.user}).second)
      continue;
    // Reads the file. A name that is not a global may be a function inside another.
    if (const Global *global = item.module->lookup(item.name))
      addGlobal(*global, item.name, *item.module, *item.user);
    else if (const JitFunction *function = item.module->findFunction(item.name))
      addFunction(*function->def, *item.module);
  }
}

void ModuleLoader::readUsed() {
  auto note = [this](StringRef name) { noteEnvironment(name); };
  Reacher reacher(note);
  for (const LoadedModule *module : loaded)
    reacher.addModule(*module);
  reacher.run();
  readUsedFiles = modules.size();
}

} // namespace tilerun
