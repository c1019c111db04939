// NVIDIA architectures: their names, features, and the table of matrix instructions that
// distribution and the lowering use.
#pragma once

#include "ir/target/TargetInfo.h"
#include "llvm/Support/Error.h"

namespace tilerun::nvptx {

struct Architecture {
  unsigned number = 80;     ///< 75 … 120
  std::string name;         ///< "sm_90a"
  unsigned defaultPtx = 70; ///< Lowest PTX version, times ten, that has what is used here.
  target::TargetInfo info;
};

/// From "sm_80" or "cuda:sm_80". An error lists what exists.
llvm::Expected<Architecture> getArchitecture(llvm::StringRef name);

} // namespace tilerun::nvptx
