// `tilerun lsp`: the language server for editors.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/lsp/Server.h"

using namespace tilerun;
using namespace tilerun::command;

llvm::Expected<ExitCode> command::runLsp(const Options &) {
  lsp::Server server(stdin, llvm::outs());
  auto wasShutDown = server.serve();
  if (!wasShutDown)
    return withExitCode(wasShutDown.takeError(), ExitCode::Usage);
  // The protocol's own codes: 1 if the client ends without 'shutdown'.
  return *wasShutDown ? ExitCode::Ok : ExitCode::Mismatch;
}
