// The plugin `cpu` through the C ABI: the parts that the conformance suite cannot test, because it
// knows no compiler: compile options, faults of kernels, printing, artifacts.
#include "runtime/plugin/Plugin.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace tilerun::plugin;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class CpuPlugin : public testing::Test {
protected:
  static void SetUpTestSuite() {
    std::string reason;
    plugin = Plugin::load(CPU_PLUGIN, reason);
    ASSERT_TRUE(plugin) << reason;
  }
  void SetUp() override {
    ASSERT_EQ(table().open_device(0, nullptr, &device, nullptr), TILERUN_STATUS_OK);
  }
  void TearDown() override {
    table().unload_module(module);
    table().release_artifact(artifact);
    table().close_device(device);
  }
  static const TilerunPlugin &table() { return plugin->getTable(); }

  TilerunStatus judge(TilerunStatus status) {
    auto error = errors.take(status);
    message = error.message;
    findings = error.driverWord;
    return status;
  }
  TilerunStatus compileBytes(const std::string &bytes, const char *target = "cpu:interpreter",
                             std::vector<TilerunPluginOption> options = {}) {
    table().release_artifact(artifact);
    artifact = nullptr;
    TilerunPluginCompileRequest request = {sizeof(request),
                                           static_cast<uint32_t>(options.size()),
                                           reinterpret_cast<const uint8_t *>(bytes.data()),
                                           bytes.size(),
                                           target,
                                           options.data()};
    return judge(table().compile(&request, &artifact, errors.getSink()));
  }
  std::string getArtifactBytes() const {
    return {reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes};
  }
  /// Loads the artifact's kernel and prepares a launch of one program.
  TilerunPluginKernel *load() {
    table().unload_module(module);
    module = nullptr;
    EXPECT_EQ(judge(table().load_module(device, artifact, &module, errors.getSink())),
              TILERUN_STATUS_OK)
        << message;
    TilerunPluginKernel *kernel = nullptr;
    if (module)
      table().get_kernel(module, artifact->kernels[0].name, &kernel, nullptr);
    launch = {sizeof(launch),
              {1, 1, 1},
              artifact->kernels[0].threads,
              0,
              packed,
              0,
              0,
              0,
              nullptr,
              nullptr,
              {},
              0};
    return kernel;
  }
  template <typename... T> void setArguments(T... values) {
    size_t offset = 0;
    auto add = [&](auto value) {
      offset = (offset + sizeof(value) - 1) / sizeof(value) * sizeof(value);
      std::memcpy(packed + offset, &value, sizeof(value));
      offset += sizeof(value);
    };
    (add(values), ...);
    launch.num_bytes = offset;
  }
  TilerunAddress allocate(uint64_t bytes) {
    TilerunAddress address = 0;
    EXPECT_EQ(table().allocate(device, nullptr, bytes, &address, nullptr), TILERUN_STATUS_OK);
    return address;
  }
  TilerunStatus wait() {
    return judge(table().synchronize_stream(device, nullptr, errors.getSink()));
  }

  static std::shared_ptr<const Plugin> plugin;
  ErrorKeeper errors;
  std::string message, findings;
  TilerunPluginDevice *device = nullptr;
  TilerunPluginModule *module = nullptr;
  const TilerunPluginArtifact *artifact = nullptr;
  TilerunPluginLaunch launch = {};
  alignas(8) uint8_t packed[256] = {};
};
std::shared_ptr<const Plugin> CpuPlugin::plugin;

// The bytecode of a self-test kernel is what follows the artifact's header.
std::string getCode(const std::string &artifact) {
  size_t at = artifact.find("\ncode\n");
  return at == std::string::npos ? "" : artifact.substr(at + 6);
}

