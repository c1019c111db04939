// Both sides of the probe, and where its helper lies.
#include "runtime/plugin/Probe.h"

#include "runtime/plugin/Child.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::plugin;

//===----------------------------------------------------------------------===//
// The child's side
//===----------------------------------------------------------------------===//

int plugin::runProbe(const char *file, int fd) {
  std::string reason, report;
  std::shared_ptr<const Plugin> plugin = Plugin::load(file, reason);
  if (plugin) {
    const TilerunPlugin &table = plugin->getTable();
    report +=
        makeReportLine({"plugin", table.name, table.version,
                        std::to_string(table.abi_major) + "." + std::to_string(table.abi_minor),
                        table.description});
    for (const std::string &target : plugin->getTargets())
      report += makeReportLine({"target", target});
    for (const DeviceInfo &device : plugin->getDevices(reason))
      report += makeReportLine({"device", std::to_string(device.ordinal), device.id, device.uuid,
                                device.name, device.target});
    if (!reason.empty())
      report += makeReportLine({"none", reason});
  } else {
    report += makeReportLine({"unusable", reason});
  }
  report += "end\n"; // Without it the report is not whole.
  return writeReport(fd, report) ? kHelperStatus : 1;
}

//===----------------------------------------------------------------------===//
// The parent's side
//===----------------------------------------------------------------------===//

static ProbeReport parseReport(const ChildResult &child) {
  ProbeReport report;
  for (const std::string &line : child.getLines()) {
    std::vector<std::string> fields = splitReportLine(line, 6);
    if (fields[0] == "plugin") {
      report.name = fields[1];
      report.version = fields[2];
      report.abi = fields[3];
      report.description = fields[4];
    } else if (fields[0] == "target") {
      report.targets.push_back(fields[1]);
    } else if (fields[0] == "device") {
      uint32_t ordinal = static_cast<uint32_t>(std::strtoul(fields[1].c_str(), nullptr, 10));
      report.devices.push_back({ordinal, fields[2], fields[3], fields[4], fields[5]});
    } else if (fields[0] == "none") {
      report.noDevices = fields[1];
    } else if (fields[0] == "unusable") {
      report.reason = fields[1];
    }
  }
  return report;
}

ProbeReport plugin::probe(const std::string &helper, const std::string &file,
                          std::chrono::milliseconds timeout) {
  ChildResult child = runChild({helper, file}, timeout, kHelperStatus);
  ProbeReport report;
  if (child.end == ChildResult::End::Whole || child.isEnding)
    report = parseReport(child);
  // A plugin that cannot be used needs no second reason.
  if (child.end == ChildResult::End::Whole || !report.reason.empty())
    return report;
  report.reason = child.end == ChildResult::End::NotStarted
                      ? "it cannot be probed: '" + helper + "': " + child.describe(timeout)
                      : child.describe(timeout);
  return report;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::string plugin::getOwnFolder() {
  Dl_info info;
  void *map = nullptr;
  char path[PATH_MAX];
  if (dladdr1(reinterpret_cast<void *>(&plugin::getOwnFolder), &info, &map, RTLD_DL_LINKMAP) == 0)
    return "";
  // The link map of the executable has no name, and dladdr's is what the shell was given.
  const char *name = static_cast<link_map *>(map)->l_name;
  if (!realpath(name && *name ? name : "/proc/self/exe", path))
    return "";
  std::string file = path;
  return file.substr(0, file.rfind('/'));
}

std::string plugin::findHelper(const std::string &name) {
  std::string own = getOwnFolder();
  for (const char *place : {"/", "/../bin/", "/../libexec/tilerun/"})
    if (!own.empty() && access((own + place + name).c_str(), X_OK) == 0)
      return own + place + name;
  return "";
}

std::string plugin::findProbeHelper() { return findHelper("tilerun-plugin-probe"); }
