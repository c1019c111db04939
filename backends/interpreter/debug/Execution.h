// A launch that a debugger repeats: any of its programs can be recorded, in any order, and each
// time it sees the memory that the earlier programs leave when they run one after the other.
#pragma once

#include "backends/interpreter/Interpreter.h"
#include "backends/interpreter/debug/Recorder.h"

namespace tilerun::interp {

class Execution {
public:
  /// Memory of the heap that programs may write, as it is when this is made.
  struct Region {
    uint64_t address, bytes;
  };
  /// `program` and `heap` must outlive it. `options` without an observer.
  Execution(const Program &program, Heap &heap, std::vector<LaunchArgument> arguments,
            const LaunchOptions &options, llvm::ArrayRef<Region> regions);

  uint64_t getNumPrograms() const { return options.grid[0] * options.grid[1] * options.grid[2]; }
  const Program &getProgram() const { return program; }
  std::array<uint64_t, 3> getPosition(uint64_t linear) const;

  /// Runs the launch up to and including program `linear`, which is recorded; memory is afterwards
  /// as that program left it. A fault of it is a part of the recording; an error is one of an
  /// earlier program, or a recording that would be too large.
  llvm::Expected<Recording> record(uint64_t linear, const RecordOptions &record);

  /// Runs the whole launch, or as much of it as the observer wants, on the memory as it was at
  /// first, with checks.
  llvm::Expected<LaunchResult> observe(StepObserver &observer, const CheckOptions &checks);

  /// A range of the memory before a moment of the program that was recorded last.
  void read(const Recording &recording, size_t moment, uint64_t address,
            llvm::MutableArrayRef<uint8_t> bytes) const;
  /// The same before the launch.
  void readFirst(uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const;

private:
  void restore();

  const Program &program;
  Heap &heap;
  const std::vector<LaunchArgument> arguments;
  LaunchOptions options;
  std::vector<std::pair<Region, std::vector<uint8_t>>> initial;
  uint64_t next = 0; ///< The programs before it have run on the memory as it is.
};

} // namespace tilerun::interp
