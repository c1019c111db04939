// What a place of a text is about: the syntax around it, and the meaning of the name at it.
#pragma once

#include "frontend/sema/Value.h"
#include "tools/tilerun/lsp/Analysis.h"

namespace tilerun::lsp {

struct Place {
  uint32_t offset = 0;
  const CheckedFunction *function = nullptr; ///< Around it; null: host code.
  /// The nodes of the function's syntax around it, the outermost first. Host code has none.
  llvm::SmallVector<const ast::Node *> nodes;
  /// The name at it, with what is before it: "tl.math.exp" at `exp`. Empty: no name is there.
  llvm::SmallVector<llvm::StringRef> path;
  SourceRange name;      ///< Of the last one.
  bool isMember = false; ///< Of something that is not a path: `(a + b).to`.
};

/// None if the position is not in the text.
std::optional<Place> findPlace(Analysis &analysis, llvm::lsp::Position position);

/// What a name stands for; nothing of it is set where that is not known.
struct Meaning {
  SourceRange local;                     ///< A variable of the function: where it is bound first.
  const JitFunction *function = nullptr; ///< A kernel or helper.
  const LoadedModule *file = nullptr;    ///< A module with a file.
  const Global *global = nullptr; ///< Another global of a file, or an import of what has none.
  std::optional<Value> language;  ///< A function or constant of the language.
};
Meaning findMeaning(Analysis &analysis, const Place &place);

} // namespace tilerun::lsp
