// Loading: what a code object says about its kernels, and the errors of those that cannot be
// loaded.
#include "tests/emulators/amdgpu/TestKernels.h"

#include <algorithm>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

std::string errorOf(const std::vector<char> &bytes) {
  auto object = CodeObject::read(bytes);
  return object ? "" : llvm::toString(object.takeError());
}

std::vector<char> simple(const std::string &cpu) {
  return assemble(cpu, {{.name = "k", .body = "s_nop 0", .ldsBytes = 512, .scratchBytes = 32}});
}

TEST(AmdsimCodeObject, KernelsAndResources) {
  for (std::string cpu : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}) {
    auto object = CodeObject::read(simple(cpu));
    ASSERT_TRUE(bool(object)) << cpu << ": " << llvm::toString(object.takeError());
    EXPECT_EQ((*object)->target().name, cpu);
    ASSERT_EQ((*object)->kernels().size(), 1u);
    const Kernel &kernel = (*object)->kernels()[0];
    EXPECT_EQ(kernel.name, "k");
    EXPECT_EQ(kernel.ldsBytes, 512u);
    EXPECT_EQ(kernel.scratchBytesPerLane, 32u);
    EXPECT_EQ(kernel.argumentBytes, 16u);
    EXPECT_EQ(kernel.maxThreads, 1024u);
    EXPECT_EQ(kernel.lanes, cpu.starts_with("gfx9") ? 64 : 32);
    ASSERT_EQ(kernel.arguments.size(), 1u);
    EXPECT_EQ(kernel.arguments[0].bytes, 16u);
    EXPECT_EQ((*object)->find("k"), &kernel);
    EXPECT_EQ((*object)->find("other"), nullptr);
    EXPECT_GE(kernel.entry, (*object)->textRange().first);
  }
}

TEST(AmdsimCodeObject, CompiledArguments) {
  auto object = CodeObject::read(compile("gfx942", R"(
define amdgpu_kernel void @f(ptr addrspace(1) %x, i32 %n, double %d) {
  store i32 %n, ptr addrspace(1) %x
  ret void
})"));
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  const Kernel *kernel = (*object)->find("f");
  ASSERT_NE(kernel, nullptr);
  ASSERT_GE(kernel->arguments.size(), 3u);
  EXPECT_EQ(kernel->arguments[0].kind, "global_buffer");
  EXPECT_EQ(kernel->arguments[1].offset, 8u);
  EXPECT_EQ(kernel->arguments[2].offset, 16u);
  EXPECT_EQ(kernel->arguments[2].bytes, 8u);
}

TEST(AmdsimCodeObject, NotACodeObject) {
  EXPECT_EQ(errorOf({}), "code object: the 0 bytes are not an ELF file");
  EXPECT_EQ(errorOf({'h', 'e', 'l', 'l', 'o'}), "code object: the 5 bytes are not an ELF file");
}

TEST(AmdsimCodeObject, TruncatedAnywhere) {
  std::vector<char> whole = simple("gfx942");
  ASSERT_EQ(errorOf(whole), "");
  // The last bytes are section names, which loading does not need.
  size_t needed = whole.size() * 3 / 4;
  for (size_t size = 0; size < needed; size += 61) {
    std::vector<char> part(whole.begin(), whole.begin() + long(size));
    EXPECT_NE(errorOf(part), "") << size << " of " << whole.size() << " bytes";
  }
}

TEST(AmdsimCodeObject, CorruptedBytesDoNotCrash) {
  std::vector<char> whole = simple("gfx1100");
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::vector<char> broken = whole;
    broken[at] = char(broken[at] ^ 0x5a);
    errorOf(broken); // an error or not, but it returns
  }
}

TEST(AmdsimCodeObject, WrongArchitecture) {
  std::vector<char> bytes = simple("gfx942");
  auto device = Device::create("gfx1100");
  ASSERT_TRUE(bool(device));
  auto module = (*device)->load(bytes);
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(llvm::toString(module.takeError()),
            "code object: it is for gfx942; the device is gfx1100");
  bytes[48] = char(0x2c); // gfx900 in the ELF flags
  EXPECT_NE(errorOf(bytes).find("is not emulated; emulated are gfx90a, gfx942"), std::string::npos)
      << errorOf(bytes);
  EXPECT_EQ(llvm::toString(Device::create("gfx900").takeError()),
            "'gfx900' is not emulated; emulated are gfx90a, gfx942, gfx950, gfx1100, gfx1201");
}

