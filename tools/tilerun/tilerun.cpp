// The `tilerun` command.
#include "tools/tilerun/command/Commands.h"

#include "llvm/Support/Signals.h"

int main(int argc, char **argv) {
  // A crash shows its stack, and still ends by its signal.
  llvm::sys::PrintStackTraceOnErrorSignal(argv[0]);
  return static_cast<int>(tilerun::command::runCommand(argc, argv));
}
