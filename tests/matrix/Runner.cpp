// Runs one cell.
#include "tests/matrix/Runner.h"

#include "tests/matrix/Compare.h"
#include "tests/matrix/Data.h"
#include "tests/matrix/Launch.h"

#include <chrono>

using namespace tilerun;
using namespace tilerun::matrix;

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

static constexpr const char *kVerdicts[] = {"pass", "unsupported", "expected failure", "fail",
                                            "unexpected pass"};

const char *matrix::getName(Verdict verdict) { return kVerdicts[static_cast<int>(verdict)]; }

std::optional<Verdict> matrix::parseVerdict(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(kVerdicts); ++i)
    if (name == kVerdicts[i])
      return static_cast<Verdict>(i);
  return std::nullopt;
}

bool matrix::matches(llvm::StringRef text, llvm::StringRef glob) {
  if (glob.empty())
    return text.empty();
  if (glob[0] == '*') {
    for (size_t skip = 0; skip <= text.size(); ++skip)
      if (matches(text.drop_front(skip), glob.drop_front()))
        return true;
    return false;
  }
  return !text.empty() && (glob[0] == '?' || glob[0] == text[0]) &&
         matches(text.drop_front(), glob.drop_front());
}

/// Why a result passes that is not the reference's.
static constexpr const char *kFlushed =
    "the device's arithmetic flushes subnormal float32 numbers to zero (docs/math.md): results are "
    "those of zeros";

//===----------------------------------------------------------------------===//
// One cell
//===----------------------------------------------------------------------===//

bool matrix::isUnsupported(llvm::StringRef text) {
  // The first line is the cause; the rest only says that the lowering stopped.
  llvm::StringRef message = text.split('\n').first;
  for (llvm::StringRef word : {"internal error", "failed to legalize", "without a diagnostic",
                               "is invalid", "LLVM ERROR", "cannot be read", "crash"})
    if (message.contains(word))
      return false;
  return message.starts_with("unsupported:") ||
         (text.contains("matrix.py") && message.contains('\''));
}

struct Runner::Impl {
  Impl(Target &target, uint64_t seed, bool compileOnly)
      : target(target), seed(seed), compileOnly(compileOnly), reference(makeInterpreter()),
        context(makeDialects(), mlir::MLIRContext::Threading::DISABLED) {}

  std::string compile(const Cell &cell, bool wide, CompiledCell &out) {
    return compileCell(cell, wide, target.getLanguageTarget(), context, out);
  }
  Result run(const Cell &cell);

  Target &target;
  uint64_t seed;
  bool compileOnly;
  std::unique_ptr<Target> reference;
  mlir::MLIRContext context;
};

Result Runner::Impl::run(const Cell &cell) {
  Result result;
  auto fail = [&](std::string text) {
    result.verdict = Verdict::Fail;
    result.text = std::move(text);
    return result;
  };
  auto judge = [&](const Failure &failure) {
    result.verdict = failure.kind == Failure::Kind::Compile && isUnsupported(failure.message)
                         ? Verdict::Unsupported
                         : Verdict::Fail;
    result.text = failure.message;
    result.lost = failure.lost;
    return result;
  };

  CompiledCell compiled;
  if (std::string error = compile(cell, /*wide=*/false, compiled); !error.empty())
    return fail(error);
  Request request{compiled.bytecode, compiled.name, cell.numWarps, cell.numStages, cell.debug};
  Memory before = makeMemory(cell, seed, /*wide=*/false), after = before;
  if (Outcome failed =
          target.run(request, cell.grid, makeArguments(cell, compiled, before), after.buffers))
    return judge(*failed);
  if (compileOnly)
    return result;
  if (std::string error = checkGuards(cell, before, after); !error.empty())
    return fail(error);

  // The reference takes the kernel as the frontend made it.
  bool wide = !cell.wideSource.empty();
  if (std::string error = wide ? compile(cell, wide, compiled) : ""; !error.empty())
    return fail("reference: " + error);
  Memory reference = makeMemory(cell, seed, wide), flushed = reference;
  request.bytecode = compiled.bytecode;
  auto runReference = [&](Memory &memory) {
    return this->reference->run(request, cell.grid, makeArguments(cell, compiled, memory),
                                memory.buffers);
  };
  if (Outcome failed = runReference(reference))
    return fail("reference: " + failed->message);
  auto compareAll = [&](bool withFlushed) -> std::string {
    for (size_t i = 0; i < cell.tensors.size(); ++i) {
      const TensorArgument &argument = cell.tensors[i];
      if (!argument.isOutput)
        continue;
      std::string difference =
          compare(cell, argument, after.getTensor(i), reference.getTensor(i),
                  wide && isWidened(argument.type),
                  withFlushed ? flushed.getTensor(i) : llvm::ArrayRef<uint8_t>());
      if (!difference.empty())
        return difference;
    }
    return "";
  };
  std::string difference = compareAll(/*withFlushed=*/false);
  if (difference.empty())
    return result;
  if (!target.mayFlushSubnormals() || !mayTakeSubnormalsForZeros(cell))
    return fail(difference);
  flushSubnormals(cell, flushed, wide);
  if (Outcome failed = runReference(flushed))
    return fail("reference: " + failed->message);
  if (!compareAll(/*withFlushed=*/true).empty())
    return fail(difference);
  result.text = kFlushed;
  return result;
}

Runner::Runner(Target &target, uint64_t seed, bool compileOnly)
    : impl(std::make_unique<Impl>(target, seed, compileOnly)) {}
Runner::~Runner() = default;

Result Runner::run(const Cell &cell) {
  auto start = std::chrono::steady_clock::now();
  Result result = impl->run(cell);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}
