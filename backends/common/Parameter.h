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

} // namespace tilerun::backend
