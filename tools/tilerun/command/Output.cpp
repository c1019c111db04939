// Errors, colours, JSON and progress.
#include "tools/tilerun/command/Output.h"

#include "tools/tilerun/command/Crash.h"

#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::command;

char CommandError::ID = 0;

llvm::Error command::makeCommandError(ExitCode code, const llvm::Twine &message) {
  return llvm::make_error<CommandError>(code, message.str());
}

llvm::Error command::withExitCode(llvm::Error error, ExitCode code) {
  llvm::Error out = llvm::Error::success();
  llvm::handleAllErrors(
      std::move(error),
      [&](std::unique_ptr<CommandError> e) {
        out = llvm::joinErrors(std::move(out), llvm::Error(std::move(e)));
      },
      [&](const llvm::ErrorInfoBase &e) {
        out = llvm::joinErrors(std::move(out), makeCommandError(code, e.message()));
      });
  return out;
}

bool command::useColor(Color color, llvm::raw_fd_ostream &stream) {
  if (color != Color::Auto)
    return color == Color::Always;
  const char *noColor = std::getenv("NO_COLOR");
  const char *terminal = std::getenv("TERM");
  return !(noColor && *noColor) && !(terminal && llvm::StringRef(terminal) == "dumb") &&
         stream.is_displayed();
}

llvm::StringRef command::getExitCodeName(ExitCode code) {
  constexpr std::pair<ExitCode, llvm::StringLiteral> names[] = {
      {ExitCode::Ok, "ok"},
      {ExitCode::Mismatch, "mismatch"},
      {ExitCode::Usage, "usage"},
      {ExitCode::Compile, "compile"},
      {ExitCode::Fault, "fault"},
      {ExitCode::Unavailable, "unavailable"},
      {ExitCode::Internal, "internal"}};
  return llvm::find_if(names, [&](const auto &row) { return row.first == code; })->second;
}

llvm::json::Value command::diagnosticsToJson(const DiagnosticEngine &diagnostics) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.printJson(os);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (value)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return llvm::json::Value(jsonText(text));
}

static std::function<void(llvm::json::Object &)> jsonAddition;

void command::setJsonAddition(std::function<void(llvm::json::Object &)> add) {
  jsonAddition = std::move(add);
}

void command::printJson(llvm::json::Object object) {
  if (jsonAddition)
    jsonAddition(object);
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  llvm::outs().flush();
}

std::string command::jsonText(llvm::StringRef text) { return llvm::json::fixUTF8(text); }

llvm::json::Value command::jsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

ExitCode command::reportError(llvm::Error error, const Options &options,
                              DiagnosticEngine *diagnostics) {
  ExitCode code = ExitCode::Usage;
  std::string message, reproducer;
  llvm::handleAllErrors(withExitCode(std::move(error), ExitCode::Usage),
                        [&](const CommandError &e) {
                          code = std::max(code, e.code);
                          message += (message.empty() || e.message.empty() ? "" : "\n") + e.message;
                          if (!e.reproducer.empty())
                            reproducer = e.reproducer;
                        });
  bool color = useColor(options.color, llvm::errs());
  if (diagnostics)
    diagnostics->print(llvm::errs(), color);
  if (!message.empty()) {
    llvm::errs() << "tilerun: ";
    Painter(llvm::errs(), color)
        .paint(llvm::raw_ostream::RED, code == ExitCode::Internal ? "internal error: " : "error: ");
    llvm::errs() << message << "\n";
  }
  if (!reproducer.empty())
    llvm::errs() << "tilerun: this is a bug in Tilerun; please report it with the files in '"
                 << reproducer << "'\n";
  if (options.json) {
    llvm::json::Object object{{"status", getExitCodeName(code)},
                              {"exit_code", static_cast<int>(code)},
                              {"message", jsonText(message)}};
    object["diagnostics"] =
        diagnostics ? diagnosticsToJson(*diagnostics) : llvm::json::Value(llvm::json::Array());
    if (!reproducer.empty())
      object["reproducer"] = jsonText(reproducer);
    printJson(std::move(object));
  }
  return code;
}

std::string command::formatSeconds(double seconds) {
  if (seconds < 1e-3)
    return llvm::formatv("{0:f1} us", seconds * 1e6).str();
  if (seconds < 1)
    return llvm::formatv("{0:f2} ms", seconds * 1e3).str();
  return llvm::formatv("{0:f2} s", seconds).str();
}

llvm::Expected<CapturedOutput> CapturedOutput::begin(bool isJson) {
  std::fflush(stdout);
  llvm::outs().flush();
  CapturedOutput out;
  out.isJson = isJson;
  out.file = ::memfd_create("tilerun-output", MFD_CLOEXEC);
  out.stdoutBefore = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (out.file < 0 || out.stdoutBefore < 0 || ::dup2(out.file, STDOUT_FILENO) < 0)
    return makeCommandError(ExitCode::Internal, std::string("what kernels print cannot be kept: ") +
                                                    std::strerror(errno));
  setCrashOutput(out.stdoutBefore);
  return out;
}

CapturedOutput::CapturedOutput(CapturedOutput &&other)
    : file(std::exchange(other.file, -1)), stdoutBefore(std::exchange(other.stdoutBefore, -1)),
      isJson(other.isJson) {}

std::string CapturedOutput::end() {
  std::string text;
  std::fflush(stdout);
  if (stdoutBefore >= 0) {
    setCrashOutput(STDOUT_FILENO);
    ::dup2(stdoutBefore, STDOUT_FILENO);
    ::close(std::exchange(stdoutBefore, -1));
  }
  if (file < 0)
    return text;
  char bytes[4096];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t count = 0; (count = ::read(file, bytes, sizeof(bytes))) > 0;)
    text.append(bytes, static_cast<size_t>(count));
  ::close(std::exchange(file, -1));
  return text;
}

CapturedOutput::~CapturedOutput() {
  if (std::string text = end(); !text.empty())
    (isJson ? llvm::errs() : llvm::outs()) << text;
}

Progress::Progress(std::string what) : what(std::move(what)) {
  if (::isatty(STDERR_FILENO))
    thread = std::thread([this] { run(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
}

void Progress::run() {
  std::unique_lock lock(mutex);
  bool shown = false;
  for (int seconds = 1; !wake.wait_for(lock, std::chrono::seconds(1), [&] { return done; });
       ++seconds) {
    llvm::errs() << "\r" << what << ": " << seconds << " s";
    llvm::errs().flush();
    shown = true;
  }
  if (shown)
    llvm::errs() << "\r\x1b[K";
}
