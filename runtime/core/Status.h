// The result of a call: OK, which is free, or an error that can be shared by several threads.
//
// Rules of this folder: devices, streams, memory and kernels over the plugin ABI, for every user of
// the runtime (the public API, the command). It knows the ABI header and the standard library, and
// no compiler: sources of kernels are behind an interface (Program.h). Public entry points validate
// (here: those of Kernel and MemoryPool); other code asserts. A function that can fail returns a
// Status; it may be called from any thread unless its comment says otherwise.
#pragma once

#include "runtime/core/Fork.h"
#include "runtime/plugin/Plugin.h"

namespace tilerun::core {

using plugin::Error;

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(TilerunStatus code, std::string message);
  explicit Status(Error error);
  /// INVALID_ARGUMENT.
  static Status invalid(std::string message) {
    return Status(TILERUN_STATUS_INVALID_ARGUMENT, std::move(message));
  }

  bool isOk() const { return !error; }
  TilerunStatus getCode() const { return error ? error->status : TILERUN_STATUS_OK; }
  /// Only of a failure.
  const Error &getError() const { return *error; }
  const std::string &getMessage() const { return error->message; }

private:
  std::shared_ptr<const Error> error;
};

/// Ends the function with the failure of `expression`, a Status.
#define TILERUN_TRY(expression)                                                                    \
  do {                                                                                             \
    if (::tilerun::core::Status status_ = (expression); !status_.isOk())                           \
      return status_;                                                                              \
  } while (false)

/// Receives one error from a plugin. Free while there is none.
class ErrorSink {
public:
  ErrorSink() : sink{sizeof(TilerunErrorSink), 0, this, &report} {}
  ErrorSink(const ErrorSink &) = delete;
  ErrorSink &operator=(const ErrorSink &) = delete;
  const TilerunErrorSink *get() const { return &sink; }
  /// The failure of a call of `entry` that returned `status`; never without a message.
  Status take(TilerunStatus status, const TilerunPlugin &table, const char *entry);

private:
  static void report(void *user, const TilerunErrorInfo *info);
  TilerunErrorSink sink;
  std::unique_ptr<Error> error;
};

Status makeMissingEntry(const TilerunPlugin &table, const char *entry);

template <typename... Parameters, typename... Arguments>
Status callPlugin(const TilerunPlugin &table, TilerunStatus (*function)(Parameters...),
                  const char *entry, Arguments... arguments) {
  if (!function)
    return makeMissingEntry(table, entry);
  if constexpr ((detail::NamesDevice<Parameters> || ...))
    if (isInherited(table)) [[unlikely]]
      return makeInheritedError(table, entry);
  ErrorSink sink;
  TilerunStatus status = function(arguments..., sink.get());
  return status == TILERUN_STATUS_OK ? Status() : sink.take(status, table, entry);
}

/// Calls an entry of `table`, whose last parameter is the sink; a Status. What would use a device
/// that a parent process has opened is refused (Fork.h).
#define TILERUN_CALL(table, entry, ...)                                                            \
  ::tilerun::core::callPlugin(table, (table).entry, #entry, __VA_ARGS__)

} // namespace tilerun::core
