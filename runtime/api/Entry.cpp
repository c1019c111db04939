// Forks, and exceptions.
#include "runtime/api/Entry.h"

#include "runtime/api/Handles.h"

#include <chrono>
#include <exception>
#include <new>
#include <pthread.h>
#include <string>
#include <thread>

using namespace tilerun;
using namespace tilerun::api;
using namespace tilerun::api::detail;

// How long a fork waits for other threads. Launches, copies and allocations take microseconds.
static constexpr auto kPatience = std::chrono::milliseconds(500);
static constexpr auto kPause = std::chrono::microseconds(50);

constinit thread_local ThreadPlace *detail::threadPlace = nullptr;
constinit std::atomic<uint32_t> detail::forks{0};
constinit bool detail::isBroken = false;

static constinit std::atomic<ThreadPlace *> places{nullptr}; // All places ever created.
static constinit const char *functionOfOther = nullptr;      // Where isBroken.

namespace {
// Gives a thread's place to the next one.
struct PlaceReturner {
  ~PlaceReturner() {
    if (ThreadPlace *place = std::exchange(threadPlace, nullptr))
      place->isTaken.store(false, std::memory_order_release);
  }
};
} // namespace

ThreadPlace *detail::makeThreadPlace() {
  static thread_local PlaceReturner returner;
  (void)&returner; // Made here, so that it ends with the thread.
  for (ThreadPlace *place = places.load(std::memory_order_acquire); place; place = place->next)
    if (bool taken = false; place->isTaken.compare_exchange_strong(taken, true))
      return threadPlace = place;
  auto *place = new ThreadPlace;
  place->next = places.load(std::memory_order_relaxed);
  while (!places.compare_exchange_weak(place->next, place))
    ;
  return threadPlace = place;
}

// Another thread of this depth or more; null if there is none.
static ThreadPlace *findOther(uint32_t depth) {
  for (ThreadPlace *place = places.load(std::memory_order_acquire); place; place = place->next)
    if (place != threadPlace && place->depth.load(std::memory_order_acquire) >= depth)
      return place;
  return nullptr;
}

void detail::waitForFork(ThreadPlace &place) {
  // In a callback the fork waits for this thread, or is this thread's own.
  if (place.depth.load(std::memory_order_relaxed) > kEntering)
    return;
  while (forks.load(std::memory_order_acquire)) {
    place.depth.store(0, std::memory_order_release);
    // No lock: a child would inherit it.
    while (forks.load(std::memory_order_acquire))
      std::this_thread::sleep_for(kPause);
    place.depth.store(kEntering, std::memory_order_relaxed);
  }
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

static void beforeFork() {
  forks.fetch_add(1);
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (findOther(kEntering) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kPause);
}

static void afterForkInParent() { forks.fetch_sub(1); }

static void afterForkInChild() {
  // One at its entry holds no lock of the library yet.
  if (ThreadPlace *other = findOther(kInside); other && !isBroken) {
    isBroken = true;
    functionOfOther = other->function;
  }
  // The other threads are not here.
  for (ThreadPlace *place = places.load(); place; place = place->next)
    if (place != threadPlace) {
      place->depth.store(0);
      place->isTaken.store(false);
    }
  forks.store(0);
}

[[gnu::constructor]] static void watchForks() {
  // Handlers go with this library if it is unloaded.
  (void)pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
}

TilerunStatus api::refuseForked(const char *function) {
  return keepError(
      core::Status(TILERUN_STATUS_UNAVAILABLE,
                   std::string(function) +
                       ": this process was forked while another thread of its parent was in " +
                       (functionOfOther ? functionOfOther : "the library") +
                       ", whose locks are never released here; fork while no other thread uses "
                       "Tilerun, or let the "
                       "child execute a program"));
}

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

static core::Status describeException(const char *function) {
  auto make = [&](TilerunStatus status, const char *what) {
    return core::Status(status, std::string(function) + ": " + what);
  };
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return make(TILERUN_STATUS_OUT_OF_MEMORY, "the host is out of memory");
  } catch (const std::exception &error) {
    return make(TILERUN_STATUS_INTERNAL, error.what());
  } catch (...) {
    return make(TILERUN_STATUS_INTERNAL, "an exception of an unknown type was thrown");
  }
}

TilerunStatus api::keepException(const char *function) {
  try {
    return keepError(describeException(function));
  } catch (...) {
    // No memory even for a message.
    return TILERUN_STATUS_OUT_OF_MEMORY;
  }
}
