// Runs random kernels on the interpreter, with and without the optimizer, and on devices, and
// compares. Failing ones are made small and written as files. Exits with 0 if nothing failed, 1 if
// something did, 2 for a wrong command line, 3 for a device that is named and is not there.
#include "tests/matrix/Workers.h"
#include "tests/property/Check.h"
#include "tests/property/Defects.h"
#include "tests/property/Generator.h"
#include "tests/property/Reduce.h"
#include "tests/property/Report.h"
#include "tests/property/Threads.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::property;
using matrix::Result;
using matrix::Target;
using matrix::Verdict;

namespace {

namespace cl = llvm::cl;
cl::OptionCategory category("Options");
cl::opt<uint64_t> numKernels("count", cl::desc("number of kernels"), cl::init(1000),
                             cl::cat(category));
cl::opt<uint64_t> seed("seed", cl::desc("seed of the kernels and of what tensors hold"),
                       cl::init(1), cl::cat(category));
cl::opt<uint64_t> firstKernel("first", cl::desc("number of the first kernel"), cl::init(0),
                              cl::cat(category));
cl::list<std::string>
    deviceNames("device",
                cl::desc("device to run on: 'vulkan', 'vulkan:0', a plugin's file, 'threads' (the "
                         "emulator of threads), 'cuda:sm_90a' (compiled, and assembled where ptxas "
                         "is installed), 'none'; without it each that is there"),
                cl::value_desc("NAME"), cl::cat(category));
cl::list<std::string>
    targetOptions("option",
                  cl::desc("option of the devices' compilers for all kernels, such as tma=on"),
                  cl::value_desc("NAME=VALUE"), cl::cat(category));
cl::opt<unsigned> deviceSample("device-sample", cl::desc("only each N-th kernel runs on devices"),
                               cl::value_desc("N"), cl::init(1), cl::cat(category));
cl::opt<bool> reduceFailures("reduce", cl::desc("make failing kernels small (on by default)"),
                             cl::init(true), cl::cat(category));
cl::opt<unsigned> jobs("jobs", cl::desc("processes (one a core)"), cl::init(0), cl::cat(category));
cl::opt<bool> noFork("no-fork", cl::desc("run in this process (debuggers, sanitizers)"),
                     cl::cat(category));
cl::opt<unsigned> timeout("timeout", cl::desc("seconds that one kernel may take"), cl::init(60),
                          cl::cat(category));
cl::opt<std::string> outFolder("out", cl::desc("folder for failing kernels"), cl::value_desc("DIR"),
                               cl::init("property-failures"), cl::cat(category));
cl::opt<std::string> jsonFile("json", cl::desc("write the results to FILE"), cl::value_desc("FILE"),
                              cl::cat(category));
cl::opt<bool> showDefects("defects",
                          cl::desc("run only what shows the known defects of drivers; one that "
                                   "shows nothing any more is a failure"),
                          cl::cat(category));
cl::opt<bool> show("show", cl::desc("print the kernels, run nothing"), cl::cat(category));

constexpr const char *kThreads = "threads"; ///< The emulator's name as a device.
constexpr size_t kMostOfAKind = 3;          ///< Failures of one kind that are made small,
constexpr size_t kMost = 12;                ///< and of all kinds.

int fail(int code, const llvm::Twine &message) {
  llvm::errs() << "tilerun-property: " << message << "\n";
  return code;
}

matrix::TargetOptions getTargetOptions() {
  matrix::TargetOptions options;
  for (const std::string &option : targetOptions) {
    auto [name, value] = llvm::StringRef(option).split('=');
    options.emplace_back(name, value);
  }
  return options;
}

struct DeviceChoice {
  std::string plugin, device;
  bool isRequired;
  bool isCompiler = false; ///< `device` is a target, and need not be there.
};

std::vector<DeviceChoice> chooseDevices(const char *program) {
  static int anchor;
  llvm::SmallString<256> folder(
      llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(program, &anchor)));
  llvm::sys::path::append(folder, "..", "lib", "tilerun", "plugins");
  std::vector<DeviceChoice> chosen;
  for (const std::string &name : deviceNames) {
    if (name == "none")
      continue;
    if (name == kThreads) {
      chosen.push_back({name, "", true});
      continue;
    }
    if (llvm::StringRef(name).ends_with(".so")) {
      chosen.push_back({name, "", true});
      continue;
    }
    auto [kind, ordinal] = llvm::StringRef(name).split(':');
    bool isCompiler = ordinal.find_if_not(llvm::isDigit) != llvm::StringRef::npos;
    chosen.push_back({(folder + "/libtilerun-" + kind + ".so").str(),
                      ordinal.empty() ? std::string() : name, true, isCompiler});
  }
  if (!deviceNames.empty())
    return chosen;
  chosen.push_back({kThreads, "", true});
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end; file != end && !error;
       file.increment(error))
    // The plugin `cpu` is the interpreter once more.
    if (llvm::StringRef(file->path()).ends_with(".so") &&
        !llvm::StringRef(file->path()).contains("libtilerun-cpu"))
      chosen.push_back({file->path(), "", matrix::isRequired(file->path())});
  llvm::sort(chosen,
             [](const DeviceChoice &a, const DeviceChoice &b) { return a.plugin < b.plugin; });
  return chosen;
}

