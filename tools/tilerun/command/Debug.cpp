// `tilerun debug`: a launch on the interpreter under a debugger, by commands or by an editor.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Trace.h"
#include "tools/tilerun/debug/AdapterServer.h"
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
  if (options.target.empty())
    return makeUsageError("TARGET is required: FILE.py::KERNEL");
  if (llvm::StringRef(options.target).starts_with("-::") &&
      (options.adapter || options.commands.empty()))
    return makeUsageError(
        "the kernel's file is stdin, which has the commands; name a file, or give "
        "--commands FILE");
  TILERUN_TRY_VALUE(binding, bindOnInterpreter(session));
  TILERUN_TRY_VALUE(wanted, findProgram(options, binding));
  program = wanted;
  TILERUN_TRY_VALUE(debuggee, makeDebuggee(session, binding));
  session.getDiagnostics().print(llvm::errs(), useColor(options.color, llvm::errs()));
  return std::move(debuggee);
}

/// A launch that an editor asked for, with what it refers to.
struct AdapterLaunch {
  explicit AdapterLaunch(const Options &given) : options(given), session(options) {}
  Options options;
  Session session;
  std::unique_ptr<debug::Debuggee> debuggee;
};

/// The text of an error whose reason the diagnostics may have.
static std::string explain(llvm::Error error, Session &session) {
  std::string text = llvm::toString(std::move(error));
  if (!text.empty())
    return text;
  llvm::raw_string_ostream os(text);
  session.getDiagnostics().print(os, /*color=*/false);
  return llvm::StringRef(text).rtrim().str();
}

/// The request's own arguments are added to those of the command line.
static llvm::Expected<debug::Launched> launch(const Options &given,
                                              const llvm::json::Object &arguments) {
  Options options = given;
  auto take = [&](llvm::StringRef key, std::string &text) {
    if (std::optional<llvm::StringRef> value = arguments.getString(key))
      text = value->str();
  };
  take("target", options.target);
  take("grid", options.grid);
  take("program", options.program);
  if (std::optional<bool> allow = arguments.getBoolean("allowOverlap"))
    options.allowOverlap = *allow;
  if (const llvm::json::Array *values = arguments.getArray("arguments"))
    for (const llvm::json::Value &value : *values) {
      std::optional<llvm::StringRef> text = value.getAsString();
      if (!text)
        return makeUsageError("'arguments' of the launch are texts, such as \"n=100\"");
      options.arguments.push_back(text->str());
    }
  auto made = std::make_shared<AdapterLaunch>(options);
  uint64_t program = 0;
  auto debuggee = prepare(made->session, program);
  if (!debuggee)
    return makeUsageError(explain(debuggee.takeError(), made->session));
  made->debuggee = std::move(*debuggee);
  return debug::Launched{made, made->debuggee.get(), &made->session.frontend.getSources(),
                         made->session.evaluator.getNames(), program};
}

llvm::Expected<ExitCode> command::runDebug(Session &session) {
  const Options &options = session.options;
  if (options.adapter) {
    debug::AdapterServer server(stdin, llvm::outs(), [&](const llvm::json::Object &arguments) {
      return launch(options, arguments);
    });
    TILERUN_TRY_ERROR(withExitCode(server.serve(), ExitCode::Usage));
    return ExitCode::Ok;
  }
  TILERUN_TRY_VALUE(lines, Lines::open(options.commands));
  uint64_t program = 0;
  TILERUN_TRY_VALUE(debuggee, prepare(session, program));
  SourceManager &sources = session.frontend.getSources();
  debug::Debugger debugger(*debuggee, sources, session.evaluator.getNames());
  const std::string file = sources.getName(session.kernel->def->nameRange.begin.file).str();
  debug::Shell shell(debugger, file, program, llvm::outs());
  const bool isInteractive =
      options.commands.empty() && llvm::sys::Process::StandardInIsUserInput();
  TILERUN_TRY_ERROR(runCommands(shell, lines, isInteractive));
  return ExitCode::Ok;
}
