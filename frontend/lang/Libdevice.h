// Shared by the files of libdevice's functions. Internal to this folder.
#pragma once

#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

namespace tilerun::lang {

/// The first `count` operands, of float32 or float64, brought to one type and shape.
mlir::FailureOr<llvm::SmallVector<TensorValue>> getFloats(Emitter &e, const Arguments &args,
                                                          size_t count, bool float32Only = false);

/// The first operand, which must be of that dtype.
mlir::FailureOr<TensorValue> getTensorOf(Emitter &e, const Arguments &args, Scalar wanted);

/// Functions that are composed of others (LibdeviceComposed.cpp).
void addComposedLibdevice(Rows &rows);
/// Functions on integers and on the halves of float64 (LibdeviceBits.cpp).
void addBitLibdevice(Rows &rows);

} // namespace tilerun::lang
