// Both sides of the probe: a line-based report through file descriptor 3, since a plugin may write
// anything to the standard streams.
#include "runtime/plugin/Probe.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::plugin;
using Clock = std::chrono::steady_clock;

static constexpr int kReportFd = 3;
static constexpr size_t kMaxReport = 1 << 20;

//===----------------------------------------------------------------------===//
// The child's side
//===----------------------------------------------------------------------===//

// Fields are separated by tabs and end with the line; what they hold must not break that.
static std::string makeLine(std::vector<std::string> fields) {
  std::string line;
  for (std::string &field : fields) {
    for (char &c : field)
      if (c == '\t' || c == '\n')
        c = ' ';
    line += (line.empty() ? "" : "\t") + field;
  }
  return line + "\n";
}

int plugin::runProbe(const char *file, int fd) {
  std::string reason, report;
  std::shared_ptr<const Plugin> plugin = Plugin::load(file, reason);
  if (plugin) {
    const TilerunPlugin &table = plugin->getTable();
    report += makeLine({"plugin", table.name, table.version,
                        std::to_string(table.abi_major) + "." + std::to_string(table.abi_minor),
                        table.description});
    for (const std::string &target : plugin->getTargets())
      report += makeLine({"target", target});
    for (const DeviceInfo &device : plugin->getDevices(reason))
      report += makeLine({"device", std::to_string(device.ordinal), device.id, device.uuid,
                          device.name, device.target});
    if (!reason.empty())
      report += makeLine({"none", reason});
  } else {
    report += makeLine({"unusable", reason});
  }
  report += "end\n"; // Without it the report is not whole.
  for (size_t at = 0; at < report.size();) {
    ssize_t count = write(fd, report.data() + at, report.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return 1;
    at += static_cast<size_t>(count);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The parent's side
//===----------------------------------------------------------------------===//

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

static ProbeReport parseReport(const std::string &text) {
  ProbeReport report;
  for (const std::string &line : split(text, '\n')) {
    std::vector<std::string> fields = split(line, '\t');
    fields.resize(std::max<size_t>(fields.size(), 6));
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

static ProbeReport unusable(std::string reason) {
  ProbeReport report;
  report.reason = std::move(reason);
  return report;
}

// Starts the helper in a process group of its own, with the pipe's end as its descriptor 3.
static int startHelper(const std::string &helper, const std::string &file, int end, pid_t &child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, end, kReportFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::string name = helper, argument = file;
  char *arguments[] = {name.data(), argument.data(), nullptr};
  int error = posix_spawn(&child, helper.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

ProbeReport plugin::probe(const std::string &helper, const std::string &file,
                          std::chrono::milliseconds timeout) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return unusable(std::string("it cannot be probed: pipe: ") + std::strerror(errno));
  // dup2 onto itself would leave the descriptor to close on exec.
  if (ends[1] == kReportFd) {
    int other = fcntl(ends[1], F_DUPFD_CLOEXEC, kReportFd + 1);
    close(ends[1]);
    ends[1] = other;
  }
  pid_t child = -1;
  int error = startHelper(helper, file, ends[1], child);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    return unusable("it cannot be probed: '" + helper + "': " + std::strerror(error));
  }

  // Until the child has closed the pipe: it is at its end, or died.
  std::string text;
  bool late = false;
  Clock::time_point deadline = Clock::now() + timeout;
  while (text.size() < kMaxReport) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd poller = {ends[0], POLLIN, 0};
    int ready = left > 0 ? poll(&poller, 1, static_cast<int>(std::min<int64_t>(left, INT_MAX))) : 0;
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0) {
      late = true;
      break;
    }
    char buffer[4096];
    ssize_t count = read(ends[0], buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    text.append(buffer, static_cast<size_t>(count));
    // What a plugin does when its process ends is not ours to wait for.
    if (text.size() >= 5 && text.compare(text.size() - 5, 5, "\nend\n") == 0)
      break;
  }
  close(ends[0]);
  bool whole = text.size() >= 5 && text.compare(text.size() - 5, 5, "\nend\n") == 0;
  // Its group too, so that nothing that the plugin started stays behind. A child that closed the
  // pipe without a report is dying by itself, and its status says of what.
  int status = 0;
  if (whole || late)
    kill(-child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);
  if (whole)
    return parseReport(text);
  if (late)
    return unusable("it hangs: no answer within " + std::to_string(timeout.count()) + " ms");
  if (WIFSIGNALED(status))
    return unusable(std::string("it crashes: ") + strsignal(WTERMSIG(status)));
  return unusable("it ends the process with status " + std::to_string(WEXITSTATUS(status)));
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

std::string plugin::findProbeHelper() {
  std::string own = getOwnFolder();
  for (const char *place : {"/tilerun-plugin-probe", "/../bin/tilerun-plugin-probe",
                            "/../libexec/tilerun/tilerun-plugin-probe"})
    if (!own.empty() && access((own + place).c_str(), X_OK) == 0)
      return own + place;
  return "";
}
