// What `tilerun tune` measured, and the forms that it is shown in.
#pragma once

#include "runtime/tune/Tuner.h"
#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/picture/HeatMap.h"

namespace tilerun::command {

struct TuneReport {
  struct Way {
    std::string text; ///< As the command line or the source has it.
    /// What it sets, by name: "BLOCK", "num_warps".
    std::vector<std::pair<std::string, std::string>> settings;
  };
  std::string kernel, device;
  bool isHost = false; ///< The device's kernels run on the host's cores.
  std::vector<Way> ways;
  tune::Result result; ///< Without measurements if the choice was kept.
};

/// What the ways of a report differ in, with all values of each: integers in their order, others as
/// they come. A way that does not set it has the value "-".
struct TuneAxis {
  std::string name;
  std::vector<std::string> values;
};
std::vector<TuneAxis> listAxes(const TuneReport &report);

/// The fastest of the ways that share the values of two axes. `axes` is X,Y or X, or empty: the two
/// with the most values. An error if it was not given such axes.
llvm::Expected<picture::HeatMap> makeHeatMap(const TuneReport &report, llvm::StringRef axes);

void print(llvm::raw_ostream &os, const TuneReport &report);
void writeCsv(llvm::raw_ostream &os, const TuneReport &report);
llvm::json::Object toJson(const TuneReport &report);

} // namespace tilerun::command
