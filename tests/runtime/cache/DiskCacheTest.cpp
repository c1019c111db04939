// The store in one process: round trips, damage at every byte, eviction, and every file operation
// that can fail.
#include "tests/runtime/cache/CacheTest.h"

#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun::cache;
using namespace std::chrono_literals;

namespace {

using DiskCacheTest = CacheTest;

TEST_F(DiskCacheTest, GivesBackWhatWasPut) {
  DiskCache cache(makeOptions());
  EXPECT_FALSE(cache.get(makeKey(1), EntryKind::Artifact));
  for (size_t size : {0u, 1u, 1000u, 100'000u}) {
    ASSERT_TRUE(cache.put(makeKey(size), EntryKind::Artifact, makePayload(size, size)));
    EXPECT_EQ(cache.get(makeKey(size), EntryKind::Artifact), makePayload(size, size));
  }
  // A later process, and another content for the same key.
  DiskCache other(makeOptions());
  EXPECT_EQ(other.get(makeKey(1000), EntryKind::Artifact), makePayload(1000, 1000));
  ASSERT_TRUE(other.put(makeKey(1000), EntryKind::Artifact, makePayload(7, 10)));
  EXPECT_EQ(cache.get(makeKey(1000), EntryKind::Artifact), makePayload(7, 10));
  cache.remove(makeKey(1000));
  EXPECT_FALSE(other.get(makeKey(1000), EntryKind::Artifact));
  EXPECT_EQ(cache.getStat().numEntries, 3u);
  EXPECT_EQ(cache.getStat().numTemporary, 0u);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST_F(DiskCacheTest, FoldersAndFilesAreTheUsersAlone) {
  DiskCache cache(makeOptions());
  ASSERT_TRUE(cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 10)));
  std::filesystem::path path = cache.getPath(makeKey(1));
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  for (; path.string() != folder; path = path.parent_path()) {
    ASSERT_EQ(stat(path.parent_path().c_str(), &status), 0);
    if (path.parent_path().string() != folder)
      EXPECT_EQ(status.st_mode & 0777, 0700u) << path.parent_path();
  }
}

TEST_F(DiskCacheTest, EveryDamagedByteIsFoundAndReplaced) {
  std::vector<uint8_t> payload = makePayload(3, 150);
  std::string path;
  std::vector<uint8_t> sound;
  {
    DiskCache cache(makeOptions());
    ASSERT_TRUE(cache.put(makeKey(3), EntryKind::Artifact, payload));
    path = cache.getPath(makeKey(3));
    sound = readFile(path);
  }
  ASSERT_EQ(sound.size(), payload.size() + 88);
  auto expectDamaged = [&](const std::vector<uint8_t> &bytes, const std::string &what) {
    writeFile(path, bytes);
    warnings.clear();
    DiskCache cache(makeOptions());
    EXPECT_FALSE(cache.get(makeKey(3), EntryKind::Artifact)) << what;
    EXPECT_FALSE(cache.get(makeKey(3), EntryKind::Artifact)) << what;
    ASSERT_EQ(warnings.size(), 1u) << what; // Once, not twice.
    EXPECT_NE(warnings[0].find(path), std::string::npos);
    EXPECT_EQ(cache.verify(false).bad.size(), 1u) << what;
    ASSERT_TRUE(cache.put(makeKey(3), EntryKind::Artifact, payload)) << what;
    EXPECT_EQ(cache.get(makeKey(3), EntryKind::Artifact), payload) << what;
    EXPECT_EQ(readFile(path), sound);
  };
  for (size_t at = 0; at < sound.size(); ++at)
    for (uint8_t change : {0x01, 0x80, 0xFF}) {
      std::vector<uint8_t> bytes = sound;
      bytes[at] ^= change;
      expectDamaged(bytes, "byte " + std::to_string(at));
    }
  for (size_t size = 0; size < sound.size(); ++size)
    expectDamaged({sound.begin(), sound.begin() + static_cast<ptrdiff_t>(size)},
                  "cut to " + std::to_string(size));
  std::vector<uint8_t> longer = sound;
  longer.push_back(0);
  expectDamaged(longer, "one byte more");
  // A file of zeros, as some file systems leave after a power failure.
  expectDamaged(std::vector<uint8_t>(sound.size()), "zeros");
}

TEST_F(DiskCacheTest, EntriesOfOthersAreIgnored) {
  DiskCache cache(makeOptions());
  ASSERT_TRUE(cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 50)));
  ASSERT_TRUE(cache.put(makeKey(2), EntryKind::Artifact, makePayload(2, 50)));
  // A sound entry under another key's name, and one of another kind.
  std::filesystem::copy_file(cache.getPath(makeKey(1)), cache.getPath(makeKey(2)),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.get(makeKey(2), EntryKind::Artifact));
  EXPECT_NE(warnings.at(0).find("the entry of another key"), std::string::npos);
  EXPECT_FALSE(cache.get(makeKey(1), EntryKind::Tuning));
  // A folder, a pipe, and a link to nowhere in the place of an entry.
  for (int what = 0; what < 3; ++what) {
    std::string path = cache.getPath(makeKey(2));
    std::filesystem::remove_all(path);
    if (what == 0)
      std::filesystem::create_directory(path);
    else if (what == 1)
      ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    else
      std::filesystem::create_symlink("/nonexistent", path);
    EXPECT_FALSE(cache.get(makeKey(2), EntryKind::Artifact));
    bool stored = cache.put(makeKey(2), EntryKind::Artifact, makePayload(2, 50));
    EXPECT_EQ(stored, what != 0);
    EXPECT_EQ(cache.get(makeKey(2), EntryKind::Artifact).has_value(), stored);
  }
  // A file without an entry's name is neither counted nor cleared.
  std::string foreign = folder + "/cache/v1/notes.txt";
  writeText(foreign, "mine");
  writeText(folder + "/cache/v1/ab", "a file where a folder should be");
  cache.clear();
  EXPECT_EQ(cache.getStat().numEntries, 0u);
  EXPECT_TRUE(std::filesystem::exists(foreign));
}

