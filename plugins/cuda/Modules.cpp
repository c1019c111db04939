// Modules and launches. The driver compiles PTX in this process; its log is part of the error.
#include "plugins/cuda/Device.h"
#include "plugins/cuda/Jit.h"
#include "plugins/support/ArtifactCheck.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace cuda;

TilerunStatus cuda::checkKernels(TilerunPluginDevice *device, const TilerunPluginArtifact &artifact,
                                 const char *call, const TilerunErrorSink *sink) {
  std::string wrong = tilerun::plugin_support::checkKernelSizes(artifact);
  return wrong.empty() ? TILERUN_STATUS_OK
                       : fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, call, device, wrong);
}

int64_t cuda::getPackedBytes(const TilerunPluginKernelInfo &info) {
  int64_t offset = 0;
  for (uint32_t i = 0; i < info.num_parameters; ++i) {
    int64_t bytes = std::max<int64_t>(info.parameters[i].bits / 8, 1);
    offset = (offset + bytes - 1) / bytes * bytes + bytes;
  }
  return offset;
}

bool cuda::isBinary(const char *compatibility) {
  return compatibility && std::strncmp(compatibility, "cuda:sass:", 10) == 0;
}

// Compatibility strings: "cuda:ptx-8.0:sm_80" runs on 8.0 and later, "…:sm_90a" on 9.0 alone, and
// "cuda:sass:sm_90" on 9.x from there. What finalize_artifact made ends in ":driver-…", and goes
// with that driver alone.
TilerunStatus cuda::checkCompatibility(TilerunPluginDevice *device, const char *compatibility,
                                       const TilerunErrorSink *sink) {
  auto refuse = [&](const std::string &why) {
    return fail(sink, TILERUN_STATUS_INCOMPATIBLE, "check_compatibility", device,
                std::string("the artifact is for '") + (compatibility ? compatibility : "") +
                    "': " + why);
  };
  int major = 0, minor = 0, number = 0, end = 0;
  std::string text = compatibility ? compatibility : "";
  bool ptx =
      std::sscanf(text.c_str(), "cuda:ptx-%2d.%2d:sm_%4d%n", &major, &minor, &number, &end) == 3 &&
      end > 0;
  if (!ptx && (std::sscanf(text.c_str(), "cuda:sass:sm_%4d%n", &number, &end) != 1 || end <= 0))
    return refuse("this plugin takes cuda:ptx-VERSION:sm_NUMBER and cuda:sass:sm_NUMBER");
  std::string suffix = text.substr(static_cast<size_t>(end));
  if (size_t driver = suffix.find(":driver-"); !ptx && driver != std::string::npos) {
    if (text != device->binaryCompatibility)
      return refuse("this device and its driver take '" + device->binaryCompatibility + "'");
    suffix.resize(driver);
  }
  if (suffix != "" && suffix != "a")
    return refuse("the architecture has an unknown end '" + suffix + "'");
  int own = device->capability;
  bool runs = suffix == "a" ? own == number
              : ptx         ? own >= number
                            : own >= number && own / 10 == number / 10;
  if (!runs)
    return refuse("the device is sm_" + std::to_string(own));
  // PTX 7 came with CUDA 11, 8 with 12, 9 with 13.
  if (ptx && major + 4 > device->driver.version / 1000)
    return refuse("the driver is for CUDA " + device->driverVersion + " and takes PTX up to " +
                  std::to_string(device->driver.version / 1000 - 4) + ".x");
  return TILERUN_STATUS_OK;
}

static TilerunStatus loadModule(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                                TilerunPluginModule **out, const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "load_module");
  if (TilerunStatus status = checkCompatibility(device, artifact->compatibility, sink))
    return status;
  if (!artifact->num_bytes)
    return fail(sink, TILERUN_STATUS_COMPILE, "load_module", device, "the artifact is empty");
  if (TilerunStatus status = checkKernels(device, *artifact, "load_module", sink))
    return status;
  // The driver reads PTX up to a NUL, which the artifact's bytes need not have.
  std::string image(reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes);
  JitOptions options(image, isBinary(artifact->compatibility));
  CUmodule handle = nullptr;
  if (CUresult error = device->driver.cuModuleLoadDataEx(&handle, image.data(), options.getCount(),
                                                         options.getNames(), options.getValues()))
    return failDriver(sink, device, "cuModuleLoadDataEx(&handle, image, …)", error,
                      options.describeLog(image));
  auto *module = new TilerunPluginModule{device, handle, {}, {}, {}};
  for (uint32_t i = 0; i < artifact->num_kernels; ++i) {
    const TilerunPluginKernelInfo &info = artifact->kernels[i];
    module->entries.push_back({info.name, getPackedBytes(info), info.shared_bytes});
  }
  *out = module;
  return TILERUN_STATUS_OK;
}

