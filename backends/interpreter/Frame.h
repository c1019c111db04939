// One thread's state while it runs programs: its arena, the program's position in the grid, and
// where findings go.
#pragma once

#include "backends/interpreter/Program.h"

#include <array>
#include <atomic>
#include <cstring>

namespace tilerun::interp {

class Activity;
class Bounds;
class Checker;
class StepObserver;

/// Shared by the threads of one launch.
struct LaunchState {
  std::array<uint64_t, 3> grid;
  const Bounds &bounds;
  bool assertions = false;       ///< device_assert is live,
  bool reportAssertions = false; ///< and a failure is a finding instead of a fault.
  std::atomic<bool> stop{false}; ///< A program failed; the others stop at the next opportunity.
  std::atomic<uint64_t> printedBytes{0};
};

/// Output of device_print beyond this is dropped, with a note.
constexpr uint64_t kMaxPrintedBytes = uint64_t(64) << 20;

struct Frame {
  const Program &program;
  LaunchState &launch;
  char *arena;
  /// The range to try first for an access, by origin: that of the last access.
  std::vector<Range> near;
  Checker *checker = nullptr;       ///< Null in plain runs.
  Activity *activity = nullptr;     ///< Null unless it is watched.
  StepObserver *observer = nullptr; ///< Null unless this program is observed.
  std::array<uint32_t, 3> position{};
  size_t lanes = 1;      ///< Elements of batched steps.
  bool stopped = false;  ///< This program is over: a failed assertion, a fault.
  std::string fault{};   ///< Why, if that ends the launch.
  std::string printed{}; ///< Output of this program.
  /// Accesses must be in memory whose extent is known: those of a row that begins there.
  bool knownOnly = false;

  char *at(Slot slot) const { return arena + slot; }
  template <class T> T *as(Slot slot) const { return reinterpret_cast<T *>(arena + slot); }
  /// A scalar integer of any width, sign-extended.
  int64_t integer(Slot slot, Dtype type) const {
    switch (type) {
    case Dtype::I1:
      return *as<uint8_t>(slot);
    case Dtype::I8:
      return *as<int8_t>(slot);
    case Dtype::I16:
      return *as<int16_t>(slot);
    case Dtype::I32:
      return *as<int32_t>(slot);
    default:
      return *as<int64_t>(slot);
    }
  }
  void setInteger(Slot slot, Dtype type, int64_t value) const {
    std::memcpy(at(slot), &value, sizeOf(type)); // Little endian.
  }
  size_t count(const Step &step) const { return step.batched ? lanes : step.count; }

  /// Runs steps until the end, or until the program stops.
  void exec(const StepList &steps);
  /// Ends the launch with a message that names this program and the step's place.
  void fail(const Step &step, const llvm::Twine &message);
  /// Whether an address is that of a null pointer, perhaps with a small offset: a tensor without
  /// elements has one, and no process has memory there.
  static constexpr uint64_t kNearNull = 1 << 16;
  static bool isNull(uint64_t address) { return address + kNearNull < 2 * kNearNull; }
  /// Whether all bytes of an access are in memory that its pointer leads to.
  bool isInBounds(const Step &step, uint64_t address, uint64_t bytes) {
    if (near[step.origin].contains(address, bytes) && !knownOnly) [[likely]]
      return true;
    return findRange(step, address, bytes);
  }
  /// Ends the launch for an access of `bytes` bytes an element that is not.
  void failAccess(const Step &step, llvm::StringRef access, size_t element, uint64_t address,
                  unsigned bytes);

private:
  bool findRange(const Step &step, uint64_t address, uint64_t bytes);
};

/// "1 byte", "4 bytes".
std::string describeBytes(uint64_t bytes);
/// "a null pointer + 12 bytes".
std::string describeNull(uint64_t address);

/// "file.py:12:5: " or nothing where the place is unknown.
std::string describe(const SourcePosition &position);
/// A line of a source file and a caret below the column, each after a line break; nothing where the
/// file cannot be read.
std::string quote(const SourcePosition &position);
/// "[1, 3]" for element `index` of a tensor of `shape`; empty for a scalar.
std::vector<int64_t> unflatten(llvm::ArrayRef<int64_t> shape, size_t index);
std::string describeElement(llvm::ArrayRef<int64_t> element);

} // namespace tilerun::interp
