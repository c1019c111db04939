// Mathematical functions as IEEE operations, for any target that has them: +, -, *, /, fma, sqrt,
// trunc, integer arithmetic, selects and, for huge arguments, a branch. Nothing here knows of a
// device; a backend adds its own instructions by patterns of higher benefit and by Options.
//
// Rules: results are accurate forms, with the errors that docs/math.md lists and
// tests/ir/math measures. The created operations must be carried out as they stand: a backend may
// contract only operations that have the flag `contract`, which these do not have.
#pragma once

#include "ir/math/Calculator.h"

#include "mlir/IR/PatternMatch.h"

namespace tilerun::mathx {

struct ExpansionOptions {
  /// What math.fma becomes: it stays, or +, - and · on float64 or on the type itself.
  enum class Fma { Stays, ThroughFloat64, ByParts };
  Fma fmaSingle = Fma::Stays;
  Fma fmaWide = Fma::Stays; ///< Of float64: not ThroughFloat64.
  /// Of 16-bit floats: rounded to odd in float64, or ByParts in float32, and then once to the type.
  /// One with the flag `contract` stays, as a product and a sum are good enough for it.
  Fma fmaHalf = Fma::Stays;
  Fma fmaBFloat16 = Fma::Stays;
  /// arith.divf and math.sqrt without `afn` become ones with it, which are close, and corrections.
  bool correctsDivision = false;
  /// Functions of vectors of float64 go from element to element in a loop: where operations are
  /// emulated, code for each element would take long to compile.
  bool loopsOverFloat64 = false;
  /// Instructions that expansions of float32 start from. With them a function's bits are the
  /// device's own; without them they are the same everywhere.
  Estimates estimates;
};

/// Patterns that replace the math dialect's functions and arith.remf on scalars and one-dimensional
/// vectors of float32 and float64; 16-bit floats go through float32. These ops stay: absf, ceil,
/// copysign, floor, fma, is…, round, roundeven, sqrt, trunc, and what works on integers.
void populateMathExpansions(mlir::RewritePatternSet &patterns, ExpansionOptions options = {});

/// Those of `fmaHalf` and `fmaBFloat16` alone, which populateMathExpansions includes.
void populateNarrowMultiplyAdd(mlir::RewritePatternSet &patterns, const ExpansionOptions &options);

} // namespace tilerun::mathx
