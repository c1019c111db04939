// What every plugin checks of an artifact before it reads its kernels.
#pragma once

#include "runtime/include/tilerun/plugin.h"

#include <string>

namespace tilerun::plugin_support {

/// Kernels and parameters are elements of arrays, so their size is fixed. Empty, or what has
/// another one.
inline std::string checkKernelSizes(const TilerunPluginArtifact &artifact) {
  auto refuse = [](const std::string &what, uint32_t size, size_t ours) {
    return what + " has the struct_size " + std::to_string(size) + ", not " + std::to_string(ours) +
           ", which is fixed";
  };
  for (uint32_t i = 0; i < artifact.num_kernels; ++i) {
    const TilerunPluginKernelInfo &info = artifact.kernels[i];
    const std::string what = "kernel " + std::to_string(i) + " of the artifact";
    if (info.struct_size != sizeof(info))
      return refuse(what, info.struct_size, sizeof(info));
    for (uint32_t p = 0; p < info.num_parameters; ++p)
      if (uint32_t size = info.parameters[p].struct_size; size != sizeof(*info.parameters))
        return refuse("parameter " + std::to_string(p) + " of " + what, size,
                      sizeof(*info.parameters));
  }
  return "";
}

} // namespace tilerun::plugin_support
