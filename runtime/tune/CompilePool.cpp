// See CompilePool.h.
#include "runtime/tune/CompilePool.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string_view>
#include <thread>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;

static constexpr size_t kLeastStackBytes = 8 << 20;

namespace {
/// Keeps signals from threads that this one makes meanwhile, so that the caller's handlers run on
/// the caller's threads; not those of faults, and of profilers.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF})
      sigdelset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t before;
};
} // namespace

Status tune::getDefaultThreads(unsigned &threads) {
  threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
  const char *text = std::getenv("TILERUN_COMPILE_THREADS");
  if (!text || !*text)
    return {};
  const std::string_view given(text);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (error != std::errc() || end != given.data() + given.size() || !number ||
      number > kMostThreads)
    return Status::invalid("TILERUN_COMPILE_THREADS is '" + std::string(given) +
                           "'; a number from 1 to " + std::to_string(kMostThreads) +
                           " is expected");
  threads = number;
  return {};
}

CompilePool::CompilePool(size_t numJobs, unsigned numThreads, Compile compile)
    : compile(std::move(compile)), states(numJobs, State::Waiting), statuses(numJobs) {
  if (numThreads < 2 || numJobs < 2)
    return;
  const size_t wanted = std::min<size_t>(numThreads, numJobs);
  threads.reserve(wanted);
  // What recurses in the compiler may take as much stack as on a program's first thread, whatever
  // the process's limit says of others.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  size_t stackBytes = 0;
  pthread_attr_getstacksize(&attributes, &stackBytes);
  pthread_attr_setstacksize(&attributes, std::max(stackBytes, kLeastStackBytes));
  const SignalsBlocked blocked;
  // As many as the system gives. (std::thread throws.)
  while (threads.size() < wanted) {
    auto run = [](void *self) -> void * {
      static_cast<CompilePool *>(self)->work();
      return nullptr;
    };
    pthread_t thread;
    if (pthread_create(&thread, &attributes, run, this))
      break;
    threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  numStarted = threads.size();
}

CompilePool::~CompilePool() {
  // A child of fork has none of the threads, and one of them may have held the lock.
  if (isOrphan())
    return;
  {
    std::lock_guard lock(mutex);
    isStopped = true;
  }
  join();
}

void CompilePool::join() {
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  threads.clear();
}

Status CompilePool::run(size_t job) const {
  // An exception must not leave a thread of its own: it would end the process.
  try {
    return compile(job);
  } catch (const std::bad_alloc &) {
    return Status(TILERUN_STATUS_OUT_OF_MEMORY, "the host is out of memory");
  } catch (const std::exception &error) {
    return Status(TILERUN_STATUS_INTERNAL, error.what());
  }
}

void CompilePool::finish(size_t job, Status status) {
  std::lock_guard lock(mutex);
  states[job] = State::Finished;
  statuses[job] = std::move(status);
  ++numFinished;
  finished.notify_one();
}

void CompilePool::work() {
  for (;;) {
    size_t job = 0;
    {
      std::lock_guard lock(mutex);
      if (isStopped || next == states.size())
        return;
      job = next++;
    }
    finish(job, run(job));
  }
}

std::optional<CompilePool::Finished> CompilePool::takeFinished() {
  while (lowest < states.size() && states[lowest] == State::Taken)
    ++lowest;
  for (size_t job = lowest; job < next; ++job)
    if (states[job] == State::Finished) {
      states[job] = State::Taken;
      return Finished{job, std::move(statuses[job])};
    }
  return std::nullopt;
}

std::optional<CompilePool::Finished> CompilePool::take(std::chrono::milliseconds patience) {
  if (!numStarted && next < states.size()) {
    const size_t job = next++;
    finish(job, run(job));
  }
  std::unique_lock lock(mutex);
  std::optional<Finished> taken = takeFinished();
  if (!taken && numStarted)
    finished.wait_for(lock, patience, [&] { return (taken = takeFinished()).has_value(); });
  const bool isDone = numFinished == states.size();
  lock.unlock();
  // They have nothing to do, and a child of fork need not miss them.
  if (isDone)
    join();
  return taken;
}

bool CompilePool::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex);
  const bool isDone = finished.wait_for(
      lock, patience, [&] { return !numStarted || numFinished == states.size(); });
  lock.unlock();
  if (isDone)
    join();
  return isDone;
}

size_t CompilePool::getNumFinished() {
  std::lock_guard lock(mutex);
  return numFinished;
}