static void unloadModule(TilerunPluginModule *module) {
  if (!module)
    return;
  {
    CurrentContext current(module->device);
    if (!current.getError())
      module->device->driver.cuModuleUnload(module->handle);
  }
  delete module;
}

// Shared memory beyond this has to be asked for once per function.
static constexpr uint32_t kPlainSharedBytes = 48 << 10;

static std::string describeSharedMemory(const char *kernel, uint64_t wanted, uint64_t most) {
  return std::string("kernel '") + kernel + "' wants " + std::to_string(wanted) +
         " bytes of shared memory for a program, " + std::to_string(most) +
         " are possible: " + std::to_string(wanted - most) +
         " too many (smaller tiles or fewer stages need less)";
}

static TilerunStatus getKernel(TilerunPluginModule *module, const char *name,
                               TilerunPluginKernel **out, const TilerunErrorSink *sink) {
  TilerunPluginDevice *device = module->device;
  CU_ENTER(device, sink, "get_kernel");
  CUfunction function = nullptr;
  if (CUresult error = device->driver.cuModuleGetFunction(&function, module->handle, name)) {
    std::string known;
    for (const TilerunPluginModule::Entry &entry : module->entries)
      known += (known.empty() ? "'" : ", '") + entry.name + "'";
    return failDriver(sink, device, "cuModuleGetFunction(&function, handle, name)", error,
                      std::string("kernel '") + name + "' was wanted, the module has " +
                          (known.empty() ? "no list of its kernels" : known));
  }
  auto kernel = std::make_unique<TilerunPluginKernel>();
  kernel->device = device;
  kernel->function = function;
  int fixed = 0;
  CU_TRY(device, sink, cuFuncGetAttribute(&fixed, kFunctionSharedBytes, function));
  uint32_t fixedShared = static_cast<uint32_t>(std::max(fixed, 0));
  kernel->maxDynamicShared = kPlainSharedBytes - std::min(fixedShared, kPlainSharedBytes);
  for (const TilerunPluginModule::Entry &entry : module->entries)
    if (entry.name == name) {
      kernel->packedBytes = entry.packedBytes;
      if (fixedShared + uint64_t(entry.sharedBytes) > device->maxShared)
        return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_kernel", device,
                    describeSharedMemory(name, fixedShared + uint64_t(entry.sharedBytes),
                                         device->maxShared));
      // Once here, so that no launch has to.
      if (entry.sharedBytes > kernel->maxDynamicShared) {
        CU_TRY(device, sink,
               cuFuncSetAttribute(function, kFunctionMaxDynamicShared,
                                  static_cast<int>(entry.sharedBytes)));
        kernel->maxDynamicShared = entry.sharedBytes;
      }
    }
  {
    std::lock_guard lock(device->mutex);
    kernel->name = device->kernelNames.insert(name).first->c_str();
  }
  std::lock_guard lock(module->mutex);
  *out = kernel.get();
  module->kernels.push_back(std::move(kernel));
  return TILERUN_STATUS_OK;
}

static TilerunStatus getKernelProperty(TilerunPluginKernel *kernel, uint32_t property,
                                       TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  TilerunPluginDevice *device = kernel->device;
  int attribute = 0;
  switch (property) {
  case TILERUN_KERNEL_PROPERTY_REGISTERS:
    attribute = kFunctionRegisters;
    break;
  case TILERUN_KERNEL_PROPERTY_STATIC_SHARED:
    attribute = kFunctionSharedBytes;
    break;
  case TILERUN_KERNEL_PROPERTY_LOCAL_BYTES:
    attribute = kFunctionLocalBytes;
    break;
  case TILERUN_KERNEL_PROPERTY_MAX_THREADS:
    attribute = kFunctionMaxThreads;
    break;
  default:
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_kernel_property", device,
                "property " + std::to_string(property) + " is not known");
  }
  CU_ENTER(device, sink, "get_kernel_property");
  int number = 0;
  CU_TRY(device, sink, cuFuncGetAttribute(&number, attribute, kernel->function));
  value->type = TILERUN_VALUE_U64;
  value->number = static_cast<uint64_t>(number);
  return TILERUN_STATUS_OK;
}

