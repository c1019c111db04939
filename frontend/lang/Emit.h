// Shared by emitters: constants, shapes, broadcasting, and reading of arguments with messages that
// name the function and the parameter. Internal to this folder.
#pragma once

#include "frontend/lang/Builtin.h"
#include "frontend/types/Promotion.h"

#include "ir/tile/TileOps.h"

namespace tilerun::lang {

using Shape = llvm::SmallVector<int64_t, 4>;
using TensorOr = mlir::FailureOr<TensorValue>;

/// Most elements of one tensor, its sizes rounded up to powers of two.
constexpr int64_t kMaxTensorElements = 1 << 20;
/// Why a tensor cannot have this shape of positive sizes: "more than 1048576 elements", or why it
/// counts as more; empty if it can.
std::string findExcess(llvm::ArrayRef<int64_t> shape);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The compile-time number that a value is, if it is one.
std::optional<Literal> getLiteral(const Value &v);
/// A value as an operand of the promotion rules: a literal or the element type of a tensor.
std::optional<Operand> getOperand(const Value &v);

inline Value fromTensor(mlir::Value value, DType type, llvm::ArrayRef<int64_t> shape) {
  return Value(TensorValue{value, TensorType{type, Shape(shape)}});
}

/// "[64, 32]"; "a scalar" for an empty shape.
std::string shapeString(llvm::ArrayRef<int64_t> shape);

/// A scalar constant: `literal` converted to `type` (integers wrap, floats round to nearest even).
/// `type` is not a pointer.
TensorValue makeConstant(Emitter &e, DType type, const Literal &literal);
/// A constant of a shape; `type` is not a pointer.
TensorValue makeConstant(Emitter &e, const TensorType &type, const Literal &literal);

/// A scalar or a tensor as a tensor of `shape`, to which it must broadcast (checked).
TensorOr broadcastTo(Emitter &e, const TensorValue &v, llvm::ArrayRef<int64_t> shape);
/// The common shape of two, with sizes of 1 stretched and shapes padded on the left.
mlir::FailureOr<Shape> broadcastShapes(Emitter &e, llvm::ArrayRef<int64_t> a,
                                       llvm::ArrayRef<int64_t> b);
/// Inserts a dimension of size 1; a scalar becomes a tensor of one element.
TensorValue expandDims(Emitter &e, const TensorValue &v, unsigned axis);
/// Reports an operation with side effects in the body of a function that is applied to elements:
/// how often, in which order and for which elements it runs is not specified. `range`: of the call.
mlir::LogicalResult checkPure(Emitter &e, mlir::Block &body, SourceRange range);
/// The only element of a one-element tensor as a scalar.
TensorValue extractSingle(Emitter &e, const TensorValue &v);
TensorValue reshapeTo(Emitter &e, const TensorValue &v, llvm::ArrayRef<int64_t> shape,
                      bool allowReorder = false);

/// Conversion of a run-time value whose type combination `cast` has checked or that cannot fail
/// (number to number).
TensorValue convert(Emitter &e, const TensorValue &v, DType to,
                    tile::RoundingMode rounding = tile::RoundingMode::NearestEven);

/// Operands brought to the type that `op` computes in and to one shape, or an error.
struct Operands {
  TensorValue lhs, rhs;
};
mlir::FailureOr<Operands> bringTogether(Emitter &e, Combine op, llvm::StringRef what,
                                        const Value &lhs, const Value &rhs);

/// The common type of the first `count` arguments, which are numbers or tensors; literals are weak
/// next to tensors.
mlir::FailureOr<DType> promoteAll(Emitter &e, const Arguments &args, size_t count);
/// The first `count` arguments converted to `type`, which promoteAll gave, and brought to one
/// shape.
mlir::FailureOr<llvm::SmallVector<TensorValue>> convertAll(Emitter &e, const Arguments &args,
                                                           size_t count, DType type);

/// An attribute if it exists; reports nothing.
std::optional<Value> findAttribute(Emitter &e, const Value &base, llvm::StringRef name);

/// Absolute value of a number.
TensorValue emitAbs(Emitter &e, const TensorValue &v);
/// Of the first argument, which must be a number.
Result emitAbsOf(Emitter &e, const Arguments &args);
/// Elementwise maximum or minimum of two values of one type and shape.
TensorValue emitExtremum(Emitter &e, bool isMax, bool propagateNan, const TensorValue &lhs,
                         const TensorValue &rhs);
/// As emitExtremum, of any two values; `what` names the function in messages.
Result extremum(Emitter &e, llvm::StringRef what, bool isMax, bool propagateNan, const Value &lhs,
                const Value &rhs);

/// Marks integer `+ - *` that came from source for the overflow check of debug mode.
void markOverflow(Emitter &e, mlir::Value v, DType type);

/// The fast form of a float32 operation; none for other types.
mlir::arith::FastMathFlags fastFlags(DType type);

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// "tl.load", "math.exp", …: how messages name a function.
std::string displayName(const Builtin &builtin);

/// Reports an error about argument `i`: "tl.load: 'mask' <message>".
mlir::LogicalResult argError(Emitter &e, const Arguments &args, size_t i,
                             const llvm::Twine &message);
/// Reports an error about the call: "tl.load: <message>".
mlir::LogicalResult callError(Emitter &e, const Arguments &args, const llvm::Twine &message);

/// "a list of 3; a list is not a tensor: …": describes a value that should be a tensor, and what to
/// do.
std::string describeNonTensor(const Value &v);

/// A compile-time integer in [lower, upper].
mlir::FailureOr<int64_t> getInt(Emitter &e, const Arguments &args, size_t i,
                                int64_t lower = INT64_MIN, int64_t upper = INT64_MAX);
mlir::FailureOr<bool> getBool(Emitter &e, const Arguments &args, size_t i);
/// A string; None reads as empty.
mlir::FailureOr<std::string> getString(Emitter &e, const Arguments &args, size_t i);
mlir::FailureOr<DType> getDType(Emitter &e, const Arguments &args, size_t i);
/// A run-time value; compile-time numbers become scalars of their own type.
TensorOr getTensor(Emitter &e, const Arguments &args, size_t i);
/// As getTensor, but the shape must not be empty.
TensorOr getBlock(Emitter &e, const Arguments &args, size_t i);
/// An axis of a tensor of `rank` dimensions; negative ones count from the end.
mlir::FailureOr<unsigned> getAxis(Emitter &e, const Arguments &args, size_t i, unsigned rank);
/// A list of compile-time integers: a tuple, an integer, or a `*shape` parameter of either.
mlir::FailureOr<Shape> getIntList(Emitter &e, const Arguments &args, size_t i);
/// As getIntList, and the shape of a tensor.
mlir::FailureOr<Shape> getShape(Emitter &e, const Arguments &args, size_t i);
/// Elements of a tuple argument, or the argument itself as the only one.
std::vector<Value> getElements(const Value &v);

} // namespace tilerun::lang
