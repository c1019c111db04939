// Versions, and the error of each thread.
#include "runtime/api/Handles.h"

using namespace tilerun;
using namespace tilerun::api;

static core::Error &getThreadError() {
  static thread_local core::Error error;
  return error;
}

TilerunStatus api::keepError(const core::Status &status) {
  // A query made in loops is not an error, and must not replace one.
  if (status.getCode() != TILERUN_STATUS_NOT_READY)
    getThreadError() = status.getError();
  return status.getCode();
}

TilerunStatus api::refuseNull(const char *function, llvm::StringRef names, size_t valid) {
  for (; valid; --valid)
    names = names.split(", ").second;
  return refuse(function, names.split(',').first.str() + " is null");
}

TilerunStatus api::refuse(const char *function, const std::string &what) {
  return keepError(
      core::Status(TILERUN_STATUS_INVALID_ARGUMENT, std::string(function) + ": " + what));
}

TilerunStatus api::refuseCount(const char *function, const std::string &what, uint64_t count,
                               uint64_t most) {
  return refuse(function,
                what + " is " + std::to_string(count) + "; the maximum is " + std::to_string(most));
}

TilerunStatus api::refuseReserved(const char *function, const std::string &what, uint32_t value) {
  return refuse(function, what + ": reserved is " + std::to_string(value) + ", not 0");
}

TilerunStatus api::refuseSize(const char *function, const char *parameter, uint32_t size,
                              uint32_t wanted) {
  return refuse(function, std::string(parameter) + "->struct_size is " + std::to_string(size) +
                              ", below the " + std::to_string(wanted) +
                              " of version 1.0; set it to sizeof(*" + parameter + ")");
}

uint32_t tilerunGetVersion(void) { return TILERUN_API_MAJOR << 16 | TILERUN_API_MINOR; }

const char *tilerunGetStatusName(TilerunStatus status) {
  const char *name = plugin::findStatusName(status);
  return name ? name : "unknown status";
}

const char *tilerunGetErrorMessage(void) { return getThreadError().message.c_str(); }

TilerunStatus tilerunGetError(TilerunErrorInfo *error) {
  const core::Error &own = getThreadError();
  if (!error)
    return own.status;
  // The error that is queried must stay.
  if (error->struct_size < kFirstSize<TilerunErrorInfo>)
    return TILERUN_STATUS_INVALID_ARGUMENT;
  writeStruct(error, TilerunErrorInfo{0, own.status, own.call.c_str(), own.device.c_str(),
                                      own.driverWord.c_str(), own.message.c_str()});
  return own.status;
}
