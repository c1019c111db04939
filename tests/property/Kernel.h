// A random kernel as a tree: the generator makes it, the printer writes it as a file of the kernel
// language, and the reducer takes it apart.
//
// Rules of this folder: a kernel is valid and free of undefined behaviour by construction, for all
// sizes that its dimensions may shrink to; everything about it follows from one seed. Sizes are
// products of a few symbols and powers of two, so that all tensors of a kernel shrink together.
#pragma once

#include "tests/matrix/Cell.h"

#include <memory>

namespace tilerun::property {

/// One of the three sizes that a kernel's dimensions are made of.
struct Size {
  int log = 0, odd = 1;
  int64_t get() const { return int64_t(odd) << log; }
};
using Sizes = std::array<Size, 3>;

/// A dimension: a product of powers of the three sizes, and of 2.
struct Dim {
  std::array<int, 3> powers{};
  int twos = 0;

  bool operator==(const Dim &) const = default;
  bool isOne() const { return *this == Dim(); }
  /// Whether it is 2, whatever the sizes are.
  bool isTwo() const { return *this == Dim{{}, 1}; }
  int64_t getSize(const Sizes &sizes) const {
    int64_t size = int64_t(1) << twos;
    for (size_t i = 0; i < sizes.size(); ++i)
      for (int n = 0; n < powers[i]; ++n)
        size *= sizes[i].get();
    return size;
  }
  Dim operator*(const Dim &other) const {
    Dim result = *this;
    result.twos += other.twos;
    for (size_t i = 0; i < powers.size(); ++i)
      result.powers[i] += other.powers[i];
    return result;
  }
};
using Shape = std::vector<Dim>;

Dim getNumElements(const Shape &shape);

/// Of a value: no dimensions for a scalar.
struct ValueType {
  DType dtype;
  Shape shape;
  bool operator==(const ValueType &) const = default;
};

/// Facts about a float value, besides that it is the same on every device up to NaNs' bits and the
/// sign of zero. True for all integers.
struct Traits {
  bool noProduct = true; ///< No rounded product, which a device may fuse with an addition.
  bool raw = true;       ///< Every bit is the same on every device.

  bool covers(const Traits &need) const {
    return (noProduct || !need.noProduct) && (raw || !need.raw);
  }
  Traits operator&(const Traits &o) const { return {noProduct && o.noProduct, raw && o.raw}; }
};

struct Expr;
using ExprRef = std::shared_ptr<const Expr>;

/// `$0`, `$1`, … in the format stand for arguments, `#0`, … for the values of dimensions.
struct Expr {
  ValueType type;
  std::string format;
  std::vector<ExprRef> args;
  Shape dims;
  Traits has;
  std::string wide;     ///< The format in the reference with float64, if that differs.
  std::string guarded;  ///< The format around defects of drivers (Defects.h), if that differs.
  bool isFixed = false; ///< Nothing else may stand for it: an effect, several values.
};

ExprRef makeExpr(ValueType type, std::string format, std::vector<ExprRef> args = {},
                 Shape dims = {}, Traits has = {});
/// The same, with a format around defects of drivers.
ExprRef makeGuarded(ValueType type, std::string format, std::string guarded,
                    std::vector<ExprRef> args, Traits has = {});
/// As `makeExpr`, that reduction leaves as it is.
ExprRef makeFixed(ValueType type, std::string format, std::vector<ExprRef> args = {},
                  Shape dims = {}, Traits has = {});
/// A 1 of any type.
ExprRef makeOne(const ValueType &type);
/// Positions of a tensor's elements in memory, row by row.
ExprRef makePositions(const Shape &shape);

struct Stmt {
  enum class Kind { Assign, Unpack, Store, Effect, If, For, While, Return, Break, Continue };
  Kind kind = Kind::Assign;
  std::vector<std::string> names; ///< Assigned names; the loop's variable; names bound by `:=`.
  bool declares = false;          ///< An assignment that makes the name.
  ExprRef value;                  ///< Assigned, stored, condition, or an atomic operation.
  ExprRef mask;     ///< The mask of a store; the condition of an early return. May be null.
  std::string text; ///< The output of a store; the range of a loop; "+" of an assignment `+=`.
  std::vector<Stmt> body, orElse;
  unsigned variant = 0; ///< Which of the printer's forms of a store, branch or loop.
};
constexpr unsigned kWhileForms = 4, kStoreForms = 8;

/// Names in its statements are those of no other function.
struct Helper {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<Stmt> statements;
  std::vector<ExprRef> results;
};

struct Tensor {
  std::string name;
  DType dtype;
  Dim count;             ///< Of an output: elements of one program.
  int64_t fixed = 0;     ///< Of an input or a target of atomics: all elements.
  bool isOutput = false; ///< Compared after the launch.
  bool isAtomic = false; ///< An output whose contents before the launch matter.
  std::string function;  ///< The approximate function, whose bound holds for this output.
  bool isNormal = false; ///< Holds no subnormal numbers before the launch.
  bool isSigns = false;  ///< Holds -1, 0 and 1 alone.
};

struct Kernel {
  uint64_t seed = 0;
  Sizes sizes{};
  bool hasOddSizes() const { return sizes[0].odd > 1 || sizes[1].odd > 1 || sizes[2].odd > 1; }
  unsigned grid = 1, numWarps = 4, numStages = 2;
  bool unaligned = false;
  bool isGuarded = false; ///< Written around the defects of drivers.
  std::vector<Tensor> tensors;
  std::vector<Helper> helpers;
  std::vector<Stmt> body;
};

/// Run-time numbers that each kernel may use: name, dtype, value.
struct Number {
  const char *name, *dtype;
  double value;
};
extern const Number kNumbers[4];

/// The file's text; with `wide`, approximate functions are computed in float64.
std::string print(const Kernel &kernel, bool wide = false);

/// The kernel as a cell of the matrix: its text and those arguments that the text names. With
/// `wide`, outputs of approximate functions are float64.
matrix::Cell makeCell(const Kernel &kernel, bool wide = false);

/// How an output is compared between devices.
matrix::Tolerance getTolerance(const Kernel &kernel, const std::string &output);

/// Statements of a kernel and its helpers, at any depth.
size_t countStatements(const Kernel &kernel);

} // namespace tilerun::property
