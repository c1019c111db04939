// See CorpusWorkers.h. A child gets lines "FILE INDEX…", a file's number and the functions in it
// that are known, and answers with JSON objects: {"begin": ENTRY}, {"typed": ENTRY} and
// {"compiling": ENTRY} as it goes, {"kernel": ENTRY} when one is done, {"file": SUMMARY} at the
// end. The parent watches its time and memory meanwhile.
#include "tools/tilerun/command/CorpusWorkers.h"

#include "runtime/plugin/Child.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::command;
using corpus::Entry;
using corpus::FileSummary;
using corpus::Outcome;
using llvm::StringRef;
using Clock = std::chrono::steady_clock;

static volatile std::sig_atomic_t caught = 0;

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

namespace {

class Reporter : public corpus::Listener {
public:
  Reporter(int out, const std::set<unsigned> &known) : out(out), known(known) {}
  bool begin(const Entry &entry) override {
    if (known.count(entry.index))
      return false;
    unrolled.clear();
    report("begin", toJson(entry));
    return true;
  }
  void typed(const Entry &entry) override {
    // A kernel may be tried hundreds of times.
    if (entry.unrolled != unrolled)
      report("typed", toJson(entry));
    unrolled = entry.unrolled;
  }
  void compiling(const Entry &entry) override { report("compiling", toJson(entry)); }
  void finish(const Entry &entry) override { report("kernel", toJson(entry)); }
  void report(StringRef what, llvm::json::Object object) {
    std::string line;
    llvm::raw_string_ostream(line)
        << llvm::json::Value(llvm::json::Object{{what, std::move(object)}}) << "\n";
    if (!plugin::writeReport(out, line))
      ::_exit(0); // The parent is gone.
  }

private:
  int out;
  const std::set<unsigned> &known;
  std::string unrolled; ///< As it was reported last.
};

} // namespace

