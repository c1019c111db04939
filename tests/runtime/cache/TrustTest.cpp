// Entries decide what code runs: who may write them, and the warnings if nothing can be stored.
// Only root can change owners; these tests run as root in CI, and other users skip those cases.
#include "tests/runtime/cache/CacheTest.h"

#include <cerrno>
#include <functional>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun::cache;

namespace {

constexpr uid_t kStranger = 54321;
constexpr gid_t kStrangers = 54321;

class CacheTrust : public CacheTest {
protected:
  CacheTrust() {
    // Users other than root must be able to reach it.
    (void)chmod(folder.c_str(), 0755);
    DiskCache cache(makeOptions());
    stored = cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 10));
    entry = cache.getPath(makeKey(1));
  }

  // The folder, its version's, the shard, and the entry.
  std::vector<std::string> getLevels() const {
    std::filesystem::path shard = std::filesystem::path(entry).parent_path();
    return {folder + "/cache", shard.parent_path().string(), shard.string(), entry};
  }

  // Whether an entry is found, another stored, and the warnings.
  struct Use {
    bool found, stored;
    std::string told;
  };
  Use use(bool shared = false) {
    warnings.clear();
    DiskCacheOptions options = makeOptions();
    options.shared = shared;
    DiskCache cache(std::move(options));
    Use out;
    out.found = cache.get(makeKey(1), EntryKind::Artifact).has_value();
    (void)cache.get(makeKey(1), EntryKind::Artifact);
    // In the same shard.
    uint64_t other = 2;
    while (makeKey(other).bytes[0] != makeKey(1).bytes[0])
      ++other;
    out.stored = cache.put(makeKey(other), EntryKind::Artifact, makePayload(2, 10));
    EXPECT_LE(warnings.size(), 1u);
    out.told = warnings.empty() ? "" : warnings[0];
    return out;
  }

  void expectRefused(const std::string &path, const std::string &why) {
    SCOPED_TRACE(path);
    bool isEntry = path == entry;
    Use seen = use();
    EXPECT_FALSE(seen.found);
    // A valid entry replaces a bad one.
    EXPECT_EQ(seen.stored, isEntry);
    EXPECT_NE(seen.told.find(path), std::string::npos) << seen.told;
    EXPECT_NE(seen.told.find(why), std::string::npos) << seen.told;
    DiskCache cache(makeOptions());
    EXPECT_EQ(cache.getStat().numEntries, isEntry ? 2u : 0u);
    EXPECT_EQ(cache.verify(false).bad.size(), isEntry ? 1u : 0u);
  }

  // Runs as another user in a child, which returns a bit for each error.
  static void runAs(uid_t user, gid_t group, const std::function<int()> &work) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(setgid(group) || setuid(user) ? 127 : work());
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  bool stored = false;
  std::string entry;
};

TEST_F(CacheTrust, WhatEverybodyCanWrite) {
  ASSERT_TRUE(stored);
  EXPECT_TRUE(use().found);
  for (const std::string &path : getLevels()) {
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    // A sticky folder, as /tmp is, keeps others from removing an entry, not from adding one.
    for (mode_t bits : {S_IWOTH, S_IWOTH | S_ISVTX}) {
      ASSERT_EQ(chmod(path.c_str(), (status.st_mode & 07777) | bits), 0);
      expectRefused(path, "can be written by everybody");
      EXPECT_FALSE(use(/*shared=*/true).found) << path;
    }
    ASSERT_EQ(chmod(path.c_str(), status.st_mode & 07777), 0);
    EXPECT_TRUE(use().found) << path;
  }
}

TEST_F(CacheTrust, WhatBelongsToAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  for (const std::string &path : getLevels()) {
    ASSERT_EQ(chown(path.c_str(), kStranger, 0), 0);
    expectRefused(path, "belongs to user " + std::to_string(kStranger));
    EXPECT_TRUE(use(/*shared=*/true).found) << path;
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
    EXPECT_TRUE(use().found) << path;
  }
}

TEST_F(CacheTrust, WhatAGroupCanWrite) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  for (const std::string &path : getLevels()) {
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    ASSERT_EQ(chown(path.c_str(), 0, kStrangers), 0);
    ASSERT_EQ(chmod(path.c_str(), (status.st_mode & 07777) | S_IWGRP), 0);
    expectRefused(path, "can be written by group " + std::to_string(kStrangers));
    EXPECT_TRUE(use(/*shared=*/true).found) << path;
    ASSERT_EQ(chmod(path.c_str(), status.st_mode & 07777), 0);
    EXPECT_TRUE(use().found) << path;
  }
}

