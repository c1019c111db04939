// Targets that run the kernels of cells: the interpreter in this process, or a plugin's device
// through runtime/core and runtime/compiler, as for every user. Both give a launch the same memory:
// each tensor between guard bytes.
#pragma once

#include "tests/matrix/Cell.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace tilerun::plugin {
class Plugin;
} // namespace tilerun::plugin

namespace tilerun::matrix {

/// A compiled cell for a device.
struct Request {
  llvm::ArrayRef<uint8_t> bytecode; ///< As the frontend emits it, not optimized.
  std::string kernel;
  unsigned numWarps, numStages;
  bool debug;
};

/// Options of a target for everything that is compiled for it: names and values.
using TargetOptions = std::vector<std::pair<std::string, std::string>>;

/// One run-time argument: a tensor's place among `buffers`, or a number.
struct RunArgument {
  int buffer = -1; ///< -1: a number.
  uint64_t offset = 0;
  bool isFloat = false;
  uint64_t bits = 0; ///< Two's complement, or the bits of a double.
};

/// Why a cell did not run.
struct Failure {
  enum class Kind { Compile, Run } kind;
  std::string message;
  bool lost = false; ///< The device must be opened again.
};

/// The error of a failed run, or nothing.
using Outcome = std::optional<Failure>;

class Target {
public:
  virtual ~Target() = default;
  /// "cuda:0"; "cuda:sm_90a" where only compiling is possible.
  virtual std::string getName() const = 0;
  /// For people: "NVIDIA H200".
  virtual std::string getDescription() const = 0;
  /// The target that the frontend specializes kernels on, which decides whether float32 products
  /// default to tf32, and which assembly a clock is. Empty for none.
  virtual std::string getLanguageTarget() const { return ""; }
  /// Whether arithmetic may take subnormal float32 numbers for zeros.
  virtual bool mayFlushSubnormals() const { return false; }
  /// Runs one grid; `buffers` hold the contents of memory before, and afterwards.
  virtual Outcome run(const Request &request, std::array<uint32_t, 3> grid,
                      const std::vector<RunArgument> &arguments,
                      std::vector<std::vector<uint8_t>> &buffers) = 0;
};

/// The interpreter of this process; it runs modules as they are unless it optimizes them first.
std::unique_ptr<Target> makeInterpreter(bool optimizes = false);

/// A device of a plugin; null with a reason if it cannot be opened. `device` may be empty for the
/// first one.
std::unique_ptr<Target> openPlugin(const std::string &path, const std::string &device,
                                   std::string &reason, TargetOptions options = {});

/// "cuda" of ".../libtilerun-cuda.so".
llvm::StringRef getPluginName(llvm::StringRef path);
/// Whether TILERUN_REQUIRE, a list of plugins' names, demands a device of the plugin.
bool isRequired(llvm::StringRef path);

/// A target's first words, which tell it from the others: "vulkan:1.3,subgroup=8,…".
std::string shortenTarget(llvm::StringRef target);

/// A message with `target`, which may be long, shortened everywhere.
std::string shortenTargetIn(std::string message, llvm::StringRef target);

/// Programs that look at code; empty: they do not.
struct CodeCheckers {
  std::string ptxas;    ///< Assembles PTX.
  std::string spirvVal; ///< Validates SPIR-V.
};

/// Compiles for a target of a plugin without any device, and lets checkers look at the code.
std::unique_ptr<Target> makeCompiler(const std::string &path, const std::string &target,
                                     const CodeCheckers &checkers, std::string &reason,
                                     TargetOptions options = {});

} // namespace tilerun::matrix
