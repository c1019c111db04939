// See Bindings.h.
#include "frontend/ast/Bindings.h"

using namespace llvm;

namespace tilerun::ast {

void forEachTarget(const Expr *target, function_ref<void(StringRef)> bind) {
  if (!target)
    return;
  if (const auto *name = dyn_cast<NameExpr>(target))
    return bind(name->name);
  if (const auto *star = dyn_cast<StarredExpr>(target))
    return forEachTarget(star->value, bind);
  ArrayRef<const Expr *> elements;
  if (const auto *tuple = dyn_cast<TupleExpr>(target))
    elements = tuple->elements;
  else if (const auto *list = dyn_cast<ListExpr>(target))
    elements = list->elements;
  for (const Expr *element : elements)
    forEachTarget(element, bind);
}

void forEachBinding(Block block, function_ref<void(StringRef)> bind,
                    function_ref<void(const GlobalStmt &)> declare) {
  auto below = [&](Block inner) { forEachBinding(inner, bind, declare); };
  for (const Stmt *statement : block) {
    if (const auto *assign = dyn_cast<AssignStmt>(statement)) {
      for (const Expr *target : assign->targets)
        forEachTarget(target, bind);
    } else if (const auto *annotated = dyn_cast<AnnAssignStmt>(statement)) {
      forEachTarget(annotated->target, bind);
    } else if (const auto *augmented = dyn_cast<AugAssignStmt>(statement)) {
      forEachTarget(augmented->target, bind);
    } else if (const auto *branch = dyn_cast<IfStmt>(statement)) {
      below(branch->thenBody);
      below(branch->elseBody);
    } else if (const auto *loop = dyn_cast<ForStmt>(statement)) {
      forEachTarget(loop->target, bind);
      below(loop->body);
      below(loop->elseBody);
    } else if (const auto *loop = dyn_cast<WhileStmt>(statement)) {
      below(loop->body);
      below(loop->elseBody);
    } else if (const auto *with = dyn_cast<WithStmt>(statement)) {
      for (const WithItem &item : with->items)
        forEachTarget(item.target, bind);
      below(with->body);
    } else if (const auto *attempt = dyn_cast<TryStmt>(statement)) {
      below(attempt->body);
      for (const ExceptHandler &handler : attempt->handlers) {
        if (!handler.name.empty())
          bind(handler.name);
        below(handler.body);
      }
      below(attempt->elseBody);
      below(attempt->finalBody);
    } else if (const auto *def = dyn_cast<FunctionDef>(statement)) {
      bind(def->name);
    } else if (const auto *def = dyn_cast<ClassDef>(statement)) {
      bind(def->name);
    } else if (const auto *import = dyn_cast<ImportStmt>(statement)) {
      for (const ImportName &name : import->names)
        bind(name.alias.empty() ? name.name.split('.').first : name.alias);
    } else if (const auto *from = dyn_cast<ImportFromStmt>(statement)) {
      for (const ImportName &name : from->names)
        bind(name.alias.empty() ? name.name : name.alias);
    } else if (const auto *deletion = dyn_cast<DeleteStmt>(statement)) {
      for (const Expr *target : deletion->targets)
        forEachTarget(target, bind);
    } else if (const auto *global = dyn_cast<GlobalStmt>(statement)) {
      declare(*global);
    }
  }
}

} // namespace tilerun::ast
