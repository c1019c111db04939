// Element types and tensor types of the kernel language, and the promotion rules, as pure
// functions.
//
// Rules of this folder: no MLIR context and no syntax: everything here is a small value that a
// table-driven test can enumerate. `language.md`'s section on typing is the specification.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilerun {

enum class Scalar : uint8_t {
#define SCALAR(Enum, Name, Short, Bits, Kind) Enum,
#include "frontend/types/Scalars.def"
};
enum class ScalarKind : uint8_t { Void, Bool, Int, UInt, Float };

/// An element type: a scalar, or a pointer to one (or to a pointer). A small value.
struct DType {
  Scalar scalar = Scalar::Void;
  uint8_t pointerDepth =
      0;                ///< 0: the scalar itself; 1: pointer to it; 2: pointer to a pointer to it.
  bool isConst = false; ///< `*k` pointers: pointee is not written.

  bool operator==(const DType &o) const {
    return scalar == o.scalar && pointerDepth == o.pointerDepth;
  }

  bool isPointer() const { return pointerDepth != 0; }
  DType getPointee() const { return {scalar, static_cast<uint8_t>(pointerDepth - 1), false}; }
  DType getPointerTo() const { return {scalar, static_cast<uint8_t>(pointerDepth + 1), false}; }
  ScalarKind getKind() const; ///< Of a non-pointer.
  unsigned getBits() const;   ///< 64 for a pointer.
  bool isBool() const { return !isPointer() && scalar == Scalar::Int1; }
  bool isInt() const;      ///< bool, signed or unsigned integer.
  bool isSigned() const;   ///< int8 … int64.
  bool isUnsigned() const; ///< int1 and uint8 … uint64.
  bool isFloat() const;
  bool isFp8() const;
  std::string str() const;       ///< "float32", "pointer<float32>"
  std::string signature() const; ///< "fp32", "*fp32"
};

inline DType dtype(Scalar s) { return {s, 0, false}; }

/// Parses a language name ("float32"), a signature name ("fp32", "f32", "*fp16", "*ki32") or common
/// aliases ("half", "float", "double", "bool", "int", "bf16"). Null if unknown.
std::optional<DType> parseDType(llvm::StringRef text);

/// A tensor type, or a scalar type if the shape is empty.
struct TensorType {
  DType dtype;
  llvm::SmallVector<int64_t, 4> shape;
  bool isScalar() const { return shape.empty(); }
  int64_t numElements() const;
  bool operator==(const TensorType &o) const { return dtype == o.dtype && shape == o.shape; }
  std::string str() const; ///< "float32", "float32[64, 32]"
};

} // namespace tilerun
