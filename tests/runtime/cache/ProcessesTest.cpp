// Many processes with one folder: writers that are killed at any moment, and many that put, read
// and evict at once.
#include "tests/runtime/cache/CacheTest.h"

#include <csignal>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun::cache;

namespace {

using CacheProcesses = CacheTest;

TEST_F(CacheProcesses, KilledWhileWriting) {
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  unsigned entries = 0;
  for (int round = 0; round < 60; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      DiskCache cache(makeOptions(8 << 20));
      for (uint64_t i = 0;; ++i)
        cache.put(makeKey(i % 50), EntryKind::Artifact, makePayload(i % 50, 20'000 + i % 50));
    }
    usleep(1000 + random() % 20'000);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    DiskCache cache(makeOptions(8 << 20));
    DiskCacheVerification verified = cache.verify(false);
    ASSERT_TRUE(verified.bad.empty()) << verified.bad[0];
    entries = static_cast<unsigned>(verified.numGood);
    for (uint64_t i = 0; i < 50; ++i)
      if (auto payload = cache.get(makeKey(i), EntryKind::Artifact))
        ASSERT_EQ(*payload, makePayload(i, 20'000 + i)) << i;
  }
  EXPECT_GT(entries, 0u);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST_F(CacheProcesses, SixteenHammerOneSmallFolder) {
  constexpr uint64_t kMaxBytes = 256 << 10;
  constexpr unsigned kProcesses = 16;
  std::vector<pid_t> children;
  for (unsigned process = 0; process < kProcesses; ++process) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::mt19937 random(process);
      DiskCache cache(makeOptions(kMaxBytes));
      int verdict = 0;
      for (unsigned i = 0; i < 300; ++i) {
        uint64_t number = random() % 200;
        std::vector<uint8_t> payload = makePayload(number, 1000 + number * 20);
        auto found = cache.get(makeKey(number), EntryKind::Artifact);
        if (found && *found != payload)
          verdict |= 1;
        if (!found && !cache.put(makeKey(number), EntryKind::Artifact, payload))
          verdict |= 2;
        // Not at its end, which may be the end of all of them.
        if ((i == 99 || i == 199) && process == 0)
          cache.clear();
      }
      if (!warnings.empty())
        verdict |= 4;
      _exit(verdict);
    }
    children.push_back(child);
  }
  // Meanwhile the bound holds: the amount that 16 writers may add between their scans is below it,
  // and each may have one entry in flight.
  DiskCache watcher(makeOptions(kMaxBytes));
  uint64_t most = 0;
  size_t left = children.size();
  while (left > 0) {
    most = std::max(most, watcher.getStat().numBytes);
    int status = 0;
    pid_t done = waitpid(-1, &status, WNOHANG);
    if (done <= 0)
      continue;
    --left;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "process ended with " << status;
  }
  EXPECT_LE(most, kMaxBytes + kProcesses * 5100);
  EXPECT_GT(most, kMaxBytes / 4);
  DiskCacheVerification verified = watcher.verify(false);
  EXPECT_TRUE(verified.bad.empty());
  EXPECT_GT(verified.numGood, 0u);
  EXPECT_EQ(watcher.getStat().numTemporary, 0u);
}

} // namespace
