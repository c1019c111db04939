// Element types as matrix instructions know them. Header only: plugins without a compiler read
// their names, too.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilerun::target {

/// X(enumerator, name, bytes): one for each element type. E4B8 and E5B16 are the formats without a
/// negative zero (FNUZ). E2M1 has 4 bits: a byte holds two, the first in its low half.
#define TILERUN_MATRIX_ELEMENTS(X)                                                                 \
  X(F16, "f16", 2)                                                                                 \
  X(BF16, "bf16", 2)                                                                               \
  X(TF32, "tf32", 4)                                                                               \
  X(F32, "f32", 4)                                                                                 \
  X(F64, "f64", 8)                                                                                 \
  X(I8, "i8", 1)                                                                                   \
  X(I32, "i32", 4)                                                                                 \
  X(E4M3, "e4m3", 1)                                                                               \
  X(E5M2, "e5m2", 1)                                                                               \
  X(E4B8, "e4b8", 1)                                                                               \
  X(E5B16, "e5b16", 1)                                                                             \
  X(E2M1, "e2m1", 1)

enum class MatrixElement {
#define X(enumerator, name, bytes) enumerator,
  TILERUN_MATRIX_ELEMENTS(X)
#undef X
};
struct MatrixElementInfo {
  llvm::StringLiteral name;
  unsigned bytes;
};
inline constexpr MatrixElementInfo kMatrixElements[] = {
#define X(enumerator, name, bytes) {name, bytes},
    TILERUN_MATRIX_ELEMENTS(X)
#undef X
};

inline unsigned bytesOf(MatrixElement element) {
  return kMatrixElements[static_cast<size_t>(element)].bytes;
}
inline llvm::StringRef nameOf(MatrixElement element) {
  return kMatrixElements[static_cast<size_t>(element)].name;
}
inline std::optional<MatrixElement> parseElement(llvm::StringRef name) {
  for (auto [i, known] : llvm::enumerate(kMatrixElements))
    if (known.name == name)
      return static_cast<MatrixElement>(i);
  return std::nullopt;
}

} // namespace tilerun::target
