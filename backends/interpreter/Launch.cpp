// Runs a grid: validates what the caller passes, then spreads programs over threads by a shared
// counter.
#include "backends/interpreter/Activity.h"
#include "backends/interpreter/Bounds.h"
#include "backends/interpreter/Checker.h"
#include "backends/interpreter/Interpreter.h"
#include "backends/interpreter/Observer.h"
#include "backends/interpreter/SmallFloat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <thread>

using namespace tilerun;
using namespace tilerun::interp;

namespace {

constexpr unsigned kMaxThreads = 256;

llvm::Error invalid(const llvm::Twine &message) {
  return makeError(ErrorKind::InvalidArgument, "cpu: launch: " + message);
}

llvm::Error checkGrid(const std::array<uint64_t, 3> &grid) {
  uint64_t programs = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (grid[axis] == 0)
      return invalid("the grid's axis " + llvm::Twine(axis) + " is 0; it must be at least 1");
    if (grid[axis] > kMaxGrid[axis])
      return invalid("the grid's axis " + llvm::Twine(axis) + " is " + llvm::Twine(grid[axis]) +
                     "; at most " + llvm::Twine(kMaxGrid[axis]) + " is possible");
    if (grid[axis] > kMaxPrograms / programs)
      return invalid("the grid has more than " + llvm::Twine(kMaxPrograms) + " programs");
    programs *= grid[axis];
  }
  return llvm::Error::success();
}

/// The bits of an argument in its parameter's type.
llvm::Expected<uint64_t> encodeArgument(const ArgumentInfo &info, const LaunchArgument &argument) {
  auto mismatch = [&](llvm::StringRef given) {
    return invalid("argument '" + info.name + "' is " + given + ", but the kernel takes " +
                   getName(info.type));
  };
  switch (argument.kind) {
  case LaunchArgument::Kind::Pointer:
    if (info.type != Dtype::Ptr)
      return mismatch("a pointer");
    return argument.bits;
  case LaunchArgument::Kind::Integer: {
    if (!isInteger(info.type))
      return mismatch("an integer");
    const unsigned width = info.type == Dtype::I1 ? 1 : 8 * sizeOf(info.type);
    const uint64_t low = argument.bits << (64 - width) >> (64 - width);
    const uint64_t extended = uint64_t(int64_t(argument.bits << (64 - width)) >> (64 - width));
    if (argument.bits != low && argument.bits != extended)
      return invalid("argument '" + info.name + "' is " + llvm::Twine(int64_t(argument.bits)) +
                     ", which does not fit into " + getName(info.type));
    return low;
  }
  case LaunchArgument::Kind::Float: {
    if (!isFloat(info.type))
      return mismatch("a float");
    if (info.type == Dtype::F64)
      return argument.bits;
    const double value = std::bit_cast<double>(argument.bits);
    uint64_t bits = 0;
    getFromDouble(info.type, {})(reinterpret_cast<const char *>(&value),
                                 reinterpret_cast<char *>(&bits), 1);
    return bits;
  }
  }
  llvm_unreachable("unknown argument kind");
}

/// The results of one thread.
struct Outcome {
  std::optional<Activity> activity;
  std::vector<std::pair<uint64_t, std::string>> printed; ///< By program.
  uint64_t faultProgram = UINT64_MAX;
  std::string fault;
};

struct Work {
  const Program &program;
  LaunchState &state;
  llvm::ArrayRef<uint64_t> arguments;
  uint64_t programs, chunk;
  std::atomic<uint64_t> next{0};
  StepObserver *observer = nullptr;

  void run(char *arena, Checker *checker, Outcome &outcome) {
    Frame frame{program, state, arena, state.bounds.getFirstRanges(), checker};
    for (auto [info, bits] : llvm::zip(program.arguments, arguments))
      std::memcpy(frame.at(info.slot), &bits, sizeof(bits));
    frame.exec(program.setup);
    frame.activity = outcome.activity ? &*outcome.activity : nullptr;
    for (;;) {
      const uint64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
      for (uint64_t i = first; i < std::min(programs, first + chunk); ++i) {
        if (state.stop.load(std::memory_order_relaxed))
          return;
        runOne(frame, i, outcome);
      }
      if (first + chunk >= programs)
        return;
    }
  }

  void runOne(Frame &frame, uint64_t linear, Outcome &outcome) {
    const auto &grid = state.grid;
    frame.position = {uint32_t(linear % grid[0]), uint32_t(linear / grid[0] % grid[1]),
                      uint32_t(linear / grid[0] / grid[1])};
    frame.stopped = false;
    if (frame.checker)
      frame.checker->beginProgram(linear);
    if (frame.activity)
      frame.activity->beginProgram();
    if (observer)
      frame.observer = observer->beginProgram(linear) ? observer : nullptr;
    frame.exec(program.body);
    if (frame.observer && !frame.observer->endProgram(frame))
      state.stop = true;
    if (frame.activity)
      frame.activity->endProgram(linear, !frame.printed.empty());
    if (!frame.printed.empty())
      outcome.printed.emplace_back(linear, std::exchange(frame.printed, {}));
    if (!frame.fault.empty()) {
      outcome.faultProgram = linear;
      outcome.fault = std::move(frame.fault);
      state.stop = true;
    }
  }
};

struct FreeDeleter {
  void operator()(void *memory) const { std::free(memory); }
};

} // namespace

