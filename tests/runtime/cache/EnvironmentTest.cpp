// The environment variables, sizes and keys.
#include "tests/runtime/cache/CacheTest.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>

using namespace tilerun::cache;

namespace {

class CacheEnvironment : public CacheTest {
protected:
  CacheEnvironment() {
    for (const char *name : kNames) {
      const char *value = std::getenv(name);
      saved.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  ~CacheEnvironment() override {
    for (const auto &[name, value] : saved)
      value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }
  DiskCacheOptions read() {
    return DiskCacheOptions::fromEnvironment(
        [this](const std::string &text) { warnings.push_back(text); });
  }
  static constexpr const char *kNames[] = {"TILERUN_CACHE",      "TILERUN_CACHE_DIR",
                                           "TILERUN_CACHE_SIZE", "TILERUN_CACHE_SHARED",
                                           "XDG_CACHE_HOME",     "HOME"};
  std::vector<std::pair<const char *, std::optional<std::string>>> saved;
};

TEST_F(CacheEnvironment, Folder) {
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(read().folder, "/home/someone/.cache/tilerun");
  EXPECT_EQ(read().maxBytes, uint64_t(1) << 30);
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(read().folder, "/home/someone/.cache/tilerun");
  setenv("XDG_CACHE_HOME", "/var/xdg", 1);
  EXPECT_EQ(read().folder, "/var/xdg/tilerun");
  setenv("TILERUN_CACHE_DIR", "/tmp/mine", 1);
  EXPECT_EQ(read().folder, "/tmp/mine");
  setenv("TILERUN_CACHE", "off", 1);
  EXPECT_EQ(read().folder, "");
  EXPECT_FALSE(DiskCache(read()).isEnabled());
  EXPECT_TRUE(warnings.empty());
  setenv("TILERUN_CACHE", "perhaps", 1);
  EXPECT_EQ(read().folder, "/tmp/mine");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("neither 'on' nor 'off'"), std::string::npos);
}

TEST_F(CacheEnvironment, Size) {
  setenv("TILERUN_CACHE_DIR", "/tmp/mine", 1);
  setenv("TILERUN_CACHE_SIZE", "512M", 1);
  EXPECT_EQ(read().maxBytes, uint64_t(512) << 20);
  setenv("TILERUN_CACHE_SIZE", "0", 1);
  EXPECT_FALSE(DiskCache(read()).isEnabled());
  EXPECT_TRUE(warnings.empty());
  setenv("TILERUN_CACHE_SIZE", "much", 1);
  EXPECT_EQ(read().maxBytes, uint64_t(1) << 30);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(CacheEnvironment, Shared) {
  setenv("TILERUN_CACHE_DIR", "/tmp/mine", 1);
  EXPECT_FALSE(read().shared);
  setenv("TILERUN_CACHE_SHARED", "on", 1);
  EXPECT_TRUE(read().shared);
  setenv("TILERUN_CACHE_SHARED", "off", 1);
  EXPECT_FALSE(read().shared);
  EXPECT_TRUE(warnings.empty());
  setenv("TILERUN_CACHE_SHARED", "perhaps", 1);
  EXPECT_FALSE(read().shared);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("neither 'on' nor 'off'"), std::string::npos);
}

TEST(CacheSize, Units) {
  EXPECT_EQ(parseSize("12"), 12u);
  EXPECT_EQ(parseSize("12b"), 12u);
  EXPECT_EQ(parseSize("12k"), 12u << 10);
  EXPECT_EQ(parseSize(" 12 KiB "), 12u << 10);
  EXPECT_EQ(parseSize("3MB"), 3u << 20);
  EXPECT_EQ(parseSize("2G"), uint64_t(2) << 30);
  EXPECT_EQ(parseSize("1T"), uint64_t(1) << 40);
  for (const char *bad : {"", "G", "-1", "1.5G", "1X", "1GG", "99999999999999999999", "99999999T"})
    EXPECT_FALSE(parseSize(bad)) << bad;
}

TEST(CacheKey, FieldsDoNotRunTogether) {
  auto key = [](auto... fields) {
    KeyBuilder builder("test");
    (builder.add("f", llvm::StringRef(fields)), ...);
    return builder.finish();
  };
  EXPECT_EQ(key("a", "b"), key("a", "b"));
  EXPECT_NE(key("a", "b"), key("ab"));
  EXPECT_NE(key("a", "b"), key("b", "a"));
  EXPECT_NE(key("ab", ""), key("a", "b"));
  EXPECT_NE(key(), key(""));
  EXPECT_NE(KeyBuilder("one").finish(), KeyBuilder("two").finish());
  EXPECT_NE(KeyBuilder("t").add("a", "1").finish(), KeyBuilder("t").add("b", "1").finish());
  EXPECT_EQ(key().toHex().size(), 64u);
}

TEST(CacheKey, BuildIdIsTheSameForAllCodeOfAProgram) {
  static int local;
  std::string id = getBuildId(&local);
  EXPECT_GE(id.size(), 16u);
  EXPECT_EQ(id, getBuildId(reinterpret_cast<const void *>(&parseSize)));
  EXPECT_NE(id, getBuildId(reinterpret_cast<const void *>(&std::getenv)));
  // This program takes LLVM from a shared library, which may be replaced.
  std::string llvm = getBuildId(reinterpret_cast<const void *>(&llvm::report_bad_alloc_error));
  EXPECT_NE(llvm, id);
  EXPECT_NE(id.find("-" + llvm), std::string::npos) << id << " " << llvm;
}

} // namespace
