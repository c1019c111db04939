// One cell of the matrix of language functions and dtypes: a small kernel in the kernel language,
// its arguments, and how far its results may be from the reference.
//
// Rules of this folder: a cell is data. Its kernel is made from a template by the family's file
// (Elementwise.cpp, Reductions.cpp, …); everything that runs, compares or prints cells treats all
// alike. Tolerances are in Tolerance.cpp alone. Contents of tensors depend on the seed and the
// names only.
#pragma once

#include "frontend/types/DType.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::matrix {

/// How a result is compared; Tolerance.cpp says what each means in numbers.
enum class Rule {
  Bits,    ///< The same bytes.
  Value,   ///< The same bits, but any NaN for a NaN.
  Number,  ///< The same number: also any zero for a zero.
  Ulp,     ///< `bound` units in the last place of the result's dtype, from the wide reference.
  Product, ///< `bound` · epsilon of the norm of the whole result.
};

struct Tolerance {
  Rule rule = Rule::Bits;
  double bound = 0;
  double absolute = 0; ///< Differences up to this are none (fast forms near zero).
};

/// The contents of a tensor before the launch.
struct Fill {
  enum class Kind {
    Any,         ///< Every bit pattern; floats are often special values.
    Finite,      ///< Floats without NaN and infinities; integers as Any.
    Range,       ///< Uniform in [low, high].
    Signs,       ///< -1, 0 and 1 (0 and 1 if unsigned): few values, many ties.
    NonZero,     ///< As Any, without 0 and -1 (as a divisor).
    Shift,       ///< 0 to the dtype's bits less 1.
    Index,       ///< Integers in [low, high).
    Permutation, ///< The numbers 0 to count - 1 in some order.
    Pattern,     ///< Fixed bytes that no kernel writes by chance.
  };
  Kind kind = Kind::Any;
  double low = -1, high = 1;
};

/// A view of a tensor that the host makes, as `TensorDescriptor`s of Triton's.
struct HostDescriptor {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< In elements, without the last one, which is 1.
  std::vector<int64_t> block;
  bool padsWithNan = false;
};

struct TensorArgument {
  std::string name;
  DType type; ///< Of an element.
  int64_t count = 0;
  Fill fill;
  bool isOutput = false; ///< Compared after the launch; inputs must stay as they were.
  bool exact = false;    ///< Compared by Rule::Value whatever the cell's rule is (indices, flags).
  std::optional<HostDescriptor> descriptor = {}; ///< The value that is passed, if not a pointer.
};

/// A number that is passed by value.
struct ScalarArgument {
  std::string name;
  DType type;
  double number = 0; ///< Of a float.
  int64_t integer = 0;
};

struct Cell {
  std::string op;     ///< A row of the page: "add", "atomic_max".
  std::string group;  ///< "elementwise"
  std::string dtype;  ///< A column's entry: "fp16", or "fp32 to i8".
  std::string source; ///< The text of the file, whose kernel is called `kernel`.
  /// The same computation in float64: float arguments are float64 then. Empty if the reference is
  /// the kernel itself.
  std::string wideSource;
  std::vector<TensorArgument> tensors;
  std::vector<ScalarArgument> scalars;
  std::array<uint32_t, 3> grid{1, 1, 1};
  unsigned numWarps = 4, numStages = 2;
  bool debug = false;
  /// Tensors begin one element after a multiple of 256 bytes, and their alignment is not promised.
  bool unaligned = false;
  unsigned variant = 0;
  Tolerance tolerance;

  std::string getId() const {
    return op + "." + dtype + (variant ? "#" + std::to_string(variant) : "");
  }
};

using Cells = std::vector<Cell>;

/// All cells of one variant: other shapes, numbers of warps, alignments.
Cells makeCells(unsigned variant);
constexpr unsigned kNumVariants = 3;

// Families, one file each.
void addElementwise(Cells &cells, unsigned variant);
void addCasts(Cells &cells, unsigned variant);
void addMathematics(Cells &cells, unsigned variant);
void addReductions(Cells &cells, unsigned variant);
void addScans(Cells &cells, unsigned variant);
void addShapes(Cells &cells, unsigned variant);
void addBlocks(Cells &cells, unsigned variant);
void addMemory(Cells &cells, unsigned variant);
void addAtomics(Cells &cells, unsigned variant);
void addDots(Cells &cells, unsigned variant);
void addControl(Cells &cells, unsigned variant);
void addScalars(Cells &cells, unsigned variant);
void addMethods(Cells &cells, unsigned variant);
void addRanks(Cells &cells, unsigned variant);
void addHostDescriptors(Cells &cells, unsigned variant);
void addPairs(Cells &cells, unsigned variant);

