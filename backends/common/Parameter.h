// A parameter of a compiled kernel, as needed to launch it.
#pragma once

#include <string>
#include <vector>

namespace tilerun::backend {

struct KernelParameter {
  enum class Kind { Pointer, Integer, Float };
  std::string name; ///< As in the source; empty if unknown.
  Kind kind = Kind::Integer;
  unsigned bits = 32;
};

/// A parameter behind those of the source, which the host makes at each launch: `form` says what to
/// make of the words that its steps give. Steps work on a stack of 64-bit integers that wrap.
struct DerivedParameter {
  struct Step {
    enum class Kind { Constant, Argument, Grid, Add, Subtract, Multiply, Word, Require };
    /// Pushes; combines the two numbers on top; or pops: the next word, or a number without which
    /// the launch is not one for this code, if it is negative.
    Kind kind;
    int64_t value = 0; ///< A constant, the number of an argument, or an axis of the caller's grid.
    bool operator==(const Step &) const = default;
  };
  std::string form;
  std::vector<Step> steps;
};

} // namespace tilerun::backend
