// The `tilerun` command.
#include "tools/tilerun/command/Commands.h"

int main(int argc, char **argv) {
  tilerun::command::installCrashHandler(argv[0]);
  return static_cast<int>(tilerun::command::runCommand(argc, argv));
}
