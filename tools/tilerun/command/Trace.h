// Recordings of a kernel's programs on the interpreter, for `run --trace` and `debug`.
#pragma once

#include "tools/tilerun/command/Binding.h"
#include "tools/tilerun/debug/Debuggee.h"

namespace tilerun::command {

/// Loads the kernel of the session, and binds its arguments and grid for the interpreter.
llvm::Expected<Binding> bindOnInterpreter(Session &session);

/// The kernel of the session with its bound arguments, compiled for a debugger, or without its
/// events to be observed only. Diagnostics of the frontend are added to the session's.
llvm::Expected<std::unique_ptr<debug::Debuggee>>
makeDebuggee(Session &session, const Binding &binding, bool withEvents = true);

/// The linear index of the program that `--program` names; the first if nothing is given.
llvm::Expected<uint64_t> findProgram(const Options &options, const Binding &binding);

/// What variables got in one program, in order.
class VariableTrace {
public:
  /// Repeats the launch on the interpreter up to the program.
  static llvm::Expected<VariableTrace> make(Session &session, const Binding &binding);
  void print(llvm::raw_ostream &os) const;
  llvm::json::Object toJson() const;

private:
  struct Line {
    std::string text; ///< As --trace has it: "x", "x[0:4]".
    const interp::Assignment *assignment;
    std::optional<host::Value> value; ///< Of a slice.
  };
  llvm::Error collect(Session &session, llvm::ArrayRef<std::string> wanted);

  std::shared_ptr<debug::Debuggee> debuggee;
  interp::Recording recording;
  std::vector<Line> lines;
};

} // namespace tilerun::command
