// What becomes of a launch's findings and counters.
#include "emulators/amdgpu/hip/Runtime.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tilerun::amdsim::hip {

namespace {

// One line of JSON for each launch.
void writeCounters(const std::string &path, const Kernel &kernel, const LaunchOptions &options,
                   const LaunchResult &result) {
  const Counters &c = result.counters;
  uint64_t families[unsigned(Family::count)] = {};
  for (unsigned row = 0; row < c.byRow.size(); ++row)
    families[unsigned(rowAt(row).family)] += c.byRow[row];
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_Append | llvm::sys::fs::OF_Text);
  if (error)
    return complain("TILERUN_AMDSIM_LOG: '" + path + "' cannot be written: " + error.message());
  llvm::json::OStream json(file);
  json.object([&] {
    json.attribute("kernel", kernel.name);
    json.attributeArray("grid", [&] {
      for (uint32_t n : options.grid)
        json.value(n);
    });
    json.attribute("threads",
                   uint64_t(options.threads[0]) * options.threads[1] * options.threads[2]);
    json.attribute("findings", uint64_t(result.findings.size()));
    json.attribute("instructions", c.instructions);
    json.attributeObject("families", [&] {
      for (unsigned family = 0; family < std::size(families); ++family)
        if (families[family])
          json.attribute(familyName(Family(family)), families[family]);
    });
    json.attribute("matrix_flops", c.matrixFlops);
    json.attribute("barriers", c.barriers);
    json.attribute("lds_accesses", c.ldsAccesses);
    json.attribute("lds_phases", c.ldsPhases);
    json.attribute("lds_conflicts", c.ldsConflicts);
    json.attribute("global_accesses", c.globalAccesses);
    json.attribute("global_lines", c.globalLines);
    json.attribute("global_bytes", c.globalBytes);
  });
  file << "\n";
}

} // namespace

int finishLaunch(const Kernel &kernel, const LaunchOptions &options, const LaunchResult &result) {
  Runtime &runtime = getRuntime();
  std::lock_guard lock(runtime.textMutex);
  if (!runtime.log.empty())
    writeCounters(runtime.log, kernel, options, result);
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
