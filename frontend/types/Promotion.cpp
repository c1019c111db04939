// The promotion rules; see Promotion.h.
#include "frontend/types/Promotion.h"

#include "llvm/Support/raw_ostream.h"

#include <cfloat>
#include <cmath>

using namespace tilerun;

namespace {
enum class Kind { Bool, Int, Float };

Kind kindOf(DType type) {
  if (type.isBool())
    return Kind::Bool;
  return type.isFloat() ? Kind::Float : Kind::Int;
}

Kind kindOf(const Literal &literal) {
  if (std::holds_alternative<bool>(literal))
    return Kind::Bool;
  return std::holds_alternative<double>(literal) ? Kind::Float : Kind::Int;
}

bool fits(__int128 value, DType type) {
  return value >= getMinInt(type) && value <= getMaxInt(type);
}

TypeOrError checkNumber(DType type) {
  if (type.isPointer())
    return TypeOrError::failure("a pointer (" + type.str() +
                                ") is not a number; only pointer + integer and pointer - integer "
                                "are defined");
  if (!type.isInt() && !type.isFloat())
    return TypeOrError::failure("a value of type " + type.str() + " is not a number");
  return type;
}

/// `/` and `%` do not compute in less than 32 bits (but keep 8-bit floats).
DType atLeastFloat32(DType type) { return type.getBits() < 32 ? dtype(Scalar::F32) : type; }

std::string quote(Combine op) { return "'" + getCombineName(op).str() + "'"; }
} // namespace

llvm::StringRef tilerun::getCombineName(Combine op) {
  switch (op) {
  case Combine::Arithmetic:
    return "arithmetic";
  case Combine::Divide:
    return "/";
  case Combine::FloorDivide:
    return "//";
  case Combine::Modulo:
    return "%";
  case Combine::Bitwise:
    return "bitwise operation";
  case Combine::Shift:
    return "shift";
  case Combine::FloatDivide:
    return "fdiv";
  case Combine::Compare:
    return "comparison";
  case Combine::Extremum:
    return "maximum/minimum";
  }
  return "";
}

__int128 tilerun::getMinInt(DType type) {
  return type.isSigned() ? -(static_cast<__int128>(1) << (type.getBits() - 1)) : 0;
}

__int128 tilerun::getMaxInt(DType type) {
  unsigned bits = type.isSigned() ? type.getBits() - 1 : type.getBits();
  return (static_cast<__int128>(1) << bits) - 1;
}

std::string tilerun::formatInt(__int128 value) {
  bool negative = value < 0;
  unsigned __int128 rest =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return negative ? "-" + digits : digits;
}

TypeOrError tilerun::getLiteralType(const Literal &literal) {
  if (std::holds_alternative<bool>(literal))
    return dtype(Scalar::Int1);
  if (auto *value = std::get_if<__int128>(&literal)) {
    for (Scalar s : {Scalar::Int32, Scalar::UInt32, Scalar::Int64, Scalar::UInt64})
      if (fits(*value, dtype(s)))
        return dtype(s);
    return TypeOrError::failure("the integer " + formatInt(*value) +
                                " does not fit in 64 bits; use a smaller value");
  }
  double magnitude = std::fabs(std::get<double>(literal));
  bool isFloat32 =
      magnitude == 0 || !std::isfinite(magnitude) || (magnitude >= FLT_MIN && magnitude <= FLT_MAX);
  return dtype(isFloat32 ? Scalar::F32 : Scalar::F64);
}

TypeOrError tilerun::adoptLiteral(const Literal &literal, DType tensor) {
  if (TypeOrError checked = checkNumber(tensor); !checked)
    return checked;
  if (kindOf(literal) > kindOf(tensor))
    return getLiteralType(literal);
  if (tensor.isFp8())
    return TypeOrError::failure("a literal cannot take the type " + tensor.str() +
                                "; convert the 8-bit float to float16 or float32 first");
  if (auto *value = std::get_if<__int128>(&literal); value && tensor.isInt()) {
    if (*value < 0 && tensor.isUnsigned())
      return TypeOrError::failure("the negative literal " + formatInt(*value) +
                                  " meets an unsigned operand of type " + tensor.str() +
                                  "; cast one of them first");
    if (!fits(*value, tensor))
      return TypeOrError::failure("the literal " + formatInt(*value) + " is out of range for " +
                                  tensor.str() + " (" + formatInt(getMinInt(tensor)) + " to " +
                                  formatInt(getMaxInt(tensor)) + "); cast the other operand first");
  }
  return tensor;
}

