// See Execution.h.
#include "backends/interpreter/debug/Execution.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::interp;

Execution::Execution(const Program &program, Heap &heap, std::vector<LaunchArgument> arguments,
                     const LaunchOptions &options, llvm::ArrayRef<Region> regions)
    : program(program), heap(heap), arguments(std::move(arguments)), options(options) {
  for (const Region &region : regions) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(region.address);
    initial.emplace_back(region, std::vector<uint8_t>(bytes, bytes + region.bytes));
  }
}

std::array<uint64_t, 3> Execution::getPosition(uint64_t linear) const {
  const auto &grid = options.grid;
  return {linear % grid[0], linear / grid[0] % grid[1], linear / grid[0] / grid[1]};
}

void Execution::restore() {
  for (const auto &[region, bytes] : initial)
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t *>(region.address));
  next = 0;
}

llvm::Expected<Recording> Execution::record(uint64_t linear, const RecordOptions &record) {
  if (linear < next)
    restore();
  Recorder recorder(program, linear, record);
  options.observer = &recorder;
  options.firstProgram = next;
  auto result = launchProgram(program, heap, arguments, options);
  next = UINT64_MAX; // Until it is known how far it came.
  if (recorder.isTooLarge()) {
    llvm::consumeError(result.takeError());
    const auto position = getPosition(linear);
    return makeError(
        ErrorKind::OutOfMemory,
        llvm::formatv(
            "the recording of program ({0}, {1}, {2}) takes more than {3} MiB; allow more "
            "by --memory-limit, or run the kernel on smaller tiles or fewer iterations",
            position[0], position[1], position[2], record.maxBytes >> 20));
  }
  if (!recorder.isComplete())
    return result ? makeError(ErrorKind::InvalidArgument, "the program did not run")
                  : result.takeError();
  Recording recording = recorder.take();
  if (result) {
    next = linear + 1;
    recording.printedBefore = std::move(result->printed);
    recording.printedBefore.resize(recording.printedBefore.size() - recording.printed.size());
  } else {
    llvm::consumeError(result.takeError()); // The recording has it.
  }
  return recording;
}

llvm::Expected<LaunchResult> Execution::observe(StepObserver &observer,
                                                const CheckOptions &checks) {
  restore();
  next = UINT64_MAX; // The next recording begins anew.
  LaunchOptions observed = options;
  observed.observer = &observer;
  observed.firstProgram = 0;
  observed.checks = checks;
  return launchProgram(program, heap, arguments, observed);
}

void Execution::read(const Recording &recording, size_t moment, uint64_t address,
                     llvm::MutableArrayRef<uint8_t> bytes) const {
  std::copy_n(reinterpret_cast<const uint8_t *>(address), bytes.size(), bytes.begin());
  recording.rewind(moment, address, bytes);
}

void Execution::readFirst(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const {
  for (const auto &[region, first] : initial)
    if (address >= region.address && address + bytes.size() <= region.address + region.bytes)
      std::copy_n(first.begin() + ptrdiff_t(address - region.address), bytes.size(), bytes.begin());
}
