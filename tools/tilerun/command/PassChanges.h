// What each pass of a compilation changed, for `tilerun explain`.
#pragma once

#include "ir/tile/PassRecorder.h"
#include "tools/tilerun/picture/ExplainPage.h"

#include "llvm/Support/Error.h"

namespace tilerun::command {

/// Appends the changes from each step to the next one.
void addChanges(llvm::ArrayRef<PassRecorder::Step> steps,
                std::vector<picture::Explanation::Change> &changes);
/// The phase "passes-json" of a compiler.
llvm::Expected<std::vector<PassRecorder::Step>> readSteps(llvm::StringRef json);

} // namespace tilerun::command
