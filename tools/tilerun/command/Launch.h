// One launch from beginning to end: bind, compile, run, compare, save. `run`, `check` and `demo`
// are three ways to show its outcome.
#pragma once

#include "runtime/core/Kernel.h"
#include "tools/tilerun/command/Binding.h"
#include "tools/tilerun/command/Findings.h"
#include "tools/tilerun/host/AtomicFile.h"
#include "tools/tilerun/host/Compare.h"

namespace tilerun::command {

/// The results of a launch besides success.
struct LaunchResult {
  Findings findings;   ///< In the order in which they occurred first.
  std::string printed; ///< By the kernel and its driver, on stdout.
  double seconds = 0;  ///< By the device's own clock.
};

class Launch {
public:
  /// The device was opened without a pool, so that checks see each tensor by itself.
  Launch(Session &session, std::shared_ptr<core::Device> device)
      : session(session), device(std::move(device)) {}

  /// All steps. Nothing is written if any of them fails; a mismatch is not a failure.
  llvm::Error run();

  /// Instead of run(), for measuring: arguments and the grid are evaluated, and names are defined,
  llvm::Error prepare();
  /// and then runs are timed. Milliseconds of each, ascending; the memory that one leaves is that
  /// of the next.
  llvm::Expected<std::vector<double>> measure(double warmup, double rep);
  /// How much the launch does, which the interpreter counts in a launch of its own, once. Null if
  /// that is not known,
  const Work *countWork();
  const std::string &getWhyUncounted() const { return whyUncounted; } ///< and why.

  struct Expectation {
    std::string name;
    std::string text;
    host::Tensor
        tensor; ///< The tensor to compare; its storage holds the contents before the launch.
    host::Tolerance tolerance;
    std::optional<host::Array> array;     ///< float64, or
    std::optional<host::Tensor> integers; ///< exact integers.
    host::Comparison result;
    /// Of a mismatch.
    std::optional<host::MismatchReport> mismatch;
    /// The launch was repeated on the interpreter, which computed this.
    std::optional<host::Comparison> onInterpreter;
  };
  struct Output {
    std::string name;
    std::string path;
    host::Tensor tensor;
  };

  const Binding &getBinding() const { return binding; }
  const LaunchResult &getResult() const { return result; }
  const llvm::json::Array &getRemarks() const { return remarks; } ///< If they were asked for.
  const std::vector<Expectation> &getExpectations() const { return expectations; }
  const std::vector<Output> &getSaved() const { return saved; }
  const std::vector<Output> &getPrinted() const { return printed; }
  /// Its times say nothing about a GPU.
  bool isOnInterpreter() const { return device->checksBounds(); }
  double getFastestSeconds() const { return fastest; }
  double getCompileSeconds() const { return compileSeconds; }
  uint64_t getNumPrograms() const { return binding.grid[0] * binding.grid[1] * binding.grid[2]; }
  /// Of the largest tensor argument.
  int64_t getNumElements() const;
  bool allMatch() const;
  /// A tensor with its contents after the launch.
  host::Tensor getAfter(const host::Tensor &tensor) const;
  /// How a mismatch looks at another resolution.
  host::MismatchReport analyze(const Expectation &expectation, host::MapSize size) const;
  /// Why mismatches do not say which program wrote what, or how they would.
  const std::string &getMapHint() const { return mapHint; }

private:
  /// The tensor of a name, which must share memory with an argument.
  llvm::Expected<host::Tensor> findOutput(llvm::StringRef name, llvm::StringRef option);
  llvm::Error prepareOutputs();
  llvm::Error prepareExpectation(llvm::StringRef text);
  host::Comparison compare(const Expectation &expectation) const;
  void forEachError(const Expectation &expectation,
                    llvm::function_ref<void(const host::ElementError &)> each) const;
  /// Describes mismatches; repeats the launch for it where the command line wants that.
  void explainMismatches();
  bool wantsMap();
  /// Repeats the launch on the interpreter, which tells who wrote what.
  llvm::Error watchWriters();
  /// `repeated` is a launch of the same session on it.
  llvm::Error repeatOnInterpreter(Launch &repeated, llvm::StringRef watch) const;
  const host::Writers *findWriters(const host::Storage *storage) const;
  /// Puts into the signature which tensors are small, for a device whose code depends on it.
  void noteSmallMemory();
  llvm::Error compile(llvm::StringRef watch);
  llvm::Error askRemarks(const std::string &signature, const TilerunCompileOptions &settings);
  llvm::Error execute();
  llvm::Error upload(const host::Tensor &tensor);
  llvm::Error makeArguments();
  std::array<uint32_t, 3> getGrid() const;
  uint32_t getFlags() const; ///< TILERUN_LAUNCH_*
  void free();               ///< The device's memory.
  /// Launches and waits. Findings of checks are a result; any other fault is an error.
  llvm::Expected<LaunchResult> launch(uint32_t flags);

  Session &session;
  std::shared_ptr<core::Device> device;
  Binding binding;
  std::shared_ptr<core::Specialization> loaded;
  std::vector<TilerunArgument> arguments;
  std::vector<TilerunMemoryRange> ranges; ///< As many; they have the shapes of tensors.
  std::vector<Expectation> expectations;
  std::vector<Output> saved, printed;
  std::vector<host::AtomicFile> files;
  /// Device memory and contents after the launch, by storage.
  struct Memory {
    TilerunAddress address = 0;
    std::shared_ptr<host::Storage> after;
  };
  std::map<const host::Storage *, Memory> memory;
  LaunchResult result;
  std::map<std::string, host::Writers> writers; ///< By argument.
  bool knowsWriters = false;                    ///< Memory that has none was not written.
  std::string mapHint;
  std::optional<Work> work;
  std::string whyUncounted;
  bool isRepetition = false; ///< What the compiler says was said.
  llvm::json::Array remarks;
  double fastest = 0;
  double compileSeconds = 0;
};

} // namespace tilerun::command
