// Runs the matrix of language functions and dtypes: each cell on the interpreter and on a device,
// compared. Exits with 0 if nothing failed that was not expected to, 1 if something did, 2 for a
// wrong command line, 3 for a device that was required and is not there, 4 if there is no device
// and nothing was run.
#include "tests/matrix/Expected.h"
#include "tests/matrix/Export.h"
#include "tests/matrix/Results.h"
#include "tests/matrix/Workers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

namespace cl = llvm::cl;
cl::OptionCategory category("Options");
cl::opt<std::string> pluginPath(cl::Positional, cl::desc("[PLUGIN.so]"), cl::cat(category));
cl::opt<std::string> device("device",
                            cl::desc("device of the plugin, the first by default; "
                                     "without a plugin the interpreter in process runs"),
                            cl::cat(category));
cl::list<std::string>
    onlyGlobs("only", cl::desc("only cells whose id, or whose part before the dot, matches GLOB"),
              cl::value_desc("GLOB"), cl::cat(category));
cl::opt<unsigned> jobs("jobs", cl::desc("processes (one a core)"), cl::init(0), cl::cat(category));
cl::opt<bool> noFork("no-fork", cl::desc("run in this process (debuggers, sanitizers)"),
                     cl::cat(category));
cl::opt<uint64_t> seed("seed", cl::desc("seed of the contents"), cl::init(1), cl::cat(category));
cl::opt<unsigned> sample("sample", cl::desc("only each N-th cell, chosen by id and seed"),
                         cl::value_desc("N"), cl::init(1), cl::cat(category));
cl::opt<unsigned> variants("variants", cl::desc("variants of each cell (shapes, warps), 1 to 3"),
                           cl::init(1), cl::cat(category));
cl::opt<bool> compileOnly("compile-only", cl::desc("compile by the plugin, run nothing"),
                          cl::cat(category));
cl::list<std::string>
    targets("target",
            cl::desc("target to compile for (all given; without: for cuda sm_80, sm_90a, sm_100, "
                     "for vulkan subgroups of 8 to 64 lanes, in turns)"),
            cl::value_desc("kind:arch"), cl::cat(category));
cl::opt<bool> everyTarget("every-target",
                          cl::desc("compile each cell for all of those targets, not in turns"),
                          cl::cat(category));
cl::opt<std::string> spirvVal("spirv-val",
                              cl::desc("validator for SPIR-V; 'none' for no validating"),
                              cl::value_desc("FILE"), cl::cat(category));
cl::opt<std::string> ptxas("ptxas", cl::desc("assembler for PTX; 'none' for no assembling"),
                           cl::value_desc("FILE"), cl::cat(category));
cl::opt<std::string> jsonFile("json", cl::desc("write the results to FILE"), cl::value_desc("FILE"),
                              cl::cat(category));
cl::opt<std::string> updateFile("update",
                                cl::desc("put the results among those that FILE has of the same "
                                         "device, for cells that are run again"),
                                cl::value_desc("FILE"), cl::cat(category));
cl::opt<std::string> machine("machine", cl::desc("what the results say about the machine"),
                             cl::value_desc("TEXT"), cl::cat(category));
cl::opt<std::string> column("column", cl::desc("heading of these results on the page"),
                            cl::value_desc("TEXT"), cl::cat(category));
cl::opt<std::string> expected("expected-failures",
                              cl::desc("sections '[DEVICE]' of lines 'CELL: reason'"),
                              cl::value_desc("FILE"), cl::cat(category));
cl::opt<bool> requireDevice("require-device", cl::desc("exit with 3 if no device is found"),
                            cl::cat(category));
cl::opt<unsigned> timeout("timeout", cl::desc("seconds that one cell may take"), cl::init(120),
                          cl::cat(category));
cl::opt<unsigned> lines("lines", cl::desc("lines of failures to print"), cl::init(200),
                        cl::cat(category));
