// The checks, and the forms of their findings: text, and JSON for programs, which
// is the `driver_word` of the fault. docs/interpreter.md has the form.
#include "plugins/cpu/Handles.h"

#include "backends/interpreter/Frame.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace tilerun;
using namespace tilerun::cpu;
using interp::CheckReport;
using interp::SourcePosition;
using Checks = interp::CheckOptions;
using Watch = interp::WatchOptions;

static constexpr std::pair<llvm::StringLiteral, bool Checks::*> kChecks[] = {
    {"bounds", &Checks::bounds},
    {"uninitialized", &Checks::uninitialized},
    {"races", &Checks::races},
    {"overflow", &Checks::integerOverflow},
    {"nan-inf", &Checks::nanInf},
    {"unwritten", &Checks::unwritten},
    {"masked-values", &Checks::maskedValues}};

static constexpr std::pair<llvm::StringLiteral, bool Watch::*> kWatch[] = {
    {"activity", &Watch::activity}, {"writers", &Watch::writers}, {"work", &Watch::work}};

/// Sets the flags that the words of `text` name; what is wrong with it.
template <class Flags, size_t N>
static std::string parseWords(llvm::StringRef text,
                              const std::pair<llvm::StringLiteral, bool Flags::*> (&words)[N],
                              llvm::StringRef what, llvm::StringRef besides, Flags &flags) {
  for (llvm::StringRef word : llvm::split(text, ',')) {
    auto *found = llvm::find_if(words, [&](const auto &known) { return known.first == word; });
    if (found == std::end(words))
      return ("but '" + word + "' is not " + what + "; the option takes " + besides +
              llvm::join(llvm::map_range(words, [](const auto &known) { return known.first; }),
                         ", "))
          .str();
    flags.*found->second = true;
  }
  return "";
}

template <class Flags, size_t N>
static std::string formatWords(const std::pair<llvm::StringLiteral, bool Flags::*> (&words)[N],
                               const Flags &flags) {
  std::string text;
  for (const auto &[word, member] : words)
    if (flags.*member)
      text += (text.empty() ? "" : ",") + word.str();
  return text;
}

std::string cpu::parseChecks(llvm::StringRef text, Checks &checks) {
  if (text == "false")
    return "";
  if (text == "true")
    text = "bounds,uninitialized,races,overflow";
  return parseWords(text, kChecks, "a check", "true, false, or a list of ", checks);
}
std::string cpu::formatChecks(const Checks &checks) { return formatWords(kChecks, checks); }
std::string cpu::parseWatch(llvm::StringRef text, Watch &watch) {
  return parseWords(text, kWatch, "an observation", "a list of ", watch);
}
std::string cpu::formatWatch(const Watch &watch) { return formatWords(kWatch, watch); }

/// "error"; "warning" if a finding may be intended, or is not a mistake on this device; "note" if
/// it is a fact.
static llvm::StringRef getSeverity(CheckReport::Kind kind) {
  switch (kind) {
  case CheckReport::Kind::UnwrittenOutput:
  case CheckReport::Kind::MaskedValue:
    return "warning";
  case CheckReport::Kind::IdlePrograms:
  case CheckReport::Kind::OutputUntouched:
  case CheckReport::Kind::ArgumentUnwritten:
    return "note";
  default:
    return "error";
  }
}

static std::string describe(const CheckReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << interp::describe(report.position) << report.message
     << llvm::formatv(" (kernel '{0}', program ({1}, {2}, {3})", report.kernel, report.program[0],
                      report.program[1], report.program[2]);
  if (!report.element.empty())
    os << ", element ["
       << llvm::join(llvm::map_range(report.element, [](int64_t i) { return std::to_string(i); }),
                     ", ")
       << "]";
  if (report.count > 1)
    os << ", " << report.count << " times";
  os << ")" << interp::quote(report.position);
  for (const SourcePosition &caller : report.callStack)
    os << "\n" << interp::describe(caller) << "called from here" << interp::quote(caller);
  return text;
}

static llvm::json::Object toJson(const SourcePosition &position) {
  return llvm::json::Object{{"file", llvm::json::fixUTF8(position.file)},
                            {"line", position.line},
                            {"column", position.column}};
}

static llvm::json::Array toJson(const std::array<uint32_t, 3> &program) {
  return llvm::json::Array{program[0], program[1], program[2]};
}

static llvm::json::Object toJson(const CheckReport &report) {
  llvm::json::Array stack;
  for (const SourcePosition &caller : report.callStack)
    stack.push_back(toJson(caller));
  llvm::json::Object object{{"kind", interp::getKindName(report.kind)},
                            {"severity", getSeverity(report.kind)},
                            {"kernel", llvm::json::fixUTF8(report.kernel)},
                            {"program", toJson(report.program)},
                            {"element", llvm::json::Array(report.element)},
                            {"message", llvm::json::fixUTF8(report.message)},
                            {"position", toJson(report.position)},
                            {"call_stack", std::move(stack)},
                            {"count", static_cast<int64_t>(report.count)}};
  if (!report.argument.empty())
    object["argument"] = llvm::json::fixUTF8(report.argument);
  // Of a race, or of the store of a masked value.
  if (report.other.line)
    object["other_position"] = toJson(report.other);
  if (report.otherProgram)
    object["other_program"] = toJson(*report.otherProgram);
  return object;
}

Fault cpu::makeFault(const CheckReport &report) {
  return {describe(report), llvm::formatv("{0}", llvm::json::Value(toJson(report))).str()};
}

Fault cpu::makeFault(const interp::WriterMap &map) {
  llvm::json::Array runs;
  for (const interp::WrittenRun &run : map.runs)
    runs.push_back(llvm::json::Array{run.begin, run.bytes, run.program});
  llvm::json::Object object{{"kind", "writers"},
                            {"severity", "note"},
                            {"argument", llvm::json::fixUTF8(map.argument)},
                            {"runs", std::move(runs)},
                            {"complete", map.complete}};
  return {"memory of '" + map.argument + "' was written",
          llvm::formatv("{0}", llvm::json::Value(std::move(object))).str()};
}

Fault cpu::makeFault(const interp::WorkCount &work) {
  llvm::json::Object object{{"kind", "work"},
                            {"severity", "note"},
                            {"bytes_read", work.bytesRead},
                            {"bytes_written", work.bytesWritten},
                            {"operations", work.operations},
                            {"product_operations", work.productOperations},
                            {"complete", work.complete}};
  return {"work was counted", llvm::formatv("{0}", llvm::json::Value(std::move(object))).str()};
}

void Fault::add(const Fault &other) {
  text += (text.empty() || other.text.empty() ? "" : "\n") + other.text;
  findings += (findings.empty() || other.findings.empty() ? "" : ",") + other.findings;
}

TilerunStatus Fault::report(const TilerunErrorSink *sink, const char *call) const {
  if (text.empty())
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_FAULT, call, text,
              findings.empty() ? nullptr : ("[" + findings + "]").c_str());
}
