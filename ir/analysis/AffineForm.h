// Integers and pointers as sums: a part that is the same in all elements, and multiples of the
// indices along the dimensions, with factors that are polynomials of a kernel's scalars. Affine
// boxes of memory are found by this (ir/schedule/Boxes.h).
//
// Unlike AxisInfo it knows coefficients, and takes indices for what they look like
// (AxisAssumption::PlainIndices): signed arithmetic does not overflow, extensions keep values, what
// `/` and `%` divide is not negative, and what they divide it by is positive.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tilerun {

/// A sum of products of symbols, with integer factors. What does not fit 64 bits or has too many
/// terms is invalid, and so is everything computed from it.
class Polynomial {
public:
  /// Numbers of symbols, sorted; a power has its symbol several times.
  using Product = std::vector<unsigned>;

  static Polynomial constant(int64_t value);
  static Polynomial symbol(unsigned number);

  bool isValid() const { return valid; }
  bool isZero() const { return valid && terms.empty(); }
  std::optional<int64_t> getConstant() const;
  const std::map<Product, int64_t> &getTerms() const { return terms; }
  /// Whether a symbol is in one of its terms.
  bool contains(unsigned number) const;
  void add(const Product &product, int64_t factor);

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const { return *this + other * constant(-1); }
  Polynomial operator*(const Polynomial &other) const;
  /// Of invalid ones none equals another.
  bool operator==(const Polynomial &other) const {
    return valid && other.valid && terms == other.terms;
  }

private:
  static constexpr size_t kMostTerms = 32;
  std::map<Product, int64_t> terms; ///< Without zeros.
  bool valid = true;
};

/// An element with the indices i: base + uniform + Σ strides[d] * i[d], in elements.
struct AffineForm {
  mlir::Value base; ///< The scalar pointer that a pointer counts from; null for integers.
  Polynomial uniform;
  llvm::SmallVector<Polynomial, 2> strides; ///< None of a scalar.

  /// Along `dim` the index is not i, but (start + i) % modulus - start.
  struct Wrap {
    unsigned dim;
    Polynomial start, modulus;
    bool operator==(const Wrap &) const = default;
  };
  llvm::SmallVector<Wrap, 1> wraps;
};

/// The forms of a kernel's values as a loop's iterations have them, and the symbols that they are
/// made of. Valid until the IR changes.
class AffineForms {
public:
  explicit AffineForms(mlir::scf::ForOp loop) : loop(loop) {}

  /// nullopt: the value has no such form.
  std::optional<AffineForm> get(mlir::Value value);
  /// The scalar that a symbol stands for, which is from outside of the loop; null: the number of
  /// the iteration, from 0.
  mlir::Value getSymbol(unsigned number) const { return symbols[number]; }
  /// The symbol of a scalar from outside of the loop, or of the number of the iteration.
  Polynomial getSymbol(mlir::Value value);

private:
  using Form = std::optional<AffineForm>;
  Form compute(mlir::Value value);
  Form computeScalar(mlir::Value value);
  Form computeArgument(mlir::BlockArgument argument);
  Form computeCarried(mlir::BlockArgument argument);
  Form computeOp(mlir::Operation *op);
  Form computeShape(mlir::Operation *op);
  Form add(mlir::Value x, mlir::Value y, int64_t sign);
  Form multiply(mlir::Value x, mlir::Value y);
  Form wrap(mlir::Value x, mlir::Value y);

  mlir::scf::ForOp loop;
  std::vector<mlir::Value> symbols;
  llvm::DenseMap<mlir::Value, unsigned> numbers; ///< Of symbols.
  llvm::DenseMap<mlir::Value, Form> known;
  llvm::DenseSet<mlir::Value> open; ///< Carried values whose steps are being computed.
  unsigned depth = 0;
};

/// The argument of the kernel that a symbol stands for; null: another scalar.
mlir::BlockArgument argumentOf(mlir::Value symbol);
/// A polynomial of a kernel's arguments, whose numbers are added to `arguments`: the symbols of the
/// expression are places there. `find` gives the argument of a symbol; where one has none, nullopt.
std::optional<mlir::AffineExpr> toExpr(const Polynomial &value, mlir::MLIRContext *context,
                                       llvm::SetVector<unsigned> &arguments,
                                       llvm::function_ref<mlir::BlockArgument(unsigned)> find);

} // namespace tilerun
