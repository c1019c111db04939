// Runs cells in child processes, so that a crash, a hang or a lost device costs one cell.
#pragma once

#include "tests/matrix/Runner.h"

#include <functional>

namespace tilerun::matrix {

/// Runs jobs, by their numbers, in a child.
using JobRunner = std::function<Result(size_t job)>;

struct PoolOptions {
  unsigned numWorkers = 1;      ///< 0: in this process, for debuggers and sanitizers.
  unsigned secondsPerJob = 120; ///< A job that takes longer is killed and fails.
  /// Is called once in each child.
  std::function<JobRunner()> makeRunner;
  /// Receives each result as it comes, in the parent.
  std::function<void(size_t job, const Result &result)> report;
};

/// Runs jobs 0 to `numJobs` - 1; the calling process must have one thread. Gives the results in the
/// jobs' order.
std::vector<Result> runPool(size_t numJobs, const PoolOptions &options);

/// One cell on one target.
struct Job {
  const Cell *cell;
  unsigned target; ///< Passed to the opener.
};

struct WorkerOptions {
  unsigned numWorkers = 1; ///< 0: in this process, for debuggers and sanitizers.
  unsigned secondsPerCell = 120;
  uint64_t seed = 1;
  bool compileOnly = false;
  /// Makes a target in a child; null with a reason if that is not possible.
  std::function<std::unique_ptr<Target>(unsigned target, std::string &reason)> open;
  /// Is told each result as it comes, in the parent.
  std::function<void(size_t job, const Result &result)> report;
};

/// The same for cells.
std::vector<Result> runJobs(llvm::ArrayRef<Job> jobs, const WorkerOptions &options);

} // namespace tilerun::matrix
