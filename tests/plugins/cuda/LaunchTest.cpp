// Launches over the fake driver, and devices under failures: too much shared memory, no memory,
// kernels that fault.
#include "tests/plugins/cuda/CudaTest.h"

#include <map>
#include <vector>

using namespace tilerun::plugin;
using namespace cuda_test;

// Counts what this thread allocates, in the plugin and in the fake driver too: their malloc is this
// one. Sanitizers bring their own, and then nothing is counted.
static thread_local unsigned long numAllocations = 0;
static unsigned long countAllocations() { return numAllocations; }
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
namespace {

// A device with one kernel of the self-test, and room for its arguments.
class CudaLaunch : public Cuda {
protected:
  void open(const char *kernelName, uint32_t sharedBytes = 0) {
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
  TilerunPluginKernel *getKernel(const char *name) {
    TilerunPluginKernel *kernel = nullptr;
    EXPECT_EQ(table().get_kernel(module, name, &kernel, keeper.getSink()), TILERUN_STATUS_OK);
    return kernel;
  }
  TilerunStatus launchDelay(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                            TilerunAddress address, uint32_t sharedBytes = 0, uint32_t flags = 0) {
    struct {
      uint64_t out;
      int64_t ns;
    } arguments = {address, 0};
    TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1},         1,     sharedBytes,
                                  &arguments,     sizeof(arguments), flags, 0,
                                  nullptr,        nullptr,           {},    0};
    return table().launch(kernel, stream, &launch, keeper.getSink());
  }
  TilerunStatus launchFault(TilerunPluginKernel *kernel, TilerunPluginStream *stream) {
    uint64_t address = 16;
    TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1,  0, &address, sizeof(address), 0, 0,
                                  nullptr,        nullptr,   {}, 0};
    return table().launch(kernel, stream, &launch, keeper.getSink());
  }
  void close() {
    table().unload_module(module);
    table().release_artifact(artifact);
    table().close_device(device);
    module = nullptr;
    device = nullptr;
  }
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  const TilerunPluginArtifact *artifact = nullptr;
  std::vector<TilerunPluginKernelInfo> infos;
  TilerunPluginModule *module = nullptr;
};

TEST_F(CudaLaunch, GridsOverlapWhereTheyMay) {
  open("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  int plain = countCalls("cuLaunchKernel"), extended = countCalls("cuLaunchKernelEx");
  EXPECT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("cuLaunchKernel"), plain + 1);
  EXPECT_EQ(countCalls("overlap"), 0);
  EXPECT_EQ(launchDelay(kernel, nullptr, address, 0, TILERUN_LAUNCH_OVERLAP), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("cuLaunchKernel"), plain + 1);
  EXPECT_EQ(countCalls("cuLaunchKernelEx"), extended + 1);
  EXPECT_EQ(countCalls("overlap"), 1);
  // A failure is reported as that of any other launch.
  fail("cuLaunchKernelEx", cuda::kLaunchOutOfResources, 0, 1);
  TilerunStatus status = launchDelay(kernel, nullptr, address, 0, TILERUN_LAUNCH_OVERLAP);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("cuLaunchKernelEx(config, function, …) on cuda:0"), std::string::npos)
      << message;
  // A struct from before 1.2 ends before the flags.
  struct {
    uint64_t out;
    int64_t ns;
  } arguments = {address, 0};
  TilerunPluginLaunch old = {offsetof(TilerunPluginLaunch, flags),
                             {1, 1, 1},
                             1,
                             0,
                             &arguments,
                             sizeof(arguments),
                             TILERUN_LAUNCH_OVERLAP,
                             0,
                             nullptr,
                             nullptr,
                             {},
                             0};
  EXPECT_EQ(table().launch(kernel, nullptr, &old, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("overlap"), 1);
  table().free(device, nullptr, address, nullptr);
  close();
}

