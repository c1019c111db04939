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

/// An argument broadcast to the shape of the access, which itself does not broadcast; `whose`
/// names it in the message.
TensorOr broadcastArgument(Emitter &e, const Arguments &args, size_t i, const TensorValue &v,
                           llvm::ArrayRef<int64_t> shape, llvm::StringRef whose = "the pointer's");

mlir::FailureOr<tile::CacheModifier> getCache(Emitter &e, const Arguments &args, size_t i,
                                              bool forStore);
mlir::FailureOr<tile::EvictionPolicy> getEviction(Emitter &e, const Arguments &args, size_t i);

/// An argument as what is stored in memory: of the pointee type, booleans as bytes.
TensorOr castForMemory(Emitter &e, const Arguments &args, size_t i, DType pointee);

/// The kind of atomic that `args` ask for on elements of a type. `is`: the message's verb for the
/// first argument ("points to").
mlir::FailureOr<tile::AtomicKind> getAtomicKind(Emitter &e, const Arguments &args, DType type,
                                                llvm::StringRef is);

/// The pointer that memory is accessed through: booleans occupy bytes.
TensorValue asMemoryPointer(Emitter &e, const TensorValue &pointer);

} // namespace tilerun::lang