/// Opens the existing devices; `missing` names the required ones that do not exist.
std::vector<std::unique_ptr<Target>> openDevices(llvm::ArrayRef<DeviceChoice> chosen,
                                                 std::string &missing) {
  std::vector<std::unique_ptr<Target>> opened;
  for (const DeviceChoice &choice : chosen) {
    std::string reason;
    if (choice.plugin == kThreads) {
      opened.push_back(makeThreads());
      continue;
    }
    if (choice.isCompiler) {
      auto findProgram = [](const char *name) {
        auto found = llvm::sys::findProgramByName(name);
        if (!found)
          found = llvm::sys::findProgramByName(name, {"/usr/local/cuda/bin"});
        return found ? *found : std::string();
      };
      matrix::CodeCheckers checkers{findProgram("ptxas"), findProgram("spirv-val")};
      if (auto compiler = matrix::makeCompiler(choice.plugin, choice.device, checkers, reason,
                                               getTargetOptions()))
        opened.push_back(std::move(compiler));
      else
        missing += choice.device + ": " + reason + "\n";
      continue;
    } else if (std::unique_ptr<Target> target =
                   matrix::openPlugin(choice.plugin, choice.device, reason, getTargetOptions()))
      opened.push_back(std::move(target));
    else if (choice.isRequired)
      missing += choice.plugin + ": " + reason + "\n";
  }
  return opened;
}

struct Failure {
  uint64_t index;
  Result result;
  std::string file;
};

class Run {
public:
  explicit Run(std::vector<DeviceChoice> devices) : devices(std::move(devices)) {}

