// The message and exit code of the command when a signal ends it.
#pragma once

#include <string>

namespace tilerun::command {

/// Turns fatal signals into messages and exit codes: 5 once a kernel has run without bounds checks
/// (damage may show later), else 70, with a stack and the path of a file that contains the command
/// line. Call once, first in main().
void installCrashHandler(int argc, const char *const *argv);

/// From now on a crash is attributed to the kernel. `json`: also reports it as a JSON object on
/// stdout.
void noteUncheckedLaunch(bool json);
/// Where a crash's JSON goes, while stdout itself is kept.
void setCrashOutput(int file);

} // namespace tilerun::command
