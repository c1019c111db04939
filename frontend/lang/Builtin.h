// The table of language functions, and what an emitter of one may use.
//
// Rules of this folder: every function of the language is one row of `Builtins.def`-style tables
// (name, signature, documentation, emitter) or is written in the kernel language itself in
// `prelude.py`. Arguments are bound to parameters by the table before an emitter runs. An emitter
// checks types with messages that name the function and the parameter, and builds IR through
// `Emitter`.
#pragma once

#include "frontend/sema/Value.h"

#include "mlir/IR/Builders.h"

namespace tilerun::lang {

/// How sema serves the language functions: calling back into kernel functions, and reporting.
class SemaServices {
public:
  virtual ~SemaServices() = default;
  /// Calls a function value (a jit function or builtin) with positional arguments, inlining it at
  /// the builder's place.
  virtual mlir::FailureOr<Value> call(const Value &function, llvm::ArrayRef<Value> args,
                                      SourceRange range) = 0;
  /// Reports an error at `range` with the inlining stack as notes.
  virtual mlir::LogicalResult error(SourceRange range, const llvm::Twine &message) = 0;
  virtual void warning(SourceRange range, const llvm::Twine &message) = 0;
  /// A use of what the rule of docs/language.md takes beyond Triton: an error in strict mode, after
  /// which evaluation goes on; else nothing. "a dict", "Y15", "use a tuple".
  virtual void beyondTriton(SourceRange range, const llvm::Twine &what, llvm::StringRef rule,
                            const llvm::Twine &remedy) = 0;
  /// A form of an earlier release of Triton, and what is written instead: a note, once for each
  /// form in a kernel; in strict mode an error.
  virtual void olderForm(SourceRange range, const llvm::Twine &form, const llvm::Twine &today) {}
  /// Output of static_print.
  virtual void print(const llvm::Twine &text) = 0;
  virtual mlir::Location getLocation(SourceRange range) = 0;
  /// Launch options that are compile-time facts: "num_warps", "num_stages", "num_ctas"; "debug"
  /// and "debug_events" are 0 or 1.
  virtual int64_t getOption(llvm::StringRef name) = 0;
  /// The target: "cuda:sm_90a"; empty: no particular one.
  virtual llvm::StringRef getTarget() = 0;
  /// The loaded prelude, for methods that are written in it (`x.sum`).
  virtual LoadedModule *getPrelude() = 0;
  /// `base.name` where `base` is a class of kernel source, a value of one, or a kernel file; none
  /// if it has no such member.
  virtual std::optional<Value> findMember(const Value &base, llvm::StringRef name,
                                          SourceRange range) {
    return std::nullopt;
  }
};

/// State of an emission: where ops go and whom to ask. One per compilation; not thread-safe.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, SemaServices &services)
      : builder(builder), services(services) {}
  mlir::OpBuilder &builder;
  SemaServices &services;
  /// The location of the construct being emitted; set by the caller.
  SourceRange range;
  mlir::Location loc() { return services.getLocation(range); }
  mlir::LogicalResult error(const llvm::Twine &message) { return services.error(range, message); }
  void beyondTriton(const llvm::Twine &what, llvm::StringRef rule, const llvm::Twine &remedy) {
    services.beyondTriton(range, what, rule, remedy);
  }
  void olderForm(const llvm::Twine &form, const llvm::Twine &today) {
    services.olderForm(range, form, today);
  }
};

using Result = mlir::FailureOr<Value>;

//===----------------------------------------------------------------------===//
// Language semantics that syntax needs too (operators, conversions). At least one operand is a
// run-time value; sema evaluates operators between compile-time values by itself.
//===----------------------------------------------------------------------===//

