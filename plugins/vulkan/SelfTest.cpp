// The self-test kernels of the ABI, by which a device is tested without a compiler. Their code is
// SelfTest.spvasm and SelfTestDelay.spvasm.
#include "plugins/vulkan/Launch.h"

using namespace vulkan;

namespace vulkan {
extern const uint32_t kSelfTestWords[], kSelfTestDelayWords[];
extern const size_t kSelfTestSize, kSelfTestDelaySize;
} // namespace vulkan

using Parameter = KernelCode::Parameter;

static Parameter pointer(const char *name) { return {name, TILERUN_ARGUMENT_POINTER, 64}; }
static Parameter integer(uint16_t bits, const char *name) {
  return {name, TILERUN_ARGUMENT_INTEGER, bits};
}
static Parameter floating(uint16_t bits, const char *name) {
  return {name, TILERUN_ARGUMENT_FLOAT, bits};
}

static KernelCode makeKernel(const char *name, uint32_t threads, std::vector<Parameter> parameters,
                             uint32_t flags = 0) {
  KernelCode kernel;
  kernel.name = kernel.entry = name;
  kernel.threads = threads;
  kernel.flags = flags;
  kernel.parameters = std::move(parameters);
  return kernel;
}

static const TilerunPluginArtifact *find(std::string_view name) {
  ArtifactContent content;
  if (name == "tilerun_test_delay") {
    // A module of its own: not every device has a clock.
    content.kernels = {makeKernel("tilerun_test_delay", 1, {pointer("out"), integer(64, "ns")})};
    content.code.assign(kSelfTestDelayWords, kSelfTestDelayWords + kSelfTestDelaySize);
  } else {
    const KernelCode all[] = {
        makeKernel("tilerun_test_add", 128,
                   {pointer("out"), pointer("a"), pointer("b"), integer(32, "n")}),
        makeKernel("tilerun_test_arguments", 1,
                   {pointer("out"), integer(8, "i8"), integer(16, "i16"), integer(32, "i32"),
                    integer(64, "i64"), floating(16, "f16"), floating(32, "f32"),
                    floating(64, "f64")}),
        makeKernel("tilerun_test_grid", 1, {pointer("out")}),
        makeKernel("tilerun_test_fault", 1, {pointer("address")}, KernelCode::kFaults)};
    for (const KernelCode &kernel : all)
      if (kernel.name == name)
        content.kernels = {kernel};
    content.code.assign(kSelfTestWords, kSelfTestWords + kSelfTestSize);
  }
  if (content.kernels.empty())
    return nullptr;
  return GivenArtifact::make(content, describeNeeds(content, {}));
}

static TilerunStatus getSelfTest(const char *name, const TilerunPluginArtifact **artifact,
                                 const TilerunErrorSink *sink) {
  const TilerunPluginArtifact *found = find(name);
  if (!found)
    return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_self_test", nullptr,
                std::string("there is no self-test kernel '") + name + "'");
  *artifact = found;
  return TILERUN_STATUS_OK;
}

void vulkan::addSelfTestEntries(TilerunPlugin &table) {
  table.get_self_test = getSelfTest;
  table.release_artifact = releaseArtifact;
}
