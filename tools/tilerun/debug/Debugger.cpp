// See Debugger.h.
#include "tools/tilerun/debug/Debugger.h"

#include "backends/interpreter/Steps.h"
#include "ir/tile/TileOps.h"
#include "tools/tilerun/debug/Show.h"
#include "tools/tilerun/host/Compare.h"
#include "tools/tilerun/host/Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::debug;
using interp::Moment;

Debugger::Debugger(Debuggee &debuggee, SourceManager &sources, host::Evaluator::Names given)
    : debuggee(debuggee), sources(sources), given(std::move(given)) {
  collectPlaces(debuggee.getProgram().body);
}

void Debugger::collectPlaces(const interp::StepList &steps) {
  for (const interp::Step &step : steps) {
    if (step.run == interp::runDebugEvent) {
      const auto kind = tile::DebugEvent(step.numbers[0]);
      const interp::SourcePosition &at = debuggee.getProgram().sources[step.source].position;
      if (kind == tile::DebugEvent::Statement)
        places.insert({at.file, at.line});
      hasCalls |= kind == tile::DebugEvent::Break;
    }
    for (const interp::StepList &block : step.blocks)
      collectPlaces(block);
  }
}

//===----------------------------------------------------------------------===//
// Where it is
//===----------------------------------------------------------------------===//

llvm::Error Debugger::requireStarted() const {
  if (recording)
    return llvm::Error::success();
  return host::makeError(
      "the kernel has not started; 'start' stops at its first statement, 'run' at "
      "the first breakpoint");
}

const interp::SourcePosition &Debugger::getPosition(size_t at) const {
  // The end is shown at the kernel's name.
  const uint32_t source =
      at < recording->getEnd() ? recording->moments[at].source : recording->activations[0].source;
  return debuggee.getProgram().sources[source].position;
}

std::vector<StackFrame> Debugger::getStack() const {
  std::vector<StackFrame> stack;
  if (!recording || recording->activations.empty())
    return stack;
  interp::SourcePosition position = getPosition(moment);
  for (uint32_t activation = recording->getActivation(moment);;) {
    stack.push_back({activation, position});
    const interp::Activation &in = recording->activations[activation];
    if (in.depth == 0)
      return stack;
    const interp::SourceInfo &source = debuggee.getProgram().sources[in.source];
    position = source.callStack.empty() ? interp::SourcePosition() : source.callStack.front();
    activation = in.caller;
  }
}

llvm::Error Debugger::setFrame(unsigned number) {
  TILERUN_TRY_ERROR(requireStarted());
  const size_t frames = getStack().size();
  if (number >= frames)
    return host::makeError("frame " + llvm::Twine(number) + " does not exist; the stack has " +
                           llvm::Twine(frames) + ", numbered from 0");
  frame = number;
  return llvm::Error::success();
}

llvm::StringRef Debugger::getLine(const interp::SourcePosition &position) {
  if (!position.line)
    return "";
  llvm::Expected<uint32_t> file = sources.addFile(position.file);
  if (file)
    return sources.getLine(*file, position.line);
  llvm::consumeError(file.takeError()); // Text from a pipe.
  return "";
}

