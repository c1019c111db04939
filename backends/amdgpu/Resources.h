// What a code object says of its kernel: registers, memory, spills.
#pragma once

#include "backends/amdgpu/Target.h"

#include "llvm/ADT/StringRef.h"

namespace tilerun::amdgpu {

/// Of one kernel, from the code object's note. Registers are those of one lane, `scalarRegisters`
/// of a wave; sizes are bytes.
struct Resources {
  std::string kernel;
  unsigned vectorRegisters = 0; ///< Of both files together, as they are allocated.
  unsigned accumulationRegisters = 0;
  unsigned scalarRegisters = 0;
  unsigned vectorSpills = 0, scalarSpills = 0; ///< In registers.
  uint64_t sharedBytes = 0;                    ///< Of a program.
  uint64_t scratchBytes = 0;                   ///< Of a lane.
  uint64_t argumentBytes = 0;
  unsigned maxThreads = 0; ///< Of a program.
  unsigned waveSize = 0;
  uint64_t codeBytes = 0;
};

/// An error if the bytes are not a code object with one kernel.
llvm::Expected<Resources> readResources(llvm::StringRef codeObject);

/// One line for each, and the waves of a SIMD that they allow.
std::string toText(const Resources &resources, const Architecture &arch);

/// The same as one object of JSON. `registers` are those of both files; sizes are bytes.
std::string toJson(const Resources &resources, const Architecture &arch);

} // namespace tilerun::amdgpu