const char *interp::getKindName(CheckReport::Kind kind) {
  switch (kind) {
#define TILERUN_CHECK_KIND(name, word)                                                             \
  case CheckReport::Kind::name:                                                                    \
    return word;
#include "ir/tile/CheckKinds.def"
  }
  llvm_unreachable("unknown check kind");
}

llvm::Expected<LaunchResult> interp::launchProgram(const Program &program, Heap &heap,
                                                   llvm::ArrayRef<LaunchArgument> arguments,
                                                   const LaunchOptions &options) {
  if (auto error = checkGrid(options.grid))
    return error;
  if (arguments.size() != program.arguments.size())
    return invalid("kernel '" + program.name + "' takes " + llvm::Twine(program.arguments.size()) +
                   " arguments, but got " + llvm::Twine(arguments.size()));
  std::vector<uint64_t> encoded;
  for (auto [info, argument] : llvm::zip(program.arguments, arguments)) {
    auto bits = encodeArgument(info, argument);
    if (!bits)
      return bits.takeError();
    encoded.push_back(*bits);
  }

  const uint64_t programs = options.grid[0] * options.grid[1] * options.grid[2];
  const bool checked = options.checks.any() || options.debug;
  if (options.firstProgram >= programs)
    return invalid("program " + llvm::Twine(options.firstProgram) + " of " + llvm::Twine(programs) +
                   " cannot be the first; they are numbered from 0");
  const bool serial = checked || options.watch.writers || options.watch.work || options.observer;
  unsigned threads = options.numThreads ? options.numThreads : std::thread::hardware_concurrency();
  threads =
      serial ? 1 : std::clamp<uint64_t>(threads, 1, std::min<uint64_t>(programs, kMaxThreads));

  std::vector<std::unique_ptr<char, FreeDeleter>> arenas;
  for (unsigned i = 0; i < threads; ++i) {
    arenas.emplace_back(static_cast<char *>(std::aligned_alloc(64, program.arenaBytes + 64)));
    if (!arenas.back())
      return makeError(ErrorKind::OutOfMemory, "cpu: launch: no " +
                                                   llvm::Twine(program.arenaBytes) +
                                                   " bytes for the tiles of one program");
  }

  const Bounds bounds(heap, program, arguments, options.bounds || options.checks.bounds,
                      options.hostMemory);
  LaunchState state{options.grid, bounds};
  state.assertions = checked;
  state.reportAssertions = options.checks.any();
  std::unique_ptr<Checker> checker;
  if (checked || options.watch.writers || options.watch.work) {
    CheckOptions checks = options.checks;
    checks.integerOverflow |= options.debug;
    checker = std::make_unique<Checker>(heap, bounds, program, arguments, checks, options.grid,
                                        options.watch);
  }

  llvm::SmallVector<uint64_t> pointers;
  for (const LaunchArgument &argument : arguments)
    if (argument.kind == LaunchArgument::Kind::Pointer)
      pointers.push_back(argument.bits);
  heap.beginRun(pointers);

  const auto start = std::chrono::steady_clock::now();
  std::vector<Outcome> outcomes(threads);
  for (Outcome &outcome : outcomes)
    if (options.watch.activity)
      outcome.activity.emplace(program);
  // Small enough that threads end together, large enough that the counter is rarely touched.
  Work work{program,
            state,
            encoded,
            programs,
            std::max<uint64_t>(1, programs / (uint64_t(threads) * 32)),
            options.firstProgram,
            options.observer};
  // As many as the system gives: under a limit of processes, fewer do the work. (std::thread
  // throws.)
  struct Worker {
    Work *work;
    char *arena;
    Outcome *outcome;
    pthread_t thread;
  };
  std::vector<Worker> workers(threads);
  unsigned started = 1;
  for (; started < threads; ++started) {
    Worker &worker = workers[started];
    worker = {&work, arenas[started].get(), &outcomes[started], {}};
    auto run = [](void *given) -> void * {
      auto *self = static_cast<Worker *>(given);
      self->work->run(self->arena, nullptr, *self->outcome);
      return nullptr;
    };
    if (pthread_create(&worker.thread, nullptr, run, &worker))
      break;
  }
  work.run(arenas[0].get(), checker.get(), outcomes[0]);
  for (unsigned i = 1; i < started; ++i)
    pthread_join(workers[i].thread, nullptr);
  LaunchResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!checker)
    heap.assumeAllWritten();

  auto first =
      std::min_element(outcomes.begin(), outcomes.end(), [](const Outcome &a, const Outcome &b) {
        return a.faultProgram < b.faultProgram;
      });
  if (first->faultProgram != UINT64_MAX)
    return makeError(ErrorKind::Fault, first->fault);

  std::vector<std::pair<uint64_t, std::string>> printed;
  for (Outcome &outcome : outcomes)
    llvm::append_range(printed, outcome.printed);
  llvm::sort(printed, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &[linear, text] : printed)
    result.printed += text;
  if (checker) {
    checker->finish();
    result.reports = checker->takeReports();
    result.writers = checker->getWriters();
    result.work = checker->getWork();
  }
  if (options.watch.activity) {
    Activity &all = *outcomes[0].activity;
    for (size_t i = 1; i < outcomes.size(); ++i)
      all.join(*outcomes[i].activity);
    all.report(arguments, options.grid, result.reports);
  }
  return result;
}
