// The objects behind the handles of tilerun.h, and how a Status becomes the calling thread's error.
//
// Rules of this folder: one function of the header, one thin function here: enter (Entry.h), check
// what C cannot (null handles, struct sizes), call runtime/core, keep the error. Nothing else may
// be exported, and no exception may leave.
#pragma once

#include "runtime/api/Entry.h"
#include "runtime/compiler/Programs.h"
#include "runtime/core/Kernel.h"
#include "runtime/core/Runtime.h"

#include <algorithm>
#include <cstddef>

namespace tilerun::api {
struct CacheListener; ///< A runtime's listener to the process's cache (Runtime.cpp).
}

struct TilerunRuntime {
  explicit TilerunRuntime(tilerun::plugin::DiscoveryOptions options)
      : runtime(std::move(options)) {}
  ~TilerunRuntime();
  tilerun::core::Runtime runtime;
  std::shared_ptr<const tilerun::compiler::Services> services;
  std::shared_ptr<tilerun::api::CacheListener> listener; ///< Null: it has a cache of its own.
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

/// Stores the failure as this thread's error, and returns its code.
TilerunStatus keepError(const core::Status &status);
inline TilerunStatus finish(const core::Status &status) {
  if (status.isOk()) [[likely]]
    return TILERUN_STATUS_OK;
  return keepError(status);
}
/// Which of `names`, "a, b", is null: the one after that many valid ones.
TilerunStatus refuseNull(const char *function, llvm::StringRef names, size_t valid);
/// How many pointers stand before the first null one; SIZE_MAX if there is none.
template <typename... Pointers>
[[gnu::always_inline]] inline size_t countValid(Pointers... pointers) {
  size_t count = 0;
  return (... && (pointers && ++count)) ? SIZE_MAX : count;
}
TilerunStatus refuse(const char *function, const std::string &what);
/// More than `most` cannot be intended.
TilerunStatus refuseCount(const char *function, const std::string &what, uint64_t count,
                          uint64_t most);
/// Elements of an array of structs.
inline constexpr uint32_t kMostElements = 1 << 16;
/// A field to which a later version may give a meaning that this one would ignore.
TilerunStatus refuseReserved(const char *function, const std::string &what, uint32_t value);

/// The size of a struct in version 1.0: a caller's is never smaller.
template <typename T> constexpr uint32_t kFirstSize = sizeof(T);
template <>
inline constexpr uint32_t kFirstSize<TilerunRuntimeOptions> =
    offsetof(TilerunRuntimeOptions, flags);
template <>
inline constexpr uint32_t kFirstSize<TilerunCompileOptions> =
    offsetof(TilerunCompileOptions, checks);
template <>
inline constexpr uint32_t kFirstSize<TilerunLaunchOptions> = offsetof(TilerunLaunchOptions, flags);
template <>
inline constexpr uint32_t kFirstSize<TilerunTuneOptions> = offsetof(TilerunTuneOptions, launches);
TilerunStatus refuseSize(const char *function, const char *parameter, uint32_t size,
                         uint32_t wanted);

/// Copies a struct of a caller, which may be null; fields that an older caller lacks are zero,
/// those that a newer one adds are ignored. Its size is checked.
template <typename T> T readStruct(const T *given) {
  if (given && given->struct_size >= sizeof(T)) [[likely]]
    return *given;
  T out = {};
  if (given)
    std::memcpy(static_cast<void *>(&out), given, given->struct_size);
  return out;
}
/// The opposite, of a struct that the caller has sized.
template <typename T> void writeStruct(T *to, T from) {
  from.struct_size = to->struct_size;
  std::memcpy(static_cast<void *>(to), &from, std::min<size_t>(to->struct_size, sizeof(T)));
}

/// Options with their defaults filled in. Refuses values that no device takes, so that all devices
/// answer alike.
TilerunStatus readCompileOptions(const char *function, const TilerunCompileOptions *given,
                                 TilerunCompileOptions &options);

/// Refuses unknown flags of a launch. `what` is the struct's name in the message.
TilerunStatus checkLaunchFlags(const char *function, const char *what, uint32_t flags);
/// Checks the ranges that the host declares for its pointers, before a device relies on them.
TilerunStatus checkRanges(const char *function, const std::string &what,
                          const TilerunMemoryRange *ranges, uint32_t count);

} // namespace tilerun::api

/// Ends the function if one of the pointers, which must not be null, is.
#define TILERUN_API_CHECK(...)                                                                     \
  do {                                                                                             \
    if (const size_t valid_ = ::tilerun::api::countValid(__VA_ARGS__); valid_ != SIZE_MAX)         \
        [[unlikely]]                                                                               \
      return ::tilerun::api::refuseNull(__func__, #__VA_ARGS__, valid_);                           \
  } while (false)
/// Ends the function if a struct that the caller has sized is smaller than it ever was.
#define TILERUN_API_CHECK_SIZE(pointer)                                                            \
  do {                                                                                             \
    constexpr uint32_t wanted_ =                                                                   \
        ::tilerun::api::kFirstSize<std::remove_cvref_t<decltype(*(pointer))>>;                     \
    if ((pointer)->struct_size < wanted_) [[unlikely]]                                             \
      return ::tilerun::api::refuseSize(__func__, #pointer, (pointer)->struct_size, wanted_);      \
  } while (false)
