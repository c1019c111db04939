// Evaluates the command line's expressions (values, `--grid`, `--expect`) and the lambdas of
// `@triton.heuristics`: Python's syntax and precedence over integers, floats, tuples and tensors.
// Tensor arithmetic is float64 with NumPy's broadcasting. Not thread-safe.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/source/Source.h"
#include "tools/tilerun/host/Value.h"

#include "mlir/Support/LLVM.h"

#include <set>

namespace tilerun::host {

class Evaluator {
public:
  using Result = mlir::FailureOr<Value>;
  using Names = std::map<std::string, Value, std::less<>>;

  explicit Evaluator(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}

  void define(llvm::StringRef name, Value value) { names[name.str()] = std::move(value); }
  const Names &getNames() const { return names; }
  /// Names that evaluated expressions referred to.
  const std::set<std::string, std::less<>> &getUsedNames() const { return used; }
  /// Asked for names that are neither defined nor built in, and for attributes of such names:
  /// globals of the kernel file, and what they hold. None: it does not know them; a failure leaves
  /// diagnostics.
  using Fallback = std::function<mlir::FailureOr<std::optional<Value>>(const ast::Expr &)>;
  void setFallback(Fallback fn) { fallback = std::move(fn); }
  /// Whether the fallback comes before what is built in (for code of the kernel file).
  void setPreferFallback(bool prefer) { preferFallback = prefer; }

  /// Whether a message about an unknown name says how a command line would define it.
  void setAdvisesDefinition(bool advise) { advisesDefinition = advise; }

  /// Errors go to the diagnostics, with a caret.
  Result evaluate(const ast::Expr &expr);
  /// Calls a lambda of one or more parameters; surplus parameters must have defaults.
  Result call(const ast::LambdaExpr &lambda, llvm::ArrayRef<Value> args);

  /// Reports an error and fails.
  mlir::LogicalResult fail(SourceRange range, const llvm::Twine &message);
  /// Turns an Expected into a result, reporting its error.
  template <typename T> mlir::FailureOr<T> check(SourceRange range, llvm::Expected<T> value) {
    if (value)
      return std::move(*value);
    return fail(range, llvm::toString(value.takeError()));
  }

private:
  Result evaluateNode(const ast::NameExpr &expr);
  Result evaluateNode(const ast::ConstantExpr &expr);
  Result evaluateNode(const ast::UnaryExpr &expr);
  Result evaluateNode(const ast::BinaryExpr &expr);
  Result evaluateNode(const ast::CompareExpr &expr);
  Result evaluateNode(const ast::BoolOpExpr &expr);
  Result evaluateNode(const ast::TernaryExpr &expr);
  Result evaluateNode(const ast::CallExpr &expr);
  Result evaluateNode(const ast::AttributeExpr &expr);
  Result evaluateNode(const ast::SubscriptExpr &expr);
  Result evaluateElements(llvm::ArrayRef<const ast::Expr *> elements, bool isList = false);
  mlir::FailureOr<bool> truth(const ast::Expr &expr, const Value &value);

  DiagnosticEngine &diagnostics;
  Names names;
  std::set<std::string, std::less<>> used;
  Fallback fallback;
  bool preferFallback = false;
  bool advisesDefinition = true;
  unsigned lambdaDepth = 0;
};

} // namespace tilerun::host
