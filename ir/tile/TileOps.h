// C++ side of the `tile` dialect (declared in TileDialect.td, TileTypes.td, TileAttrs.td,
// TileOps.td and the files of ops that it includes).
//
// Rules of this folder: ops are declared in TableGen with a summary, a description and an example;
// verifiers check what the frontend guarantees, so that a failing verifier is a bug upstream;
// folders never lose a source location.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/tile/TileDialect.h.inc"
#include "ir/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.h.inc"

namespace tilerun::tile {
/// The memory that pointers address; the resource of every memory effect in this dialect.
struct GlobalMemory : public mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "tile.global_memory"; }
};

/// Whether `type` is a ranked tensor as this dialect understands it: static shape, rank of at least
/// 1, no empty dimension, and at most kMaxElements elements.
inline constexpr int64_t kMaxElements = int64_t(1) << 20;
bool hasTileShape(mlir::Type type);

/// The language's floats: f16, bf16, f32, f64, the four 8-bit formats that MLIR has, and
/// !tile.f8E4M3B15.
bool isElementFloat(mlir::Type type);
/// The language's integers: i1, i8, i16, i32 and i64.
bool isElementInteger(mlir::Type type);

/// Bytes that one element occupies in memory (i1: 1, pointers: 8).
unsigned getElementBytes(mlir::Type elementType);

/// The element type of a tensor, or the type itself.
using mlir::getElementTypeOrSelf;

/// `type` with its element type replaced; a scalar is replaced whole.
mlir::Type withElementType(mlir::Type type, mlir::Type elementType);

/// i1 in the shape of `type`.
mlir::Type getMaskType(mlir::Type type);

/// The pointee of a pointer or a tensor of pointers, in the same shape.
mlir::Type getPointeeValueType(mlir::Type pointerLike);

/// Of a descriptor: what a block of it is in registers, and its address.
mlir::Type getBlockType(mlir::Type descriptor);
mlir::Type getBaseType(mlir::Type descriptor);
/// The numbers of rows: one i64 for each row of a tensor.
mlir::Type getRowNumbersType(mlir::Type rows);

/// Which elements an atomic works on, if `element` is none of them; else empty.
llvm::StringRef getAcceptedElements(AtomicKind kind, mlir::Type element);
} // namespace tilerun::tile

#define GET_OP_CLASSES
#include "ir/tile/TileOps.h.inc"
