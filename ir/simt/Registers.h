// The registers of a thread: a tensor in a layout is one vector in each thread, whose elements are
// its registers in the order of the layout. Pure emission of ops; nothing here looks at a kernel.
#pragma once

#include "ir/layout/LinearLayout.h"
#include "ir/simt/SimtOps.h"

namespace tilerun::simt {

using Values = llvm::SmallVector<mlir::Value, 8>;

/// A type as registers hold its elements: pointers as i64, 8-bit floats as i8.
mlir::Type elementType(mlir::Type type);
/// The vector that holds elements of `element` in `layout`.
mlir::VectorType registerType(mlir::Type element, const layout::LinearLayout &layout);
/// A vector of `count` of `element`, or the element if `count` is 0.
mlir::Type shaped(mlir::Type element, unsigned count);

mlir::Value constant(mlir::ImplicitLocOpBuilder &b, int32_t value);
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar, unsigned count);
Values unpack(mlir::ImplicitLocOpBuilder &b, mlir::Value vector);
mlir::Value pack(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> elements);
/// result[i] = vector[indices[i]].
mlir::Value pick(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                 llvm::ArrayRef<int64_t> indices);
/// base ^ constant, as an addition where the bits never meet.
mlir::Value offsetBy(mlir::ImplicitLocOpBuilder &b, mlir::Value base, uint64_t baseBits,
                     uint64_t constant);
/// Either may be null, which means true.
mlir::Value conjunction(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
/// Cut or extended by zeros.
mlir::Value resizeInteger(mlir::ImplicitLocOpBuilder &b, mlir::Value integer, unsigned bits);
mlir::Value shuffle(mlir::ImplicitLocOpBuilder &b, ShuffleMode mode, mlir::Value scalar,
                    mlir::Value lane);
/// XOR of bases[i] over the set bits i of `index`.
mlir::Value applyToIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
                         llvm::ArrayRef<uint64_t> bases);

/// What `layout` gives in dimension `out` for one bit of a lane's and of a warp's number each, as
/// linear maps of thread numbers have them; see ThreadMaps.
llvm::SmallVector<uint64_t, 16> threadBases(const layout::LinearLayout &layout,
                                            llvm::StringRef out);
/// The coordinate of `layout` in dimension `out` for register `reg`.
uint64_t registerImage(const layout::LinearLayout &layout, uint64_t reg, llvm::StringRef out);

/// Restores a builder's place and location.
class PlaceGuard {
public:
  explicit PlaceGuard(mlir::ImplicitLocOpBuilder &b) : b(b), guard(b), loc(b.getLoc()) {}
  ~PlaceGuard() { b.setLoc(loc); }

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::OpBuilder::InsertionGuard guard;
  mlir::Location loc;
};

} // namespace tilerun::simt
