// An artifact that owns everything it points to: for a plugin to return, and for the runtime to
// keep.
#pragma once

#include "tilerun/plugin.h"

#include <list>
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

  void setBytes(std::string text) { bytes = std::move(text); }
  /// Copies; `more` may be null.
  void addKernel(const TilerunPluginKernelInfo &info,
                 const TilerunPluginKernelDetails *more = nullptr) {
    auto &own = parameters.emplace_back(info.parameters, info.parameters + info.num_parameters);
    for (TilerunPluginParameter &parameter : own)
      parameter.name = keep(parameter.name);
    infos.push_back({sizeof(TilerunPluginKernelInfo), info.num_parameters, keep(info.name),
                     own.data(), info.threads, info.shared_bytes});
    details.push_back(nullptr);
    if (!more)
      return;
    addDetails(infos.size() - 1, *more);
    for (uint32_t i = 0; i < more->num_derived; ++i) {
      const TilerunPluginDerived &from = *more->derived[i];
      addDerived(from.form, {from.steps, from.steps + from.num_steps});
    }
  }
  /// All kernels of another artifact.
  void addKernels(const TilerunPluginArtifact &from) {
    for (uint32_t i = 0; i < from.num_kernels; ++i)
      addKernel(from.kernels[i],
                TILERUN_HAS(TilerunPluginArtifact, &from, details) ? from.details[i] : nullptr);
  }
  /// The numbers of a kernel's details, without derived parameters.
  void addDetails(size_t kernel, const TilerunPluginKernelDetails &from) {
    TilerunPluginKernelDetails &own = keptDetails.emplace_back(from);
    own.struct_size = sizeof(own);
    own.num_derived = 0;
    derivedPointers.emplace_back();
    details[kernel] = &own;
  }
  /// Of the details that were added last.
  void addDerived(const std::string &form, std::vector<TilerunPluginStep> list) {
    const auto &own = steps.emplace_back(std::move(list));
    uint32_t words = 0;
    for (const TilerunPluginStep &step : own)
      words += step.operation == TILERUN_STEP_WORD;
    auto &pointers = derivedPointers.back();
    pointers.push_back(&derived.emplace_back(
        TilerunPluginDerived{sizeof(TilerunPluginDerived), words, keep(form.c_str()), own.data(),
                             static_cast<uint32_t>(own.size()), 0}));
    keptDetails.back().num_derived = static_cast<uint32_t>(pointers.size());
    keptDetails.back().derived = pointers.data();
  }

  /// Lives as long as this object, until the next change.
  const TilerunPluginArtifact &get() {
    artifact = {sizeof(TilerunPluginArtifact),
                static_cast<uint32_t>(infos.size()),
                reinterpret_cast<const uint8_t *>(bytes.data()),
                bytes.size(),
                compatibility.c_str(),
                infos.data(),
                details.data()};
    return artifact;
  }
  /// Passes ownership to the caller of the ABI, who calls `release`.
  static const TilerunPluginArtifact *give(std::unique_ptr<OwnedArtifact> owned) {
    return &owned.release()->get();
  }
  static void release(const TilerunPluginArtifact *artifact) {
    delete reinterpret_cast<OwnedArtifact *>(const_cast<TilerunPluginArtifact *>(artifact));
  }

private:
  const char *keep(const char *text) { return texts.emplace_back(text ? text : "").c_str(); }

  TilerunPluginArtifact artifact = {}; ///< First, because the ABI passes its address around.
  std::string bytes, compatibility;
  std::vector<TilerunPluginKernelInfo> infos;
  std::vector<const TilerunPluginKernelDetails *> details;
  // The pointees; elements of a list keep their addresses.
  std::list<std::string> texts;
  std::list<std::vector<TilerunPluginParameter>> parameters;
  std::list<TilerunPluginKernelDetails> keptDetails;
  std::list<std::vector<const TilerunPluginDerived *>> derivedPointers;
  std::list<TilerunPluginDerived> derived;
  std::list<std::vector<TilerunPluginStep>> steps;
};

} // namespace tilerun::plugin_support
