// Kernels on a device: every kind of launch that Vulkan makes special, with the validation layer
// on.
#include "tests/plugins/vulkan/KernelTest.h"

#include <algorithm>
#include <array>
#include <link.h>

using namespace vulkan_test;

std::shared_ptr<const Plugin> Kernels::plugin;
std::mutex Kernels::logMutex;
std::string Kernels::warnings;

// Counts what the plugin's own code allocates in this thread: drivers and layers allocate while
// commands are recorded. Calls from the plugin are recognized by their return address.
static uintptr_t pluginBegin = 0, pluginEnd = 0;
static thread_local unsigned long numAllocations = 0;

// ThreadSanitizer's library has these operators, too, so that with it nothing is counted.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ALLOCATIONS_ARE_NOT_COUNTED 1
#endif
#endif

#ifndef ALLOCATIONS_ARE_NOT_COUNTED
static void *allocateCounted(size_t bytes, void *caller) {
  auto place = reinterpret_cast<uintptr_t>(caller);
  numAllocations += place >= pluginBegin && place < pluginEnd;
  void *memory = std::aligned_alloc(16, (bytes + 31) / 16 * 16);
  if (!memory)
    std::abort();
  return memory;
}
// For the plugin too: it takes these from the program.
#define EXPORTED __attribute__((visibility("default"), noinline))
EXPORTED void *operator new(size_t bytes) {
  return allocateCounted(bytes, __builtin_return_address(0));
}
EXPORTED void *operator new[](size_t bytes) {
  return allocateCounted(bytes, __builtin_return_address(0));
}
EXPORTED void operator delete(void *memory) noexcept { std::free(memory); }
EXPORTED void operator delete[](void *memory) noexcept { std::free(memory); }
EXPORTED void operator delete(void *memory, size_t) noexcept { std::free(memory); }
EXPORTED void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
#endif

static void findPlugin() {
  dl_iterate_phdr(
      [](dl_phdr_info *library, size_t, void *) {
        if (!std::strstr(library->dlpi_name, "libtilerun-vulkan.so"))
          return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i)
          if (library->dlpi_phdr[i].p_type == PT_LOAD && (library->dlpi_phdr[i].p_flags & PF_X)) {
            pluginBegin = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
            pluginEnd = pluginBegin + library->dlpi_phdr[i].p_memsz;
          }
        return 1;
      },
      nullptr);
}

namespace {

using Launches = Kernels;

TEST_F(Launches, GridsBeyondADispatchAreSplit) {
  TilerunPluginKernel *kernel = loadSelfTest("tilerun_test_grid");
  ASSERT_TRUE(kernel);
  // More than the 65,535 that some devices take on every axis.
  const std::array<uint32_t, 3> grids[] = {
      {70000, 1, 1}, {1, 70000, 1}, {1, 1, 70000}, {131071, 2, 1}, {3, 65536, 2}};
  for (const auto &grid : grids) {
    size_t count = size_t(grid[0]) * grid[1] * grid[2];
    TilerunAddress out = allocate((count + 1) * 4);
    TilerunStatus status = launch(kernel, Arguments().add(out), grid);
    ASSERT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
    std::vector<uint32_t> got = read<uint32_t>(out, count + 1);
    size_t i = 0, wrong = 0;
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x, ++i)
          wrong += got[i] != x + 1024 * y + 1048576 * z;
    EXPECT_EQ(wrong, 0u) << grid[0] << "x" << grid[1] << "x" << grid[2];
    EXPECT_EQ(got[count], 0xFFFFFFFF);
  }
}