TEST_F(CpuPlugin, NamesDevicesSelfTestsAndKernelsThatDoNotExist) {
  TilerunPluginDevice *none = nullptr;
  EXPECT_EQ(judge(table().open_device(1, nullptr, &none, errors.getSink())),
            TILERUN_STATUS_UNAVAILABLE);
  EXPECT_NE(message.find("device 1 does not exist; the only device is 0"), std::string::npos)
      << message;
  EXPECT_EQ(judge(table().get_self_test("tilerun_test_ad", &artifact, errors.getSink())),
            TILERUN_STATUS_NOT_FOUND);
  EXPECT_NE(message.find("self-test kernel 'tilerun_test_ad' does not exist"), std::string::npos)
      << message;
  ASSERT_EQ(table().get_self_test("tilerun_test_add", &artifact, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(table().load_module(device, artifact, &module, nullptr), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = nullptr;
  EXPECT_EQ(judge(table().get_kernel(module, "add", &kernel, errors.getSink())),
            TILERUN_STATUS_NOT_FOUND);
  EXPECT_NE(message.find("kernel 'add' was not found; the module has 'tilerun_test_add'"),
            std::string::npos)
      << message;
}

TEST_F(CpuPlugin, CompilesBytecodeAndRunsIt) {
  const TilerunPluginArtifact *test = nullptr;
  ASSERT_EQ(table().get_self_test("tilerun_test_add", &test, nullptr), TILERUN_STATUS_OK);
  std::string code =
      getCode({reinterpret_cast<const char *>(test->bytes), size_t(test->num_bytes)});
  table().release_artifact(test);
  ASSERT_EQ(compileBytes(code, "cpu:interpreter", {{"num-warps", "4"}, {"opt-level", "3"}}),
            TILERUN_STATUS_OK)
      << message;
  ASSERT_EQ(artifact->num_kernels, 1u);
  const TilerunPluginKernelInfo &info = artifact->kernels[0];
  EXPECT_STREQ(info.name, "tilerun_test_add");
  EXPECT_EQ(info.threads, 1u);
  ASSERT_EQ(info.num_parameters, 4u);
  EXPECT_STREQ(info.parameters[0].name, "out");
  EXPECT_EQ(info.parameters[0].kind, TILERUN_ARGUMENT_POINTER);
  EXPECT_STREQ(info.parameters[3].name, "n");
  EXPECT_EQ(info.parameters[3].bits, 32);

  TilerunPluginKernel *kernel = load();
  TilerunAddress a = allocate(16), out = allocate(16);
  const int32_t values[4] = {1, 2, 3, 4};
  ASSERT_FALSE(table().copy_to_device(device, nullptr, a, values, 16, nullptr));
  setArguments(out, a, a, int32_t(4));
  ASSERT_FALSE(judge(table().launch(kernel, nullptr, &launch, errors.getSink()))) << message;
  int32_t result[4] = {};
  ASSERT_FALSE(table().copy_from_device(device, nullptr, result, out, 16, nullptr));
  EXPECT_EQ(result[3], 8);
}

TEST_F(CpuPlugin, TheSameRequestGivesTheSameBytes) {
  std::string code = readFile(KERNELS "/faults.mlirbc");
  ASSERT_FALSE(code.empty());
  ASSERT_FALSE(compileBytes(code)) << message;
  std::string first = getArtifactBytes();
  ASSERT_FALSE(compileBytes(code)) << message;
  EXPECT_EQ(first, getArtifactBytes());
  ASSERT_FALSE(compileBytes(code, "cpu:interpreter", {{"debug", "true"}})) << message;
  EXPECT_NE(first, getArtifactBytes());
}

TEST_F(CpuPlugin, AFailedAssertionIsAFaultOfTheStream) {
  ASSERT_FALSE(compileBytes(readFile(KERNELS "/faults.mlirbc"), "cpu", {{"debug", "true"}}))
      << message;
  TilerunPluginKernel *kernel = load();
  TilerunAddress x = allocate(64);
  setArguments(x, int32_t(-1)); // The kernel wants n >= 0.
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_FAULT);
  EXPECT_NE(message.find("n is negative"), std::string::npos) << message;
  EXPECT_NE(message.find("synchronize_stream on cpu:0: "), std::string::npos) << message;
  EXPECT_EQ(message.find("cpu: launch: "), std::string::npos) << message;
  // Reported once; the device stays usable.
  EXPECT_EQ(wait(), TILERUN_STATUS_OK) << message;
  setArguments(x, int32_t(3));
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_OK) << message;
}

TEST_F(CpuPlugin, AnEventTellsTheFaultToo) {
  ASSERT_FALSE(compileBytes(readFile(KERNELS "/faults.mlirbc"), "cpu", {{"debug", "true"}}));
  TilerunPluginKernel *kernel = load();
  TilerunPluginEvent *event = nullptr;
  ASSERT_FALSE(table().create_event(device, 0, &event, nullptr));
  setArguments(allocate(64), int32_t(-1));
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  ASSERT_FALSE(table().record_event(event, nullptr, nullptr));
  EXPECT_EQ(judge(table().synchronize_event(event, errors.getSink())), TILERUN_STATUS_FAULT);
  EXPECT_NE(message.find("n is negative"), std::string::npos) << message;
  table().destroy_event(event);
}

TEST_F(CpuPlugin, TheFaultOfADestroyedStreamIsToldByTheDevice) {
  ASSERT_FALSE(compileBytes(readFile(KERNELS "/faults.mlirbc"), "cpu", {{"debug", "true"}}));
  TilerunPluginKernel *kernel = load();
  TilerunPluginStream *stream = nullptr;
  ASSERT_FALSE(table().create_stream(device, &stream, nullptr));
  setArguments(allocate(64), int32_t(-1));
  ASSERT_FALSE(table().launch(kernel, stream, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_OK) << "another stream is not concerned: " << message;
  table().destroy_stream(stream);
  EXPECT_EQ(judge(table().synchronize_device(device, errors.getSink())), TILERUN_STATUS_FAULT);
  EXPECT_NE(message.find("n is negative"), std::string::npos) << message;
}

TEST_F(CpuPlugin, OutOfBoundsIsAFault) {
  ASSERT_FALSE(compileBytes(readFile(KERNELS "/faults.mlirbc"))) << message;
  TilerunPluginKernel *kernel = load();
  TilerunAddress x = allocate(64);
  setArguments(x, int32_t(16)); // x[16] of 16 elements.
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_FAULT);
  EXPECT_NE(message.find("'x'[16], outside of its 16 elements"), std::string::npos) << message;
  EXPECT_NE(message.find("kernel 'faults', program (0, 0, 0)"), std::string::npos) << message;
  // The range that the host declares counts: a piece of the allocation.
  const TilerunMemoryRange ranges[] = {{x, 12, nullptr, nullptr, 0, 0}, {}};
  launch.ranges = ranges;
  setArguments(x, int32_t(3));
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_FAULT);
  EXPECT_NE(message.find("'x'[3], outside of its 3 elements"), std::string::npos) << message;
  // A host of before ABI 1.3 has no ranges.
  launch.struct_size = offsetof(TilerunPluginLaunch, ranges);
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_OK) << message;
}

