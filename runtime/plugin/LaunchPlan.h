// The additions of a kernel's details (TilerunPluginKernelDetails) to its launches: derived
// parameters, clusters, and the grid that is launched instead of the caller's.
#pragma once

#include "runtime/include/tilerun/plugin.h"

#include <string>
#include <vector>

namespace tilerun::plugin {

/// Says what is wrong with the details of a kernel; empty if they can be used. Null is valid.
std::string checkDetails(const TilerunPluginKernelInfo &kernel,
                         const TilerunPluginKernelDetails *details);

/// The details of one of an artifact's kernels, or null.
const TilerunPluginKernelDetails *getDetails(const TilerunPluginArtifact &artifact,
                                             uint32_t kernel);

/// Made once for a loaded kernel, from details that checkDetails has passed. Any thread.
class LaunchPlan {
public:
  static constexpr uint32_t kMostDerived = 16, kMostWords = 256, kMostCluster = 64;

  /// `units`: of the device.
  LaunchPlan(const TilerunPluginKernelInfo &kernel, const TilerunPluginKernelDetails &details,
             uint64_t units);

  /// Programs of a cluster, or blocks, where a program is a cluster.
  uint64_t getClusterSize() const { return uint64_t(cluster[0]) * cluster[1] * cluster[2]; }

  /// Blocks of a program.
  uint32_t getBlocks() const { return ofProgram; }

  /// The memory that a launch points to, for the duration of its call.
  struct Words {
    uint64_t words[kMostWords];
    const uint64_t *derived[kMostDerived];
  };
  /// Why a launch is refused; no reason: it is not.
  struct Refusal {
    std::string reason;
    bool isOfArguments = false; ///< A required number is negative: other code can do it.
    explicit operator bool() const { return !reason.empty(); }
  };
  /// Completes a launch whose arguments are packed and whose grid is the caller's. Allocates
  /// nothing when it succeeds.
  Refusal apply(TilerunPluginLaunch &launch, Words &storage) const;
  /// Whether it may refuse arguments.
  bool hasRequirements() const;

private:
  struct Parameter {
    uint32_t offset, bytes; ///< In the packed arguments.
  };
  struct Derived {
    std::vector<TilerunPluginStep> steps;
    uint32_t numWords;
  };
  /// Whether the steps came to their end.
  Refusal compute(const Derived &parameter, const TilerunPluginLaunch &launch,
                  const uint32_t grid[3], uint64_t *words) const;

  std::vector<Parameter> parameters;
  std::vector<Derived> derived;
  uint32_t cluster[3];
  uint64_t mostBlocks; ///< Maximum at once, of a persistent grid; else 0.
  uint32_t ofProgram;  ///< Blocks of one program.
};

} // namespace tilerun::plugin