//===----------------------------------------------------------------------===//
// Helpers of the families
//===----------------------------------------------------------------------===//

/// Signature names: "fp32", "i8".
using Types = std::vector<std::string>;
extern const Types kSigned, kUnsigned, kIntegers, kFloats, kFp8, kFloatsAndFp8, kNumbers, kAll;

DType type(const std::string &name);
/// "tl.float32"
std::string spell(const std::string &name);

/// Replaces each `$NAME` by its value; a name that is not in the list stays.
std::string fill(std::string text, const std::vector<std::pair<std::string, std::string>> &values);

/// The import lines and `text`.
std::string asFile(const std::string &text);

/// A stable number from a text, for choosing among variants.
uint64_t hashText(const std::string &text);

/// A cell with the common parts set, for further arguments.
Cell makeCell(const std::string &group, const std::string &op, const std::string &dtype,
              unsigned variant, Tolerance tolerance);
void addInput(Cell &cell, const std::string &name, const std::string &dtype, int64_t count,
              Fill fill = {});
void addOutput(Cell &cell, const std::string &name, const std::string &dtype, int64_t count,
               bool exact = false);
/// An output whose contents before the launch matter.
void addInOut(Cell &cell, const std::string &name, const std::string &dtype, int64_t count,
              Fill fill = {});
void addInteger(Cell &cell, const std::string &name, const std::string &dtype, int64_t value);
void addFloat(Cell &cell, const std::string &name, const std::string &dtype, double value);

/// An elementwise kernel `o[i] = EXPRESSION` of x, y, z over a number of elements that is no
/// multiple of anything; the shape of its tile follows from the cell's name and variant.
struct ElementwiseInput {
  std::string dtype;
  Fill fill;
};
Cell makeElementwise(const std::string &group, const std::string &op, const std::string &dtype,
                     unsigned variant, Tolerance tolerance, const std::string &expression,
                     const std::string &resultType, const std::vector<ElementwiseInput> &inputs,
                     const std::string &wideExpression = "");

/// The same of one element a program, loaded as scalars.
Cell makeScalar(const std::string &group, const std::string &op, const std::string &dtype,
                unsigned variant, Tolerance tolerance, const std::string &expression,
                const std::string &resultType, const std::vector<ElementwiseInput> &inputs,
                const std::string &wideExpression = "");

/// The common start of families of cells that are one expression.
struct Family {
  Cells &cells;
  unsigned variant;
  const char *group;

  void add(const std::string &op, const std::string &dtype, Tolerance tolerance,
           const std::string &expression, const std::string &result,
           const std::vector<ElementwiseInput> &inputs, const std::string &wide = "") {
    cells.push_back(
        makeElementwise(group, op, dtype, variant, tolerance, expression, result, inputs, wide));
  }
  void addScalar(const std::string &op, const std::string &dtype, Tolerance tolerance,
                 const std::string &expression, const std::string &result,
                 const std::vector<ElementwiseInput> &inputs, const std::string &wide = "") {
    cells.push_back(
        makeScalar(group, op, dtype, variant, tolerance, expression, result, inputs, wide));
  }
};

/// Functions of one float that have other spellings than the plain call, and their operands.
struct PlainFunction {
  std::string name;
  Fill fill;
};
extern const std::vector<PlainFunction> kPlainFunctions;

/// A kernel over one tensor x, of a shape with powers of two: `body` makes r, of `resultCount`
/// elements in any shape, from x, and from y, of the same shape, if `second` has a dtype.
struct WholeTensor {
  std::string group = "", op = "", dtype = "", resultType = "";
  std::vector<int> shape = {};
  std::string body = "";
  int resultCount = 0;
  Tolerance tolerance = {};
  Fill fill = {};
  std::string helper = "";
  bool wide = false;
  std::string second = "";
  Fill secondFill = {};
};
Cell makeWholeTensor(unsigned variant, const WholeTensor &form);

} // namespace tilerun::matrix