TEST_F(CpuPlugin, OutOfBoundsIsAFaultWhenChecksAreOn) {
  ASSERT_FALSE(compileBytes(readFile(KERNELS "/faults.mlirbc"), "cpu", {{"checks", "true"}}))
      << message;
  TilerunPluginKernel *kernel = load();
  TilerunAddress x = allocate(64);
  setArguments(x, int32_t(16)); // x[16] of 16 elements.
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_FAULT);
  EXPECT_NE(message.find("kernel 'faults', program (0, 0, 0)"), std::string::npos) << message;
  EXPECT_NE(message.find("'x'[16], outside of its 16 elements"), std::string::npos) << message;
  EXPECT_EQ(table().get_device_state(device, nullptr), TILERUN_STATUS_OK);
}

// For programs, each finding is an object in a list, which is the driver's word of the fault.
TEST_F(CpuPlugin, WhichChecksIsAnOptionAndFindingsAreTold) {
  std::string code = readFile(KERNELS "/faults.mlirbc");
  ASSERT_FALSE(compileBytes(code, "cpu", {{"checks", "races,bounds"}, {"threads", "3"}}))
      << message;
  EXPECT_NE(getArtifactBytes().find("\nchecks bounds,races\nthreads 3\n"), std::string::npos);
  TilerunPluginKernel *kernel = load();
  TilerunAddress x = allocate(64);
  setArguments(x, int32_t(16));
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_FAULT);
  const std::string one =
      R"({"call_stack":[],"count":1,"element":[],"kernel":"faults","kind":"out-of-bounds-write",)"
      R"("message":"write of 4 bytes at 'x'[16], outside of its 16 elements",)"
      R"("position":{"column":)";
  EXPECT_EQ(findings.substr(0, one.size() + 1), "[" + one) << findings;
  EXPECT_NE(findings.find("\"severity\":\"error\"},{\"call_stack\""), std::string::npos)
      << findings;
  EXPECT_EQ(wait(), TILERUN_STATUS_OK); // It is reported once.
  // Other checks find nothing wrong, and a fault without findings reports none.
  ASSERT_FALSE(compileBytes(code, "cpu", {{"checks", "overflow,unwritten"}})) << message;
  kernel = load();
  setArguments(x, int32_t(3));
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_OK) << message;
  ASSERT_FALSE(compileBytes(code, "cpu", {{"checks", "false"}})) << message;
  kernel = load();
  setArguments(x, int32_t(16));
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(wait(), TILERUN_STATUS_FAULT);
  EXPECT_EQ(findings, "");
}

