// Runs the conformance suite on a plugin file and prints the results: one line per case, a table
// last, or JSON. Exits with 0 if nothing failed that was not expected to, 1 if something did, 2 for
// a wrong command line or a plugin that cannot be used, 3 for a device that was required and is not
// there.
#include "tests/conformance/Suite.h"

#include "runtime/plugin/Child.h"
#include "runtime/plugin/Discovery.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

using namespace tilerun;
using namespace tilerun::conformance;

namespace {

struct Options {
  std::string file;
  std::string device; ///< Only this id.
  std::string filter; ///< Only cases with this in "group.name".
  bool json = false;
  bool requireDevice = false;
  bool report = false; ///< To another program, as it goes (runtime/plugin/Audit.cpp).
  std::map<std::string, std::string> expectedFailures; ///< Case to reason.
};

struct Row {
  std::string device, name, verdict, text;
  double milliseconds;
};

constexpr const char *kUsage =
    "usage: tilerun-conformance [--json] [--require-device] [--device ID] [--only TEXT]\n"
    "                           [--expected-failures FILE] [--report 3>REPORT] PLUGIN.so\n"
    "FILE has lines 'group.name: reason'; a case in it that passes counts as a failure.\n";

bool readExpected(const std::string &path, Options &options) {
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#')
      continue;
    size_t colon = line.find(": ");
    if (colon == std::string::npos) {
      std::fprintf(stderr, "%s:%d: not 'group.name: reason'\n", path.c_str(), number);
      return false;
    }
    options.expectedFailures[line.substr(0, colon)] = line.substr(colon + 2);
  }
  if (file.eof())
    return true;
  std::fprintf(stderr, "cannot read '%s'\n", path.c_str());
  return false;
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    auto value = [&]() -> const char * { return i + 1 < argc ? argv[++i] : nullptr; };
    if (argument == "--json") {
      options.json = true;
    } else if (argument == "--report") {
      options.report = true;
    } else if (argument == "--require-device") {
      options.requireDevice = true;
    } else if (argument == "--device" || argument == "--only" ||
               argument == "--expected-failures") {
      const char *text = value();
      if (!text)
        return false;
      if (argument == "--expected-failures") {
        if (!readExpected(text, options))
          return false;
      } else {
        (argument == "--device" ? options.device : options.filter) = text;
      }
    } else if (argument[0] != '-' && options.file.empty()) {
      options.file = argument;
    } else {
      return false;
    }
  }
  return !options.file.empty();
}

