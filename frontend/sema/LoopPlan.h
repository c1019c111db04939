// What a run-time loop carries from one iteration to the next. Private to the loop sources.
#pragma once

#include "frontend/sema/Evaluator.h"

namespace tilerun::sema {

struct Evaluator::LoopPlan {
  SourceRange range; ///< The statement.
  ast::Block body;
  AssignedNames assigned; ///< In the body and the condition, without the loop variable.
  const ast::NameExpr *target = nullptr; ///< Of a `for`.
  const ast::Expr *condition = nullptr;  ///< Of a `while`.
  std::optional<DType> inductionType;
  /// The loop variable, computed from the counter (a descending loop counts upwards).
  std::function<mlir::Value(mlir::Value)> getInduction;

  Environment before; ///< At the loop's entry.
  std::vector<llvm::StringRef> carried;
  std::vector<llvm::StringRef> fixed; ///< Bound before, must not change.
  std::vector<llvm::StringRef> dead;  ///< Bound before; no read sees that value.
  std::set<llvm::StringRef> poisoned; ///< Carried, with an error in the body.
  bool mayReturn = false, mayBreak = false;
  std::optional<Value> result; ///< The types of what is returned inside.
  SourceRange resultPlace;

  bool canLeave() const { return mayReturn || mayBreak; }
};

/// Calls `visit` for each run-time value in a value, in order: tensors, scalars and descriptors.
template <typename Visit> void forEachLeaf(Value &value, Visit visit) {
  if (auto *tensor = std::get_if<TensorValue>(&value.storage))
    return visit(*tensor);
  if (auto *descriptor = std::get_if<DescriptorValue>(&value.storage))
    return visit(*descriptor);
  if (auto *tuple = std::get_if<std::shared_ptr<TupleValue>>(&value.storage))
    for (Value &element : (*tuple)->elements)
      forEachLeaf(element, visit);
}

/// A copy that shares no tuple with the original.
Value deepCopy(const Value &value);

} // namespace tilerun::sema