TEST(AmdsimCodeObject, MalformedMetadata) {
  // The note's first string, the key of a map, becomes an array, a number, and a longer string.
  std::vector<char> good = simple("gfx942");
  const std::string key = "amdhsa.kernels";
  auto at = std::search(good.begin(), good.end(), key.begin(), key.end());
  ASSERT_NE(at, good.end());
  for (char head : {char(0x91), char(0x81), char(0x05), char(0xbf), char(0xc1)}) {
    std::vector<char> bad = good;
    bad[size_t(at - good.begin()) - 1] = head;
    EXPECT_NE(errorOf(bad).find("metadata"), std::string::npos) << errorOf(bad);
  }
  std::vector<char> renamed = good;
  renamed[size_t(at - good.begin())] = 'x';
  EXPECT_EQ(errorOf(renamed), "code object: its metadata has no array 'amdhsa.kernels'");
}

// Whatever bytes change, reading ends with a result or an error. (Code is not decoded: LLVM's
// disassembler trusts its input.)
TEST(AmdsimCodeObject, ChangedBytes) {
  const std::vector<char> good = simple("gfx1100");
  std::mt19937 random(8);
  unsigned loaded = 0;
  for (unsigned run = 0; run < 400; ++run) {
    std::vector<char> bytes = good;
    for (unsigned change = 0; change <= run % 8; ++change) {
      // Headers and metadata are at the front.
      size_t at = random() % (random() % 3 ? std::min<size_t>(bytes.size(), 0x400) : bytes.size());
      bytes[at] = char(random() % 3 ? random() : 0xff);
    }
    if (run % 16 == 0)
      bytes.resize(random() % bytes.size());
    llvm::Expected<std::unique_ptr<CodeObject>> object = CodeObject::read(bytes);
    if (!object) {
      EXPECT_NE(llvm::toString(object.takeError()), "");
      continue;
    }
    (*object)->sourceLine((*object)->kernels()[0].entry);
    ++loaded;
  }
  EXPECT_GT(loaded, 20u) << "most changes should leave something to load";
}

TEST(AmdsimCodeObject, TooMuchLds) {
  auto read = [](const char *cpu, unsigned bytes) {
    return errorOf(assemble(cpu, {{.name = "k", .body = "", .ldsBytes = bytes}}));
  };
  EXPECT_EQ(read("gfx950", 160 * 1024), "");
  EXPECT_EQ(read("gfx950", 160 * 1024 + 4),
            "code object: kernel 'k' needs 163844 bytes of LDS; gfx950 has 163840");
  for (const char *cpu : {"gfx90a", "gfx942", "gfx1100", "gfx1201"}) {
    EXPECT_EQ(read(cpu, 64 * 1024), "");
    EXPECT_EQ(read(cpu, 64 * 1024 + 4), "code object: kernel 'k' needs 65540 bytes of LDS; " +
                                            std::string(cpu) + " has 65536");
  }
}

TEST(AmdsimCodeObject, RefusedLaunches) {
  Loaded loaded = load("gfx942", simple("gfx942"));
  ASSERT_TRUE(loaded.module);
  auto refuse = [&](const char *kernel, size_t bytes, LaunchOptions options) {
    std::vector<uint8_t> arguments(bytes);
    auto result = loaded.device->launch(*loaded.module, kernel, arguments, options);
    return result ? "" : llvm::toString(result.takeError());
  };
  EXPECT_EQ(refuse("none", 16, {}), "the code object has no kernel 'none'");
  EXPECT_EQ(refuse("k", 8, {}), "kernel 'k' takes 16 bytes of arguments; given were 8");
  EXPECT_EQ(refuse("k", 16, {.threads = {1025, 1, 1}}),
            "kernel 'k' cannot run with 1025 threads in a workgroup; it has at most 1024");
  EXPECT_EQ(refuse("k", 16, {.grid = {0, 1, 1}}), "kernel 'k': the grid is empty");
  EXPECT_EQ(refuse("k", 16, {}), "");
}

} // namespace
} // namespace tilerun::amdsim::tests
