// See Child.h.
#include "runtime/plugin/Child.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::plugin;
using Clock = std::chrono::steady_clock;

static constexpr size_t kMaxReport = 1 << 20;

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

std::string plugin::makeReportLine(std::vector<std::string> fields) {
  std::string line;
  for (std::string &field : fields) {
    for (char &c : field)
      if (c == '\t' || c == '\n')
        c = ' ';
    line += (&field == &fields.front() ? "" : "\t") + field;
  }
  return line + "\n";
}

std::vector<std::string> plugin::split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string> plugin::splitReportLine(const std::string &line, size_t atLeast) {
  std::vector<std::string> fields = split(line, '\t');
  fields.resize(std::max(fields.size(), atLeast));
  return fields;
}

bool plugin::writeReport(int fd, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t count = write(fd, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    at += static_cast<size_t>(count);
  }
  return true;
}

std::vector<std::string> ChildResult::getLines() const {
  std::vector<std::string> lines = split(report, '\n');
  lines.pop_back(); // What follows the last end of a line.
  return lines;
}

std::string ChildResult::describe(std::chrono::milliseconds timeout) const {
  if (isEnding && end != End::Whole) {
    const std::string when = " when its process ends";
    return end == End::Late        ? "it hangs" + when + ": it is not done within " +
                                         std::to_string(timeout.count()) + " ms"
           : end == End::Signalled ? "it crashes" + when + ": " + strsignal(status)
                                   : "it changes the status of its process, when that ends, to " +
                                         std::to_string(status);
  }
  switch (end) {
  case End::Whole:
    return "";
  case End::Late:
    return "it hangs: no answer within " + std::to_string(timeout.count()) + " ms";
  case End::Signalled:
    return std::string("it crashes: ") + strsignal(status);
  case End::Exited:
    return "it ends the process with status " + std::to_string(status);
  case End::Gone:
    return "it ends the process, with a status that is not known (this process ignores SIGCHLD, or "
           "waits for every child)";
  case End::NotStarted:
    return std::string("the helper cannot be started: ") + std::strerror(status);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

// Moves a descriptor above the child's own four, which would overwrite it in the child; a host may
// have closed its standard ones. On failure it is closed, and -1.
static int moveAbove(int fd) {
  if (fd > kReportFd)
    return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, kReportFd + 1);
  int error = errno;
  close(fd);
  errno = error;
  return moved;
}

// Starts it in a process group of its own, with the pipe's end as its descriptor 3.
static int start(std::vector<std::string> command, int end, pid_t &child) {
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
  // An ignored SIGCHLD would be inherited.
  sigset_t children = none;
  sigaddset(&children, SIGCHLD);
  posix_spawnattr_setsigdefault(&attributes, &children);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char *> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  int error =
      posix_spawn(&child, command[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static bool isWhole(const std::string &text) {
  return text == "end\n" || (text.size() >= 5 && text.compare(text.size() - 5, 5, "\nend\n") == 0);
}

// Reads until the child has closed the pipe: it has finished, or died. True if the time is over.
static bool readReport(int fd, std::string &text, Clock::time_point deadline) {
  while (text.size() < kMaxReport) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd poller = {fd, POLLIN, 0};
    int ready = left > 0 ? poll(&poller, 1, static_cast<int>(std::min<int64_t>(left, INT_MAX))) : 0;
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return true;
    char buffer[4096];
    ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text.append(buffer, static_cast<size_t>(count));
    // Output at process exit is not part of the report.
    if (isWhole(text))
      return false;
  }
  return true; // No report is that long; it would continue forever.
}

ChildResult plugin::runChild(const std::vector<std::string> &command,
                             std::chrono::milliseconds timeout, std::optional<int> exitStatus) {
  ChildResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.status = errno;
    return result;
  }
  for (int &end : ends)
    if (end = moveAbove(end); end < 0) {
      result.status = errno;
      for (int other : ends)
        if (other >= 0)
          close(other);
      return result;
    }
  pid_t child = -1;
  int error = start(command, ends[1], child);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    result.status = error;
    return result;
  }
  Clock::time_point deadline = Clock::now() + timeout;
  bool late = readReport(ends[0], result.report, deadline);
  close(ends[0]);
  bool whole = isWhole(result.report);
  int status = 0;
  bool gone = false, known = true;
  // A host that ignores SIGCHLD, or waits for every child, has taken the status: then the reason of
  // the child's end is unknown.
  auto wait = [&](int flags) {
    pid_t waited;
    do
      waited = waitpid(child, &status, flags);
    while (waited < 0 && errno == EINTR);
    known = waited >= 0;
    gone = waited != 0;
  };
  // A child that closed the pipe without a report is probably dying, and its status says why; but
  // it may also have closed the pipe and gone on.
  while ((!whole || exitStatus) && !late && !gone) {
    wait(WNOHANG);
    late = !gone && Clock::now() > deadline;
    if (!gone && !late)
      usleep(1000);
  }
  // Kill its group too, so that no process that the plugin started remains.
  kill(-child, SIGKILL);
  if (!gone)
    wait(0);
  using End = ChildResult::End;
  result.end = late ? End::Late : known ? End::Exited : End::Gone;
  if (result.end == End::Exited) {
    result.end = WIFSIGNALED(status) ? End::Signalled : End::Exited;
    result.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  // If it was killed, or its end is unknown, only the report counts.
  bool asItShould = result.end == End::Exited && result.status == exitStatus;
  result.isEnding = whole && exitStatus;
  if (whole && (!exitStatus || asItShould || result.end == End::Gone))
    result.end = End::Whole;
  return result;
}
