// Facts about the tensors of a launch that nobody asked for, but that are rarely meant: outputs
// that were never written, NaNs that no argument had.
#pragma once

#include "tools/tilerun/command/Binding.h"
#include "tools/tilerun/command/Findings.h"

namespace tilerun::command {

/// Leaves out what the device says of arguments that the kernel has no write to, except of tensors
/// that were passed as 'empty': the device cannot know that others are inputs.
void dropNotesOfInputs(const Binding &binding, std::vector<Finding> &notes);

/// Adds a note for each tensor with NaNs after the launch, if no argument had one before.
/// `getAfter` gives the contents after it.
void noteNans(const Binding &binding, llvm::StringRef kernel,
              llvm::function_ref<host::Tensor(const host::Tensor &)> getAfter,
              std::vector<Finding> &notes);

} // namespace tilerun::command
