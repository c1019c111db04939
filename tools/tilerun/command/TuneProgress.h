// What `tilerun tune` says on stderr while it runs.
#pragma once

#include "runtime/tune/Tuner.h"
#include "tools/tilerun/command/CommandLine.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>
#include <vector>

namespace tilerun::command {

/// "3 of 12, best 0.0123 ms (BLOCK=64), about 4 s left"
std::string describeProgress(const tune::Progress &progress,
                             const std::vector<std::string> &configs);

/// One line that is rewritten, lines as time passes, a line or a JSON object for each
/// configuration, or nothing. For one thread.
class TuneProgress {
public:
  TuneProgress(llvm::raw_ostream &os, ProgressForm form, bool isTerminal, std::string kernel,
               std::vector<std::string> configs);
  /// Removes the line that was rewritten.
  ~TuneProgress();
  TuneProgress(const TuneProgress &) = delete;
  TuneProgress &operator=(const TuneProgress &) = delete;

  void add(size_t index, const tune::Measurement &measurement, const tune::Progress &progress);
  void wait(const tune::Progress &progress);

private:
  void show(const tune::Progress &progress);

  llvm::raw_ostream &os;
  ProgressForm form;
  const std::string kernel;
  const std::vector<std::string> configs;
  double nextSeconds; ///< When the next line is due, where they come as time passes.
  bool hasLine = false;
};

} // namespace tilerun::command
