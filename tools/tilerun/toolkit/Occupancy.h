// How many programs one multiprocessor of an NVIDIA GPU can hold at once, from what each needs.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tilerun::toolkit {

/// Limits of a multiprocessor. Source: CUDA C++ Programming Guide 13.0, "Compute Capabilities",
/// table "Technical Specifications per Compute Capability"; allocation units: CUDA Occupancy
/// Calculator of Nsight Compute 2025.
struct MultiprocessorLimits {
  unsigned capability; ///< 90 for sm_90 and sm_90a.
  unsigned warps;
  unsigned programs;
  uint64_t sharedBytes;        ///< Of the multiprocessor.
  uint64_t programSharedBytes; ///< Of one program.
  uint64_t reservedBytes;      ///< Reserved by the system in each program's shared memory.
  uint64_t sharedUnit;         ///< Granularity of shared memory.
};
constexpr unsigned kRegistersPerQuarter = 16384; ///< A multiprocessor has four parts.
constexpr unsigned kRegisterUnit = 256;          ///< Granularity of a warp's registers.
constexpr unsigned kWarpSize = 32;

/// The limits of "sm_90a"; nothing for an architecture that is not in the table.
std::optional<MultiprocessorLimits> getLimits(llvm::StringRef arch);

struct Occupancy {
  /// How many programs one resource alone allows.
  struct Bound {
    llvm::StringRef name; ///< "registers", "shared memory", "warps" or "programs".
    uint64_t programs;
  };
  llvm::SmallVector<Bound, 4> bounds;
  unsigned programs = 0; ///< That a multiprocessor holds at once; 0: not even one.
  unsigned warps = 0;    ///< Of these.
  unsigned maxWarps = 0;
  llvm::StringRef limiter; ///< The bound that is the least.
};
/// Without registers, at most what the other resources allow.
Occupancy computeOccupancy(const MultiprocessorLimits &limits, unsigned threads,
                           std::optional<uint64_t> registersOfThread,
                           uint64_t sharedBytesOfProgram);

} // namespace tilerun::toolkit
