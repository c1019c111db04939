// Mistakes of a host: struct sizes, flags, options, argument types; and whose log and cache
// are used.
#include "tests/runtime/api/ApiTest.h"

#include <cstdlib>
#include <filesystem>

using namespace tilerun;
using namespace tilerun::test;

namespace {

//===----------------------------------------------------------------------===//
// The C++ header
//===----------------------------------------------------------------------===//

template <typename T>
concept Passes = requires(const T &value) { makeArgument(value); };
enum Plain { kOne = 1, kMany = 300 };
enum class Scoped { One };
enum Truth : bool { kNo, kYes };

static_assert(Passes<bool> && Passes<int> && Passes<Plain> && Passes<const char *> &&
              Passes<char[6]> && Passes<char *> && Passes<std::nullptr_t> && Passes<Buffer<int>> &&
              Passes<Pointer<float>> && Passes<TilerunArgument> && Passes<double>);
static_assert(!Passes<int *> && !Passes<const float *> && !Passes<void *> && !Passes<Scoped> &&
              !Passes<std::vector<bool>::reference> && !Passes<void (*)()> && !Passes<Device>);

TEST(Arguments, EnumeratorsAreIntegers) {
  TilerunArgument many = makeArgument(kMany);
  EXPECT_EQ(many.kind, makeArgument(std::underlying_type_t<Plain>(300)).kind);
  EXPECT_EQ(many.value.natural, 300u);
  EXPECT_EQ(makeArgument(kYes).kind, TILERUN_ARGUMENT_BOOL);
  EXPECT_EQ(makeArgument(true).value.integer, 1);
  char text[] = "relu";
  EXPECT_EQ(makeArgument(text).kind, TILERUN_ARGUMENT_STRING);
}

TEST(Arguments, GridsTakeAnyInteger) {
  auto take = [](Grid grid) { return std::array<uint32_t, 3>{grid.x, grid.y, grid.z}; };
  size_t wide = 5000;
  int narrow = 7;
  EXPECT_EQ(take({(wide + 1023) / 1024}), (std::array<uint32_t, 3>{5, 1, 1}));
  EXPECT_EQ(take({narrow, wide, 2u}), (std::array<uint32_t, 3>{7, 5000, 2}));
  EXPECT_EQ(take({}), (std::array<uint32_t, 3>{1, 1, 1}));
  Error error = getError([&] { take({-1}); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error.what(), "a grid of -1 programs");
  EXPECT_CONTAINS(getError([&] { take({1, uint64_t(1) << 32}); }).what(), "4294967296");
}

TEST(Arguments, BuffersDoNotOverflow) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Error error = getError([&] { Buffer<double> all(device.stream(), SIZE_MAX / 8 + 2); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_OUT_OF_MEMORY);
  EXPECT_CONTAINS(error.what(), "no device has that much memory");
  EXPECT_CONTAINS(getError([&] { device.number(TILERUN_DEVICE_PROPERTY_NAME); }).what(),
                  "is text, not a number");
}

//===----------------------------------------------------------------------===//
// Sizes, flags, options
//===----------------------------------------------------------------------===//

void expectRefused(TilerunStatus status, const std::string &part) {
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_CONTAINS(tilerunGetErrorMessage(), part);
}

TEST(Refusals, SizesBelowTheFirstVersion) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  const std::string zero = "struct_size is 0, below the ";
  TilerunRuntimeOptions runtimeOptions = {};
  TilerunRuntime *made = nullptr;
  expectRefused(tilerunCreateRuntime(&runtimeOptions, &made), zero);
  TilerunDeviceOptions deviceOptions = {};
  TilerunDevice *opened = nullptr;
  expectRefused(tilerunOpenDevice(runtime.get(), "cpu", &deviceOptions, &opened), zero);
  TilerunPropertyValue value = {};
  expectRefused(tilerunGetDeviceProperty(device.get(), TILERUN_DEVICE_PROPERTY_NAME, &value), zero);
  TilerunMemoryStatistics statistics = {};
  statistics.struct_size = sizeof(statistics) - 1;
  expectRefused(tilerunGetMemoryStatistics(device.get(), &statistics),
                "struct_size is 87, below the 88");
  Buffer<int32_t> out(stream, 96);
  TilerunPluginPointerInfo pointer = {};
  expectRefused(tilerunGetPointerInfo(device.get(), out.pointer().address, &pointer), zero);
  TilerunParameterInfo parameter = {};
  expectRefused(tilerunGetParameter(kernel.get(), 0, &parameter), zero);
  TilerunCompileOptions compile = {};
  TilerunSpecialization *special = nullptr;
  const char *signature = "out=*i32, a=*i32, b=*i32, n=i32, BLOCK=64";
  expectRefused(tilerunSpecialize(kernel.get(), device.get(), signature, &compile, &special), zero);
  // The first version ended before `checks`; bytes after its end are not read.
  compile = {offsetof(TilerunCompileOptions, checks), 0, 0, 0, 77, 0, 0, 1, nullptr};
  check(tilerunSpecialize(kernel.get(), device.get(), signature, &compile, &special));
  expectRefused(tilerunGetKernelProperty(special, 0, &value), zero);
  tilerunReleaseSpecialization(special);
  TilerunLaunchOptions launch = {0, {1, 1, 1}, nullptr, 0, 0, nullptr};
  expectRefused(tilerunLaunch(stream.get(), kernel.get(), &launch, nullptr, 0), zero);
  // Querying the error does not replace it.
  std::string before = tilerunGetErrorMessage();
  TilerunErrorInfo error = {};
  EXPECT_EQ(tilerunGetError(&error), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(error.message, nullptr);
  EXPECT_EQ(tilerunGetErrorMessage(), before);
}

TEST(Refusals, PluginsWithoutAPathAndUnknownFlags) {
  TilerunRuntimeOptions options = {};
  options.struct_size = sizeof(options);
  options.num_plugins = 1;
  TilerunRuntime *made = nullptr;
  expectRefused(tilerunCreateRuntime(&options, &made), "num_plugins is 1, but plugins is null");
  const char *none[] = {nullptr};
  options.plugins = none;
  expectRefused(tilerunCreateRuntime(&options, &made), "plugins[0] is null");
  EXPECT_EQ(made, nullptr);
  Runtime runtime = makeRuntime();
  TilerunDeviceOptions flags = {sizeof(flags), 12, 0};
  TilerunDevice *device = nullptr;
  expectRefused(tilerunOpenDevice(runtime.get(), "cpu", &flags, &device), "options->flags has 12");
}

TEST(Refusals, PluginsThatOthersCanChange) {
  std::string folder = testing::TempDir() + "/tilerun-trust-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  std::string file = folder + "/libtilerun-null.so";
  std::filesystem::copy_file(NULL_PLUGIN, file);
  std::filesystem::permissions(file, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  const char *files[] = {file.c_str()};
  TilerunRuntimeOptions options = {};
  options.struct_size = sizeof(options);
  options.cache_folder = "";
  options.plugin_path = "";
  options.num_plugins = 1;
  options.plugins = files;
  Error error = getError([&] { Runtime(options).open("null"); });
  EXPECT_CONTAINS(error.what(), "others can change it: '");
  EXPECT_CONTAINS(error.what(), "libtilerun-null.so' can be written by everybody");
  options.num_plugins = 0;
  error = getError([&] { Runtime(options).loadPlugin(file); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_INCOMPATIBLE);
  EXPECT_CONTAINS(error.what(), "TILERUN_PLUGIN_TRUST=all");
  options.flags = TILERUN_RUNTIME_TRUST_PLUGINS;
  options.num_plugins = 1;
  EXPECT_EQ(Runtime(options).open("null").id(), std::string("null:0"));
  std::filesystem::remove_all(folder);
  options.flags = 6;
  TilerunRuntime *made = nullptr;
  expectRefused(tilerunCreateRuntime(&options, &made),
                "options->flags has 6, which is not a flag of a runtime");
  // Structs of before 1.5 have none.
  options.struct_size = offsetof(TilerunRuntimeOptions, flags);
  check(tilerunCreateRuntime(&options, &made));
  tilerunDestroyRuntime(made);
}

TEST(Refusals, FlagsOfLaunches) {
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  for (const char *id : {"cpu", "cuda"}) {
    SCOPED_TRACE(id);
    Device device = runtime.open(id);
    Stream stream = device.createStream();
    Buffer<int32_t> out(stream, 96), a(stream, std::vector<int32_t>(96, 2)),
        b(stream, std::vector<int32_t>(96, 3));
    TilerunArgument arguments[] = {makeArgument(out), makeArgument(a), makeArgument(b),
                                   makeArgument(typed<int32_t>(96)), makeArgument(128)};
    TilerunLaunchOptions launch = {sizeof(launch), {1, 1, 1}, nullptr, 6, 0, nullptr};
    expectRefused(tilerunLaunch(stream.get(), kernel.get(), &launch, arguments, 5),
                  "flags are 6; 1, 2 and 8 are the only ones");
    launch.flags = TILERUN_LAUNCH_NO_BOUNDS_CHECKS | TILERUN_LAUNCH_BOUNDS_CHECKS;
    expectRefused(tilerunLaunch(stream.get(), kernel.get(), &launch, arguments, 5),
                  "flags are 10; 2 and 8 exclude each other");
    // Structs of before 1.4 have none.
    launch.struct_size = offsetof(TilerunLaunchOptions, flags);
    check(tilerunLaunch(stream.get(), kernel.get(), &launch, arguments, 5));
    // A device that cannot overlap launches still runs them.
    kernel.launchWith(stream, {1}, {.mayOverlap = true}, out, a, b, typed<int32_t>(96), 128);
    EXPECT_EQ(out.read(), std::vector<int32_t>(96, 5));
    // One that does not check addresses has no checks to leave out.
    kernel.launchWith(stream, {1}, {.boundsChecks = false}, out, a, b, typed<int32_t>(96), 128);
    EXPECT_EQ(out.read(), std::vector<int32_t>(96, 5));
  }
}

TEST(Refusals, CompileOptionsAreTheSameOnEveryDevice) {
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  for (const char *id : {"cpu", "cuda"}) {
    SCOPED_TRACE(id);
    Device device = runtime.open(id);
    Stream stream = device.createStream();
    Buffer<int32_t> out(stream, 96), a(stream, 96), b(stream, 96);
    auto expect = [&](TilerunCompileOptions compile, const char *part) {
      compile.struct_size = sizeof(compile);
      TilerunArgument arguments[] = {makeArgument(out), makeArgument(a), makeArgument(b),
                                     makeArgument(typed<int32_t>(96)), makeArgument(128)};
      TilerunLaunchOptions launch = {sizeof(launch), {1, 1, 1}, &compile, 0, 0, nullptr};
      expectRefused(tilerunLaunch(stream.get(), kernel.get(), &launch, arguments, 5), part);
    };
    expect({0, 3, 0, 0, 0, 0, 0, 0, nullptr}, "num_warps is 3, which is not a power of two");
    expect({0, 2048, 0, 0, 0, 0, 0, 0, nullptr}, "num_warps is 2048; the maximum is 1024");
    if (std::string(id) == "cuda") // The interpreter has no warps.
      expect({0, 64, 0, 0, 0, 0, 0, 0, nullptr},
             "option 'num-warps' is '64', not a number from 1 to 32");
    expect({0, 4, 65, 0, 0, 0, 0, 0, nullptr}, "num_stages is 65; the maximum is 64");
    expect({0, 4, 3, 65536, 0, 0, 0, 0, nullptr}, "debug is 65536; the maximum is 2");
    expect({0, 4, 3, 0, 2, 0, 0, 0, nullptr}, "checks is 2, neither 0 nor 1");
    expect({0, 4, 3, 0, 0, 256, 0, 0, nullptr}, "maxnreg is 256; the maximum is 255");
    expect({0, 4, 3, 0, 0, 0, 65, 0, nullptr}, "num_ctas is 65; the maximum is 64");
    const std::string large(2000, 'x');
    const TilerunPluginOption given[] = {
        {"colour", "red"},  {"colour", "blue"}, {nullptr, "1"},           {"colour", nullptr},
        {"num-warps", "4"}, {"emit", "tile"},   {"shape", large.c_str()}, {large.c_str(), "round"}};
    expect({0, 4, 3, 0, 0, 0, 0, 65, given}, "num_options is 65; the maximum is 64");
    expect({0, 4, 3, 0, 0, 0, 0, 1, nullptr}, "num_options is 1, but options is null");
    expect({0, 4, 3, 0, 0, 0, 0, 2, given}, "options[1] is 'colour' again");
    expect({0, 4, 3, 0, 0, 0, 0, 1, given + 2}, "options[0] lacks a name or a value");
    expect({0, 4, 3, 0, 0, 0, 0, 1, given + 3}, "options[0] lacks a name or a value");
    expect({0, 4, 3, 0, 0, 0, 0, 1, given + 4},
           "options[0] is 'num-warps', which cannot be given as an option");
    expect({0, 4, 3, 0, 0, 0, 0, 1, given + 5}, "options[0] is 'emit'");
    expect({0, 4, 3, 0, 0, 0, 0, 2, given + 6},
           "options hold 4010 bytes of text; the maximum is 2048");
    expect({0, 4, 3, 0, 0, 0, 0, 1, given}, "option 'colour'");
  }
}

TEST(Refusals, CopiesThatLeaveTheirAllocation) {
  Runtime runtime = makeRuntime();
  for (const char *id : {"cpu", "cuda"}) {
    SCOPED_TRACE(id);
    Device device = runtime.open(id);
    Stream stream = device.createStream();
    Buffer<char> small(stream, 1000), other(stream, 2000);
    std::vector<char> host(2000);
    uint64_t at = small.pointer().address, to = other.pointer().address;
    TilerunStream *s = stream.get();
    expectRefused(tilerunCopyToDevice(s, at, host.data(), 1001),
                  "1001 bytes from byte 0 of an allocation of 1000 bytes leave it by 1 bytes");
    expectRefused(tilerunCopyFromDevice(s, host.data(), at + 10, 1000), "leave it by 10 bytes");
    expectRefused(tilerunCopyOnDevice(s, to, at, 2000), "copy from");
    expectRefused(tilerunCopyOnDevice(s, at, to, 2000), "copy to");
    expectRefused(tilerunCopyBetweenDevices(s, to, s, at, 1500), "leave it by 500 bytes");
    expectRefused(tilerunFill(s, at + 1001, 0, 1, 5), "fill of");
    expectRefused(tilerunFill(s, at, 0, 1, UINT64_MAX), "leave it by");
    check(tilerunFill(s, at + 500, 0, 1, 500));
    check(tilerunCopyToDevice(s, 0, nullptr, 0));
    check(tilerunFill(s, 12345, 0, 1, 0));
    check(tilerunCopyBetweenDevices(s, 1, s, 2, 0));
  }
}

//===----------------------------------------------------------------------===//
// Checks of the device
//===----------------------------------------------------------------------===//

constexpr const char *kWild = R"(import triton
import triton.language as tl


@triton.jit
def wild(out, at):
    tl.store(out + at, 1)
)";

TEST(Checks, FindAnAccessOutOfBounds) {
  Runtime runtime = makeRuntime();
  TilerunDeviceOptions options = {sizeof(options), TILERUN_DEVICE_NO_MEMORY_POOL, 0};
  Device cpu = runtime.open("cpu", options);
  Kernel kernel = runtime.loadText("wild.py", kWild, "wild");
  Stream stream = cpu.createStream();
  {
    Buffer<int32_t> out(stream, 4);
    kernel.launchWith(stream, {}, {.checks = true}, out, 3);
    EXPECT_EQ(out.read()[3], 1);
    Error error = getError([&] {
      kernel.launchWith(stream, {}, {.checks = true}, out, 4);
      stream.synchronize();
    });
    EXPECT_CONTAINS(error.what(), "wild.py:7");
    EXPECT_CONTAINS(error.what(), "'out'[4], outside of its 4 elements");
  }
  Device cuda = runtime.open("cuda");
  Stream other = cuda.createStream();
  Buffer<int32_t> out(other, 4);
  EXPECT_CONTAINS(getError([&] { kernel.launchWith(other, {}, {.checks = true}, out, 3); }).what(),
                  "checks");
}

TEST(Bounds, AreCheckedWithoutBeingAsked) {
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("wild.py", kWild, "wild");
  // With the pool, where allocations are beside each other, and without.
  for (uint32_t flags : {0u, uint32_t(TILERUN_DEVICE_NO_MEMORY_POOL)}) {
    TilerunDeviceOptions options = {sizeof(options), flags, 0};
    Device cpu = runtime.open("cpu", options);
    Stream stream = cpu.createStream();
    std::vector<Buffer<int32_t>> buffers;
    for (int i = 0; i < 3; ++i)
      buffers.emplace_back(stream, std::vector<int32_t>(4, 0));
    for (int at : {4, -1, 128, -128, 1 << 20}) {
      kernel.launch(stream, {}, buffers[1], at);
      const std::string said = getError([&] { stream.synchronize(); }).what();
      EXPECT_CONTAINS(said, "wild.py:7:5: write of 4 bytes at 'out'[" + std::to_string(at) +
                                "], outside of its 4 elements");
      EXPECT_CONTAINS(said, "kernel 'wild', program (0, 0, 0)");
    }
    kernel.launch(stream, {}, buffers[1], 3);
    EXPECT_EQ(buffers[1].read(), (std::vector<int32_t>{0, 0, 0, 1}));
    for (int i : {0, 2})
      EXPECT_EQ(buffers[size_t(i)].read(), std::vector<int32_t>(4, 0));
  }
}

TEST(Bounds, OfTheHostsOwnMemoryAreTheHostsToTell) {
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("wild.py", kWild, "wild");
  TilerunDeviceOptions options = {sizeof(options), TILERUN_DEVICE_HOST_MEMORY, 0};
  Device cpu = runtime.open("cpu", options);
  Stream stream = cpu.createStream();
  int32_t memory[8] = {};
  const int64_t shape[] = {2, 2}, strides[] = {2, 1};
  const TilerunMemoryRange ranges[] = {
      {reinterpret_cast<TilerunAddress>(memory), 16, shape, strides, 2, 0}, {}};
  auto launch = [&](int at, uint32_t flags, const TilerunMemoryRange *told) {
    TilerunArgument out = {
        TILERUN_ARGUMENT_POINTER, TILERUN_DTYPE_I32, 0, {reinterpret_cast<TilerunAddress>(memory)}};
    TilerunArgument arguments[] = {out, makeArgument(typed<int32_t>(at))};
    TilerunLaunchOptions launch = {sizeof(launch), {1, 1, 1}, nullptr, flags, 0, told};
    check(tilerunLaunch(stream.get(), kernel.get(), &launch, arguments, 2));
    stream.synchronize();
  };
  launch(3, 0, ranges);
  EXPECT_EQ(memory[3], 1);
  const std::string said = getError([&] { launch(4, 0, ranges); }).what();
  EXPECT_CONTAINS(said, "write of 4 bytes at 'out'[2, 0], outside of its shape [2, 2]");
  EXPECT_EQ(memory[4], 0);
  launch(5, TILERUN_LAUNCH_NO_BOUNDS_CHECKS, ranges);
  launch(6, 0, nullptr); // Undeclared memory.
  EXPECT_EQ(memory[5] + memory[6], 2);
  // The same for kernels that were compiled before.
  Specialization special = kernel.specialize(cpu, "out=*i32, at=i32");
  auto launchSpecial = [&](int at, const CompileOptions &how) {
    const Pointer<int32_t> out{reinterpret_cast<TilerunAddress>(memory)};
    special.launchWith(stream, {1}, how, out, typed<int32_t>(at));
    stream.synchronize();
  };
  std::fill_n(memory, 8, 0);
  launchSpecial(3, {.ranges = ranges});
  EXPECT_EQ(memory[3], 1);
  EXPECT_EQ(getError([&] { launchSpecial(4, {.ranges = ranges}); }).what(), said);
  EXPECT_EQ(memory[4], 0);
  launchSpecial(5, {.boundsChecks = false, .ranges = ranges});
  launchSpecial(6, {});
  EXPECT_EQ(memory[5] + memory[6], 2);
  // The program decides against the environment.
  setenv("TILERUN_BOUNDS_CHECKS", "0", 1);
  launchSpecial(4, {.ranges = ranges});
  EXPECT_EQ(memory[4], 1);
  memory[4] = 0;
  const std::string refused =
      getError([&] { launchSpecial(4, {.boundsChecks = true, .ranges = ranges}); }).what();
  unsetenv("TILERUN_BOUNDS_CHECKS");
  EXPECT_EQ(refused, said);
  EXPECT_EQ(memory[4], 0);
  EXPECT_CONTAINS(getError([&] { launchSpecial(1, {.ranges = std::span(ranges, 1)}); }).what(),
                  "1 ranges for 2 arguments");
}

TEST(Bounds, OptionsOfSpecializedLaunchesAreChecked) {
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("wild.py", kWild, "wild");
  Device cpu = runtime.open("cpu");
  Stream stream = cpu.createStream();
  Buffer<int32_t> out(stream, 4);
  Specialization special = kernel.specialize(cpu, "out=*i32, at=i32");
  TilerunArgument arguments[] = {makeArgument(out), makeArgument(typed<int32_t>(1))};
  TilerunMemoryRange ranges[2] = {};
  TilerunLaunchOptions options = {sizeof(options), {1, 1, 1}, nullptr, 0, 0, ranges};
  auto launch = [&] {
    return tilerunLaunchSpecializedWith(stream.get(), special.get(), &options, arguments, 2);
  };
  auto refused = [&](const std::string &says) {
    EXPECT_EQ(launch(), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(std::string(tilerunGetErrorMessage()), says);
  };
  check(launch());
  const TilerunCompileOptions compile = CompileOptions().get();
  options.compile = &compile;
  refused("options.compile must be null: a specialization is compiled already");
  options.compile = nullptr;
  options.flags = 4;
  refused("flags");
  options.flags = 0;
  options.reserved = 3;
  refused("options: reserved is 3, not 0");
  options.reserved = 0;
  ranges[1].reserved = 3;
  refused("ranges[1]: reserved is 3, not 0");
  // A host that was built with version 1.0 has neither flags nor ranges.
  options.struct_size = offsetof(TilerunLaunchOptions, flags);
  check(launch());
  options.struct_size = 0;
  refused("struct_size");
  EXPECT_EQ(tilerunLaunchSpecializedWith(stream.get(), special.get(), nullptr, arguments, 2),
            TILERUN_STATUS_INVALID_ARGUMENT);
}

//===----------------------------------------------------------------------===//
// The cache and the log
//===----------------------------------------------------------------------===//

TilerunRuntimeOptions withFolder(const char *folder, std::string *text) {
  setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1);
  return {sizeof(TilerunRuntimeOptions),
          0,
          nullptr,
          nullptr,
          folder,
          text,
          [](void *user, int32_t, const char *line) { *static_cast<std::string *>(user) += line; },
          0,
          0};
}

void compileAdd(const Runtime &runtime) {
  Device device = runtime.open("cuda:0");
  Kernel add = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  (void)add.specialize(device, "out=*i32, a=*i32, b=*i32, n=i32, BLOCK=64");
}

TEST(Cache, OffWinsOverANamedFolder) {
  std::string folder = testing::TempDir() + "/tilerun-refusal-test", text;
  std::filesystem::remove_all(folder);
  for (const char *variable : {"TILERUN_CACHE", "TILERUN_CACHE_SIZE"}) {
    setenv(variable, variable[13] ? "0" : "off", 1);
    compileAdd(Runtime(withFolder(folder.c_str(), &text)));
    unsetenv(variable);
    EXPECT_FALSE(std::filesystem::exists(folder)) << variable;
  }
  compileAdd(Runtime(withFolder(folder.c_str(), &text)));
  EXPECT_TRUE(std::filesystem::exists(folder));
  EXPECT_EQ(text, "");
  std::filesystem::remove_all(folder);
}

// The only test of this program that uses the process's cache.
TEST(Cache, TheSharedOneKeepsNobodysLog) {
  auto gone = std::make_unique<std::string>();
  std::string text;
  setenv("TILERUN_CACHE_DIR", "/proc/tilerun-no-cache", 1);
  {
    Runtime first(withFolder(nullptr, gone.get()));
  }
  EXPECT_EQ(*gone, "");
  gone.reset(); // A call of its log would touch freed memory.
  compileAdd(Runtime(withFolder(nullptr, &text)));
  unsetenv("TILERUN_CACHE_DIR");
  EXPECT_CONTAINS(text, "cannot write to the cache");
}

} // namespace
