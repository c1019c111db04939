// Kernels through the public API: on the interpreter for their values, and over the fake driver for
// failures of the driver.
#include "tests/runtime/api/ApiTest.h"
#include "tests/runtime/core/Hooks.h"

#include <barrier>
#include <cstdlib>
#include <thread>

using namespace tilerun;
using namespace tilerun::test;

namespace {

constexpr const char *kSource = R"(import triton
import triton.language as tl


@triton.jit
def scalars(out, i, u, f, h, b, d, flag, wide: tl.int64):
    tl.store(out + 0, i)
    tl.store(out + 1, u)
    tl.store(out + 2, f)
    tl.store(out + 3, h)
    tl.store(out + 4, b)
    tl.store(out + 5, d)
    tl.store(out + 6, flag)
    tl.store(out + 7, wide * 1000000)


@triton.jit
def constants(out, T: tl.constexpr, MODE: tl.constexpr, SCALE: tl.constexpr = 2.5, skip=None):
    v = tl.full((4,), 3.75, tl.float32).to(T).to(tl.float32)
    if MODE == "negate":
        v = -v
    if skip is None:
        v += SCALE
    tl.store(out + tl.arange(0, 4), v)


@triton.jit
def broken(out, n):
    x = tl.load(out) + undefined_name
    tl.store(out, x)


@triton.jit
def chatty(out, n):
    tl.static_print("n is", n)
    tl.store(out, n)
)";

TEST(Kernels, CodeTellsItsSignature) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("k.py", kSource, "constants").bind("MODE=\"none\"");
  Buffer<float> out(stream, 4);
  const TilerunArgument arguments[] = {makeArgument(out),
                                       {TILERUN_ARGUMENT_DTYPE, TILERUN_DTYPE_FP16, 0, {}}};
  const TilerunLaunchOptions options = {sizeof(options), {1, 1, 1}, nullptr, 0, 0, nullptr};
  uint64_t code = 0;
  check(tilerunLaunchTold(stream.get(), kernel.get(), &options, arguments, 2, &code));
  std::string text;
  auto take = [](void *user, const char *said) { *static_cast<std::string *>(user) = said; };
  check(tilerunDescribeCode(kernel.get(), code, take, &text));
  EXPECT_EQ(text, "out=*fp32:16, T=fp16!"); // Without what is bound.
  EXPECT_EQ(tilerunDescribeCode(kernel.get(), 0, take, &text), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_CONTAINS(tilerunGetErrorMessage(), "code is 0, which a failed launch gives");
}

TEST(Kernels, ScalarsOfEveryType) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("k.py", kSource, "scalars");
  Buffer<double> out(stream, 8);
  auto launch = [&](auto i, auto u) {
    kernel.launch(stream, {}, out, i, u, 0.1f, typed<Half>(0.1), typed<BFloat16>(0.1), 0.1, true,
                  3000);
    return out.read();
  };
  std::vector<double> values = launch(-5, uint64_t(1) << 63);
  EXPECT_EQ(values[0], -5);
  EXPECT_EQ(values[1], 9223372036854775808.0);
  EXPECT_EQ(values[2], double(0.1f));
  EXPECT_EQ(values[3], 0.0999755859375);
  EXPECT_EQ(values[4], 0.10009765625);
  EXPECT_EQ(values[5], 0.1);
  EXPECT_EQ(values[6], 1);
  EXPECT_EQ(values[7], 3e9); // The annotation makes it int64.
  values = launch(1, 1);     // Becomes a constant.
  EXPECT_EQ(values[0], 1);
  values = launch(typed<int8_t>(-128), typed<uint8_t>(255));
  EXPECT_EQ(values[0], -128);
  EXPECT_EQ(values[1], 255);
  values = launch(int64_t(1) << 40, typed<int64_t>(7));
  EXPECT_EQ(values[0], 1099511627776.0);
  EXPECT_EQ(values[1], 7);
}

