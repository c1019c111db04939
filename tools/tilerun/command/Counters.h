// `tilerun run --counters`: what the emulator of AMD GPUs counts while a kernel runs, from the file
// that TILERUN_AMDSIM_COUNTERS names (docs/amd-emulator.md).
#pragma once

#include "runtime/core/Device.h"
#include "tools/tilerun/command/Output.h"

#include <string>

namespace tilerun::command {

/// The counters of the launches of this process. One at a time.
class Counters {
public:
  Counters() = default;
  Counters(const Counters &) = delete;
  Counters &operator=(const Counters &) = delete;
  ~Counters();

  /// Has them written to a temporary file of its own, whatever the environment says. To be called
  /// before a plugin is loaded.
  llvm::Error start();
  /// A usage error if a device counts nothing: only emulated ones do.
  static llvm::Error check(const core::Device &device);
  /// One object for each launch that has been waited for, in their order.
  llvm::Expected<llvm::json::Array> read() const;

private:
  std::string path;
};

/// Tables of one launch's numbers; rows without any are left out.
void printCounters(llvm::raw_ostream &os, const llvm::json::Object &counters);

} // namespace tilerun::command
