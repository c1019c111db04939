/* A plugin that is built with the header of each earlier minor version, as its author had it: one
 * device over host memory. Its compiler takes any module for the kernel out[i] = a[i] + b[i]. */
#include "tilerun/plugin.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(x) #x
#define VERSION(minor) "1." TEXT(minor)
#define NAME_OF(minor) "abi1-" TEXT(minor)
#define ID_OF(minor) "abi1-" TEXT(minor) ":0"
#define TARGET_OF(minor) "abi1-" TEXT(minor) ":host"

struct TilerunPluginDevice {
  int launches;
};
struct TilerunPluginModule {
  TilerunPluginDevice *device;
};

static const TilerunPluginParameter kParameters[] = {
    {sizeof(TilerunPluginParameter), TILERUN_ARGUMENT_POINTER, 64, "out"},
    {sizeof(TilerunPluginParameter), TILERUN_ARGUMENT_POINTER, 64, "a"},
    {sizeof(TilerunPluginParameter), TILERUN_ARGUMENT_POINTER, 64, "b"},
    {sizeof(TilerunPluginParameter), TILERUN_ARGUMENT_INTEGER, 32, "n"}};
static const TilerunPluginKernelInfo kKernel = {
    sizeof(TilerunPluginKernelInfo), 4, "tilerun_test_add", kParameters, 128, 0};
static const uint8_t kCode[] = {'a', 'd', 'd'};
/* Fields of later versions are not there, and not initialized. */
static const TilerunPluginArtifact kArtifact = {.struct_size = sizeof(TilerunPluginArtifact),
                                                .num_kernels = 1,
                                                .bytes = kCode,
                                                .num_bytes = sizeof(kCode),
                                                .compatibility = "abi1",
                                                .kernels = &kKernel};

static TilerunStatus getTargets(void (*each)(void *user, const char *target), void *user,
                                const TilerunErrorSink *error) {
  (void)error;
  each(user, TARGET_OF(TILERUN_PLUGIN_ABI_MINOR));
  return TILERUN_STATUS_OK;
}
static TilerunStatus compile(const TilerunPluginCompileRequest *request,
                             const TilerunPluginArtifact **artifact,
                             const TilerunErrorSink *error) {
  (void)request;
  (void)error;
  *artifact = &kArtifact;
  return TILERUN_STATUS_OK;
}
static void releaseArtifact(const TilerunPluginArtifact *artifact) { (void)artifact; }

static TilerunStatus getDevices(TilerunDeviceCallback each, void *user,
                                const TilerunErrorSink *error) {
  TilerunPluginDeviceInfo info = {sizeof(info),
                                  0,
                                  ID_OF(TILERUN_PLUGIN_ABI_MINOR),
                                  "",
                                  "A device of its time",
                                  TARGET_OF(TILERUN_PLUGIN_ABI_MINOR)};
  (void)error;
  each(user, &info);
  return TILERUN_STATUS_OK;
}
static TilerunStatus openDevice(uint32_t ordinal, const TilerunPluginOpenOptions *options,
                                TilerunPluginDevice **device, const TilerunErrorSink *error) {
  (void)ordinal;
  (void)options;
  (void)error;
  *device = calloc(1, sizeof(TilerunPluginDevice));
  return TILERUN_STATUS_OK;
}
static void closeDevice(TilerunPluginDevice *device) { free(device); }
static TilerunStatus synchronize(TilerunPluginDevice *device, const TilerunErrorSink *error) {
  (void)device;
  (void)error;
  return TILERUN_STATUS_OK;
}
static TilerunStatus synchronizeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                       const TilerunErrorSink *error) {
  (void)stream;
  return synchronize(device, error);
}

