// What each pass of a pipeline makes of a module, as text, for people who want to see what it
// changed.
#pragma once

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>
#include <string>
#include <vector>

namespace tilerun {

/// Must outlive the pass managers that it watches, which run in one thread.
class PassRecorder {
public:
  struct Step {
    std::string pass; ///< "tile-pad"; empty: before all.
    std::string text; ///< The module after it, without locations.
  };
  /// For the pass managers to watch, one after the other.
  std::unique_ptr<mlir::PassInstrumentation> makeInstrumentation();

  /// The first is what the first pass got.
  llvm::ArrayRef<Step> getSteps() const { return steps; }
  /// The module after each pass that changed it, and the names of the others.
  std::string toText() const;
  /// An array of objects with pass and text.
  std::string toJson() const;

private:
  friend class PassWatch;
  std::vector<Step> steps;
};

} // namespace tilerun
