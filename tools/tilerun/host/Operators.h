// Operators and functions on expression values, without syntax. Errors say what was wrong with the
// operands; the evaluator adds the place.
#pragma once

#include "frontend/ast/Ast.h"
#include "tools/tilerun/host/ArrayMath.h"
#include "tools/tilerun/host/Value.h"

namespace tilerun::host {

llvm::Expected<Value> applyUnary(ast::UnaryOp op, const Value &operand);
llvm::Expected<Value> applyBinary(ast::BinaryOp op, const Value &lhs, const Value &rhs);
llvm::Expected<Value> applyCompare(ast::CompareOp op, const Value &lhs, const Value &rhs);

/// One index of a subscript.
struct Index {
  enum class Kind { Integer, Slice, NewAxis, Ellipsis } kind = Kind::Integer;
  int64_t integer = 0;
  std::optional<int64_t> lower, upper, step; ///< Of a slice.
};
/// A view where the base is a tensor, a copy where it is an array. Steps of slices are positive.
llvm::Expected<Value> applySubscript(const Value &base, llvm::ArrayRef<Index> indices);

/// A tensor, array, number, or tuple of these as an array.
llvm::Expected<Array> getArray(const Value &value);
/// An integer that fits 64 bits; `what` names it in the message.
llvm::Expected<int64_t> getInt64(const Value &value, const llvm::Twine &what);
/// A tuple or list of integers, or one integer.
llvm::Expected<Shape> getShape(const Value &value, const llvm::Twine &what);
llvm::Expected<bool> getTruth(const Value &value);

/// "; did you mean 'x'?" where a candidate is near.
std::string suggestNear(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

/// Arguments of a call as written.
struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// One row of the function table (Functions.h).
struct Function {
  llvm::StringRef name;
  llvm::StringRef signature; ///< "x, axis=none, keepdims=false"; `*args` takes the rest.
  llvm::Expected<Value> (*call)(llvm::ArrayRef<Value> args, const Function &self);
  UnaryFn unary = nullptr;   ///< For elementwise functions of one argument.
  BinaryFn binary = nullptr; ///< For elementwise functions of two arguments.
  int code = 0;              ///< Tells apart functions that share an implementation.
};

llvm::ArrayRef<Function> getFunctions();
/// Null if there is none.
const Function *findFunction(llvm::StringRef name);
llvm::Expected<Value> callFunction(const Function &function, const CallArguments &args);
/// Converts to a dtype, rounding: `f16(x + y)`.
llvm::Expected<Value> castValue(DType dtype, const Value &value);

/// `x.name` of a tensor or array: shape, dtype, ndim, T; none if the name is not an attribute.
llvm::Expected<std::optional<Value>> getTensorAttribute(const Value &value, llvm::StringRef name);

} // namespace tilerun::host