cl::opt<bool> list("list", cl::desc("print the ids of the cells"), cl::cat(category));
cl::opt<bool> show("show", cl::desc("print the kernels of the cells"), cl::cat(category));
cl::opt<std::string> exportTo("export",
                              cl::desc("write the cells and the interpreter's results to DIR"),
                              cl::value_desc("DIR"), cl::cat(category));
cl::opt<bool> coverage("coverage", cl::desc("check that every function has a cell"),
                       cl::cat(category));
cl::list<std::string> page("page", cl::desc("print docs/backends.md from these results"),
                           cl::value_desc("FILE"), cl::CommaSeparated, cl::cat(category));

int fail(int code, const llvm::Twine &message) {
  llvm::errs() << "tilerun-matrix: " << message << "\n";
  return code;
}

/// Results that were recorded in a file; the error's text if that fails.
std::string readResults(const std::string &path, Results &results) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return "cannot read '" + path + "': " + buffer.getError().message();
  std::string error = parseResults((*buffer)->getBuffer(), results);
  return error.empty() ? "" : path + ": " + error;
}

int printPage(const ExpectedFailures &expectedFailures) {
  std::vector<Results> columns(page.size());
  for (auto [path, results] : llvm::zip(page, columns))
    if (std::string error = readResults(path, results); !error.empty())
      return fail(2, error);
  std::vector<std::string> problems = expectedFailures.judge(columns);
  llvm::outs() << makePage(columns);
  for (const std::string &problem : problems)
    llvm::errs() << problem << "\n";
  return problems.empty() ? 0 : 1;
}

int printCoverage(const Cells &cells) {
  std::vector<std::string> problems = checkCoverage(cells);
  for (const std::string &problem : problems)
    llvm::outs() << problem << "\n";
  llvm::outs() << cells.size() << " cells; "
               << (problems.empty() ? "every function has one, or a reason why not\n"
                                    : "functions are missing\n");
  return problems.empty() ? 0 : 1;
}

Cells select() {
  Cells selected;
  for (unsigned variant = 0; variant < std::clamp<unsigned>(variants, 1, kNumVariants); ++variant)
    for (Cell &cell : makeCells(variant)) {
      std::string id = cell.getId();
      if (!onlyGlobs.empty() && llvm::none_of(onlyGlobs, [&](const std::string &glob) {
            return matches(id, glob) || matches(cell.op, glob) || matches(cell.group, glob);
          }))
        continue;
      if (sample > 1 && (hashText(id) + seed) % sample != 0)
        continue;
      selected.push_back(std::move(cell));
    }
  return selected;
}

/// A program as an option names it, or where it usually is; empty: there is none.
std::string findChecker(const std::string &option, llvm::StringRef name) {
  if (option == "none")
    return "";
  if (!option.empty())
    return option;
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  auto found = llvm::sys::findProgramByName(name, {"/usr/local/cuda/bin"});
  return found ? *found : "";
}

/// The default targets of compilation: each kind of device, and each way to do without a feature.
std::vector<std::string> getUsualTargets() {
  if (getPluginName(pluginPath) != "vulkan")
    return {"cuda:sm_80", "cuda:sm_90a", "cuda:sm_100"};
  const std::string shuffles = "subgroup-control,shuffle,shuffle-relative,subgroup-arithmetic,"
                               "ballot,vote,",
                    narrow = "f16,i8,i16,storage8,storage16,", keep = "preserve-f16,preserve-f32,",
                    round = "rte-f16,rte-f32,denorm-f16,denorm-f32,";
  return {// As a CPU's driver has it.
          "vulkan:1.3,subgroup=8,threads=256," + shuffles + narrow + keep +
              "f64,memory-model,explicit-layout,atomic-i64,atomic-f32-add,preserve-f64,fma",
          // The features that every device has, and no more.
          "vulkan:1.3,subgroup=16",
          // As a GPU's driver has it, with everything.
          "vulkan:1.3,subgroup=32,shared=49152,push=256," + shuffles + narrow + keep + round +
              "f64,memory-model,explicit-layout,explicit-layout8,explicit-layout16,subgroup-types,"
              "atomic-i64,atomic-f16-add,atomic-f32-add,atomic-f64-add,atomic-f32-minmax,"
              "preserve-f64,rte-f64,denorm-f64,fma,fma-f64,approx,wide-compare,arith32,round16,"
              "dot8",
          // Large subgroups, and narrow types in memory alone.
          "vulkan:1.3,subgroup=64,threads=2048,shared=65536,storage8,storage16,f64," + shuffles +
              keep + "fma"};
}

