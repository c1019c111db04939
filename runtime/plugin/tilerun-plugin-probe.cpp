// The helper that tries an unknown plugin in a process of its own. Not for people: it reports
// through file descriptor 3 (Child.h).
#include "runtime/plugin/Audit.h"
#include "runtime/plugin/Child.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>

using namespace tilerun::plugin;

int main(int argc, char **argv) {
  if (fcntl(kReportFd, F_GETFD) >= 0) {
    if (argc == 2)
      return runProbe(argv[1], kReportFd);
    if (argc == 3 && std::strcmp(argv[1], "--table") == 0)
      return runTableAudit(argv[2], kReportFd);
    if (argc == 5 && std::strcmp(argv[1], "--compile") == 0)
      return runCompileAudit(argv[2], argv[3], argv[4], kReportFd);
  }
  std::fputs("usage: tilerun-plugin-probe [--table] FILE.so 3>REPORT\n"
             "       tilerun-plugin-probe --compile FILE.so KERNEL.mlirbc TARGET 3>REPORT\n",
             stderr);
  return 2;
}
