// The subcommands. Each prints its results and gives an error or an exit code.
#pragma once

#include "tools/tilerun/command/Output.h"

namespace tilerun {
class DiagnosticEngine;
}

namespace tilerun::command {

class Session;

llvm::Expected<ExitCode> runLaunch(Session &session); ///< `run` and `check`.
llvm::Expected<ExitCode> runCompile(Session &session);
llvm::Expected<ExitCode> runTune(Session &session);
llvm::Expected<ExitCode> runLayout(const Options &options);
llvm::Expected<ExitCode> runList(Session &session);
llvm::Expected<ExitCode> runLsp(const Options &options);
llvm::Expected<ExitCode> runDevices(const Options &options);
llvm::Expected<ExitCode> runDoctor(const Options &options);
llvm::Expected<ExitCode> runPluginCheck(const Options &options);
llvm::Expected<ExitCode> runDemo(const Options &options);
llvm::Expected<ExitCode> runCorpus(const Options &options);
llvm::Expected<ExitCode> runCache(const Options &options);
llvm::Expected<ExitCode> runMan(const Options &options);
llvm::Expected<ExitCode> runBench(const Options &options);
llvm::Expected<ExitCode> runExplain(Session &session);
llvm::Expected<ExitCode> runDebug(Session &session);
llvm::Expected<ExitCode> runShow(Session &session);
llvm::Expected<ExitCode> runCompletion(const Options &options);
/// Prints what may come next on a command line, for the scripts of `completion`.
llvm::Expected<ExitCode> runComplete(Session &session);
llvm::Expected<ExitCode> runTemplate(Session &session); ///< `run --template`.

/// The whole command: parses, dispatches, reports errors.
ExitCode runCommand(int argc, const char *const *argv);

} // namespace tilerun::command