/// One progress line on a terminal; elsewhere, a line every five seconds would be noise.
class Progress {
public:
  explicit Progress(size_t total) : total(total), isTerminal(isatty(STDERR_FILENO)) {}
  ~Progress() {
    if (isTerminal)
      llvm::errs() << "\r\x1b[K";
  }
  void report(const std::string &id, const Result &result) {
    ++done;
    failed += result.verdict == Verdict::Fail || result.verdict == Verdict::UnexpectedPass;
    auto now = std::chrono::steady_clock::now();
    if (!isTerminal || (now - last < std::chrono::milliseconds(100) && done != total))
      return;
    last = now;
    llvm::errs() << "\r\x1b[K" << done << "/" << total << ", " << failed << " failed  " << id;
  }

private:
  size_t total, done = 0, failed = 0;
  bool isTerminal;
  std::chrono::steady_clock::time_point last;
};

/// Failures with one message together: the first id, how many more, the message.
void printGrouped(llvm::ArrayRef<CellResult> cells, Verdict verdict) {
  std::map<std::string, std::vector<const CellResult *>> groups;
  for (const CellResult &cell : cells)
    if (cell.verdict == verdict && !cell.text.empty()) {
      // Numbers and places differ between kernels; the rest names the cause.
      std::string key;
      for (char c : cell.text.substr(0, 160))
        if (!llvm::isDigit(c) && c != '-' && c != '.')
          key += c;
      groups[verdict <= Verdict::Unsupported ? key : cell.op + key.substr(0, 60)].push_back(&cell);
    }
  unsigned printed = 0;
  for (const auto &[key, group] : groups) {
    if (printed++ == lines) {
      llvm::outs() << "  … and " << groups.size() - lines << " groups more\n";
      break;
    }
    std::string text = group[0]->text;
    if (text.size() > 400)
      text = text.substr(0, 400) + " …";
    llvm::outs() << getName(verdict) << ": " << group[0]->id;
    for (size_t i = 1; i < std::min<size_t>(group.size(), 6); ++i)
      llvm::outs() << ", " << group[i]->id;
    if (group.size() > 6)
      llvm::outs() << " and " << group.size() - 6 << " more";
    llvm::outs() << "\n    " << text << "\n";
  }
}

std::string getDate() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char buffer[32];
  std::strftime(buffer, sizeof(buffer), "%Y-%m-%d", &parts);
  return buffer;
}

/// Says by name that nothing was run. TILERUN_REQUIRE=cuda,… lists plugins that must have a device.
int reportNoDevice(const std::string &reason, size_t numCells) {
  llvm::outs() << "no device of " << pluginPath << ": " << reason << "; nothing was run of "
               << numCells << " cells\n";
  return requireDevice || isRequired(pluginPath) ? 3 : 4;
}

/// Cells that take so long that one may want to know.
void printSlowest(llvm::ArrayRef<Job> jobs, llvm::ArrayRef<Result> outcomes) {
  constexpr double kLong = 10;
  constexpr size_t kMost = 5;
  std::vector<size_t> order;
  for (size_t i = 0; i < jobs.size(); ++i)
    if (outcomes[i].seconds > kLong)
      order.push_back(i);
  llvm::sort(order, [&](size_t x, size_t y) { return outcomes[x].seconds > outcomes[y].seconds; });
  for (size_t i : llvm::ArrayRef(order).take_front(kMost))
    llvm::outs() << "slow: " << jobs[i].cell->getId() << ", "
                 << llvm::format("%.0f", outcomes[i].seconds) << " s\n";
}

