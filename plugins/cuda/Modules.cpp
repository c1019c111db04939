// Modules and launches. The driver compiles PTX in this process; its log is part of the error.
#include "plugins/cuda/Device.h"
#include "plugins/cuda/Jit.h"
#include "plugins/support/Environment.h"

#include <cstdio>

using namespace cuda;

// Compatibility strings: "cuda:ptx-8.0:sm_80" runs on 8.0 and later, "…:sm_90a" on 9.0 alone, and
// "cuda:sass:sm_90" on 9.x from there. The results of finalize_artifact end in ":driver-…", and are
// valid for that driver only.
std::string Device::checkCompatibility(const std::string &text) const {
  int major = 0, minor = 0, number = 0, end = 0;
  bool ptx =
      std::sscanf(text.c_str(), "cuda:ptx-%2d.%2d:sm_%4d%n", &major, &minor, &number, &end) == 3 &&
      end > 0;
  if (!ptx && (std::sscanf(text.c_str(), "cuda:sass:sm_%4d%n", &number, &end) != 1 || end <= 0))
    return "this plugin takes cuda:ptx-VERSION:sm_NUMBER and cuda:sass:sm_NUMBER";
  std::string suffix = text.substr(static_cast<size_t>(end));
  if (size_t driver = suffix.find(":driver-"); !ptx && driver != std::string::npos) {
    if (text != binaryCompatibility)
      return "this device and its driver take '" + binaryCompatibility + "'";
    suffix.resize(driver);
  }
  if (suffix != "" && suffix != "a")
    return "the architecture has an unknown suffix '" + suffix + "'";
  bool runs = suffix == "a" ? capability == number
              : ptx         ? capability >= number
                            : capability >= number && capability / 10 == number / 10;
  if (!runs)
    return "the device is sm_" + std::to_string(capability);
  // PTX 7 came with CUDA 11, 8 with 12, 9 with 13.
  if (ptx && major + 4 > driver.version / 1000)
    return "the driver is for CUDA " + driverVersion + " and takes PTX up to " +
           std::to_string(driver.version / 1000 - 4) + ".x";
  return "";
}

Outcome Device::loadModule(CUmodule &module, const TilerunPluginArtifact &artifact,
                           std::string &detail) const {
  // The driver reads PTX up to a NUL, which the artifact's bytes need not have.
  std::string image(reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes);
  JitOptions options(image, isFinal(artifact.compatibility));
  const CUresult error = driver.cuModuleLoadDataEx(&module, image.data(), options.getCount(),
                                                   options.getNames(), options.getValues());
  if (error)
    detail = options.describeLog(image);
  return {error, "cuModuleLoadDataEx(&handle, image, …)"};
}

Outcome Device::getSharedLimit(CUfunction function, uint32_t &fixed, uint32_t &most) const {
  // Shared memory beyond this must be requested once per function.
  constexpr uint32_t kPlainSharedBytes = 48 << 10;
  int bytes = 0;
  Outcome outcome = CU(cuFuncGetAttribute(&bytes, kFunctionSharedBytes, function));
  fixed = static_cast<uint32_t>(std::max(bytes, 0));
  most = kPlainSharedBytes - std::min(fixed, kPlainSharedBytes);
  return outcome;
}

bool Device::launchesWait() {
  static const bool waits = isSwitchedOn("CUDA_LAUNCH_BLOCKING");
  return waits;
}

// A launch that may begin before the previous grid has ended, or that has clusters.
Outcome Device::launchExtended(CUfunction function, const LaunchCall &call, CUstream stream,
                               void **extra) const {
  const TilerunPluginLaunch &launch = call.launch;
  CUlaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (call.overlap && overlapsGrids) {
    attributes[count].id = kProgrammaticStreamSerialization;
    attributes[count++].value.number = 1;
  }
  if (call.cluster[0] * call.cluster[1] * call.cluster[2] > 1) {
    attributes[count].id = kClusterDimension;
    std::copy(call.cluster, call.cluster + 3, attributes[count++].value.cluster);
  }
  CUlaunchConfig config = {
      launch.grid[0],      launch.grid[1], launch.grid[2], launch.threads, 1, 1,
      launch.shared_bytes, stream,         attributes,     count};
  return {driver.cuLaunchKernelEx(&config, function, call.parameters, extra),
          "cuLaunchKernelEx(config, function, …)"};
}
