// Start: devices and settings from the environment; and the texts of errors.
#include "emulators/amdgpu/hip/Runtime.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdio>
#include <cstdlib>

namespace tilerun::amdsim::hip {

namespace {

// A variable of the environment as a number; the runtime's problem says so if it is not one.
template <class T> void readNumber(Runtime &runtime, const char *name, T &number) {
  const char *text = std::getenv(name);
  if (text && *text && llvm::StringRef(text).getAsInteger(0, number))
    runtime.problem = std::string(name) + "='" + text + "' is not a number";
}

void addGpu(Runtime &runtime, llvm::StringRef arch) {
  llvm::Expected<std::unique_ptr<Device>> device = Device::create(arch);
  if (!device) {
    runtime.problem = "TILERUN_AMDSIM: " + llvm::toString(device.takeError());
    return;
  }
  auto gpu = std::make_unique<Gpu>();
  gpu->ordinal = int(runtime.gpus.size());
  gpu->device = std::move(*device);
  gpu->nullStream = std::make_shared<Stream>(*gpu, true);
  runtime.gpus.push_back(std::move(gpu));
}

Runtime *makeRuntime() {
  auto *runtime = new Runtime;
  runtime->hostThreads = std::max(std::thread::hardware_concurrency(), 1u);
  readNumber(*runtime, "TILERUN_AMDSIM_SEED", runtime->seed);
  readNumber(*runtime, "TILERUN_AMDSIM_THREADS", runtime->hostThreads);
  if (runtime->hostThreads == 0 || runtime->hostThreads > 1024)
    runtime->problem = "TILERUN_AMDSIM_THREADS is not between 1 and 1024";
  const char *findings = std::getenv("TILERUN_AMDSIM_FINDINGS"),
             *counters = std::getenv("TILERUN_AMDSIM_COUNTERS"),
             *coverage = std::getenv("TILERUN_AMDSIM_COVERAGE");
  llvm::StringRef policy = findings && *findings ? findings : "error";
  runtime->findingsAreErrors = policy == "error";
  if (policy != "error" && policy != "print")
    runtime->problem =
        "TILERUN_AMDSIM_FINDINGS='" + policy.str() + "' is neither 'error' nor 'print'";
  runtime->counters = counters ? counters : "";
  runtime->coverage = coverage ? coverage : "";
  const char *given = std::getenv("TILERUN_AMDSIM");
  llvm::SmallVector<llvm::StringRef, 4> archs;
  llvm::StringRef(given ? given : "gfx942").split(archs, ',', -1, false);
  for (llvm::StringRef arch : archs)
    addGpu(*runtime, arch.trim());
  if (!runtime->problem.empty()) {
    complain(runtime->problem);
    runtime->gpus.clear();
  }
  return runtime;
}

struct ErrorText {
  int error;
  const char *name, *text;
};
constexpr ErrorText errorTexts[] = {
    {success, "hipSuccess", "no error"},
    {invalidValue, "hipErrorInvalidValue", "invalid argument"},
    {outOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {invalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {invalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {noDevice, "hipErrorNoDevice", "no emulated device"},
    {invalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {invalidImage, "hipErrorInvalidImage", "the image is not a code object that can be emulated"},
    {noBinaryForGpu, "hipErrorNoBinaryForGpu", "the code object is for another architecture"},
    {invalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {notFound, "hipErrorNotFound", "named symbol not found"},
    {notReady, "hipErrorNotReady", "not ready"},
    {illegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {launchFailure, "hipErrorLaunchFailure", "the kernel failed"},
    {notSupported, "hipErrorNotSupported", "not supported by the emulated runtime"},
    {unknown, "hipErrorUnknown", "unknown error"},
};
const ErrorText &findError(int error) {
  for (const ErrorText &entry : errorTexts)
    if (entry.error == error)
      return entry;
  return errorTexts[std::size(errorTexts) - 1];
}

thread_local int currentOrdinal = 0;

} // namespace

void complain(const std::string &text) {
  std::fprintf(stderr, "tilerun-amdsim: %s\n", text.c_str());
}

Runtime &getRuntime() {
  static Runtime *const it = makeRuntime(); // never destroyed, see Runtime.h
  return *it;
}

Gpu *currentGpu() {
  Runtime &runtime = getRuntime();
  return runtime.gpus.empty() ? nullptr : runtime.gpus[size_t(currentOrdinal)].get();
}

} // namespace tilerun::amdsim::hip

using namespace tilerun::amdsim::hip;

hipError_t hipInit(unsigned flags) {
  if (flags)
    return invalidValue;
  return getRuntime().gpus.empty() ? noDevice : success;
}

hipError_t hipGetDevice(int *device) {
  if (!device)
    return invalidValue;
  *device = currentOrdinal;
  return getRuntime().gpus.empty() ? noDevice : success;
}

hipError_t hipSetDevice(int device) {
  if (device < 0 || size_t(device) >= getRuntime().gpus.size())
    return invalidDevice;
  currentOrdinal = device;
  return success;
}

const char *hipGetErrorName(hipError_t error) { return findError(error).name; }

// A kernel that failed is named with what was found.
const char *hipGetErrorString(hipError_t error) {
  const ErrorText &entry = findError(error);
  if (error != illegalAddress && error != launchFailure)
    return entry.text;
  Runtime &runtime = getRuntime();
  std::lock_guard lock(runtime.textMutex);
  if (runtime.lastFinding.empty())
    return entry.text;
  return runtime.texts.insert(std::string(entry.text) + ": " + runtime.lastFinding).first->c_str();
}
