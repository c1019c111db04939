// `tilerun run` and `tilerun check`: one launch, and its outcome.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Counters.h"
#include "tools/tilerun/command/Launch.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Measure.h"
#include "tools/tilerun/command/Mismatch.h"
#include "tools/tilerun/command/Trace.h"

using namespace tilerun;
using namespace tilerun::command;

namespace {

std::string formatGrid(const std::array<uint64_t, 3> &grid) {
  return std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
}

llvm::json::Value toJson(const Launch &launch, const Launch::Expectation &e) {
  const host::Comparison &r = e.result;
  llvm::json::Object object{{"name", jsonText(e.name)},
                            {"expected", jsonText(e.text)},
                            {"ok", r.ok()},
                            {"elements", r.count},
                            {"mismatches", r.mismatches},
                            {"nan_mismatches", r.nans},
                            {"infinite_mismatches", r.infinities},
                            {"max_abs_error", jsonNumber(r.maxAbsError)},
                            {"max_rel_error", jsonNumber(r.maxRelError)},
                            {"rtol", e.tolerance.rtol},
                            {"atol", e.tolerance.atol}};
  if (r.first)
    object["first"] =
        llvm::json::Object{{"index", llvm::json::Array(host::unravel(*r.first, e.tensor.shape))},
                           {"got", jsonText(r.got)},
                           {"expected", jsonText(r.expected)}};
  if (e.mismatch)
    addMismatch(object, launch, e);
  return object;
}

/// Elements beyond this are left out of JSON; --save is for more.
constexpr int64_t kMaxJsonElements = 1 << 16;

llvm::json::Value toJson(const host::Tensor &tensor) {
  llvm::json::Object object{{"dtype", tensor.dtype.str()},
                            {"shape", llvm::json::Array(tensor.shape)}};
  llvm::json::Array values;
  const uint8_t *bytes = tensor.storage->bytes().data();
  if (tensor.numElements() <= kMaxJsonElements)
    tensor.forEach([&](int64_t, uint64_t at) {
      if (!tensor.dtype.isInt())
        values.push_back(jsonNumber(host::loadElement(bytes + at, tensor.dtype.scalar)));
      else if (tensor.dtype.scalar == Scalar::UInt64)
        values.push_back(static_cast<uint64_t>(host::loadInteger(bytes + at, tensor.dtype.scalar)));
      else
        values.push_back(static_cast<int64_t>(host::loadInteger(bytes + at, tensor.dtype.scalar)));
    });
  object["values"] = std::move(values);
  object["complete"] = tensor.numElements() <= kMaxJsonElements;
  return object;
}

/// Whether the findings are a failure: warnings are only with --strict.
bool failsCheck(const LaunchResult &result, const Options &options) {
  return llvm::any_of(result.findings.mistakes,
                      [&](const Finding &finding) { return options.strict || !finding.isWarning; });
}

llvm::json::Object toJson(Launch &launch, Session &session, ExitCode code) {
  const Binding &binding = launch.getBinding();
  const LaunchResult &result = launch.getResult();
  llvm::StringRef status =
      failsCheck(result, session.options) ? "check-failed" : getExitCodeName(code);
  llvm::json::Object object{{"status", status},
                            {"exit_code", static_cast<int>(code)},
                            {"file", jsonText(session.module->path)},
                            {"kernel", jsonText(session.kernel->qualifiedName)},
                            {"device", jsonText(session.options.device)},
                            {"grid", llvm::json::Array{static_cast<int64_t>(binding.grid[0]),
                                                       static_cast<int64_t>(binding.grid[1]),
                                                       static_cast<int64_t>(binding.grid[2])}},
                            {"seconds", launch.getFastestSeconds()},
                            {"compile_seconds", launch.getCompileSeconds()},
                            {"programs", static_cast<int64_t>(launch.getNumPrograms())},
                            {"elements", launch.getNumElements()},
                            {"launches", static_cast<int64_t>(session.options.repeat)},
                            {"printed", jsonText(result.printed)}};
  double seconds = std::max(launch.getFastestSeconds(), 1e-9);
  object["programs_per_second"] = static_cast<double>(launch.getNumPrograms()) / seconds;
  object["elements_per_second"] = static_cast<double>(launch.getNumElements()) / seconds;
  if (session.options.time)
    addRates(object, launch, seconds);
  object["meta_parameters"] = jsonTexts(binding.notes);
  object["expectations"] = jsonArray(
      launch.getExpectations(), [&](const Launch::Expectation &e) { return toJson(launch, e); });
  object["saved"] = jsonArray(launch.getSaved(), [](const Launch::Output &output) {
    return llvm::json::Object{{"name", jsonText(output.name)}, {"file", jsonText(output.path)}};
  });
  llvm::json::Object tensors;
  for (const Launch::Output &output : launch.getPrinted())
    tensors[jsonText(output.name)] = toJson(launch.getAfter(output.tensor));
  object["tensors"] = std::move(tensors);
  if (session.options.remarks)
    object["remarks"] = llvm::json::Array(launch.getRemarks());
  // `run --debug` reports overflow, too.
  if (session.options.command == Options::Command::Check || !result.findings.mistakes.empty())
    object["reports"] =
        jsonArray(result.findings.mistakes, [](const Finding &f) { return f.json; });
  object["notes"] = jsonArray(result.findings.notes, [](const Finding &f) { return f.json; });
  if (!session.options.report.empty())
    object["report"] = jsonText(session.options.report);
  return object;
}

void printExpectation(llvm::raw_ostream &os, Painter &painter, const Launch &launch,
                      const Launch::Expectation &e) {
  const host::Comparison &r = e.result;
  os << e.name << ": ";
  if (r.ok())
    painter.paint(llvm::raw_ostream::GREEN, "ok");
  else
    painter.paint(llvm::raw_ostream::RED, "MISMATCH");
  if (r.ok())
    os << ", " << r.count << " elements";
  else
    os << " in " << r.mismatches << " of " << r.count << " elements";
  if (r.nans)
    os << ", " << r.nans << (r.nans == 1 ? " of them for a NaN" : " of them for NaNs");
  if (r.infinities)
    os << ", " << r.infinities
       << (r.infinities == 1 ? " of them for an infinity" : " of them for infinities");
  os << llvm::formatv(", largest error {0} absolute, {1} relative (rtol {2}, atol {3})\n",
                      host::formatElement(r.maxAbsError, dtype(Scalar::F32)),
                      host::formatElement(r.maxRelError, dtype(Scalar::F32)),
                      host::formatElement(e.tolerance.rtol, dtype(Scalar::F64)),
                      host::formatElement(e.tolerance.atol, dtype(Scalar::F64)));
  if (e.mismatch)
    printMismatch(os, painter, launch, e);
}

void printText(Launch &launch, Session &session) {
  llvm::raw_ostream &os = llvm::outs();
  Painter painter(os, useColor(session.options.color, llvm::outs()));
  os << launch.getResult().printed;
  os << session.kernel->qualifiedName << ": grid " << formatGrid(launch.getBinding().grid) << " on "
     << session.options.device << ", " << formatSeconds(launch.getFastestSeconds());
  for (const std::string &note : launch.getBinding().notes)
    os << "; " << note;
  os << "\n";
  if (session.options.time) {
    double seconds = std::max(launch.getFastestSeconds(), 1e-9);
    os << llvm::formatv("fastest of {0}: {1:e3} programs/s, {2:e3} elements/s; compiled in {3}\n",
                        session.options.repeat,
                        static_cast<double>(launch.getNumPrograms()) / seconds,
                        static_cast<double>(launch.getNumElements()) / seconds,
                        formatSeconds(launch.getCompileSeconds()));
    printRates(os, launch, seconds);
    if (launch.isOnInterpreter())
      os << "these are " << kInterpreterTimes << "\n";
  }
  for (const Launch::Output &output : launch.getPrinted()) {
    host::Tensor after = launch.getAfter(output.tensor);
    os << output.name << " = " << after.describe() << "\n";
    host::printTensor(os, after);
    os << "\n";
  }
  for (const Launch::Expectation &expectation : launch.getExpectations())
    printExpectation(os, painter, launch, expectation);
  for (const Launch::Output &output : launch.getSaved())
    os << output.name << ": saved to " << output.path << "\n";
  if (!session.options.report.empty())
    os << "report: " << session.options.report << "\n";
  const std::vector<Finding> &findings = launch.getResult().findings.mistakes;
  if (session.options.command != Options::Command::Check && findings.empty())
    return;
  for (const Finding &finding : findings)
    print(os, painter, session, finding);
  const auto warnings = llvm::count_if(findings, [](const Finding &f) { return f.isWarning; });
  os << "checks: ";
  if (findings.size() > size_t(warnings))
    painter.paint(llvm::raw_ostream::RED,
                  std::to_string(findings.size() - size_t(warnings)) + " found");
  else
    painter.paint(llvm::raw_ostream::GREEN, "ok");
  if (warnings)
    os << ", " << warnings << (warnings == 1 ? " warning" : " warnings");
  os << (findings.empty() ? ", nothing found\n" : "\n");
}

} // namespace

