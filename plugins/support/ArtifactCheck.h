// The checks of an artifact that every plugin makes before it reads the kernels.
#pragma once

#include "tilerun/plugin.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace tilerun::plugin_support {

/// Maximum number of parameters of a kernel with derived ones.
constexpr uint32_t kMostWithDerived = 512;

/// Says which part of an artifact cannot be loaded; empty if all can. Kernels and parameters are
/// elements of arrays, so their size is fixed. `forms`: those of derived parameters that the plugin
/// knows.
inline std::string checkKernels(const TilerunPluginArtifact &artifact,
                                std::span<const std::string_view> forms = {}) {
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
    const TilerunPluginKernelDetails *details =
        TILERUN_HAS(TilerunPluginArtifact, &artifact, details) ? artifact.details[i] : nullptr;
    if (!details)
      continue;
    for (uint32_t d = 0; d < details->num_derived; ++d)
      if (std::string form = details->derived[d]->form;
          std::find(forms.begin(), forms.end(), form) == forms.end())
        return what + " has a derived parameter of the form '" + form +
               "', which this plugin does not know";
    if (details->num_derived && info.num_parameters + details->num_derived > kMostWithDerived)
      return what + " has more than " + std::to_string(kMostWithDerived) +
             " parameters, some of which are derived";
  }
  return "";
}

} // namespace tilerun::plugin_support
