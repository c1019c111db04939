// `tilerun plugin check`: prints the audit of a plugin file.
#include "runtime/plugin/Audit.h"
#include "runtime/plugin/Discovery.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/SmallKernel.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::command;
using plugin::AuditItem;
using plugin::AuditReport;

static llvm::StringRef getName(AuditItem::Verdict verdict) {
  constexpr llvm::StringLiteral names[] = {"pass", "FAIL", "unsupported"};
  return names[static_cast<size_t>(verdict)];
}

static void print(const AuditReport &report) {
  llvm::raw_ostream &os = llvm::outs();
  os << report.file << "\n";
  if (report.plugin.reason.empty() && !report.plugin.name.empty())
    os << llvm::formatv("plugin '{0}' {1}, ABI {2}: {3}\n", report.plugin.name,
                        report.plugin.version, report.plugin.abi, report.plugin.description);
  for (const AuditItem &item : report.items)
    os << llvm::formatv("{0,-12} {1,-12} {2}{3}{4}\n", getName(item.verdict), item.group, item.name,
                        item.text.empty() ? "" : ": ", item.text);
  os << llvm::formatv("{0}: {1} passed, {2} failed, {3} unsupported\n",
                      report.passed() ? "ok" : "FAILED", report.count(AuditItem::Verdict::Pass),
                      report.count(AuditItem::Verdict::Fail),
                      report.count(AuditItem::Verdict::Unsupported));
}

static llvm::json::Value toJson(const AuditReport &report) {
  auto describe = [](const AuditItem &item) {
    return llvm::json::Object{{"group", jsonText(item.group)},
                              {"name", jsonText(item.name)},
                              {"verdict", getName(item.verdict).lower()},
                              {"text", jsonText(item.text)}};
  };
  auto getId = [](const plugin::DeviceInfo &device) { return jsonText(device.id); };
  return llvm::json::Object{{"status", report.passed() ? "ok" : "mismatch"},
                            {"exit_code", report.passed() ? 0 : 1},
                            {"file", jsonText(report.file)},
                            {"plugin", jsonText(report.plugin.name)},
                            {"version", jsonText(report.plugin.version)},
                            {"abi", jsonText(report.plugin.abi)},
                            {"targets", jsonTexts(report.plugin.targets)},
                            {"devices", jsonArray(report.plugin.devices, getId)},
                            {"items", jsonArray(report.items, describe)}};
}

llvm::Expected<ExitCode> command::runPluginCheck(const Options &options) {
  if (!llvm::sys::fs::exists(options.pluginFile))
    return makeUsageError("'" + options.pluginFile + "' was not found");
  plugin::AuditOptions audit;
  audit.probeHelper = plugin::findProbeHelper();
  if (audit.probeHelper.empty())
    return makeCommandError(ExitCode::Unavailable,
                            "the helper tilerun-plugin-probe is not installed next to tilerun");
  audit.conformanceHelper = plugin::findHelper("tilerun-conformance");
  audit.conformance = options.conformance;
  audit.trustAll = plugin::DiscoveryOptions::fromEnvironment().trustAll;
  if (options.timeout > 0)
    audit.timeout = audit.conformanceTimeout =
        std::chrono::milliseconds(static_cast<int64_t>(options.timeout * 1000));

  // The kernel for the plugin's compiler, as a file that the child reads.
  llvm::SmallString<128> path;
  int fd = -1;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tilerun-audit", "mlirbc", fd, path))
    return makeUsageError("cannot write a temporary file: " + error.message());
  llvm::FileRemover remover(path);
  {
    std::vector<uint8_t> kernel = compileSmallKernel(options);
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << llvm::StringRef(reinterpret_cast<const char *>(kernel.data()), kernel.size());
    os.flush();
    if (os.has_error()) {
      std::string reason = os.error().message();
      os.clear_error();
      return makeUsageError("cannot write '" + path + "': " + reason);
    }
  }
  audit.bytecode = path.str().str();
  AuditReport report = [&] {
    Progress progress("checking " + options.pluginFile);
    return plugin::audit(options.pluginFile, audit);
  }();
  if (options.json)
    printJson(std::move(*toJson(report).getAsObject()));
  else
    print(report);
  return report.passed() ? ExitCode::Ok : ExitCode::Mismatch;
}
