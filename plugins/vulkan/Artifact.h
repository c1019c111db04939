// Artifacts: SPIR-V with the data for making pipelines from it, in a container of this plugin's
// own, and the form in which the host gets them.
//
// The container: "tilerunV", version, length and checksum, then the content (Artifact.cpp). A
// reader trusts nothing before the checksum is right, and no length even then.
#pragma once

#include "backends/common/DebugBuffer.h"
#include "plugins/support/OwnedArtifact.h"
#include "plugins/support/PackedArguments.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace vulkan {

/// One kernel of a module.
struct KernelCode {
  struct Parameter {
    std::string name; ///< "" where it is not known.
    uint16_t kind = TILERUN_ARGUMENT_INTEGER;
    uint16_t bits = 32;
    bool operator==(const Parameter &) const = default;
    static Parameter make(const TilerunPluginParameter &given) {
      return {given.name, given.kind, given.bits};
    }
  };
  enum Flag : uint32_t {
    kParameterBlock = 1, ///< Push constants hold the address of the arguments, not the arguments.
    kDebugBuffer = 2,    ///< It prints or asserts.
    kFaults = 4,         ///< It is there to write to wild addresses.
  };

  std::string name;  ///< The kernel's, which a launch asks for.
  std::string entry; ///< The entry point's in the module.
  uint32_t threads = 1;
  uint32_t subgroupSize = 0; ///< That it was compiled for; 0: any will do.
  uint32_t sharedBytes = 0;
  uint32_t flags = 0;
  std::vector<Parameter> parameters;

  bool has(Flag flag) const { return flags & flag; }
  /// Size of the packed arguments.
  uint64_t getPackedBytes() const { return tilerun::plugin_support::getPackedBytes(parameters); }
  bool operator==(const KernelCode &) const = default;
};

struct ArtifactContent {
  std::vector<KernelCode> kernels;
  /// The kernel's prints and assertions, by the number in records. Not empty if a kernel has
  /// kDebugBuffer.
  std::vector<tilerun::backend::DebugSite> debugSites;
  std::vector<uint32_t> code;    ///< SPIR-V
  std::vector<uint8_t> pipeline; ///< The driver's own data for its pipeline cache, or empty.
};

std::vector<uint8_t> encodeArtifact(const ArtifactContent &content);
/// An error says what is wrong with the bytes.
llvm::Expected<ArtifactContent> decodeArtifact(llvm::ArrayRef<uint8_t> bytes);

/// The object that release_artifact frees, with the bytes of the content.
using tilerun::plugin_support::OwnedArtifact;
const TilerunPluginArtifact *giveArtifact(const ArtifactContent &content,
                                          std::string compatibility);
/// With bytes that are not code: text to look at.
const TilerunPluginArtifact *giveArtifact(const std::vector<KernelCode> &kernels, std::string bytes,
                                          std::string compatibility);

} // namespace vulkan
