// Surveys files of kernels in child processes, so that a kernel that takes minutes or gigabytes, or
// crashes the compiler, costs itself alone.
#pragma once

#include "tools/tilerun/command/CorpusRecord.h"

#include <functional>

namespace tilerun::command {

struct CorpusRun {
  unsigned numWorkers = 1;
  CorpusLimits limits;
  const corpus::Backend *backend = nullptr; ///< Called in the children.
  /// The values that are given to the kernels of a file; in the children. Null: none.
  std::function<corpus::Defines(const std::string &path)> define;
  /// After each step, some twenty times a second.
  std::function<void()> progress;
};

/// Surveys what `records` lacks. The caller has a single thread; SIGINT, SIGTERM and SIGHUP end the
/// survey early. Gives that signal, 0 if none came, or why no child could be started.
llvm::Expected<int> surveyInWorkers(CorpusRecords &records, const CorpusRun &run);

} // namespace tilerun::command
