// A kernel with arguments, ready to be recorded on the interpreter: it holds the memory of the
// launch, and knows which argument an address belongs to.
//
// Rules of this folder: a debugger moves in recordings (backends/interpreter/debug) and changes
// nothing; text and the Debug Adapter Protocol are two ways to show the same.
#pragma once

#include "backends/interpreter/debug/Execution.h"
#include "tools/tilerun/host/Value.h"

namespace tilerun::debug {

using ArgumentValues = std::map<std::string, host::Value>; ///< By parameter.

struct DebuggeeOptions {
  std::array<uint64_t, 3> grid{1, 1, 1};
  bool assertions = false; ///< device_assert is live.
  interp::RecordOptions record;
};

class Debuggee {
public:
  /// `bytecode`: of a module that was compiled with debug events, if it is to be recorded.
  static llvm::Expected<std::unique_ptr<Debuggee>> create(llvm::ArrayRef<uint8_t> bytecode,
                                                          llvm::StringRef kernel,
                                                          const ArgumentValues &values,
                                                          const DebuggeeOptions &options);

  const interp::Program &getProgram() const { return *program; }
  uint64_t getNumPrograms() const { return execution->getNumPrograms(); }
  const std::array<uint64_t, 3> &getGrid() const { return options.grid; }
  /// "program (2, 0, 0)"
  std::string describeProgram(uint64_t linear) const;

  /// See Execution::record.
  llvm::Expected<interp::Recording> record(uint64_t linear);

  /// See Execution::observe.
  llvm::Expected<interp::LaunchResult> observe(interp::StepObserver &observer,
                                               const interp::CheckOptions &checks);

  /// A tensor that the kernel got.
  struct Argument {
    std::string name;
    host::Tensor tensor; ///< Its type, shape and strides; the storage has what was given.
    uint64_t base;       ///< Address of the storage's first byte.
  };
  llvm::ArrayRef<Argument> getArguments() const { return arguments; }
  const Argument *findArgument(llvm::StringRef name) const;
  /// A tensor's contents before a moment of a recording, which was the last one; without one, after
  /// all that ran.
  llvm::Expected<host::Tensor> read(const Argument &argument, const interp::Recording *recording,
                                    size_t moment) const;
  /// Whether an element had the value that it has now before the launch, too.
  bool wasGiven(uint64_t address, interp::Dtype type) const;
  /// "x[3, 0]", "x + 6 bytes", or the number in hexadecimal.
  std::string describeAddress(uint64_t address) const;

  /// What a variable got: a tensor, a number, or for compile-time values what their text says.
  /// Pointers are integers.
  static llvm::Expected<host::Value> toValue(const interp::Assignment &assignment);

private:
  explicit Debuggee(const DebuggeeOptions &options)
      : options(options), heap(host::getMaxTensorBytes()) {}
  llvm::Expected<uint64_t> upload(const host::Tensor &tensor);

  const DebuggeeOptions options;
  interp::Heap heap;
  std::unique_ptr<interp::Program> program;
  std::vector<Argument> arguments;
  std::map<const host::Storage *, uint64_t> addresses;
  std::unique_ptr<interp::Execution> execution;
};

/// The linear index of the program that a text names, "2", or "2,0,1" by axis.
llvm::Expected<uint64_t> parseProgram(llvm::StringRef text, const std::array<uint64_t, 3> &grid);

} // namespace tilerun::debug