TEST_F(CpuPlugin, PrintsToStdoutWhenTheLaunchIsDone) {
  ASSERT_FALSE(compileBytes(readFile(KERNELS "/faults.mlirbc"))) << message;
  TilerunPluginKernel *kernel = load();
  setArguments(allocate(64), int32_t(3));
  testing::internal::CaptureStdout();
  ASSERT_FALSE(table().launch(kernel, nullptr, &launch, nullptr));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "pid (0, 0, 0) idx () n = 3\n");
}

TEST_F(CpuPlugin, ErrorsOfCompilingSayWhatIsWrong) {
  const struct {
    TilerunPluginOption option;
    const char *text;
  } cases[] = {
      {{"debug", "yes"}, "option 'debug' is 'yes', not true or false"},
      {{"num-warps", "many"}, "option 'num-warps' is 'many', not a number"},
      {{"opt-level", "9"}, "option 'opt-level' is '9', not a number from 0 to 3"},
      {{"threads", "-1"}, "option 'threads' is '-1', not a number"},
      {{"checks", "races,all"},
       "option 'checks' is 'races,all', but 'all' is not a check; the option takes true, false, or "
       "a "
       "list of bounds, uninitialized, races, overflow, nan-inf, unwritten, masked-values"},
      {{"num-wraps", "4"},
       "unknown option 'num-wraps'; options are num-warps (a number; it changes nothing), "}};
  for (const auto &[option, text] : cases) {
    EXPECT_EQ(compileBytes("", "cpu", {option}), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
  EXPECT_EQ(compileBytes("", "cpu:z80"), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(message.find("the only target is 'cpu:interpreter'"), std::string::npos) << message;
  EXPECT_EQ(compileBytes("func.func"), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("not MLIR bytecode"), std::string::npos) << message;
}

TEST_F(CpuPlugin, DamagedArtifactsAreRefused) {
  ASSERT_FALSE(compileBytes(readFile(KERNELS "/faults.mlirbc"))) << message;
  std::string whole = getArtifactBytes();
  TilerunPluginArtifact copy = *artifact;
  auto tryLoad = [&](const std::string &bytes) {
    copy.bytes = reinterpret_cast<const uint8_t *>(bytes.data());
    copy.num_bytes = bytes.size();
    return judge(table().load_module(device, &copy, &module, errors.getSink()));
  };
  // Every cut, as of a file that was not written to its end.
  for (size_t size = 0; size < whole.size(); size += 1 + size / 16)
    EXPECT_EQ(tryLoad(whole.substr(0, size)), TILERUN_STATUS_COMPILE) << size << ": " << message;
  std::string other = whole;
  other.replace(other.find("faults"), 6, "Faults");
  EXPECT_NE(tryLoad(other), TILERUN_STATUS_OK);
}

TEST_F(CpuPlugin, ForeignStreamsAreRefused) {
  TilerunPluginStream *stream = nullptr;
  EXPECT_EQ(judge(table().adopt_stream(device, 12345, &stream, errors.getSink())),
            TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(message.find("get_native_stream"), std::string::npos) << message;
}

TEST_F(CpuPlugin, PinnedMemoryIsTold) {
  void *pointer = nullptr;
  ASSERT_FALSE(table().allocate_host(device, 100, &pointer, nullptr));
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  auto address = static_cast<TilerunAddress>(reinterpret_cast<uintptr_t>(pointer));
  ASSERT_FALSE(table().get_pointer_info(device, address + 99, &info, nullptr));
  EXPECT_TRUE(info.on_host);
  // Device memory is not freed as host memory.
  TilerunAddress memory = allocate(16);
  EXPECT_EQ(table().free_host(device, reinterpret_cast<void *>(memory), nullptr),
            TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_FALSE(table().free_host(device, pointer, nullptr));
}

} // namespace
