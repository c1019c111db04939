// The command's output: results on stdout (text, or one JSON object), everything else on stderr.
#pragma once

#include "frontend/source/Source.h"
#include "tools/tilerun/command/CommandLine.h"
#include "tools/tilerun/host/Try.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tilerun::command {

/// A failure of the command with its exit code. An empty message: the diagnostics of the session
/// say what was wrong.
class CommandError : public llvm::ErrorInfo<CommandError> {
public:
  static char ID;
  CommandError(ExitCode code, std::string message, std::string reproducer = {})
      : code(code), message(std::move(message)), reproducer(std::move(reproducer)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const ExitCode code;
  const std::string message;
  const std::string reproducer; ///< Folder, for internal bugs.
};

llvm::Error makeCommandError(ExitCode code, const llvm::Twine &message);
inline llvm::Error makeUsageError(const llvm::Twine &message) {
  return makeCommandError(ExitCode::Usage, message);
}
/// Any error as one with an exit code: `code`, unless it has one.
llvm::Error withExitCode(llvm::Error error, ExitCode code);

/// Whether text on a stream gets colours.
bool useColor(Color color, llvm::raw_fd_ostream &stream);

/// `text` in colour, if colours are on.
class Painter {
public:
  Painter(llvm::raw_ostream &os, bool color) : os(os), color(color) {}
  void paint(llvm::raw_ostream::Colors tint, llvm::StringRef text) {
    if (color)
      os.changeColor(tint, /*Bold=*/true);
    os << text;
    if (color)
      os.resetColor();
  }

  bool hasColor() const { return color; }

private:
  llvm::raw_ostream &os;
  bool color;
};

llvm::StringRef getExitCodeName(ExitCode code); ///< "ok", "usage", …

/// Prints an error and pending diagnostics on stderr (and a JSON object on stdout if asked); gives
/// the exit code. `diagnostics` may be null.
ExitCode reportError(llvm::Error error, const Options &options, DiagnosticEngine *diagnostics);

/// The diagnostics as JSON.
llvm::json::Value diagnosticsToJson(const DiagnosticEngine &diagnostics);

/// Prints a JSON object as the command's result.
void printJson(llvm::json::Object object);
/// Adds to what `printJson` prints from now on; it is called last, when the work is done.
void setJsonAddition(std::function<void(llvm::json::Object &)> add);

/// A text for JSON, which is UTF-8: other bytes become U+FFFD. Every string that goes into JSON and
/// is not a literal of this program goes through it, because llvm::json takes no other.
std::string jsonText(llvm::StringRef text);
/// A field that is a text; "" if it is not one.
inline std::string getText(const llvm::json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}
/// What `make` gives for each element.
template <typename Range, typename Make>
llvm::json::Array jsonArray(const Range &range, const Make &make) {
  llvm::json::Array array;
  for (const auto &element : range)
    array.push_back(make(element));
  return array;
}
inline llvm::json::Array jsonTexts(llvm::ArrayRef<std::string> texts) {
  return jsonArray(texts, [](const std::string &text) { return jsonText(text); });
}

/// A finite number, or the strings "nan", "inf", "-inf", which JSON has no numbers for.
llvm::json::Value jsonNumber(double value);

/// "12.3 ms"
std::string formatSeconds(double seconds);

/// Captures what the process writes to stdout, from any library: kernels print there while they
/// run. Output that was not taken, because the launch failed, goes to stdout, or to stderr if
/// stdout is for JSON.
class CapturedOutput {
public:
  static llvm::Expected<CapturedOutput> begin(bool isJson);
  CapturedOutput(CapturedOutput &&other);
  CapturedOutput &operator=(CapturedOutput &&) = delete;
  ~CapturedOutput();
  std::string end();

private:
  CapturedOutput() = default;
  int file = -1, stdoutBefore = -1;
  bool isJson = false;
};

/// A progress line on stderr, on a terminal, for work that takes longer than a second. Removed with
/// the object.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();

private:
  void run();
  std::string what;
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::thread thread;
};

} // namespace tilerun::command
