// Elementwise functions over buffers: the innermost, vectorizable part of the interpreter, without
// any notion of programs or memory. A `Kernel` adds what narrow floats need: conversion to float32,
// the operation there, one rounding back.
#pragma once

#include "backends/interpreter/Dtype.h"

#include <cstddef>

/// Put before an elementwise loop: buffers are either the same or disjoint (see ElementFn), so
/// iterations are independent.
#ifdef __clang__
#define TILERUN_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILERUN_ELEMENTWISE
#endif

namespace tilerun::interp {

constexpr unsigned kMaxElementOperands = 3;
constexpr unsigned kMaxElementResults = 2;

/// Computes n elements of each result. A result may be the same buffer as an operand of equal
/// element size; partial overlap is not allowed. Buffers are aligned to their element size.
using ElementFn = void (*)(const char *const *in, char *const *out, size_t n);

/// Converts n elements. The buffers do not overlap.
using ConvertFn = void (*)(const char *in, char *out, size_t n);

/// An elementwise function with conversions around it.
struct Kernel {
  ElementFn fn = nullptr; ///< Null: the conversions are all there is (one operand, one result).
  unsigned numOperands = 0, numResults = 0;
  ConvertFn convertIn[kMaxElementOperands] = {}; ///< Null: used as stored.
  ConvertFn convertOut[kMaxElementResults] = {};
  uint8_t sizeIn[kMaxElementOperands] = {}; ///< Stored bytes per element.
  uint8_t sizeOut[kMaxElementResults] = {};

  explicit operator bool() const { return numOperands != 0; }
  void apply(const char *const *in, char *const *out, size_t n) const;
};

/// Integer operations by IR name; comparisons as "arith.cmpi.slt". Null for an unknown one.
ElementFn findIntegerOp(llvm::StringRef name, Dtype type);
/// arith.extsi, extui, trunci, index_cast, index_castui.
ElementFn findIntegerCast(llvm::StringRef name, Dtype from, Dtype to);

/// Float operations on F32 or F64 by IR name; comparisons as "arith.cmpf.olt".
ElementFn findFloatOp(llvm::StringRef name, Dtype type);
ElementFn findMathOp(llvm::StringRef name, Dtype type);
/// a·b + c for narrow floats held as doubles, rounded to odd, so that one more rounding is correct.
ElementFn getOddFma();
/// math.fpowi with a base of F32 or F64.
ElementFn findFloatPower(Dtype base, Dtype exponent);

/// Integer to F32 or F64. `odd` (F64 only) rounds to odd, for a later rounding to a narrow float.
ElementFn findIntToFloat(bool isSigned, Dtype from, Dtype to, bool odd);
/// F32 or F64 to integer: toward zero, saturating, NaN to 0.
ElementFn findFloatToInt(bool isSigned, Dtype from, Dtype to);

/// arith.select over elements of `size` bytes; operand 0 is the condition, one byte each.
ElementFn getSelect(unsigned size);

} // namespace tilerun::interp
