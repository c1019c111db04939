// The helper that tries an unknown plugin in a process of its own. Not for people: it reports
// through file descriptor 3 (Probe.cpp reads it).
#include "runtime/plugin/Probe.h"

#include <cstdio>
#include <fcntl.h>

int main(int argc, char **argv) {
  constexpr int kReportFd = 3;
  if (argc != 2 || fcntl(kReportFd, F_GETFD) < 0) {
    std::fputs("usage: tilerun-plugin-probe FILE.so 3>REPORT\n", stderr);
    return 2;
  }
  return tilerun::plugin::runProbe(argv[1], kReportFd);
}
