// What the statements of a function do to names, by syntax alone: which ones a block may assign,
// where names are read, and whether a loop can be left early.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/types/DType.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <set>

namespace tilerun::sema {

/// Names that a block may assign, with the first place of each.
using AssignedNames = std::map<llvm::StringRef, SourceRange>;
AssignedNames collectAssigned(ast::Block block);
void collectAssigned(const ast::Expr *expression, AssignedNames &names);

/// Where each name of a function is read.
class NameReads {
public:
  explicit NameReads(const ast::FunctionDef &function);
  /// Whether `name` is read at or behind `offset`.
  bool isReadAfter(llvm::StringRef name, uint32_t offset) const;
  /// Whether `name` is read in [begin, end).
  bool isReadIn(llvm::StringRef name, uint32_t begin, uint32_t end) const;

private:
  std::map<llvm::StringRef, std::vector<uint32_t>> reads; ///< Sorted offsets.
};

/// Whether a loop body holds a `break` of this loop, or a `return`.
bool mayLeaveLoop(ast::Block body);

/// Whether an annotation (may be null) says `tl.constexpr`.
bool isConstexprAnnotation(const ast::Expr *annotation);
/// The type that an annotation such as `tl.int64` names, if it names one.
std::optional<DType> getAnnotatedType(const ast::Expr *annotation);

} // namespace tilerun::sema
