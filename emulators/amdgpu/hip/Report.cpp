// What becomes of a launch's findings and counters.
#include "emulators/amdgpu/hip/Runtime.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

namespace tilerun::amdsim::hip {

namespace {

// One line for each launch, to a file or to standard output.
void writeCounters(const std::string &path, const std::string &line) {
  if (path == "-") {
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
    return;
  }
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_Append | llvm::sys::fs::OF_Text);
  if (error)
    return complain("TILERUN_AMDSIM_COUNTERS: '" + path +
                    "' cannot be written: " + error.message());
  file << line;
}

} // namespace

int finishLaunch(const Target &target, const Kernel &kernel, const LaunchOptions &options,
                 const LaunchResult &result) {
  Runtime &runtime = getRuntime();
  std::lock_guard lock(runtime.textMutex);
  if (!runtime.counters.empty())
    writeCounters(runtime.counters,
                  countersJson(target, kernel, options, result.counters, result.findings.size()) +
                      "\n");
  int error = success;
  for (const Finding &finding : result.findings) {
    complain(finding.message());
    if (!isFault(finding.kind) && !runtime.findingsAreErrors)
      continue;
    bool isAddress = finding.kind == FindingKind::outOfBounds ||
                     finding.kind == FindingKind::ldsBounds ||
                     finding.kind == FindingKind::readOnly;
    if (!error)
      error = isAddress ? illegalAddress : launchFailure, runtime.lastFinding = finding.message();
  }
  return error;
}

} // namespace tilerun::amdsim::hip
