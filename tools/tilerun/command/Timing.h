// --timing and --trace-out: where the time of a command went.
#pragma once

#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/host/AtomicFile.h"

#include <chrono>
#include <optional>

namespace tilerun::command {

/// Records from its making to `finish`, if the command line asks for either.
class TraceRecorder {
public:
  explicit TraceRecorder(const Options &options) : options(options) {}
  ~TraceRecorder();
  TraceRecorder(const TraceRecorder &) = delete;
  TraceRecorder &operator=(const TraceRecorder &) = delete;

  /// An error if the file cannot be written.
  llvm::Error start();
  /// Writes the file, and the table on stderr unless it is part of the command's JSON.
  llvm::Error finish();

private:
  const Options &options;
  std::optional<host::AtomicFile> file;
  bool isOn = false;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

} // namespace tilerun::command
