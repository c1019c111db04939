// The inputs and results of a launch: arguments, options, checks and their findings. Plain
// values; the device `cpu` converts its own to and from these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::interp {

/// A position in kernel source.
struct SourcePosition {
  std::string file;
  unsigned line = 0;   ///< 1-based; 0 where unknown.
  unsigned column = 0; ///< 1-based.
};

/// One finding of a checked launch.
struct CheckReport {
  enum class Kind {
#define TILERUN_CHECK_KIND(name, word) name,
#include "ir/tile/CheckKinds.def"
  };
  Kind kind;
  std::string kernel;
  std::array<uint32_t, 3> program{}; ///< Program id of the finding.
  std::vector<int64_t> element;      ///< Index in the tensor of the access; empty for a scalar.
  uint64_t address = 0;              ///< For memory findings.
  std::string message;     ///< One sentence; includes the address relative to which argument.
  SourcePosition position; ///< Where in the kernel's source.
  std::vector<SourcePosition> callStack; ///< Call sites of inlined helpers, innermost first.
  SourcePosition other; ///< Of the access that a race is with, or of the store of a masked value;
                        ///< line 0 where there is none.
  std::optional<std::array<uint32_t, 3>> otherProgram{}; ///< That a race is with.
  uint64_t count = 1;   ///< How often the same finding (kind and position) occurred.
  std::string argument; ///< Of findings about the memory of one; else empty.
};
const char *getKindName(CheckReport::Kind kind); ///< "out-of-bounds-read", …

/// Which checks a launch makes.
struct CheckOptions {
  bool bounds = false;
  bool uninitialized = false;
  bool races = false;
  bool integerOverflow = false;
  bool nanInf = false;
  bool unwritten = false;    ///< Parts of tensors that were never written, before or by the launch.
  bool maskedValues = false; ///< Masked-off lanes without `other` that reach what is stored.
  bool any() const {
    return bounds || uninitialized || races || integerOverflow || nanInf || unwritten ||
           maskedValues;
  }
};

/// What a launch observes besides: facts that explain a result, and cost little or are asked for
/// seldom.
struct WatchOptions {
  bool activity = false;   ///< Programs that write nothing, outputs that no program writes to.
  bool writers = false;    ///< Which program wrote each byte last. Runs in one thread.
  bool work = false;       ///< Bytes and operations. Runs in one thread.
  double workSeconds = 10; ///< After which counting is given up, and the launch with it.
  bool any() const { return activity || writers || work; }
};

/// A stretch of an argument's memory that one program wrote last.
struct WrittenRun {
  uint64_t begin, bytes; ///< From the beginning of the allocation.
  uint64_t program;      ///< Linear index.
};
/// Who wrote the memory behind an argument; stretches by address, nobody wrote what is between.
struct WriterMap {
  std::string argument; ///< The first one that leads to this memory.
  std::vector<WrittenRun> runs;
  bool complete = true; ///< False: there are more stretches than kMost, which are the first.
  static constexpr size_t kMost = 1 << 20;
};

/// How much a launch does.
struct WorkCount {
  /// Bytes of allocations that are read and written, each once; bytes of atomics are both.
  uint64_t bytesRead = 0, bytesWritten = 0;
  /// Arithmetic on floats (a fused multiply-add is two, a function such as exp one), and the
  /// multiplications and additions of products of any type; those of atomics are not counted.
  uint64_t operations = 0;
  uint64_t productOperations = 0; ///< The part of tl.dot.
  bool complete = true;           ///< False: it was given up, as it takes too long.
};

/// A stretch of memory of less than 2^63 bytes.
struct Range {
  uint64_t begin = 0, size = 0;
  bool contains(uint64_t address, uint64_t bytes) const {
    return bytes <= size && address - begin <= size - bytes;
  }
};

/// The caller's knowledge of the memory behind a pointer.
struct LaunchMemory {
  std::optional<Range> range; ///< The accessible range; without it, the heap's allocation.
  /// Of the tensor that begins at the pointer, for messages; strides in elements.
  bool hasShape = false;
  std::vector<int64_t> shape{}, strides{};
  /// Whether the tensor's elements follow each other, in the order of their indices.
  bool isDense() const;
};

/// One argument, in the order of the kernel's parameters.
struct LaunchArgument {
  enum class Kind { Pointer, Integer, Float };
  Kind kind;
  uint64_t bits = 0;     ///< Address, two's complement integer, or the IEEE bits of a double.
  LaunchMemory memory{}; ///< Of a pointer.
};

class StepObserver;

struct LaunchOptions {
  std::array<uint64_t, 3> grid{1, 1, 1};
  unsigned numThreads = 0; ///< 0: one per core, 1 when checks are on.
  CheckOptions checks;
  WatchOptions watch;
  bool debug = false; ///< device_assert and overflow checks are live.
  /// An access that leaves the memory which its pointer came from ends the launch. Without it, only
  /// one at a null pointer does.
  bool bounds = true;
  /// Pointers may point to the host's own memory. The part that no argument's `memory` describes is
  /// not checked.
  bool hostMemory = false;
  /// Sees the programs that it asks for, step by step (Observer.h). Runs in one thread.
  StepObserver *observer = nullptr;
  uint64_t firstProgram = 0; ///< Linear index of the program to begin with.
};

/// The results of a launch besides success.
struct LaunchResult {
  std::vector<CheckReport> reports; ///< In order of first occurrence.
  std::vector<WriterMap> writers;   ///< If they are watched, of arguments that were written.
  std::optional<WorkCount> work;    ///< If it is watched.
  std::string printed;              ///< Output of device_print, in program order.
  double seconds = 0;               ///< Wall time of the launch alone.
};

} // namespace tilerun::interp
