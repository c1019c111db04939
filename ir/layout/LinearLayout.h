// Linear layouts: F2-linear maps between named groups of bits. One class says which thread holds
// which tensor element, where an element lies in shared memory, and how one such map becomes
// another. The idea is from "Linear Layouts: Robust Code Generation of Efficient Tensor
// Computation Using F2" (2025); docs/layouts.md explains it with an example.
//
// Rules of this folder
// - Plain C++ with LLVM's Support and ADT, no MLIR: passes translate attributes to these classes.
// - Values, not objects: every class is immutable after construction, copyable, and free of global
//   state, so all of it is thread-safe and deterministic.
// - Bit order: bit 0 is the lowest bit of a coordinate. Flat indices concatenate the dimensions in
//   their listed order, the FIRST listed dimension in the LOWEST bits, for inputs and outputs
//   alike. (So the row-major index of a tensor is the flat output after transposeOuts to dimN ..
//   dim0.)
// - Every dimension's size is a power of two and is given in bits. A dimension of 0 bits has size 1
//   and is legal everywhere. Limits: 64 input bits and 64 output bits in total, and at most 63 bits
//   in one dimension, so that its size fits a uint64_t.
// - A zero or dependent basis vector means replication: several positions hold the same element.
// - What may fail on data returns std::optional, or llvm::Expected where the reason is worth
//   telling. Preconditions that the caller controls (names exist, limits hold) are asserted.
#ifndef TILERUN_IR_LAYOUT_LINEARLAYOUT_H
#define TILERUN_IR_LAYOUT_LINEARLAYOUT_H

#include "ir/layout/BitMatrix.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tilerun::layout {

// The usual input dimensions, in the usual order.
inline constexpr llvm::StringLiteral kRegister("register");
inline constexpr llvm::StringLiteral kLane("lane");
inline constexpr llvm::StringLiteral kWarp("warp");
inline constexpr llvm::StringLiteral kBlock("block");
/// The input dimension of a shared-memory layout, counted in elements.
inline constexpr llvm::StringLiteral kOffset("offset");

/// "dim<index>", the name of a tensor dimension.
std::string dimName(unsigned index);

/// A dimension's name and its size as a power of two.
struct Dim {
  std::string name;
  unsigned bits = 0;

  Dim(llvm::StringRef name, unsigned bits) : name(name.str()), bits(bits) {}
  uint64_t size() const { return uint64_t(1) << bits; }
  bool operator==(const Dim &) const = default;
};
using DimList = llvm::SmallVector<Dim, 4>;
using Names = llvm::ArrayRef<llvm::StringRef>;

class LinearLayout {
public:
  /// An input dimension with one basis vector per bit, lowest bit first. A basis vector lists one
  /// coordinate per output dimension.
  struct Input {
    std::string name;
    llvm::SmallVector<llvm::SmallVector<uint64_t, 4>, 8> bases;
  };

  //===- Construction -----------------------------------------------------===//

  /// No dimensions at all: the neutral element of the product.
  LinearLayout() = default;
  /// From packed basis vectors, one per flat input bit. Preconditions: distinct names per side, the
  /// limits above, one vector per input bit, no vector outside the outputs.
  LinearLayout(DimList ins, DimList outs, llvm::ArrayRef<uint64_t> bases);
  /// From basis vectors that may be wrong: checks every precondition and says which one fails.
  static llvm::Expected<LinearLayout> create(llvm::ArrayRef<Input> ins, llvm::ArrayRef<Dim> outs);
  /// x -> x between two dimensions of 2^bits.
  static LinearLayout identity1D(unsigned bits, llvm::StringRef in, llvm::StringRef out);
  /// 2^bits positions that all hold element 0 of an output of size 2^outBits.
  static LinearLayout zeros1D(unsigned bits, llvm::StringRef in, llvm::StringRef out,
                              unsigned outBits = 0);

  //===- Dimensions and bases ---------------------------------------------===//

  llvm::ArrayRef<Dim> getIns() const { return ins; }
  llvm::ArrayRef<Dim> getOuts() const { return outs; }
  bool hasIn(llvm::StringRef name) const;
  bool hasOut(llvm::StringRef name) const;
  /// Size in bits; 0 for a dimension that is not there.
  unsigned inBits(llvm::StringRef name) const;
  unsigned outBits(llvm::StringRef name) const;
  unsigned totalInBits() const { return static_cast<unsigned>(bases.size()); }
  unsigned totalOutBits() const { return totalBits(outs); }
  /// The flat position of a dimension's lowest bit. Precondition: the dimension exists.
  unsigned inShift(llvm::StringRef name) const { return shiftOf(ins, name); }
  unsigned outShift(llvm::StringRef name) const { return shiftOf(outs, name); }
  /// Packed basis vectors, one per flat input bit, or those of one input dimension.
  llvm::ArrayRef<uint64_t> getBases() const { return bases; }
  llvm::ArrayRef<uint64_t> getBases(llvm::StringRef in) const;
  /// One coordinate of one basis vector. Precondition: both dimensions and the bit exist.
  uint64_t getBasis(llvm::StringRef in, unsigned bit, llvm::StringRef out) const;
  BitMatrix getMatrix() const { return BitMatrix(totalOutBits(), bases); }
  /// Coordinates, one per dimension in listed order, of a flat index, and back.
  static llvm::SmallVector<uint64_t, 4> unpack(llvm::ArrayRef<Dim> dims, uint64_t flat);
  static uint64_t pack(llvm::ArrayRef<Dim> dims, llvm::ArrayRef<uint64_t> coordinates);
  static unsigned totalBits(llvm::ArrayRef<Dim> dims);

