// See Walk.h.
#include "frontend/ast/Walk.h"

namespace tilerun::ast {

void Walker::children(const Node &node) {
  switch (node.kind) {
  case Kind::JoinedStrExpr:
    return joined(llvm::cast<JoinedStrExpr>(&node)->parts);
  case Kind::TupleExpr:
    return walkAll(llvm::cast<TupleExpr>(&node)->elements);
  case Kind::ListExpr:
    return walkAll(llvm::cast<ListExpr>(&node)->elements);
  case Kind::SetExpr:
    return walkAll(llvm::cast<SetExpr>(&node)->elements);
  case Kind::DictExpr:
    walkAll(llvm::cast<DictExpr>(&node)->keys);
    return walkAll(llvm::cast<DictExpr>(&node)->values);
  case Kind::UnaryExpr:
    return walk(llvm::cast<UnaryExpr>(&node)->operand);
  case Kind::BinaryExpr:
    walk(llvm::cast<BinaryExpr>(&node)->lhs);
    return walk(llvm::cast<BinaryExpr>(&node)->rhs);
  case Kind::BoolOpExpr:
    return walkAll(llvm::cast<BoolOpExpr>(&node)->operands);
  case Kind::CompareExpr:
    walk(llvm::cast<CompareExpr>(&node)->first);
    return walkAll(llvm::cast<CompareExpr>(&node)->rest);
  case Kind::TernaryExpr:
    walk(llvm::cast<TernaryExpr>(&node)->condition);
    walk(llvm::cast<TernaryExpr>(&node)->thenValue);
    return walk(llvm::cast<TernaryExpr>(&node)->elseValue);
  case Kind::CallExpr:
    walk(llvm::cast<CallExpr>(&node)->callee);
    walkAll(llvm::cast<CallExpr>(&node)->args);
    for (const Keyword &keyword : llvm::cast<CallExpr>(&node)->keywords)
      walk(keyword.value);
    return;
  case Kind::AttributeExpr:
    return walk(llvm::cast<AttributeExpr>(&node)->value);
  case Kind::SubscriptExpr:
    walk(llvm::cast<SubscriptExpr>(&node)->value);
    return walk(llvm::cast<SubscriptExpr>(&node)->index);
  case Kind::SliceExpr:
    walk(llvm::cast<SliceExpr>(&node)->lower);
    walk(llvm::cast<SliceExpr>(&node)->upper);
    return walk(llvm::cast<SliceExpr>(&node)->step);
  case Kind::StarredExpr:
    return walk(llvm::cast<StarredExpr>(&node)->value);
  case Kind::LambdaExpr:
    return walk(llvm::cast<LambdaExpr>(&node)->body);
  case Kind::NamedExpr:
    walk(llvm::cast<NamedExpr>(&node)->target);
    return walk(llvm::cast<NamedExpr>(&node)->value);
  case Kind::ComprehensionExpr: {
    const auto *comprehension = llvm::cast<ComprehensionExpr>(&node);
    for (const ComprehensionFor &clause : comprehension->clauses) {
      walk(clause.iterable);
      walkAll(clause.conditions);
    }
    walk(comprehension->key);
    return walk(comprehension->element);
  }
  case Kind::ExprStmt:
    return walk(llvm::cast<ExprStmt>(&node)->value);
  case Kind::AssignStmt:
    walk(llvm::cast<AssignStmt>(&node)->value);
    return walkAll(llvm::cast<AssignStmt>(&node)->targets);
  case Kind::AugAssignStmt:
    walk(llvm::cast<AugAssignStmt>(&node)->target);
    return walk(llvm::cast<AugAssignStmt>(&node)->value);
  case Kind::AnnAssignStmt:
    walk(llvm::cast<AnnAssignStmt>(&node)->value);
    return walk(llvm::cast<AnnAssignStmt>(&node)->target);
  case Kind::IfStmt:
    walk(llvm::cast<IfStmt>(&node)->condition);
    walk(llvm::cast<IfStmt>(&node)->thenBody);
    return walk(llvm::cast<IfStmt>(&node)->elseBody);
  case Kind::ForStmt:
    walk(llvm::cast<ForStmt>(&node)->iterable);
    walk(llvm::cast<ForStmt>(&node)->target);
    walk(llvm::cast<ForStmt>(&node)->body);
    return walk(llvm::cast<ForStmt>(&node)->elseBody);
  case Kind::WhileStmt:
    walk(llvm::cast<WhileStmt>(&node)->condition);
    walk(llvm::cast<WhileStmt>(&node)->body);
    return walk(llvm::cast<WhileStmt>(&node)->elseBody);
  case Kind::ReturnStmt:
    return walk(llvm::cast<ReturnStmt>(&node)->value);
  case Kind::AssertStmt:
    walk(llvm::cast<AssertStmt>(&node)->condition);
    return walk(llvm::cast<AssertStmt>(&node)->message);
  case Kind::WithStmt:
    for (const WithItem &item : llvm::cast<WithStmt>(&node)->items) {
      walk(item.context);
      walk(item.target);
    }
    return walk(llvm::cast<WithStmt>(&node)->body);
  default:
    return; // Leaves, and statements that kernels cannot have.
  }
}

} // namespace tilerun::ast
