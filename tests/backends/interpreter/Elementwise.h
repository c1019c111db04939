// Runs one elementwise operation on the device over vectors of bit patterns, and interprets bits by
// LLVM's exact arithmetic (APInt, APFloat), the reference of these tests.
#pragma once

#include "tests/backends/interpreter/Harness.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"

namespace tilerun::harness {

using Bits = std::vector<uint64_t>;

/// Bytes of an element type by its name in IR.
unsigned bytesOf(llvm::StringRef type);
unsigned widthOf(llvm::StringRef type);

/// Runs `op`, which reads %a, %b, %c and defines %r (and %s), on tensors; `$T0` … in its text are
/// the operand types, `$R0`, `$R1` the result types, as tensors.
std::vector<Bits> runElementwise(Machine &machine, llvm::StringRef op,
                                 llvm::ArrayRef<std::string> operandTypes,
                                 llvm::ArrayRef<std::string> resultTypes,
                                 llvm::ArrayRef<Bits> operands);

/// Semantics of a float type by its name (all but !tile.f8E4M3B15).
const llvm::fltSemantics &semanticsOf(llvm::StringRef type);
llvm::APFloat toFloat(llvm::StringRef type, uint64_t bits);
double toDouble(llvm::StringRef type, uint64_t bits);
/// The bits of `value` rounded to a type.
uint64_t round(llvm::StringRef type, llvm::APFloat value,
               llvm::APFloat::roundingMode mode = llvm::APFloat::rmNearestTiesToEven);

/// Equal bits, or both NaN.
bool sameFloat(llvm::StringRef type, uint64_t a, uint64_t b);

/// Random elements of a float type: any bit pattern, and often values of moderate size or special
/// ones.
Bits randomFloats(Random &random, llvm::StringRef type, size_t count);
/// Uniform in [low, high), rounded to the type.
Bits uniformFloats(Random &random, llvm::StringRef type, size_t count, double low, double high);
Bits randomIntegers(Random &random, llvm::StringRef type, size_t count);

inline const std::vector<std::string> kIntTypes{"i1", "i8", "i16", "i32", "i64"};
inline const std::vector<std::string> kFloatTypes{"f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ",
                                                  "f16",    "bf16",     "f32",        "f64"};

} // namespace tilerun::harness
