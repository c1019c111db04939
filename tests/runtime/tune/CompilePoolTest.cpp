// The threads that compile: how many work at once, the order of results, failures, and ends in the
// middle.
#include "runtime/tune/CompilePool.h"

#include <atomic>
#include <barrier>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;

namespace {

constexpr std::chrono::milliseconds kNone(0), kLong(60'000);

TEST(CompilePool, AllThreadsWorkAtOnce) {
  constexpr unsigned kThreads = 6;
  // Nobody passes before all have come.
  std::barrier meeting(kThreads);
  CompilePool pool(2 * kThreads, kThreads, [&](size_t) {
    meeting.arrive_and_wait();
    return Status();
  });
  EXPECT_EQ(pool.getNumThreads(), kThreads);
  EXPECT_TRUE(pool.wait(kLong));
  EXPECT_EQ(pool.getNumFinished(), 2 * kThreads);
}

TEST(CompilePool, NoMoreThreadsThanAllowed) {
  std::atomic<int> working{0}, most{0};
  CompilePool pool(24, 3, [&](size_t) {
    int now = ++working, seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now))
      ;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --working;
    return Status();
  });
  EXPECT_TRUE(pool.wait(kLong));
  EXPECT_LE(most, 3);
}

TEST(CompilePool, ResultsComeByNumber) {
  constexpr size_t kJobs = 5;
  std::atomic<size_t> turn{kJobs - 1};
  CompilePool pool(kJobs, kJobs, [&](size_t job) {
    // The last one ends first.
    while (turn != job)
      std::this_thread::yield();
    turn = job - 1;
    return job == 2 ? Status::invalid("two") : Status();
  });
  ASSERT_TRUE(pool.wait(kLong));
  for (size_t job = 0; job < kJobs; ++job) {
    std::optional<CompilePool::Finished> finished = pool.take(kNone);
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->job, job);
    EXPECT_EQ(finished->status.isOk(), job != 2);
  }
  EXPECT_FALSE(pool.take(kNone));
}

TEST(CompilePool, WhatIsReadyNeedNotWait) {
  std::atomic<bool> isOpen{false};
  CompilePool pool(2, 2, [&](size_t job) {
    while (job == 0 && !isOpen)
      std::this_thread::yield();
    return Status();
  });
  std::optional<CompilePool::Finished> first = pool.take(kLong);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->job, 1u);
  EXPECT_FALSE(pool.wait(kNone));
  EXPECT_FALSE(pool.take(kNone));
  isOpen = true;
  std::optional<CompilePool::Finished> second = pool.take(kLong);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->job, 0u);
}

TEST(CompilePool, OneThreadIsTheCallers) {
  const std::thread::id own = std::this_thread::get_id();
  size_t compiled = 0;
  CompilePool pool(3, 1, [&](size_t) {
    EXPECT_EQ(std::this_thread::get_id(), own);
    ++compiled;
    return Status();
  });
  EXPECT_EQ(pool.getNumThreads(), 0u);
  EXPECT_TRUE(pool.wait(kLong)); // It does not wait for what nobody does.
  for (size_t job = 0; job < 3; ++job) {
    EXPECT_EQ(compiled, job); // Each just before it is needed.
    ASSERT_EQ(pool.take(kNone).value().job, job);
  }
}

TEST(CompilePool, WhatIsThrownFailsItsJob) {
  CompilePool pool(3, 3, [](size_t job) -> Status {
    if (job == 0)
      throw std::bad_alloc();
    if (job == 1)
      throw std::runtime_error("no thread");
    return {};
  });
  ASSERT_TRUE(pool.wait(kLong));
  EXPECT_EQ(pool.take(kNone)->status.getCode(), TILERUN_STATUS_OUT_OF_MEMORY);
  CompilePool::Finished second = pool.take(kNone).value();
  EXPECT_EQ(second.status.getCode(), TILERUN_STATUS_INTERNAL);
  EXPECT_EQ(second.status.getMessage(), "no thread");
  EXPECT_TRUE(pool.take(kNone)->status.isOk());
}

TEST(CompilePool, AnEndInTheMiddleWaitsForWhatRunsAlone) {
  std::atomic<size_t> begun{0}, ended{0};
  {
    CompilePool pool(1000, 2, [&](size_t) {
      ++begun;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++ended;
      return Status();
    });
    ASSERT_TRUE(pool.take(kLong));
  }
  EXPECT_EQ(begun, ended);
  EXPECT_LT(begun, 1000u);
}

TEST(CompilePool, SignalsAreTheCallers) {
  auto isBlocked = [](int signal) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    return sigismember(&now, signal) == 1;
  };
  ASSERT_FALSE(isBlocked(SIGINT));
  CompilePool pool(2, 2, [&](size_t) {
    EXPECT_TRUE(isBlocked(SIGINT));
    EXPECT_TRUE(isBlocked(SIGALRM));
    EXPECT_FALSE(isBlocked(SIGSEGV));
    return Status();
  });
  EXPECT_FALSE(isBlocked(SIGINT));
  EXPECT_TRUE(pool.wait(kLong));
}

TEST(CompilePool, NothingToDo) {
  CompilePool pool(0, 4, [](size_t) { return Status(); });
  EXPECT_TRUE(pool.wait(kNone));
  EXPECT_FALSE(pool.take(kNone));
}

TEST(CompilePool, AChildOfForkLeavesItAlone) {
  std::atomic<bool> isOpen{false};
  CompilePool pool(2, 2, [&](size_t) {
    while (!isOpen)
      std::this_thread::yield();
    return Status();
  });
  EXPECT_FALSE(pool.isOrphan());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool isOrphan = pool.isOrphan();
    pool.~CompilePool(); // Its threads are not here; it must not wait for them.
    _exit(isOrphan ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  isOpen = true;
  EXPECT_TRUE(pool.wait(kLong));
  // One that has nothing more to do serves a child, too.
  if (const pid_t other = fork(); other == 0)
    _exit(!pool.isOrphan() && pool.take(kNone) && pool.take(kNone) ? 0 : 1);
  else
    ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(CompilePool, ThreadsOfTheEnvironment) {
  const char *variable = "TILERUN_COMPILE_THREADS";
  unsigned threads = 0;
  unsetenv(variable);
  ASSERT_TRUE(getDefaultThreads(threads).isOk());
  EXPECT_GE(threads, 1u);
  setenv(variable, "7", 1);
  ASSERT_TRUE(getDefaultThreads(threads).isOk());
  EXPECT_EQ(threads, 7u);
  for (const char *wrong : {"0", "-1", "many", "3 ", "1025", "99999999999"}) {
    setenv(variable, wrong, 1);
    Status status = getDefaultThreads(threads);
    EXPECT_EQ(status.getCode(), TILERUN_STATUS_INVALID_ARGUMENT) << wrong;
    EXPECT_EQ(status.getMessage(), std::string("TILERUN_COMPILE_THREADS is '") + wrong +
                                       "'; a number from 1 to 1024 is expected");
  }
  unsetenv(variable);
}

} // namespace
