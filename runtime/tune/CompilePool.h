// Threads that compile and load configurations while the caller measures those that are ready.
// Separate from the tuner because it knows neither kernels nor devices.
//
// Jobs begin in the order of their numbers and end in any. The caller takes results by their
// numbers, so that what it does with them need not depend on which thread was the fastest. All
// threads have ended when the pool is destroyed.
#pragma once

#include "runtime/core/Status.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <unistd.h>
#include <vector>

namespace tilerun::tune {

/// How many configurations are compiled at once where the caller does not say: the number in the
/// environment's TILERUN_COMPILE_THREADS, else one for each core. INVALID_ARGUMENT if that is not
/// a number from 1 to `kMostThreads`.
constexpr unsigned kMostThreads = 1024;
core::Status getDefaultThreads(unsigned &threads);

/// For one thread at a time, which is the same each time.
class CompilePool {
public:
  /// Compiles a job; called once for each, from any of the pool's threads. What it throws (no
  /// memory) fails the job alone.
  using Compile = std::function<core::Status(size_t job)>;

  /// Begins. With one thread, or where the system gives none, jobs are compiled by `take`.
  CompilePool(size_t numJobs, unsigned numThreads, Compile compile);
  /// Jobs that have not begun never do; waits for the others.
  ~CompilePool();
  CompilePool(const CompilePool &) = delete;
  CompilePool &operator=(const CompilePool &) = delete;

  struct Finished {
    size_t job;
    core::Status status;
  };
  /// The finished job with the lowest number among those that were not taken yet. Waits for one if
  /// there is none, for `patience` at most.
  std::optional<Finished> take(std::chrono::milliseconds patience);
  /// Waits until all are finished, for `patience` at most; whether they are. Where there are no
  /// threads it need not wait: nothing is compiled while the caller does something else.
  bool wait(std::chrono::milliseconds patience);

  size_t getNumFinished();
  /// That began; 0: jobs are compiled by `take`.
  size_t getNumThreads() const { return numStarted; }
  /// Whether this process is a child of the one that made the pool, and its threads, which had
  /// jobs, are not here. Then no other function may be called.
  bool isOrphan() const { return !threads.empty() && getpid() != owner; }

private:
  enum class State : uint8_t { Waiting, Finished, Taken };
  void work();
  core::Status run(size_t job) const;
  void finish(size_t job, core::Status status);
  /// Under the lock.
  std::optional<Finished> takeFinished();
  void join();

  const Compile compile;
  const pid_t owner = getpid();
  std::mutex mutex; ///< Guards what follows.
  std::condition_variable finished;
  std::vector<State> states;
  std::vector<core::Status> statuses;
  size_t next = 0, numFinished = 0;
  size_t lowest = 0; ///< All before it are taken.
  bool isStopped = false;
  // Of the caller alone.
  size_t numStarted = 0;
  std::vector<pthread_t> threads; ///< Those that were not joined.
};

} // namespace tilerun::tune