int writeResults(const std::string &path, const Results &results) {
  // By a file beside it, so that an interrupt leaves the old one.
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << formatResults(results);
    return llvm::Error::success();
  });
  return error ? fail(2, "cannot write '" + path + "': " + llvm::toString(std::move(error))) : 0;
}

int runAll(const Cells &cells, const ExpectedFailures &expectedFailures) {
  Results recorded;
  if (!updateFile.empty())
    if (std::string error = readResults(updateFile, recorded); !error.empty())
      return fail(2, error);
  if (compileOnly && pluginPath.empty())
    return fail(2, "--compile-only needs a plugin");

  std::vector<std::string> compileFor(targets.begin(), targets.end());
  if (everyTarget && !compileFor.empty())
    return fail(2, "--every-target and --target exclude each other");
  bool inTurns = compileFor.empty() && !everyTarget;
  if (compileFor.empty())
    compileFor = getUsualTargets();
  CodeCheckers checkers;
  if (compileOnly)
    checkers = {findChecker(ptxas, "ptxas"), findChecker(spirvVal, "spirv-val")};
  WorkerOptions options;
  options.numWorkers =
      jobs ? unsigned(jobs) : unsigned(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN)));
  if (noFork)
    options.numWorkers = 0;
  options.secondsPerCell = timeout;
  options.seed = seed;
  options.compileOnly = compileOnly;
  options.open = [&](unsigned target, std::string &reason) -> std::unique_ptr<Target> {
    if (pluginPath.empty())
      return makeInterpreter(/*optimizes=*/true);
    return compileOnly ? makeCompiler(pluginPath, compileFor[target], checkers, reason)
                       : openPlugin(pluginPath, device, reason);
  };

  // Whether there is a device is asked in a child too: drivers do not survive a fork.
  Results results;
  results.description = "reference interpreter, in process";
  std::string name = "interpreter";
  if (compileOnly)
    name = llvm::join(llvm::map_range(compileFor, shortenTarget), ", ");
  if (noFork && !compileOnly) {
    std::string reason;
    std::unique_ptr<Target> target = options.open(0, reason);
    if (!target) {
      return reportNoDevice(reason, cells.size());
    }
    name = target->getName();
    results.description = target->getDescription();
  } else if (!pluginPath.empty() && !compileOnly) {
    int channel[2];
    if (pipe(channel))
      return fail(2, "no pipe can be made");
    if (pid_t child = fork(); child == 0) {
      std::string reason;
      std::unique_ptr<Target> target = options.open(0, reason);
      std::string answer =
          target ? "+" + target->getName() + "\n" + target->getDescription() : "-" + reason;
      ssize_t written = write(channel[1], answer.data(), answer.size());
      _exit(written > 0 ? 0 : 1);
    } else if (child < 0) {
      return fail(2, "no process can be started");
    }
    close(channel[1]);
    std::string answer;
    char buffer[4096];
    for (ssize_t count; (count = read(channel[0], buffer, sizeof(buffer))) > 0;)
      answer.append(buffer, static_cast<size_t>(count));
    close(channel[0]);
    if (answer.empty() || answer[0] != '+') {
      return reportNoDevice(answer.empty() ? "the plugin crashed while it was opened"
                                           : answer.substr(1),
                            cells.size());
    }
    auto [first, second] = llvm::StringRef(answer).drop_front().split('\n');
    name = first.str();
    results.description = second.str();
  } else if (compileOnly) {
    bool isVulkan = getPluginName(pluginPath) == "vulkan";
    llvm::StringRef checker = isVulkan ? checkers.spirvVal : checkers.ptxas;
    results.description = checker.empty() ? "compiled only"
                          : isVulkan      ? "compiled, and accepted by spirv-val"
                                          : "compiled, and assembled by ptxas";
  }
  llvm::outs() << cells.size() << " cells on " << name << " (" << results.description << ")\n";
  llvm::outs().flush();

  std::vector<Job> list;
  for (size_t i = 0; i < cells.size(); ++i)
    for (unsigned t = 0; t < (compileOnly ? compileFor.size() : 1); ++t)
      if (!compileOnly || !inTurns || t == (hashText(cells[i].getId()) >> 7) % compileFor.size())
        list.push_back({&cells[i], t});
  Progress progress(list.size());
  options.report = [&](size_t job, const Result &result) {
    progress.report(list[job].cell->getId(), result);
  };
  auto start = std::chrono::steady_clock::now();
  std::vector<Result> outcomes = runJobs(list, options);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  results.column = column.empty() ? name : std::string(column);
  results.date = getDate();
  results.machine = machine;
  results.compileOnly = compileOnly;
  results.seed = seed;
  std::map<Verdict, size_t> counts;
  for (size_t i = 0; i < list.size(); ++i) {
    const Cell &cell = *list[i].cell;
    expectedFailures.apply(compileOnly ? compileFor[list[i].target] : results.description,
                           cell.getId(), outcomes[i]);
    ++counts[outcomes[i].verdict];
    std::string text = outcomes[i].text;
    if (compileOnly && outcomes[i].verdict != Verdict::Pass && compileFor.size() > 1)
      text = shortenTarget(compileFor[list[i].target]) + ": " + text;
    results.cells.push_back(
        {cell.group, cell.op, cell.dtype, cell.getId(), outcomes[i].verdict, text});
  }
  for (Verdict verdict : {Verdict::Pass, Verdict::Unsupported, Verdict::ExpectedFailure,
                          Verdict::UnexpectedPass, Verdict::Fail})
    printGrouped(results.cells, verdict);
  printSlowest(list, outcomes);
  llvm::outs() << list.size() << " cells: " << counts[Verdict::Pass] << " pass, "
               << counts[Verdict::Unsupported] << " unsupported, "
               << counts[Verdict::ExpectedFailure] << " expected failures, "
               << counts[Verdict::UnexpectedPass] << " unexpected passes, " << counts[Verdict::Fail]
               << " fail; seed " << seed << ", " << llvm::format("%.1f", seconds) << " s\n";
  if (!jsonFile.empty())
    if (int code = writeResults(jsonFile, results))
      return code;
  if (!updateFile.empty()) {
    if (std::string error = updateResults(recorded, results); !error.empty())
      return fail(2, updateFile + ": " + error);
    if (int code = writeResults(updateFile, recorded))
      return code;
  }
  return counts[Verdict::Fail] || counts[Verdict::UnexpectedPass] ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "runs every function of the language with every dtype on a plugin's "
                              "device and compares with the interpreter\n");
  ExpectedFailures expectedFailures;
  if (!expected.empty())
    if (std::string error = expectedFailures.read(expected); !error.empty())
      return fail(2, error);
  if (!page.empty())
    return printPage(expectedFailures);
  Cells cells = select();
  if (coverage)
    return printCoverage(cells);
  if (list || show) {
    for (const Cell &cell : cells) {
      llvm::outs() << cell.getId() << "\n";
      if (show)
        llvm::outs() << cell.source << (cell.wideSource.empty() ? "" : "--- reference:\n")
                     << cell.wideSource << "\n";
    }
    return 0;
  }
  if (cells.empty())
    return fail(2, "no cell matches");
  if (!exportTo.empty()) {
    std::string error = exportCells(cells, seed, exportTo);
    return error.empty() ? 0 : fail(2, error);
  }
  return runAll(cells, expectedFailures);
}
