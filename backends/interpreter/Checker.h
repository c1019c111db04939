// Watches one launch: bounds, uninitialized reads, races, overflow, NaN and infinity. Programs run
// one after the other in one thread, so nothing here locks.
//
// Races: two programs access one byte, at least one by a plain write or one atomically and one
// plainly with a write among them, and no chain of acquire and release atomics orders them. Each
// byte remembers its last writer, two readers and last atomic access, with their places in the
// source: 24 bytes of shadow memory per argument byte that is touched.
#pragma once

#include "backends/interpreter/Bounds.h"
#include "backends/interpreter/Frame.h"
#include "backends/interpreter/Heap.h"
#include "backends/interpreter/MaskedValues.h"
#include "backends/interpreter/Tally.h"
#include "backends/interpreter/Writers.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>

namespace tilerun::interp {

enum class Access : uint8_t { Read, Write, Atomic };

class Checker {
public:
  Checker(const Heap &heap, const Bounds &bounds, const Program &program,
          llvm::ArrayRef<LaunchArgument> arguments, const CheckOptions &options,
          std::array<uint64_t, 3> grid, const WatchOptions &watch = {});

  void beginProgram(uint64_t linear);

  /// Checks one element's access; false: it must not happen (a read gives 0).
  bool access(Frame &frame, const Step &step, size_t element, uint64_t address, unsigned bytes,
              Access kind);
  /// An atomic's ordering, before (`acquire`) and after (`release`) its access.
  void acquire(uint64_t address);
  void release(uint64_t address);

  /// Around each step.
  void beforeStep(const Step &step) {
    if (masked)
      masked->before(step);
  }
  void afterStep(Frame &frame, const Step &step) {
    if (step.check != ResultCheck::None)
      checkResults(frame, step);
    if (masked)
      checkMasked(frame, step);
    if (tally)
      tally->count(frame, step);
  }
  /// Once all programs have run.
  void finish();

  /// Adds a finding, or counts it where the same kind was found at the same place. `other`: of the
  /// conflicting access, in Program::sources. Null: it was counted.
  CheckReport *report(CheckReport::Kind kind, const Frame &frame, const Step &step,
                      std::vector<int64_t> element, uint64_t address,
                      llvm::function_ref<std::string()> message, uint32_t other = 0);

  std::vector<CheckReport> takeReports() { return std::move(reports); }
  std::vector<WriterMap> getWriters();
  /// None if it is not watched.
  std::optional<WorkCount> getWork() const {
    return tally ? std::optional(tally->get()) : std::nullopt;
  }

private:
  /// A stretch of one program's accesses between two releases; numbered in order over the launch.
  using Segment = uint32_t;
  /// Which segments happened before: for each program, up to which; and everything up to `all`.
  struct Clock {
    Segment all = 0;
    llvm::DenseMap<uint32_t, Segment> upTo;
    void join(const Clock &other);
    void add(uint32_t program, Segment segment);
  };
  /// An access's place in the source; 0 is not known, or does not fit.
  using Place = uint16_t;
  struct ByteHistory {
    Segment writer, firstReader, lastReader, atomic;
    Place writerPlace, firstReaderPlace, lastReaderPlace, atomicPlace;
  };

  Allocation *find(uint64_t address, unsigned bytes);
  void reportBounds(const Frame &frame, const Step &step, size_t element, uint64_t address,
                    unsigned bytes, Access kind);
  void checkRace(const Frame &frame, const Step &step, size_t element, uint64_t address,
                 unsigned bytes, Access kind);
  bool ordered(Segment segment) const;
  void newSegment();
  void checkResults(const Frame &frame, const Step &step);
  void checkMasked(const Frame &frame, const Step &step);
  void checkUnwritten(size_t argument);
  /// Adds a report of a place, or counts it where there is one of that kind. Null: it was merged.
  CheckReport *add(CheckReport::Kind kind, uint32_t source);
  void checkOverflow(const Frame &frame, const Step &step);
  void checkDivision(const Frame &frame, const Step &step);
  void checkShift(const Frame &frame, const Step &step);
  void checkFloats(const Frame &frame, const Step &step);
  std::array<uint32_t, 3> getPosition(uint32_t linear) const;

  const Bounds &bounds;
  const Program &program;
  llvm::ArrayRef<LaunchArgument> arguments;
  const CheckOptions options;
  const std::array<uint64_t, 3> grid;
  std::vector<std::shared_ptr<Allocation>> allocations; ///< By address.
  size_t lastFound = 0;
  std::vector<size_t> fresh; ///< Arguments whose memory had not been written.
  std::unique_ptr<MaskedValues> masked;
  std::unique_ptr<Writers> writers;
  std::unique_ptr<Tally> tally;

  uint32_t current = 0; ///< Linear index of the running program.
  Segment segment = 0;
  std::vector<uint32_t> segmentProgram; ///< Which program a segment belongs to.
  Clock known; ///< The events that happened before the running program's next access.
  llvm::DenseMap<uint64_t, Clock> published; ///< By the address of an atomic.
  struct FreeDeleter {
    void operator()(void *memory) const { std::free(memory); }
  };
  llvm::DenseMap<const Allocation *, std::unique_ptr<ByteHistory[], FreeDeleter>> histories;

  std::vector<CheckReport> reports;
  std::map<std::pair<CheckReport::Kind, uint32_t>, size_t> reportIndex;
};

} // namespace tilerun::interp