TEST(Kernels, ConstantsDefaultsAndBinding) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("k.py", kSource, "constants");
  Buffer<float> out(stream, 4);
  kernel.launch(stream, {}, out, dtypeArgument<float>(), "negate");
  EXPECT_EQ(out.read(), std::vector<float>(4, -3.75f + 2.5f));
  kernel.launch(stream, {}, out, dtypeArgument<Half>(), "plain", 0.5, nullptr);
  EXPECT_EQ(out.read(), std::vector<float>(4, 4.25f));
  Kernel bound = kernel.bind("MODE=\"negate\", T=fp32!");
  EXPECT_EQ(tilerunGetNumParameters(bound.get()), 3u);
  bound.launch(stream, {}, out, 10.0);
  EXPECT_EQ(out.read(), std::vector<float>(4, 6.25f));
  TilerunParameterInfo info = {sizeof(info), 0, nullptr};
  check(tilerunGetParameter(bound.get(), 1, &info));
  EXPECT_STREQ(info.name, "SCALE");
  EXPECT_EQ(info.flags, uint32_t(TILERUN_PARAMETER_CONSTEXPR | TILERUN_PARAMETER_DEFAULT));
  EXPECT_EQ(tilerunGetParameter(bound.get(), 3, &info), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_CONTAINS(getError([&] { kernel.bind("MODEL=1"); }).what(), "no parameter 'MODEL'");
  EXPECT_CONTAINS(getError([&] { kernel.bind("MODE"); }).what(), "'=' is expected");
  EXPECT_CONTAINS(getError([&] { kernel.launch(stream, {}, out); }).what(),
                  "missing 'T' (tl.constexpr), 'MODE' (tl.constexpr)");
}

TEST(Kernels, GlobalsThatOnlyHostCodeKnows) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("k.py",
                                   "import os\nimport triton\nimport triton.language as tl\n"
                                   "FAST = tl.constexpr(open('FAST').read())\nSIZE = 4\n"
                                   "@triton.jit\ndef kernel(out):\n"
                                   "    tl.store(out, 1.0 if FAST else 2.0)\n",
                                   "kernel");
  Buffer<float> out(stream, 1);
  EXPECT_CONTAINS(getError([&] { kernel.launch(stream, {}, out); }).what(),
                  "the value of the global 'FAST' is not known");
  for (auto [value, expected] : {std::pair{"true", 1.f}, {"\"\"", 2.f}}) {
    Kernel bound = kernel.bind(std::string("FAST=") + value);
    EXPECT_EQ(tilerunGetNumParameters(bound.get()), 1u);
    bound.launch(stream, {}, out);
    EXPECT_EQ(out.read(), std::vector<float>(1, expected));
  }
  auto specialization = kernel.specialize(device, "out=*fp32, FAST=3");
  specialization.launch(stream, {}, out);
  EXPECT_EQ(out.read(), std::vector<float>(1, 1.f));
  EXPECT_CONTAINS(
      getError([&] { kernel.bind("SIZE=8"); }).what(),
      "no parameter 'SIZE' that could be bound, and the source says what its global is");
}

