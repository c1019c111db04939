// `tilerun run` and `tilerun check`: one launch, and what came of it.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Launch.h"

using namespace tilerun;
using namespace tilerun::command;

namespace {

/// `text` in colour, if colours are on.
class Painter {
public:
  Painter(llvm::raw_ostream &os, bool color) : os(os), color(color) {}
  void paint(llvm::raw_ostream::Colors tint, llvm::StringRef text) {
    if (color)
      os.changeColor(tint, /*Bold=*/true);
    os << text;
    if (color)
      os.resetColor();
  }

private:
  llvm::raw_ostream &os;
  bool color;
};

std::string formatGrid(const std::array<uint64_t, 3> &grid) {
  return std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
}

std::string formatProgram(const std::array<uint32_t, 3> &program) {
  return "(" + std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " +
         std::to_string(program[2]) + ")";
}

/// The source line of a position with a caret under its column.
void printSourceLine(llvm::raw_ostream &os, Session &session, const SourcePosition &position) {
  SourceManager &sources = session.frontend.getSources();
  if (position.line == 0 || position.file.empty())
    return;
  llvm::Expected<uint32_t> file = sources.addFile(position.file);
  if (!file) {
    llvm::consumeError(
        file.takeError()); // Text that is no file (the prelude) has no lines to show.
    return;
  }
  llvm::StringRef line = sources.getLine(*file, position.line);
  os << "    " << line << "\n    ";
  for (unsigned i = 1; i < position.column && i <= line.size(); ++i)
    os << (line[i - 1] == '\t' ? '\t' : ' ');
  os << "^\n";
}

void printReport(llvm::raw_ostream &os, Painter &painter, Session &session,
                 const CheckReport &report) {
  auto place = [](const SourcePosition &p) {
    return p.file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
  };
  const bool warning = isWarning(report.kind);
  os << place(report.position) << ": " << (warning ? "warning: " : "");
  painter.paint(warning ? llvm::raw_ostream::MAGENTA : llvm::raw_ostream::RED,
                getCheckKindName(report.kind));
  os << ": " << report.message << "\n";
  printSourceLine(os, session, report.position);
  os << "    kernel " << report.kernel;
  // What nobody has written belongs to no program.
  const bool ofProgram = report.kind != CheckReport::Kind::UnwrittenOutput;
  if (ofProgram)
    os << ", program " << formatProgram(report.program);
  if (ofProgram && !report.element.empty())
    os << ", element " << host::formatIndex(report.element);
  if (report.count > 1)
    os << "; " << report.count << " times at this place";
  os << "\n";
  for (const SourcePosition &caller : report.callStack) {
    os << place(caller) << ": note: called from here\n";
    printSourceLine(os, session, caller);
  }
  if (report.other.line) {
    os << place(report.other) << ": note: "
       << (report.kind == CheckReport::Kind::Race ? "the other access is here"
                                                  : "a result is stored here")
       << "\n";
    printSourceLine(os, session, report.other);
  }
}

llvm::json::Value toJson(const SourcePosition &position) {
  return llvm::json::Object{
      {"file", jsonText(position.file)}, {"line", position.line}, {"column", position.column}};
}

llvm::json::Value toJson(const CheckReport &report) {
  llvm::json::Array stack;
  for (const SourcePosition &caller : report.callStack)
    stack.push_back(toJson(caller));
  llvm::json::Object object{
      {"kind", getCheckKindName(report.kind)},
      {"severity", isWarning(report.kind) ? "warning" : "error"},
      {"kernel", jsonText(report.kernel)},
      {"program", llvm::json::Array{report.program[0], report.program[1], report.program[2]}},
      {"element", llvm::json::Array(report.element)},
      {"message", jsonText(report.message)},
      {"position", toJson(report.position)},
      {"call_stack", std::move(stack)},
      {"count", static_cast<int64_t>(report.count)}};
  // Of a race, or of the store of a masked value.
  if (report.other.line)
    object["other_position"] = toJson(report.other);
  return object;
}

llvm::json::Value toJson(const Launch::Expectation &e) {
  const host::Comparison &r = e.result;
  llvm::json::Object object{{"name", jsonText(e.name)},
                            {"expected", jsonText(e.text)},
                            {"ok", r.ok()},
                            {"elements", r.count},
                            {"mismatches", r.mismatches},
                            {"nan_mismatches", r.nans},
                            {"max_abs_error", jsonNumber(r.maxAbsError)},
                            {"max_rel_error", jsonNumber(r.maxRelError)},
                            {"rtol", e.tolerance.rtol},
                            {"atol", e.tolerance.atol}};
  if (r.first)
    object["first"] =
        llvm::json::Object{{"index", llvm::json::Array(host::unravel(*r.first, e.tensor.shape))},
                           {"got", jsonText(r.got)},
                           {"expected", jsonText(r.expected)}};
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

/// Whether what was found is a failure: warnings are with --strict alone.
bool failsCheck(const LaunchResult &result, const Options &options) {
  return llvm::any_of(result.reports, [&](const CheckReport &report) {
    return options.strict || !isWarning(report.kind);
  });
}

llvm::json::Object toJson(const Launch &launch, Session &session, ExitCode code) {
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
  llvm::json::Array notes, expectations, saved, reports;
  for (const std::string &note : binding.notes)
    notes.push_back(jsonText(note));
  object["meta_parameters"] = std::move(notes);
  for (const Launch::Expectation &expectation : launch.getExpectations())
    expectations.push_back(toJson(expectation));
  object["expectations"] = std::move(expectations);
  for (const Launch::Output &output : launch.getSaved())
    saved.push_back(
        llvm::json::Object{{"name", jsonText(output.name)}, {"file", jsonText(output.path)}});
  object["saved"] = std::move(saved);
  llvm::json::Object tensors;
  for (const Launch::Output &output : launch.getPrinted())
    tensors[jsonText(output.name)] = toJson(launch.getAfter(output.tensor));
  object["tensors"] = std::move(tensors);
  for (const CheckReport &report : result.reports)
    reports.push_back(toJson(report));
  // `run --debug` reports overflow, too.
  if (session.options.command == Options::Command::Check || !reports.empty())
    object["reports"] = std::move(reports);
  return object;
}

void printExpectation(llvm::raw_ostream &os, Painter &painter, const Launch::Expectation &e) {
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
  os << llvm::formatv(", largest error {0} absolute, {1} relative (rtol {2}, atol {3})\n",
                      host::formatElement(r.maxAbsError, dtype(Scalar::F32)),
                      host::formatElement(r.maxRelError, dtype(Scalar::F32)),
                      host::formatElement(e.tolerance.rtol, dtype(Scalar::F64)),
                      host::formatElement(e.tolerance.atol, dtype(Scalar::F64)));
  if (r.first)
    os << "  first at " << host::formatIndex(host::unravel(*r.first, e.tensor.shape)) << ": got "
       << r.got << ", expected " << r.expected << "\n";
}

void printText(const Launch &launch, Session &session) {
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
  }
  for (const Launch::Output &output : launch.getPrinted()) {
    host::Tensor after = launch.getAfter(output.tensor);
    os << output.name << " = " << after.describe() << "\n";
    host::printTensor(os, after);
    os << "\n";
  }
  for (const Launch::Expectation &expectation : launch.getExpectations())
    printExpectation(os, painter, expectation);
  for (const Launch::Output &output : launch.getSaved())
    os << output.name << ": saved to " << output.path << "\n";
  const std::vector<CheckReport> &reports = launch.getResult().reports;
  if (session.options.command != Options::Command::Check && reports.empty())
    return;
  for (const CheckReport &report : reports)
    printReport(os, painter, session, report);
  const auto warnings =
      llvm::count_if(reports, [](const CheckReport &r) { return isWarning(r.kind); });
  os << "checks: ";
  if (reports.size() > size_t(warnings))
    painter.paint(llvm::raw_ostream::RED,
                  std::to_string(reports.size() - size_t(warnings)) + " found");
  else
    painter.paint(llvm::raw_ostream::GREEN, "ok");
  if (warnings)
    os << ", " << warnings << (warnings == 1 ? " warning" : " warnings");
  os << (reports.empty() ? ", nothing found\n" : "\n");
}

} // namespace

llvm::Expected<ExitCode> command::runLaunch(Session &session) {
  llvm::Expected<std::unique_ptr<Device>> device =
      makeDeviceRegistry().open(session.options.device);
  if (!device)
    return device.takeError();
  if (llvm::Error error = session.load(session.options.target))
    return error;
  Launch launch(session, **device);
  if (llvm::Error error = launch.run())
    return error;
  bool ok = launch.allMatch() && !failsCheck(launch.getResult(), session.options);
  ExitCode code = ok ? ExitCode::Ok : ExitCode::Mismatch;
  // Warnings of the frontend.
  session.getDiagnostics().print(llvm::errs(), useColor(session.options.color, llvm::errs()));
  if (session.options.json)
    printJson(toJson(launch, session, code));
  else
    printText(launch, session);
  return code;
}
