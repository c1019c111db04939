// Opens the driver.
#include "plugins/cuda/Driver.h"
#include "plugins/support/Library.h"

using namespace cuda;
using namespace tilerun::plugin_support;

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
  std::string reason;
  void *library = openLibrary(path, reason);
  if (!library)
    return "the CUDA driver library was not found: " + reason;
  // The version first: an old driver lacks functions, and its version is the clearer message.
  if (loadFunction(library, "cuDriverGetVersion", driver.cuDriverGetVersion) &&
      driver.cuDriverGetVersion(&driver.version) == kSuccess && driver.version < kLowestVersion)
    return "the CUDA driver is too old: it is for CUDA " + formatVersion(driver.version) +
           ", and " + formatVersion(kLowestVersion) + " or later is needed";
#define CUDA_LOAD(member, name, parameters)                                                        \
  if (!loadFunction(library, name, driver.member))                                                 \
    return std::string("the CUDA driver library '") + path + "' has no function " name;
  CUDA_FUNCTION_LIST(CUDA_LOAD)
#undef CUDA_LOAD
#define CUDA_LOAD(member, name, parameters) (void)loadFunction(library, name, driver.member);
  CUDA_OPTIONAL_LIST(CUDA_LOAD)
#undef CUDA_LOAD
  if (CUresult error = driver.cuInit(0)) {
    std::string name = driver.getErrorName(error);
    return "cuInit(0): " + name + ": " + driver.getErrorText(error);
  }
  return "";
}

static DriverHolder<Driver> holder;

const Driver *cuda::findDriver(std::string &reason) { return holder.find(reason, openDriver); }

const Driver &cuda::getDriver() { return holder.get(); }
