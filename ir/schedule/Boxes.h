// Loads that are boxes of tensors in global memory, which a target with bulk copies moves by one
// instruction: the tensor follows from the kernel's arguments before a launch, and where a box
// begins is the same in the whole program. Found from ordinary pointers and masks, whether a kernel
// computes them itself or they are an expanded descriptor's.
//
// The address of an element is affine in its indices, with one dimension of stride 1:
//   base + Σ stride[d] * (start[d] + i[d]) + Σ stride[e] * start[e],
// and the mask is a conjunction of start[d] + i[d] < extent[d]. Strides and extents are polynomials
// of the kernel's integer arguments. The second sum has dimensions in which a box is one element,
// such as the batch of a product.
#pragma once

#include "ir/analysis/AffineForm.h"
#include "ir/schedule/ScheduleDialect.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilerun::schedule {

/// Why something cannot be, as the end of a sentence about `op`.
struct Refusal {
  mlir::Operation *op = nullptr;
  std::string why;
};

/// Most tensors that a launch describes.
inline constexpr int64_t kMaxBoxes = 12;

/// A load or a store as a box.
struct Box {
  BoxAttr tensor;
  llvm::SmallVector<Polynomial, 5> starts; ///< In the order of the tensor's dimensions.
};

/// Finds boxes of one loop, and of stores that are outside of it. Valid until the IR changes.
class BoxFinder {
public:
  explicit BoxFinder(mlir::scf::ForOp loop) : loop(loop), forms(loop) {}

  /// The box that `load` is; nullopt with a reason if it is not one. `inner` is the tile's
  /// contiguous dimension.
  std::optional<Box> find(tile::LoadOp load, unsigned inner, Refusal &refusal);
  /// The box that `store` writes, outside of the loop.
  std::optional<Box> find(tile::StoreOp store, unsigned inner, Refusal &refusal);
  /// Of a load with `sched.box`, whose ring says how it lies; nullopt if it is not the one that the
  /// attribute says.
  std::optional<Box> find(tile::LoadOp load);

  /// The scalars from outside of the loop from which the starts are computed.
  void addScalars(const Box &box, llvm::SetVector<mlir::Value> &scalars) const;
  /// Computes a start as an i32, where `iteration` is the number of the iteration from 0 and `map`
  /// has the scalars.
  mlir::Value emit(mlir::ImplicitLocOpBuilder &b, const Polynomial &start,
                   const mlir::IRMapping &map, mlir::Value iteration) const;

private:
  struct Search;
  template <typename Op> std::optional<Box> search(Op access, unsigned inner, Refusal &refusal);

  mlir::scf::ForOp loop;
  AffineForms forms;
};

} // namespace tilerun::schedule
