// See Occupancy.h.
#include "tools/tilerun/toolkit/Occupancy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::toolkit;

static constexpr uint64_t kKiB = 1024;

static constexpr MultiprocessorLimits kLimits[] = {
    {75, 32, 16, 64 * kKiB, 64 * kKiB, 0, 256},
    {80, 64, 32, 164 * kKiB, 163 * kKiB, kKiB, 128},
    {86, 48, 16, 100 * kKiB, 99 * kKiB, kKiB, 128},
    {87, 48, 16, 164 * kKiB, 163 * kKiB, kKiB, 128},
    {89, 48, 24, 100 * kKiB, 99 * kKiB, kKiB, 128},
    {90, 64, 32, 228 * kKiB, 227 * kKiB, kKiB, 128},
    {100, 64, 32, 228 * kKiB, 227 * kKiB, kKiB, 128},
    {103, 64, 32, 228 * kKiB, 227 * kKiB, kKiB, 128},
    {120, 48, 24, 100 * kKiB, 99 * kKiB, kKiB, 128},
};

std::optional<MultiprocessorLimits> toolkit::getLimits(llvm::StringRef arch) {
  unsigned capability = 0;
  if (!arch.consume_front("sm_") || arch.consumeInteger(10, capability))
    return std::nullopt;
  for (const MultiprocessorLimits &limits : kLimits)
    if (limits.capability == capability)
      return limits;
  return std::nullopt;
}

static uint64_t boundBySharedMemory(const MultiprocessorLimits &limits, uint64_t bytesOfProgram) {
  if (bytesOfProgram > limits.programSharedBytes)
    return 0;
  const uint64_t bytes = llvm::alignTo(bytesOfProgram + limits.reservedBytes, limits.sharedUnit);
  return bytes ? limits.sharedBytes / bytes : limits.programs;
}

Occupancy toolkit::computeOccupancy(const MultiprocessorLimits &limits, unsigned threads,
                                    std::optional<uint64_t> registersOfThread,
                                    uint64_t sharedBytesOfProgram) {
  Occupancy result;
  result.maxWarps = limits.warps;
  const uint64_t warps = std::max<uint64_t>(1, llvm::divideCeil(threads, kWarpSize));
  // First: where others tie with it, this one is the limit.
  result.bounds.push_back({"warps", limits.warps / warps});
  if (registersOfThread) {
    const uint64_t ofWarp = llvm::alignTo(*registersOfThread * kWarpSize, kRegisterUnit);
    // Warps are distributed over four parts, each with its own registers.
    result.bounds.push_back(
        {"registers", ofWarp ? kRegistersPerQuarter / ofWarp * 4 / warps : limits.programs});
  }
  result.bounds.push_back({"shared memory", boundBySharedMemory(limits, sharedBytesOfProgram)});
  result.bounds.push_back({"programs", limits.programs});
  const auto *least =
      std::min_element(result.bounds.begin(), result.bounds.end(),
                       [](const auto &a, const auto &b) { return a.programs < b.programs; });
  result.programs = static_cast<unsigned>(least->programs);
  result.warps = static_cast<unsigned>(least->programs * warps);
  result.limiter = least->name;
  return result;
}
