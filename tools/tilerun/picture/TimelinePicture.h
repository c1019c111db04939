// The timeline of a kernel's pipelined loops (ir/schedule/Timeline.h) as an image: a row for each
// iteration, from the copies into its slot until the slot is free.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace tilerun::picture {

struct Timeline {
  std::vector<std::string> roles;
  struct Channel {
    std::string title;     ///< "loop at line 21: 3 slots of 64x32xf16, copies = chunks"
    size_t iterations = 0; ///< All; only the first ones are passes.
  };
  std::vector<Channel> channels;
  struct Pass {
    size_t channel = 0;
    int64_t iteration = 0, slot = 0;
    size_t producer = 0, consumer = 0;         ///< Roles.
    int64_t copied = 0, read = -1, freed = -1; ///< Times; -1: never.
  };
  std::vector<Pass> passes;
  int64_t trips = 0;
};

/// The phase "timeline-json" of a compiler.
llvm::Expected<Timeline> readTimeline(llvm::StringRef json);
void writeSvg(llvm::raw_ostream &os, const Timeline &timeline);

} // namespace tilerun::picture
