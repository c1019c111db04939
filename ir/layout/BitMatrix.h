// Matrices and subspaces over F2, the field of two elements, with at most 64 rows and 64 columns.
// A vector is a uint64_t (bit i is coordinate i), addition is XOR. Everything about layouts reduces
// to these few operations, so they are kept apart from names and dimensions and tested
// exhaustively.
#ifndef TILERUN_IR_LAYOUT_BITMATRIX_H
#define TILERUN_IR_LAYOUT_BITMATRIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>

namespace tilerun::layout {

/// The largest number of rows and of columns.
inline constexpr unsigned kMaxBits = 64;

/// A mask of the `bits` lowest bits; defined up to and including 64.
constexpr uint64_t lowMask(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

/// The scalar product over F2.
constexpr bool dot(uint64_t a, uint64_t b) { return (std::popcount(a & b) & 1) != 0; }

using BitVectors = llvm::SmallVector<uint64_t, 16>;

/// The sum of the vectors that the bits of `selection` choose. Precondition: no bit is beyond them.
uint64_t combine(llvm::ArrayRef<uint64_t> vectors, uint64_t selection);

/// A subspace of F2^64, kept as a basis in reduced echelon form: no two basis vectors share their
/// highest bit and no basis vector has another one's highest bit set. So equal subspaces compare
/// equal, and reducing a vector gives the least member of its coset.
class Subspace {
public:
  Subspace() { rows.fill(0); }
  explicit Subspace(llvm::ArrayRef<uint64_t> generators) : Subspace() { insert(generators); }

  /// Adds a vector; false if it was in the span already.
  bool insert(uint64_t vector);
  void insert(llvm::ArrayRef<uint64_t> vectors);

  /// The numerically least element of vector + this. Linear in `vector`.
  uint64_t reduce(uint64_t vector) const;
  bool contains(uint64_t vector) const { return reduce(vector) == 0; }
  bool contains(const Subspace &other) const;

  unsigned dimension() const { return static_cast<unsigned>(std::popcount(leads)); }
  /// The highest bits of the basis vectors.
  uint64_t leadingBits() const { return leads; }
  /// The basis, ascending.
  BitVectors basis() const;

  bool operator==(const Subspace &other) const { return rows == other.rows; }

private:
  std::array<uint64_t, kMaxBits> rows; // rows[i] has highest bit i, or is 0
  uint64_t leads = 0;
};

Subspace sum(const Subspace &a, const Subspace &b);
Subspace intersection(const Subspace &a, const Subspace &b);

/// A vector of `space` that is in neither `a` nor `b`, or nullopt if either contains `space`. (A
/// vector space is never the union of two proper subspaces, so there is no other failure.)
std::optional<uint64_t> pickOutside(const Subspace &space, const Subspace &a, const Subspace &b);

/// A matrix as its columns: column j is the image of unit vector j.
class BitMatrix {
public:
  BitMatrix() = default;
  /// Precondition: at most 64 rows and columns, and no column has a bit at or above `rows`.
  BitMatrix(unsigned rows, llvm::ArrayRef<uint64_t> columns);
  static BitMatrix identity(unsigned size);

  unsigned numRows() const { return rows; }
  unsigned numColumns() const { return static_cast<unsigned>(columns.size()); }
  llvm::ArrayRef<uint64_t> getColumns() const { return columns; }

  uint64_t apply(uint64_t vector) const;
  BitMatrix transposed() const;
  /// The matrix of x -> this(other(x)). Precondition: other.numRows() == numColumns().
  BitMatrix operator*(const BitMatrix &other) const;
  bool operator==(const BitMatrix &) const = default;

  unsigned rank() const { return image().dimension(); }
  Subspace image() const { return Subspace(columns); }
  /// All x with this(x) = 0.
  Subspace kernel() const;

  /// The numerically least x with this(x) = y, or nullopt. It is supported on the columns that do
  /// not depend on earlier columns, and therefore linear in y.
  std::optional<uint64_t> solve(uint64_t y) const;
  /// Exists iff square and of full rank.
  std::optional<BitMatrix> inverse() const;
  /// P with this * P * this == this that takes each y of the image to its least preimage: a right
  /// inverse if this is surjective, a left inverse if it is injective. Vectors outside the image
  /// are first moved to the image by clearing a canonical complement.
  BitMatrix pseudoInverse() const;

private:
  struct Elimination;
  Elimination eliminate() const;

  unsigned rows = 0;
  BitVectors columns;
};

/// A linear map M with M(inputs[i]) = outputs[i] for all i; zero on a canonical complement of the
/// inputs' span. Precondition: the pairs are consistent.
BitMatrix interpolate(unsigned inputBits, unsigned outputBits, llvm::ArrayRef<uint64_t> inputs,
                      llvm::ArrayRef<uint64_t> outputs);

/// The least f with dot(f, vectors[i]) = values[i] for all i, or nullopt if there is none.
/// Precondition: at most 64 vectors.
std::optional<uint64_t> findFunctional(llvm::ArrayRef<uint64_t> vectors,
                                       llvm::ArrayRef<bool> values);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_BITMATRIX_H
