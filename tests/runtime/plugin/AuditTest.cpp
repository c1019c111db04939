// The audit of good plugins and of plugins that are wrong in one way each.
#include "runtime/plugin/Audit.h"

#include "runtime/plugin/Child.h"
#include "runtime/plugin/ElfFile.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun::plugin;
using namespace std::chrono_literals;
using Verdict = AuditItem::Verdict;

namespace {

AuditOptions makeOptions() {
  AuditOptions options;
  options.probeHelper = PROBE_HELPER;
  options.conformanceHelper = CONFORMANCE_HELPER;
  options.bytecode = AUDIT_KERNEL;
  options.timeout = 10s;
  return options;
}

std::string faulty(const std::string &name) { return FAULTY_FOLDER "/libtilerun-" + name + ".so"; }

const AuditItem *find(const AuditReport &report, const std::string &name) {
  for (const AuditItem &item : report.items)
    if (item.name == name)
      return &item;
  return nullptr;
}

std::string getFailures(const AuditReport &report) {
  std::string text;
  for (const AuditItem &item : report.items)
    if (item.verdict == Verdict::Fail)
      text += item.group + "." + item.name + ": " + item.text + "\n";
  return text;
}

TEST(Audit, TheTemplatePasses) {
  AuditReport report = audit(NULL_PLUGIN, makeOptions());
  EXPECT_TRUE(report.passed()) << getFailures(report);
  EXPECT_EQ(report.plugin.name, "null");
  ASSERT_TRUE(find(report, "null:host"));
  EXPECT_EQ(find(report, "null:host")->verdict, Verdict::Unsupported);
  ASSERT_TRUE(find(report, "null:0 errors.device-lost"));
  EXPECT_EQ(find(report, "null:0 errors.device-lost")->verdict, Verdict::Pass);
  EXPECT_GT(report.count(Verdict::Pass), 60u);
}

TEST(Audit, ThePluginCpuPassesAndCompiles) {
  AuditOptions options = makeOptions();
  options.conformance = false; // A test of its own.
  AuditReport report = audit(CPU_PLUGIN, options);
  EXPECT_TRUE(report.passed()) << getFailures(report);
  ASSERT_TRUE(find(report, "cpu:interpreter"));
  EXPECT_EQ(find(report, "cpu:interpreter")->verdict, Verdict::Pass);
  EXPECT_NE(find(report, "cpu:interpreter")->text.find("the same twice"), std::string::npos);
}

TEST(Audit, ReportsEachFault) {
  const struct {
    const char *plugin, *item, *text;
  } cases[] = {
      {"missing-symbol", "shared-object", "does not export tilerunPluginEntry"},
      {"major-too-old", "loads", "it is too old"},
      {"major-too-new", "loads", "it is too new"},
      {"needs-newer-host", "loads", "it needs a runtime with plugin ABI"},
      {"null-table", "loads", "it refuses"},
      {"small-table", "loads", "its table has 64 bytes"},
      {"bad-name", "loads", "its name is missing or has characters other than"},
      {"no-get-devices", "loads", "no get_devices"},
      {"unresolved-symbol", "loads", "tilerunThisIsDefinedNowhere"},
      {"crash-in-constructor", "loads", "it crashes: Segmentation fault"},
      {"abort-in-constructor", "loads", "it crashes: Aborted"},
      {"exit-in-constructor", "loads", "it ends the process with status 0"},
      {"crash-in-entry", "loads", "it crashes: Segmentation fault"},
      {"crash-in-get-devices", "loads", "it crashes: Segmentation fault"},
      {"foreign-ids", "devices", "does not begin with 'faulty:'"},
      {"good", "texts", "it has no version"},
      {"no-release", "loads", "its table has compile, but no release_artifact"},
      {"no-artifact", "faulty:1", "the compilation gives OK and no artifact"},
      {"other-elements", "faulty:1", "kernel 0 has the struct_size 40, not 32, which is fixed"},
      {"half-pairs", "pairs", "it has create_event, but no record_event"},
      {"other-bytes", "faulty:1", "the same request gave other bytes the second time"},
      {"takes-any-option", "faulty:1", "an unknown option gives 'ok', not 'invalid argument'"},
      {"no-phases", "faulty:1", "it lists no phases of the target"},
      {"other-phases", "faulty:1", "its phase 'zzz': "},
      {"binary-text", "faulty:1", "its phase 'text' should be text, and has bytes 0"},
      {"no-locations", "faulty:1", "its phase 'text' lists locations, but "},
      {"crash-in-compile", "faulty:1", "it crashes: Segmentation fault"},
      {"foreign-targets", "targets", "target 'cuda:sm_80' is not 'faulty:ARCH'"},
      {"surplus-export", "exports-the-entry-only", "it also exports tilerunSurplus"},
  };
  for (const auto &[plugin, item, text] : cases) {
    AuditOptions options = makeOptions();
    options.conformance = false;
    AuditReport report = audit(faulty(plugin), options);
    const AuditItem *found = find(report, item);
    ASSERT_TRUE(found) << plugin << " has no item " << item;
    EXPECT_NE(found->text.find(text), std::string::npos) << plugin << ": " << found->text;
    // A machine without a device is a fault only where a device is required.
    if (std::string(plugin) != "foreign-ids")
      EXPECT_EQ(found->verdict, Verdict::Fail) << plugin << ": " << found->text;
  }
}

TEST(Audit, WhatNothingReleasesIsRefused) {
  std::string reason;
  std::shared_ptr<const Plugin> null = Plugin::load(NULL_PLUGIN, reason);
  ASSERT_TRUE(null) << reason;
  auto expectRefused = [&](auto change, const std::string &text) {
    TilerunPlugin table = null->getTable();
    change(table);
    EXPECT_EQ(checkTable(&table), text);
  };
  expectRefused([](TilerunPlugin &) {}, "");
  expectRefused([](TilerunPlugin &t) { t.release_artifact = nullptr; },
                "its table has get_self_test, but no release_artifact");
  expectRefused(
      [](TilerunPlugin &t) {
        t.release_artifact = nullptr;
        t.get_self_test = nullptr;
      },
      "its table has finalize_artifact, but no release_artifact");
  expectRefused([](TilerunPlugin &t) { t.close_device = nullptr; },
                "its table has open_device, but no close_device");
  expectRefused([](TilerunPlugin &t) { t.destroy_stream = nullptr; },
                "its table has create_stream, but no destroy_stream");
  expectRefused([](TilerunPlugin &t) { t.destroy_event = nullptr; },
                "its table has create_event, but no destroy_event");
  expectRefused([](TilerunPlugin &t) { t.unload_module = nullptr; },
                "its table has load_module, but no unload_module");
}

TEST(Audit, APluginThatHangsIsEnded) {
  AuditOptions options = makeOptions();
  options.timeout = 300ms;
  auto start = std::chrono::steady_clock::now();
  AuditReport report = audit(faulty("hang-in-constructor"), options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_NE(getFailures(report).find("it hangs: no answer within 300 ms"), std::string::npos)
      << getFailures(report);
}

TEST(Audit, ACrashInTheSuiteNamesTheCase) {
  AuditReport report = audit(faulty("crash-in-open"), makeOptions());
  std::string failures = getFailures(report);
  EXPECT_NE(failures.find("conformance.the suite: it crashes"), std::string::npos) << failures;
  failures = getFailures(audit(faulty("crash-in-allocate"), makeOptions()));
  EXPECT_NE(failures.find("conformance.devices.open-twice: it crashes: Segmentation fault"),
            std::string::npos)
      << failures;
}

TEST(Audit, NoisyPluginsCannotForgeTheReport) {
  AuditOptions options = makeOptions();
  AuditReport report = audit(faulty("noisy"), options);
  EXPECT_EQ(report.plugin.name, "faulty");
}

TEST(Audit, MissingHelpersAreSaid) {
  AuditOptions options = makeOptions();
  options.conformanceHelper = "";
  AuditReport report = audit(NULL_PLUGIN, options);
  EXPECT_NE(getFailures(report).find("tilerun-conformance is not installed"), std::string::npos);
  options.probeHelper = "/nonexistent/probe";
  report = audit(NULL_PLUGIN, options);
  EXPECT_NE(getFailures(report).find("/nonexistent/probe"), std::string::npos);
}

TEST(ElfSymbols, OfAPluginAndOfGarbage) {
  ElfSymbols symbols = readElfSymbols(NULL_PLUGIN);
  EXPECT_EQ(symbols.exported, std::vector<std::string>{"tilerunPluginEntry"});
  EXPECT_FALSE(symbols.libraries.empty());
  EXPECT_FALSE(symbols.undefined.empty());
  EXPECT_TRUE(readElfSymbols("/nonexistent").exported.empty());
  EXPECT_TRUE(readElfSymbols("garbage", 7).exported.empty());
}

TEST(Child, ReportsHowItEnded) {
  using End = ChildResult::End;
  auto run = [](const char *script) { return runChild({"/bin/sh", "-c", script}, 2s); };
  ChildResult whole = run("printf 'a\\tb\\nend\\n' >&3");
  EXPECT_EQ(whole.end, End::Whole);
  ASSERT_EQ(whole.getLines().size(), 2u);
  EXPECT_EQ(splitReportLine(whole.getLines()[0], 3), (std::vector<std::string>{"a", "b", ""}));
  EXPECT_EQ(run("exit 7").describe(2s), "it ends the process with status 7");
  EXPECT_EQ(run("kill -SEGV $$").describe(2s), "it crashes: Segmentation fault");
  // A plugin that closes the report and continues is ended as well.
  EXPECT_EQ(runChild({"/bin/sh", "-c", "exec 3>&-; sleep 100"}, 200ms).end, End::Late);
  EXPECT_EQ(runChild({"/nonexistent"}, 1s).end, End::NotStarted);
}

// The host's changes to its process must not matter: each in a child of its own.
template <typename Body> int runForked(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(Child, HostsThatIgnoreTheirChildren) {
  using End = ChildResult::End;
  EXPECT_EQ(
      runForked([] {
        signal(SIGCHLD, SIG_IGN);
        auto start = std::chrono::steady_clock::now();
        ChildResult died = runChild({"/bin/sh", "-c", "kill -SEGV $$"}, 20s);
        ChildResult whole = runChild({"/bin/sh", "-c", "echo end >&3"}, 20s);
        // It has children itself, and waits for them.
        ChildResult inner = runChild({"/bin/sh", "-c", "false || echo end >&3"}, 20s);
        bool soon = std::chrono::steady_clock::now() - start < 10s;
        return (died.end == End::Gone ? 0 : 1) | (whole.end == End::Whole ? 0 : 2) |
               (inner.end == End::Whole ? 0 : 4) | (soon ? 0 : 8) |
               (died.describe(20s).find("status that is not known") != std::string::npos ? 0 : 16);
      }),
      0);
}

TEST(Child, HostsWithoutStandardStreams) {
  for (int closed = 1; closed < 16; ++closed)
    EXPECT_EQ(runForked([&] {
                for (int fd = 0; fd < 4; ++fd)
                  if (closed & (1 << fd))
                    close(fd);
                ChildResult whole = runChild({"/bin/sh", "-c", "echo a >&3; echo end >&3"}, 20s);
                return whole.end == ChildResult::End::Whole && whole.getLines().size() == 2 ? 0 : 1;
              }),
              0)
        << closed;
}

} // namespace