static bool isSvg(llvm::StringRef path) { return path.ends_with(".svg"); }

/// The file of --report, opened before the launch, so that a bad path costs no work.
static llvm::Expected<std::optional<host::AtomicFile>> openReport(const Options &options) {
  std::optional<host::AtomicFile> file;
  if (options.report.empty())
    return file;
  if (!isSvg(options.report) && !llvm::StringRef(options.report).ends_with(".html"))
    return makeUsageError("--report: '" + options.report +
                          "' names a format that is not written; formats are .html and .svg");
  if (options.expects.empty())
    return makeUsageError("--report shows what --expect finds; give --expect NAME=EXPR");
  llvm::Expected<host::AtomicFile> opened = host::AtomicFile::open(options.report);
  if (!opened)
    return makeUsageError("--report: " + llvm::toString(opened.takeError()));
  file.emplace(std::move(*opened));
  return file;
}

llvm::Expected<ExitCode> command::runLaunch(Session &session) {
  if (session.options.printTemplate)
    return runTemplate(session);
  if (!session.options.program.empty() && session.options.trace.empty())
    return makeUsageError("--program is for --trace, which is not given");
  TILERUN_TRY_VALUE(report, openReport(session.options));
  Counters counters;
  if (session.options.counters)
    TILERUN_TRY_ERROR(counters.start());
  TILERUN_TRY_VALUE(device, openDevice(session.options.device, kUnpooled));
  if (session.options.counters)
    TILERUN_TRY_ERROR(Counters::check(*device));
  TILERUN_TRY_ERROR(session.load(session.options.target));
  Launch launch(session, device);
  TILERUN_TRY_ERROR(launch.run());
  llvm::json::Array counted;
  if (session.options.counters) {
    TILERUN_TRY_VALUE(launches, counters.read());
    counted = std::move(launches);
  }
  bool ok = launch.allMatch() && !failsCheck(launch.getResult(), session.options);
  ExitCode code = ok ? ExitCode::Ok : ExitCode::Mismatch;
  if (report)
    if (llvm::Error error =
            report->commit(makeReport(launch, session, isSvg(session.options.report))))
      return withExitCode(std::move(error), ExitCode::Usage);
  // Warnings of the frontend.
  session.getDiagnostics().print(llvm::errs(), useColor(session.options.color, llvm::errs()));
  if (!session.options.json) {
    Painter painter(llvm::errs(), useColor(session.options.color, llvm::errs()));
    for (const Finding &note : launch.getResult().findings.notes)
      print(llvm::errs(), painter, session, note);
  }
  std::optional<VariableTrace> trace;
  if (!session.options.trace.empty()) {
    session.getDiagnostics().clear(); // What the frontend says was said.
    TILERUN_TRY_VALUE(made, VariableTrace::make(session, launch.getBinding()));
    trace = std::move(made);
  }
  if (session.options.json) {
    llvm::json::Object object = toJson(launch, session, code);
    if (session.options.counters)
      object["counters"] = std::move(counted);
    if (trace)
      object["trace"] = trace->toJson();
    printJson(std::move(object));
    return code;
  }
  printText(launch, session);
  if (trace)
    trace->print(llvm::outs());
  if (session.options.counters)
    printCounters(llvm::outs(), *counted.front().getAsObject());
  return code;
}