TEST_F(Launches, BadLaunchesAreRefused) {
  TilerunPluginKernel *kernel = loadSelfTest("tilerun_test_grid");
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  auto expectRefused = [&](TilerunStatus status, const std::string &text) {
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
    std::string message = takeMessage(status);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  expectRefused(launch(kernel, Arguments().add(out), {1, 0, 1}), "the grid has no programs");
  expectRefused(launch(kernel, Arguments().add(out), {1, 0x7FFFFFFF, 1}), "the grid is too large");
  expectRefused(launch(kernel, Arguments().add(out).add(out)), "the arguments should have 8 bytes");
  threads = 7;
  expectRefused(launch(kernel, Arguments().add(out)), "the kernel was compiled for 1 threads");
  threads = 1;
  sharedBytes = 100;
  expectRefused(launch(kernel, Arguments().add(out)), "100 too many");
  sharedBytes = 0;
  EXPECT_EQ(launch(kernel, Arguments().add(out)), TILERUN_STATUS_OK);
  EXPECT_EQ(read<uint32_t>(out, 1)[0], 0u);
}

/// A kernel with `count` integers that stores each at its place.
std::string makeStores(unsigned count) {
  std::string head = "func.func @stores(%out: !tile.ptr<i32>", body;
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    head += ", %a" + n + ": i32";
    body += "  %c" + n + " = arith.constant " + n + " : i32\n  %p" + n + " = tile.addptr %out, %c" +
            n + " : !tile.ptr<i32>, i32\n  tile.store %p" + n + ", %a" + n + " : !tile.ptr<i32>\n";
  }
  return head + ") attributes {tile.kernel} {\n" + body + "  return\n}\n";
}

TEST_F(Launches, ManyParametersGoThroughABlock) {
  // Push constants have room for 96 bytes of arguments.
  for (unsigned count : {1u, 22u, 23u, 64u, 200u}) {
    TilerunPluginKernel *kernel = load(compile(makeStores(count)));
    ASSERT_TRUE(kernel);
    TilerunAddress out = allocate(count * 4);
    // Launches in a row, each with arguments of its own.
    for (uint32_t round = 0; round < 3; ++round) {
      Arguments arguments;
      arguments.add(out);
      for (unsigned i = 0; i < count; ++i)
        arguments.add<uint32_t>(1000 * round + i);
      TilerunStatus status = launch(kernel, arguments);
      ASSERT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
    }
    std::vector<uint32_t> got = read<uint32_t>(out, count);
    for (unsigned i = 0; i < count; ++i)
      EXPECT_EQ(got[i], 2000 + i) << count << " parameters";
  }
}

TEST_F(Launches, BlocksAreReusedOnlyOnceTheyAreRead) {
  TilerunPluginKernel *kernel = load(compile(makeStores(100)));
  ASSERT_TRUE(kernel);
  // More blocks than the ring of a stream holds, each seen by its own launch.
  constexpr uint32_t kRounds = 6000;
  TilerunAddress out = allocate(kRounds * 400);
  for (uint32_t round = 0; round < kRounds; ++round) {
    Arguments arguments;
    arguments.add(out + round * 400);
    for (uint32_t i = 0; i < 100; ++i)
      arguments.add<uint32_t>(round ^ i);
    ASSERT_EQ(launch(kernel, arguments), TILERUN_STATUS_OK);
  }
  std::vector<uint32_t> got = read<uint32_t>(out, kRounds * 100);
  size_t wrong = 0;
  for (uint32_t round = 0; round < kRounds; ++round)
    for (uint32_t i = 0; i < 100; ++i)
      wrong += got[round * 100 + i] != (round ^ i);
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Launches, FinalArtifactsLoadAgain) {
  const TilerunPluginArtifact *artifact = compile(makeStores(2)), *binary = nullptr;
  ASSERT_TRUE(artifact);
  TilerunStatus status = table().finalize_artifact(device, artifact, &binary, keeper.getSink());
  ASSERT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
  EXPECT_EQ(std::string(binary->compatibility).substr(0, 16), "vulkan:pipeline:");
  EXPECT_GE(binary->num_bytes, artifact->num_bytes);
  table().release_artifact(artifact);
  // From a copy, as a cache gives it; and not for another driver.
  TilerunPluginArtifact copy = *binary;
  std::vector<uint8_t> bytes(binary->bytes, binary->bytes + binary->num_bytes);
  copy.bytes = bytes.data();
  std::string other = std::string(binary->compatibility) + "0";
  copy.compatibility = other.c_str();
  TilerunPluginModule *module = nullptr;
  status = table().load_module(device, &copy, &module, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INCOMPATIBLE);
  EXPECT_NE(takeMessage(status).find("this device and its driver take"), std::string::npos);
  // Damaged in the driver's own data, which the driver would trust.
  copy.compatibility = binary->compatibility;
  bytes.back() ^= 1;
  status = table().load_module(device, &copy, &module, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_COMPILE);
  EXPECT_NE(takeMessage(status).find("its checksum is wrong"), std::string::npos);
  TilerunPluginKernel *kernel = load(binary);
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(8);
  ASSERT_EQ(launch(kernel, Arguments().add(out).add(5).add(6)), TILERUN_STATUS_OK);
  EXPECT_EQ(read<int32_t>(out, 2), (std::vector<int32_t>{5, 6}));
}

