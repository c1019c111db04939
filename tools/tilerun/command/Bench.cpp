// `tilerun bench`: one launch at every point of a sweep, for every kernel, device and
// configuration.
#include "tools/tilerun/command/Bench.h"

#include "tools/tilerun/command/BenchPeaks.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Launch.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Measure.h"
#include "tools/tilerun/command/OutputFiles.h"
#include "tools/tilerun/command/Sweep.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

#include <chrono>

using namespace tilerun;
using namespace tilerun::command;

namespace {

class Bench {
public:
  explicit Bench(const Options &options) : options(options) {}
  llvm::Expected<ExitCode> run();

private:
  llvm::Error openDevices();
  llvm::Error listLines();
  void measure(BenchPoint &point);
  llvm::Error launch(BenchPoint &point, Session &session);
  llvm::Error compute(BenchPoint &point, Session &session, Launch &launch);
  llvm::Error count(BenchPoint &point, Session &session, Launch &launch);
  void chooseMetric();
  void showProgress(size_t done) const;
  void writeFile(llvm::StringRef kind, llvm::raw_ostream &os) const;

  const Options &options;
  BenchResult result;
  std::vector<std::shared_ptr<core::Device>> devices;
  struct Counted {
    std::optional<Work> work;
    std::string reason; ///< Why there is none.
  };
  std::map<std::string, Counted> counted;         ///< By kernel, configuration and x.
  std::map<std::string, std::string> uncountable; ///< By kernel and configuration, why.
  ExitCode firstFailure = ExitCode::Ok;
  bool hasProducts = false;
  std::chrono::steady_clock::time_point begin;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is measured
//===----------------------------------------------------------------------===//

llvm::Error Bench::openDevices() {
  std::vector<std::string> ids = options.devices;
  if (ids.empty())
    ids.push_back(options.device);
  for (const std::string &id : ids) {
    TILERUN_TRY_VALUE(device, openDevice(id, kUnpooled));
    BenchDevice &entry = result.devices.emplace_back();
    entry.id = device->getId();
    entry.name = device->getInfo().name;
    entry.isInterpreter = device->checksBounds();
    if (!entry.isInterpreter)
      entry.peakGigabytes = measureCopies(device, options.warmup, options.rep);
    devices.push_back(std::move(device));
  }
  return llvm::Error::success();
}

llvm::Error Bench::listLines() {
  if (options.varies.empty())
    return makeUsageError("--vary is required: NAME=FIRST:LAST:*2 or NAME=A,B,… is what the "
                          "launch is measured for");
  Session scratch(options);
  const auto isGiven = [&](const Sweep &sweep) {
    return llvm::any_of(options.arguments, [&](llvm::StringRef argument) {
      return argument.split('=').first.trim() == sweep.name;
    });
  };
  std::vector<Sweep> sweeps;
  for (const std::string &text : options.varies) {
    TILERUN_TRY_VALUE(sweep, parseSweep(scratch, text, "--vary"));
    for (const Sweep &other : sweeps)
      if (other.name == sweep.name)
        return makeUsageError("--vary: '" + sweep.name + "' is given twice");
    if (isGiven(sweep))
      return makeUsageError("'" + sweep.name +
                            "' is an argument and in --vary; leave one of them out");
    sweeps.push_back(std::move(sweep));
  }
  result.xName = sweeps.front().name;
  result.xs = sweeps.front().values;
  TILERUN_TRY_VALUE(configurations,
                    getProduct(llvm::ArrayRef<Sweep>(sweeps).drop_front(), "--vary"));
  std::vector<std::string> targets = {options.target};
  targets.insert(targets.end(), options.against.begin(), options.against.end());
  for (const std::string &target : targets)
    for (size_t device = 0; device < devices.size(); ++device)
      for (const std::vector<std::string> &arguments : configurations) {
        // What all lines have in common tells nobody anything.
        std::vector<std::string> label;
        if (targets.size() + options.references.size() > 1)
          label.push_back(llvm::StringRef(target).rsplit("::").second.str());
        if (devices.size() > 1)
          label.push_back(result.devices[device].id);
        for (auto [argument, sweep] : llvm::zip_equal(arguments, llvm::drop_begin(sweeps)))
          if (sweep.values.size() > 1)
            label.push_back(argument);
        result.lines.push_back({llvm::join(label, " "), target, device, arguments});
      }
  if (!options.references.empty())
    result.devices.push_back({"host", "expressions in float64", false, std::nullopt, std::nullopt});
  for (const std::string &text : options.references)
    result.lines.push_back({text, text, result.devices.size() - 1, configurations.front(), true});
  result.title = options.target + " by " + result.xName;
  constexpr size_t kMost = 10'000;
  if (result.lines.size() * result.xs.size() > kMost)
    return makeUsageError("--vary gives " + llvm::Twine(result.lines.size() * result.xs.size()) +
                          " launches; at most " + llvm::Twine(kMost) + " are possible");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// One point
//===----------------------------------------------------------------------===//

/// A number that an expression over the launch's names gives.
static llvm::Expected<std::optional<double>> evaluateNumber(Session &session, llvm::StringRef what,
                                                            const std::string &text) {
  if (text.empty())
    return std::optional<double>();
  mlir::FailureOr<host::Value> value = host::evaluateText(session.expressions, what, text);
  if (mlir::failed(value))
    return session.failure(ExitCode::Usage);
  const std::optional<double> number = value->asDouble();
  if (!number || !(*number >= 0))
    return makeUsageError(what + ": '" + text + "' is " + value->describe() +
                          ", not a number that is not negative");
  return number;
}

llvm::Error Bench::count(BenchPoint &point, Session &session, Launch &launch) {
  const BenchLine &line = result.lines[point.line];
  TILERUN_TRY_VALUE(bytes, evaluateNumber(session, "--bytes", options.bytes));
  TILERUN_TRY_VALUE(operations, evaluateNumber(session, "--flops", options.flops));
  point.bytes = bytes;
  point.operations = operations;
  if (!options.count || (bytes && operations))
    return llvm::Error::success();
  const std::string way = session.options.target + " " + llvm::join(line.arguments, " ");
  const std::string key = result.xs[point.x] + " " + way;
  auto [found, isNew] = counted.try_emplace(key);
  Counted &known = found->second;
  // Where one point takes too long, its neighbours would.
  if (auto it = uncountable.find(way); isNew && it != uncountable.end()) {
    known.reason = it->second;
  } else if (isNew) {
    if (const Work *work = launch.countWork())
      known.work = *work;
    else
      uncountable[way] = known.reason = launch.getWhyUncounted();
  }
  if (!known.work) {
    point.note = "bytes and operations are not known: " + known.reason;
    return llvm::Error::success();
  }
  hasProducts |= known.work->productOperations > 0;
  if (!point.bytes)
    point.bytes = double(known.work->getBytes());
  if (!point.operations)
    point.operations = double(known.work->operations);
  return llvm::Error::success();
}

/// The time of a reference, whose work is that of the launch.
llvm::Error Bench::compute(BenchPoint &point, Session &session, Launch &launch) {
  using Clock = std::chrono::steady_clock;
  auto elapsed = [](Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
  };
  const std::string &text = result.lines[point.line].target;
  std::vector<double> milliseconds;
  const Clock::time_point start = Clock::now();
  Clock::time_point measured = start;
  do {
    const Clock::time_point run = Clock::now();
    if (mlir::failed(host::evaluateText(session.expressions, "--reference", text)))
      return session.failure(ExitCode::Usage);
    if (elapsed(start) <= options.warmup)
      measured = Clock::now();
    else
      milliseconds.push_back(elapsed(run));
  } while (milliseconds.empty() || elapsed(measured) < options.rep);
  TILERUN_TRY_ERROR(count(point, session, launch));
  llvm::sort(milliseconds);
  point.milliseconds = std::move(milliseconds);
  return llvm::Error::success();
}

llvm::Error Bench::launch(BenchPoint &point, Session &session) {
  const BenchLine &line = result.lines[point.line];
  TILERUN_TRY_ERROR(session.load(session.options.target));
  Launch launch(session, devices[line.isExpression ? 0 : line.device]);
  TILERUN_TRY_ERROR(launch.prepare());
  if (line.isExpression)
    return compute(point, session, launch);
  TILERUN_TRY_VALUE(milliseconds, launch.measure(options.warmup, options.rep));
  TILERUN_TRY_ERROR(count(point, session, launch));
  point.milliseconds = std::move(milliseconds);
  return llvm::Error::success();
}

void Bench::measure(BenchPoint &point) {
  const BenchLine &line = result.lines[point.line];
  Options own = options;
  if (!line.isExpression)
    own.target = line.target;
  own.device = result.devices[line.isExpression ? 0 : line.device].id;
  // First, so that the others can refer to them.
  std::vector<std::string> arguments = line.arguments;
  arguments.insert(arguments.begin(), result.xName + "=" + result.xs[point.x]);
  own.arguments.insert(own.arguments.begin(), arguments.begin(), arguments.end());
  Session session(own);
  llvm::Error error = launch(point, session);
  if (!error)
    return;
  llvm::raw_string_ostream text(point.note);
  session.getDiagnostics().print(text, /*color=*/false);
  llvm::handleAllErrors(withExitCode(std::move(error), ExitCode::Usage),
                        [&](const CommandError &e) {
                          if (firstFailure == ExitCode::Ok)
                            firstFailure = e.code;
                          text << e.message;
                        });
  point.note = llvm::StringRef(point.note).trim().str();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

void Bench::showProgress(size_t done) const {
  if (!llvm::sys::Process::StandardErrIsDisplayed())
    return;
  const size_t all = result.lines.size() * result.xs.size();
  llvm::errs() << "\r\x1b[K" << done << "/" << all << " measured";
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (done)
    llvm::errs() << ", about " << formatSeconds(seconds / double(done) * double(all - done))
                 << " left";
  llvm::errs().flush();
}

void Bench::chooseMetric() {
  auto knows = [&](std::optional<double> BenchPoint::*value) {
    return llvm::any_of(result.points, [&](const BenchPoint &p) { return (p.*value).has_value(); });
  };
  const bool hasBytes = knows(&BenchPoint::bytes), hasOperations = knows(&BenchPoint::operations);
  if (options.metric == "ms")
    result.metric = Metric::Milliseconds;
  else if (options.metric == "gbps" || (options.metric.empty() && hasBytes && !hasProducts))
    result.metric = Metric::Gigabytes;
  else if (options.metric == "tflops" || hasOperations)
    result.metric = Metric::Teraflops;
}

void Bench::writeFile(llvm::StringRef kind, llvm::raw_ostream &os) const {
  if (kind == "csv")
    writeCsv(os, result);
  else if (kind == "json")
    writeJson(os, toJson(result));
  else if (kind == "svg")
    picture::writeSvg(os, makeChart(result));
  else
    picture::writeHtml(os, makeChart(result));
}

llvm::Expected<ExitCode> Bench::run() {
  TILERUN_TRY_VALUE(files, OutputFiles::open(options.outputs));
  TILERUN_TRY_ERROR(openDevices());
  TILERUN_TRY_ERROR(listLines());
  begin = std::chrono::steady_clock::now();
  for (size_t x = 0; x < result.xs.size(); ++x)
    for (size_t line = 0; line < result.lines.size(); ++line) {
      showProgress(result.points.size());
      BenchPoint &point = result.points.emplace_back();
      point.line = line;
      point.x = x;
      measure(point);
    }
  if (llvm::sys::Process::StandardErrIsDisplayed())
    llvm::errs() << "\r\x1b[K";
  const bool anyWorks =
      llvm::any_of(result.points, [](const BenchPoint &p) { return !p.milliseconds.empty(); });
  if (!anyWorks)
    return makeCommandError(firstFailure, (result.points.size() == 1
                                               ? llvm::Twine()
                                               : "none of " + llvm::Twine(result.points.size()) +
                                                     " launches works; the first one:\n") +
                                              result.points.front().note);
  if (hasProducts)
    for (auto [entry, device] : llvm::zip(result.devices, devices))
      if (!entry.isInterpreter)
        entry.peakTeraflops = measureProducts(device, options);
  chooseMetric();
  TILERUN_TRY_ERROR(
      files.write([&](llvm::StringRef kind, llvm::raw_ostream &os) { writeFile(kind, os); }));
  std::string last;
  for (const BenchPoint &point : result.points) {
    if (point.note.empty() || point.note == last)
      continue;
    last = point.note;
    llvm::errs() << "note: " << result.xName << "=" << result.xs[point.x]
                 << (result.lines[point.line].label.empty() ? "" : " ")
                 << result.lines[point.line].label << ": " << point.note << "\n";
  }
  if (options.json)
    printJson(toJson(result));
  else
    printTable(llvm::outs(), result);
  return ExitCode::Ok;
}

llvm::Expected<ExitCode> command::runBench(const Options &options) { return Bench(options).run(); }
