// Plugins that users other than this one and root can change. Only root can change owners; these
// tests run as root in CI, and other users skip those cases.
#include "runtime/plugin/Trust.h"
#include "runtime/plugin/Audit.h"
#include "runtime/plugin/Discovery.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::plugin;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kStranger = 54321;

class PluginTrust : public testing::Test {
protected:
  PluginTrust() {
    std::string pattern = (fs::temp_directory_path() / "tilerun-trust-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    fs::create_directories(folder / "a/plugins");
    file = folder / "a/plugins/libtilerun-null.so";
    fs::copy_file(NULL_PLUGIN, file);
    chmod(file.c_str(), 0755);
    options.probeHelper = PROBE_HELPER;
  }
  ~PluginTrust() override { fs::remove_all(folder); }

  // As a file that is named, as one on the path, and as one of a folder on the path.
  void expectAll(const std::string &reason) {
    for (int how = 0; how < 3; ++how) {
      DiscoveryOptions search = options;
      if (how == 0)
        search.files = {file};
      else
        search.searchPath = {how == 1 ? file.string() : file.parent_path().string()};
      std::vector<FoundPlugin> found = discoverPlugins(search);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].plugin != nullptr, reason.empty()) << how << ": " << found[0].reason;
      EXPECT_NE(found[0].reason.find(reason), std::string::npos) << found[0].reason;
      search.trustAll = true;
      EXPECT_TRUE(discoverPlugins(search)[0].plugin) << how;
    }
  }

  fs::path folder, file;
  DiscoveryOptions options;
};

TEST_F(PluginTrust, WhatEverybodyCanWrite) {
  expectAll("");
  for (fs::path path : {file, file.parent_path(), folder / "a"}) {
    ASSERT_EQ(chmod(path.c_str(), 0777), 0);
    expectAll("others can change it: '" + path.string() + "' can be written by everybody; ");
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }
  expectAll("");
}

TEST_F(PluginTrust, StickyFoldersOnTheWay) {
  ASSERT_EQ(chmod((folder / "a").c_str(), 01777), 0);
  expectAll("");
  // In a folder that is searched others could add a plugin, though not replace one.
  ASSERT_EQ(chmod(file.parent_path().c_str(), 01777), 0);
  options.searchPath = {file.parent_path().string()};
  EXPECT_NE(discoverPlugins(options)[0].reason.find("can be written by everybody"),
            std::string::npos);
  options.searchPath = {file.string()};
  EXPECT_TRUE(discoverPlugins(options)[0].plugin);
}

TEST_F(PluginTrust, WhatBelongsToOthers) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  for (fs::path path : {file, file.parent_path(), folder / "a"}) {
    ASSERT_EQ(chown(path.c_str(), kStranger, 0), 0);
    expectAll("'" + path.string() + "' belongs to user 54321; ");
    ASSERT_EQ(chown(path.c_str(), 0, kStranger), 0);
    ASSERT_EQ(chmod(path.c_str(), 0775), 0);
    expectAll("'" + path.string() + "' can be written by group 54321; ");
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }
}

TEST_F(PluginTrust, LinksLeadThroughTheirFolders) {
  fs::create_directory(folder / "open");
  fs::create_directory_symlink("../a/plugins", folder / "open/link");
  fs::create_directory_symlink("open/link", folder / "second");
  std::string path = (folder / "second/./../plugins/libtilerun-null.so").string();
  EXPECT_EQ(trust::findOthersOnPath(path), "");
  ASSERT_EQ(chmod((folder / "open").c_str(), 0777), 0);
  EXPECT_EQ(trust::findOthersOnPath(path),
            "'" + (folder / "open").string() + "' can be written by everybody");
  if (geteuid() != 0)
    return;
  // In a sticky folder a link of another user's can lead elsewhere tomorrow.
  ASSERT_EQ(chmod((folder / "open").c_str(), 01777), 0);
  EXPECT_EQ(trust::findOthersOnPath(path), "");
  ASSERT_EQ(lchown((folder / "open/link").c_str(), kStranger, 0), 0);
  EXPECT_EQ(trust::findOthersOnPath(path),
            "'" + (folder / "open/link").string() + "' belongs to user 54321");
}

TEST_F(PluginTrust, PathsThatEndNowhere) {
  EXPECT_EQ(trust::findOthersOnPath(""), trust::findOthersOnPath("."));
  EXPECT_EQ(trust::findOthersOnPath((folder / "nothing/x.so").string()), "");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(trust::findOthersOnPath((folder / "loop/x.so").string()), "");
}

TEST_F(PluginTrust, RelativePaths) {
  fs::path before = fs::current_path();
  fs::current_path(folder);
  EXPECT_EQ(trust::findOthersOnPath("a/plugins/libtilerun-null.so"), "");
  ASSERT_EQ(chmod((folder / "a").c_str(), 0777), 0);
  EXPECT_NE(trust::findOthersOnPath("./a/../a/plugins/libtilerun-null.so"), "");
  fs::current_path(before);
}

// The built-in folder lies beside the code that asks: a user who can change the one can change the
// other.
TEST_F(PluginTrust, BuiltInOnesAreTrusted) {
  ASSERT_EQ(chmod(file.parent_path().c_str(), 0777), 0);
  options.builtinFolder = file.parent_path().string();
  EXPECT_TRUE(discoverPlugins(options)[0].plugin);
}

TEST_F(PluginTrust, Environment) {
  EXPECT_FALSE(DiscoveryOptions::fromEnvironment().trustAll);
  setenv("TILERUN_PLUGIN_TRUST", "all", 1);
  EXPECT_TRUE(DiscoveryOptions::fromEnvironment().trustAll);
  setenv("TILERUN_PLUGIN_TRUST", "some", 1);
  EXPECT_FALSE(DiscoveryOptions::fromEnvironment().trustAll);
  unsetenv("TILERUN_PLUGIN_TRUST");
}

TEST_F(PluginTrust, Audit) {
  ASSERT_EQ(chmod(file.c_str(), 0777), 0);
  AuditOptions audit;
  audit.probeHelper = PROBE_HELPER;
  audit.conformance = false;
  AuditReport report = plugin::audit(file, audit);
  ASSERT_EQ(report.count(AuditItem::Verdict::Fail), 1u);
  EXPECT_EQ(report.items.back().name, "trusted");
  audit.trustAll = true;
  EXPECT_GT(plugin::audit(file, audit).items.size(), report.items.size() + 1);
}

} // namespace
