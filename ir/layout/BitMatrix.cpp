// Gaussian elimination over F2 and what follows from it.
#include "ir/layout/BitMatrix.h"

using namespace tilerun::layout;

static unsigned highestBit(uint64_t v) { return 63 - static_cast<unsigned>(std::countl_zero(v)); }

//===- Subspace -----------------------------------------------------------===//

uint64_t Subspace::reduce(uint64_t vector) const {
  // Basis vectors do not touch each other's leading bits, so one pass over the bits suffices.
  for (uint64_t hits = vector & leads; hits; hits &= hits - 1)
    vector ^= rows[std::countr_zero(hits)];
  return vector;
}

bool Subspace::insert(uint64_t vector) {
  vector = reduce(vector);
  if (!vector)
    return false;
  unsigned lead = highestBit(vector);
  for (uint64_t &row : rows)
    if ((row >> lead) & 1)
      row ^= vector;
  rows[lead] = vector;
  leads |= uint64_t(1) << lead;
  return true;
}

void Subspace::insert(llvm::ArrayRef<uint64_t> vectors) {
  for (uint64_t v : vectors)
    insert(v);
}

bool Subspace::contains(const Subspace &other) const {
  for (uint64_t row : other.rows)
    if (!contains(row))
      return false;
  return true;
}

BitVectors Subspace::basis() const {
  BitVectors result;
  for (uint64_t row : rows)
    if (row)
      result.push_back(row);
  return result;
}

Subspace tilerun::layout::sum(const Subspace &a, const Subspace &b) {
  Subspace result = a;
  result.insert(b.basis());
  return result;
}

Subspace tilerun::layout::intersection(const Subspace &a, const Subspace &b) {
  // x is in both iff x is in a and its remainder modulo b, which is linear in x, is zero.
  BitVectors basis = a.basis(), remainders;
  for (uint64_t v : basis)
    remainders.push_back(b.reduce(v));
  BitMatrix inA(kMaxBits, basis);
  Subspace result;
  for (uint64_t combination : BitMatrix(kMaxBits, remainders).kernel().basis())
    result.insert(inA.apply(combination));
  return result;
}

std::optional<uint64_t> tilerun::layout::pickOutside(const Subspace &space, const Subspace &a,
                                                     const Subspace &b) {
  std::optional<uint64_t> outsideA, outsideB;
  for (uint64_t v : space.basis()) {
    bool inA = a.contains(v), inB = b.contains(v);
    if (!inA && !inB)
      return v;
    if (!inA && !outsideA)
      outsideA = v;
    if (!inB && !outsideB)
      outsideB = v;
  }
  if (!outsideA || !outsideB)
    return std::nullopt;
  // Each of the two is inside the other subspace, so their sum is outside both.
  return *outsideA ^ *outsideB;
}

//===- BitMatrix ----------------------------------------------------------===//

/// The image in echelon form, each vector with the combination of columns that gives it. Columns
/// are taken in order, so combinations only use columns that do not depend on earlier ones.
struct BitMatrix::Elimination {
  std::array<uint64_t, kMaxBits> vectors{}, combinations{};
  Subspace kernel;

  /// Reduces y to zero as far as possible; returns the combination that was used.
  uint64_t reduce(uint64_t &y) const {
    uint64_t combination = 0;
    for (unsigned i = kMaxBits; i-- > 0;)
      if (((y >> i) & 1) && vectors[i]) {
        y ^= vectors[i];
        combination ^= combinations[i];
      }
    return combination;
  }
};

BitMatrix::BitMatrix(unsigned rows, llvm::ArrayRef<uint64_t> columns)
    : rows(rows), columns(columns.begin(), columns.end()) {
  assert(rows <= kMaxBits && columns.size() <= kMaxBits && "a matrix has at most 64 x 64 bits");
  for ([[maybe_unused]] uint64_t column : columns)
    assert((column & ~lowMask(rows)) == 0 && "a column has a bit outside the rows");
}

