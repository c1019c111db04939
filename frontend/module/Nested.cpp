// The bindings of a host function that contains jit functions or records, which see its variables.
// Only values known without running it are kept; the rest is marked as known only to Python.
#include "frontend/module/ModuleReader.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

void ModuleReader::readNested(const Scope &scope) {
  std::optional<Block> block = parseSilently(scope.begin, lastLineEnd);
  auto *def = block && block->size() == 1 ? dyn_cast<FunctionDef>(block->front()) : nullptr;
  if (!def)
    return;
  std::string name = getScopeName() + scope.name;
  for (const Parameter &parameter : def->parameters) {
    Global global;
    global.kind = Global::Kind::Captured;
    global.range = parameter.range;
    bindNestedName(name, parameter.name, std::move(global), /*isConditional=*/true);
  }
  bindNested(name, def->body, /*isConditional=*/false);
}

/// A name that is bound twice, or under a condition, has a value that only Python knows; functions,
/// classes and imports stay the first that may run.
void ModuleReader::bindNestedName(StringRef scope, StringRef name, Global global,
                                  bool isConditional) {
  if (module.nested.size() >= kMaxGlobals)
    return;
  if (global.kind == Global::Kind::Value && isConditional)
    global.kind = Global::Kind::Captured;
  std::string qualified = (scope + "." + name).str();
  auto [it, isNew] = module.nested.try_emplace(qualified, global);
  if (isNew)
    return;
  Global &old = it->second;
  auto isConstant = [](const Global &g) {
    return g.kind == Global::Kind::Value || g.kind == Global::Kind::Captured;
  };
  if (isConstant(old) && isConstant(global))
    old.kind = Global::Kind::Captured;
  else if (isConstant(old) || !isConditional)
    old = std::move(global);
}

void ModuleReader::bindNestedTarget(StringRef scope, const Expr *target, const Expr *value,
                                    bool isConditional) {
  if (auto *name = dyn_cast_or_null<NameExpr>(target)) {
    Global global;
    global.kind = value ? Global::Kind::Value : Global::Kind::Captured;
    global.value = value;
    global.range = name->range;
    return bindNestedName(scope, name->name, std::move(global), isConditional);
  }
  ArrayRef<const Expr *> targets, values;
  if (auto *tuple = dyn_cast_or_null<TupleExpr>(target))
    targets = tuple->elements;
  else if (auto *list = dyn_cast_or_null<ListExpr>(target))
    targets = list->elements;
  else if (auto *star = dyn_cast_or_null<StarredExpr>(target))
    return bindNestedTarget(scope, star->value, nullptr, isConditional);
  if (auto *tuple = dyn_cast_or_null<TupleExpr>(value))
    values = tuple->elements;
  auto isStar = [](const Expr *e) { return isa<StarredExpr>(e); };
  bool pairwise =
      values.size() == targets.size() && none_of(targets, isStar) && none_of(values, isStar);
  for (size_t i = 0; i < targets.size(); ++i)
    bindNestedTarget(scope, targets[i], pairwise ? values[i] : nullptr, isConditional);
}

void ModuleReader::bindNested(StringRef scope, Block block, bool isConditional) {
  auto bindImport = [&](StringRef name, Global global) {
    bindNestedName(scope, name, std::move(global), isConditional);
  };
  for (const Stmt *statement : block) {
    if (auto *assign = dyn_cast<AssignStmt>(statement)) {
      for (const Expr *target : assign->targets)
        bindNestedTarget(scope, target, assign->value, isConditional);
    } else if (auto *annotated = dyn_cast<AnnAssignStmt>(statement)) {
      if (annotated->value)
        bindNestedTarget(scope, annotated->target, annotated->value, isConditional);
    } else if (auto *augmented = dyn_cast<AugAssignStmt>(statement)) {
      bindNestedTarget(scope, augmented->target, nullptr, isConditional);
    } else if (auto *import = dyn_cast<ImportStmt>(statement)) {
      resolveImport(*import, /*find=*/true, bindImport);
    } else if (auto *from = dyn_cast<ImportFromStmt>(statement)) {
      resolveFromImport(*from, /*find=*/true, bindImport);
    } else if (auto *branch = dyn_cast<IfStmt>(statement)) {
      bindNested(scope, branch->thenBody, true);
      bindNested(scope, branch->elseBody, true);
    } else if (auto *loop = dyn_cast<ForStmt>(statement)) {
      bindNestedTarget(scope, loop->target, nullptr, true);
      bindNested(scope, loop->body, true);
      bindNested(scope, loop->elseBody, true);
    } else if (auto *loop = dyn_cast<WhileStmt>(statement)) {
      bindNested(scope, loop->body, true);
    } else if (auto *with = dyn_cast<WithStmt>(statement)) {
      for (const WithItem &item : with->items)
        bindNestedTarget(scope, item.target, nullptr, true);
      bindNested(scope, with->body, isConditional);
    } else if (auto *attempt = dyn_cast<TryStmt>(statement)) {
      bindNested(scope, attempt->body, isConditional);
      for (const ExceptHandler &handler : attempt->handlers)
        bindNested(scope, handler.body, true);
      bindNested(scope, attempt->elseBody, isConditional);
      bindNested(scope, attempt->finalBody, isConditional);
    } else if (auto *def = dyn_cast<FunctionDef>(statement)) {
      // A jit function is known already.
      Global global;
      global.kind = Global::Kind::HostFunction;
      global.functionDef = def;
      global.range = def->nameRange;
      module.nested.try_emplace((scope + "." + def->name).str(), global);
    } else if (auto *def = dyn_cast<ClassDef>(statement)) {
      Global global;
      global.kind = Global::Kind::Class;
      global.classDef = def;
      global.range = def->nameRange;
      bindNestedName(scope, def->name, std::move(global), isConditional);
    }
  }
}

} // namespace tilerun
