// See Trace.h.
#include "tools/tilerun/command/Trace.h"

#include "ir/tile/ModuleBytes.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/debug/Show.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::command;

llvm::Expected<Binding> command::bindOnInterpreter(Session &session) {
  TILERUN_TRY_VALUE(device, openDevice("cpu", kUnpooled));
  TILERUN_TRY_ERROR(session.load(session.options.target));
  TILERUN_TRY_VALUE(binding, bindArguments(session));
  TILERUN_TRY_ERROR(bindGrid(session, binding, *device));
  if (!session.options.allowOverlap)
    TILERUN_TRY_ERROR(checkOverlap(binding));
  return std::move(binding);
}

llvm::Expected<std::unique_ptr<debug::Debuggee>>
command::makeDebuggee(Session &session, const Binding &binding, bool withEvents) {
  KernelSignature signature = binding.signature;
  signature.debugEvents = withEvents;
  TILERUN_TRY_VALUE(compiled,
                    session.compile(signature, session.options.command == Options::Command::Run));
  debug::DebuggeeOptions options;
  options.grid = binding.grid;
  options.assertions = session.options.debug || session.options.command == Options::Command::Show;
  options.record.maxBytes = static_cast<uint64_t>(session.options.memoryLimit * (1u << 30));
  auto made = debug::Debuggee::create(tile::writeModule(*compiled.module), compiled.name,
                                      binding.values, options);
  if (!made)
    return withExitCode(made.takeError(), ExitCode::Compile);
  return std::move(*made);
}

llvm::Expected<uint64_t> command::findProgram(const Options &options, const Binding &binding) {
  if (options.program.empty())
    return 0;
  auto program = debug::parseProgram(options.program, binding.grid);
  if (!program)
    return makeUsageError("--program: " + llvm::toString(program.takeError()));
  return *program;
}

/// The parts between commas that are in no brackets.
static std::vector<std::string> splitNames(llvm::StringRef text) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (char c : text) {
    depth += (c == '[') - (c == ']');
    if (c == ',' && depth == 0)
      names.emplace_back();
    else
      names.back() += c;
  }
  for (std::string &name : names)
    name = llvm::StringRef(name).trim().str();
  return names;
}

llvm::Expected<VariableTrace> VariableTrace::make(Session &session, const Binding &binding) {
  VariableTrace trace;
  TILERUN_TRY_VALUE(program, findProgram(session.options, binding));
  TILERUN_TRY_VALUE(debuggee, makeDebuggee(session, binding));
  trace.debuggee = std::move(debuggee);
  auto recorded = trace.debuggee->record(program);
  if (!recorded)
    return withExitCode(recorded.takeError(), ExitCode::Fault);
  trace.recording = std::move(*recorded);
  TILERUN_TRY_ERROR(trace.collect(session, splitNames(session.options.trace)));
  return std::move(trace);
}

llvm::Error VariableTrace::collect(Session &session, llvm::ArrayRef<std::string> wanted) {
  std::vector<llvm::StringRef> known;
  known.reserve(recording.assignments.size());
  for (const interp::Assignment &assignment : recording.assignments)
    known.push_back(assignment.getName());
  llvm::sort(known);
  known.erase(llvm::unique(known), known.end());
  auto nameOf = [](llvm::StringRef text) {
    return text.take_until([](char c) { return c == '['; });
  };
  for (llvm::StringRef text : wanted) {
    // An element of a tuple has brackets in its name.
    const bool isKnown = text == "*" || llvm::is_contained(known, text) ||
                         llvm::is_contained(known, nameOf(text)) ||
                         llvm::is_contained(llvm::map_range(known, nameOf), text);
    if (!isKnown)
      return makeUsageError("--trace: " + debuggee->describeProgram(recording.program) +
                            " assigns no variable '" + nameOf(text) + "'" +
                            suggest(nameOf(text), known));
  }
  for (const interp::Assignment &assignment : recording.assignments)
    for (const std::string &text : wanted) {
      // The name of a tuple stands for its elements.
      if (text == "*" || text == assignment.getName() || text == nameOf(assignment.getName())) {
        lines.push_back({assignment.getName().str(), &assignment, std::nullopt});
        continue;
      }
      if (nameOf(text) != assignment.getName())
        continue;
      TILERUN_TRY_VALUE(value, debug::Debuggee::toValue(assignment));
      host::Evaluator evaluator(session.getDiagnostics());
      evaluator.define(assignment.getName(), value);
      host::ExpressionContext context{session.frontend.getSources(), session.getDiagnostics(),
                                      session.arena, evaluator};
      auto slice = host::evaluateText(context, "--trace", text);
      if (mlir::failed(slice))
        return session.failure(ExitCode::Usage);
      lines.push_back({text, &assignment, *slice});
    }
  return llvm::Error::success();
}

void VariableTrace::print(llvm::raw_ostream &os) const {
  const interp::Program &program = debuggee->getProgram();
  os << "trace of " << debuggee->describeProgram(recording.program) << " on the interpreter:\n";
  for (const Line &line : lines) {
    const interp::Activation &in = recording.activations[line.assignment->activation];
    os << debug::formatPosition(program.sources[line.assignment->step->source].position) << ": ";
    if (in.depth)
      os << "in " << in.function << ": ";
    os << line.text << " = "
       << (line.value ? debug::describe(*line.value) : debug::describe(*debuggee, *line.assignment))
       << "\n";
  }
  if (!recording.fault.empty())
    os << "the program ends by a fault: " << recording.fault << "\n";
}

llvm::json::Object VariableTrace::toJson() const {
  const interp::Program &program = debuggee->getProgram();
  const auto &grid = debuggee->getGrid();
  const uint64_t linear = recording.program;
  return llvm::json::Object{
      {"program",
       llvm::json::Array{linear % grid[0], linear / grid[0] % grid[1], linear / grid[0] / grid[1]}},
      {"assignments",
       jsonArray(lines,
                 [&](const Line &line) {
                   llvm::json::Object object = line.value
                                                   ? debug::toJson(*line.value)
                                                   : debug::toJson(*debuggee, *line.assignment);
                   const auto &in = recording.activations[line.assignment->activation];
                   const auto &source = program.sources[line.assignment->step->source];
                   object["name"] = jsonText(line.text);
                   object["function"] = jsonText(in.function);
                   object["position"] = debug::toJson(source.position);
                   object["call_stack"] = jsonArray(
                       source.callStack, [](const auto &caller) { return debug::toJson(caller); });
                   return object;
                 })},
      {"fault", recording.fault.empty() ? llvm::json::Value(nullptr)
                                        : llvm::json::Value(jsonText(recording.fault))}};
}
