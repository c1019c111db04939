// Errors of plugins as Status.
#include "runtime/core/Status.h"

#include <algorithm>
#include <string_view>

using namespace tilerun::core;

Status::Status(TilerunStatus code, std::string message)
    : error(std::make_shared<Error>(Error{code, std::move(message), "", "", ""})) {}

Status::Status(Error error) : error(std::make_shared<Error>(std::move(error))) {}

void ErrorSink::report(void *user, const TilerunErrorInfo *info) {
  auto text = [](const char *s) { return s ? std::string(s) : std::string(); };
  try {
    static_cast<ErrorSink *>(user)->error =
        std::make_unique<Error>(Error{info->status, text(info->message), text(info->call),
                                      text(info->device), text(info->driver_word)});
  } catch (...) { // NOLINT(bugprone-empty-catch)
    // No exception passes through a plugin; without memory the status alone says what failed.
  }
}

// Plugins begin with the name of the entry, "load_module on cuda:0: …", which users do not know. A
// wait reports earlier launches: there the device is enough.
static void nameCall(std::string &message, std::string_view entry) {
  std::string prefix = std::string(entry) + " on ";
  if (message.compare(0, prefix.size(), prefix) != 0)
    return;
  if (entry.starts_with("synchronize_") || entry.starts_with("query_"))
    message.erase(0, prefix.size());
  else
    std::replace(message.begin(), message.begin() + static_cast<ptrdiff_t>(entry.size()), '_', ' ');
}

Status ErrorSink::take(TilerunStatus status, const TilerunPlugin &table, const char *entry) {
  if (status == TILERUN_STATUS_NOT_READY && !error) {
    // An answer, not an error: loops query it.
    static const Status notReady(TILERUN_STATUS_NOT_READY, "not ready");
    return notReady;
  }
  Error out = error ? std::move(*error) : Error();
  error.reset();
  out.status = status;
  if (out.message.empty())
    out.message = std::string(entry) + " of plugin '" + table.name +
                  "' failed: " + plugin::getStatusName(status) + " (it gives no reason)";
  nameCall(out.message, entry);
  return Status(std::move(out));
}

Status tilerun::core::makeMissingEntry(const TilerunPlugin &table, const char *entry) {
  return Status(TILERUN_STATUS_UNSUPPORTED,
                std::string("plugin '") + table.name + "' has no " + entry);
}