static void *toPointer(TilerunAddress address) { return (void *)(uintptr_t)address; }
static TilerunStatus allocate(TilerunPluginDevice *device, TilerunPluginStream *stream,
                              uint64_t bytes, TilerunAddress *address,
                              const TilerunErrorSink *error) {
  (void)device;
  (void)stream;
  (void)error;
  *address = (uintptr_t)aligned_alloc(256, (bytes + 256) / 256 * 256);
  return *address ? TILERUN_STATUS_OK : TILERUN_STATUS_OUT_OF_MEMORY;
}
static TilerunStatus freeMemory(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                TilerunAddress address, const TilerunErrorSink *error) {
  (void)device;
  (void)stream;
  (void)error;
  free(toPointer(address));
  return TILERUN_STATUS_OK;
}
static TilerunStatus copyToDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, const void *from, uint64_t bytes,
                                  const TilerunErrorSink *error) {
  (void)device;
  (void)stream;
  (void)error;
  memcpy(toPointer(to), from, bytes);
  return TILERUN_STATUS_OK;
}
static TilerunStatus copyFromDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                    void *to, TilerunAddress from, uint64_t bytes,
                                    const TilerunErrorSink *error) {
  (void)device;
  (void)stream;
  (void)error;
  memcpy(to, toPointer(from), bytes);
  return TILERUN_STATUS_OK;
}

static TilerunStatus loadModule(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                                TilerunPluginModule **module, const TilerunErrorSink *error) {
  (void)error;
  if (artifact->num_kernels != 1 || artifact->kernels[0].struct_size != sizeof(kKernel) ||
      artifact->num_bytes != sizeof(kCode))
    return TILERUN_STATUS_INVALID_ARGUMENT;
  *module = malloc(sizeof(TilerunPluginModule));
  (*module)->device = device;
  return TILERUN_STATUS_OK;
}
static void unloadModule(TilerunPluginModule *module) { free(module); }
static TilerunStatus getKernel(TilerunPluginModule *module, const char *name,
                               TilerunPluginKernel **kernel, const TilerunErrorSink *error) {
  (void)error;
  if (strcmp(name, kKernel.name) != 0)
    return TILERUN_STATUS_NOT_FOUND;
  *kernel = (TilerunPluginKernel *)module;
  return TILERUN_STATUS_OK;
}
static TilerunStatus launch(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                            const TilerunPluginLaunch *launch, const TilerunErrorSink *error) {
  struct {
    int32_t *out;
    const int32_t *a, *b;
    int32_t n;
  } arguments;
  (void)stream;
  (void)error;
  if (launch->struct_size < sizeof(*launch) || launch->threads != kKernel.threads ||
      launch->num_bytes != 28)
    return TILERUN_STATUS_INVALID_ARGUMENT;
  memcpy(&arguments, launch->arguments, 28);
  for (int32_t i = 0; i < arguments.n; ++i)
    arguments.out[i] = arguments.a[i] + arguments.b[i];
  ++((TilerunPluginModule *)kernel)->device->launches;
  return TILERUN_STATUS_OK;
}

#if TILERUN_PLUGIN_ABI_MINOR >= 1
static TilerunStatus finalizeArtifact(TilerunPluginDevice *device,
                                      const TilerunPluginArtifact *artifact,
                                      const TilerunPluginArtifact **out,
                                      const TilerunErrorSink *error) {
  (void)device;
  (void)artifact;
  (void)error;
  *out = &kArtifact;
  return TILERUN_STATUS_OK;
}
#endif

static const TilerunPlugin kTable = {
    .struct_size = sizeof(TilerunPlugin),
    .abi_major = TILERUN_PLUGIN_ABI_MAJOR,
    .abi_minor = TILERUN_PLUGIN_ABI_MINOR,
    .name = NAME_OF(TILERUN_PLUGIN_ABI_MINOR),
    .version = VERSION(TILERUN_PLUGIN_ABI_MINOR),
    .description = "built with an earlier header",
    .get_targets = getTargets,
    .compile = compile,
    .release_artifact = releaseArtifact,
    .get_devices = getDevices,
    .open_device = openDevice,
    .close_device = closeDevice,
    .synchronize_device = synchronize,
    .allocate = allocate,
    .free = freeMemory,
    .copy_to_device = copyToDevice,
    .copy_from_device = copyFromDevice,
    .synchronize_stream = synchronizeStream,
    .load_module = loadModule,
    .unload_module = unloadModule,
    .get_kernel = getKernel,
    .launch = launch,
#if TILERUN_PLUGIN_ABI_MINOR >= 1
    .compiler_version = "1",
    .finalize_artifact = finalizeArtifact,
#endif
};

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  return host->abi_major == TILERUN_PLUGIN_ABI_MAJOR ? &kTable : NULL;
}