TEST(Kernels, DiagnosticsHaveCarets) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Error error = getError([&] { runtime.loadText("bad.py", "@triton.jit\ndef f(:\n", "f"); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_COMPILE);
  EXPECT_CONTAINS(error.what(), "bad.py:2:");
  EXPECT_CONTAINS(error.what(), "^");
  error = getError([&] { runtime.loadText("k.py", kSource, "scalar"); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_NOT_FOUND);
  EXPECT_CONTAINS(error.what(), "did you mean 'scalars'?");
  error = getError([&] { runtime.load("/nonexistent/k.py", "k"); });
  EXPECT_CONTAINS(error.what(), "/nonexistent/k.py");
  Kernel broken = runtime.loadText("k.py", kSource, "broken");
  Buffer<float> out(stream, 4);
  for (int i = 0; i < 2; ++i) { // It is compiled, and fails, each time.
    error = getError([&] { broken.launch(stream, {}, out, 5); });
    EXPECT_EQ(error.status(), TILERUN_STATUS_COMPILE);
    EXPECT_CONTAINS(error.what(), "k.py:29:24: error: ");
    EXPECT_CONTAINS(error.what(), "    x = tl.load(out) + undefined_name");
    EXPECT_CONTAINS(error.what(), "^~");
  }
}

TEST(Kernels, WhatTheyPrintGoesToTheLog) {
  std::string text;
  TilerunRuntimeOptions options = {
      sizeof(options),
      0,
      nullptr,
      nullptr,
      "",
      &text,
      [](void *user, int32_t, const char *line) { *static_cast<std::string *>(user) += line; },
      0,
      0};
  Runtime runtime(options);
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("k.py", kSource, "chatty");
  Buffer<int32_t> out(stream, 4);
  kernel.launch(stream, {}, out, 1);
  EXPECT_CONTAINS(text, "n is 1");
}

TEST(Kernels, FromTileIr) {
  constexpr const char *kTile = R"(
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x"},
               %n: i32 {tile.name = "n"}, %s: bf16 {tile.name = "s"}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p mask %m : tensor<256x!tile.ptr<f32>>
  %e = tile.fp_cast %s : bf16 -> f32
  %es = tile.splat %e : f32 -> tensor<256xf32>
  %r = arith.addf %v, %es : tensor<256xf32>
  tile.store %p, %r mask %m : tensor<256x!tile.ptr<f32>>
  return
}
)";
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  auto load = [&](std::string text, const std::string &name) {
    return runtime.loadBytecode({reinterpret_cast<const uint8_t *>(text.data()), text.size()},
                                name);
  };
  Kernel kernel = load(kTile, "add");
  Buffer<float> x(stream, std::vector<float>(100, 1.0f));
  for (int i = 0; i < 2; ++i)
    kernel.launch(stream, {}, x, 99, typed<BFloat16>(0.5));
  std::vector<float> wanted(100, 2.0f);
  wanted[99] = 1.0f;
  EXPECT_EQ(x.read(), wanted);
  auto expectRefused = [&](const std::string &part, auto... arguments) {
    Error error = getError([&] { kernel.launch(stream, {}, arguments...); });
    EXPECT_EQ(error.status(), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(error.what(), part);
  };
  expectRefused("takes 3 arguments at run time, 1 were passed", x.pointer());
  expectRefused("parameter 'x' is compiled for multiples of 16", x.pointer() + 1, 3,
                typed<BFloat16>(0.5));
  expectRefused("parameter 's' is of type bf16; the number 0.5 as fp32 was passed", x.pointer(), 3,
                0.5f);
  expectRefused("parameter 'x' is a pointer to fp32", Pointer<double>{x.pointer().address}, 3,
                typed<BFloat16>(0.5));
  expectRefused("parameter 'n' is of type i32, which cannot hold it", x.pointer(), int64_t(1) << 33,
                typed<BFloat16>(0.5));
  EXPECT_CONTAINS(getError([&] { load(kTile, "sub"); }).what(), "it has 'add'");
  EXPECT_CONTAINS(getError([&] { load("junk", "add"); }).what(), "the tile IR cannot be read");
  // Bytes that begin as bytecode, but have no checksum, are not passed to MLIR's reader.
  EXPECT_CONTAINS(getError([&] { load("ML\xEFR\rMLIR22", "add"); }).what(),
                  "the bytecode has no checksum, so it cannot be trusted; give the module as text");
}

TEST(Kernels, FromTileIrWithDescriptors) {
  constexpr const char *kTile = R"(
func.func @double(%x: !tile.ptr<i32> {tile.name = "x"}, %n: i64 {tile.name = "n"}) attributes {tile.kernel} {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %x sizes [%n] strides [%one] : !tile.descriptor<16xi32>
  %v = tile.descriptor_load %d[%one] : !tile.descriptor<16xi32>
  tile.descriptor_reduce add %d[%one], %v : !tile.descriptor<16xi32>
  return
}
func.func @region(%x: !tile.ptr<i32> {tile.name = "x"}, %n: i64 {tile.name = "n"}) attributes {tile.kernel} {
  %d = tile.make_descriptor %x sizes [%n] strides [%n] : !tile.descriptor<16xi32>
  %e = scf.execute_region -> !tile.descriptor<16xi32> {
    scf.yield %d : !tile.descriptor<16xi32>
  }
  %v = tile.descriptor_load %e[%n] : !tile.descriptor<16xi32>
  return
}
)";
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  auto load = [&](std::string text, const std::string &name) {
    return runtime.loadBytecode({reinterpret_cast<const uint8_t *>(text.data()), text.size()},
                                name);
  };
  std::string text = kTile;
  Kernel kernel = load(text.substr(0, text.find("func.func @region")), "double");
  Buffer<int32_t> x(stream, std::vector<int32_t>(20, 3));
  kernel.launch(stream, {}, x, int64_t(10));
  std::vector<int32_t> wanted(20, 3);
  std::fill(wanted.begin() + 1, wanted.begin() + 10, 6);
  EXPECT_EQ(x.read(), wanted);
  EXPECT_CONTAINS(getError([&] { load(text, "region"); }).what(),
                  "the tile IR cannot be compiled: failed to legalize operation "
                  "'scf.execute_region'");
}

