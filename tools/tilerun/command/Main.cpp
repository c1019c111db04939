// Dispatch to the subcommands, and the one place where errors become exit codes.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Emulate.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Session.h"
#include "tools/tilerun/command/Timing.h"

#include "llvm/Config/llvm-config.h"

using namespace tilerun;
using namespace tilerun::command;

static ExitCode runVersion(const Options &options) {
  if (options.json)
    printJson(
        llvm::json::Object{{"version", jsonText(llvm::StringRef(getVersion()).split(' ').first)},
                           {"llvm", LLVM_VERSION_STRING}});
  else
    llvm::outs() << "tilerun " << getVersion() << "\n";
  return ExitCode::Ok;
}

static llvm::Expected<ExitCode> dispatch(Session &session) {
  switch (session.options.command) {
  case Options::Command::Run:
  case Options::Command::Check:
    return runLaunch(session);
  case Options::Command::Compile:
    return runCompile(session);
  case Options::Command::Layout:
    return runLayout(session.options);
  case Options::Command::List:
    return runList(session);
  case Options::Command::Devices:
    return runDevices(session.options);
  case Options::Command::Doctor:
    return runDoctor(session.options);
  case Options::Command::PluginCheck:
    return runPluginCheck(session.options);
  case Options::Command::Demo:
    return runDemo(session.options);
  case Options::Command::Cache:
    return runCache(session.options);
  case Options::Command::Corpus:
    return runCorpus(session.options);
  case Options::Command::Tune:
    return runTune(session);
  case Options::Command::Completion:
    return runCompletion(session.options);
  case Options::Command::Complete:
    return runComplete(session);
  case Options::Command::Bench:
    return runBench(session.options);
  case Options::Command::Explain:
    return runExplain(session);
  case Options::Command::Debug:
    return runDebug(session);
  case Options::Command::Show:
    return runShow(session);
  case Options::Command::Lsp:
    return runLsp(session.options);
  case Options::Command::Man:
    return runMan(session.options);
  case Options::Command::Version:
    return runVersion(session.options);
  }
  llvm_unreachable("unknown command");
}

static std::string findNear(const std::string &word, const std::vector<std::string> &candidates) {
  std::vector<llvm::StringRef> names(candidates.begin(), candidates.end());
  return findNearName(word, names).value_or("").str();
}

/// `code`, unless the result could not be written in full.
static ExitCode finishOutput(ExitCode code) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  llvm::errs() << "tilerun: error: cannot write to stdout: " << llvm::outs().error().message()
               << "\n";
  llvm::outs().clear_error();
  return ExitCode::Usage;
}

ExitCode command::runCommand(int argc, const char *const *argv) {
  Options options;
  std::string message;
  if (std::optional<ExitCode> done = parseCommandLine(argc, argv, options, message, findNear)) {
    if (message.empty())
      return *done;
    // A command line that was not understood may not have got as far as --json.
    options.json = llvm::is_contained(llvm::ArrayRef(argv, argc), llvm::StringRef("--json"));
    reportError(makeCommandError(*done, message), options, nullptr);
    // The help of the intended subcommand, as far as it is known.
    llvm::StringRef first = argc > 1 ? argv[1] : "";
    bool known = llvm::is_contained(getSubcommands(), first);
    llvm::errs() << "run 'tilerun --help', or 'tilerun " << (known ? first : "run")
                 << " --help', for examples\n";
    return finishOutput(*done);
  }
  if (options.color == Color::Always) {
    // Streams that are not terminals have no colours by default.
    llvm::outs().enable_colors(true);
    llvm::errs().enable_colors(true);
  }
  // For every frontend of this process, also that of the library that tunes.
  if (options.maxOperations)
    setenv(Frontend::kMaxOperations, std::to_string(*options.maxOperations).c_str(), 1);
  if (options.strictTriton)
    setenv(Frontend::kStrict, "1", 1);
  if (llvm::Error error = startEmulation(options))
    return finishOutput(reportError(std::move(error), options, nullptr));
  if (llvm::Error error = readSchedule(options))
    return finishOutput(reportError(std::move(error), options, nullptr));
  TraceRecorder trace(options);
  if (llvm::Error error = trace.start())
    return finishOutput(reportError(std::move(error), options, nullptr));
  Session session(options);
  llvm::Expected<ExitCode> code = dispatch(session);
  ExitCode result =
      code ? *code : reportError(code.takeError(), options, &session.getDiagnostics());
  // Of a command that failed, too: the time until then may be what is looked for.
  if (llvm::Error error = trace.finish())
    result = reportError(std::move(error), options, nullptr);
  return finishOutput(result);
}
