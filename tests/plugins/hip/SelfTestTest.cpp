// The self-test kernels on the emulated device: for each architecture that it knows, they do what
// the ABI says, and nothing that its checks find.
#include "emulators/amdgpu/Device.h"
#include "plugins/hip/SelfTestObjects.h"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

using namespace tilerun::amdsim;

namespace {

/// Packed arguments, each at its natural alignment.
class Arguments {
public:
  template <typename T> Arguments &add(const T &value) {
    bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto *begin = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
    return *this;
  }
  std::vector<uint8_t> bytes;
};

class SelfTest : public testing::TestWithParam<const hip::SelfTestObject *> {
protected:
  void SetUp() override {
    auto made = Device::create(GetParam()->target);
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    device = std::move(*made);
    auto loaded = device->load({GetParam()->bytes, GetParam()->numBytes});
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    module = std::move(*loaded);
  }
  /// What is wrong with the kernel, a line each.
  std::string run(const char *kernel, const Arguments &arguments,
                  std::initializer_list<uint32_t> grid, uint32_t threads = 1) {
    LaunchOptions options;
    std::copy(grid.begin(), grid.end(), options.grid);
    options.threads[0] = threads;
    auto result = device->launch(*module, kernel, arguments.bytes, options);
    if (!result)
      return llvm::toString(result.takeError());
    std::string text;
    for (const Finding &finding : result->findings)
      text += finding.message() + "\n";
    return text;
  }
  void launch(const char *kernel, const Arguments &arguments, std::initializer_list<uint32_t> grid,
              uint32_t threads = 1) {
    EXPECT_EQ(run(kernel, arguments, grid, threads), "");
  }
  template <typename T> T *allocate(size_t count, T value = {}) {
    auto *memory = reinterpret_cast<T *>(device->memory().allocate(count * sizeof(T)));
    std::fill_n(memory, count, value);
    return memory;
  }
  std::unique_ptr<Device> device;
  std::unique_ptr<Module> module;
};

TEST_P(SelfTest, Add) {
  constexpr int kCount = 300;
  auto *out = allocate<int32_t>(kCount + 1, -7), *a = allocate<int32_t>(kCount),
       *b = allocate<int32_t>(kCount);
  for (int i = 0; i < kCount; ++i)
    a[i] = i * 3, b[i] = INT32_MAX - i;
  launch("tilerun_test_add", Arguments().add(out).add(a).add(b).add(kCount), {3}, 128);
  for (int i = 0; i < kCount; ++i)
    EXPECT_EQ(uint32_t(out[i]), uint32_t(a[i]) + uint32_t(b[i])) << i;
  EXPECT_EQ(out[kCount], -7);
}

TEST_P(SelfTest, Arguments) {
  auto *out = allocate<uint64_t>(7);
  const float f32 = -1e-42f;
  const double f64 = -5e-324;
  launch("tilerun_test_arguments",
         Arguments()
             .add(out)
             .add(int8_t(-1))
             .add(int16_t(-2))
             .add(int32_t(-3))
             .add(int64_t(-4))
             .add(uint16_t(0x7E01))
             .add(f32)
             .add(f64),
         {1});
  const uint64_t expected[] = {0xFF,
                               0xFFFE,
                               0xFFFFFFFD,
                               uint64_t(-4),
                               0x7E01,
                               std::bit_cast<uint32_t>(f32),
                               std::bit_cast<uint64_t>(f64)};
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;
}

TEST_P(SelfTest, Grid) {
  auto *out = allocate<int32_t>(61, -1);
  launch("tilerun_test_grid", Arguments().add(out), {3, 4, 5});
  for (int z = 0, i = 0; z < 5; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x)
        EXPECT_EQ(out[i++], x + 1024 * y + 1048576 * z);
  EXPECT_EQ(out[60], -1);
}

TEST_P(SelfTest, Delay) {
  auto *out = allocate<int32_t>(1, 41);
  const std::string wrong = run("tilerun_test_delay", Arguments().add(out).add(int64_t(2000)), {1});
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(*out, 42);
}

TEST_P(SelfTest, Persistent) {
  auto *out = allocate<int32_t>(21, -1);
  Arguments arguments;
  arguments.add(out).add(int32_t(20));
  for (uint64_t word : {25, 1, 1, 20})
    arguments.add(word);
  launch("tilerun_test_persistent", arguments, {6});
  for (int v = 0; v < 20; ++v)
    EXPECT_EQ(out[v], v % 6 + 1) << v;
  EXPECT_EQ(out[20], -1);
}

std::vector<const hip::SelfTestObject *> getEmulated() {
  std::vector<const hip::SelfTestObject *> found;
  for (const hip::SelfTestObject *object = hip::kSelfTestObjects; object->target; ++object)
    if (findTarget(object->target))
      found.push_back(object);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Hip, SelfTest, testing::ValuesIn(getEmulated()),
                         [](const auto &info) { return info.param->target; });

} // namespace