// One that another user makes while the cache is in use is not trusted either.
TEST_F(CacheTrust, WhatIsPutThereMeanwhile) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  DiskCache cache(makeOptions());
  EXPECT_TRUE(cache.get(makeKey(1), EntryKind::Artifact));
  std::filesystem::rename(folder + "/cache", folder + "/mine");
  std::filesystem::copy(folder + "/mine", folder + "/cache",
                        std::filesystem::copy_options::recursive);
  ASSERT_EQ(chown((folder + "/cache").c_str(), kStranger, kStrangers), 0);
  EXPECT_FALSE(cache.get(makeKey(1), EntryKind::Artifact));
  EXPECT_FALSE(cache.put(makeKey(3), EntryKind::Artifact, makePayload(3, 10)));
  EXPECT_EQ(warnings.size(), 1u);
}

// A shard or version folder that is a link leads to a place that was never checked.
TEST_F(CacheTrust, LinksBelowTheFolder) {
  for (size_t level : {1, 2, 3}) {
    std::string path = getLevels()[level];
    std::filesystem::rename(path, folder + "/elsewhere");
    std::filesystem::create_symlink(folder + "/elsewhere", path);
    EXPECT_FALSE(use().found) << path;
    std::filesystem::remove(path);
    std::filesystem::rename(folder + "/elsewhere", path);
  }
  // The folder itself may be one: the user's own, say, to a larger disk.
  std::filesystem::rename(folder + "/cache", folder + "/elsewhere");
  std::filesystem::create_symlink(folder + "/elsewhere", folder + "/cache");
  EXPECT_TRUE(use().found);
}

// A user may read what root has stored, and has a group of their own.
TEST_F(CacheTrust, AsAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root becomes another user";
  // Root's, for all to read.
  for (const std::string &path : getLevels())
    ASSERT_EQ(chmod(path.c_str(), path == entry ? 0644 : 0755), 0);
  runAs(kStranger, kStrangers, [&] {
    Use seen = use();
    bool right =
        seen.found && !seen.stored && seen.told.find("Permission denied") != std::string::npos;
    return right ? 0 : 1;
  });
  // "daemon" is user 1 and the only member of group 1; group 2 is "bin".
  for (const std::string &path : getLevels()) {
    ASSERT_EQ(chown(path.c_str(), 1, 1), 0);
    ASSERT_EQ(chmod(path.c_str(), path == entry ? 0660 : 0770), 0);
  }
  runAs(1, 1, [&] { return use().found ? 0 : 1; });
  for (const std::string &path : getLevels())
    ASSERT_EQ(chown(path.c_str(), 1, 2), 0);
  runAs(1, 1, [&] {
    Use seen = use();
    return !seen.found && seen.told.find("can be written by group 2") != std::string::npos ? 0 : 1;
  });
}

TEST_F(CacheTrust, SharedFoldersAreMadeForTheGroup) {
  DiskCacheOptions options = makeOptions();
  options.folder = folder + "/shared";
  options.shared = true;
  mode_t before = umask(002);
  DiskCache cache(std::move(options));
  EXPECT_TRUE(cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 10)));
  umask(before);
  struct stat status;
  std::filesystem::path path = cache.getPath(makeKey(1));
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0660u);
  ASSERT_EQ(stat(path.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0770u);
}

// The real problem is reported, once, with the folder that cannot be made.
TEST_F(CacheTrust, WhereNothingCanBeMade) {
  auto expectTold = [&](const std::string &where, const std::string &path, const char *why) {
    warnings.clear();
    DiskCacheOptions options = makeOptions();
    options.folder = where;
    DiskCache cache(std::move(options));
    for (uint64_t i = 0; i < 3; ++i) {
      EXPECT_FALSE(cache.get(makeKey(i), EntryKind::Artifact));
      EXPECT_FALSE(cache.put(makeKey(i), EntryKind::Artifact, makePayload(i, 10)));
    }
    ASSERT_EQ(warnings.size(), 1u) << where;
    EXPECT_NE(warnings[0].find("'" + path + "': " + why), std::string::npos) << warnings[0];
  };
  expectTold("/proc/tilerun/cache", "/proc/tilerun", "No such file or directory");
  std::filesystem::create_symlink(folder + "/nowhere", folder + "/link");
  expectTold(folder + "/link/cache", folder + "/link", "Not a directory");
  writeText(folder + "/file", "");
  expectTold(folder + "/file/cache", folder + "/file", "Not a directory");
  if (geteuid() != 0)
    return;
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A read-only file system of its own; where none can be had, there is nothing to see.
    std::filesystem::create_directory(folder + "/disk");
    if (unshare(CLONE_NEWNS) || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        mount("none", (folder + "/disk").c_str(), "tmpfs", MS_RDONLY, nullptr))
      _exit(77);
    expectTold(folder + "/disk/cache", folder + "/disk/cache", "Read-only file system");
    expectTold(folder + "/disk/a/b", folder + "/disk/a", "Read-only file system");
    _exit(HasFailure());
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace
