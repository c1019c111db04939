// How many warps run at once on a part of a device, and what limits it, as an image.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilerun::picture {

struct Occupancy {
  std::string unit; ///< "warps of a multiprocessor"
  uint64_t have = 0, most = 0;
  std::string limiter; ///< The name of a bound.
  struct Bound {
    std::string name;  ///< "registers"
    std::string needs; ///< "60 of a thread"
    uint64_t allows;   ///< If nothing else limited it; may be more than `most`.
  };
  std::vector<Bound> bounds;
  std::string missing; ///< What is not known; empty: nothing.
};

void writeSvg(llvm::raw_ostream &os, const Occupancy &occupancy);

} // namespace tilerun::picture
