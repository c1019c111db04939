// Runs a helper in its own process that reports through file descriptor 3, because a plugin may
// write anything to the standard streams. The helper and all processes that it started are gone
// afterwards.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::plugin {

struct ChildResult {
  enum class End {
    Whole,      ///< The report ended with a line "end".
    Exited,     ///< It ended before that, with `status`.
    Signalled,  ///< It died of the signal `status`.
    Gone,       ///< It ended before that, and the host's handling of SIGCHLD hides why.
    Late,       ///< It was killed, because the time was over.
    NotStarted, ///< `status` is errno.
  };
  End end = End::NotStarted;
  int status = 0;
  bool isEnding = false; ///< Its report was complete; `end` happened at its exit.
  std::string report;    ///< Lines; the last may be cut off unless it is whole.
  std::vector<std::string> getLines() const;
  /// "it crashes: Segmentation fault" and the like; empty if it is whole, and ended as it should.
  std::string describe(std::chrono::milliseconds timeout) const;
};

/// Runs `command` (the first is the program's path) without input and without output other than
/// the report. Any thread. With `exitStatus` the helper also has to end by itself, with that
/// status, within the time: a plugin stays loaded until the end of its host, whose end it may
/// spoil. Without, it is killed once its report is whole.
ChildResult runChild(const std::vector<std::string> &command, std::chrono::milliseconds timeout,
                     std::optional<int> exitStatus = std::nullopt);

/// The texts between separators: one more than there are of these.
std::vector<std::string> split(const std::string &text, char separator);
/// One line of a report. Fields are separated by tabs, and what they hold cannot break that.
std::string makeReportLine(std::vector<std::string> fields);
/// Its fields; as many as there are, filled up to `atLeast`.
std::vector<std::string> splitReportLine(const std::string &line, size_t atLeast);
/// Writes all of it; false if the reader is gone.
bool writeReport(int fd, const std::string &text);

constexpr int kReportFd = 3;
/// The status of a helper that has finished: one that a plugin which calls exit() is unlikely to
/// use.
constexpr int kHelperStatus = 113;

} // namespace tilerun::plugin
