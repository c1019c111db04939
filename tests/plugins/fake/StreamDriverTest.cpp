// See StreamDriverTest.h.
#include "tests/plugins/fake/StreamDriverTest.h"

#include "runtime/plugin/Probe.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tilerun::plugin;
using namespace stream_driver_test;
using namespace std::chrono_literals;

// In the plugin and in the fake driver too: their malloc is this one.
static thread_local unsigned long numAllocations = 0;
unsigned long stream_driver_test::countAllocations() { return numAllocations; }
#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
extern "C" void *__libc_malloc(size_t bytes); // NOLINT(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) void *malloc(size_t bytes) {
  ++numAllocations;
  return __libc_malloc(bytes);
}
#endif

void StreamDriver::SetUpTestSuite() {
  const DriverNames &names = getNames();
  setenv(names.variable, names.fake, 1);
  std::string reason;
  plugin = Plugin::load(names.plugin, reason);
  ASSERT_TRUE(plugin) << reason;
  ASSERT_EQ(plugin->getDevices(reason).size(), 2u) << reason;
  library = dlopen(names.fake, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_TRUE(library);
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, (std::string(names.controls) + name).c_str()));
    ASSERT_TRUE(function) << name;
  };
  find(fail, "Fail");
  find(reset, "Reset");
  find(countAlive, "CountAlive");
  find(countCalls, "CountCalls");
}

StreamDriver::~StreamDriver() {
  reset();
  unsetenv(getNames().revive);
}

std::string
StreamDriver::getReason(const char *helper,
                        std::initializer_list<std::pair<const char *, const char *>> environment) {
  setenv(getNames().variable, getNames().fake, 1);
  for (auto [name, value] : environment)
    setenv(name, value, 1);
  ProbeReport report = probe(helper, getNames().plugin, 60s);
  for (auto [name, value] : environment)
    unsetenv(name);
  setenv(getNames().variable, getNames().fake, 1);
  EXPECT_EQ(report.reason, "");
  EXPECT_EQ(report.devices.empty(), !report.noDevices.empty());
  return report.noDevices;
}

TilerunStatus StreamDriver::runAll(Error &error) {
  plugin_test::DeviceUse use(table());
  const TilerunPlugin &t = use.t;
  const TilerunErrorSink *sink = use.sink;
  const TilerunPluginArtifact *binary = nullptr;
  TilerunPluginModule *portable = nullptr;
  TilerunPluginKernel *kernel = nullptr;
  int32_t value = 20;
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  auto run = [&]() -> TilerunStatus {
    PLUGIN_TEST_TRY(use.open());
    PLUGIN_TEST_TRY(t.allocate(use.device, use.stream, 64, &use.a, sink));
    PLUGIN_TEST_TRY(t.allocate(use.device, use.stream, 64, &use.b, sink));
    PLUGIN_TEST_TRY(t.allocate_host(use.device, 64, &use.pinned, sink));
    PLUGIN_TEST_TRY(t.get_pointer_info(use.device, use.a, &info, sink));
    PLUGIN_TEST_TRY(t.fill(use.device, use.stream, use.a, 1, 1, 64, sink));
    PLUGIN_TEST_TRY(t.fill(use.device, use.stream, use.a, 1, 2, 64, sink));
    PLUGIN_TEST_TRY(t.fill(use.device, use.stream, use.a, 0, 4, 64, sink));
    PLUGIN_TEST_TRY(t.copy_to_device(use.device, use.stream, use.a, &value, 4, sink));
    PLUGIN_TEST_TRY(t.get_self_test("tilerun_test_delay", &use.artifact, sink));
    PLUGIN_TEST_TRY(t.load_module(use.device, use.artifact, &portable, sink));
    if (t.finalize_artifact)
      PLUGIN_TEST_TRY(t.finalize_artifact(use.device, use.artifact, &binary, sink));
    const TilerunPluginArtifact *final = binary ? binary : use.artifact;
    PLUGIN_TEST_TRY(t.load_module(use.device, final, &use.module, sink));
    PLUGIN_TEST_TRY(t.get_kernel(use.module, "tilerun_test_delay", &kernel, sink));
    PLUGIN_TEST_TRY(
        t.get_kernel_property(kernel, TILERUN_KERNEL_PROPERTY_REGISTERS, &use.property, sink));
    return use.launch(kernel, value);
  };
  TilerunStatus status = run();
  t.unload_module(portable);
  t.release_artifact(binary);
  error = use.release(status);
  EXPECT_TRUE(status || value == 21) << value;
  return status;
}

void StreamDriverLaunch::open(const char *kernelName, uint32_t sharedBytes) {
  const TilerunPlugin &t = table();
  ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.get_self_test(kernelName, &artifact, keeper.getSink()), TILERUN_STATUS_OK);
  infos.assign(artifact->kernels, artifact->kernels + artifact->num_kernels);
  for (TilerunPluginKernelInfo &info : infos)
    info.shared_bytes = sharedBytes;
  TilerunPluginArtifact changed = *artifact;
  changed.kernels = infos.data();
  ASSERT_EQ(t.load_module(device, &changed, &module, keeper.getSink()), TILERUN_STATUS_OK);
}
TilerunPluginKernel *StreamDriverLaunch::getKernel(const char *name) {
  TilerunPluginKernel *kernel = nullptr;
  EXPECT_EQ(table().get_kernel(module, name, &kernel, keeper.getSink()), TILERUN_STATUS_OK);
  return kernel;
}
TilerunStatus StreamDriverLaunch::launchDelay(TilerunPluginKernel *kernel,
                                              TilerunPluginStream *stream, TilerunAddress address,
                                              uint32_t sharedBytes, uint32_t flags) {
  struct {
    uint64_t out;
    int64_t ns;
  } arguments = {address, 0};
  TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1},         1,     sharedBytes,
                                &arguments,     sizeof(arguments), flags, 0,
                                nullptr,        nullptr,           {},    0};
  return table().launch(kernel, stream, &launch, keeper.getSink());
}
TilerunStatus StreamDriverLaunch::launchFault(TilerunPluginKernel *kernel,
                                              TilerunPluginStream *stream) {
  uint64_t address = 16;
  TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1,  0, &address, sizeof(address), 0, 0,
                                nullptr,        nullptr,   {}, 0};
  return table().launch(kernel, stream, &launch, keeper.getSink());
}
void StreamDriverLaunch::close() {
  table().unload_module(module);
  table().release_artifact(artifact);
  table().close_device(device);
  module = nullptr;
  device = nullptr;
}
