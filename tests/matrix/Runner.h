// One cell from text to verdict: compile, run on the reference and on the target, compare.
#pragma once

#include "tests/matrix/Target.h"

#include <map>

namespace tilerun::matrix {

/// The outcome of a cell. UnexpectedPass: it is in the list of expected failures, and passes.
enum class Verdict { Pass, Unsupported, ExpectedFailure, Fail, UnexpectedPass };
const char *getName(Verdict verdict);
std::optional<Verdict> parseVerdict(llvm::StringRef name);

struct Result {
  Verdict verdict = Verdict::Pass;
  std::string text; ///< The reason; for a pass, the allowance that was made, if any.
  double seconds = 0;
  bool lost = false; ///< The process that ran it cannot go on.
};

/// Whether a compiler's message says that the target lacks something: it names the operation and
/// its place in the source. Anything else is a defect of the compiler.
bool isUnsupported(llvm::StringRef text);

/// Runs cells one after the other. Not thread-safe; holds a compiler context of its own.
class Runner {
public:
  Runner(Target &target, uint64_t seed, bool compileOnly);
  ~Runner();
  Result run(const Cell &cell);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// `*` and `?`; everything else stands for itself.
bool matches(llvm::StringRef text, llvm::StringRef glob);

} // namespace tilerun::matrix