TEST_F(Launches, PropertiesOfKernels) {
  TilerunPluginKernel *kernel = load(compile(makeStores(2), {{"num-warps", "2"}}));
  ASSERT_TRUE(kernel);
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  ASSERT_EQ(table().get_kernel_property(kernel, TILERUN_KERNEL_PROPERTY_MAX_THREADS, &value,
                                        keeper.getSink()),
            TILERUN_STATUS_OK);
  EXPECT_EQ(value.number, threads);
  ASSERT_EQ(table().get_kernel_property(kernel, TILERUN_KERNEL_PROPERTY_STATIC_SHARED, &value,
                                        keeper.getSink()),
            TILERUN_STATUS_OK);
  EXPECT_EQ(value.number, 0u); // Besides the launch's own number.
  // Drivers need not report these.
  for (uint32_t property :
       {TILERUN_KERNEL_PROPERTY_REGISTERS, TILERUN_KERNEL_PROPERTY_LOCAL_BYTES}) {
    TilerunStatus status = table().get_kernel_property(kernel, property, &value, keeper.getSink());
    if (status) {
      EXPECT_EQ(status, TILERUN_STATUS_UNSUPPORTED);
      EXPECT_NE(takeMessage(status).find("the driver does not report it"), std::string::npos);
    } else {
      EXPECT_EQ(value.type, uint32_t(TILERUN_VALUE_U64));
    }
  }
  TilerunStatus status = table().get_kernel_property(kernel, 99, &value, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_UNSUPPORTED);
}

TEST_F(Launches, WhatTheDeviceLacksIsNamed) {
  for (auto [text, reason] :
       {std::pair<const char *, const char *>{"vulkan:1.3,threads=65536",
                                              "it needs threads=65536, the device has "},
        {"vulkan:1.3,shared=1073741824", "it needs shared=1073741824, the device has "},
        {"vulkan:1.3,teleport", "'teleport' is not known"},
        {"cuda:ptx-8.0:sm_80", "this plugin takes 'vulkan:1.3,…'"}}) {
    TilerunStatus status = table().check_compatibility(device, text, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_INCOMPATIBLE);
    std::string message = takeMessage(status);
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  }
}

TEST_F(Launches, WarmOnesAllocateNothing) {
#ifdef ALLOCATIONS_ARE_NOT_COUNTED
  GTEST_SKIP() << "allocations cannot be counted under ThreadSanitizer";
#endif
  findPlugin();
  ASSERT_NE(pluginBegin, 0u);
  TilerunPluginKernel *kernel = load(compile(makeStores(2)));
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(8);
  Arguments arguments;
  arguments.add(out).add(5).add(6);
  constexpr int kRounds = 64;
  auto run = [&] {
    for (int i = 0; i < kRounds; ++i)
      ASSERT_EQ(launch(kernel, arguments), TILERUN_STATUS_OK);
  };
  // A device that falls further behind than ever before needs one more command buffer: that happens
  // in some rounds, and a launch that allocates does it in each.
  unsigned long least = ~0ul;
  for (int i = 0; i < 16; ++i) {
    unsigned long before = numAllocations;
    run();
    least = std::min(least, numAllocations - before);
    ASSERT_EQ(synchronize(), TILERUN_STATUS_OK);
  }
  EXPECT_EQ(least, 0u);
  // The count is the plugin's: creating an object counts.
  unsigned long before = numAllocations;
  TilerunPluginStream *stream = nullptr;
  ASSERT_EQ(table().create_stream(device, &stream, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_GT(numAllocations, before);
  table().destroy_stream(stream);
}

} // namespace
