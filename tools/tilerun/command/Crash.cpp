// Crash handling. Apart from Output.cpp because what runs in a signal handler has rules of its own:
// it only writes text that was prepared before, by system calls.
#include "tools/tilerun/command/Crash.h"

#include "tools/tilerun/command/CommandLine.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <fcntl.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::command;

namespace {

enum class Launched : int { No, Text, Json };
std::atomic<Launched> launched = Launched::No;
std::atomic<int> output = STDOUT_FILENO;

/// Allocated once and kept: other threads may crash while main() returns.
struct Reproducer {
  std::string path;
  std::string content;
};
Reproducer *reproducer = nullptr;

void put(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(static_cast<size_t>(written));
  }
}

#define TILERUN_FAULT                                                                              \
  "crashed while or after a kernel ran without checks; an access out of bounds does this. Run "    \
  "the same launch by 'tilerun check'."

/// Before the stack is printed, because that allocates, which may not survive a broken heap.
void explain(void *) {
  Launched how = launched;
  if (how == Launched::No) {
    put(STDERR_FILENO, "tilerun: internal error: crashed; the stack follows\n");
    return;
  }
  put(STDERR_FILENO, "tilerun: error: " TILERUN_FAULT "\n");
  if (how == Launched::Json)
    put(output, "{\n  \"diagnostics\": [],\n  \"exit_code\": 5,\n  \"message\": "
                "\"" TILERUN_FAULT "\",\n  \"status\": \"fault\"\n}\n");
  ::_exit(static_cast<int>(ExitCode::Fault));
}

void finish(void *) {
  int file = ::open(reproducer->path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    put(file, reproducer->content);
    ::close(file);
    put(STDERR_FILENO, "tilerun: this is a bug in Tilerun; please report it with the stack above, "
                       "the kernel's file and '");
    put(STDERR_FILENO, reproducer->path);
    put(STDERR_FILENO, "'\n");
  }
  ::_exit(static_cast<int>(ExitCode::Internal));
}

} // namespace

void command::noteUncheckedLaunch(bool json) { launched = json ? Launched::Json : Launched::Text; }

void command::setCrashOutput(int file) { output = file; }

void command::installCrashHandler(int argc, const char *const *argv) {
  reproducer = new Reproducer;
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "tilerun-crash-" + llvm::Twine(::getpid()) + ".txt");
  reproducer->path = path.str().str();
  llvm::SmallString<128> folder;
  if (!llvm::sys::fs::current_path(folder))
    reproducer->content = ("folder: " + folder + "\n").str();
  for (int i = 0; i < argc; ++i)
    reproducer->content += "argument: " + std::string(argv[i]) + "\n";
  llvm::sys::AddSignalHandler(explain, nullptr);
  llvm::sys::PrintStackTraceOnErrorSignal(argc > 0 ? argv[0] : "tilerun");
  llvm::sys::AddSignalHandler(finish, nullptr);
}
