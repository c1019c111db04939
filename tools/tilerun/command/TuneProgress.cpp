// See TuneProgress.h.
#include "tools/tilerun/command/TuneProgress.h"

#include "tools/tilerun/command/Output.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::command;

// A log wants few lines; searches that are done before have none.
static constexpr double kSecondsBetweenLines = 10;

static std::string formatTimeLeft(double seconds) {
  if (seconds < 1)
    return "less than 1 s left";
  if (seconds < 120)
    return "about " + std::to_string(std::lround(seconds)) + " s left";
  return "about " + std::to_string(std::lround(seconds / 60)) + " min left";
}

std::string command::describeProgress(const tune::Progress &progress,
                                      const std::vector<std::string> &configs) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << progress.numDone << " of " << configs.size();
  if (!progress.numDone)
    os << " (" << progress.numCompiled << " compiled)";
  else if (progress.best < configs.size())
    os << ", best " << llvm::format("%.4f ms", progress.bestMilliseconds) << " ("
       << configs[progress.best] << ")";
  else
    os << ", none works so far";
  if (progress.secondsLeft >= 0 && progress.numDone < configs.size())
    os << ", " << formatTimeLeft(progress.secondsLeft);
  return text;
}

TuneProgress::TuneProgress(llvm::raw_ostream &os, ProgressForm form, bool isTerminal,
                           std::string kernel, std::vector<std::string> configs)
    : os(os), form(form), kernel(std::move(kernel)), configs(std::move(configs)),
      nextSeconds(kSecondsBetweenLines) {
  if (form == ProgressForm::Auto && isTerminal)
    this->form = ProgressForm::Line;
}

TuneProgress::~TuneProgress() {
  if (hasLine) {
    os << "\r\x1b[K";
    os.flush();
  }
}

void TuneProgress::show(const tune::Progress &progress) {
  const std::string text = "tuning " + kernel + ": " + describeProgress(progress, configs);
  if (form == ProgressForm::Line) {
    // A line that wraps could not be rewritten.
    const unsigned columns = llvm::sys::Process::StandardErrColumns();
    os << "\r\x1b[K" << llvm::StringRef(text).take_front(columns > 1 ? columns - 1 : text.size());
    hasLine = true;
  } else {
    os << text << "\n";
  }
  os.flush();
}

void TuneProgress::wait(const tune::Progress &progress) {
  if (form == ProgressForm::Line) {
    show(progress);
  } else if (form == ProgressForm::Auto && progress.elapsedSeconds >= nextSeconds) {
    nextSeconds = progress.elapsedSeconds + kSecondsBetweenLines;
    show(progress);
  }
}

void TuneProgress::add(size_t index, const tune::Measurement &measurement,
                       const tune::Progress &progress) {
  const bool isOk = measurement.status.isOk();
  if (form == ProgressForm::Plain) {
    os << "tuning " << kernel << ": " << configs[index] << ": ";
    if (isOk)
      os << llvm::format("%.4f ms", measurement.milliseconds);
    else
      os << "skipped";
    os << "; " << describeProgress(progress, configs) << "\n";
    os.flush();
  } else if (form == ProgressForm::Json) {
    llvm::json::Object object{{"kernel", jsonText(kernel)},
                              {"done", static_cast<int64_t>(progress.numDone)},
                              {"compiled", static_cast<int64_t>(progress.numCompiled)},
                              {"configs", static_cast<int64_t>(configs.size())},
                              {"config", jsonText(configs[index])},
                              {"ok", isOk},
                              {"elapsed_seconds", jsonNumber(progress.elapsedSeconds)},
                              {"seconds_left", jsonNumber(progress.secondsLeft)}};
    if (isOk)
      object["milliseconds"] = jsonNumber(measurement.milliseconds);
    else
      object["error"] = jsonText(measurement.status.getMessage());
    if (progress.best < configs.size()) {
      object["best"] = static_cast<int64_t>(progress.best);
      object["best_milliseconds"] = jsonNumber(progress.bestMilliseconds);
    }
    os << llvm::json::Value(std::move(object)) << "\n";
    os.flush();
  } else if (form != ProgressForm::None) {
    wait(progress);
  }
}
