// See Shell.h.
#include "tools/tilerun/debug/Shell.h"

#include "tools/tilerun/debug/Show.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::debug;
using Direction = Debugger::Direction;

struct Shell::Command {
  llvm::StringLiteral name, alias, syntax, help;
  llvm::Error (*execute)(Shell &shell, llvm::StringRef rest);
};

llvm::ArrayRef<Shell::Command> Shell::getCommands() {
  using Rest = llvm::StringRef;
  static constexpr Command kCommands[] = {
      {"run", "r", "[PROGRAM]", "start at a program, go to the first stop",
       [](Shell &s, Rest rest) { return s.run(rest); }},
      {"start", "", "[PROGRAM]", "stop at the first statement of a program, such as 2 or 2,0,1",
       [](Shell &s, Rest rest) { return s.start(rest); }},
      {"break", "b", "LINE [if CONDITION] [program PROGRAM]",
       "stop at a line; FILE:LINE for helpers",
       [](Shell &s, Rest rest) { return s.addBreakpoint(rest); }},
      {"watch", "w", "TENSOR[SLICE]", "stop at writes to memory that the kernel got",
       [](Shell &s, Rest rest) { return s.addWatch(rest); }},
      {"catch", "", "nan | inf | off",
       "stop at statements that make a NaN, or an infinity; or at none",
       [](Shell &s, Rest rest) { return s.setCaught(rest); }},
      {"delete", "d", "NUMBER", "remove a breakpoint or a watch",
       [](Shell &s, Rest rest) { return s.remove(rest); }},
      {"step", "s", "[COUNT]", "to the next statement, also of a function that is called",
       [](Shell &s, Rest rest) {
         return s.move(rest, [&] { return s.debugger.step(Direction::Forward); });
       }},
      {"next", "n", "[COUNT]", "to the next statement of this function",
       [](Shell &s, Rest rest) {
         return s.move(rest, [&] { return s.debugger.next(Direction::Forward); });
       }},
      {"finish", "fin", "", "out of this function, to the rest of the statement that called it",
       [](Shell &s, Rest rest) { return s.move(rest, [&] { return s.debugger.finish(); }); }},
      {"continue", "c", "[COUNT]", "to the next stop, in this program or a later one",
       [](Shell &s, Rest rest) {
         return s.move(rest, [&] { return s.debugger.resume(Direction::Forward); });
       }},
      {"back", "bs", "[COUNT]", "to the statement before, also of a function that was called",
       [](Shell &s, Rest rest) {
         return s.move(rest, [&] { return s.debugger.step(Direction::Back); });
       }},
      {"reverse-next", "rn", "[COUNT]", "to the statement before of this function",
       [](Shell &s, Rest rest) {
         return s.move(rest, [&] { return s.debugger.next(Direction::Back); });
       }},
      {"reverse-continue", "rc", "[COUNT]", "back to the stop before, in this program",
       [](Shell &s, Rest rest) {
         return s.move(rest, [&] { return s.debugger.resume(Direction::Back); });
       }},
      {"print", "p", "EXPRESSION", "a variable, a slice 'x[0:4, 1]', memory 'out[3]', 'max(x - y)'",
       [](Shell &s, Rest rest) { return s.print(rest); }},
      {"info", "i", "locals | breakpoints | program", "variables; stops; which program this is",
       [](Shell &s, Rest rest) { return s.info(rest); }},
      {"backtrace", "bt", "", "the calls that lead here",
       [](Shell &s, Rest rest) { return s.printStack(rest); }},
      {"frame", "f", "NUMBER", "look at another function of the backtrace",
       [](Shell &s, Rest rest) { return s.selectFrame(rest); }},
      {"list", "l", "[LINE]", "the source around a line",
       [](Shell &s, Rest rest) { return s.list(rest); }},
      {"nan", "", "", "go to the first operation that makes a NaN from operands without one",
       [](Shell &s, Rest) { return s.findBirth(true); }},
      {"inf", "", "", "the same of infinities", [](Shell &s, Rest) { return s.findBirth(false); }},
      {"help", "h", "[COMMAND]", "these lines", [](Shell &s, Rest rest) { return s.help(rest); }},
      {"quit", "q", "", "leave",
       [](Shell &s, Rest) -> llvm::Error {
         s.quit = true;
         return llvm::Error::success();
       }},
  };
  return kCommands;
}

