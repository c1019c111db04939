// Surveys how much of a folder of kernel files compiles: each kernel is type-checked with guessed
// signatures, and may be compiled further for a target.
//
// The survey of one file is a function that reports its progress: some kernels take minutes or
// gigabytes, so the command surveys files in child processes and needs to know which kernel it was.
#pragma once

#include "frontend/Frontend.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tilerun::corpus {

enum class Outcome {
  Compiles,
  Fails,     ///< `reason` says what stopped the guess that came furthest.
  Refused,   ///< It is a kernel, but the target does not compile it: `reason`.
  Helper,    ///< It returns values, so other functions call it; it is not launched.
  TimeLimit, ///< It took too long: `reason`. Set by the process that watches the survey, as is the
             ///< next.
  MemoryLimit, ///< It took too much memory: `reason`.
  Internal     ///< A bug of the compiler.
};

/// The result of one function.
struct Entry {
  std::string file, name;
  unsigned line = 0;  ///< Of the function.
  unsigned index = 0; ///< Among the functions of the file.
  Outcome outcome = Outcome::Fails;
  std::string signature; ///< The guess that compiled, or the first one.
  unsigned numTried = 0;
  std::string reason;     ///< Empty if it compiles.
  std::string reasonFile; ///< Where.
  unsigned reasonLine = 0;
  std::string construct; ///< The reason without names, values and types, for grouping.
  double seconds = 0;    ///< The time of the target's compiler.
  /// While it is being compiled, and most of it is one unrolled loop: the words that name the loop,
  /// for a limit that it exceeds.
  std::string unrolled;
};

/// Compiles kernels further, for a target.
struct Backend {
  struct Verdict {
    std::string message;     ///< Why it does not compile, with the place in front; empty: it does.
    bool isInternal = false; ///< A bug of the compiler.
  };
  std::string target;
  std::function<Verdict(CompiledKernel &, const KernelSignature &)> compile;
};

/// A function of another file, by full path and name.
using Function = std::pair<std::string, std::string>;

/// A function that is not compiled as it is: a kernel in Gluon, or what Python makes kernels of.
struct Made {
  std::string name;
  unsigned line = 0;
  std::string decorator; ///< That does it, without its arguments.
};

/// The results of a file's survey besides its entries.
struct FileSummary {
  std::string unreadable;       ///< Why it does not parse; empty if it does.
  std::vector<Function> called; ///< Functions of other files that its functions call.
  std::vector<Made> made;       ///< By line.
};

/// Follows the survey of a file, on the same thread.
class Listener {
public:
  virtual ~Listener() = default;
  /// A function comes next, with its name and place; false: it is left out.
  virtual bool begin(const Entry &entry) = 0;
  /// It has been type-checked once more, and `entry.unrolled` describes that time.
  virtual void typed(const Entry &) {}
  /// It type-checks, with `entry.signature`, and is compiled further from here.
  virtual void compiling(const Entry &entry) = 0;
  virtual void finish(const Entry &entry) = 0;
};

/// Every `.py` file below `folder`, in order, or the one file that it is. Links are not followed.
llvm::Expected<std::vector<std::string>> findFiles(llvm::StringRef folder);

/// Values of globals that only host code knows, by name.
using Defines = std::map<std::string, ConstantArgument>;

/// Surveys the functions of one file. With a `backend`, kernels that type-check are compiled for
/// its target as well. `define` is asked once for a file that has jit functions; kernels that need
/// its values get them.
FileSummary surveyFile(const std::string &path, const Backend *backend, Listener &listener,
                       const std::function<Defines()> &define = nullptr);

/// Makes helpers of kernels that functions of other files call: `called`, of all files.
void markHelpers(llvm::MutableArrayRef<Entry> entries, llvm::ArrayRef<Function> called);

/// A message without the parts that differ between kernels: quoted names and numbers.
std::string generalize(llvm::StringRef message);

} // namespace tilerun::corpus
