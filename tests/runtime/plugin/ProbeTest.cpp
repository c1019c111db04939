// A plugin that crashes, hangs or exits is found out in a child process.
#include "runtime/plugin/Probe.h"

#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>

using namespace tilerun::plugin;
using namespace std::chrono_literals;

namespace {

std::string file(const std::string &fault) {
  return std::string(FAULTY_FOLDER) + "/libtilerun-" + fault + ".so";
}

// Under a sanitizer a child still has to die of its signal.
const int kSanitizerOptions =
    setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:detect_leaks=0", 1) |
    setenv("TSAN_OPTIONS", "handle_segv=0:handle_abort=0", 1);

ProbeReport probeFault(const std::string &fault, std::chrono::milliseconds timeout = 20s) {
  return probe(PROBE_HELPER, file(fault), timeout);
}

size_t countDescriptors() {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

TEST(Probe, ReportsAGoodPlugin) {
  ASSERT_EQ(kSanitizerOptions, 0);
  ProbeReport report = probe(PROBE_HELPER, NULL_PLUGIN, 20s);
  ASSERT_EQ(report.reason, "");
  EXPECT_EQ(report.name, "null");
  EXPECT_EQ(report.abi, "1." + std::to_string(TILERUN_PLUGIN_ABI_MINOR));
  EXPECT_EQ(report.targets, std::vector<std::string>{"null:host"});
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].id, "null:0");
  EXPECT_EQ(report.devices[0].name, "Null device (host memory)");
}

TEST(Probe, SurvivesBadPlugins) {
  const struct {
    const char *fault, *text;
  } cases[] = {
      {"crash-in-constructor", "it crashes: Segmentation fault"},
      {"abort-in-constructor", "it crashes: Aborted"},
      {"exit-in-constructor", "it ends the process with status 0"},
      {"crash-in-entry", "it crashes: Segmentation fault"},
      {"crash-in-get-devices", "it crashes: Segmentation fault"},
      {"missing-symbol", "does not export"},
      {"major-too-new", "too new"},
      {"unresolved-symbol", "tilerunThisIsDefinedNowhere"},
  };
  for (const auto &[fault, text] : cases) {
    ProbeReport report = probeFault(fault);
    EXPECT_NE(report.reason.find(text), std::string::npos) << fault << ": " << report.reason;
  }
}

TEST(Probe, KillsWhatHangs) {
  for (const char *fault : {"hang-in-constructor", "hang-in-get-devices"}) {
    auto start = std::chrono::steady_clock::now();
    ProbeReport report = probeFault(fault, 300ms);
    EXPECT_EQ(report.reason, "it hangs: no answer within 300 ms");
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  }
}

// A plugin stays loaded until its host ends, and its destructors run then.
TEST(Probe, WatchesTheEnd) {
  const struct {
    const char *fault, *text;
  } cases[] = {
      {"crash-in-destructor", "it crashes when its process ends: Segmentation fault"},
      {"crash-at-exit", "it crashes when its process ends: Segmentation fault"},
      {"exit-in-destructor", "it changes the status of its process, when that ends, to 0"},
  };
  for (const auto &[fault, text] : cases)
    EXPECT_EQ(probeFault(fault).reason, text) << fault;
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(probeFault("hang-in-destructor", 500ms).reason,
            "it hangs when its process ends: it is not done within 500 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  // Its earlier report is kept all the same.
  EXPECT_EQ(probeFault("crash-in-destructor").name, "faulty");
}

TEST(Probe, OutputOfThePluginIsNoReport) {
  ProbeReport report = probeFault("noisy");
  EXPECT_EQ(report.reason, "");
  EXPECT_EQ(report.name, "faulty");
}

TEST(Probe, KeepsReasonsInOneLine) {
  ProbeReport report = probeFault("no-devices");
  EXPECT_EQ(report.reason, "");
  EXPECT_EQ(report.noDevices, "libdriver.so.1 was not found; tried /usr/lib");
}

TEST(Probe, HelperThatIsMissingOrBroken) {
  EXPECT_NE(probe("/nonexistent", NULL_PLUGIN, 1s).reason.find("cannot be probed"),
            std::string::npos);
  EXPECT_EQ(probe("/bin/false", NULL_PLUGIN, 5s).reason, "it ends the process with status 1");
}

TEST(Probe, LeavesNothingBehind) {
  size_t before = countDescriptors();
  for (int i = 0; i < 5; ++i) {
    probeFault("crash-in-constructor");
    probeFault("hang-in-constructor", 50ms);
    probe(PROBE_HELPER, NULL_PLUGIN, 20s);
  }
  EXPECT_EQ(countDescriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // No child.
}

TEST(Probe, FromManyThreads) {
  std::vector<std::thread> threads;
  std::vector<std::string> reasons(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      reasons[i] = i % 2 ? probe(PROBE_HELPER, NULL_PLUGIN, 60s).reason
                         : probeFault("crash-in-constructor", 60s).reason;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(reasons[i], i % 2 ? "" : "it crashes: Segmentation fault");
}

} // namespace