unsigned Debugger::countLines(const interp::SourcePosition &position) {
  llvm::Expected<uint32_t> file = sources.addFile(position.file);
  if (file)
    return unsigned(sources.getText(*file).rtrim('\n').count('\n')) + 1;
  llvm::consumeError(file.takeError()); // Text from a pipe.
  return 0;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

Stop Debugger::arrive(size_t at, Stop::Reason reason) {
  moment = at;
  frame = 0;
  ended &= at == recording->getEnd();
  return {reason};
}

llvm::Error Debugger::record(uint64_t program) {
  recording.reset(); // Frees its memory before the next one is made.
  ended = false;
  TILERUN_TRY_VALUE(made, debuggee.record(program));
  output += std::exchange(made.printedBefore, {});
  recording = std::move(made);
  return llvm::Error::success();
}

void Debugger::passEnd() { output += std::exchange(recording->printed, {}); }

llvm::Expected<Stop> Debugger::start(uint64_t program) {
  TILERUN_TRY_ERROR(record(program));
  return arrive(0, Stop::Reason::ProgramBegin);
}

llvm::Expected<Stop> Debugger::run(uint64_t program) {
  TILERUN_TRY_VALUE(begin, start(program));
  if (recording->getEnd() == 0)
    return begin;
  if (std::optional<Stop> stop = findStop(0))
    return *stop;
  return resume(Direction::Forward);
}

/// To the moment, which may be the end of the program.
llvm::Expected<Stop> Debugger::moveTo(size_t at) {
  if (at < recording->getEnd())
    return arrive(at, Stop::Reason::Step);
  if (!recording->fault.empty() && at > 0) {
    Stop stop = arrive(recording->getEnd() - 1, Stop::Reason::Fault);
    stop.detail = recording->fault;
    passEnd();
    return stop;
  }
  passEnd();
  return arrive(recording->getEnd(), Stop::Reason::ProgramEnd);
}

llvm::Expected<Stop> Debugger::step(Direction direction) {
  TILERUN_TRY_ERROR(requireStarted());
  if (direction == Direction::Back)
    return moment == 0 ? arrive(0, Stop::Reason::ProgramBegin) : moveTo(moment - 1);
  if (moment == recording->getEnd())
    return resume(Direction::Forward);
  return moveTo(moment + 1);
}

llvm::Expected<Stop> Debugger::next(Direction direction) {
  TILERUN_TRY_ERROR(requireStarted());
  const size_t end = recording->getEnd();
  if (direction == Direction::Forward && moment == end)
    return resume(Direction::Forward);
  const uint32_t depth = recording->activations[recording->getActivation(moment)].depth;
  // A statement that goes on after a call is the same one, unless the call is what is left.
  auto isWithin = [&](size_t at) {
    const uint32_t other = recording->activations[recording->getActivation(at)].depth;
    return other > depth || (other == depth && at < end && recording->moments[at].isReturn);
  };
  size_t at = moment;
  if (direction == Direction::Forward) {
    do
      ++at;
    while (at < end && isWithin(at));
    return moveTo(at);
  }
  do {
    if (at == 0)
      return arrive(0, Stop::Reason::ProgramBegin);
    --at;
  } while (isWithin(at));
  return moveTo(at);
}

llvm::Expected<Stop> Debugger::finish() {
  TILERUN_TRY_ERROR(requireStarted());
  const uint32_t depth = recording->activations[recording->getActivation(moment)].depth;
  size_t at = moment;
  while (at < recording->getEnd() &&
         recording->activations[recording->getActivation(at)].depth >= depth)
    ++at;
  return moveTo(at);
}

std::optional<Stop> Debugger::findWrite(size_t begin, size_t end) {
  const size_t last = recording->countWrites(end);
  for (size_t i = recording->countWrites(begin); i < last; ++i) {
    const interp::MemoryWrite &write = recording->writes[i];
    for (const Watch &watch : watches) {
      const auto hit = llvm::partition_point(
          watch.elements, [&](uint64_t address) { return address + watch.bytes <= write.address; });
      if (hit == watch.elements.end() || *hit >= write.address + write.bytes)
        continue;
      Stop stop{Stop::Reason::Watch, watch.id};
      const uint64_t address = std::max(*hit, write.address);
      auto format = [&](size_t contents) {
        const char *bytes = recording->contents.data() + contents + (address - write.address);
        for (const Debuggee::Argument &argument : debuggee.getArguments())
          if (argument.tensor.elementBytes() == watch.bytes &&
              address - argument.base < argument.tensor.storage->bytes().size())
            return host::formatElement(host::loadElement(reinterpret_cast<const uint8_t *>(bytes),
                                                         argument.tensor.dtype.scalar),
                                       argument.tensor.dtype);
        return std::string("?");
      };
      const auto &position = debuggee.getProgram().sources[write.step->source].position;
      stop.detail = llvm::formatv("{0} wrote {1} at {2}: {3} -> {4}",
                                  debuggee.describeProgram(recording->program),
                                  debuggee.describeAddress(address), formatPosition(position),
                                  format(write.before), format(write.after))
                        .str();
      return stop;
    }
  }
  return std::nullopt;
}

/// Of a condition, which may be a computed tensor of one element.
static llvm::Expected<bool> isTrue(const host::Value &value) {
  if (!value.isTensorLike())
    return host::getTruth(value);
  TILERUN_TRY_VALUE(array, host::getArray(value));
  if (array.data.size() == 1)
    return array.data.front() != 0;
  return host::makeError("it has " + llvm::Twine(array.data.size()) +
                         " elements; combine them, as in 'max(x > 4)'");
}

/// A breakpoint at a moment, or `breakpoint()`.
std::optional<Stop> Debugger::findStop(size_t at) {
  const Moment &here = recording->moments[at];
  for (const interp::Birth &birth : recording->births)
    if (birth.moment == at && catchesAny(birth.isNan)) {
      Stop stop = arrive(at, Stop::Reason::Birth);
      stop.detail = describe(debuggee, *recording, birth).front();
      return stop;
    }
  if (here.isReturn)
    return std::nullopt;
  if (here.isBreak)
    return arrive(at, Stop::Reason::Call);
  const interp::SourcePosition &position = getPosition(at);
  for (Breakpoint &breakpoint : breakpoints) {
    if (breakpoint.line != position.line || breakpoint.file != position.file ||
        (breakpoint.program && *breakpoint.program != recording->program))
      continue;
    // A line stops once, not for each statement of it.
    if (at > 0 && recording->moments[at - 1].activation == here.activation &&
        getPosition(at - 1).line == position.line && getPosition(at - 1).column < position.column)
      continue;
    const size_t momentBefore = moment;
    const unsigned frameBefore = frame;
    Stop stop = arrive(at, Stop::Reason::Breakpoint);
    stop.id = breakpoint.id;
    if (!breakpoint.condition.empty()) {
      llvm::Expected<host::Value> value = evaluate(breakpoint.condition);
      llvm::Expected<bool> holds = value ? isTrue(*value) : llvm::Expected<bool>(value.takeError());
      if (!holds)
        stop.detail = "its condition cannot be evaluated: " + llvm::toString(holds.takeError());
      else if (!*holds) {
        moment = momentBefore;
        frame = frameBefore;
        continue;
      }
    }
    ++breakpoint.hits;
    return stop;
  }
  return std::nullopt;
}

bool Debugger::canStopIn(uint64_t program) const {
  return hasCalls || catchesNans || catchesInfinities || !watches.empty() ||
         llvm::any_of(breakpoints,
                      [&](const Breakpoint &b) { return !b.program || *b.program == program; });
}

llvm::Expected<Stop> Debugger::resume(Direction direction) {
  TILERUN_TRY_ERROR(requireStarted());
  if (direction == Direction::Back) {
    for (size_t at = moment; at-- > 0;) {
      if (std::optional<Stop> stop = findWrite(at, at + 1)) {
        (void)arrive(at, stop->reason);
        return *stop;
      }
      if (std::optional<Stop> stop = findStop(at))
        return *stop;
    }
    return arrive(0, Stop::Reason::ProgramBegin);
  }
  for (size_t at = moment;;) {
    const size_t end = recording->getEnd();
    for (; at < end; ++at) {
      if (std::optional<Stop> stop = findWrite(at, at + 1)) {
        (void)arrive(at + 1, stop->reason);
        return *stop;
      }
      if (at + 1 == end)
        break;
      if (std::optional<Stop> stop = findStop(at + 1))
        return *stop;
    }
    if (!recording->fault.empty())
      return moveTo(end);
    uint64_t program = recording->program + 1;
    while (program < debuggee.getNumPrograms() && !canStopIn(program))
      ++program;
    passEnd();
    if (program == debuggee.getNumPrograms()) {
      // At the end of the last program, from where it goes back.
      if (recording->program + 1 < program)
        TILERUN_TRY_ERROR(record(program - 1));
      if (!recording->fault.empty())
        return moveTo(recording->getEnd());
      passEnd();
      ended = true;
      return arrive(recording->getEnd(), Stop::Reason::LaunchEnd);
    }
    TILERUN_TRY_ERROR(record(program));
    at = 0;
    (void)arrive(0, Stop::Reason::Step);
    if (recording->getEnd() > 0)
      if (std::optional<Stop> stop = findStop(0))
        return *stop;
  }
}

llvm::Expected<const interp::Birth *> Debugger::findBirth(bool isNan) {
  uint64_t program = recording && !ended ? recording->program : 0;
  for (;; ++program) {
    if (!recording || recording->program != program)
      TILERUN_TRY_ERROR(start(program).takeError());
    for (const interp::Birth &birth : recording->births)
      if (birth.isNan == isNan)
        return &birth;
    if (program + 1 == debuggee.getNumPrograms() || !recording->fault.empty())
      return nullptr;
  }
}

Stop Debugger::show(const interp::Birth &birth) { return arrive(birth.moment, Stop::Reason::Goto); }
