// The state of a kernel that is being made, and the choices that operations draw on.
#pragma once

#include "tests/property/Kernel.h"

#include "llvm/Support/MathExtras.h"

#include <functional>

namespace tilerun::property {

/// A stream of random words: SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// In [0, count).
  size_t below(size_t count) { return static_cast<size_t>(next() >> 16) % count; }
  /// True in `percent` of 100 cases.
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename List> const auto &pick(const List &list) {
    return list[below(std::size(list))];
  }

private:
  uint64_t state;
};

struct Variable {
  std::string name;
  ValueType type;
  Traits has;
  bool isMutable = true;
};

class Builder {
public:
  explicit Builder(uint64_t seed);

  /// A random expression of a type; its operands are at most `depth` operations deep.
  ExprRef make(const ValueType &type, int depth, Traits need = {false, false});

  // Choices.
  ValueType pickType();
  DType pickDtype() { return random.pick(dtypes); }
  DType pickInteger();
  DType pickFloat(); ///< Of 16 bits or more.
  Shape pickShape();
  bool isSmall(const Shape &shape) const { return getSize(getNumElements(shape)) <= kMostElements; }
  int64_t getSize(const Dim &dim) const { return dim.getSize(kernel.sizes); }
  bool isPowerOfTwo(const Dim &dim) const { return llvm::isPowerOf2_64(uint64_t(getSize(dim))); }
  /// Any integers ($0) as positions below #0.
  std::string limit(const std::string &place) const {
    return kernel.hasOddSizes() ? "((" + place + " & 511) % #0)" : "(" + place + " & (#0 - 1))";
  }
  /// A shape that stretches to `shape`.
  Shape pickStretching(const Shape &shape);
  Dim pickDim();
  /// `shape` with a dimension of a few elements inserted at `axis`.
  Shape insertDim(const Shape &shape, size_t axis);

  ExprRef makeLeaf(const ValueType &type, Traits need);
  ExprRef makeLoad(const ValueType &type, int depth);
  /// A mask of a shape.
  ExprRef makeMask(const Shape &shape, int depth);

  // Helpers.cpp: functions of the kernel's own.
  ExprRef makeCall(const ValueType &type, int depth, Traits need);
  /// A function of scalars for each element.
  ExprRef makeMap(const ValueType &type, int depth, Traits need);
  /// A call with the results' types in a statement; null if there are enough functions.
  ExprRef makeTupleCall(const std::vector<ValueType> &types, int depth);

  // Memory.cpp: a load through a block pointer or a tensor descriptor; null if it does not fit.
  ExprRef makeBlockLoad(const ValueType &type, int depth);

  /// A scalar.
  ExprRef makeCondition(int depth) { return make({dtype(Scalar::Int1), {}}, depth); }

  /// An expression of a new name for a statement.
  std::string makeName(const char *prefix) { return prefix + std::to_string(nextName++); }
  /// The input tensor of a dtype.
  std::string getInput(DType dtype);

  Random random;
  Kernel kernel;
  std::vector<Variable> scope;
  std::vector<DType> dtypes; ///< The operations of this kernel's values.
  bool inHelper = false;     ///< Nothing but its parameters and constants has a name.
  bool inRegion = false;     ///< All values are scalars, computed for each element.

  static constexpr int64_t kMostElements = 512;
  static constexpr int64_t kInputElements = 640; ///< Any position, and up to 127 after it.

private:
  unsigned nextName = 0;
};

/// One way to make a value; null if it cannot make this one.
struct Operation {
  const char *name;
  unsigned weight;
  ExprRef (*make)(Builder &b, const ValueType &type, int depth, Traits need);
};
using Operations = std::vector<Operation>;

/// Any dtype: operations that move or select elements.
const Operations &getMoves();
const Operations &getIntegerOperations();
const Operations &getBoolOperations();
const Operations &getFloatOperations();
const Operations &getFp8Operations();

/// "tl.int32"
std::string spell(DType dtype);

} // namespace tilerun::property