TypeOrError tilerun::promote(DType lhs, DType rhs) {
  for (DType type : {lhs, rhs})
    if (TypeOrError checked = checkNumber(type); !checked)
      return checked;
  if (lhs == rhs)
    return lhs;
  if (lhs.isFloat() || rhs.isFloat()) {
    for (Scalar s : {Scalar::F64, Scalar::F32, Scalar::F16})
      if (lhs == dtype(s) || rhs == dtype(s))
        return dtype(s);
    // bfloat16 with anything but itself and the formats above.
    if (lhs == dtype(Scalar::BF16) || rhs == dtype(Scalar::BF16))
      return dtype(Scalar::F32);
    if (lhs.isFp8() && rhs.isFp8())
      return dtype(Scalar::F16);
    return TypeOrError::failure(lhs.str() + " and " + rhs.str() +
                                " have no common type; "
                                "convert the 8-bit float to float16 or float32 first");
  }
  if (lhs.getBits() != rhs.getBits())
    return lhs.getBits() > rhs.getBits() ? lhs : rhs;
  return lhs.isUnsigned() ? lhs : rhs;
}

TypeOrError tilerun::combine(Combine op, const Operand &lhs, const Operand &rhs) {
  // Types of both operands, before they are brought together.
  bool weak = op != Combine::Compare && op != Combine::Extremum && op != Combine::FloatDivide;
  auto typeOf = [&](const Operand &operand, const Operand &other) -> TypeOrError {
    if (!operand.literal)
      return checkNumber(operand.type);
    if (weak && !other.literal)
      return adoptLiteral(*operand.literal, other.type);
    return getLiteralType(*operand.literal);
  };
  TypeOrError left = typeOf(lhs, rhs), right = typeOf(rhs, lhs);
  if (!left)
    return left;
  if (!right)
    return right;
  DType l = *left, r = *right;

  bool integers = l.isInt() && r.isInt();
  switch (op) {
  case Combine::Arithmetic:
  case Combine::Compare:
    return promote(l, r);
  case Combine::Extremum:
    return promote(getScanType(l), getScanType(r));
  case Combine::Divide:
  case Combine::FloorDivide:
  case Combine::Modulo:
    if (integers && l.isSigned() != r.isSigned())
      return TypeOrError::failure(quote(op) + " of " + l.str() + " and " + r.str() +
                                  " mixes signedness; cast one of them first");
    if (integers)
      return op == Combine::Divide ? TypeOrError(dtype(Scalar::F32)) : promote(l, r);
    if (op == Combine::FloorDivide)
      return TypeOrError::failure("'//' needs integers, but got " + l.str() + " and " + r.str() +
                                  "; use tl.floor(x / y)");
    if (l.isFp8() && r.isFp8())
      return promote(l, r);
    if (TypeOrError type = promote(l, r); !type)
      return type;
    else
      return atLeastFloat32(*type);
  case Combine::Bitwise:
  case Combine::Shift:
    if (!integers)
      return TypeOrError::failure(getCombineName(op).str() + " needs integers, but got " + l.str() +
                                  " and " + r.str() +
                                  "; cast with bitcast=True to work on the bits of floats");
    return promote(l, r);
  case Combine::FloatDivide:
    if (!l.isFloat() || l != r)
      return TypeOrError::failure("needs two floats of one type, but got " + l.str() + " and " +
                                  r.str() + "; cast one of them, or use '/'");
    return l;
  }
  return TypeOrError::failure("unknown operation");
}

TypeOrError tilerun::getInductionType(const Operand &lower, const Operand &upper,
                                      const Operand &step) {
  std::optional<DType> common;
  const char *names[] = {"lower bound", "upper bound", "step"};
  const Operand *operands[] = {&lower, &upper, &step};
  for (unsigned i = 0; i < 3; ++i) {
    TypeOrError type = operands[i]->literal ? getLiteralType(*operands[i]->literal)
                                            : TypeOrError(operands[i]->type);
    if (!type)
      return type;
    if (!(*type).isInt())
      return TypeOrError::failure(std::string("the ") + names[i] + " of a range is " +
                                  (*type).str() + "; ranges are over integers");
    common = common ? *promote(*common, *type) : *type;
  }
  // A range over bools counts in int32.
  return common->isBool() ? dtype(Scalar::Int32) : *common;
}

DType tilerun::getSumType(DType type) {
  if (!type.isInt() || type.getBits() >= 32)
    return type;
  return dtype(type.isSigned() ? Scalar::Int32 : Scalar::UInt32);
}

DType tilerun::getExtremumType(DType type) {
  if (type.isPointer() || type.getBits() >= 32)
    return type;
  return dtype(type.isFloat() ? Scalar::F32 : Scalar::Int32);
}

DType tilerun::getScanType(DType type) {
  return type == dtype(Scalar::BF16) ? dtype(Scalar::F32) : type;
}