  //===- Application and composition --------------------------------------===//

  uint64_t applyFlat(uint64_t input) const;
  /// One coordinate per input dimension to one coordinate per output dimension.
  llvm::SmallVector<uint64_t, 4> apply(llvm::ArrayRef<uint64_t> coordinates) const;
  /// x -> outer(this(x)). Precondition: this's outputs are outer's inputs by name, in any order,
  /// and none is larger than there.
  LinearLayout compose(const LinearLayout &outer) const;
  /// The inverse, if the map is a bijection.
  std::optional<LinearLayout> invert() const;
  /// From each element to the least position that holds it; see BitMatrix::pseudoInverse.
  LinearLayout pseudoInvert() const;
  /// The map from this's positions to the least position of `other` that holds the same element:
  /// other(result(x)) == this(x). nullopt if `other` does not hold them all. Precondition: the same
  /// outputs by name and size, in any order.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &other) const;

  //===- Products and quotients -------------------------------------------===//

  /// The direct product: in a dimension that both have, the left factor keeps the low bits and the
  /// right factor's bits go above them. Dimensions are ordered left's first, then right's new ones.
  LinearLayout operator*(const LinearLayout &right) const;
  /// Q, with this's dimensions, such that factor * Q (or Q * factor) is this up to the order of
  /// dimensions; nullopt if there is none.
  std::optional<LinearLayout> divideLeft(const LinearLayout &factor) const;
  std::optional<LinearLayout> divideRight(const LinearLayout &factor) const;
  /// Side by side: input dimensions are joined (the results are XORed), outputs must be equal.
  LinearLayout concatIns(const LinearLayout &other) const;
  /// Stacked: output dimensions are joined, inputs must be equal.
  LinearLayout concatOuts(const LinearLayout &other) const;

  //===- Changing dimensions ----------------------------------------------===//

  /// Only these inputs (the others held at 0), and only these outputs; in the given order.
  LinearLayout sublayout(Names inNames, Names outNames) const;
  LinearLayout restrictIns(Names names) const;
  LinearLayout projectOuts(Names names) const;
  /// The same dimensions in another order. Precondition: a permutation of the names.
  LinearLayout transposeIns(Names names) const;
  LinearLayout transposeOuts(Names names) const;
  /// The same flat bits cut into other dimensions. Precondition: the same number of bits.
  LinearLayout reshapeIns(llvm::ArrayRef<Dim> dims) const;
  LinearLayout reshapeOuts(llvm::ArrayRef<Dim> dims) const;
  LinearLayout renameIn(llvm::StringRef from, llvm::StringRef to) const;
  LinearLayout renameOut(llvm::StringRef from, llvm::StringRef to) const;
  /// Another number of bits in one dimension, added last if it is not there. New input bits are
  /// replication; dropping output bits takes coordinates modulo the new size.
  LinearLayout resizeIn(llvm::StringRef name, unsigned bits) const;
  LinearLayout resizeOut(llvm::StringRef name, unsigned bits) const;

  //===- Questions --------------------------------------------------------===//

  unsigned rank() const { return getMatrix().rank(); }
  bool isInjective() const { return rank() == totalInBits(); }
  bool isSurjective() const { return rank() == totalOutBits(); }
  bool isInvertible() const { return isInjective() && isSurjective(); }
  /// One mask per input dimension: the bits that only repeat what lower bits (of this or an earlier
  /// dimension) reach. The positions with all of these bits zero hold every element exactly once,
  /// and each is the least position of its element.
  llvm::SmallVector<uint64_t, 4> freeVariableMasks() const;
  uint64_t freeVariableMask(llvm::StringRef in) const;
  /// The flat input differences that do not change the element.
  Subspace kernel() const { return getMatrix().kernel(); }
  /// Equal up to the order of input and of output dimensions.
  bool isSameMap(const LinearLayout &other) const;
  bool operator==(const LinearLayout &) const = default;
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  //===- Text -------------------------------------------------------------===//

  /// {register = [(0, 1), (8, 0)], lane = [(0, 2)]} -> (dim0: 16, dim1: 8)
  void print(llvm::raw_ostream &os) const;
  std::string toString() const;
  /// The inverse of print. White space is free, names are C identifiers. Any input is safe; an
  /// error names the column.
  static llvm::Expected<LinearLayout> parse(llvm::StringRef text);

private:
  static const Dim *find(llvm::ArrayRef<Dim> dims, llvm::StringRef name);
  static unsigned shiftOf(llvm::ArrayRef<Dim> dims, llvm::StringRef name);
  /// Moves coordinates to the dimensions of `target` by name, cut to their sizes.
  static uint64_t repack(llvm::ArrayRef<Dim> from, llvm::ArrayRef<Dim> target, uint64_t flat);
  std::optional<LinearLayout> divide(const LinearLayout &factor, bool left) const;

  DimList ins, outs;
  BitVectors bases;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &layout);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_LINEARLAYOUT_H
