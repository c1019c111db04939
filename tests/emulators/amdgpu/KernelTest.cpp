// Whole kernels, compiled from LLVM IR: what the code generator makes of ordinary code must run and
// give the right values, on every architecture.
#include "emulators/amdgpu/Floats.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif

const char *const cpus[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};

std::string kernelIr(const std::string &body, const std::string &declarations = "") {
  return R"(
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
)" + declarations +
         R"(
define amdgpu_kernel void @k(ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = mul i32 %g, 256
  %i = add i32 %base, %t
  %j = zext i32 %i to i64
)" + body +
         R"(
}
attributes #0 = { "amdgpu-flat-work-group-size"="256,256" "denormal-fp-math-f32"="ieee" "uniform-work-group-size" })";
}

struct Outcome {
  LaunchResult result;
  std::vector<float> out;
};
Outcome runFloats(const std::string &cpu, const std::string &ir, const std::vector<float> &in,
                  LaunchOptions options) {
  Loaded loaded = load(cpu, compile(cpu, ir));
  uint64_t x = upload(*loaded.device, in),
           y = upload(*loaded.device, std::vector<float>(in.size()));
  Outcome run = {loaded.run("k", x, y, options), {}};
  run.out = download<float>(y, in.size());
  return run;
}

std::vector<float> someFloats(size_t count) {
  std::vector<float> values(count);
  std::mt19937 random(7);
  for (float &value : values)
    value = std::ldexp(float(random() % 20001) / 10000.0f - 1.0f, int(random() % 12) - 6);
  return values;
}

TEST(AmdsimKernels, ElementwiseWithDivisionAndRoots) {
  std::string ir =
      kernelIr(R"(
  %p = getelementptr float, ptr addrspace(1) %x, i64 %j
  %v = load float, ptr addrspace(1) %p
  %d = fdiv float 3.0, %v
  %a = call float @llvm.fabs.f32(float %d)
  %s = call float @llvm.sqrt.f32(float %a)
  %q = getelementptr float, ptr addrspace(1) %y, i64 %j
  store float %s, ptr addrspace(1) %q
  ret void)",
               "declare float @llvm.fabs.f32(float)\ndeclare float @llvm.sqrt.f32(float)");
  std::vector<float> in = someFloats(1024);
  in[0] = 1e-40f, in[1] = 3e38f, in[2] = 0, in[3] = INFINITY, in[4] = -1e-38f;
  for (const char *cpu : cpus) {
    Outcome run = runFloats(cpu, ir, in, {.grid = {4, 1, 1}, .threads = {256, 1, 1}});
    EXPECT_EQ(messages(run.result), "") << cpu;
    for (size_t at = 0; at < in.size(); ++at) // exact: both are correctly rounded
      ASSERT_EQ(run.out[at], std::sqrt(std::fabs(3.0f / in[at])))
          << cpu << " element " << at << " of " << in[at];
  }
}

TEST(AmdsimKernels, DivisionOfDoublesAndHalves) {
  std::string ir = kernelIr(R"(
  %p = getelementptr double, ptr addrspace(1) %x, i64 %j
  %v = load double, ptr addrspace(1) %p
  %d = fdiv double 3.0, %v
  %q = getelementptr double, ptr addrspace(1) %y, i64 %j
  %h = fptrunc double %v to half
  %e = fdiv half 3.0, %h
  %w = fpext half %e to double
  %isOdd = trunc i32 %i to i1
  %r = select i1 %isOdd, double %w, double %d
  store double %r, ptr addrspace(1) %q
  ret void)");
  std::vector<double> in(512);
  std::mt19937_64 random(3);
  for (size_t at = 0; at < in.size(); ++at)
    in[at] = std::ldexp(double(random()) / 0x1p63 - 1,
                        at % 2 ? int(random() % 20) - 10 : int(random() % 2040) - 1020);
  for (const char *cpu : cpus) {
    Loaded loaded = load(cpu, compile(cpu, ir));
    uint64_t x = upload(*loaded.device, in),
             y = upload(*loaded.device, std::vector<double>(in.size()));
    EXPECT_EQ(messages(loaded.run("k", x, y, {.grid = {2, 1, 1}, .threads = {256, 1, 1}})), "")
        << cpu;
    std::vector<double> out = download<double>(y, in.size());
    for (size_t at = 0; at < in.size(); ++at) {
      double want = at % 2 ? halfToFloat(doubleToHalf(3.0 / halfToFloat(doubleToHalf(in[at]))))
                           : 3.0 / in[at];
      ASSERT_EQ(out[at], want) << cpu << " element " << at << " of " << in[at];
    }
  }
}

