// See Measure.h; and how a launch is measured and counted.
#include "tools/tilerun/command/Measure.h"

#include "runtime/tune/Stopwatch.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/command/Library.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::command;

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

llvm::Error Launch::prepare() {
  TILERUN_TRY_VALUE(bound, bindArguments(session));
  binding = std::move(bound);
  TILERUN_TRY_ERROR(checkPhases(device->getPlugin(), device->getInfo().target, session.options));
  return bindGrid(session, binding, *device);
}

llvm::Expected<std::vector<double>> Launch::measure(double warmup, double rep) {
  TILERUN_TRY_ERROR(checkSurplus(session));
  if (!session.options.allowOverlap)
    TILERUN_TRY_ERROR(checkOverlap(binding));
  TILERUN_TRY_ERROR(compile(""));
  const core::Stream &stream = device->getDefaultStream();
  auto release = llvm::scope_exit([&] { free(); });
  for (const auto &[name, value] : binding.values)
    if (auto *tensor = value.getIf<host::Tensor>())
      TILERUN_TRY_ERROR(upload(*tensor));
  TILERUN_TRY_ERROR(makeArguments());
  const std::array<uint32_t, 3> grid = getGrid();
  const uint32_t flags = getFlags();
  const tune::Stopwatch stopwatch(stream);
  auto run = [&](core::Event *first, core::Event *last) -> core::Status {
    if (first)
      TILERUN_TRY(stopwatch.begin(*first));
    TILERUN_TRY(core::Kernel::launchSpecialized(*loaded, stream, grid.data(), arguments.data(),
                                                static_cast<uint32_t>(arguments.size()), flags,
                                                ranges.data()));
    return last ? last->record(stream) : core::Status();
  };
  // What a kernel prints would be printed a hundred times.
  TILERUN_TRY_VALUE(output, CapturedOutput::begin(session.options.json));
  std::vector<double> milliseconds;
  core::Status status = stopwatch.measure(run, warmup, rep, milliseconds);
  (void)stream.synchronize();
  (void)output.end();
  TILERUN_TRY_LIBRARY(status);
  llvm::sort(milliseconds);
  return milliseconds;
}

llvm::Error Launch::repeatOnInterpreter(Launch &repeated, llvm::StringRef watch) const {
  repeated.binding = binding;
  repeated.isRepetition = true;
  TILERUN_TRY_ERROR(repeated.compile(watch));
  return repeated.execute();
}

const Work *Launch::countWork() {
  if (work || !whyUncounted.empty())
    return work ? &*work : nullptr;
  llvm::Expected<std::shared_ptr<core::Device>> cpu = openDevice("cpu", kUnpooled);
  if (!cpu) {
    whyUncounted = llvm::toString(cpu.takeError());
    return nullptr;
  }
  Launch repeated(session, *cpu);
  whyUncounted = llvm::toString(repeatOnInterpreter(repeated, "work"));
  const std::optional<Work> &counted = repeated.result.findings.work;
  if (whyUncounted.empty() && (!counted || !counted->complete))
    whyUncounted = "counting takes the interpreter more than 10 s";
  if (whyUncounted.empty())
    work = counted;
  return work ? &*work : nullptr;
}

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

std::string command::formatDigits(double value) {
  const int decimals = value >= 100 || value == 0 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 4;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", decimals, value);
  return text;
}

std::string command::formatAmount(double amount, llvm::StringRef unit) {
  static constexpr std::pair<double, const char *> kPrefixes[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto &[size, prefix] : kPrefixes)
    if (amount >= size)
      return llvm::formatv("{0} {1}{2}", formatDigits(amount / size), prefix, unit).str();
  return formatDigits(amount) + " " + unit.str();
}

void command::printRates(llvm::raw_ostream &os, Launch &launch, double seconds) {
  const Work *work = launch.countWork();
  if (!work) {
    os << "no rates: " << launch.getWhyUncounted() << "\n";
    return;
  }
  seconds = std::max(seconds, 1e-9);
  const double operations = double(work->operations);
  os << formatAmount(double(work->bytesRead), "B") << " read, "
     << formatAmount(double(work->bytesWritten), "B")
     << " written: " << formatAmount(double(work->getBytes()) / seconds, "B/s");
  if (work->operations)
    os << "; " << formatAmount(operations, "FLOP") << ": "
       << formatAmount(operations / seconds, "FLOP/s");
  os << "\n";
}

void command::addRates(llvm::json::Object &object, Launch &launch, double seconds) {
  const Work *work = launch.countWork();
  if (!work) {
    object["work"] = nullptr;
    object["why_no_work"] = jsonText(launch.getWhyUncounted());
    return;
  }
  seconds = std::max(seconds, 1e-9);
  object["work"] = getJson(*work);
  object["bytes_per_second"] = double(work->getBytes()) / seconds;
  object["operations_per_second"] = double(work->operations) / seconds;
}
