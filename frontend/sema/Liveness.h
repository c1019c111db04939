// Which names a later statement of a function may read before it assigns them: what a run-time loop
// carries and what the arms of a run-time branch yield. By syntax alone, over all paths.
#pragma once

#include "frontend/ast/Ast.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <set>
#include <vector>

namespace tilerun::sema {

class Liveness {
public:
  explicit Liveness(const ast::FunctionDef &function);
  /// Whether the value that `name` has at `offset` may be read after it. The enclosing loops are
  /// taken to end there: what their next iterations read is for `isReadByIteration`.
  bool isLiveAfter(llvm::StringRef name, uint32_t offset) const;
  /// Whether an iteration of the loop at `offset` may read what `name` was before it.
  bool isReadByIteration(llvm::StringRef name, uint32_t offset) const;

private:
  using Names = std::set<llvm::StringRef>;
  /// What a statement or a block does to the values from before it.
  struct Effect {
    Names reads;         ///< Maybe read.
    Names kills;         ///< Assigned on every path that reaches the end.
    bool leaves = false; ///< May break or continue a loop around it.
    bool falls = true;   ///< May reach its end.
  };
  /// How a value gets from a place to the end of the block around it.
  struct Path {
    bool isRead = false;
    bool falls = true;   ///< By reaching the end.
    bool leaves = false; ///< By breaking or continuing a loop.
  };

  void addReads(const ast::Node *node, Names &out);
  void addTarget(const ast::Expr *target, Effect &out);
  Effect compute(ast::Block block);
  const Effect &compute(const ast::Stmt &statement);
  Effect computeKind(const ast::Stmt &statement);
  Path follow(ast::Block block, llvm::StringRef name, uint32_t offset) const;
  bool isReadIn(llvm::StringRef name, uint32_t begin, uint32_t end) const;

  ast::Block body;
  llvm::DenseMap<const ast::Stmt *, Effect> effects;
  std::map<uint32_t, Names> iterations;                         ///< By the loop's offset.
  std::map<llvm::StringRef, std::vector<uint32_t>> readOffsets; ///< Sorted.
};

} // namespace tilerun::sema