TEST_F(CudaLaunch, TooMuchSharedMemorySaysByHowMuch) {
  open("tilerun_test_delay", 100 << 10);
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  int attributes = countCalls("cuFuncSetAttribute");
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  EXPECT_EQ(countCalls("cuFuncSetAttribute"), attributes + 1);
  EXPECT_EQ(launchDelay(kernel, nullptr, address, 100 << 10), TILERUN_STATUS_OK);
  TilerunStatus status = launchDelay(kernel, nullptr, address, (100 << 10) + 7);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("'tilerun_test_delay' needs 102407 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("102400 are possible: 7 too many"), std::string::npos) << message;
  // No launch queries it again.
  EXPECT_EQ(countCalls("cuFuncSetAttribute"), attributes + 1);
  close();
  // More than the device has is found when the kernel is fetched.
  open("tilerun_test_delay", (227 << 10) + 1);
  status = table().get_kernel(module, "tilerun_test_delay", &kernel, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  message = keeper.take(status).message;
  EXPECT_NE(message.find("232448 are possible: 1 too many"), std::string::npos) << message;
  close();
}

TEST_F(CudaLaunch, MemoryRunsOutAndComesBack) {
  open("tilerun_test_delay");
  std::vector<TilerunAddress> addresses;
  TilerunStatus status = TILERUN_STATUS_OK;
  for (TilerunAddress address = 0; addresses.size() < 100; addresses.push_back(address)) {
    status = table().allocate(device, nullptr, uint64_t(256) << 20, &address, keeper.getSink());
    if (status)
      break;
  }
  EXPECT_EQ(status, TILERUN_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(addresses.size(), 8u);
  EXPECT_NE(keeper.take(status).message.find("268435456 bytes were requested"), std::string::npos);
  for (TilerunAddress address : addresses)
    EXPECT_EQ(table().free(device, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(launchDelay(getKernel("tilerun_test_delay"), nullptr, address), TILERUN_STATUS_OK);
  close();
}

// A warm launch: two calls of the driver, nothing pushed, nothing allocated.
TEST_F(CudaLaunch, WarmLaunchesDoNothingElse) {
  open("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
  using Push = cuda::CUresult (*)(cuda::CUcontext);
  using Pop = cuda::CUresult (*)(cuda::CUcontext *);
  auto push = reinterpret_cast<Push>(dlsym(library, "cuCtxPushCurrent_v2"));
  auto pop = reinterpret_cast<Pop>(dlsym(library, "cuCtxPopCurrent_v2"));
  uint64_t native = 0;
  ASSERT_EQ(table().get_native_context(device, &native, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(push(reinterpret_cast<cuda::CUcontext>(native)), 0);
  ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  std::map<std::string, int> before;
  for (const char *function : {
#define NAME(member, name, parameters) #member,
           CUDA_FUNCTION_LIST(NAME)
#undef NAME
       })
    before[function] = countCalls(function);
  unsigned long allocated = countAllocations();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  allocated = countAllocations() - allocated;
  for (const auto &[function, calls] : before) {
    bool used = function == "cuLaunchKernel" || function == "cuCtxGetCurrent";
    EXPECT_EQ(countCalls(function.c_str()) - calls, used ? 100 : 0) << function;
  }
  EXPECT_EQ(allocated, 0u);
  cuda::CUcontext popped;
  ASSERT_EQ(pop(&popped), 0);
  close();
}

TEST_F(CudaLaunch, LossNamesTheKernelsThatWereUnderWay) {
  setenv("FAKE_CUDA_REVIVE", "1", 1);
  const TilerunPlugin &t = table();
  open("tilerun_test_delay");
  TilerunPluginKernel *delay = getKernel("tilerun_test_delay");
  TilerunPluginKernel *fault = getKernel("tilerun_test_fault");
  TilerunAddress address = 0;
  ASSERT_EQ(t.allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginStream *first = nullptr, *second = nullptr;
  ASSERT_EQ(t.create_stream(device, &first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_stream(device, &second, keeper.getSink()), TILERUN_STATUS_OK);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(launchDelay(delay, first, address), TILERUN_STATUS_OK);
  ASSERT_EQ(t.synchronize_stream(device, first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(launchFault(fault, second), TILERUN_STATUS_OK);
  TilerunStatus status = t.synchronize_stream(device, first, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  // Synchronized work is not named, and the fault need not be on the stream that reports it.
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("in kernel 'tilerun_test_fault'"), std::string::npos) << message;
  EXPECT_EQ(message.find("tilerun_test_delay"), std::string::npos) << message;
  // Every later call repeats it.
  status = t.get_device_state(device, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  EXPECT_NE(keeper.take(status).message.find("'tilerun_test_fault'"), std::string::npos);
  EXPECT_EQ(launchDelay(delay, first, address), TILERUN_STATUS_DEVICE_LOST);
  t.destroy_stream(first);
  t.destroy_stream(second);
  close();
  EXPECT_EQ(countAlive(), 0);
  // Several candidates: all of them, of streams that are gone as well.
  open("tilerun_test_delay");
  ASSERT_EQ(t.allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_stream(device, &first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(launchDelay(getKernel("tilerun_test_delay"), nullptr, address), TILERUN_STATUS_OK);
  ASSERT_EQ(launchFault(getKernel("tilerun_test_fault"), first), TILERUN_STATUS_OK);
  t.destroy_stream(first);
  status = t.synchronize_device(device, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  message = keeper.take(status).message;
  EXPECT_NE(message.find("under way: 'tilerun_test_delay', 'tilerun_test_fault'"),
            std::string::npos)
      << message;
  close();
  EXPECT_EQ(countAlive(), 0);
}

// With several devices, one's fault may be the answer to every call on the others.
TEST_F(CudaLaunch, LossWithNothingUnderWayMayBeAnothers) {
  setenv("FAKE_CUDA_REVIVE", "1", 1);
  const TilerunPlugin &t = table();
  open("tilerun_test_delay");
  TilerunPluginKernel *delay = getKernel("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(t.allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(launchDelay(delay, nullptr, address), TILERUN_STATUS_OK);
  ASSERT_EQ(t.synchronize_stream(device, nullptr, keeper.getSink()), TILERUN_STATUS_OK);
  fail("cuLaunchKernel", 700, 0, 1);
  TilerunStatus status = launchDelay(delay, nullptr, address);
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  std::string message = keeper.take(status).message;
  EXPECT_EQ(message.find("in kernel"), std::string::npos) << message;
  EXPECT_NE(message.find("another device of this process may have been the cause"),
            std::string::npos)
      << message;
  close();
  // A kernel that was in flight is named, and one that was not even launched is not.
  open("tilerun_test_fault");
  TilerunPluginKernel *fault = getKernel("tilerun_test_fault");
  ASSERT_EQ(launchFault(fault, nullptr), TILERUN_STATUS_OK);
  status = launchFault(fault, nullptr);
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  message = keeper.take(status).message;
  EXPECT_NE(message.find("in kernel 'tilerun_test_fault'"), std::string::npos) << message;
  close();
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(CudaLaunch, ElementsOfAnotherSizeAreRefused) {
  setenv("FAKE_CUDA_REVIVE", "1", 1); // Other tests lost the device.
  const TilerunPlugin &t = table();
  open("tilerun_test_delay");
  TilerunPluginArtifact changed = *artifact;
  changed.kernels = infos.data();
  auto expectRefused = [&](const std::string &text) {
    TilerunPluginModule *none = nullptr;
    TilerunStatus status = t.load_module(device, &changed, &none, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
    std::string message = keeper.take(status).message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
    const TilerunPluginArtifact *binary = nullptr;
    EXPECT_EQ(t.finalize_artifact(device, &changed, &binary, nullptr),
              TILERUN_STATUS_INVALID_ARGUMENT);
  };
  infos[0].struct_size += 8;
  expectRefused("kernel 0 of the artifact has the struct_size 40, not 32, which is fixed");
  infos[0].struct_size -= 8;
  std::vector<TilerunPluginParameter> parameters(infos[0].parameters,
                                                 infos[0].parameters + infos[0].num_parameters);
  parameters[1].struct_size = 24;
  infos[0].parameters = parameters.data();
  expectRefused("parameter 1 of kernel 0 of the artifact has the struct_size 24, not 16");
  close();
}

TEST_F(CudaLaunch, DerivedParametersThatCannotBePassedAreRefused) {
  setenv("FAKE_CUDA_REVIVE", "1", 1); // Other tests lost the device.
  const TilerunPlugin &t = table();
  open("tilerun_test_persistent");
  // Conformance launches it with its words.
  TilerunPluginKernel *kernel = getKernel("tilerun_test_persistent");
  const struct {
    uint64_t out = 0;
    int32_t n = 0;
  } arguments;
  TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1,  0, &arguments, 12, 0, 0,
                                nullptr,        nullptr,   {}, 0};
  auto expectRefused = [&](TilerunStatus status, const std::string &text) {
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
    std::string message = keeper.take(status).message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  expectRefused(t.launch(kernel, nullptr, &launch, keeper.getSink()),
                "the launch lacks the derived parameters: kernel 'tilerun_test_persistent'");
  TilerunPluginModule *none = nullptr;
  TilerunPluginDerived map = *artifact->details[0]->derived[0];
  map.form = "tensor-map";
  const TilerunPluginDerived *derived[] = {&map};
  TilerunPluginKernelDetails changed = *artifact->details[0];
  changed.derived = derived;
  const TilerunPluginKernelDetails *details[] = {&changed};
  TilerunPluginArtifact other = *artifact;
  other.details = details;
  expectRefused(t.load_module(device, &other, &none, keeper.getSink()),
                "kernel 0 of the artifact has a derived parameter of the form 'tensor-map', which "
                "this plugin does not know");
  map.form = "words";
  infos[0].num_parameters = 512;
  std::vector<TilerunPluginParameter> many(512, *infos[0].parameters);
  infos[0].parameters = many.data();
  other.kernels = infos.data();
  expectRefused(t.load_module(device, &other, &none, keeper.getSink()),
                "kernel 0 of the artifact has more than 512 parameters, some of which are derived");
  close();
}

TEST_F(CudaLaunch, AFreshContextWorksAfterALossIfTheDriverGivesOne) {
  const TilerunPlugin &t = table();
  setenv("FAKE_CUDA_REVIVE", "1", 1);
  TilerunPluginDevice *other = nullptr;
  ASSERT_EQ(t.open_device(1, nullptr, &other, keeper.getSink()), TILERUN_STATUS_OK);
  for (int round = 0; round < 3; ++round) {
    open("tilerun_test_fault");
    ASSERT_EQ(launchFault(getKernel("tilerun_test_fault"), nullptr), TILERUN_STATUS_OK);
    EXPECT_EQ(t.synchronize_device(device, keeper.getSink()), TILERUN_STATUS_DEVICE_LOST);
    EXPECT_EQ(t.synchronize_device(other, keeper.getSink()), TILERUN_STATUS_OK);
    close();
    Error error;
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  }
  // A driver that gives none: reported, with a remedy and the kernel that lost it. Other devices
  // stay usable.
  unsetenv("FAKE_CUDA_REVIVE");
  TilerunStatus status = t.open_device(0, nullptr, &device, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("start a new process"), std::string::npos) << message;
  EXPECT_NE(message.find("in kernel 'tilerun_test_fault'"), std::string::npos) << message;
  EXPECT_EQ(t.synchronize_device(other, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunAddress address = 0;
  EXPECT_EQ(t.allocate(other, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.free(other, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  t.close_device(other);
  EXPECT_EQ(countAlive(), 0);
}

} // namespace
