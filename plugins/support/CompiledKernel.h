// What a backend's artifact says of its kernel, in the words of the ABI. Needs no header of a
// backend.
#pragma once

#include "plugins/support/OwnedArtifact.h"

namespace tilerun::plugin_support {

/// The ABI's description of a backend's parameter (backends/common/Parameter.h), whose name must
/// outlive it.
template <typename Parameter> TilerunPluginParameter describeParameter(const Parameter &parameter) {
  using Kind = typename Parameter::Kind;
  const auto kind = parameter.kind == Kind::Pointer ? TILERUN_ARGUMENT_POINTER
                    : parameter.kind == Kind::Float ? TILERUN_ARGUMENT_FLOAT
                                                    : TILERUN_ARGUMENT_INTEGER;
  return {sizeof(TilerunPluginParameter), static_cast<uint16_t>(kind),
          static_cast<uint16_t>(parameter.bits), parameter.name.c_str()};
}

/// Adds the kernel of a backend's artifact: its name, parameters, threads and shared memory.
template <typename Compiled>
void addCompiledKernel(OwnedArtifact &owned, const Compiled &compiled) {
  std::vector<TilerunPluginParameter> parameters;
  parameters.reserve(compiled.parameters.size());
  for (const auto &parameter : compiled.parameters)
    parameters.push_back(describeParameter(parameter));
  owned.addKernel({sizeof(TilerunPluginKernelInfo), static_cast<uint32_t>(parameters.size()),
                   compiled.kernel.c_str(), parameters.data(), compiled.numThreads,
                   static_cast<uint32_t>(compiled.sharedBytes)});
}

} // namespace tilerun::plugin_support
