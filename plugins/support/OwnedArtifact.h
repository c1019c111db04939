// An artifact that owns everything it points to, for a plugin to return.
#pragma once

#include "tilerun/plugin.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tilerun::plugin_support {

class OwnedArtifact {
public:
  OwnedArtifact(std::string bytes, std::string compatibility)
      : bytes(std::move(bytes)), compatibility(std::move(compatibility)) {}
  OwnedArtifact(const OwnedArtifact &) = delete;
  OwnedArtifact &operator=(const OwnedArtifact &) = delete;

  /// Copies; `more` may be null.
  void addKernel(const TilerunPluginKernelInfo &info,
                 const TilerunPluginKernelDetails *more = nullptr) {
    auto &own = parameters.emplace_back(info.parameters, info.parameters + info.num_parameters);
    for (TilerunPluginParameter &parameter : own)
      parameter.name = keep(parameter.name);
    infos.push_back({sizeof(TilerunPluginKernelInfo), info.num_parameters, keep(info.name),
                     own.data(), info.threads, info.shared_bytes});
    details.push_back(more ? keep(*more) : nullptr);
  }
  /// All kernels of another artifact.
  void addKernels(const TilerunPluginArtifact &from) {
    for (uint32_t i = 0; i < from.num_kernels; ++i)
      addKernel(from.kernels[i],
                TILERUN_HAS(TilerunPluginArtifact, &from, details) ? from.details[i] : nullptr);
  }

  /// Passes ownership to the caller of the ABI, who calls `release`.
  static const TilerunPluginArtifact *give(std::unique_ptr<OwnedArtifact> owned) {
    owned->artifact = {sizeof(TilerunPluginArtifact),
                       static_cast<uint32_t>(owned->infos.size()),
                       reinterpret_cast<const uint8_t *>(owned->bytes.data()),
                       owned->bytes.size(),
                       owned->compatibility.c_str(),
                       owned->infos.data(),
                       owned->details.data()};
    return &owned.release()->artifact;
  }
  static void release(const TilerunPluginArtifact *artifact) {
    delete reinterpret_cast<OwnedArtifact *>(const_cast<TilerunPluginArtifact *>(artifact));
  }

private:
  const char *keep(const char *text) { return texts.emplace_back(text ? text : "").c_str(); }
  const TilerunPluginKernelDetails *keep(const TilerunPluginKernelDetails &from) {
    auto &pointers = derivedPointers.emplace_back();
    for (uint32_t i = 0; i < from.num_derived; ++i) {
      const TilerunPluginDerived &parameter = *from.derived[i];
      auto &own = steps.emplace_back(parameter.steps, parameter.steps + parameter.num_steps);
      pointers.push_back(&derived.emplace_back(parameter));
      derived.back().form = keep(parameter.form);
      derived.back().steps = own.data();
    }
    TilerunPluginKernelDetails &kept = keptDetails.emplace_back(from);
    kept.derived = pointers.data();
    return &kept;
  }

  TilerunPluginArtifact artifact = {}; ///< First, because the ABI passes its address around.
  std::string bytes, compatibility;
  std::vector<TilerunPluginKernelInfo> infos;
  std::vector<const TilerunPluginKernelDetails *> details;
  // The pointees; elements of a deque keep their addresses.
  std::deque<std::string> texts;
  std::deque<std::vector<TilerunPluginParameter>> parameters;
  std::deque<TilerunPluginKernelDetails> keptDetails;
  std::deque<std::vector<const TilerunPluginDerived *>> derivedPointers;
  std::deque<TilerunPluginDerived> derived;
  std::deque<std::vector<TilerunPluginStep>> steps;
};

} // namespace tilerun::plugin_support
