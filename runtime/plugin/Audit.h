// The audit of a plugin file: everything that can be found out without trusting it. The file is
// read here and loaded only in child processes, so that a plugin that crashes, hangs, exits or
// prints garbage is a line of the report.
#pragma once

#include "runtime/plugin/Probe.h"

namespace tilerun::plugin {

/// One finding.
struct AuditItem {
  enum class Verdict { Pass, Fail, Unsupported };
  std::string group; ///< "file", "table", "compile", "conformance"
  std::string name;
  Verdict verdict;
  std::string text; ///< The observation; may be empty for a pass.
};

struct AuditReport {
  std::string file;
  ProbeReport plugin; ///< Its own description.
  std::vector<AuditItem> items;
  size_t count(AuditItem::Verdict verdict) const;
  bool passed() const { return count(AuditItem::Verdict::Fail) == 0; }
};

struct AuditOptions {
  std::string probeHelper;       ///< tilerun-plugin-probe
  std::string conformanceHelper; ///< tilerun-conformance
  std::string bytecode;          ///< A file with a small kernel, for the plugin's compiler.
  std::chrono::milliseconds timeout{20000}; ///< Of loading, and of one target's compilation.
  std::chrono::milliseconds conformanceTimeout{300000};
  bool conformance = true;
  bool trustAll = false; ///< As DiscoveryOptions'.
};

AuditReport audit(const std::string &file, const AuditOptions &options);

/// The children's sides, in the probe helper. They report to `fd` and give the exit status.
/// The table's soundness, beyond what every load checks.
int runTableAudit(const char *file, int fd);
/// Compiles the kernel in `bytecode` for `target`, twice, and bytes that are not a kernel.
int runCompileAudit(const char *file, const char *bytecode, const char *target, int fd);

} // namespace tilerun::plugin