Result binary(Emitter &e, ast::BinaryOp op, const Value &lhs, const Value &rhs);
Result compare(Emitter &e, ast::CompareOp op, const Value &lhs, const Value &rhs);
Result unary(Emitter &e, ast::UnaryOp op, const Value &operand);
/// A run-time scalar or tensor as an i1 scalar, for `if`, `while`, `and`, `or`, `not`; an error for
/// a tensor of more than one element.
mlir::FailureOr<mlir::Value> condition(Emitter &e, const Value &v, llvm::StringRef construct);
/// A compile-time number as a run-time scalar of its own type (int32 < uint32 < int64 < uint64;
/// float32 or float64); a run-time value unchanged.
mlir::FailureOr<TensorValue> toTensor(Emitter &e, const Value &v);
/// Conversion of a run-time or compile-time number to a dtype (`.to`, and joining the arms of an
/// `if`).
mlir::FailureOr<TensorValue> cast(Emitter &e, const Value &v, DType to, bool bitcast = false,
                                  llvm::StringRef rounding = "");
/// Implicit broadcasting to a common shape (shapes are padded on the left), as for elementwise
/// operators.
mlir::LogicalResult broadcastTogether(Emitter &e, llvm::MutableArrayRef<TensorValue> values);
/// `x[:, None, 1, 2:4]` on a run-time tensor.
Result subscript(Emitter &e, const Value &base, llvm::ArrayRef<Value> indices);
/// `x.name`: attributes of tensors, dtypes, tensor types, tuples and namespaces. Fails with "did
/// you mean".
Result attribute(Emitter &e, const Value &base, llvm::StringRef name);
/// A poison value of the type of another one (for values that are never used).
TensorValue makePoison(Emitter &e, const TensorValue &like);
DescriptorValue makePoison(Emitter &e, const DescriptorValue &like);

/// MLIR types of language types. There is no way back: only TensorType knows signedness.
mlir::Type getMlirType(mlir::MLIRContext *context, const TensorType &type);
mlir::Type getMlirType(mlir::MLIRContext *context, DType dtype);

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Arguments bound to the parameters of a builtin, in the order of its signature.
struct Arguments {
  std::vector<Value> values;       ///< One per parameter; a `*args` parameter holds a tuple.
  std::vector<SourceRange> ranges; ///< Where each was written; invalid for a default.
  std::vector<bool> given;         ///< False where the default was used.
  const struct Builtin *builtin = nullptr; ///< Whose parameters these are (for messages).
  const Value &operator[](size_t i) const { return values[i]; }
};

struct Builtin {
  llvm::StringRef name;          ///< "load"
  llvm::StringRef namespacePath; ///< "triton.language", "triton.language.math",
                                 ///< "triton.language.extra.libdevice", "triton", "builtins", …
  llvm::StringRef
      signature; ///< "pointer, mask=None, other=None, *, cache_modifier=\"\""; Python syntax
  llvm::StringRef documentation; ///< One or two sentences.
  Result (*emit)(Emitter &e, const Arguments &args);
  bool isMethod = false; ///< Also callable as a method of a tensor: first parameter is the tensor.
};

/// All rows, for documentation, completion and tests.
llvm::ArrayRef<Builtin> getBuiltins();

/// Arguments that functions of Triton's own compiler pass to each other: any call may have them,
/// and they say nothing here.
bool isCompilerArgument(llvm::StringRef keyword);

/// Binds call arguments to a builtin's signature; messages name the function and the argument ("did
/// you mean 'mask'").
mlir::FailureOr<Arguments> bindArguments(Emitter &e, const Builtin &builtin,
                                         llvm::ArrayRef<Value> positional,
                                         llvm::ArrayRef<SourceRange> positionalRanges,
                                         llvm::ArrayRef<std::pair<llvm::StringRef, Value>> keywords,
                                         llvm::ArrayRef<SourceRange> keywordRanges);

/// Finds `name` in a namespace path ("triton.language", …): a builtin, a function of the loaded
/// prelude (which may be null), a dtype, a nested namespace, or a constant. Null if there is none.
std::optional<Value> lookup(llvm::StringRef namespacePath, llvm::StringRef name,
                            LoadedModule *prelude);
/// Names in a namespace, sorted (for "did you mean").
std::vector<llvm::StringRef> listNames(llvm::StringRef namespacePath, LoadedModule *prelude);

/// The text of the prelude, written in the kernel language; sema loads it once per compilation.
llvm::StringRef getPreludeText();

} // namespace tilerun::lang
