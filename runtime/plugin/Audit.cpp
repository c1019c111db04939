// The parent's side of the audit: the order of the questions, and the meaning of the answers.
#include "runtime/plugin/Audit.h"

#include "runtime/plugin/Child.h"
#include "runtime/plugin/Discovery.h"
#include "runtime/plugin/ElfFile.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::plugin;
using Verdict = AuditItem::Verdict;

size_t AuditReport::count(Verdict verdict) const {
  return std::count_if(items.begin(), items.end(),
                       [&](const AuditItem &item) { return item.verdict == verdict; });
}

// "a, b, c and 7 more"
static std::string join(const std::vector<std::string> &names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

namespace {

class Audit {
public:
  Audit(const std::string &file, const AuditOptions &options) : options(options) {
    report.file = file;
  }

  AuditReport run() {
    if (!checkFile() || !checkLoad())
      return report;
    runTable();
    runCompile();
    if (options.conformance)
      runConformance();
    return report;
  }

private:
  void add(const char *group, std::string name, Verdict verdict, std::string text = "") {
    report.items.push_back({group, std::move(name), verdict, std::move(text)});
  }
  void judge(const char *group, std::string name, bool good, std::string text) {
    add(group, std::move(name), good ? Verdict::Pass : Verdict::Fail, std::move(text));
  }

  bool checkFile() {
    std::string wrong = checkElfFile(report.file, TILERUN_PLUGIN_ENTRY);
    judge("file", "shared-object", wrong.empty(), wrong);
    if (!wrong.empty())
      return false;
    wrong = checkTrust(report.file, options.trustAll);
    judge("file", "trusted", wrong.empty(), wrong);
    if (!wrong.empty())
      return false;
    ElfSymbols symbols = readElfSymbols(report.file);
    std::vector<std::string> surplus;
    for (const std::string &name : symbols.exported)
      if (name != TILERUN_PLUGIN_ENTRY)
        surplus.push_back(name);
    judge("file", "exports-the-entry-only", surplus.empty(),
          surplus.empty() ? "" : "it also exports " + join(surplus, 4));
    add("file", "needs", Verdict::Pass,
        join(symbols.libraries, 16) + "; " + std::to_string(symbols.undefined.size()) +
            " undefined symbols");
    return true;
  }

  bool checkLoad() {
    report.plugin = probe(options.probeHelper, report.file, options.timeout);
    const ProbeReport &plugin = report.plugin;
    judge("table", "loads", plugin.reason.empty(), plugin.reason);
    if (!plugin.reason.empty())
      return false;
    std::string prefix = plugin.name + ":";
    std::string wrong;
    for (const std::string &target : plugin.targets)
      if (target.compare(0, prefix.size(), prefix) != 0 || target.size() == prefix.size())
        wrong = "target '" + target + "' is not '" + prefix + "ARCH'";
    judge("table", "targets", wrong.empty(), wrong.empty() ? join(plugin.targets, 32) : wrong);
    if (plugin.devices.empty())
      // A machine without the device is not a fault of the plugin.
      judge("table", "devices", !plugin.noDevices.empty(), "none: " + plugin.noDevices);
    for (const DeviceInfo &device : plugin.devices)
      judge("table", "device " + device.id, !device.name.empty() && !device.target.empty(),
            device.name + ", " + device.target);
    return true;
  }

  // Lines "item GROUP NAME pass|fail|unsupported TEXT" of a child.
  void addLines(const ChildResult &child) {
    for (const std::string &line : child.getLines()) {
      std::vector<std::string> fields = splitReportLine(line, 5);
      if (fields[0] != "item")
        continue;
      Verdict verdict = fields[3] == "pass"          ? Verdict::Pass
                        : fields[3] == "unsupported" ? Verdict::Unsupported
                                                     : Verdict::Fail;
      report.items.push_back({fields[1], fields[2], verdict, fields[4]});
    }
  }

  void runTable() {
    ChildResult child =
        runChild({options.probeHelper, "--table", report.file}, options.timeout, kHelperStatus);
    addLines(child);
    if (child.end != ChildResult::End::Whole)
      add("table", "sound", Verdict::Fail, child.describe(options.timeout));
  }

  void runCompile() {
    if (report.plugin.targets.empty()) {
      add("compile", "targets", Verdict::Unsupported, "the plugin names no targets");
      return;
    }
    for (const std::string &target : report.plugin.targets) {
      ChildResult child =
          runChild({options.probeHelper, "--compile", report.file, options.bytecode, target},
                   options.timeout, kHelperStatus);
      addLines(child);
      if (child.end != ChildResult::End::Whole)
        add("compile", target, Verdict::Fail, child.describe(options.timeout));
    }
  }

  void runConformance() {
    if (report.plugin.devices.empty()) {
      add("conformance", "suite", Verdict::Unsupported,
          "no device was found: " + report.plugin.noDevices);
      return;
    }
    if (options.conformanceHelper.empty()) {
      add("conformance", "suite", Verdict::Fail,
          "the helper tilerun-conformance is not installed next to this program");
      return;
    }
    ChildResult child =
        runChild({options.conformanceHelper, "--report", report.file}, options.conformanceTimeout);
    addLines(child);
    if (child.end == ChildResult::End::Whole)
      return;
    // The case that was begun last is the one that did not return.
    std::string last = "the suite";
    for (const std::string &line : child.getLines())
      if (std::vector<std::string> fields = splitReportLine(line, 2); fields[0] == "begin")
        last = fields[1];
    add("conformance", last, Verdict::Fail, child.describe(options.conformanceTimeout));
  }

  const AuditOptions &options;
  AuditReport report;
};

} // namespace

AuditReport plugin::audit(const std::string &file, const AuditOptions &options) {
  return Audit(file, options).run();
}
