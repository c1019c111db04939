// `tilerun debug`: a launch on the interpreter under a debugger, by commands.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Trace.h"
#include "tools/tilerun/debug/Shell.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

#include <cstdio>

using namespace tilerun;
using namespace tilerun::command;

namespace {

/// Lines of stdin, or of a file.
class Lines {
public:
  static llvm::Expected<Lines> open(const std::string &path) {
    std::FILE *file = path.empty() ? stdin : std::fopen(path.c_str(), "r");
    if (!file)
      return makeUsageError("--commands: cannot read '" + path + "'");
    return Lines(file);
  }
  Lines(Lines &&other) : file(std::exchange(other.file, nullptr)) {}
  Lines &operator=(Lines &&) = delete;
  ~Lines() {
    if (file && file != stdin)
      std::fclose(file);
    std::free(text);
  }
  /// None at the end.
  std::optional<llvm::StringRef> next() {
    const ssize_t length = getline(&text, &capacity, file);
    if (length < 0)
      return std::nullopt;
    return llvm::StringRef(text, static_cast<size_t>(length)).rtrim("\r\n");
  }

private:
  explicit Lines(std::FILE *file) : file(file) {}
  std::FILE *file;
  char *text = nullptr;
  size_t capacity = 0;
};

} // namespace

/// Runs commands until they end. At a terminal a wrong one is reported; in a script it is the last.
static llvm::Error runCommands(debug::Shell &shell, Lines &lines, bool isInteractive) {
  llvm::raw_ostream &os = llvm::outs();
  while (!shell.wantsToQuit()) {
    if (isInteractive)
      os << "(tilerun) ";
    os.flush();
    std::optional<llvm::StringRef> line = lines.next();
    if (!line)
      return llvm::Error::success();
    if (!isInteractive && !line->trim().empty())
      os << "(tilerun) " << *line << "\n";
    llvm::Error error = shell.execute(*line);
    if (!error)
      continue;
    if (!isInteractive)
      return withExitCode(std::move(error), ExitCode::Usage);
    os << "error: " << llvm::toString(std::move(error)) << "\n";
  }
  return llvm::Error::success();
}

/// The kernel of a session with its arguments, ready to run.
static llvm::Expected<std::unique_ptr<debug::Debuggee>> prepare(Session &session,
                                                                uint64_t &program) {
  const Options &options = session.options;
  if (llvm::StringRef(options.target).starts_with("-::") && options.commands.empty())
    return makeUsageError(
        "the kernel's file is stdin, which has the commands; name a file, or give "
        "--commands FILE");
  TILERUN_TRY_VALUE(device, openDevice("cpu", kUnpooled));
  TILERUN_TRY_ERROR(session.load(options.target));
  TILERUN_TRY_VALUE(binding, bindArguments(session));
  TILERUN_TRY_ERROR(bindGrid(session, binding, *device));
  TILERUN_TRY_ERROR(checkSurplus(session));
  if (!options.allowOverlap)
    TILERUN_TRY_ERROR(checkOverlap(binding));
  TILERUN_TRY_VALUE(wanted, findProgram(options, binding));
  program = wanted;
  TILERUN_TRY_VALUE(debuggee, makeDebuggee(session, binding));
  session.getDiagnostics().print(llvm::errs(), useColor(options.color, llvm::errs()));
  return std::move(debuggee);
}

llvm::Expected<ExitCode> command::runDebug(Session &session) {
  const Options &options = session.options;
  TILERUN_TRY_VALUE(lines, Lines::open(options.commands));
  uint64_t program = 0;
  TILERUN_TRY_VALUE(debuggee, prepare(session, program));
  SourceManager &sources = session.frontend.getSources();
  debug::Debugger debugger(*debuggee, sources);
  const std::string file = sources.getName(session.kernel->def->nameRange.begin.file).str();
  debug::Shell shell(debugger, file, program, llvm::outs());
  const bool isInteractive =
      options.commands.empty() && llvm::sys::Process::StandardInIsUserInput();
  TILERUN_TRY_ERROR(runCommands(shell, lines, isInteractive));
  return ExitCode::Ok;
}
