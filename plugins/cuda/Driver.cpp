// Opens the driver.
#include "plugins/cuda/Driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace cuda;

std::string cuda::formatVersion(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string Driver::getErrorName(CUresult error) const {
  const char *name = nullptr;
  if (cuGetErrorName(error, &name) == kSuccess && name)
    return name;
  return "error " + std::to_string(error);
}

std::string Driver::getErrorText(CUresult error) const {
  const char *text = nullptr;
  if (cuGetErrorString(error, &text) == kSuccess && text)
    return text;
  return "the driver has no text for it";
}

// Loads the functions and initializes; empty if it worked.
static std::string openDriver(Driver &driver) {
  const char *path = secure_getenv("TILERUN_CUDA_DRIVER");
  if (!path || !*path)
    path = "libcuda.so.1";
  // Never closed: the driver leaves threads behind.
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *error = dlerror();
    return std::string("the CUDA driver library was not found: ") + (error ? error : path);
  }
  auto load = [&](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, name));
    return member != nullptr;
  };
  // The version first: an old driver lacks functions, and its version is the clearer message.
  if (load(driver.cuDriverGetVersion, "cuDriverGetVersion") &&
      driver.cuDriverGetVersion(&driver.version) == kSuccess && driver.version < kLowestVersion)
    return "the CUDA driver is too old: it is for CUDA " + formatVersion(driver.version) +
           ", and " + formatVersion(kLowestVersion) + " or later is needed";
#define CUDA_LOAD(member, name, parameters)                                                        \
  if (!load(driver.member, name))                                                                  \
    return std::string("the CUDA driver library '") + path + "' has no function " name;
  CUDA_FUNCTION_LIST(CUDA_LOAD)
#undef CUDA_LOAD
  if (CUresult error = driver.cuInit(0)) {
    std::string name = driver.getErrorName(error);
    return "cuInit(0): " + name + ": " + driver.getErrorText(error);
  }
  return "";
}

static std::mutex mutex;
static Driver *driver = nullptr; // Never freed: other threads may use it until the end.

const Driver *cuda::findDriver(std::string &reason) {
  std::lock_guard lock(mutex);
  if (driver)
    return driver;
  Driver candidate;
  reason = openDriver(candidate);
  if (reason.empty())
    driver = new Driver(candidate);
  return driver;
}

const Driver &cuda::getDriver() {
  std::lock_guard lock(mutex);
  return *driver;
}
