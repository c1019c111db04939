// Which type an operation on two operands has, as pure functions over element types and literals.
//
// "Literal" is a compile-time number (a literal, or a `tl.constexpr`): bool < integer < float is
// its kind. Everything here is total: a combination that the language rejects gives a message
// instead of a type.
#pragma once

#include "frontend/types/DType.h"

#include <variant>

namespace tilerun {

/// A compile-time number.
using Literal = std::variant<bool, __int128, double>;

/// A type, or why there is none.
struct TypeOrError {
  std::optional<DType> type;
  std::string error; ///< Set if `type` is not.

  TypeOrError(DType t) : type(t) {}
  static TypeOrError failure(std::string message) {
    TypeOrError result;
    result.error = std::move(message);
    return result;
  }
  explicit operator bool() const { return type.has_value(); }
  DType operator*() const { return *type; }

private:
  TypeOrError() = default;
};

/// One operand as typing sees it: an element type, or a literal that may be weak.
struct Operand {
  DType type;                     ///< Of a run-time value.
  std::optional<Literal> literal; ///< Set for a compile-time number; `type` is then unused.

  Operand(DType t) : type(t) {}
  Operand(Literal l) : literal(l) {}
};

/// How operands combine.
enum class Combine : uint8_t {
  Arithmetic,  ///< + - * where: weak literals.
  Divide,      ///< /: integers of one signedness give float32; floats at least float32.
  FloorDivide, ///< //: integers of one signedness.
  Modulo,      ///< %: integers of one signedness, or floats of at least 32 bits.
  Bitwise,     ///< & | ^: integers.
  Shift,       ///< << >>: integers.
  FloatDivide, ///< fdiv: floats of one type; nothing weak.
  Compare,     ///< == != < <= > >=: nothing weak; the type compared in.
  Extremum,    ///< maximum, minimum: nothing weak, bfloat16 computes in float32.
};
llvm::StringRef getCombineName(Combine op);

/// Smallest and largest value of an integer type.
__int128 getMinInt(DType type);
__int128 getMaxInt(DType type);
std::string formatInt(__int128 value);

/// The type a literal has by itself: int1; int32 < uint32 < int64 < uint64 by value; float32, or
/// float64 outside float32's normal range. An integer beyond 64 bits is an error.
TypeOrError getLiteralType(const Literal &literal);

/// The type that a literal takes next to a tensor of `tensor`'s element type: that type if the
/// literal's kind is equal or lower (it must then be in range), else its own.
TypeOrError adoptLiteral(const Literal &literal, DType tensor);

/// The common type of two run-time element types: float64 > float32 > float16; bfloat16 with
/// anything else gives float32; two different 8-bit floats give float16; integers follow C (the
/// wider, or unsigned among equal widths).
TypeOrError promote(DType lhs, DType rhs);

/// The type that `lhs op rhs` computes in. For comparisons, that is the type compared in. Literals
/// are weak where the operation says so; two literals are typed by themselves.
TypeOrError combine(Combine op, const Operand &lhs, const Operand &rhs);

/// The type of a loop's induction variable.
TypeOrError getInductionType(const Operand &lower, const Operand &upper, const Operand &step);

/// The dtype in which `sum` and `cumsum` compute, and of their result: small integers widen to 32
/// bits.
DType getSumType(DType type);
/// The dtype of the result of `max` and `min`: small floats widen to float32, small integers to
/// int32.
DType getExtremumType(DType type);
/// The dtype in which scans and index-returning reductions compute: bfloat16 widens to float32.
DType getScanType(DType type);

} // namespace tilerun
