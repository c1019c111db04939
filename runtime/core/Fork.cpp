// See Fork.h. No locks: a child would inherit one that another thread of its parent held.
#include "runtime/core/Fork.h"

#include "runtime/core/Status.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <pthread.h>
#include <string_view>

using namespace tilerun;
using namespace tilerun::core;

constinit bool core::detail::hasInherited = false;

namespace {
struct Opened {
  const char *plugin; ///< The name in its table, by address.
  std::string id;
  uint32_t generation; ///< Of the process that opened it.
  Opened *next;
};
} // namespace

static constinit std::atomic<Opened *> opened{nullptr}; // Never freed.
static constinit uint32_t generation = 0;               // The forks from the first process to this.

static void afterForkInChild() {
  ++generation;
  core::detail::hasInherited = opened.load(std::memory_order_acquire) != nullptr;
}

void core::noteOpened(const TilerunPlugin &table, const std::string &id) {
  static std::once_flag watched;
  // Handlers go with this library if it is unloaded.
  std::call_once(watched, [] { (void)pthread_atfork(nullptr, nullptr, afterForkInChild); });
  Opened *first = opened.load(std::memory_order_acquire);
  for (const Opened *one = first; one; one = one->next)
    if (one->plugin == table.name && one->id == id && one->generation == generation)
      return;
  auto *made = new Opened{table.name, id, generation, first};
  while (!opened.compare_exchange_weak(made->next, made))
    ;
}

bool core::detail::findInherited(const TilerunPlugin &table) {
  for (const Opened *one = opened.load(std::memory_order_acquire); one; one = one->next)
    if (one->plugin == table.name && one->generation != generation)
      return true;
  return false;
}

Status core::makeInheritedError(const TilerunPlugin &table, const char *entry) {
  // A question is asked on the way to what the caller wants.
  std::string call = std::string_view(entry).starts_with("get_") ? "" : entry + std::string(": ");
  std::string ids;
  for (const Opened *one = opened.load(std::memory_order_acquire); one; one = one->next)
    if (one->plugin == table.name && one->generation != generation &&
        ids.find(one->id) == std::string::npos)
      ids = one->id + (ids.empty() ? "" : ", ") + ids;
  std::replace(call.begin(), call.end(), '_', ' ');
  return Status(TILERUN_STATUS_UNAVAILABLE,
                call + ids +
                    " was opened before this process was forked, and a driver does "
                    "not work in the child; fork before a device is opened, or "
                    "let the child execute a program");
}