  int run() {
    // Drivers do not survive a fork, so a child enumerates the devices.
    matrix::PoolOptions ask;
    ask.numWorkers = noFork ? 0 : 1;
    ask.makeRunner = [&]() -> matrix::JobRunner {
      return [&](size_t) -> Result {
        std::string missing, found;
        for (const auto &target : openDevices(devices, missing))
          found += (found.empty() ? "" : ", ") + target->getName() + " (" +
                   target->getDescription() + ")";
        return {missing.empty() ? Verdict::Pass : Verdict::Fail, missing.empty() ? found : missing,
                0, false};
      };
    };
    Result answer = matrix::runPool(1, ask)[0];
    if (answer.verdict != Verdict::Pass)
      return fail(3, llvm::StringRef(answer.text).rtrim());
    if (answer.text.empty())
      devices.clear();
    llvm::outs() << numKernels << " kernels with seed " << seed
                 << " on the interpreter, with and without the optimizer"
                 << (devices.empty() ? "; no device" : ", and on " + answer.text)
                 << (targetOptions.empty() ? "" : " with " + llvm::join(targetOptions, ", "))
                 << "\n";
    llvm::outs().flush();

    auto start = std::chrono::steady_clock::now();
    uint64_t done = 0, numFailed = 0;
    std::map<Verdict, uint64_t> counts;
    std::map<std::string, std::pair<uint64_t, std::string>> unsupported;
    matrix::PoolOptions options = makeOptions();
    bool isTerminal = isatty(STDERR_FILENO);
    auto last = start;
    options.makeRunner = [&] {
      return makeRunner(
          [&](size_t job) { return generate(getKernelSeed(seed, firstKernel + job)); },
          [&](size_t job) {
            return (firstKernel + job) % std::max(1u, unsigned(deviceSample)) == 0;
          });
    };
    options.report = [&](size_t job, const Result &result) {
      ++done;
      ++counts[result.verdict];
      if (result.verdict == Verdict::Fail) {
        ++numFailed;
        failures.push_back({firstKernel + job, result, ""});
      }
      auto now = std::chrono::steady_clock::now();
      if (isTerminal && now - last > std::chrono::milliseconds(200)) {
        last = now;
        llvm::errs() << "\r\x1b[K" << done << "/" << numKernels << ", " << numFailed << " failed";
      }
    };
    (void)matrix::runPool(numKernels, options);
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (isTerminal)
      llvm::errs() << "\r\x1b[K";
    llvm::sort(failures, [](const Failure &a, const Failure &b) { return a.index < b.index; });
    reportFailures();
    llvm::outs() << numKernels << " kernels: " << counts[Verdict::Pass] << " equal everywhere, "
                 << counts[Verdict::Unsupported] << " unsupported by a device, " << numFailed
                 << " fail; seed " << seed << ", " << llvm::format("%.1f", seconds) << " s\n";
    if (!jsonFile.empty())
      if (std::string error = writeJson(answer.text, counts, seconds); !error.empty())
        return fail(2, error);
    return numFailed ? 1 : 0;
  }

