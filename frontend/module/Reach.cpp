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

  std::deque<Names> names; ///< Addresses stay.
  std::vector<Item> items;
  std::set<std::tuple<const LoadedModule *, std::string, const Names *>> seen;
  std::set<const void *> visited; ///< Functions, expressions and classes.
};

class NameCollector : public Walker {
public:
  NameCollector(StringSet<> &plain, StringSet<> &attributes)
      : plain(plain), attributes(attributes) {}
  bool visit(const Node &node) override {
    if (const auto *name = dyn_cast<NameExpr>(&node))
      plain.insert(name->name);
    if (const auto *attribute = dyn_cast<AttributeExpr>(&node))
      attributes.insert(attribute->name);
    return true;
  }

private:
  StringSet<> &plain, &attributes;
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
  NameCollector collector(used.plain, used.attributes);
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
  NameCollector(used.plain, used.attributes).walk(expr);
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
  if (global.kind == Global::Kind::ImportedName && global.module)
    items.push_back({global.module, global.importedName, &user});
  else
    addMembers(global.module, user);
  if (global.classDef && visited.insert(global.classDef).second) {
    Names &used = names.emplace_back();
    NameCollector collector(used.plain, used.attributes);
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
  Reacher reacher;
  for (const LoadedModule *module : loaded)
    reacher.addModule(*module);
  reacher.run();
}

} // namespace tilerun
