// `tilerun corpus`: how many kernels of a folder compile, and what stops the others.
#include "tools/tilerun/command/Commands.h"

#include "frontend/corpus/Corpus.h"
#include "runtime/cache/Key.h"
#include "runtime/compiler/Backend.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/command/CorpusWorkers.h"
#include "tools/tilerun/command/Defines.h"
#include "tools/tilerun/command/Library.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <csignal>
#include <map>
#include <thread>

using namespace tilerun;
using namespace tilerun::command;
using corpus::Outcome;

namespace {
/// The summary when the survey ends, complete or not.
struct Survey {
  uint64_t numFiles = 0, numWhole = 0; ///< With jit functions or not.
  std::vector<corpus::Entry> entries;  ///< By file and line.
  std::vector<std::pair<std::string, std::string>>
      unreadable; ///< Files that cannot be read or do not parse, and why.
  std::map<Outcome, uint64_t> counts;
  uint64_t count(Outcome outcome) const {
    auto found = counts.find(outcome);
    return found == counts.end() ? 0 : found->second;
  }
  std::vector<std::pair<std::string, uint64_t>> constructs; ///< The most frequent first.
  std::vector<std::pair<std::string, corpus::Made>> made;   ///< With their files.
  CorpusLimits limits;
};
} // namespace

