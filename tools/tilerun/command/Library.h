// Between the command and the library (runtime/): devices by name, errors with exit codes, and the
// values of the command line as the library takes them.
#pragma once

#include "runtime/core/Kernel.h"
#include "runtime/core/Runtime.h"
#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/host/Value.h"

namespace tilerun {
struct KernelSignature;
}

namespace tilerun::command {

/// A failure of the library, with the exit code for its kind.
llvm::Error toError(const core::Status &status);
/// Ends the function with the failure of `expression`, a core::Status.
#define TILERUN_TRY_LIBRARY(expression)                                                            \
  do {                                                                                             \
    if (const core::Status &status_ = (expression); !status_.isOk())                               \
      return ::tilerun::command::toError(status_);                                                 \
  } while (false)

/// Each allocation is the driver's own, as checks require.
inline constexpr core::DeviceOptions kUnpooled = {.usePool = false};
/// Asks `find` of the plugins of a name, and only if that fails of all: other plugins cost time to
/// load, and only serve to list what exists.
core::Status searchPlugins(llvm::StringRef name,
                           llvm::function_ref<core::Status(core::Runtime &)> find);
/// Opens a device by id, UUID form or kind. The error says which ones there are, and why others are
/// not.
llvm::Expected<std::shared_ptr<core::Device>> openDevice(const std::string &id,
                                                         const core::DeviceOptions &options = {});

/// Reads the file that --schedule names.
llvm::Error readSchedule(Options &options);

/// How a kernel is compiled for a signature under the options of the command line.
class CompileSettings {
public:
  CompileSettings(const KernelSignature &signature, const Options &options);
  /// An option of the target's own.
  void add(std::string name, std::string value);
  const TilerunCompileOptions &get();

private:
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<TilerunPluginOption> pointers;
  TilerunCompileOptions compile = {};
};

/// A value as an argument; a tensor's storage is at `base`. None for tuples, functions and other
/// values that only a signature can express. A string stays owned by the value.
std::optional<TilerunArgument> toArgument(const host::Value &value, TilerunAddress base = 0);

} // namespace tilerun::command