TEST(AmdsimKernels, LoopsAndDivergence) {
  // Collatz steps: every lane leaves the loop at another time.
  std::string ir = kernelIr(R"(
  %first = add i32 %i, 1
  br label %loop
loop:
  %n = phi i32 [ %first, %0 ], [ %next, %more ]
  %steps = phi i32 [ 0, %0 ], [ %count, %more ]
  %done = icmp eq i32 %n, 1
  br i1 %done, label %end, label %more
more:
  %odd = and i32 %n, 1
  %isOdd = icmp ne i32 %odd, 0
  %half = lshr i32 %n, 1
  %three = mul i32 %n, 3
  %up = add i32 %three, 1
  %next = select i1 %isOdd, i32 %up, i32 %half
  %count = add i32 %steps, 1
  br label %loop
end:
  %q = getelementptr i32, ptr addrspace(1) %y, i64 %j
  store i32 %steps, ptr addrspace(1) %q
  ret void)");
  for (const char *cpu : cpus) {
    Loaded loaded = load(cpu, compile(cpu, ir));
    uint64_t y = upload(*loaded.device, std::vector<uint32_t>(512));
    LaunchResult result =
        loaded.run("k", y, y, {.grid = {2, 1, 1}, .threads = {256, 1, 1}, .hostThreads = 2});
    EXPECT_EQ(messages(result), "") << cpu;
    std::vector<uint32_t> out = download<uint32_t>(y, 512);
    for (uint32_t at = 0; at < 512; ++at) {
      uint32_t steps = 0;
      for (uint32_t n = at + 1; n != 1; n = n & 1 ? 3 * n + 1 : n / 2)
        ++steps;
      ASSERT_EQ(out[at], steps) << cpu << " " << at;
    }
  }
}

TEST(AmdsimKernels, SumThroughLds) {
  // A tree over LDS with a barrier for each level, in an order of waves that changes with the seed.
  std::string ir = kernelIr(R"(
  %p = getelementptr float, ptr addrspace(1) %x, i64 %j
  %v = load float, ptr addrspace(1) %p
  %mine = getelementptr float, ptr addrspace(3) @lds, i32 %t
  store float %v, ptr addrspace(3) %mine
  br label %loop
loop:
  %width = phi i32 [ 128, %0 ], [ %narrower, %next ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %active = icmp ult i32 %t, %width
  br i1 %active, label %add, label %next
add:
  %far = add i32 %t, %width
  %other = getelementptr float, ptr addrspace(3) @lds, i32 %far
  %a = load float, ptr addrspace(3) %mine
  %b = load float, ptr addrspace(3) %other
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(3) %mine
  br label %next
next:
  %narrower = lshr i32 %width, 1
  %again = icmp ne i32 %narrower, 0
  br i1 %again, label %loop, label %end
end:
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %store, label %out
store:
  %total = load float, ptr addrspace(3) @lds
  %gl = zext i32 %g to i64
  %q = getelementptr float, ptr addrspace(1) %y, i64 %gl
  store float %total, ptr addrspace(1) %q
  br label %out
out:
  ret void)",
                            "@lds = internal addrspace(3) global [256 x float] poison\ndeclare "
                            "void @llvm.amdgcn.s.barrier()");
  std::vector<float> in(1024);
  for (size_t at = 0; at < in.size(); ++at)
    in[at] = float(at % 97);
  for (const char *cpu : cpus)
    for (uint64_t seed = 0; seed < 3; ++seed) {
      Outcome run =
          runFloats(cpu, ir, in, {.grid = {4, 1, 1}, .threads = {256, 1, 1}, .seed = seed});
      EXPECT_EQ(messages(run.result), "") << cpu;
      for (size_t group = 0; group < 4; ++group) {
        float sum = 0;
        for (size_t at = 0; at < 256; ++at)
          sum += in[group * 256 + at];
        EXPECT_EQ(run.out[group], sum) << cpu << " seed " << seed;
      }
    }
}

