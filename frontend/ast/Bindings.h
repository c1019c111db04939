// Which names statements bind, as Python sees it. Of host code, too.
#pragma once

#include "frontend/ast/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilerun::ast {

/// Calls `bind` for the names that statements bind in their own scope, and `declare` for their
/// `global` and `nonlocal`. Bindings in nested functions and classes belong to these; `:=` is left
/// out.
void forEachBinding(Block block, llvm::function_ref<void(llvm::StringRef)> bind,
                    llvm::function_ref<void(const GlobalStmt &)> declare);

/// The names in the target of an assignment, a loop or a `with`; null has none.
void forEachTarget(const Expr *target, llvm::function_ref<void(llvm::StringRef)> bind);

} // namespace tilerun::ast
