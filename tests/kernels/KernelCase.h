// The table of small kernels in tests/kernels/*.py. A line "#: NAME=VALUE ... --grid N --num-warps
// W" before a kernel is one case; values are written as for `tilerun run`: f32[64,32]:randn(1),
// i32[8]:randint(0,5,2), zeros, arange, a number. --num-stages N: the buffers of pipelined loops.
// --operands-across-k WAY: auto, registers or copies. --num-ctas N: blocks of a program.
#pragma once

#include "frontend/Frontend.h"
#include "ir/distribute/AcrossK.h"

namespace tilerun::test {

struct KernelCase {
  std::string file, kernel;
  unsigned number = 0; ///< Among the cases of its kernel.
  std::vector<std::pair<std::string, std::string>> values;
  uint64_t grid = 1;
  unsigned numWarps = 4, numStages = 3;
  distribute::AcrossK acrossK = distribute::AcrossK::Auto;
  unsigned numCtas = 1;

  std::string name() const; ///< "shapes_transpose_0"
  std::string line() const; ///< For messages.
};

/// For GoogleTest's messages.
void PrintTo(const KernelCase &testCase, std::ostream *os);

/// All cases of all files, by file name and then in order.
std::vector<KernelCase> loadKernelCases();

/// A tensor of a case.
struct TensorArgument {
  std::string name;
  DType element;
  std::vector<uint8_t> bytes;
  unsigned elementBytes() const;
  size_t size() const { return bytes.size() / elementBytes(); }
  double at(size_t i) const;
};

/// A compiled case and its arguments, in the order of the compiled kernel's parameters.
struct PreparedCase {
  std::unique_ptr<mlir::MLIRContext> context;
  CompiledKernel kernel; ///< Optimized.
  struct Argument {
    int tensor = -1; ///< Number in `tensors`, or a scalar's bits.
    uint64_t bits = 0;
    double number = 0;
    bool isFloat = false;
  };
  std::vector<Argument> arguments;
  std::vector<TensorArgument> tensors;
};

llvm::Expected<PreparedCase> prepare(const KernelCase &testCase);

/// Runs a case on the reference interpreter; its tensors afterwards.
llvm::Expected<std::vector<TensorArgument>> interpret(PreparedCase &prepared, uint64_t grid);

/// Where two results differ by more than their type's precision allows; empty if nowhere.
std::string compare(const std::vector<TensorArgument> &expected,
                    const std::vector<TensorArgument> &got);

} // namespace tilerun::test
