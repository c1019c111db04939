// Makes a recording of one program while it runs.
#pragma once

#include "backends/interpreter/Observer.h"
#include "backends/interpreter/debug/Recording.h"

#include "llvm/ADT/DenseMap.h"

namespace tilerun::interp {

struct RecordOptions {
  bool values = true;                    ///< Of variables.
  bool memory = true;                    ///< Writes.
  bool births = true;                    ///< Of NaNs and infinities.
  uint64_t maxBytes = uint64_t(2) << 30; ///< Of the recording.
};

/// Records the programs of a launch from the first that `wanted` names; one at a time.
class Recorder final : public StepObserver {
public:
  /// The launch ends after program `linear`.
  Recorder(const Program &program, uint64_t linear, const RecordOptions &options)
      : program(program), wanted(linear), options(options) {}

  bool beginProgram(uint64_t linear) override;
  void beforeStep(Frame &frame, const Step &step) override;
  void afterStep(Frame &frame, const Step &step) override;
  bool endProgram(const Frame &frame) override;

  bool isComplete() const { return complete; }
  /// It would be larger than allowed, and ended before the program did.
  bool isTooLarge() const { return used > options.maxBytes; }
  Recording take() { return std::move(recording); }

private:
  /// What a place of the arena holds.
  struct Content {
    size_t bytes = 0;
    Dtype type = Dtype::I1;
    bool hasNan = false, hasInf = false;
    llvm::StringRef name = {}; ///< The variable that got it last,
    bool isBroadcast = false;  ///< or whose elements it repeats.
  };
  void enter(const Frame &frame);
  void noteEvent(const Frame &frame, const Step &step);
  void addMoment(uint32_t source, bool isReturn);
  void noteAssignment(const Frame &frame, const Step &step);
  void noteWrites(Frame &frame, const Step &step);
  void completeWrites();
  void noteResults(const Frame &frame, const Step &step);
  void lookForBirth(const Frame &frame, const Step &step, bool isNan);
  Birth::Input describe(const Frame &frame, const Step &step, size_t operand,
                        std::optional<size_t> element) const;
  void use(uint64_t bytes) { used += bytes; }
  uint32_t getMoment() const {
    return recording.moments.empty() ? 0 : uint32_t(recording.moments.size() - 1);
  }

  const Program &program;
  const uint64_t wanted;
  const RecordOptions options;
  Recording recording;
  llvm::DenseMap<Slot, Content> contents;
  uint32_t activation = 0;
  std::vector<uint32_t> statements; ///< By activation: the source of its last one.
  unsigned regions = 0;             ///< Combine regions around the step.
  size_t completeUpTo = 0;          ///< Writes whose bytes after them are known.
  size_t births[2] = {0, 0};        ///< Of infinities, of NaNs.
  uint64_t used = 0;
  bool complete = false;
};

} // namespace tilerun::interp
