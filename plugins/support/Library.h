// A driver's library, opened at run time: it is found once for the process, and its functions come
// by name.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <type_traits>

namespace tilerun::plugin_support {

/// Opens a library that is never closed, because drivers leave threads behind. Null with the
/// linker's reason.
inline void *openLibrary(const char *path, std::string &reason) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (const char *error = library ? nullptr : dlerror())
    reason = error;
  else if (!library)
    reason = path;
  return library;
}

/// Sets a pointer to a function; false if the library does not have it.
template <typename Function>
bool loadFunction(void *library, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name));
  return function != nullptr;
}

/// The driver of a process, once opening it has worked. Thread-safe.
template <typename Driver> class DriverHolder {
public:
  /// `open(driver)` returns why it did not work, or ""; it is tried again in the next call then.
  /// The result outlives every thread.
  template <typename Open> const Driver *find(std::string &reason, Open open) {
    std::lock_guard lock(mutex);
    if (driver)
      return driver;
    Driver candidate;
    reason = open(candidate);
    if (reason.empty())
      driver = new Driver(candidate);
    return driver;
  }
  /// After `find` has worked.
  const Driver &get() {
    std::lock_guard lock(mutex);
    return *driver;
  }

private:
  std::mutex mutex;
  Driver *driver = nullptr; ///< Never freed: other threads may use it until the end.
};

} // namespace tilerun::plugin_support
