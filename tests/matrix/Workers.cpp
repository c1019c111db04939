// Child processes and their pipes. A child reads the numbers of jobs and answers each with one
// message: verdict, flags, time, text.
#include "tests/matrix/Workers.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Clock = std::chrono::steady_clock;

struct Header {
  uint32_t verdict;
  uint32_t lost;
  double seconds;
  uint64_t textBytes;
};

bool writeAll(int fd, const void *data, size_t bytes) {
  auto *at = static_cast<const char *>(data);
  while (bytes) {
    ssize_t count = write(fd, at, bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    at += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

bool readAll(int fd, void *data, size_t bytes) {
  auto *at = static_cast<char *>(data);
  while (bytes) {
    ssize_t count = read(fd, at, bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    at += count;
    bytes -= static_cast<size_t>(count);
  }
  return true;
}

class Pool {
public:
  Pool(size_t numJobs, const PoolOptions &options)
      : numJobs(numJobs), options(options), results(numJobs) {}

  std::vector<Result> run() {
    signal(SIGPIPE, SIG_IGN);
    workers.resize(std::min<size_t>(std::max(1u, options.numWorkers), numJobs));
    for (Worker &worker : workers)
      start(worker);
    while (numDone < numJobs)
      step();
    for (Worker &worker : workers)
      stop(worker);
    return std::move(results);
  }

private:
  struct Worker {
    pid_t pid = -1;
    int toChild = -1, fromChild = -1;
    FILE *errors = nullptr; ///< The child's standard error.
    std::optional<size_t> job;
    Clock::time_point since;
  };

  void start(Worker &worker);
  void stop(Worker &worker);
  void give(Worker &worker);
  void finish(Worker &worker, Result result);
  void step();
  void handleDeath(Worker &worker, const std::string &why);
  std::string takeErrors(Worker &worker);
  [[noreturn]] void serve(int in, int out);

  size_t numJobs;
  const PoolOptions &options;
  std::vector<Result> results;
  std::vector<Worker> workers;
  size_t next = 0, numDone = 0;
};

/// The child's life: never returns.
void Pool::serve(int in, int out) {
  JobRunner run = options.makeRunner();
  uint64_t index;
  while (readAll(in, &index, sizeof(index))) {
    // Only this cell's messages are kept.
    if (ftruncate(STDERR_FILENO, 0) == 0)
      lseek(STDERR_FILENO, 0, SEEK_SET);
    Result result = run(index);
    Header header{static_cast<uint32_t>(result.verdict), result.lost, result.seconds,
                  result.text.size()};
    if (!writeAll(out, &header, sizeof(header)) ||
        !writeAll(out, result.text.data(), result.text.size()) || result.lost)
      break;
  }
  // Without destructors: a driver may hang over a lost device.
  _exit(0);
}

void Pool::start(Worker &worker) {
  int down[2], up[2];
  worker.errors = std::tmpfile();
  if (!worker.errors || pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)) {
    std::perror("tilerun-matrix: a worker cannot be started");
    std::exit(2);
  }
  std::fflush(nullptr);
  worker.pid = fork();
  if (worker.pid < 0) {
    std::perror("tilerun-matrix: a worker cannot be started");
    std::exit(2);
  }
  if (worker.pid == 0) {
    signal(SIGINT, SIG_DFL);
    close(down[1]);
    close(up[0]);
    // The parent's ends of the other children's pipes: a copy would hide that it closed them.
    for (const Worker &other : workers)
      for (int fd : {other.toChild, other.fromChild})
        if (fd >= 0)
          close(fd);
    // The output of kernels must not mix with the report.
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(fileno(worker.errors), STDERR_FILENO);
    serve(down[0], up[1]);
  }
  close(down[0]);
  close(up[1]);
  worker.toChild = down[1];
  worker.fromChild = up[0];
  give(worker);
}

void Pool::give(Worker &worker) {
  worker.job.reset();
  if (next == numJobs)
    return;
  worker.job = next++;
  worker.since = Clock::now();
  uint64_t index = *worker.job;
  // If the child is gone, its pipe says so in the next step.
  (void)writeAll(worker.toChild, &index, sizeof(index));
}

void Pool::stop(Worker &worker) {
  if (worker.pid < 0)
    return;
  close(worker.toChild);
  close(worker.fromChild);
  std::fclose(worker.errors);
  int status;
  while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  worker = Worker();
}

void Pool::finish(Worker &worker, Result result) {
  size_t job = *worker.job;
  results[job] = std::move(result);
  ++numDone;
  if (options.report)
    options.report(job, results[job]);
}

std::string Pool::takeErrors(Worker &worker) {
  std::string text;
  if (std::fseek(worker.errors, 0, SEEK_SET))
    return "what it printed cannot be read";
  char buffer[4096];
  // The first lines have the assertion or the fatal error; a stack follows.
  if (size_t count = std::fread(buffer, 1, sizeof(buffer), worker.errors))
    text.assign(buffer, std::min<size_t>(count, 600));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0'))
    text.pop_back();
  return text;
}

void Pool::handleDeath(Worker &worker, const std::string &why) {
  kill(worker.pid, SIGKILL);
  int status = 0;
  while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::string text = why;
  if (text.empty())
    text = WIFSIGNALED(status)
               ? "crash: " + std::string(strsignal(WTERMSIG(status)))
               : "crash: the process ended with " + std::to_string(WEXITSTATUS(status));
  std::string errors = takeErrors(worker);
  if (!errors.empty())
    text += ": " + errors;
  if (worker.job)
    finish(worker, {Verdict::Fail, text, 0, true});
  close(worker.toChild);
  close(worker.fromChild);
  std::fclose(worker.errors);
  worker = Worker();
  if (next < numJobs)
    start(worker);
}

void Pool::step() {
  std::vector<pollfd> fds;
  std::vector<Worker *> owners;
  for (Worker &worker : workers)
    if (worker.pid >= 0 && worker.job) {
      fds.push_back({worker.fromChild, POLLIN, 0});
      owners.push_back(&worker);
    }
  if (poll(fds.data(), fds.size(), 1000) < 0 && errno != EINTR) {
    std::perror("tilerun-matrix: poll");
    std::exit(2);
  }
  for (size_t i = 0; i < fds.size(); ++i) {
    Worker &worker = *owners[i];
    if (fds[i].revents) {
      Header header;
      std::string text;
      bool complete = readAll(worker.fromChild, &header, sizeof(header));
      if (complete) {
        text.resize(header.textBytes);
        complete = readAll(worker.fromChild, text.data(), text.size());
      }
      if (!complete) {
        handleDeath(worker, "");
        continue;
      }
      finish(worker, {static_cast<Verdict>(header.verdict), std::move(text), header.seconds,
                      header.lost != 0});
      if (header.lost) {
        worker.job.reset();
        handleDeath(worker, "");
      } else {
        give(worker);
      }
    } else if (Clock::now() - worker.since > std::chrono::seconds(options.secondsPerJob)) {
      handleDeath(worker, "took longer than " + std::to_string(options.secondsPerJob) + " s");
    }
  }
}

} // namespace

std::vector<Result> matrix::runPool(size_t numJobs, const PoolOptions &options) {
  if (numJobs == 0)
    return {};
  if (options.numWorkers > 0)
    return Pool(numJobs, options).run();
  // Everything here: a crash ends it.
  JobRunner run = options.makeRunner();
  std::vector<Result> results;
  for (size_t job = 0; job < numJobs; ++job) {
    results.push_back(run(job));
    if (options.report)
      options.report(job, results.back());
  }
  return results;
}

std::vector<Result> matrix::runJobs(llvm::ArrayRef<Job> jobs, const WorkerOptions &options) {
  /// The targets that one process has opened, with their runners.
  struct Opened {
    std::map<unsigned, std::pair<std::unique_ptr<Target>, std::unique_ptr<Runner>>> runners;
  };
  PoolOptions pool;
  pool.numWorkers = options.numWorkers;
  pool.secondsPerJob = options.secondsPerCell;
  pool.report = options.report;
  pool.makeRunner = [&]() -> JobRunner {
    return [&, opened = std::make_shared<Opened>()](size_t index) -> Result {
      const Job &job = jobs[index];
      auto &[target, runner] = opened->runners[job.target];
      std::string reason;
      if (!runner && (target = options.open(job.target, reason)))
        runner = std::make_unique<Runner>(*target, options.seed, options.compileOnly);
      if (!runner)
        return {Verdict::Fail, "the target cannot be opened: " + reason, 0, false};
      return runner->run(*job.cell);
    };
  };
  return runPool(jobs.size(), pool);
}