  /// The table of defects: each must show on the devices that it names.
  int runDefects() {
    llvm::ArrayRef<Defect> defects = getDefects();
    matrix::PoolOptions options = makeOptions();
    options.makeRunner = [&]() -> matrix::JobRunner {
      std::string missing;
      auto targets =
          std::make_shared<std::vector<std::unique_ptr<Target>>>(openDevices(devices, missing));
      return [=](size_t job) -> Result {
        for (const auto &target : *targets)
          if (llvm::StringRef(target->getDescription()).starts_with(defects[job].device))
            return matrix::Runner(*target, seed, /*compileOnly=*/false).run(makeCell(defects[job]));
        return {Verdict::Unsupported, missing, 0, false};
      };
    };
    bool isWrong = false;
    for (auto [defect, result] : llvm::zip(defects, matrix::runPool(defects.size(), options))) {
      // A kernel that does not compile shows nothing.
      bool shows =
          result.verdict == Verdict::Fail && !llvm::StringRef(result.text).contains("the frontend");
      bool isHere = result.verdict != Verdict::Unsupported;
      isWrong |= isHere && !shows;
      llvm::outs() << (shows    ? "shows"
                       : isHere ? "shows no more"
                                : "no such device")
                   << ": " << defect.device << "…: " << defect.name << "\n    "
                   << (shows ? llvm::StringRef(result.text).take_front(200).split('\n').first.str()
                             : result.text)
                   << "\n    so " << defect.guard << "\n";
    }
    return isWrong ? 1 : 0;
  }

private:
  matrix::PoolOptions makeOptions() const {
    matrix::PoolOptions options;
    options.numWorkers = noFork ? 0
                         : jobs ? unsigned(jobs)
                                : unsigned(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
    options.secondsPerJob = timeout;
    return options;
  }

  /// A child's work: kernels by their numbers.
  matrix::JobRunner makeRunner(std::function<Kernel(size_t)> getKernel,
                               std::function<bool(size_t)> onDevices) const {
    std::string missing;
    auto checker = std::make_shared<Checker>(openDevices(devices, missing), seed);
    return [=](size_t job) { return checker->check(getKernel(job), onDevices(job)); };
  }

  /// A small kernel that fails in the same way.
  Kernel makeSmall(const Kernel &kernel, Result &result) const {
    std::string kind = getFailureKind(result);
    FindFailing find = [&](llvm::ArrayRef<Kernel> kernels) -> std::optional<size_t> {
      constexpr size_t kAtOnce = 12;
      for (size_t from = 0; from < kernels.size(); from += kAtOnce) {
        llvm::ArrayRef<Kernel> part = kernels.slice(from, std::min(kAtOnce, kernels.size() - from));
        matrix::PoolOptions options = makeOptions();
        options.numWorkers = std::min(options.numWorkers, 1u);
        options.makeRunner = [&] {
          return makeRunner([&](size_t job) { return part[job]; }, [](size_t) { return true; });
        };
        std::vector<Result> results = matrix::runPool(part.size(), options);
        for (size_t i = 0; i < results.size(); ++i)
          if (getFailureKind(results[i]) == kind) {
            result = results[i];
            return from + i;
          }
      }
      return std::nullopt;
    };
    return reduce(kernel, find);
  }

  void reportFailures() {
    std::map<std::string, size_t> kinds;
    size_t numWritten = 0;
    for (Failure &failure : failures) {
      if (kinds[getFailureKind(failure.result)]++ >= kMostOfAKind || numWritten++ >= kMost)
        continue;
      Kernel kernel = generate(getKernelSeed(seed, failure.index));
      Result result = failure.result;
      kernel.isGuarded = isGuarded(result);
      if (reduceFailures)
        kernel = makeSmall(kernel, result);
      std::string reason;
      failure.file = writeReproducer(kernel, result, outFolder, seed, reason);
      llvm::outs() << "fail: kernel " << failure.index << ": "
                   << llvm::StringRef(failure.result.text).take_front(600).rtrim() << "\n";
      if (failure.file.empty())
        llvm::outs() << reason << "\n" << print(kernel) << "\n";
      else
        llvm::outs() << "in " << failure.file << ":\n" << print(kernel) << "\n";
      llvm::outs().flush();
    }
    for (const auto &[kind, count] : kinds)
      llvm::outs() << count << " fail as: " << kind << "\n";
  }

  std::string writeJson(const std::string &names, std::map<Verdict, uint64_t> &counts,
                        double seconds) const {
    std::error_code error;
    llvm::raw_fd_ostream os(jsonFile, error);
    if (error)
      return "cannot write '" + jsonFile + "': " + error.message();
    llvm::json::Array list;
    for (const Failure &failure : failures)
      list.push_back(llvm::json::Object{{"kernel", int64_t(failure.index)},
                                        {"text", llvm::json::fixUTF8(failure.result.text)},
                                        {"file", failure.file}});
    llvm::json::Value value =
        llvm::json::Object{{"seed", int64_t(seed)},
                           {"first", int64_t(firstKernel)},
                           {"count", int64_t(numKernels)},
                           {"devices", names},
                           {"deviceSample", int64_t(deviceSample)},
                           {"pass", int64_t(counts[Verdict::Pass])},
                           {"unsupported", int64_t(counts[Verdict::Unsupported])},
                           {"fail", int64_t(counts[Verdict::Fail])},
                           {"seconds", seconds},
                           {"failures", std::move(list)}};
    os << llvm::formatv("{0:2}", value) << "\n";
    return "";
  }

  std::vector<DeviceChoice> devices;
  std::vector<Failure> failures;
};

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "runs random kernels on the interpreter, with and without the "
                              "optimizer, and on devices, and compares\n");
  if (show) {
    for (uint64_t i = 0; i < numKernels; ++i)
      llvm::outs() << "# kernel " << firstKernel + i << "\n"
                   << print(generate(getKernelSeed(seed, firstKernel + i))) << "\n";
    return 0;
  }
  Run all(chooseDevices(argv[0]));
  return showDefects ? all.runDefects() : all.run();
}
