// Shared by loads, stores and atomics: pointers, masks, broadcasting to the pointer's shape.
// Internal to this folder.
#pragma once

#include "frontend/lang/Emit.h"

namespace tilerun::lang {

/// A pointer argument of known pointee; with `forWriting` it must not be const.
TensorOr getPointer(Emitter &e, const Arguments &args, size_t i, bool forWriting);

/// A mask argument, or none if it is None or known to be true.
mlir::FailureOr<std::optional<TensorValue>> getMask(Emitter &e, const Arguments &args, size_t i,
                                                    const TensorValue &pointer);

/// An argument brought to the pointer's shape; the pointer itself does not broadcast.
TensorOr broadcastArgument(Emitter &e, const Arguments &args, size_t i, const TensorValue &v,
                           const TensorValue &pointer);

/// The pointer that memory is accessed through: booleans occupy bytes.
TensorValue asMemoryPointer(Emitter &e, const TensorValue &pointer);

} // namespace tilerun::lang
