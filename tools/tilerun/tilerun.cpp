// The `tilerun` command.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Crash.h"

int main(int argc, char **argv) {
  tilerun::command::installCrashHandler(argc, argv);
  return static_cast<int>(tilerun::command::runCommand(argc, argv));
}
