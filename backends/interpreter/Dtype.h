// Element types as the interpreter stores them: one C++ representation each, `i1` in one byte,
// pointers and `index` in eight. Everything after decoding uses these, so no MLIR type is consulted
// while a program runs.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Type;
}

namespace tilerun::interp {

/// Storage types. Signedness belongs to operations, as in the IR.
enum class Dtype : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Ptr,
  F8E5M2,
  F8E5M2FNUZ,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B15,
  F16,
  BF16,
  F32,
  F64
};
constexpr unsigned kNumDtypes = 15;

inline bool isFloat(Dtype type) { return type >= Dtype::F8E5M2; }
/// Floats that compute in float32: everything narrower than it.
inline bool isSmallFloat(Dtype type) { return type >= Dtype::F8E5M2 && type <= Dtype::BF16; }
inline bool isInteger(Dtype type) { return type <= Dtype::I64; }

/// Bytes of one element, in buffers and in memory.
inline unsigned sizeOf(Dtype type) {
  switch (type) {
  case Dtype::I1:
  case Dtype::I8:
  case Dtype::F8E5M2:
  case Dtype::F8E5M2FNUZ:
  case Dtype::F8E4M3FN:
  case Dtype::F8E4M3FNUZ:
  case Dtype::F8E4M3B15:
    return 1;
  case Dtype::I16:
  case Dtype::F16:
  case Dtype::BF16:
    return 2;
  case Dtype::I32:
  case Dtype::F32:
    return 4;
  case Dtype::I64:
  case Dtype::Ptr:
  case Dtype::F64:
    return 8;
  }
  llvm_unreachable("unknown dtype");
}

/// "i32", "f8E4M3FN", "ptr".
llvm::StringRef getName(Dtype type);

/// The storage type of an element type (not of a tensor); nothing for a type the interpreter does
/// not have.
std::optional<Dtype> getDtype(mlir::Type elementType);

} // namespace tilerun::interp
