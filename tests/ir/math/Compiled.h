// An op of the math or arith dialect, expanded by ir/math, compiled for the host by LLVM's JIT and
// run on arrays: the same IEEE operations that a GPU carries out.
#pragma once

#include "ir/math/Calculator.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace tilerun::harness {

/// The error of a device's instructions (mathx::Estimates): none, since it has no such
/// instructions; the maximum, in one direction; a part of it that depends on the argument; a part
/// of the error measured on an H200; that of a device's own (Tables.h).
enum class Errors { None, Above, Below, Mixed, Measured, Tables };

class CompiledOp {
public:
  using Composed = mathx::Real (*)(mathx::Real, mathx::Real);
  struct Options {
    Errors estimates = Errors::None;
    /// Ops from before the expansion may be contracted, as a GPU backend does.
    bool contract = false;
    /// The ops that `composed` builds have kRoundedAttr, as those of the frontend have.
    bool rounded = true;
  };
  /// `op` as in "math.exp", on "f32" or "f64"; or what `composed` builds.
  static llvm::Expected<std::unique_ptr<CompiledOp>> compile(llvm::StringRef op, Composed composed,
                                                             llvm::StringRef type,
                                                             unsigned operands, Options options);
  ~CompiledOp();

  /// False if estimates were offered and the expansion takes none: then it is not compiled, because
  /// it equals the one without them.
  bool usesEstimates() const { return function != nullptr; }

  /// Elements come in groups of kGroup; arrays are multiples of that.
  static constexpr size_t kGroup = 16;
  template <class F> void run(const F *a, const F *b, F *result, size_t count) const {
    for (size_t i = 0; i < count; i += kGroup)
      function(a + i, b + i, result + i);
  }
  template <class F> std::vector<F> run(const std::vector<F> &a, const std::vector<F> &b) const {
    const size_t whole = (a.size() + kGroup - 1) / kGroup * kGroup;
    std::vector<F> x = a, y = b.empty() ? a : b, result(whole);
    x.resize(whole, F(1));
    y.resize(whole, F(1));
    run(x.data(), y.data(), result.data(), whole);
    result.resize(a.size());
    return result;
  }

private:
  CompiledOp() = default;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*function)(const void *, const void *, void *) = nullptr;
};

} // namespace tilerun::harness