TEST_F(DiskCacheTest, VerifyFindsAndRemoves) {
  DiskCache cache(makeOptions());
  for (uint64_t i = 0; i < 20; ++i)
    ASSERT_TRUE(cache.put(makeKey(i), EntryKind::Artifact, makePayload(i, 100)));
  for (uint64_t i : {4, 9}) {
    std::vector<uint8_t> bytes = readFile(cache.getPath(makeKey(i)));
    bytes[120] ^= 1;
    writeFile(cache.getPath(makeKey(i)), bytes);
  }
  DiskCacheVerification found = cache.verify(false);
  EXPECT_EQ(found.numGood, 18u);
  ASSERT_EQ(found.bad.size(), 2u);
  EXPECT_NE(found.bad[0].find("its checksum is wrong"), std::string::npos) << found.bad[0];
  EXPECT_EQ(cache.verify(true).bad.size(), 2u);
  EXPECT_TRUE(cache.verify(false).bad.empty());
  EXPECT_EQ(cache.getStat().numEntries, 18u);
  DiskCacheStat gone = cache.clear();
  EXPECT_EQ(gone.numEntries, 18u);
  EXPECT_EQ(gone.numBytes, 18u * 188);
  EXPECT_EQ(cache.getStat().numEntries, 0u);
}

