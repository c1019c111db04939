// The guard at every entry of the C API. No exception leaves the library; and a process that was
// forked while another thread was in the library gets an error instead of waiting forever.
//
// A fork copies only the calling thread: the locks of other threads stay locked in the child. So a
// fork waits until the others have left, while new ones wait at the entry. It does not wait long
// for those that do not leave (they compile, or wait for a device): then the child knows about
// them, and every call in it is refused.
#pragma once

#include "runtime/include/tilerun/tilerun.h"

#include <atomic>
#include <cstdint>
#include <cxxabi.h>

namespace tilerun::api {

namespace detail {
/// Where a thread is. Read by others when they fork; never destroyed, since a thread may end at any
/// time.
struct alignas(64) ThreadPlace {
  /// 0: outside of the library. kEntering: at its entry, where it may still have to wait. Above
  /// that, inside: callbacks may call again.
  std::atomic<uint32_t> depth{0};
  std::atomic<bool> isTaken{true};
  const char *function = nullptr; ///< The outermost.
  ThreadPlace *next = nullptr;
};
inline constexpr uint32_t kEntering = 1, kInside = 2;
extern constinit thread_local ThreadPlace *threadPlace;
/// Forks in flight, and whether this process is a child that cannot use the library.
extern std::atomic<uint32_t> forks;
extern constinit bool isBroken;
ThreadPlace *makeThreadPlace();
void waitForFork(ThreadPlace &place);
} // namespace detail

/// One call of the API, on the stack of its function.
class Entry {
public:
  [[gnu::always_inline]] explicit Entry(const char *function) : place(detail::threadPlace) {
    if (!place) [[unlikely]]
      place = detail::makeThreadPlace();
    const uint32_t depth = place->depth.load(std::memory_order_relaxed);
    if (!depth)
      place->function = function;
    place->depth.store(depth + 1, std::memory_order_relaxed);
    // A fork in progress, whose end others must wait for; or a child of one.
    if (detail::forks.load(std::memory_order_relaxed)) [[unlikely]]
      detail::waitForFork(*place);
    if (!depth)
      place->depth.store(detail::kInside, std::memory_order_relaxed);
    // A child sees it if it sees any lock that is taken from here on.
    std::atomic_thread_fence(std::memory_order_release);
  }
  [[gnu::always_inline]] ~Entry() {
    const uint32_t depth = place->depth.load(std::memory_order_relaxed);
    // Other threads see the unlock before they see this.
    place->depth.store(depth <= detail::kInside ? 0 : depth - 1, std::memory_order_release);
  }
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;
  bool isRefused() const { return detail::isBroken; }

private:
  detail::ThreadPlace *place;
};

/// UNAVAILABLE, with the call that the parent's other thread was in.
TilerunStatus refuseForked(const char *function);
/// Keeps the exception in flight as this thread's error.
TilerunStatus keepException(const char *function);

} // namespace tilerun::api

/// The first line of a function that returns a status, with its parameters that must not be null.
#define TILERUN_API_ENTER(...)                                                                     \
  ::tilerun::api::Entry entry_(__func__);                                                          \
  if (entry_.isRefused()) [[unlikely]]                                                             \
    return ::tilerun::api::refuseForked(__func__);                                                 \
  __VA_OPT__(TILERUN_API_CHECK(__VA_ARGS__))
/// The same for a function that returns nothing; in a child that is refused it does nothing.
#define TILERUN_API_ENTER_VOID()                                                                   \
  ::tilerun::api::Entry entry_(__func__);                                                          \
  if (entry_.isRefused()) [[unlikely]]                                                             \
  return

// A thread that is ended in a callback (pthread_exit, or cancelled) unwinds through here.
#define TILERUN_API_CATCH                                                                          \
  catch (abi::__forced_unwind &) {                                                                 \
    throw;                                                                                         \
  }                                                                                                \
  catch (...) {                                                                                    \
    return ::tilerun::api::keepException(__func__);                                                \
  }
#define TILERUN_API_CATCH_VOID                                                                     \
  catch (abi::__forced_unwind &) {                                                                 \
    throw;                                                                                         \
  }                                                                                                \
  catch (...) {                                                                                    \
    (void)::tilerun::api::keepException(__func__);                                                 \
  }
/// The body of a function that is one call of the library, which gives a core::Status; behind it
/// the parameters that must not be null.
#define TILERUN_API_FORWARD(status, ...)                                                           \
  try {                                                                                            \
    TILERUN_API_ENTER(__VA_ARGS__);                                                                \
    return ::tilerun::api::finish(status);                                                         \
  }                                                                                                \
  TILERUN_API_CATCH
