// Addresses as a part that a wave's lanes have in common and an offset with bounds, which is what
// the hardware's addressing modes and buffer instructions take. Separate from the rewriting, which
// asks it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tilerun::amdgpu {

/// A scalar, or one element of a vector of registers.
struct Element {
  mlir::Value value;
  unsigned index = 0;
};

/// The element's value, sign-extended to 64 bits, times a factor.
struct Term {
  Element element;
  int64_t factor;
};

/// An address modulo 2^64: a constant and terms of which `uniform` are scalars that all lanes of a
/// program have alike.
struct AddressParts {
  int64_t constant = 0;
  llvm::SmallVector<Term> uniform, varying;
  /// The sum of the varying terms is from `low` to `high`.
  int64_t low = 0, high = 0;
};

/// A comparison that holds where `varying` + `constant` is less than `limit` - `start`, of integers
/// that do not wrap. `limit` and `start` are scalars that all lanes have alike; without `start` it
/// is zero.
struct LessThan {
  llvm::SmallVector<Term> varying;
  int64_t constant = 0;
  Element limit;
  std::optional<Element> start;
};

/// Facts about integers of one kernel in per-thread form, before it is scalarized. They follow from
/// the operations alone: nothing is promised by the caller of a kernel.
class AddressAnalysis {
public:
  explicit AddressAnalysis(mlir::func::FuncOp kernel);

  /// Null if no bounds of the varying part are known.
  std::optional<AddressParts> split(mlir::Value address);
  /// The pointer among the kernel's arguments that an address counts from, also around loops; null
  /// if that is none, or several.
  mlir::Value tensorOf(mlir::Value address);
  /// Null if an element of a mask is not such a comparison of integers of 32 bits.
  std::optional<LessThan> splitComparison(Element mask);
  /// The conjunction's operands; none is a conjunction itself.
  llvm::SmallVector<Element> conjunctsOf(mlir::Value mask) const;
  /// Whether all lanes have the scalar alike.
  bool isUniformScalar(Element element);
  /// Whether an integer, times a factor, is known to be a multiple of 2^bits.
  bool isMultiple(Element element, int64_t factor, unsigned bits);
  /// Whether all elements of a vector are constants whose bits are zero.
  bool isZero(mlir::Value vector);

private:
  struct Bounds {
    int64_t low, high;
  };
  using Key = std::pair<mlir::Value, unsigned>;

  /// Looks through ops that move elements.
  Element resolve(Element element) const;
  Element operandOf(Element element, unsigned operand) const;
  std::optional<int64_t> constantOf(Element element) const;
  bool isUniform(Element element);
  struct Tensors;
  void findTensors(Element address, Tensors &tensors);
  bool computeUniform(Element element);
  std::optional<Bounds> boundsOf(Element element);
  std::optional<Bounds> computeBounds(Element element);
  std::optional<Bounds> boundsOfOp(mlir::Operation *op, Element element);
  /// How many low bits are zero.
  unsigned zerosOf(Element element);
  unsigned computeZeros(Element element);
  /// Whether the op's result is the exact sum of its operands, as signed numbers.
  bool isExactSum(mlir::Operation *op, Element element);
  bool isDisjoint(Element a, Element b);
  bool add(Element element, int64_t factor, AddressParts &parts);
  bool addLeaf(Element element, int64_t factor, AddressParts &parts);

  mlir::func::FuncOp kernel;
  llvm::DenseMap<Key, bool> uniform;
  llvm::DenseMap<Key, std::optional<Bounds>> bounds;
  llvm::DenseMap<Key, unsigned> zeros;
};

} // namespace tilerun::amdgpu
