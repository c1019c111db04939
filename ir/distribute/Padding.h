// The state of one function's padding, shared by the files Pad*.cpp.
//
// Every tensor keeps its elements at the indices they had; elements beyond the real size of a
// dimension are surplus: they may have any value, including poison. An elementwise op needs only
// its new type. An op that could observe surplus (memory, reductions, an order of elements that
// follows from the sizes) is restricted to real elements, or gets a harmless value there.
#pragma once

#include "ir/tile/TileOps.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace tilerun::padding {

using mlir::ArrayRef;
using mlir::Location;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::SmallVector;
using mlir::Type;
using mlir::Value;

/// The next power of two.
int64_t padSize(int64_t size);
/// `type` with every dimension padded; other types as they are.
Type padType(Type type);
/// Whether padding changes the type of any value inside `root`.
bool needsPadding(Operation *root);

/// Dimensions [from, fromEnd) of one shape that hold the same elements as [to, toEnd) of another.
struct DimGroup {
  unsigned from, fromEnd, to, toEnd;
};
/// The smallest such groups, in order. Precondition: as many elements.
SmallVector<DimGroup> groupDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to);
/// Whether elements keep their order in the padded shapes: only the outermost size is not a power
/// of two.
bool keepsOrder(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

/// Reductions of all elements at once would have to bring them into order; they go dimension by
/// dimension instead. Before padding (PadRegions.cpp).
void splitReductions(mlir::func::FuncOp function);

class Padding {
public:
  explicit Padding(mlir::func::FuncOp function) : function(function) {}
  void run();

private:
  void pad(Operation *op);

  //===- What is real (PadShapes.cpp) -------------------------------------===//

  ArrayRef<int64_t> realShape(Value value) const { return real.find(value)->second.getShape(); }
  bool isPadded(Value value) const;
  SmallVector<unsigned, 4> paddedDims(Value value) const;
  /// i1 in the padded shape of `like`: whether an element is real along `dims`.
  Value isReal(Value like, ArrayRef<unsigned> dims);
  Value isReal(Value like) { return isReal(like, paddedDims(like)); }
  /// `value` where real along `dims`, else the constant.
  Value selectReal(mlir::OpBuilder &b, Value value, ArrayRef<unsigned> dims,
                   mlir::Attribute otherwise);
  /// Of a mask that may be null. Not a conjunction: surplus may be poison.
  Value maskReal(mlir::OpBuilder &b, Value mask, Value like);
  /// Whether surplus of `value` along `dim` is known to be 0.
  bool hasZeroSurplus(Value value, unsigned dim, unsigned depth = 0) const;
  void replace(Operation *op, mlir::ValueRange values);

  /// The insertion point for values that depend only on sizes: before everything else.
  mlir::OpBuilder atEntry();
  Value atEntry(mlir::OpBuilder &b, Value value);
  /// [start, start + size) as a 1-D tensor.
  Value range(mlir::OpBuilder &b, int64_t start, int64_t size);
  Value splat(mlir::OpBuilder &b, Type like, int64_t number);
  /// A 1-D tensor along `dim` of `shape`, the same everywhere else.
  Value stretch(mlir::OpBuilder &b, Value line, unsigned dim, ArrayRef<int64_t> shape);

  //===- Ops ---------------------------------------------------------------===//

  void padConstant(mlir::arith::ConstantOp op);
  void padRange(tile::MakeRangeOp op);
  void padCas(tile::AtomicCASOp op);
  void padPrint(tile::PrintOp op);
  void padAssert(tile::AssertOp op);
  void padDot(tile::DotOp op);
  void padHint(tile::HintOp op);
  void guardDivision(Operation *op);

  // PadElements.cpp
  void padReshape(tile::ReshapeOp op);
  void padCat(tile::CatOp op);
  void padGather(tile::GatherOp op);
  /// Where the elements of real shape `to` are in real shape `from`, both flat and padded.
  Value reorder(mlir::OpBuilder &b, ArrayRef<int64_t> from, ArrayRef<int64_t> to);
  /// Least and greatest of the real elements, where that is plain to see.
  std::optional<std::pair<int64_t, int64_t>> boundsOf(Value value, unsigned depth = 0) const;

  // PadRegions.cpp
  void padReduction(Operation *op, unsigned axis, bool isScan, bool reverse);
  void padMap(tile::MapOp op);

  mlir::func::FuncOp function;
  llvm::DenseMap<Value, RankedTensorType> real; ///< Types before padding.
  std::map<std::vector<int64_t>, Value> masks;  ///< By real shape and dimensions.
  Operation *lastAtEntry = nullptr;
};

} // namespace tilerun::padding