static std::string describeLaunch(const TilerunPluginKernel *kernel,
                                  const TilerunPluginLaunch &launch) {
  return std::string("kernel '") + kernel->name + "', grid (" + std::to_string(launch.grid[0]) +
         ", " + std::to_string(launch.grid[1]) + ", " + std::to_string(launch.grid[2]) + "), " +
         std::to_string(launch.threads) + " threads, " + std::to_string(launch.shared_bytes) +
         " bytes of shared memory, " + std::to_string(launch.num_bytes) + " bytes of arguments";
}

// May begin before the grid before it has ended.
static CUresult launchOverlapping(const TilerunPluginKernel *kernel, CUstream stream,
                                  const TilerunPluginLaunch &launch, void **extra) {
  CUlaunchAttribute attribute = {};
  attribute.id = kProgrammaticStreamSerialization;
  attribute.value.number = 1;
  CUlaunchConfig config = {launch.grid[0],
                           launch.grid[1],
                           launch.grid[2],
                           launch.threads,
                           1,
                           1,
                           launch.shared_bytes,
                           stream,
                           &attribute,
                           1};
  return kernel->device->driver.cuLaunchKernelEx(&config, kernel->function, nullptr, extra);
}

static TilerunStatus launchKernel(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                                  const TilerunPluginLaunch *launch, const TilerunErrorSink *sink) {
  TilerunPluginDevice *device = kernel->device;
  CU_ENTER(device, sink, "launch");
  if (kernel->packedBytes >= 0 && launch->num_bytes != static_cast<uint64_t>(kernel->packedBytes))
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch", device,
                "the arguments should have " + std::to_string(kernel->packedBytes) +
                    " bytes: " + describeLaunch(kernel, *launch));
  if (launch->shared_bytes > kernel->maxDynamicShared)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch", device,
                describeSharedMemory(kernel->name, launch->shared_bytes, kernel->maxDynamicShared));
  // The driver's marks for a packed buffer.
  void *const kBuffer = reinterpret_cast<void *>(1), *const kSize = reinterpret_cast<void *>(2);
  size_t size = launch->num_bytes;
  void *extra[] = {kBuffer, const_cast<void *>(launch->arguments), kSize, &size, nullptr};
  LaunchLog &log = getLog(device, stream);
  uint32_t index = log.add(kernel->name);
  bool overlap = TILERUN_HAS(TilerunPluginLaunch, launch, flags) &&
                 launch->flags & TILERUN_LAUNCH_OVERLAP && device->overlapsGrids;
  CUresult error = overlap
                       ? launchOverlapping(kernel, getStream(device, stream), *launch, extra)
                       : device->driver.cuLaunchKernel(kernel->function, launch->grid[0],
                                                       launch->grid[1], launch->grid[2],
                                                       launch->threads, 1, 1, launch->shared_bytes,
                                                       getStream(device, stream), nullptr, extra);
  if (error) {
    // It never ran, unless launches were made to wait: the fault is an earlier one's.
    static const bool waits = [] {
      const char *value = std::getenv("CUDA_LAUNCH_BLOCKING");
      return value && *value && std::strcmp(value, "0") != 0;
    }();
    if (!waits)
      log.withdraw(index);
    return failDriver(sink, device,
                      overlap ? "cuLaunchKernelEx(config, function, …)"
                              : "cuLaunchKernel(function, …)",
                      error, describeLaunch(kernel, *launch));
  }
  return TILERUN_STATUS_OK;
}

void cuda::addModuleEntries(TilerunPlugin &table) {
  table.check_compatibility = checkCompatibility;
  table.load_module = loadModule;
  table.unload_module = unloadModule;
  table.get_kernel = getKernel;
  table.get_kernel_property = getKernelProperty;
  table.launch = launchKernel;
}
