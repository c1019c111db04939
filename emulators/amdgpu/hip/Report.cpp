// What becomes of a launch's findings, its counters and the instructions that it met.
#include "emulators/amdgpu/hip/Runtime.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

namespace tilerun::amdsim::hip {

namespace {

// Adds lines to a file, in one piece, so that lines of several processes do not mix.
void append(const char *variable, const std::string &path, const std::string &lines) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_Append | llvm::sys::fs::OF_Text);
  if (error)
    return complain(std::string(variable) + ": '" + path +
                    "' cannot be written: " + error.message());
  file.SetUnbuffered();
  file << lines;
}

// One line for each launch, to a file or to standard output.
void writeCounters(const std::string &path, const std::string &line) {
  if (path != "-")
    return append("TILERUN_AMDSIM_COUNTERS", path, line);
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

// A line for each instruction that no earlier launch of this process on such a device has met. They
// are written after each launch, because a process may end in many ways.
void writeCoverage(Runtime &runtime, const Target &target, const Counters &counters) {
  std::vector<bool> &met = runtime.met[&target];
  met.resize(rowCount());
  std::string lines;
  for (unsigned row = 0; row < counters.byRow.size(); ++row)
    if (counters.byRow[row] && !met[row]) {
      met[row] = true;
      lines += std::string(target.name) + " " +
               llvm::StringRef(rowAt(row).spellings).split('|').first.str() + "\n";
    }
  if (!lines.empty())
    append("TILERUN_AMDSIM_COVERAGE", runtime.coverage, lines);
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
  if (!runtime.coverage.empty())
    writeCoverage(runtime, target, result.counters);
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
