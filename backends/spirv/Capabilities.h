// Which capabilities a serialized module has to declare.
#pragma once

#include "backends/spirv/Target.h"
#include "backends/spirv/Words.h"

#include <set>

namespace tilerun::spirvbackend {

/// A capability's number, and the extension that brings it if SPIR-V 1.6 does not have it.
struct Capability {
  uint32_t number;
  const char *extension = nullptr;
  bool operator<(const Capability &other) const { return number < other.number; }
};

/// What a module uses, from its types and instructions. The error names what the target lacks.
llvm::Expected<std::set<Capability>> findCapabilities(llvm::ArrayRef<serialized::Instruction> list,
                                                      const Target &target);

} // namespace tilerun::spirvbackend