BitMatrix BitMatrix::identity(unsigned size) {
  BitVectors columns;
  for (unsigned i = 0; i < size; ++i)
    columns.push_back(uint64_t(1) << i);
  return BitMatrix(size, columns);
}

uint64_t tilerun::layout::combine(llvm::ArrayRef<uint64_t> vectors, uint64_t selection) {
  assert((selection & ~lowMask(vectors.size())) == 0 && "a bit is beyond the vectors");
  uint64_t result = 0;
  for (; selection; selection &= selection - 1)
    result ^= vectors[std::countr_zero(selection)];
  return result;
}

uint64_t BitMatrix::apply(uint64_t vector) const { return combine(columns, vector); }

BitMatrix BitMatrix::transposed() const {
  BitVectors result(rows, 0);
  for (unsigned c = 0; c < columns.size(); ++c)
    for (uint64_t v = columns[c]; v; v &= v - 1)
      result[std::countr_zero(v)] |= uint64_t(1) << c;
  return BitMatrix(numColumns(), result);
}

BitMatrix BitMatrix::operator*(const BitMatrix &other) const {
  assert(other.rows == numColumns() && "the shapes do not chain");
  BitVectors result;
  for (uint64_t column : other.columns)
    result.push_back(apply(column));
  return BitMatrix(rows, result);
}

BitMatrix::Elimination BitMatrix::eliminate() const {
  Elimination result;
  for (unsigned c = 0; c < columns.size(); ++c) {
    uint64_t vector = columns[c];
    uint64_t combination = result.reduce(vector) ^ (uint64_t(1) << c);
    if (!vector) {
      result.kernel.insert(combination);
      continue;
    }
    unsigned lead = highestBit(vector);
    result.vectors[lead] = vector;
    result.combinations[lead] = combination;
  }
  return result;
}

Subspace BitMatrix::kernel() const { return eliminate().kernel; }

std::optional<uint64_t> BitMatrix::solve(uint64_t y) const {
  uint64_t x = eliminate().reduce(y);
  if (y)
    return std::nullopt;
  return x;
}

std::optional<BitMatrix> BitMatrix::inverse() const {
  if (rows != numColumns() || rank() != rows)
    return std::nullopt;
  return pseudoInverse();
}

BitMatrix BitMatrix::pseudoInverse() const {
  Elimination elimination = eliminate();
  BitVectors result;
  for (unsigned r = 0; r < rows; ++r) {
    uint64_t unit = uint64_t(1) << r;
    result.push_back(elimination.reduce(unit));
  }
  return BitMatrix(numColumns(), result);
}

BitMatrix tilerun::layout::interpolate(unsigned inputBits, unsigned outputBits,
                                       llvm::ArrayRef<uint64_t> inputs,
                                       llvm::ArrayRef<uint64_t> outputs) {
  assert(inputs.size() == outputs.size() && "pairs");
  // More than 64 pairs cannot be independent; drop the dependent ones first.
  BitVectors independentInputs, independentOutputs;
  Subspace span;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (span.insert(inputs[i])) {
      independentInputs.push_back(inputs[i]);
      independentOutputs.push_back(outputs[i]);
    }
  BitMatrix result = BitMatrix(outputBits, independentOutputs) *
                     BitMatrix(inputBits, independentInputs).pseudoInverse();
#ifndef NDEBUG
  for (size_t i = 0; i < inputs.size(); ++i)
    assert(result.apply(inputs[i]) == outputs[i] && "the pairs are not consistent");
#endif
  return result;
}

std::optional<uint64_t> tilerun::layout::findFunctional(llvm::ArrayRef<uint64_t> vectors,
                                                        llvm::ArrayRef<bool> values) {
  assert(vectors.size() == values.size() && vectors.size() <= kMaxBits && "pairs");
  uint64_t right = 0;
  for (size_t i = 0; i < values.size(); ++i)
    right |= uint64_t(values[i]) << i;
  return BitMatrix(kMaxBits, vectors).transposed().solve(right);
}
