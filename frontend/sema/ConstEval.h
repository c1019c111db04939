// Python's operators between compile-time values. Pure: no IR, no diagnostics engine; a failure is
// a message that says what was seen.
#pragma once

#include "frontend/sema/Value.h"

namespace tilerun::sema {

/// A value, or why there is none.
struct ConstResult {
  Value value;
  std::string error;
  /// The unknown value that the result depends on, if that is the reason.
  std::optional<OpaqueValue> unknown = std::nullopt;
  bool ok() const { return error.empty(); }
  static ConstResult failure(const llvm::Twine &message) { return {Value(), message.str()}; }
  static ConstResult dependsOn(const OpaqueValue &unknown) {
    return {Value(), unknown.explain(), unknown};
  }
};

/// Longest tuple, list or string that an operator may make.
constexpr size_t kMaxSequence = 1u << 16;

ConstResult evalBinary(ast::BinaryOp op, const Value &lhs, const Value &rhs);
ConstResult evalUnary(ast::UnaryOp op, const Value &operand);
/// Also `is`, `in` and equality with run-time elements inside tuples, which is an error.
ConstResult evalCompare(ast::CompareOp op, const Value &lhs, const Value &rhs);

/// Python's boolean; none for a run-time value, an unknown one or a thing without one.
std::optional<bool> getTruth(const Value &value);

/// Element or slice of a tuple, list, string or dict with compile-time indices.
ConstResult evalSubscript(const Value &base, const Value &index);

/// `format(value, spec)` of Python for numbers and strings; `conversion` is 'r', 's', 'a' or 0.
ConstResult formatValue(const Value &value, char conversion, llvm::StringRef spec);

/// A method of Python's strings; none if there is no such method, or not with such arguments.
std::optional<ConstResult> callStringMethod(llvm::StringRef text, llvm::StringRef method,
                                            llvm::ArrayRef<Value> args);

/// The same for a number (`bit_length`).
std::optional<ConstResult> callNumberMethod(const Value &number, llvm::StringRef method,
                                            llvm::ArrayRef<Value> args);

/// The number of a dict's entry with an equal key.
std::optional<size_t> findKey(const TupleValue &dict, const Value &key);

/// Whether two compile-time values are equal, as `==` says. Of unknown values, whether they are the
/// same one.
bool isEqual(const Value &lhs, const Value &rhs);
/// Whether two values are equal and of one kind.
bool isSame(const Value &a, const Value &b);

/// "field 'x' of 'P'" or "element 2", for messages.
std::string nameElement(const TupleValue &tuple, size_t index);

} // namespace tilerun::sema
