// Follows the values of masked-off lanes of loads without `other` to where they are stored: such
// lanes are 0 here, and undefined under Triton. Each byte of the arena has a mark, which says which
// load it comes from; a step's results get the marks of the elements that they are made of. An
// element that a select does not choose, or that is multiplied by an integer 0, leaves no mark;
// neither does one that control flow depends on.
#pragma once

#include "backends/interpreter/Frame.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace tilerun::interp {

class MaskedValues {
public:
  explicit MaskedValues(const Program &program);

  /// Before a step that sets a result again while it runs.
  void before(const Step &step);
  /// After any other. Calls `stored` with an element that a store writes and the load whose lanes
  /// are in it, by its index in Program::sources.
  void after(const Frame &frame, const Step &step,
             llvm::function_ref<void(size_t element, uint32_t load)> stored);

private:
  using Mark =
      uint8_t; ///< 0: none; otherwise an index in `loads`, from 1. The last stands for all others.
  Mark at(Slot slot, Dtype type, size_t i) const { return marks[slot + i * sizeOf(type)]; }
  void set(Slot slot, Dtype type, size_t i, Mark mark);
  void clear(const Step &step);
  Mark getMark(uint32_t load);
  void afterLoad(const Frame &frame, const Step &step);
  void afterStore(const Frame &frame, const Step &step, size_t maskOperand,
                  llvm::function_ref<void(size_t, uint32_t)> stored) const;
  void afterKernel(const Frame &frame, const Step &step);
  void afterSelectScalar(const Frame &frame, const Step &step);
  void afterGather(const Frame &frame, const Step &step);
  void afterHistogram(const Frame &frame, const Step &step);
  void afterReduce(const Step &step);
  void afterScan(const Step &step);
  void afterDot(const Step &step);
  /// Results of the same shape as the operands, element by element.
  void afterElements(const Step &step, size_t operands, size_t count);

  struct FreeDeleter {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<Mark[], FreeDeleter> marks; ///< By byte of the arena.
  std::vector<uint32_t> loads;                ///< In Program::sources, by mark.
};

} // namespace tilerun::interp