TEST_F(DiskCacheTest, ASmallerBoundDamagesNothing) {
  {
    DiskCache cache(makeOptions());
    ASSERT_TRUE(cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 500)));
    ASSERT_TRUE(cache.put(makeKey(2), EntryKind::Artifact, makePayload(2, 5)));
  }
  DiskCache small(makeOptions(100));
  EXPECT_FALSE(small.get(makeKey(1), EntryKind::Artifact));
  EXPECT_TRUE(small.get(makeKey(2), EntryKind::Artifact));
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  DiskCacheVerification found = small.verify(/*removeBad=*/true);
  EXPECT_EQ(found.numGood, 2u);
  EXPECT_EQ(found.numUnread, 0u);
  EXPECT_TRUE(found.bad.empty()) << found.bad[0];
  EXPECT_TRUE(DiskCache(makeOptions()).get(makeKey(1), EntryKind::Artifact));
  // An entry that is too large to be read stays.
  std::string path = small.getPath(makeKey(1));
  std::filesystem::resize_file(path, DiskCacheOptions::kDefaultMaxBytes + 1);
  EXPECT_EQ(small.verify(/*removeBad=*/true).numUnread, 1u);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(DiskCacheTest, LeastRecentlyUsedGoesFirst) {
  DiskCacheOptions options = makeOptions(20'000);
  DiskCache cache(options);
  for (uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(cache.put(makeKey(i), EntryKind::Artifact, makePayload(i, 1500)));
    age(cache.getPath(makeKey(i)), std::chrono::hours(100 - 2 * i));
  }
  // Used now: 0 and 1 become the youngest.
  EXPECT_TRUE(cache.get(makeKey(0), EntryKind::Artifact));
  EXPECT_TRUE(cache.get(makeKey(1), EntryKind::Artifact));
  for (uint64_t i = 10; i < 16; ++i) {
    ASSERT_TRUE(cache.put(makeKey(i), EntryKind::Artifact, makePayload(i, 1500)));
    EXPECT_LE(cache.getStat().numBytes, 20'000u);
  }
  for (uint64_t i : {0, 1, 14, 15})
    EXPECT_TRUE(cache.get(makeKey(i), EntryKind::Artifact)) << i;
  for (uint64_t i : {2, 3, 4})
    EXPECT_FALSE(cache.get(makeKey(i), EntryKind::Artifact)) << i;
  EXPECT_GE(cache.getStat().numBytes, 10'000u);
  // More than half of the bound is never stored.
  EXPECT_FALSE(cache.put(makeKey(99), EntryKind::Artifact, makePayload(99, 10'000)));
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST_F(DiskCacheTest, TimeOfUseIsRenewedAtMostOnceInAWhile) {
  DiskCache cache(makeOptions());
  ASSERT_TRUE(cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 10)));
  std::string path = cache.getPath(makeKey(1));
  auto getAge = [&] {
    return std::filesystem::file_time_type::clock::now() - std::filesystem::last_write_time(path);
  };
  age(path, 30min);
  EXPECT_TRUE(cache.get(makeKey(1), EntryKind::Artifact));
  EXPECT_GT(getAge(), 29min);
  age(path, 2h);
  EXPECT_TRUE(cache.get(makeKey(1), EntryKind::Artifact));
  EXPECT_LT(getAge(), 1min);
}

TEST_F(DiskCacheTest, StaleTemporaryFilesAreRemoved) {
  DiskCache cache(makeOptions());
  ASSERT_TRUE(cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 10)));
  std::string shard = std::filesystem::path(cache.getPath(makeKey(1))).parent_path();
  writeText(shard + "/.tmp-host-1-0-0", "of a dead writer");
  writeText(shard + "/.tmp-host-2-0-0", "of one at work");
  age(shard + "/.tmp-host-1-0-0", 25h);
  EXPECT_EQ(cache.getStat().numTemporary, 2u);
  cache.trim();
  EXPECT_EQ(cache.getStat().numTemporary, 1u);
  EXPECT_TRUE(std::filesystem::exists(shard + "/.tmp-host-2-0-0"));
  EXPECT_EQ(cache.clear().numTemporary, 1u);
}

TEST_F(DiskCacheTest, EveryFailingStepIsAMissAndOneWarning) {
  const std::vector<uint8_t> payload = makePayload(5, 500);
  for (FileStep failing : {FileStep::MakeFolder, FileStep::Open, FileStep::Read, FileStep::Create,
                           FileStep::Write, FileStep::Close, FileStep::Rename})
    for (int error : {ENOSPC, EIO, EROFS, EACCES, EDQUOT, ESTALE, ENOENT}) {
      std::filesystem::remove_all(folder + "/cache");
      warnings.clear();
      bool on = true;
      unsigned count = 0;
      DiskCacheOptions options = makeOptions();
      options.fault = [&](FileStep step) { return on && step == failing ? ++count, error : 0; };
      DiskCache cache(options);
      std::string what = "step " + std::to_string(int(failing)) + ", " + std::strerror(error);
      bool reading = failing == FileStep::Open || failing == FileStep::Read;
      EXPECT_EQ(cache.put(makeKey(5), EntryKind::Artifact, payload), reading) << what;
      EXPECT_FALSE(cache.get(makeKey(5), EntryKind::Artifact)) << what;
      EXPECT_EQ(cache.put(makeKey(6), EntryKind::Artifact, payload), reading) << what;
      EXPECT_GT(count, 0u) << what;
      bool silent = reading && (error == ENOENT || error == ESTALE);
      EXPECT_EQ(warnings.size(), silent ? 0u : 1u) << what;
      // No partial file is left, and the store continues where the failure may be temporary.
      EXPECT_EQ(cache.getStat().numTemporary, 0u) << what;
      on = false;
      if (error == ENOSPC || error == EIO) {
        EXPECT_TRUE(cache.put(makeKey(5), EntryKind::Artifact, payload)) << what;
        EXPECT_EQ(cache.get(makeKey(5), EntryKind::Artifact), payload) << what;
      }
    }
  // Files that cannot be removed are reported.
  {
    std::filesystem::remove_all(folder + "/cache");
    DiskCacheOptions options = makeOptions();
    int removal = 0;
    options.fault = [&](FileStep step) { return step == FileStep::Remove ? removal : 0; };
    DiskCache cache(options);
    for (uint64_t i = 0; i < 2; ++i)
      EXPECT_TRUE(cache.put(makeKey(i), EntryKind::Artifact, payload));
    writeText(cache.getPath(makeKey(1)), "damaged");
    removal = EROFS;
    DiskCacheVerification found = cache.verify(/*removeBad=*/true);
    EXPECT_EQ(found.numKept, 1u);
    ASSERT_EQ(found.bad.size(), 1u);
    EXPECT_NE(found.bad[0].find("; it cannot be removed: Read-only file system"), std::string::npos)
        << found.bad[0];
    DiskCacheStat stat = cache.clear();
    EXPECT_EQ(stat.numEntries, 0u);
    EXPECT_EQ(stat.numKept, 2u);
    EXPECT_NE(stat.whyKept.find("Read-only file system"), std::string::npos) << stat.whyKept;
    removal = ENOENT; // As if another process had.
    EXPECT_EQ(cache.clear().numKept, 0u);
    removal = 0;
    EXPECT_EQ(cache.clear().numEntries, 2u);
  }
  // Failures of eviction and bookkeeping do no harm.
  for (FileStep failing : {FileStep::Remove, FileStep::Scan, FileStep::Touch}) {
    std::filesystem::remove_all(folder + "/cache");
    warnings.clear();
    DiskCacheOptions options = makeOptions(4000);
    options.fault = [&](FileStep step) { return step == failing ? EACCES : 0; };
    DiskCache cache(options);
    for (uint64_t i = 0; i < 10; ++i)
      EXPECT_TRUE(cache.put(makeKey(i), EntryKind::Artifact, payload));
    EXPECT_EQ(cache.get(makeKey(9), EntryKind::Artifact), payload);
  }
}

// A real write that fails in the middle: the kernel's limit on the size of files, in a child, which
// must not be ended by the signal that comes with it.
TEST_F(DiskCacheTest, DiskFull) {
  for (rlim_t limit : {rlim_t(0), rlim_t(50), rlim_t(88), rlim_t(4096)}) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      DiskCacheOptions options = makeOptions();
      DiskCache cache(options);
      rlimit small = {limit, RLIM_INFINITY};
      setrlimit(RLIMIT_FSIZE, &small);
      int verdict = 0;
      verdict |= cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 10'000)) ? 1 : 0;
      verdict |= cache.get(makeKey(1), EntryKind::Artifact) ? 2 : 0;
      verdict |= warnings.size() != 1 ? 4 : 0;
      // The signal's handling is as it was, and space that comes back is used.
      small.rlim_cur = RLIM_INFINITY;
      setrlimit(RLIMIT_FSIZE, &small);
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      verdict |= sigismember(&mask, SIGXFSZ) ? 8 : 0;
      verdict |= cache.put(makeKey(2), EntryKind::Artifact, makePayload(2, 10'000)) ? 0 : 16;
      verdict |= cache.getStat().numTemporary ? 32 : 0;
      _exit(verdict);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "limit " << limit;
  }
}

TEST_F(DiskCacheTest, AFileWhereTheFolderShouldBe) {
  writeText(folder + "/cache", "");
  DiskCache cache(makeOptions());
  EXPECT_FALSE(cache.get(makeKey(1), EntryKind::Artifact));
  EXPECT_FALSE(cache.put(makeKey(1), EntryKind::Artifact, makePayload(1, 10)));
  EXPECT_FALSE(cache.put(makeKey(2), EntryKind::Artifact, makePayload(1, 10)));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("Not a directory"), std::string::npos) << warnings[0];
  EXPECT_EQ(cache.getStat().numEntries, 0u);
}

TEST_F(DiskCacheTest, FolderRemovedMeanwhile) {
  DiskCache cache(makeOptions());
  for (uint64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(cache.put(makeKey(i), EntryKind::Artifact, makePayload(i, 10)));
    std::filesystem::remove_all(folder + "/cache");
    EXPECT_FALSE(cache.get(makeKey(i), EntryKind::Artifact));
  }
  EXPECT_TRUE(warnings.empty());
}

} // namespace