class CudaKernels : public testing::Test {
protected:
  ~CudaKernels() override { getFakeDriver().reset(); }
  std::vector<int32_t> run(const Kernel &kernel, const Stream &stream, int n = 96) {
    Buffer<int32_t> a(stream, std::vector<int32_t>(static_cast<size_t>(n), 3));
    Buffer<int32_t> b(stream, std::vector<int32_t>(static_cast<size_t>(n), 4));
    Buffer<int32_t> out(stream, static_cast<size_t>(n));
    // Typed, so that 1 stays an argument: the fake driver wants all of them.
    kernel.launch(stream, {static_cast<uint32_t>(n + 127) / 128}, out, a, b, typed<int32_t>(n),
                  128);
    return out.read();
  }
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cuda:0");
  Stream stream = device.createStream();
  Kernel add = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
};

TEST(Kernels, TuplesAreSpecialized) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("tuples.py", R"(import triton
import triton.language as tl


@triton.jit
def kernel(out, t, n):
    tl.static_assert(t[2] == "add")
    tl.store(out, n)
    for i in tl.static_range(3, len(t)):
        tl.store(out + i - 2, tl.load(t[0]) + t[1][0] * t[1][1] + t[i])
)",
                                   "kernel");
  Specialization special = kernel.specialize(
      device,
      "out=*i32, t=(*i32:16, (i32, 3), \"add\", i32, i32, i32, i32, i32, i32, i32, i32), n=i32");
  Buffer<int32_t> out(stream, 9), in(stream, std::vector<int32_t>{1000});
  auto i32 = [](int32_t v) { return typed<int32_t>(v); };
  special.launch(stream, {1}, out, in, i32(4), i32(1), i32(2), i32(3), i32(4), i32(5), i32(6),
                 i32(7), i32(8), i32(99));
  EXPECT_EQ(out.read(), (std::vector<int32_t>{99, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1020}));
  EXPECT_CONTAINS(getError([&] { special.launch(stream, {1}, out, in, i32(4)); }).what(),
                  "takes 12 arguments at run time, 3 were passed");
  EXPECT_CONTAINS(getError([&] {
                    special.launch(stream, {1}, out, in, 4.5f, i32(1), i32(2), i32(3), i32(4),
                                   i32(5), i32(6), i32(7), i32(8), i32(99));
                  }).what(),
                  "parameter 't.1.0'");
  EXPECT_CONTAINS(getError([&] { (void)kernel.bind("t=(i32, 3)"); }).what(),
                  "parameter 't.0' can only be bound to a constant");
  Kernel bound = kernel.bind("t=(none, (2, 3), \"add\")");
  bound.launch(stream, {1}, out, 7);
  EXPECT_EQ(out.read()[0], 7);
}

TEST_F(CudaKernels, LaunchAndProperties) {
  EXPECT_EQ(run(add, stream), std::vector<int32_t>(96, 7));
  Specialization special =
      add.specialize(device, "out=*i32:16, a=*i32:16, b=*i32, n=i32, BLOCK=64", {.numWarps = 2});
  EXPECT_EQ(special.number(TILERUN_KERNEL_PROPERTY_REGISTERS), 16u);
  uint32_t threads = 0, shared = 1;
  check(tilerunGetLaunchShape(special.get(), &threads, &shared));
  EXPECT_EQ(threads, 64u);
  EXPECT_EQ(special.signature(), "out=*i32:16, a=*i32:16, b=*i32, n=i32, BLOCK=64");
  EXPECT_CONTAINS(
      getError([&] { add.specialize(device, "out=*i32, a=*i32, b=*i32, n=i32:x"); }).what(),
      "in signature entry 'n=i32:x'");
  EXPECT_CONTAINS(
      getError([&] { add.specialize(device, "out=*i32, a=*i32, b=*i32, n=i32"); }).what(),
      "no argument is given for parameter 'BLOCK'");
  EXPECT_CONTAINS(getError([&] {
                    add.specialize(device, "out=*i32, a=*i32, b=*i32, n=i32, BLOCK=64",
                                   {.numWarps = 3});
                  }).what(),
                  "not a power of two");
}

