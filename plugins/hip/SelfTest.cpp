// The self-test kernels of the ABI as code objects of every architecture (SelfTest.ll), by which a
// device is tested without a compiler. An artifact has all of them, since it is asked for without a
// device.
#include "plugins/hip/CodeObject.h"
#include "plugins/hip/Device.h"
#include "plugins/hip/SelfTestObjects.h"
#include "plugins/support/SelfTests.h"

#include <vector>

using namespace hip;

static const std::string &getBundle() {
  static const std::string bundle = [] {
    std::vector<std::pair<std::string_view, std::string_view>> objects;
    for (const SelfTestObject *object = kSelfTestObjects; object->target; ++object)
      objects.emplace_back(object->target, std::string_view(object->bytes, object->numBytes));
    return makeBundle(objects);
  }();
  return bundle;
}

void hip::addSelfTestEntries(TilerunPlugin &table) {
  table.get_self_test = [](const char *name, const TilerunPluginArtifact **artifact,
                           const TilerunErrorSink *sink) {
    if (std::string_view(name) == "tilerun_test_cluster")
      return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_self_test", "hip",
                  "these devices have no clusters of programs");
    auto getCode = [](int) -> std::pair<std::string, const char *> {
      return {getBundle(), "hip:bundle:cov5"};
    };
    return giveSelfTest("hip", name, getCode, artifact, sink);
  };
}