TEST(AmdsimKernels, AtomicsFromManyWorkgroups) {
  std::string ir = kernelIr(R"(
  %old = atomicrmw add ptr addrspace(1) %x, i32 1 syncscope("agent") monotonic
  %k = zext i32 %old to i64
  %q = getelementptr i32, ptr addrspace(1) %y, i64 %k
  store i32 %i, ptr addrspace(1) %q
  ret void)");
  for (const char *cpu : cpus) {
    Loaded loaded = load(cpu, compile(cpu, ir));
    uint64_t x = upload(*loaded.device, std::vector<uint32_t>(1)),
             y = upload(*loaded.device, std::vector<uint32_t>(4096, ~0u));
    LaunchResult result =
        loaded.run("k", x, y, {.grid = {16, 1, 1}, .threads = {256, 1, 1}, .hostThreads = 3});
    EXPECT_EQ(messages(result), "") << cpu;
    EXPECT_EQ(download<uint32_t>(x, 1)[0], 4096u) << cpu;
    std::vector<uint32_t> out = download<uint32_t>(y, 4096);
    std::sort(out.begin(), out.end());
    for (uint32_t at = 0; at < 4096; ++at)
      ASSERT_EQ(out[at], at) << cpu;
  }
}

TEST(AmdsimKernels, PrivateArrays) {
  // An array that is indexed at run time lives in scratch memory.
  std::string ir = kernelIr(R"(
  %array = alloca [16 x i32], addrspace(5)
  br label %fill
fill:
  %n = phi i32 [ 0, %0 ], [ %m, %fill ]
  %slot = getelementptr i32, ptr addrspace(5) %array, i32 %n
  %value = mul i32 %n, %t
  store volatile i32 %value, ptr addrspace(5) %slot
  %m = add i32 %n, 1
  %more = icmp ult i32 %m, 16
  br i1 %more, label %fill, label %use
use:
  %which = and i32 %t, 15
  %from = getelementptr i32, ptr addrspace(5) %array, i32 %which
  %read = load volatile i32, ptr addrspace(5) %from
  %q = getelementptr i32, ptr addrspace(1) %y, i64 %j
  store i32 %read, ptr addrspace(1) %q
  ret void)");
  for (const char *cpu : cpus) {
    Loaded loaded = load(cpu, compile(cpu, ir));
    uint64_t y = upload(*loaded.device, std::vector<uint32_t>(256));
    LaunchResult result = loaded.run("k", y, y, {.threads = {256, 1, 1}});
    EXPECT_EQ(messages(result), "") << cpu;
    std::vector<uint32_t> out = download<uint32_t>(y, 256);
    for (uint32_t at = 0; at < 256; ++at)
      ASSERT_EQ(out[at], at * (at & 15)) << cpu;
  }
}

TEST(AmdsimKernels, SameSeedSameOrder) {
  // Waves append to a list: the order is the schedule's.
  std::string ir = kernelIr(R"(
  %old = atomicrmw add ptr addrspace(1) %x, i32 1 syncscope("agent") monotonic
  %k = zext i32 %old to i64
  %q = getelementptr i32, ptr addrspace(1) %y, i64 %k
  store i32 %i, ptr addrspace(1) %q
  ret void)");
  Loaded loaded = load("gfx942", compile("gfx942", ir));
  auto order = [&](uint64_t seed) {
    uint64_t x = upload(*loaded.device, std::vector<uint32_t>(1)),
             y = upload(*loaded.device, std::vector<uint32_t>(256));
    loaded.run("k", x, y, {.threads = {256, 1, 1}, .seed = seed});
    return download<uint32_t>(y, 256);
  };
  EXPECT_EQ(order(1), order(1));
  bool differs = false;
  for (uint64_t seed = 2; seed < 10; ++seed)
    differs |= order(seed) != order(1);
  EXPECT_TRUE(differs);
}

// The goal is 5 million wave instructions a second and core. Builds with sanitizers are slower.
TEST(AmdsimKernels, IsFastEnough) {
  std::string body =
      "s_movk_i32 s8, 0x1000\nv_mov_b32 v1, 1.0\nv_mov_b32 v2, 0\nv_mov_b32 v3, 0\nloop:\n";
  for (int n = 0; n < 8; ++n)
    body += "v_fma_f32 v2, v1, v1, v2\nv_add_f32 v3, v2, v1\nv_xor_b32 v4, v3, v2\nv_lshl_add_u32 "
            "v5, v4, 2, v3\n";
  body += "s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop";
  Loaded loaded = load("gfx942", assemble("gfx942", {{.name = "k", .body = body}}));
  std::clock_t begin = std::clock(); // of this process: others may be busy
  LaunchResult result = loaded.run("k", 0, 0, {.grid = {4, 1, 1}, .threads = {256, 1, 1}});
  double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(messages(result), "");
  double rate = double(result.counters.instructions) / seconds / 1e6;
  RecordProperty("million_instructions_per_second", std::to_string(rate));
  std::printf("%.1f million wave instructions a second\n", rate);
  EXPECT_GT(rate, isSanitized ? 0.1 : 5);
}

} // namespace
} // namespace tilerun::amdsim::tests
