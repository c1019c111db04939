// See Driver.h: finding the runtime, and what its versions do differently.
#include "plugins/hip/Driver.h"
#include "plugins/support/Library.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <string_view>
#include <unistd.h>

using namespace hip;
using namespace tilerun::plugin_support;

std::string hip::formatVersion(int version) {
  return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100);
}

// The runtime calls every number that it does not know hipErrorUnknown.
std::string Driver::getErrorName(hipError_t error) const {
  const char *name = hipGetErrorName(error);
  const bool isKnown = name && (error == kUnknown || std::strcmp(name, "hipErrorUnknown") != 0);
  return isKnown ? name : "error " + std::to_string(error);
}

std::string Driver::getErrorText(hipError_t error) const {
  const char *text = hipGetErrorString(error);
  return text ? text : "the runtime has no text for it";
}

hipError_t Driver::getArchitectureName(int device, std::string &name,
                                       const char *&expression) const {
  // The struct's older form stays under the older name in later versions, too.
  const bool isSecond = hipGetDevicePropertiesR0600 != nullptr;
  const size_t offset = isSecond ? 1160 : 396, size = 256;
  expression = isSecond ? "hipGetDevicePropertiesR0600(&properties, device)"
                        : "hipGetDeviceProperties(&properties, device)";
  DeviceProperties properties = {};
  const hipError_t error = isSecond ? hipGetDevicePropertiesR0600(&properties, device)
                                    : hipGetDeviceProperties(&properties, device);
  if (error)
    return error;
  name.assign(properties.bytes + offset, strnlen(properties.bytes + offset, size));
  // Whatever else is there, the struct has a form that this plugin does not know.
  const bool isName =
      name.starts_with("gfx") &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-:+") == std::string::npos;
  if (!isName)
    expression = "reading gcnArchName of the device's properties";
  return isName ? kSuccess : kNotSupported;
}

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

// The path of a runtime in this process; "" if there is none. Two of them do not share memory.
static std::string findLoaded() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        const std::string_view name = info->dlpi_name ? info->dlpi_name : "";
        if (!name.substr(name.rfind('/') + 1).starts_with("libamdhip64"))
          return 0;
        *static_cast<std::string *>(data) = name;
        return 1;
      },
      &path);
  return path;
}

static constexpr std::string_view kEmulator = "libtilerun-amdsim.so";
static constexpr const char *kEmulatedDevices = "TILERUN_AMDSIM";

// The value of a variable; "" if it is unset, or must not be trusted.
static std::string readVariable(const char *name) {
  const char *value = secure_getenv(name);
  return value ? value : "";
}

// The emulator of this installation: in the folder above this plugin's, or beside it. "" with the
// reason if there is none.
static std::string findEmulator(std::string &reason) {
  Dl_info own = {};
  std::string folder;
  if (dladdr(reinterpret_cast<const void *>(&findEmulator), &own) && own.dli_fname)
    folder = own.dli_fname;
  folder.resize(folder.rfind('/') + 1); // npos + 1 is 0.
  for (const char *place : {"../", ""})
    if (std::string path = folder + place + std::string(kEmulator); access(path.c_str(), R_OK) == 0)
      return path;
  reason = std::string(kEmulatedDevices) + " asks for emulated devices, but " +
           std::string(kEmulator) + " is neither in " + folder + ".. nor in " + folder + ".";
  return "";
}

static void *openRuntime(std::string &path, std::string &reason) {
  path = readVariable("TILERUN_HIP_DRIVER");
  if (path.empty() && !readVariable(kEmulatedDevices).empty()) {
    path = findEmulator(reason);
    if (path.empty())
      return nullptr;
  }
  if (path.empty())
    path = findLoaded();
  if (!path.empty())
    return openLibrary(path.c_str(), reason);
  for (const char *name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}) {
    path = name;
    std::string why;
    if (void *library = openLibrary(name, why))
      return library;
    reason += (reason.empty() ? "" : "; ") + why;
  }
  return nullptr;
}

// Loads the functions and initializes; empty if it worked.
static std::string openDriver(Driver &driver) {
  std::string path, reason;
  void *library = openRuntime(path, reason);
  if (!library)
    return "the HIP runtime library was not found: " + reason;
  driver.isEmulated = path.substr(path.rfind('/') + 1) == kEmulator;
  // The version first: an old runtime lacks functions, and its version is the clearer message.
  if (loadFunction(library, "hipDriverGetVersion", driver.hipDriverGetVersion) &&
      driver.hipDriverGetVersion(&driver.version) == kSuccess && driver.version < kLowestVersion)
    return "the HIP runtime is too old: it is version " + formatVersion(driver.version) + ", and " +
           formatVersion(kLowestVersion) + " or later is needed";
#define HIP_LOAD(name, optional, result, parameters)                                               \
  if (!loadFunction(library, #name, driver.name) && !(optional))                                   \
    return "the HIP runtime library '" + path + "' has no function " #name;
  HIP_FUNCTION_LIST(HIP_LOAD)
#undef HIP_LOAD
  // From 6.0 on, what the older name gives may have either form.
  if (!driver.hipGetDevicePropertiesR0600 &&
      (!driver.hipGetDeviceProperties || driver.version >= kSecondForm))
    return "the HIP runtime library '" + path + "' has no function hipGetDevicePropertiesR0600";
  const hipError_t error = driver.hipInit(0);
  if (error == kNoDevice || error == kInvalidDevice)
    return describeNoDevice(driver);
  return error ? "hipInit(0): " + driver.getErrorName(error) + ": " + driver.getErrorText(error)
               : "";
}

std::string hip::describeNoDevice(const Driver &driver) {
  if (driver.isEmulated)
    return "the emulator of AMD GPUs has no device: its message on stderr says what is wrong "
           "with " +
           std::string(kEmulatedDevices) + "='" + readVariable(kEmulatedDevices) +
           "' or its other variables";
  std::string text = "the HIP runtime " + formatVersion(driver.version) + " finds no device: ";
  // The way to the kernel's driver.
  constexpr const char *kDevice = "/dev/kfd";
  const int file = open(kDevice, O_RDWR | O_CLOEXEC);
  if (file >= 0) {
    close(file);
    return text + "are ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES set?";
  }
  const int error = errno;
  text += std::string(kDevice) + " cannot be opened (" + std::strerror(error) + "): ";
  return text + (error == EACCES || error == EPERM
                     ? "this user is not in the group that may open it, usually 'render'"
                     : "the machine has no AMD GPU, or the kernel's driver amdgpu is not loaded");
}

static DriverHolder<Driver> holder;

const Driver *hip::findDriver(std::string &reason) { return holder.find(reason, openDriver); }

const Driver &hip::getDriver() { return holder.get(); }
