// From sources to loaded kernels: what is kept, what makes it compiled anew, and who is told what.
#include "runtime/PluginDevice.h"
#include "runtime/cache/PluginArtifacts.h"
#include "runtime/compiler/Programs.h"
#include "tests/runtime/cache/CacheTest.h"
#include "tests/runtime/cache/CountingPlugin.h"

#include <cstdlib>
#include <thread>

using namespace tilerun;

namespace {

class SourceTest : public cache::CacheTest {
protected:
  SourceTest() { before = counting::getCounts(); }
  /// What was compiled since the last call.
  unsigned countCompiled() {
    unsigned now = counting::getCounts().compiled;
    return now - std::exchange(before.compiled, now);
  }
  counting::Counts before;
};

// Of the command: devices behind the C++ interface, with the process's cache.
class CommandCache : public SourceTest {
protected:
  CommandCache() {
    // The first to ask for the process's cache decides where it is.
    static const struct Folder {
      std::string path = testing::TempDir() + "tilerun-shared-XXXXXX";
      Folder() {
        setenv("TILERUN_CACHE_DIR", mkdtemp(path.data()), 1);
        unsetenv("TILERUN_CACHE");
        cache::getSharedCache();
      }
      ~Folder() { std::filesystem::remove_all(path); }
    } shared;
    device = llvm::cantFail(openPluginDevice(counting::getPlugin(), counting::getDevice()));
  }
  llvm::Expected<std::unique_ptr<DeviceKernel>> load(const std::string &identity,
                                                     LoadOptions options = {}, bool keep = true) {
    auto make = [&]() -> llvm::Expected<SourceModule> {
      ++made;
      return SourceModule{{1, 2, 3}, "note of " + identity, keep};
    };
    note.clear();
    return device->loadSource({identity, "kernel", make}, options, note);
  }
  std::unique_ptr<Device> device;
  std::string note;
  std::atomic<unsigned> made{0};
};

TEST_F(CommandCache, KeptUntilTheSourceChanges) {
  for (int round = 0; round < 3; ++round) {
    llvm::cantFail(load("first"));
    EXPECT_EQ(note, "note of first");
    EXPECT_EQ(made, 1u);
  }
  EXPECT_EQ(countCompiled(), 1u);
  EXPECT_GE(counting::getCounts().finalized, 1u);
  llvm::cantFail(load("second"));
  EXPECT_EQ(made, 2u);
  EXPECT_EQ(countCompiled(), 1u);
  LoadOptions options;
  options.numWarps = 8;
  llvm::cantFail(load("first", options));
  EXPECT_EQ(countCompiled(), 1u);
  options.useCache = false;
  llvm::cantFail(load("first", options));
  llvm::cantFail(load("first", options));
  EXPECT_EQ(countCompiled(), 2u);
  EXPECT_EQ(note, "note of first");
  // Another process finds it on disk.
  cache::ArtifactCache later(
      std::make_shared<cache::DiskCache>(cache::DiskCacheOptions::fromEnvironment(nullptr)));
  EXPECT_GE(later.getDisk()->getStat().numEntries, 3u);
}

TEST_F(CommandCache, WhatSaysMoreIsNotKept) {
  llvm::cantFail(load("warns", {}, /*keep=*/false));
  llvm::cantFail(load("warns", {}, /*keep=*/false));
  EXPECT_EQ(made, 2u);
}

TEST_F(CommandCache, ARefusedEntryIsCompiledAnew) {
  llvm::cantFail(load("refused"));
  countCompiled();
  counting::refuseLoads(1);
  llvm::cantFail(load("refused"));
  EXPECT_EQ(countCompiled(), 1u);
  EXPECT_EQ(made, 2u);
  // One that is refused although it is new is an error, and not kept.
  counting::refuseLoads(1);
  llvm::Expected<std::unique_ptr<DeviceKernel>> kernel = load("always refused");
  EXPECT_FALSE(static_cast<bool>(kernel));
  llvm::consumeError(kernel.takeError());
  EXPECT_EQ(made, 3u);
  llvm::cantFail(load("always refused"));
  EXPECT_EQ(made, 4u);
}

TEST_F(CommandCache, FailuresOfTheSourceAreItsOwn) {
  auto make = []() -> llvm::Expected<SourceModule> {
    return makeDeviceError(DeviceErrorKind::Unavailable, "line 3: no such name");
  };
  for (int round = 0; round < 2; ++round) {
    llvm::Expected<std::unique_ptr<DeviceKernel>> kernel =
        device->loadSource({"bad", "kernel", make}, {}, note);
    ASSERT_FALSE(static_cast<bool>(kernel));
    EXPECT_EQ(llvm::toString(kernel.takeError()), "line 3: no such name");
  }
  EXPECT_EQ(countCompiled(), 0u);
}

TEST_F(CommandCache, SixtyFourThreadsCompileOnce) {
  std::atomic<unsigned> ready{0}, loaded{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i)
    threads.emplace_back([&] {
      ++ready;
      while (ready < 64)
        std::this_thread::yield();
      std::string text;
      auto make = [&]() -> llvm::Expected<SourceModule> {
        ++made;
        return SourceModule{{1, 2, 3}, "shared", true};
      };
      auto kernel = device->loadSource({"threads", "kernel", make}, {}, text);
      loaded += static_cast<bool>(kernel) && text == "shared";
      if (!kernel)
        llvm::consumeError(kernel.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(loaded, 64u);
  EXPECT_EQ(made, 1u);
  EXPECT_EQ(countCompiled(), 1u);
}

// Of the library: programs from files, each with a frontend of its own, as in other processes.
class ProgramCache : public SourceTest {
protected:
  ProgramCache() {
    writeText(folder + "/kernels.py", kKernels);
    writeText(folder + "/helper.py",
              "import triton\nimport triton.language as tl\n\n"
              "SIZE = 2\n\n@triton.jit\ndef twice(x):\n    return x * SIZE\n");
    EXPECT_TRUE(
        core::Device::open(counting::getPlugin(), counting::getDevice(), {}, device).isOk());
  }
  // Compiles as a new process would; false on errors.
  bool compile(const std::string &signature, unsigned numWarps = 4) {
    auto services = std::make_shared<compiler::Services>();
    services->cache =
        std::make_shared<cache::ArtifactCache>(std::make_shared<cache::DiskCache>(makeOptions()));
    services->log = [this](int32_t, const std::string &text) { log += text; };
    log.clear();
    std::shared_ptr<core::Program> program;
    core::Status status = compiler::loadFile(services, folder + "/kernels.py", "kernel", program);
    TilerunCompileOptions options = {};
    options.struct_size = sizeof(options);
    options.num_warps = numWarps;
    options.num_stages = 3;
    core::CompiledArtifact artifact;
    if (status.isOk())
      status = program->compile(*device, signature, options, artifact);
    if (!status.isOk())
      message = status.getMessage();
    return status.isOk();
  }
  static constexpr const char *kKernels = R"(import triton
import triton.language as tl
from helper import twice

@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    tl.static_print("block", BLOCK)
    at = tl.arange(0, BLOCK)
    tl.store(x + at, twice(tl.load(x + at, mask=at < n)), mask=at < n)
)";
  std::shared_ptr<core::Device> device;
  std::string log, message;
};

TEST_F(ProgramCache, NeitherFrontendNorCompilerRunsAgain) {
  ASSERT_TRUE(compile("x=*fp32:16, n=i32, BLOCK=64")) << message;
  EXPECT_EQ(countCompiled(), 1u);
  EXPECT_NE(log.find("block 64"), std::string::npos) << log;
  auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(compile("x=*fp32:16, n=i32, BLOCK=64")) << message;
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", std::to_string(time.count()));
  EXPECT_LE(time.count(), 50) << "with reading the source; 1 to 5 where nothing else runs";
  EXPECT_EQ(countCompiled(), 0u);
  // What it prints while it is compiled is printed all the same.
  EXPECT_NE(log.find("block 64"), std::string::npos) << log;
  // The same said in another way.
  ASSERT_TRUE(compile("BLOCK=64,n=i32,x=*fp32:16"));
  EXPECT_EQ(countCompiled(), 0u);
  // Whatever is said differently.
  for (const char *other :
       {"x=*fp32, n=i32, BLOCK=64", "x=*fp16:16, n=i32, BLOCK=64", "x=*fp32:16, n=i64, BLOCK=64",
        "x=*fp32:16, n=i32, BLOCK=128", "x=*fp32:16, n=i32:16, BLOCK=64"}) {
    ASSERT_TRUE(compile(other)) << message;
    EXPECT_EQ(countCompiled(), 1u) << other;
  }
  ASSERT_TRUE(compile("x=*fp32:16, n=i32, BLOCK=64", 8));
  EXPECT_EQ(countCompiled(), 1u);
}

TEST_F(ProgramCache, ImportedFilesCount) {
  const char *signature = "x=*fp32:16, n=i32, BLOCK=64";
  ASSERT_TRUE(compile(signature)) << message;
  EXPECT_EQ(countCompiled(), 1u);
  std::vector<uint8_t> helper = readFile(folder + "/helper.py");
  std::string changed(helper.begin(), helper.end());
  changed.replace(changed.find("SIZE = 2"), 8, "SIZE = 3");
  auto time = std::filesystem::last_write_time(folder + "/helper.py");
  writeText(folder + "/helper.py", changed);
  // The size and the time are as they were: the content counts.
  std::filesystem::last_write_time(folder + "/helper.py", time);
  ASSERT_TRUE(compile(signature));
  EXPECT_EQ(countCompiled(), 1u);
  writeFile(folder + "/helper.py", helper);
  ASSERT_TRUE(compile(signature));
  EXPECT_EQ(countCompiled(), 0u);
  // A package that takes the place of the file.
  std::filesystem::create_directory(folder + "/helper");
  writeText(folder + "/helper/__init__.py", changed);
  ASSERT_TRUE(compile(signature)) << message;
  EXPECT_EQ(countCompiled(), 1u);
  std::filesystem::remove_all(folder + "/helper");
  ASSERT_TRUE(compile(signature));
  EXPECT_EQ(countCompiled(), 0u);
  // A broken import is an error, not an old result.
  std::filesystem::remove(folder + "/helper.py");
  EXPECT_FALSE(compile(signature));
  EXPECT_EQ(countCompiled(), 0u);
}

} // namespace
