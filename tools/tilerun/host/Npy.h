// `.npy` files (NumPy's array format, versions 1.0, 2.0 and 3.0), read and written with bounds
// checks. Own code because no packaged C++ library reads hostile files safely.
//
// Element types: `|b1`, `[<>=|]i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8`. Big-endian data is swapped.
// `<V2` is bfloat16 and `|V1` is an 8-bit float, as ml_dtypes stores them; the V types carry no
// name, so reading them needs the dtype (`bf16@w.npy`), which also reinterprets u1 and u2 of the
// same width. Refused by name: objects (pickles), strings, complex, structured types.
#pragma once

#include "tools/tilerun/host/Tensor.h"

namespace tilerun::host {

struct NpyHeader {
  std::optional<DType> dtype; ///< None for V1 and V2, which need a dtype from the user.
  unsigned elementBytes = 0;
  bool bigEndian = false;
  bool fortranOrder = false;
  Shape shape;
  uint64_t dataOffset = 0;
  std::string descr; ///< As written in the file.
};

/// Parses a header; the bytes may be a whole file or its beginning.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::ArrayRef<uint8_t> bytes);

/// Parses a whole file. `as` reinterprets elements of the same width (needed for V1 and V2).
llvm::Expected<Tensor> parseNpy(llvm::ArrayRef<uint8_t> bytes, std::optional<DType> as);

/// Reads a file; messages name the path.
llvm::Expected<Tensor> readNpy(llvm::StringRef path, std::optional<DType> as);

/// The bytes of a version 1.0 file in C order.
std::vector<uint8_t> formatNpy(const Tensor &tensor);

} // namespace tilerun::host
