// Plugins that were built with the header of every minor version so far: this runtime loads each,
// compiles with it, launches, and keeps the compiled code if the version knows of caches.
#include "runtime/plugin/Plugin.h"

#include <tilerun/tilerun.hpp>

#include <algorithm>
#include <gtest/gtest.h>

using namespace tilerun;

namespace {

constexpr const char *kSource = R"(import triton
import triton.language as tl


@triton.jit
def tilerun_test_add(out, a, b, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)
)";

class Abi : public testing::TestWithParam<int> {
protected:
  const std::string name = "abi1-" + std::to_string(GetParam());
  const std::string file = std::string(PLUGIN_FOLDER) + "/libtilerun-" + name + ".so";
};
INSTANTIATE_TEST_SUITE_P(Minor, Abi, testing::Range(0, TILERUN_PLUGIN_ABI_MINOR + 1),
                         [](const auto &info) { return "1_" + std::to_string(info.param); });

TEST_P(Abi, RunsAKernel) {
  Runtime runtime(TilerunRuntimeOptions{sizeof(TilerunRuntimeOptions), 0, nullptr, nullptr, "",
                                        nullptr, nullptr, 0, 0});
  runtime.loadPlugin(file);
  Device device = runtime.open(name + ":0");
  Stream stream = device.stream();
  Kernel kernel = runtime.loadText("k.py", kSource, "tilerun_test_add");
  std::vector<int32_t> a(1000), b(1000);
  for (int i = 0; i < 1000; ++i) {
    a[i] = i;
    b[i] = 7 * i + 1;
  }
  Buffer<int32_t> x(stream, a), y(stream, b), out(stream, 1000);
  for (int round = 0; round < 2; ++round)
    kernel.launch(stream, {8}, out, x, y, 1000, 128);
  std::vector<int32_t> sums = out.read();
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(sums[i], 8 * i + 1) << i;
}

// Later additions are missing, and not read from past the end of the plugin's table.
TEST_P(Abi, LaterEntriesAreNull) {
  std::string reason;
  std::shared_ptr<const plugin::Plugin> plugin = plugin::Plugin::load(file, reason);
  ASSERT_TRUE(plugin) << reason;
  EXPECT_EQ(plugin->getOwnTable().abi_minor, uint32_t(GetParam()));
  const TilerunPlugin &table = plugin->getTable();
  EXPECT_EQ(plugin->getOwnTable().struct_size, GetParam() < 1   ? 360u
                                               : GetParam() < 4 ? 376u
                                                                : sizeof(TilerunPlugin));
  EXPECT_EQ(table.compiler_version != nullptr, GetParam() >= 1);
  EXPECT_EQ(table.finalize_artifact != nullptr, GetParam() >= 1);
  EXPECT_EQ(table.get_phases, nullptr);
  EXPECT_TRUE(plugin->getPhases(name + ":host", reason).empty());
  EXPECT_EQ(reason, "plugin '" + name + "' does not list its phases");
}

} // namespace
