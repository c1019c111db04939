// Who watches a program step by step, such as a debugger. Programs that nobody watches run as if
// this did not exist: a list of steps tests once whether there is an observer.
#pragma once

#include "backends/interpreter/Frame.h"

namespace tilerun::interp {

/// Called in the one thread of its launch, for programs in ascending order of their linear index.
/// It changes neither the frame's values nor memory, except that it may end the program by
/// `Frame::stopped`.
class StepObserver {
public:
  virtual ~StepObserver() = default;
  /// Whether to observe this program.
  virtual bool beginProgram(uint64_t linear) = 0;
  /// Around each step, also around those within loops, branches and combine regions. A step that
  /// stops the program has no end.
  virtual void beforeStep(Frame &frame, const Step &step) = 0;
  virtual void afterStep(Frame &frame, const Step &step) = 0;
  /// After an observed program; false: the launch ends here, without the later ones.
  virtual bool endProgram(const Frame &frame) = 0;
};

} // namespace tilerun::interp