TEST_F(CudaKernels, SixtyFourThreadsCompileOnce) {
  constexpr int kThreads = 64;
  int loads = getFakeDriver().countCalls("cuModuleLoadDataEx");
  int links = getFakeDriver().countCalls("cuLinkComplete");
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      Stream own = device.createStream();
      start.arrive_and_wait();
      EXPECT_EQ(run(add, own), std::vector<int32_t>(96, 7));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(getFakeDriver().countCalls("cuModuleLoadDataEx") - loads, 1);
  EXPECT_LE(getFakeDriver().countCalls("cuLinkComplete") - links, 1);
}

TEST_F(CudaKernels, WarmLaunchesAskTheDriverOnce) {
  Buffer<int32_t> out(stream, 96), a(stream, 96), b(stream, 96);
  auto launch = [&] { add.launch(stream, {1}, out, a, b, 96, 128); };
  launch();
  const char *const calls[] = {
      "cuPointerGetAttributes", "cuMemAllocAsync",     "cuEventRecord",   "cuEventCreate",
      "cuModuleLoadDataEx",     "cuStreamSynchronize", "cuCtxPushCurrent"};
  std::vector<int> before;
  for (const char *call : calls)
    before.push_back(getFakeDriver().countCalls(call));
  int launches = getFakeDriver().countCalls("cuLaunchKernel");
  // The thread has no context of its own, so that the plugin pushes one: once for each launch.
  for (int i = 0; i < 50; ++i)
    launch();
  EXPECT_EQ(getFakeDriver().countCalls("cuLaunchKernel") - launches, 50);
  for (size_t i = 0; i + 1 < std::size(calls); ++i)
    EXPECT_EQ(getFakeDriver().countCalls(calls[i]), before[i]) << calls[i];
  EXPECT_LE(getFakeDriver().countCalls(calls[6]) - before[6], 50);
}

