// The debugger's breakpoints and watched memory, and the values of expressions.
#include "backends/interpreter/debug/Recording.h"
#include "tools/tilerun/debug/Debugger.h"
#include "tools/tilerun/host/Argument.h"
#include "tools/tilerun/host/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace tilerun;
using namespace tilerun::debug;

/// Evaluates with names; an error has what the diagnostics say.
static llvm::Expected<host::Value> evaluateWith(host::Evaluator::Names names, ast::Context &trees,
                                                llvm::StringRef expression) {
  SourceManager texts;
  DiagnosticEngine diagnostics(texts);
  host::Evaluator evaluator(diagnostics);
  evaluator.setAdvisesDefinition(false);
  for (auto &[name, value] : names)
    evaluator.define(name, std::move(value));
  host::ExpressionContext context{texts, diagnostics, trees, evaluator};
  auto value = host::evaluateText(context, "expression", expression);
  if (mlir::succeeded(value))
    return *value;
  std::string message;
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    message += (message.empty() ? "" : "; ") + diagnostic.message;
  return host::makeError(message);
}

llvm::Expected<const Breakpoint *> Debugger::addBreakpoint(llvm::StringRef file, unsigned line,
                                                           llvm::StringRef condition,
                                                           std::optional<uint64_t> program) {
  const auto place = places.lower_bound({file.str(), line});
  if (place == places.end() || place->file != file) {
    std::string last;
    for (const Place &known : places)
      if (known.file == file)
        last = "; its last one is on line " + std::to_string(known.line);
    return host::makeError("the kernel has no statement on line " + llvm::Twine(line) + " of " +
                           file + " or after it" + last);
  }
  breakpoints.push_back({++lastId, file.str(), place->line, condition.str(), program});
  return &breakpoints.back();
}

llvm::Expected<const Watch *> Debugger::addWatch(llvm::StringRef expression) {
  // A subscript of a tensor is a view of its storage, which tells the addresses of its elements.
  host::Evaluator::Names names;
  for (const Debuggee::Argument &argument : debuggee.getArguments())
    names[argument.name] = host::Value(argument.tensor);
  TILERUN_TRY_VALUE(value, evaluateWith(std::move(names), trees, expression));
  const auto *view = value.getIf<host::Tensor>();
  const auto *argument =
      llvm::find_if(debuggee.getArguments(), [&](const Debuggee::Argument &candidate) {
        return view && candidate.tensor.storage == view->storage;
      });
  if (argument == debuggee.getArguments().end())
    return host::makeError("'" + expression +
                           "' is not memory of the launch; watch a tensor that "
                           "the kernel gets, or a slice of it, such as 'watch out[0:4]'");
  Watch watch{++lastId, expression.str(), {}, view->elementBytes()};
  view->forEach([&](int64_t, uint64_t at) { watch.elements.push_back(argument->base + at); });
  llvm::sort(watch.elements);
  watches.push_back(std::move(watch));
  return &watches.back();
}

llvm::Error Debugger::removeStop(unsigned id) {
  const size_t before = breakpoints.size() + watches.size();
  llvm::erase_if(breakpoints, [&](const Breakpoint &b) { return b.id == id; });
  llvm::erase_if(watches, [&](const Watch &w) { return w.id == id; });
  if (breakpoints.size() + watches.size() < before)
    return llvm::Error::success();
  return host::makeError("breakpoint or watch " + llvm::Twine(id) +
                         " does not exist"
                         "; 'info breakpoints' lists them");
}

std::string Debugger::findFile(llvm::StringRef path) const {
  for (const Place &place : places)
    if (place.file == path || llvm::sys::fs::equivalent(place.file, path))
      return place.file;
  return path.str();
}

void Debugger::removeBreakpoints(llvm::StringRef file) {
  llvm::erase_if(breakpoints, [&](const Breakpoint &b) { return b.file == file; });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::vector<const interp::Assignment *> Debugger::getLocals(unsigned number) const {
  const std::vector<StackFrame> stack = getStack();
  if (number >= stack.size())
    return {};
  return recording->getVariables(moment, stack[number].activation);
}

const interp::Assignment *Debugger::findVariable(llvm::StringRef name) const {
  const std::vector<StackFrame> stack = getStack();
  return frame < stack.size() ? recording->find(moment, stack[frame].activation, name) : nullptr;
}

const Debuggee::Argument *Debugger::findMemory(llvm::StringRef name) const {
  const Debuggee::Argument *argument = debuggee.findArgument(name);
  const interp::Assignment *variable = findVariable(name);
  if (!argument || !variable)
    return argument;
  // A parameter that was assigned anew, or a helper's variable of the same name, is itself, unless
  // it still is the pointer to the tensor.
  uint64_t address = 0;
  if (!variable->bytes || variable->bytes->size() != sizeof(address) ||
      variable->step->operandTypes[0] != interp::Dtype::Ptr)
    return nullptr;
  std::memcpy(&address, variable->bytes->data(), sizeof(address));
  return address == argument->base + argument->tensor.offset ? argument : nullptr;
}

/// Whether a text has a name as a word.
static bool mentions(llvm::StringRef text, llvm::StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1))
    if ((at == 0 || !isPart(text[at - 1])) &&
        (at + name.size() == text.size() || !isPart(text[at + name.size()])))
      return true;
  return false;
}

llvm::Expected<host::Value> Debugger::evaluate(llvm::StringRef expression) {
  host::Evaluator::Names names = given;
  // Those that are not needed are known, for "did you mean".
  for (const Debuggee::Argument &argument : debuggee.getArguments()) {
    names[argument.name] = host::Value();
    if (!mentions(expression, argument.name) || !findMemory(argument.name))
      continue;
    TILERUN_TRY_VALUE(tensor, readMemory(argument));
    names[argument.name] = host::Value(tensor);
  }
  for (const interp::Assignment *variable : getLocals(frame)) {
    const llvm::StringRef name = variable->getName();
    if (findMemory(name))
      continue;
    names[name.str()] = host::Value();
    if (!mentions(expression, name))
      continue;
    TILERUN_TRY_VALUE(value, Debuggee::toValue(*variable));
    names[name.str()] = std::move(value);
  }
  return evaluateWith(std::move(names), trees, expression);
}