std::string quote(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Messages of Vulkan's validation layer, from the plugin's log: a case with a message fails.
std::mutex messagesMutex;
std::string messages;

void keepMessages(int32_t level, const char *text) noexcept {
  std::lock_guard lock(messagesMutex);
  if (std::string(text).rfind("validation ", 0) == 0)
    messages += (messages.empty() ? "" : "; ") + std::string(text);
  else if (level >= TILERUN_LOG_WARNING)
    std::fprintf(stderr, "warning: %s\n", text);
}

std::string takeMessages() {
  std::lock_guard lock(messagesMutex);
  return std::exchange(messages, "");
}

Row runCase(const plugin::Plugin &plugin, const plugin::DeviceInfo &info, const Case &entry,
            const Options &options) {
  std::string name = std::string(entry.group) + "." + entry.name;
  auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  {
    Context context(plugin, info);
    outcome = context.open();
    if (outcome.kind == Outcome::Kind::Pass)
      outcome = entry.run(context);
  }
  if (std::string said = takeMessages(); !said.empty())
    outcome = fail(said);
  double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  Row row = {info.id, name, "", outcome.text, milliseconds};
  auto expected = options.expectedFailures.find(name);
  bool isExpected = expected != options.expectedFailures.end();
  switch (outcome.kind) {
  case Outcome::Kind::Pass:
    row.verdict = isExpected ? "unexpected pass" : "pass";
    if (isExpected)
      row.text = "it was expected to fail: " + expected->second;
    break;
  case Outcome::Kind::Fail:
    row.verdict = isExpected ? "expected failure" : "FAIL";
    if (isExpected)
      row.text = expected->second + ": " + row.text;
    break;
  case Outcome::Kind::Unsupported:
    row.verdict = "unsupported";
    break;
  }
  return row;
}

void printJson(const plugin::Plugin &plugin, const std::vector<Row> &rows) {
  std::printf("{\"plugin\": %s, \"version\": %s, \"cases\": [", quote(plugin.getName()).c_str(),
              quote(plugin.getTable().version).c_str());
  const char *separator = "";
  for (const Row &row : rows) {
    std::printf("%s\n  {\"device\": %s, \"case\": %s, \"verdict\": %s, \"text\": %s, \"ms\": %.3f}",
                separator, quote(row.device).c_str(), quote(row.name).c_str(),
                quote(row.verdict).c_str(), quote(row.text).c_str(), row.milliseconds);
    separator = ",";
  }
  std::printf("\n]}\n");
}

// As an audit reads it.
std::string getReportLine(const Row &row) {
  bool good = row.verdict == "pass" || row.verdict == "expected failure";
  return plugin::makeReportLine({"item", "conformance", row.device + " " + row.name,
                                 good                           ? "pass"
                                 : row.verdict == "unsupported" ? "unsupported"
                                                                : "fail",
                                 row.text});
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  plugin::setLogHandler(keepMessages);
  std::shared_ptr<const plugin::Plugin> plugin;
  std::string reason =
      plugin::checkTrust(options.file, plugin::DiscoveryOptions::fromEnvironment().trustAll);
  if (reason.empty())
    plugin = plugin::Plugin::load(options.file, reason);
  if (!plugin) {
    std::fprintf(stderr, "tilerun-conformance: '%s' cannot be used: %s\n", options.file.c_str(),
                 reason.c_str());
    return 2;
  }
  std::vector<plugin::DeviceInfo> devices = plugin->getDevices(reason);
  if (devices.empty()) {
    std::printf("%s: no device: %s\n", plugin->getName().c_str(), reason.c_str());
    return options.requireDevice ? 3 : 0;
  }

  std::vector<Row> rows;
  std::map<std::string, int> counts;
  for (const plugin::DeviceInfo &info : devices) {
    if (!options.device.empty() && info.id != options.device)
      continue;
    // Kept open, so that the driver's own set-up is not repeated for each case.
    auto holder = std::make_unique<Context>(*plugin, info);
    Outcome opened = holder->open();
    for (const Case &entry : getAllCases()) {
      std::string name = std::string(entry.group) + "." + entry.name;
      if (name.find(options.filter) == std::string::npos)
        continue;
      if (entry.losesDevice)
        holder.reset();
      if (options.report)
        plugin::writeReport(plugin::kReportFd, plugin::makeReportLine({"begin", name}));
      Row row = runCase(*plugin, info, entry, options);
      if (options.report)
        plugin::writeReport(plugin::kReportFd, getReportLine(row));
      ++counts[row.verdict];
      if (!options.json) {
        std::printf("%-16s %-8s %-28s %7.1f ms%s%s\n", row.verdict.c_str(), row.device.c_str(),
                    row.name.c_str(), row.milliseconds, row.text.empty() ? "" : "  ",
                    row.text.c_str());
        std::fflush(stdout);
      }
      rows.push_back(std::move(row));
    }
  }
  if (rows.empty()) {
    std::fprintf(stderr, "tilerun-conformance: no such device or case\n");
    return 2;
  }
  if (options.report)
    plugin::writeReport(plugin::kReportFd, "end\n");
  if (options.json)
    printJson(*plugin, rows);
  else
    for (const auto &[verdict, count] : counts)
      std::printf("%s: %d\n", verdict.c_str(), count);
  return counts.count("FAIL") || counts.count("unexpected pass") ? 1 : 0;
}
