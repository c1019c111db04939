// The reference interpreter: loads a kernel from tile IR bytecode and runs grids of it over host
// memory.
//
// Rules of this folder: it is the reference, so every operation is one small function on plain
// buffers and is never clever. Decoding happens once (Decoder); running is lists of steps (Frame,
// *Steps.cpp); innermost loops are elementwise functions that compilers vectorize (ElementFn).
// Results do not depend on the number of threads (except for programs that race, and for the order
// of floating-point atomics) nor on the vectors a processor has, nor on whether checks are on.
#pragma once

#include "backends/interpreter/Heap.h"
#include "backends/interpreter/Program.h"

namespace tilerun::interp {

/// Reads, verifies and decodes kernel `name` of a module in bytecode. Errors: `Compile` with all
/// diagnostics, `InvalidArgument` if there is no such kernel.
llvm::Expected<std::unique_ptr<Program>> loadProgram(llvm::ArrayRef<uint8_t> bytecode,
                                                     llvm::StringRef name);

/// Grids beyond these are refused.
constexpr std::array<uint64_t, 3> kMaxGrid{2147483647, 65535, 65535};
constexpr uint64_t kMaxPrograms = uint64_t(1) << 31;

/// Runs a grid to completion. Each thread takes `program.arenaBytes` of memory. Errors:
/// `InvalidArgument`, `OutOfMemory`, and `Fault` with the program and source position of a failed
/// assertion or an impossible operation.
llvm::Expected<LaunchResult> launchProgram(const Program &program, Heap &heap,
                                           llvm::ArrayRef<LaunchArgument> arguments,
                                           const LaunchOptions &options);

} // namespace tilerun::interp
