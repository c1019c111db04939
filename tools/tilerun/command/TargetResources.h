// Registers, shared memory, spills and occupancy of a kernel's code for one target: from the
// compiler, from ptxas, or from a device's driver.
#pragma once

#include "runtime/plugin/LaunchPlan.h"
#include "runtime/plugin/Plugin.h"
#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/picture/OccupancyPicture.h"
#include "tools/tilerun/toolkit/Occupancy.h"
#include "tools/tilerun/toolkit/Toolkit.h"

namespace tilerun::command {

/// A plugin's output for one target.
struct TargetCode {
  std::string target;
  std::string code; ///< The phase that --emit names.
  std::string kernel;
  unsigned threads = 0;            ///< Of one block.
  uint64_t dynamicSharedBytes = 0; ///< Of one block.
  unsigned blocks = 1;             ///< Of one program.

  /// Reads these numbers of the only kernel of an artifact.
  void setNumbers(const TilerunPluginArtifact &artifact);
};

/// Registers, shared memory, spills and occupancy of one target's code, as far as they are known.
struct ResourceReport {
  /// "ptxas release 13.0, V13.0.88", "device cuda:0", "code object"; empty: nothing is known.
  std::string source;
  std::string missing;      ///< Why nothing is known.
  bool isAssembled = false; ///< By the toolkit, from PTX.
  toolkit::KernelResources resources;
  bool spillsKnown = false; ///< A driver reports local memory only.
  std::optional<toolkit::Occupancy> occupancy;
  /// From the compiler's phase "resources-json", which has read the code: all that is known.
  std::optional<llvm::json::Object> ofCode;
};

/// `ptx`: assembled if it is not empty; else a device of the target is asked.
ResourceReport makeReport(const std::shared_ptr<const plugin::Plugin> &plugin,
                          const TargetCode &code, llvm::StringRef ptx,
                          const TilerunPluginArtifact &artifact, bool lineInfo);
/// From a compiler's phase "resources-json".
llvm::Expected<ResourceReport> readReport(llvm::StringRef text);

llvm::json::Value resourcesToJson(const TargetCode &code, const ResourceReport &report);
/// One line.
void printResources(llvm::raw_ostream &os, const TargetCode &code, const ResourceReport &report);
/// What limits how many programs run at once, as far as it is known; nothing for a target whose
/// limits are not.
std::optional<picture::Occupancy> getOccupancy(const TargetCode &code,
                                               const ResourceReport &report);

} // namespace tilerun::command