[[noreturn]] static void serve(int in, int out, const std::vector<std::string> &files,
                               const CorpusRun &run) {
  FILE *jobs = ::fdopen(in, "r");
  char *line = nullptr;
  size_t capacity = 0;
  while (jobs && ::getline(&line, &capacity, jobs) > 0) {
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(line, words);
    size_t file = 0;
    std::set<unsigned> known;
    for (auto [i, word] : llvm::enumerate(words)) {
      unsigned number = 0;
      if (word.getAsInteger(10, number))
        ::_exit(2);
      i == 0 ? (void)(file = number) : (void)known.insert(number);
    }
    Reporter reporter(out, known);
    std::function<corpus::Defines()> define;
    if (run.define)
      define = [&] { return run.define(files[file]); };
    FileSummary summary = corpus::surveyFile(files[file], run.backend, reporter, define);
    reporter.report("file", toJson(summary));
  }
  // Without destructors: they are the parent's.
  ::_exit(0);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

namespace {

/// The file of a worker that has none.
constexpr size_t kNone = ~size_t(0);

struct Worker {
  pid_t pid = -1;
  int toChild = -1, fromChild = -1;
  FILE *errors = nullptr; ///< The child's standard error.
  std::string received;   ///< A line that is not whole.
  size_t file = kNone;
  std::optional<Entry> entry; ///< Its current kernel and phase.
  bool isCompiling = false;
  unsigned numBegun = 0; ///< Kernels since the process began.
  Clock::time_point since;
};

class Pool {
public:
  Pool(CorpusRecords &records, const CorpusRun &run) : records(records), run(run) {
    for (size_t i = 0; i < records.getFiles().size(); ++i)
      if (!records.isWhole(i))
        waiting.push_back(i);
    workers.resize(std::max<size_t>(1, std::min<size_t>(run.numWorkers, waiting.size())));
  }
  ~Pool() {
    for (Worker &worker : workers)
      end(worker);
  }
  llvm::Error survey();

private:
  llvm::Error start(Worker &worker);
  int end(Worker &worker);
  llvm::Error give(Worker &worker);
  llvm::Error receive(Worker &worker);
  void take(Worker &worker, StringRef line);
  llvm::Error handleDeath(Worker &worker);
  llvm::Error watch(Worker &worker);
  llvm::Error stop(Worker &worker, Outcome outcome, std::string reason, std::string construct);
  std::string describeDeath(Worker &worker, int status);

  CorpusRecords &records;
  const CorpusRun &run;
  std::deque<size_t> waiting;
  std::vector<Worker> workers;
};

} // namespace

llvm::Error Pool::start(Worker &worker) {
  auto fail = [&] {
    return llvm::createStringError(std::string("cannot start a process: ") + std::strerror(errno));
  };
  int down[2], up[2];
  worker.errors = std::tmpfile();
  if (!worker.errors || ::pipe2(down, O_CLOEXEC))
    return fail();
  if (::pipe2(up, O_CLOEXEC)) {
    llvm::Error error = fail();
    ::close(down[0]);
    ::close(down[1]);
    return error;
  }
  const pid_t parent = ::getpid();
  worker.pid = ::fork();
  if (worker.pid == 0) {
    // A Ctrl-C reaches all processes of the terminal: the parent decides what it means.
    std::signal(SIGINT, SIG_IGN);
    // A crash ends it with its signal and the message before it, without stack, report and core.
    for (int signal : {SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
      std::signal(signal, SIG_DFL);
    const rlimit none = {0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
      ::_exit(0);
    // The parent's ends of the pipes of other children: a copy would hide that it closed them.
    for (const Worker &other : workers)
      for (int fd : {other.toChild, other.fromChild})
        if (fd >= 0)
          ::close(fd);
    ::close(down[1]);
    ::close(up[0]);
    int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(::fileno(worker.errors), STDERR_FILENO);
    serve(down[0], up[1], records.getFiles(), run);
  }
  ::close(down[0]);
  ::close(up[1]);
  worker.toChild = down[1];
  worker.fromChild = up[0];
  worker.numBegun = 0;
  worker.received.clear();
  if (worker.pid < 0)
    return fail();
  ::fcntl(worker.fromChild, F_SETFL, O_NONBLOCK);
  return llvm::Error::success();
}

/// Ends the process; its status.
int Pool::end(Worker &worker) {
  int status = 0;
  if (worker.pid >= 0) {
    ::kill(worker.pid, SIGKILL);
    while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  for (int *fd : {&worker.toChild, &worker.fromChild})
    if (std::exchange(*fd, -1) >= 0)
      ::close(*fd);
  if (FILE *errors = std::exchange(worker.errors, nullptr))
    std::fclose(errors);
  worker.pid = -1;
  return status;
}

/// Gives a worker its file again, or the next one, and a process if it has none.
llvm::Error Pool::give(Worker &worker) {
  worker.entry.reset();
  worker.isCompiling = false;
  if (worker.file == kNone) {
    if (waiting.empty())
      return llvm::Error::success();
    worker.file = waiting.front();
    waiting.pop_front();
  }
  if (worker.pid < 0)
    TILERUN_TRY_ERROR(start(worker));
  std::string line = llvm::utostr(worker.file);
  for (const auto &[index, entry] : records.get(worker.file).entries)
    line += " " + llvm::utostr(index);
  worker.since = Clock::now();
  // If the child is gone, its other pipe says so in the next step.
  (void)plugin::writeReport(worker.toChild, line + "\n");
  return llvm::Error::success();
}

void Pool::take(Worker &worker, StringRef line) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
  if (!value)
    return llvm::consumeError(value.takeError());
  const llvm::json::Object *object = value->getAsObject();
  if (!object || worker.file == kNone)
    return;
  auto getEntry = [&](StringRef name) -> std::optional<Entry> {
    const llvm::json::Object *entry = object->getObject(name);
    return entry ? entryFromJson(*entry) : std::nullopt;
  };
  if (std::optional<Entry> entry = getEntry("begin")) {
    worker.entry = std::move(entry);
    worker.since = Clock::now();
    ++worker.numBegun;
  } else if (std::optional<Entry> entry = getEntry("typed")) {
    worker.entry = std::move(entry);
  } else if (std::optional<Entry> entry = getEntry("compiling")) {
    worker.entry = std::move(entry);
    worker.isCompiling = true;
  } else if (std::optional<Entry> entry = getEntry("kernel")) {
    records.add(worker.file, std::move(*entry), run.limits);
    worker.entry.reset();
    worker.isCompiling = false;
    worker.since = Clock::now();
  } else if (const llvm::json::Object *summary = object->getObject("file")) {
    records.finish(worker.file, summaryFromJson(*summary).value_or(FileSummary()));
    worker.file = kNone;
  }
}

std::string Pool::describeDeath(Worker &worker, int status) {
  std::string why = WIFSIGNALED(status)
                        ? ::strsignal(WTERMSIG(status))
                        : "it ended with exit code " + std::to_string(WEXITSTATUS(status));
  std::string text;
  if (worker.errors && std::fseek(worker.errors, 0, SEEK_SET) == 0) {
    char buffer[4096];
    text.assign(buffer, std::fread(buffer, 1, sizeof(buffer), worker.errors));
  }
  // The last line is the assertion or the fatal error.
  StringRef last = StringRef(text).trim().rsplit('\n').second;
  if (last.empty())
    last = StringRef(text).trim();
  return last.empty() ? why : why + ": " + last.str();
}

/// Ends a kernel, or a file that is still being read, and its process; another one continues after
/// it.
llvm::Error Pool::stop(Worker &worker, Outcome outcome, std::string reason, std::string construct) {
  end(worker);
  if (worker.entry) {
    Entry entry = std::move(*worker.entry);
    entry.outcome = outcome;
    if (std::string cause = std::exchange(entry.unrolled, "");
        outcome != Outcome::Internal && !cause.empty())
      reason += "; " + cause;
    entry.reason = std::move(reason);
    entry.construct = std::move(construct);
    entry.reasonFile = records.getFiles()[worker.file];
    entry.reasonLine = entry.line;
    records.add(worker.file, std::move(entry), run.limits);
  } else {
    FileSummary summary;
    summary.unreadable = std::move(reason);
    records.finish(worker.file, std::move(summary));
    worker.file = kNone;
  }
  return give(worker);
}

llvm::Error Pool::handleDeath(Worker &worker) {
  // It ended by itself, so that this does not change its status.
  int status = 0;
  while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  worker.pid = -1;
  std::string why = describeDeath(worker, status);
  return stop(worker, Outcome::Internal, "the compiler crashed: " + why, "the compiler crashed");
}

llvm::Error Pool::receive(Worker &worker) {
  char buffer[65536];
  for (;;) {
    ssize_t count = ::read(worker.fromChild, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return llvm::Error::success(); // There is no more yet.
    if (count == 0)
      return handleDeath(worker);
    worker.received.append(buffer, static_cast<size_t>(count));
    StringRef rest = worker.received;
    for (size_t end; (end = rest.find('\n')) != StringRef::npos; rest = rest.drop_front(end + 1)) {
      take(worker, rest.take_front(end));
      if (worker.file == kNone)
        TILERUN_TRY_ERROR(give(worker));
    }
    worker.received = rest.str();
  }
}

/// Bytes of memory that the process has.
static uint64_t getResidentBytes(pid_t pid) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/" + std::to_string(pid) + "/statm");
  uint64_t pages = 0;
  if (!buffer || (*buffer)->getBuffer().split(' ').second.split(' ').first.getAsInteger(10, pages))
    return 0;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// "60", "0.5".
static std::string print(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

llvm::Error Pool::watch(Worker &worker) {
  const std::string what = !worker.entry        ? "reading the file"
                           : worker.isCompiling ? "compiling for " + run.backend->target
                                                : "typing";
  double seconds = std::chrono::duration<double>(Clock::now() - worker.since).count();
  if (seconds > run.limits.seconds)
    return stop(worker, Outcome::TimeLimit,
                what + " took longer than " + print(run.limits.seconds) + " s",
                "over the limit of time");
  if (getResidentBytes(worker.pid) <= run.limits.gibibytes * double(1 << 30))
    return llvm::Error::success();
  // Memory that earlier kernels left allocated is not its fault.
  if (worker.numBegun > (worker.entry ? 1u : 0u)) {
    end(worker);
    return give(worker);
  }
  return stop(worker, Outcome::MemoryLimit,
              what + " took more than " + print(run.limits.gibibytes) + " GiB of memory",
              "over the limit of memory");
}

llvm::Error Pool::survey() {
  for (Worker &worker : workers)
    TILERUN_TRY_ERROR(give(worker));
  while (!caught) {
    std::vector<pollfd> fds;
    std::vector<Worker *> owners;
    for (Worker &worker : workers)
      if (worker.file != kNone) {
        fds.push_back({worker.fromChild, POLLIN, 0});
        owners.push_back(&worker);
      }
    if (fds.empty() || !records.getError().empty())
      break;
    constexpr int kMilliseconds = 50;
    (void)::poll(fds.data(), fds.size(), kMilliseconds);
    for (auto [fd, worker] : llvm::zip(fds, owners)) {
      if (caught)
        break;
      if (fd.revents)
        TILERUN_TRY_ERROR(receive(*worker));
      if (worker->file != kNone)
        TILERUN_TRY_ERROR(watch(*worker));
    }
    if (run.progress)
      run.progress();
  }
  return llvm::Error::success();
}

llvm::Expected<int> command::surveyInWorkers(CorpusRecords &records, const CorpusRun &run) {
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {}, old[std::size(kSignals)], oldPipe;
  action.sa_handler = [](int signal) { caught = signal; };
  caught = 0;
  for (auto [signal, before] : llvm::zip(kSignals, old))
    ::sigaction(signal, &action, &before);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &oldPipe);
  llvm::Error error = Pool(records, run).survey();
  for (auto [signal, before] : llvm::zip(kSignals, old))
    ::sigaction(signal, &before, nullptr);
  ::sigaction(SIGPIPE, &oldPipe, nullptr);
  if (error)
    return std::move(error);
  return static_cast<int>(caught);
}
