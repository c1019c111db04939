// What the programs of one thread do to memory, as a whole: which of them write nothing, and which
// accesses ever write. It costs a step one test, and runs with any number of threads; the facts of
// all are joined at the end.
#pragma once

#include "backends/interpreter/Program.h"

namespace tilerun::interp {

class Activity {
public:
  explicit Activity(const Program &program)
      : program(program), wroteThrough(program.origins.size(), 0) {}

  void beginProgram() { wrote = false; }
  /// `printed`: it had another effect.
  void endProgram(uint64_t linear, bool printed) {
    if (wrote || printed)
      return;
    firstIdle = std::min(firstIdle, linear);
    ++idle;
  }
  /// A store or atomic that is about to run; it counts if any of its lanes is on.
  void noteWrite(const Frame &frame, const Step &step);

  void join(const Activity &other);
  /// Adds a report of programs that wrote nothing, or else of each pointer that the kernel writes
  /// through and no program did.
  void report(llvm::ArrayRef<LaunchArgument> arguments, const std::array<uint64_t, 3> &grid,
              std::vector<CheckReport> &reports) const;

private:
  const Program &program;
  bool wrote = false;                ///< The running program.
  std::vector<uint8_t> wroteThrough; ///< By origin.
  uint64_t idle = 0, firstIdle = UINT64_MAX;
};

} // namespace tilerun::interp
