// Facts about the kernels of a module, from its artifact.
#pragma once

#include "plugins/support/PackedArguments.h"

#include <string>
#include <vector>

namespace tilerun::plugin_support {

class ModuleTable {
public:
  struct Entry {
    std::string name;
    uint64_t packedBytes;
    uint32_t sharedBytes;
    std::vector<uint32_t> offsets; ///< Of the packed arguments.
    /// A derived parameter: its words, or what its form makes of them.
    struct Derived {
      uint32_t numWords;
      bool isTensorMap; ///< Of the form "tensor-map".
    };
    std::vector<Derived> derived;
  };

  explicit ModuleTable(const TilerunPluginArtifact &artifact) {
    for (uint32_t i = 0; i < artifact.num_kernels; ++i) {
      const TilerunPluginKernelInfo &info = artifact.kernels[i];
      Entry &entry = entries.emplace_back(Entry{info.name, 0, info.shared_bytes, {}, {}});
      entry.packedBytes =
          getPackedBytes(std::span(info.parameters, info.num_parameters), &entry.offsets);
      const TilerunPluginKernelDetails *details =
          TILERUN_HAS(TilerunPluginArtifact, &artifact, details) ? artifact.details[i] : nullptr;
      for (uint32_t d = 0; details && d < details->num_derived; ++d)
        entry.derived.push_back({details->derived[d]->num_words,
                                 std::string_view(details->derived[d]->form) == "tensor-map"});
    }
  }
  /// Null if the artifact does not describe it.
  const Entry *find(const char *name) const {
    for (const Entry &entry : entries)
      if (entry.name == name)
        return &entry;
    return nullptr;
  }
  /// For the error about an unknown name.
  std::string describe(const char *wanted) const {
    std::string known;
    for (const Entry &entry : entries)
      known += (known.empty() ? "'" : ", '") + entry.name + "'";
    return std::string("kernel '") + wanted + "' was requested, the module has " +
           (known.empty() ? "no list of its kernels" : known);
  }

private:
  std::vector<Entry> entries;
};

} // namespace tilerun::plugin_support
