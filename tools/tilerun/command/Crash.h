// What the command says, and the exit code it ends with, when a signal ends it.
#pragma once

#include <string>

namespace tilerun::command {

/// Turns fatal signals into messages and exit codes: 5 once a kernel has run without bounds checks
/// (what it broke may show later), else 70, with a stack and the path of a file that has the
/// command line. Call once, first in main().
void installCrashHandler(int argc, const char *const *argv);

/// From now on a crash is put down to the kernel. `json`: a JSON object tells it on stdout too.
void noteUncheckedLaunch(bool json);
/// Where a crash's JSON goes, while stdout itself is kept.
void setCrashOutput(int file);

} // namespace tilerun::command
