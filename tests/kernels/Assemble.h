// ptxas, where it is installed.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilerun::test {

/// Where ptxas is; empty if it is not installed.
const std::string &findPtxas();
/// The messages of ptxas about the text; empty if it accepts it.
std::string assemble(const std::string &ptx, const std::string &arch);
/// Whether ptxas is there and assembles for the architecture.
bool knows(llvm::StringRef arch);

} // namespace tilerun::test