static Survey sumUp(const CorpusRecords &records, const CorpusLimits &limits) {
  Survey out;
  out.limits = limits;
  out.numFiles = records.getFiles().size();
  std::vector<corpus::Function> called;
  for (auto [i, file] : llvm::enumerate(records.getFiles())) {
    const FileRecord &record = records.get(i);
    for (const auto &[index, entry] : record.entries)
      out.entries.push_back(entry);
    if (!record.summary)
      continue;
    ++out.numWhole;
    llvm::append_range(called, record.summary->called);
    for (const corpus::Made &function : record.summary->made)
      out.made.emplace_back(file, function);
    if (!record.summary->unreadable.empty())
      out.unreadable.emplace_back(file, record.summary->unreadable);
  }
  corpus::markHelpers(out.entries, called);
  llvm::MapVector<llvm::StringRef, uint64_t> constructs;
  for (const corpus::Entry &entry : out.entries) {
    ++out.counts[entry.outcome];
    if (!entry.construct.empty())
      ++constructs[entry.construct];
  }
  for (auto &[construct, count] : constructs)
    out.constructs.emplace_back(construct.str(), count);
  llvm::sort(out.constructs, [](auto &a, auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  return out;
}

static void printResult(const Survey &survey) {
  using llvm::json::Object;
  auto constructs = jsonArray(survey.constructs, [](const auto &row) {
    return Object{{"construct", jsonText(row.first)}, {"kernels", row.second}};
  });
  auto unreadable = jsonArray(survey.unreadable, [](const auto &row) {
    return Object{{"file", jsonText(row.first)}, {"reason", jsonText(row.second)}};
  });
  llvm::json::Object counts;
  for (const auto &[outcome, word] : getOutcomes())
    counts[word] = survey.count(outcome);
  auto made = jsonArray(survey.made, [](const auto &row) {
    Object function = toJson(row.second);
    function["file"] = jsonText(row.first);
    return function;
  });
  printJson(llvm::json::Object{
      {"files", survey.numFiles},
      {"files_done", survey.numWhole},
      {"limits", llvm::json::Object{{"seconds", survey.limits.seconds},
                                    {"gibibytes", survey.limits.gibibytes}}},
      {"counts", std::move(counts)},
      {"constructs", std::move(constructs)},
      {"unreadable", std::move(unreadable)},
      {"made", std::move(made)},
      {"kernels",
       jsonArray(survey.entries, [](const corpus::Entry &entry) { return toJson(entry); })}});
}

/// Text cut to `width` bytes, at the end of a character.
static std::string cut(llvm::StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  size_t end = width - 3;
  while (end && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return text.take_front(end).str() + "...";
}

/// How many functions other programs make kernels of, by their decorators.
static void printMade(llvm::raw_ostream &os, const Survey &survey) {
  std::map<std::string, uint64_t> counts;
  for (const auto &[file, function] : survey.made)
    ++counts[function.decorator];
  for (const auto &[decorator, count] : counts)
    os << llvm::formatv("{0} of @{1}, {2}\n", count, decorator,
                        decorator == "gluon.jit"
                            ? "which is another language"
                            : "of which Python makes kernels (counted as helpers)");
}

static void printTable(llvm::raw_ostream &os, const Survey &survey, llvm::StringRef target) {
  for (const corpus::Entry &entry : survey.entries) {
    if (entry.outcome == Outcome::Helper)
      continue;
    os << llvm::formatv("{0,-14} {1}:{2} {3}", getWord(entry.outcome), entry.file, entry.line,
                        entry.name);
    if (!entry.reason.empty()) {
      os << ": ";
      if (entry.reasonFile == entry.file)
        os << "line " << entry.reasonLine << ": ";
      else if (!entry.reasonFile.empty())
        os << entry.reasonFile << ":" << entry.reasonLine << ": ";
      os << cut(llvm::StringRef(entry.reason).split('\n').first, 160);
    }
    os << "\n";
  }
  for (const auto &[file, reason] : survey.unreadable)
    os << llvm::formatv("{0,-14} {1}: {2}\n", "unreadable", file, reason);
  for (const auto &[file, function] : survey.made)
    os << llvm::formatv("{0,-14} {1}:{2} {3}\n", function.decorator, file, function.line,
                        function.name);
  if (!survey.constructs.empty())
    os << "\nWhat stops kernels\n";
  for (const auto &[construct, count] : survey.constructs)
    os << llvm::formatv("{0,6}  {1}\n", count, cut(construct, 160));
  auto count = [&](Outcome outcome) { return survey.count(outcome); };
  uint64_t good = count(Outcome::Compiles), internal = count(Outcome::Internal),
           limited = count(Outcome::TimeLimit) + count(Outcome::MemoryLimit);
  uint64_t all = good + count(Outcome::Fails) + count(Outcome::Refused) + internal + limited;
  // A kernel that was stopped while it was type-checked has no signature; nor does one without
  // parameters.
  uint64_t typed = llvm::count_if(survey.entries, [](const corpus::Entry &entry) {
    return entry.outcome != Outcome::Fails && entry.outcome != Outcome::Helper &&
           (entry.outcome == Outcome::Compiles || !entry.signature.empty());
  });
  if (!target.empty())
    os << llvm::formatv("\n{0} of {1} kernels that type-check compile for {2}\n", good, typed,
                        target);
  os << llvm::formatv("\n{0} of {1} kernels compile ({2:f1} %); failing: {3}, with an internal "
                      "error: {4}, over a limit: {5}; helpers: {6}; files: {7}, not parsed: {8}\n",
                      good, all, all ? 100.0 * good / all : 0.0, all - good, internal, limited,
                      count(Outcome::Helper), survey.numFiles, survey.unreadable.size());
  printMade(os, survey);
  if (limited)
    os << llvm::format("The limits of a kernel were %g s and %g GiB (--time-limit, "
                       "--memory-limit)\n",
                       survey.limits.seconds, survey.limits.gibibytes);
}

/// A plugin's answer to a kernel.
static corpus::Backend::Verdict compileWith(const plugin::Plugin &plugin, const Options &options,
                                            CompiledKernel &kernel,
                                            const KernelSignature &signature) {
  CompileSettings settings(signature, options);
  std::vector<uint8_t> bytecode;
  core::Status status =
      compiler::makeBytecode(*kernel.module, kernel.name, settings.get(), bytecode);
  if (status.isOk())
    status = compiler::Backend::emit(plugin, signature.target, bytecode, settings.get(), "",
                                     [](const TilerunPluginArtifact &) {});
  ExitCode code = ExitCode::Ok;
  std::string reason;
  llvm::handleAllErrors(toError(status), [&](const CommandError &error) {
    code = error.code;
    reason = error.message;
  });
  return {reason, code == ExitCode::Internal};
}

namespace {

/// One progress line, on a terminal.
class SurveyProgress {
public:
  explicit SurveyProgress(const CorpusRecords &records)
      : records(records), begin(std::chrono::steady_clock::now()), last(begin),
        numBefore(countWhole()) {}
  ~SurveyProgress() {
    if (llvm::errs().is_displayed())
      llvm::errs() << "\r\x1b[K";
  }
  void show() {
    auto now = std::chrono::steady_clock::now();
    if (!llvm::errs().is_displayed() || now - last < std::chrono::milliseconds(200))
      return;
    last = now;
    double seconds = std::chrono::duration<double>(now - begin).count();
    uint64_t numKernels = 0, numOver = 0;
    for (size_t i = 0; i < records.getFiles().size(); ++i)
      for (const auto &[index, entry] : records.get(i).entries) {
        ++numKernels;
        numOver += entry.outcome == Outcome::TimeLimit || entry.outcome == Outcome::MemoryLimit;
      }
    llvm::errs() << "\r\x1b[K"
                 << formatProgress(countWhole(), numBefore, records.getFiles().size(), numKernels,
                                   numOver, seconds);
  }

private:
  uint64_t countWhole() const {
    uint64_t count = 0;
    for (size_t i = 0; i < records.getFiles().size(); ++i)
      count += records.isWhole(i);
    return count;
  }
  const CorpusRecords &records;
  std::chrono::steady_clock::time_point begin, last;
  uint64_t numBefore;
};

} // namespace

llvm::Expected<ExitCode> command::runCorpus(const Options &options) {
  CorpusRun run;
  run.limits = {options.timeLimit, options.memoryLimit};
  TILERUN_TRY_VALUE(given, readDefines(options));
  if (!given.empty() || !options.defineFrom.empty())
    run.define = [&options, given = given](const std::string &path) {
      Defines values = given;
      if (options.defineFrom.empty())
        return values;
      if (llvm::Expected<Defines> asked = askPython(options, path))
        values.insert(asked->begin(), asked->end());
      else
        llvm::errs() << "tilerun: warning: " << llvm::toString(asked.takeError()) << "\n";
      return values;
    };
  CorpusRecords::Header header;
  header.folder = options.target;
  header.build = cache::getBuildId(reinterpret_cast<const void *>(&runCorpus));
  for (const std::string &text : options.defines)
    header.build += " " + text;
  header.build += options.defineFrom.empty() ? "" : " " + options.defineFrom;
  std::optional<corpus::Backend> backend;
  if (!options.targets.empty()) {
    TILERUN_TRY_VALUE(plugin, findCompiler(options.targets[0]));
    backend = corpus::Backend{
        options.targets[0],
        [&options, plugin = plugin](CompiledKernel &kernel, const KernelSignature &signature) {
          return compileWith(*plugin, options, kernel, signature);
        }};
    run.backend = &*backend;
    header.target = options.targets[0];
    header.build += cache::getBuildId(reinterpret_cast<const void *>(plugin->getTable().compile));
  }
  auto files = corpus::findFiles(options.target);
  if (!files)
    return makeUsageError(llvm::toString(files.takeError()));
  CorpusRecords records(std::move(*files));
  if (options.output != "-") {
    if (llvm::Error error = records.open(options.output, header, run.limits))
      return makeUsageError(llvm::toString(std::move(error)));
    if (records.getNumKept())
      llvm::errs() << "tilerun: " << records.getNumKept() << " functions are known from '"
                   << options.output << "'\n";
  }
  run.numWorkers = options.threads ? options.threads : std::thread::hardware_concurrency();
  int signal = 0;
  {
    SurveyProgress progress(records);
    run.progress = [&] { progress.show(); };
    auto ended = surveyInWorkers(records, run);
    if (!ended)
      return makeCommandError(ExitCode::Unavailable, llvm::toString(ended.takeError()));
    signal = *ended;
  }
  if (!records.getError().empty())
    return makeUsageError(records.getError());
  Survey survey = sumUp(records, run.limits);
  if (options.json)
    printResult(survey);
  else
    printTable(llvm::outs(), survey, header.target);
  if (signal) {
    llvm::outs().flush();
    llvm::errs() << "tilerun: interrupted after " << survey.numWhole << " of " << survey.numFiles
                 << " files"
                 << (options.output == "-"
                         ? "; with --output FILE, the next run would go on from there\n"
                         : "; the same command continues from there\n");
    // The shell must see that a signal ended it.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  return survey.count(Outcome::Internal) ? ExitCode::Internal : ExitCode::Ok;
}
