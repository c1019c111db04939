// A kernel that every device should run, for tests of plugins and devices: z = x + y, with a mask,
// a loop of programs and a reduction in each.
#pragma once

#include "runtime/core/Device.h"
#include "tools/tilerun/command/CommandLine.h"

namespace tilerun::command {

/// Its optimized bytecode. It takes x, y, z (float32), sums (float32, one for each program), n.
std::vector<uint8_t> compileSmallKernel(const Options &options);

/// Compiles, launches and compares. Success is silent; the error says what is wrong.
llvm::Error runSmallKernel(const std::shared_ptr<core::Device> &device);

} // namespace tilerun::command
