// Values that --vary names: lists and ranges, and their combinations.
#pragma once

#include "tools/tilerun/command/Session.h"

namespace tilerun::command {

struct Sweep {
  std::string name;
  std::vector<std::string> values; ///< Texts, as after NAME=.
};

/// NAME=A,B,… where an element may be a range FIRST:LAST:STEP of integers with both ends: a STEP of
/// *K multiplies, one of +K or K adds. `option` is for messages.
llvm::Expected<Sweep> parseSweep(Session &session, llvm::StringRef text, llvm::StringRef option);

/// NAME=VALUE of each sweep, in all combinations, the last one changing fastest.
llvm::Expected<std::vector<std::vector<std::string>>> getProduct(llvm::ArrayRef<Sweep> sweeps,
                                                                 llvm::StringRef option);

} // namespace tilerun::command
