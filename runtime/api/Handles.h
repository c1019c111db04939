// What stands behind the handles of tilerun.h, and how a Status becomes the calling thread's error.
//
// Rules of this folder: one function of the header, one thin function here: check what C cannot
// (null handles, struct sizes), call runtime/core, keep the error. Nothing else may be exported.
#pragma once

#include "runtime/compiler/Programs.h"
#include "runtime/core/Kernel.h"
#include "runtime/core/Runtime.h"

struct TilerunRuntime {
  explicit TilerunRuntime(tilerun::plugin::DiscoveryOptions options)
      : runtime(std::move(options)) {}
  tilerun::core::Runtime runtime;
  std::shared_ptr<const tilerun::compiler::Services> services;
};
struct TilerunDevice {
  std::shared_ptr<tilerun::core::Device> device;
};
struct TilerunKernel {
  std::shared_ptr<tilerun::core::Kernel> kernel;
};
struct TilerunSpecialization {
  std::shared_ptr<tilerun::core::Device> device; ///< Outlives the loaded module.
  std::shared_ptr<const tilerun::core::Specialization> specialization;
};

namespace tilerun::api {

// Streams and events are core's own objects.
inline core::Stream *unwrap(TilerunStream *stream) {
  return reinterpret_cast<core::Stream *>(stream);
}
inline TilerunStream *wrap(core::Stream *stream) {
  return reinterpret_cast<TilerunStream *>(stream);
}
inline core::Event *unwrap(TilerunEvent *event) { return reinterpret_cast<core::Event *>(event); }
inline TilerunEvent *wrap(core::Event *event) { return reinterpret_cast<TilerunEvent *>(event); }

/// Keeps the failure as this thread's error, and returns its code.
TilerunStatus keepError(const core::Status &status);
inline TilerunStatus finish(const core::Status &status) {
  if (status.isOk()) [[likely]]
    return TILERUN_STATUS_OK;
  return keepError(status);
}
/// "FUNCTION: PARAMETER is null".
TilerunStatus refuseNull(const char *function, const char *parameter);
TilerunStatus refuse(const char *function, const std::string &what);

/// Options with their defaults filled in; those a newer caller knows and this version does not are
/// ignored, as those an older caller lacks are zero.
TilerunCompileOptions getCompileOptions(const TilerunCompileOptions *options);

} // namespace tilerun::api

/// Ends the function if a pointer that must not be null is.
#define TILERUN_API_CHECK(pointer)                                                                 \
  do {                                                                                             \
    if (!(pointer)) [[unlikely]]                                                                   \
      return ::tilerun::api::refuseNull(__func__, #pointer);                                       \
  } while (false)
