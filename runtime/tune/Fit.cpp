// See Fit.h.
#include "runtime/tune/Fit.h"

#include <algorithm>
#include <bit>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;

// A device with larger warps may run its kernels in warps of 32 threads all the same (Vulkan's
// subgroups), so that this many is certain.
static constexpr uint64_t kMostCertainLanes = 32;

static Status checkThreads(const core::Device &device, const Config &config) {
  const uint64_t lanes =
      std::min(device.getNumber(TILERUN_DEVICE_PROPERTY_WARP_SIZE, 1), kMostCertainLanes);
  // The interpreter's programs have one thread, whatever the number of warps is.
  if (lanes < 2)
    return {};
  const uint64_t most = device.getLimits().maxThreads, threads = config.options.num_warps * lanes;
  if (threads <= most)
    return {};
  return Status::invalid(
      "kernel '" + config.kernel->getName() + "' would have " + std::to_string(threads) +
      " threads in a program with num_warps=" + std::to_string(config.options.num_warps) + "; " +
      device.getId() + " takes " + std::to_string(most) + " at most: use num_warps=" +
      std::to_string(std::max<uint64_t>(std::bit_floor(most / lanes), 1)) + " or less");
}

Status tune::checkFit(const core::Device &device, const Config &config) {
  std::string signature;
  TILERUN_TRY(config.kernel->describe(config.arguments, config.numArguments, signature));
  TILERUN_TRY(device.checkGrid(config.kernel->getName(), config.grid));
  return checkThreads(device, config);
}