/// By name, alias, or the beginning of a name that no other has.
const Shell::Command *Shell::findCommand(llvm::StringRef word, std::string &problem) {
  const Command *found = nullptr;
  std::vector<llvm::StringRef> names, near;
  for (const Command &command : getCommands()) {
    if (word == command.name || word == command.alias)
      return &command;
    names.push_back(command.name);
    if (!command.name.starts_with(word))
      continue;
    near.push_back(command.name);
    found = &command;
  }
  if (near.size() == 1)
    return found;
  problem = "'" + word.str() + "' is not a command";
  if (!near.empty())
    problem += "; it may be " + llvm::join(near, " or ");
  else if (auto name = findNearName(word, names))
    problem += "; did you mean '" + name->str() + "'?";
  else
    problem += "; 'help' lists them";
  return nullptr;
}

llvm::Error Shell::execute(llvm::StringRef line) {
  line = line.trim();
  if (line.empty() || line.starts_with("#"))
    return llvm::Error::success();
  auto [word, rest] = line.split(' ');
  std::string problem;
  const Command *command = findCommand(word, problem);
  if (!command)
    return host::makeError(problem);
  return command->execute(*this, rest.trim());
}

llvm::Error Shell::help(llvm::StringRef rest) {
  std::string problem;
  const Command *only = rest.empty() ? nullptr : findCommand(rest, problem);
  if (!rest.empty() && !only)
    return host::makeError(problem);
  for (const Command &command : getCommands()) {
    if (only && only != &command)
      continue;
    std::string left = command.name.str();
    if (!command.alias.empty())
      left += ", " + command.alias.str();
    if (!command.syntax.empty())
      left += " " + command.syntax.str();
    os << llvm::formatv("  {0,-46}{1}{2}\n", left, left.size() < 46 ? "" : "  ", command.help);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

llvm::Error Shell::start(llvm::StringRef rest) {
  uint64_t wanted = program;
  if (!rest.empty()) {
    TILERUN_TRY_VALUE(given, parseProgram(rest, debugger.getDebuggee().getGrid()));
    wanted = given;
  }
  return move("", [&] { return debugger.start(wanted); });
}

llvm::Error Shell::run(llvm::StringRef rest) {
  uint64_t wanted = program;
  if (!rest.empty()) {
    TILERUN_TRY_VALUE(given, parseProgram(rest, debugger.getDebuggee().getGrid()));
    wanted = given;
  }
  return move("", [&] { return debugger.run(wanted); });
}

llvm::Error Shell::move(llvm::StringRef count, llvm::function_ref<llvm::Expected<Stop>()> step) {
  unsigned times = 1;
  if (!count.empty() && (count.getAsInteger(10, times) || times == 0))
    return host::makeError("'" + count + "' is not a number of times, such as 3");
  for (unsigned i = 0; i < times; ++i) {
    TILERUN_TRY_VALUE(stop, step());
    const bool isLast = i + 1 == times || stop.reason == Stop::Reason::Fault ||
                        stop.reason == Stop::Reason::ProgramBegin ||
                        stop.reason == Stop::Reason::ProgramEnd ||
                        stop.reason == Stop::Reason::LaunchEnd;
    if (!isLast)
      continue;
    report(stop);
    break;
  }
  return llvm::Error::success();
}

void Shell::report(const Stop &stop) {
  using Reason = Stop::Reason;
  listed = 0;
  os << debugger.takeOutput();
  if (stop.reason == Reason::LaunchEnd) {
    const uint64_t programs = debugger.getDebuggee().getNumPrograms();
    os << "the launch has ended: " << programs << (programs == 1 ? " program\n" : " programs\n");
    return;
  }
  const std::string here = debugger.getDebuggee().describeProgram(debugger.getRecording().program);
  switch (stop.reason) {
  case Reason::Step:
  case Reason::Goto:
  case Reason::LaunchEnd:
    break;
  case Reason::Breakpoint:
    os << "breakpoint " << stop.id << ", " << here << "\n";
    if (!stop.detail.empty())
      os << stop.detail << "\n";
    break;
  case Reason::Call:
    os << "breakpoint() in " << here << "\n";
    break;
  case Reason::Watch:
    os << "watch " << stop.id << ": " << stop.detail << "\n";
    break;
  case Reason::Birth:
    os << "caught: " << stop.detail << "\n";
    break;
  case Reason::Fault:
    os << "fault: " << stop.detail << "\n";
    break;
  case Reason::ProgramBegin:
    os << "at the beginning of " << here << "\n";
    break;
  case Reason::ProgramEnd:
    break;
  }
  if (debugger.getMoment() == debugger.getRecording().getEnd())
    os << "at the end of " << here << "\n";
  else
    printPlace();
}

void Shell::printPlace() {
  const std::vector<StackFrame> stack = debugger.getStack();
  const StackFrame &frame = stack[debugger.getFrame()];
  const interp::Recording &recording = debugger.getRecording();
  os << recording.activations[frame.activation].function << " at " << formatPosition(frame.position)
     << "\n"
     << llvm::formatv("{0,5}  {1}\n", frame.position.line, debugger.getLine(frame.position));
}

//===----------------------------------------------------------------------===//
// Stops
//===----------------------------------------------------------------------===//

llvm::Error Shell::addBreakpoint(llvm::StringRef rest) {
  const std::string usage = "write 'break LINE [if CONDITION] [program PROGRAM]'";
  auto [place, after] = rest.split(' ');
  after = after.trim();
  auto [path, number] = place.rsplit(':');
  if (number.empty())
    std::swap(path, number);
  unsigned line = 0;
  if (number.getAsInteger(10, line) || line == 0)
    return host::makeError("'" + place + "' is not a line; " + usage);
  // The program comes last: a condition may have anything.
  std::optional<uint64_t> only;
  const size_t at = (" " + after.str()).rfind(" program ");
  if (at != std::string::npos) {
    TILERUN_TRY_VALUE(
        given, parseProgram(after.drop_front(at + 8).trim(), debugger.getDebuggee().getGrid()));
    only = given;
    after = after.take_front(at).trim();
  }
  llvm::StringRef condition = after;
  if (!condition.empty() && !condition.consume_front("if "))
    return host::makeError("'" + after + "' is not understood; " + usage);
  TILERUN_TRY_VALUE(made, debugger.addBreakpoint(path.empty() ? file : debugger.findFile(path),
                                                 line, condition.trim(), only));
  os << "breakpoint " << made->id << " at " << made->file << ":" << made->line;
  if (made->line != line)
    os << ", as line " << line << " has no statement";
  os << "\n";
  return llvm::Error::success();
}

llvm::Error Shell::addWatch(llvm::StringRef rest) {
  if (rest.empty())
    return host::makeError("write 'watch TENSOR' or 'watch TENSOR[SLICE]'");
  TILERUN_TRY_VALUE(made, debugger.addWatch(rest));
  os << "watch " << made->id << ": " << made->text << ", " << made->elements.size()
     << (made->elements.size() == 1 ? " element\n" : " elements\n");
  return llvm::Error::success();
}

llvm::Error Shell::setCaught(llvm::StringRef rest) {
  if (rest != "nan" && rest != "inf" && rest != "off")
    return host::makeError("write 'catch nan', 'catch inf' or 'catch off'");
  const bool stops = rest != "off";
  debugger.setCaught(stops && (rest == "nan" || debugger.catchesAny(true)),
                     stops && (rest == "inf" || debugger.catchesAny(false)));
  return llvm::Error::success();
}

llvm::Error Shell::remove(llvm::StringRef rest) {
  unsigned id = 0;
  if (rest.getAsInteger(10, id))
    return host::makeError("write 'delete NUMBER'; 'info breakpoints' lists them");
  return debugger.removeStop(id);
}

//===----------------------------------------------------------------------===//
// Values and places
//===----------------------------------------------------------------------===//

llvm::Error Shell::print(llvm::StringRef rest) {
  if (rest.empty())
    return host::makeError("write 'print EXPRESSION'");
  const interp::Assignment *variable = debugger.findVariable(rest);
  if (variable && !debugger.findMemory(rest)) {
    os << rest << " = " << describe(debugger.getDebuggee(), *variable) << "\n";
    return llvm::Error::success();
  }
  TILERUN_TRY_VALUE(value, debugger.evaluate(rest));
  os << rest << " = " << describe(value) << "\n";
  return llvm::Error::success();
}

llvm::Error Shell::info(llvm::StringRef rest) {
  if (rest == "locals") {
    for (const interp::Assignment *variable : debugger.getLocals(debugger.getFrame()))
      os << variable->getName() << " = " << describe(debugger.getDebuggee(), *variable) << "\n";
    return llvm::Error::success();
  }
  if (rest == "breakpoints") {
    for (const Breakpoint &b : debugger.getBreakpoints()) {
      os << b.id << ": " << b.file << ":" << b.line;
      if (!b.condition.empty())
        os << " if " << b.condition;
      if (b.program)
        os << " in " << debugger.getDebuggee().describeProgram(*b.program);
      os << ", " << b.hits << (b.hits == 1 ? " hit\n" : " hits\n");
    }
    for (const Watch &watch : debugger.getWatches())
      os << watch.id << ": watch " << watch.text << "\n";
    for (bool isNan : {true, false})
      if (debugger.catchesAny(isNan))
        os << "catch " << (isNan ? "nan\n" : "inf\n");
    return llvm::Error::success();
  }
  if (rest == "program") {
    const auto &grid = debugger.getDebuggee().getGrid();
    if (debugger.hasStarted()) {
      const size_t end = debugger.getRecording().getEnd();
      os << debugger.getDebuggee().describeProgram(debugger.getRecording().program) << ", ";
      if (debugger.getMoment() < end)
        os << "step " << debugger.getMoment() + 1 << " of " << end << ", ";
      else
        os << "its end, ";
    }
    os << "grid " << grid[0] << "x" << grid[1] << "x" << grid[2] << "\n";
    return llvm::Error::success();
  }
  return host::makeError("write 'info locals', 'info breakpoints' or 'info program'");
}

llvm::Error Shell::printStack(llvm::StringRef) {
  TILERUN_TRY_ERROR(debugger.setFrame(debugger.getFrame()));
  for (auto [i, frame] : llvm::enumerate(debugger.getStack()))
    os << (i == debugger.getFrame() ? "*" : " ") << i << "  "
       << debugger.getRecording().activations[frame.activation].function << " at "
       << formatPosition(frame.position) << "\n";
  return llvm::Error::success();
}

llvm::Error Shell::selectFrame(llvm::StringRef rest) {
  unsigned number = 0;
  if (rest.getAsInteger(10, number))
    return host::makeError("write 'frame NUMBER'; 'backtrace' has the numbers");
  TILERUN_TRY_ERROR(debugger.setFrame(number));
  printPlace();
  return llvm::Error::success();
}

llvm::Error Shell::list(llvm::StringRef rest) {
  constexpr unsigned kLines = 11;
  interp::SourcePosition position{file, 1, 1};
  if (debugger.hasStarted())
    position = debugger.getStack()[debugger.getFrame()].position;
  const unsigned current = debugger.hasStarted() ? position.line : 0;
  unsigned middle = listed ? listed + kLines / 2 + 1 : position.line;
  if (!rest.empty() && (rest.getAsInteger(10, middle) || middle == 0))
    return host::makeError("'" + rest + "' is not a line; write 'list LINE'");
  const unsigned first = middle > kLines / 2 ? middle - kLines / 2 : 1;
  const unsigned count = debugger.countLines(position);
  if (first > count)
    return host::makeError("the file has " + llvm::Twine(count) + " lines");
  for (position.line = first; position.line < first + kLines && position.line <= count;
       ++position.line)
    os << llvm::formatv("{0}{1,4}  {2}\n", position.line == current ? "*" : " ", position.line,
                        debugger.getLine(position));
  listed = position.line - 1;
  return llvm::Error::success();
}

llvm::Error Shell::findBirth(bool isNan) {
  TILERUN_TRY_VALUE(birth, debugger.findBirth(isNan));
  if (!birth) {
    os << "no program makes " << (isNan ? "a NaN" : "an infinity")
       << " or reads one, from here to the end of the launch\n";
    return llvm::Error::success();
  }
  const std::vector<std::string> lines =
      describe(debugger.getDebuggee(), debugger.getRecording(), *birth);
  for (const std::string &line : lines)
    os << (&line == &lines.front() ? "" : "  ") << line << "\n";
  report(debugger.show(*birth));
  return llvm::Error::success();
}
