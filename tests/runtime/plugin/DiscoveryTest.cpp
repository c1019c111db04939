// The search: order, folders, and skipped files with their reasons.
#include "runtime/plugin/Discovery.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tilerun::plugin;
namespace fs = std::filesystem;

namespace {

class Discovery : public testing::Test {
protected:
  Discovery() {
    std::string pattern = (fs::temp_directory_path() / "tilerun-discovery-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    options.probeHelper = PROBE_HELPER;
  }
  ~Discovery() override { fs::remove_all(folder); }

  void put(const std::string &from, const std::string &name) {
    fs::copy_file(from, folder / name, fs::copy_options::overwrite_existing);
  }
  std::string faulty(const std::string &fault) {
    return std::string(FAULTY_FOLDER) + "/libtilerun-" + fault + ".so";
  }

  fs::path folder;
  DiscoveryOptions options;
};

TEST_F(Discovery, FolderByNameAndOnlyPlugins) {
  put(NULL_PLUGIN, "libtilerun-b.so");
  put(faulty("good"), "libtilerun-a.so");
  put(NULL_PLUGIN, "other.so");
  std::ofstream(folder / "libtilerun-c.txt") << "text";
  options.searchPath = {folder.string()};
  auto found = discoverPlugins(options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(fs::path(found[0].path).filename(), "libtilerun-a.so");
  EXPECT_EQ(found[0].plugin->getName(), "faulty");
  EXPECT_EQ(found[1].plugin->getName(), "null");
  EXPECT_EQ(found[1].origin, FoundPlugin::Origin::SearchPath);
}

TEST_F(Discovery, BadOnesAreSkippedWithTheirReasons) {
  options.searchPath = {FAULTY_FOLDER};
  options.probeTimeout = std::chrono::milliseconds(3000);
  auto found = discoverPlugins(options);
  ASSERT_EQ(found.size(), size_t(FAULTY_COUNT));
  size_t good = 0;
  for (const FoundPlugin &entry : found) {
    EXPECT_EQ(entry.plugin == nullptr, !entry.reason.empty()) << entry.path;
    good += entry.plugin != nullptr;
  }
  EXPECT_EQ(good, 1u); // The other candidates have the same name.
}

TEST_F(Discovery, OtherFilesNeedNoChild) {
  std::ofstream(folder / "libtilerun-text.so") << "no code";
  std::ofstream(folder / "libtilerun-empty.so").flush();
  put(NULL_PLUGIN, "libtilerun-cut.so");
  fs::resize_file(folder / "libtilerun-cut.so", fs::file_size(NULL_PLUGIN) / 2);
  put(NULL_PLUGIN, "libtilerun-machine.so");
  {
    std::fstream file(folder / "libtilerun-machine.so",
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(18);
    file.put(char(183)); // aarch64, or x86_64 there
    file.put(0);
  }
  options.searchPath = {folder.string()};
  options.probeHelper = "";
  auto found = discoverPlugins(options);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].reason, "it is truncated");
  EXPECT_EQ(found[1].reason, "it is empty");
#if defined(__x86_64__)
  EXPECT_EQ(found[2].reason,
            "it has the wrong architecture: it is for aarch64, this process is x86_64");
#endif
  EXPECT_EQ(found[3].reason, "it is not a shared object (no ELF header)");
}

TEST_F(Discovery, FirstOfOneNameCounts) {
  put(faulty("good"), "libtilerun-a.so");
  options.builtinFolder = folder.string();
  options.files = {faulty("good-twin")};
  auto found = discoverPlugins(options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].plugin);
  EXPECT_EQ(found[0].origin, FoundPlugin::Origin::Explicit);
  EXPECT_FALSE(found[1].plugin);
  EXPECT_NE(found[1].reason.find("comes before it"), std::string::npos);
}

TEST_F(Discovery, BuiltInOnesAreNotProbed) {
  put(NULL_PLUGIN, "libtilerun-null.so");
  options.probeHelper = "";
  options.builtinFolder = folder.string();
  auto found = discoverPlugins(options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].plugin) << found[0].reason;
  options.builtinFolder = "";
  options.searchPath = {folder.string()};
  found = discoverPlugins(options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].reason.find("cannot be tried safely"), std::string::npos);
}

TEST_F(Discovery, PlacesThatDoNotExist) {
  options.searchPath = {(folder / "nothing").string()};
  options.files = {"/nonexistent.so"};
  auto found = discoverPlugins(options);
  ASSERT_EQ(found.size(), 2u);
  for (const FoundPlugin &entry : found)
    EXPECT_NE(entry.reason.find("cannot be read"), std::string::npos) << entry.reason;
}

TEST_F(Discovery, OnlyOneName) {
  put(NULL_PLUGIN, "libtilerun-null.so");
  put(faulty("good"), "libtilerun-a.so");
  options.builtinFolder = folder.string();
  options.onlyName = "null";
  auto found = discoverPlugins(options);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].plugin->getName(), "null");
}

TEST_F(Discovery, Environment) {
  setenv("TILERUN_PLUGIN_PATH", "/a::/b/c.so:", 1);
  DiscoveryOptions fromEnvironment = DiscoveryOptions::fromEnvironment();
  unsetenv("TILERUN_PLUGIN_PATH");
  EXPECT_EQ(fromEnvironment.searchPath, (std::vector<std::string>{"/a", "/b/c.so"}));
  EXPECT_TRUE(DiscoveryOptions::fromEnvironment().searchPath.empty());
}

TEST(Places, OwnFolderIsTheProgramsOwn) {
  EXPECT_EQ(getOwnFolder(), fs::read_symlink("/proc/self/exe").parent_path().string());
}

} // namespace
