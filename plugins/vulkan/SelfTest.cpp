// The self-test kernels of the ABI, by which a device is tested without a compiler. Their code is
// SelfTest.spvasm and SelfTestDelay.spvasm.
#include "plugins/support/SelfTests.h"
#include "plugins/vulkan/Launch.h"

using namespace vulkan;

namespace vulkan {
extern const uint32_t kSelfTestWords[], kSelfTestDelayWords[];
extern const size_t kSelfTestSize, kSelfTestDelaySize;
} // namespace vulkan

// As every plugin describes it.
static KernelCode makeKernel(const TilerunPluginKernelInfo &info) {
  KernelCode kernel;
  kernel.name = kernel.entry = info.name;
  kernel.threads = info.threads;
  for (const TilerunPluginParameter &parameter :
       llvm::ArrayRef(info.parameters, info.num_parameters))
    kernel.parameters.push_back(KernelCode::Parameter::make(parameter));
  if (kernel.name == "tilerun_test_fault")
    kernel.flags = KernelCode::kFaults;
  return kernel;
}

static const TilerunPluginArtifact *find(std::string_view name) {
  const int found = tilerun::plugin_support::findSelfTest(name);
  // There are no derived parameters, and no clusters.
  if (found < 0 || tilerun::plugin_support::kSelfTestDetails[found])
    return nullptr;
  ArtifactContent content;
  content.kernels = {makeKernel(tilerun::plugin_support::kSelfTests[found])};
  // A separate module: not every device has a clock.
  if (name == "tilerun_test_delay")
    content.code.assign(kSelfTestDelayWords, kSelfTestDelayWords + kSelfTestDelaySize);
  else
    content.code.assign(kSelfTestWords, kSelfTestWords + kSelfTestSize);
  return giveArtifact(content, describeNeeds(content, {}));
}

static TilerunStatus getSelfTest(const char *name, const TilerunPluginArtifact **artifact,
                                 const TilerunErrorSink *sink) {
  const TilerunPluginArtifact *found = find(name);
  if (!found)
    return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_self_test", "vulkan",
                std::string("self-test kernel '") + name + "' does not exist");
  *artifact = found;
  return TILERUN_STATUS_OK;
}

void vulkan::addSelfTestEntries(TilerunPlugin &table) {
  table.get_self_test = getSelfTest;
  table.release_artifact = OwnedArtifact::release;
}
