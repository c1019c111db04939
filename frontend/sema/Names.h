// What the statements of a function do to names, by syntax alone: which ones a block may assign,
// and whether a loop can be left early. (Which ones are read: Liveness.h.)
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/types/DType.h"

#include <map>

namespace tilerun::sema {

/// Names that a block may assign, with the first place of each.
using AssignedNames = std::map<llvm::StringRef, SourceRange>;
AssignedNames collectAssigned(ast::Block block);
void collectAssigned(const ast::Expr *expression, AssignedNames &names);

/// Whether a loop body holds a `break` of this loop, or a `return`.
bool mayLeaveLoop(ast::Block body);

/// Whether an annotation (may be null) says `tl.constexpr`.
bool isConstexprAnnotation(const ast::Expr *annotation);
/// Whether an annotation (may be null) says `tl.const`: nothing is written through the pointer.
bool isConstAnnotation(const ast::Expr *annotation);
/// The type that an annotation such as `tl.int64` names, if it names one.
std::optional<DType> getAnnotatedType(const ast::Expr *annotation);

} // namespace tilerun::sema
