// Visits to every node of a syntax tree, for questions that syntax alone answers.
#pragma once

#include "frontend/ast/Ast.h"

namespace tilerun::ast {

/// Visits every node below one, in source order. Nested functions are not entered: kernels cannot
/// have them.
class Walker {
public:
  virtual ~Walker() = default;
  /// False: do not go below.
  virtual bool visit(const Node &node) = 0;

  void walk(Block block) {
    for (const Stmt *statement : block)
      walk(statement);
  }
  void walk(const Node *node) {
    if (node && visit(*node))
      children(*node);
  }

private:
  template <typename T> void walkAll(llvm::ArrayRef<const T *> nodes) {
    for (const T *node : nodes)
      walk(node);
  }
  void joined(llvm::ArrayRef<JoinedPart> parts) {
    for (const JoinedPart &part : parts) {
      walk(part.value);
      joined(part.format);
    }
  }
  void children(const Node &node);
};

} // namespace tilerun::ast
