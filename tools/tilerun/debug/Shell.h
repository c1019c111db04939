// The debugger's commands as lines of text, for people and scripts.
#pragma once

#include "tools/tilerun/debug/Debugger.h"

#include "llvm/Support/raw_ostream.h"

namespace tilerun::debug {

class Shell {
public:
  /// `file`: of the kernel, which line numbers alone are of. `program`: where `run` and `start`
  /// begin.
  Shell(Debugger &debugger, std::string file, uint64_t program, llvm::raw_ostream &os)
      : debugger(debugger), file(std::move(file)), program(program), os(os) {}

  /// Runs one command. An error says what is wrong with it.
  llvm::Error execute(llvm::StringRef line);
  bool wantsToQuit() const { return quit; }

private:
  struct Command;
  static llvm::ArrayRef<Command> getCommands();
  static const Command *findCommand(llvm::StringRef word, std::string &problem);

  llvm::Error help(llvm::StringRef rest);
  llvm::Error run(llvm::StringRef rest);
  llvm::Error start(llvm::StringRef rest);
  llvm::Error addBreakpoint(llvm::StringRef rest);
  llvm::Error addWatch(llvm::StringRef rest);
  llvm::Error remove(llvm::StringRef rest);
  llvm::Error setCaught(llvm::StringRef rest);
  llvm::Error print(llvm::StringRef rest);
  llvm::Error info(llvm::StringRef rest);
  llvm::Error printStack(llvm::StringRef rest);
  llvm::Error selectFrame(llvm::StringRef rest);
  llvm::Error list(llvm::StringRef rest);
  llvm::Error findBirth(bool isNan);
  llvm::Error move(llvm::StringRef count, llvm::function_ref<llvm::Expected<Stop>()> step);
  void report(const Stop &stop);
  void printPlace();
  void printBirth(const interp::Birth &birth);
  Debugger &debugger;
  const std::string file;
  uint64_t program;
  llvm::raw_ostream &os;
  unsigned listed = 0; ///< The last line that `list` showed.
  bool quit = false;
};

} // namespace tilerun::debug