TEST_F(CudaKernels, PointersOfOtherDevicesAreRefused) {
  Device second = runtime.open("cuda:1");
  Stream other = second.createStream();
  Buffer<int32_t> out(stream, 96), a(stream, 96), b(other, 96);
  Error error = getError([&] { add.launch(stream, {1}, out, a, b, 96, 128); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error.what(), "parameter 'b' is at 0x");
  EXPECT_CONTAINS(error.what(), "memory of another device, which cuda:0 cannot use");
  int32_t onHost = 0;
  Pointer<int32_t> host{reinterpret_cast<uint64_t>(&onHost)};
  EXPECT_CONTAINS(getError([&] { add.launch(stream, {1}, out, a, host, 96, 128); }).what(),
                  "memory that cuda:0 does not know (a host pointer, or freed memory?)");
}

TEST_F(CudaKernels, DriverFailuresAreTold) {
  const FakeDriver &driver = getFakeDriver();
  run(add, stream);
  driver.fail("cuLaunchKernel", 701, 0, 1); // Out of resources.
  Error error = getError([&] { run(add, stream); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error.what(), "kernel 'tilerun_test_add', grid (1, 1, 1), 128 threads");
  EXPECT_EQ(run(add, stream), std::vector<int32_t>(96, 7));
  // A cached artifact that the driver does not load is compiled again, once; and the next time.
  Kernel fresh = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  int links = driver.countCalls("cuLinkComplete");
  driver.fail("cuModuleLoadDataEx", 218, 0, 1); // Invalid PTX.
  EXPECT_EQ(run(fresh, stream), std::vector<int32_t>(96, 7));
  EXPECT_EQ(driver.countCalls("cuLinkComplete") - links, 1);
  fresh = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  driver.fail("cuModuleLoadDataEx", 218, 0, 2);
  error = getError([&] { run(fresh, stream); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_COMPILE);
  EXPECT_CONTAINS(error.what(), "CUDA_ERROR_INVALID_PTX");
  EXPECT_EQ(run(fresh, stream), std::vector<int32_t>(96, 7));
}

TEST_F(CudaKernels, ALostDeviceComesBack) {
  constexpr const char *kFault = R"(import triton
import triton.language as tl


@triton.jit
def tilerun_test_fault(address):
    tl.store(address, 1)
)";
  EXPECT_EQ(run(add, stream), std::vector<int32_t>(96, 7));
  Device second = runtime.open("cuda:1");
  {
    Kernel fault = runtime.loadText("fault.py", kFault, "tilerun_test_fault");
    fault.launch(stream, {1}, Pointer<int32_t>{});
    Error error = getError([&] { stream.synchronize(); });
    EXPECT_EQ(error.status(), TILERUN_STATUS_DEVICE_LOST);
    EXPECT_CONTAINS(error.what(), "'tilerun_test_fault'");
    TilerunErrorInfo info = {};
    info.struct_size = sizeof(info);
    (void)tilerunGetError(&info);
    EXPECT_STREQ(info.device, "cuda:0");
    EXPECT_STREQ(info.driver_word, "CUDA_ERROR_ILLEGAL_ADDRESS");
    EXPECT_TRUE(device.isLost());
    EXPECT_EQ(getError([&] { run(add, stream); }).status(), TILERUN_STATUS_DEVICE_LOST);
    // Other devices stay usable.
    Stream other = second.createStream();
    EXPECT_EQ(run(add, other), std::vector<int32_t>(96, 7));
    // Recovery, with kernels still alive. A driver may refuse that to the process.
    stream = {};
    device = {};
    error = getError([&] { device = runtime.open("cuda:0"); });
    EXPECT_CONTAINS(error.what(), "start a new process");
    EXPECT_CONTAINS(error.what(), "'tilerun_test_fault'");
    setenv("FAKE_CUDA_REVIVE", "1", 1);
    device = runtime.open("cuda:0");
    stream = device.createStream();
    EXPECT_FALSE(device.isLost());
    EXPECT_EQ(run(add, stream), std::vector<int32_t>(96, 7));
  }
}

TEST_F(CudaKernels, ThreadsWithStreamsOnTwoDevices) {
  Device second = runtime.open("cuda:1"), cpu = runtime.open("cpu");
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i)
    threads.emplace_back([&, i] {
      const Device &mine = i % 3 == 0 ? device : i % 3 == 1 ? second : cpu;
      Stream own = mine.createStream();
      for (int round = 0; round < 10; ++round) {
        int n = 1 + (i * 31 + round * 17) % 128;
        EXPECT_EQ(run(add, own, n), std::vector<int32_t>(static_cast<size_t>(n), 7));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

// The library's calls of operator new come to the program's own.
TEST_F(CudaKernels, WarmLaunchesAllocateNothing) {
  Buffer<int32_t> out(stream, 96), a(stream, 96), b(stream, 96);
  auto launch = [&] { add.launch(stream, {1}, out, a, b, 96, 128); };
  // As in a program that has the context current already: the fake driver's count of pushes has a
  // name that is long enough to be on the heap.
  getFakeDriver().pushContext(reinterpret_cast<void *>(device.nativeContext()));
  launch();
  constexpr int kLaunches = 20;
  auto count = [&] {
    uint64_t before = core::test::getHookCounts().allocations;
    for (int i = 0; i < kLaunches; ++i)
      launch();
    return core::test::getHookCounts().allocations - before;
  };
  (void)count();
  EXPECT_EQ(count(), 0u);
  // The counter does see the library's allocations.
  uint64_t before = core::test::getHookCounts().allocations;
  (void)getError([&] { add.launch(stream, {0}, out, a, b, 96, 128); });
  if (core::test::hasHooks()) {
    EXPECT_GT(core::test::getHookCounts().allocations, before + 2);
  }
  void *popped = nullptr;
  getFakeDriver().popContext(&popped);
}

} // namespace
