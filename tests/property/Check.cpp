// Runs one kernel everywhere and compares.
#include "tests/property/Check.h"

#include "ir/tile/ModuleBytes.h"
#include "tests/matrix/Compare.h"
#include "tests/matrix/Launch.h"
#include "tests/matrix/Tolerance.h"
#include "tests/property/Defects.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <cstring>

using namespace tilerun;
using namespace tilerun::property;
using matrix::Cell;
using matrix::CompiledCell;
using matrix::Memory;
using matrix::Result;
using matrix::Verdict;

namespace {

/// Types and attributes of a context stay until it ends.
constexpr unsigned kKernelsPerContext = 400;

constexpr const char *kGuarded = " (guarded)"; ///< After a device's name.

/// Runs a compiled cell; empty, or the error.
matrix::Outcome run(matrix::Target &target, const Cell &cell, const CompiledCell &compiled,
                    Memory &memory) {
  matrix::Request request{compiled.bytecode, compiled.name, cell.numWarps, cell.numStages,
                          cell.debug};
  return target.run(request, cell.grid, matrix::makeArguments(cell, compiled, memory),
                    memory.buffers);
}

/// Elements that the reference in float64 did not write compare as equal if they are unchanged.
void leaveOutUnwritten(const matrix::TensorArgument &argument, llvm::ArrayRef<uint8_t> before,
                       llvm::ArrayRef<uint8_t> wideBefore, std::vector<uint8_t> &got,
                       std::vector<uint8_t> &wanted) {
  for (size_t i = 0; i < static_cast<size_t>(argument.count); ++i) {
    size_t at = i * sizeof(float), wideAt = i * sizeof(double);
    if (std::memcmp(wanted.data() + wideAt, wideBefore.data() + wideAt, sizeof(double)) != 0 ||
        std::memcmp(got.data() + at, before.data() + at, sizeof(float)) != 0)
      continue;
    std::memset(wanted.data() + wideAt, 0, sizeof(double));
    std::memset(got.data() + at, 0, sizeof(float));
  }
}

} // namespace

Checker::Checker(std::vector<std::unique_ptr<matrix::Target>> opened, uint64_t seed)
    : devices(std::move(opened)), interpreter(matrix::makeInterpreter()), seed(seed) {
  for (const auto &device : devices)
    (hasDefects(device->getDescription()) ? defective : sound).push_back(device.get());
}

Result Checker::check(const Kernel &kernel, bool useDevices) {
  auto start = std::chrono::steady_clock::now();
  Result result;
  if (!kernel.isGuarded)
    result = checkOn(kernel, useDevices ? sound : std::vector<matrix::Target *>());
  if (result.verdict != Verdict::Fail && useDevices && !defective.empty()) {
    Kernel guarded = kernel;
    guarded.isGuarded = true;
    Result second = checkOn(guarded, defective);
    second.lost |= result.lost;
    if (second.verdict != Verdict::Pass)
      result = second;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Result Checker::checkOn(const Kernel &kernel, llvm::ArrayRef<matrix::Target *> targets) {
  Cell cell = makeCell(kernel), wide;
  bool isWide = llvm::any_of(cell.tensors, [&](const matrix::TensorArgument &argument) {
    return getTolerance(kernel, argument.name).rule == matrix::Rule::Ulp;
  });
  if (isWide)
    wide = makeCell(kernel, /*wide=*/true);
  Result result;
  auto fail = [&](const std::string &stage, const std::string &text) {
    result.verdict = Verdict::Fail;
    result.text = stage + ": " + text;
    return result;
  };
  if (uses++ % kKernelsPerContext == 0)
    context = std::make_unique<mlir::MLIRContext>(matrix::makeDialects(),
                                                  mlir::MLIRContext::Threading::DISABLED);

  CompiledKernel compiled;
  if (std::string error =
          matrix::compileModule(cell, /*wide=*/false, /*languageTarget=*/"", *context, compiled);
      !error.empty())
    return fail("frontend", error);
  CompiledCell plain{tile::writeModule(*compiled.module), compiled.parameters, compiled.name};
  if (std::string error = matrix::optimize(*compiled.module); !error.empty())
    return fail("optimizer", error);
  CompiledCell optimized{tile::writeModule(*compiled.module), compiled.parameters, compiled.name};

  // The reference, and the same with the optimizer: equal to the last bit.
  const Memory before = matrix::makeMemory(cell, seed, /*wide=*/false);
  Memory expected = before, after = before, wideBefore;
  if (matrix::Outcome failed = run(*interpreter, cell, plain, expected))
    return fail("interpreter", failed->message);
  if (std::string error = matrix::checkGuards(cell, before, expected); !error.empty())
    return fail("interpreter", error);
  auto compare = [&](const Memory &memory, const Memory &reference, bool isExact) {
    for (const auto &[i, argument] : llvm::enumerate(cell.tensors)) {
      if (!argument.isOutput)
        continue;
      // A cell with this output's tolerance.
      Cell one;
      one.tolerance = isExact ? matrix::kValue : getTolerance(kernel, argument.name);
      bool isWide = one.tolerance.rule == matrix::Rule::Ulp;
      if (!isExact && isWide != (&reference != &expected))
        continue;
      std::vector<uint8_t> got = memory.getTensor(i), wanted = reference.getTensor(i);
      if (isWide)
        leaveOutUnwritten(argument, before.getTensor(i), wideBefore.getTensor(i), got, wanted);
      if (std::string text = matrix::compare(one, argument, got, wanted, isWide); !text.empty())
        return text;
    }
    return std::string();
  };
  if (matrix::Outcome failed = run(*interpreter, cell, optimized, after))
    return fail("interpreter, optimized", failed->message);
  if (std::string text = compare(after, expected, /*isExact=*/true); !text.empty())
    return fail("optimizer differs", text);
  if (targets.empty())
    return result;

  // Approximate functions have their own reference.
  Memory exact;
  if (isWide) {
    CompiledCell computed;
    if (std::string error =
            matrix::compileCell(wide, /*wide=*/false, /*languageTarget=*/"", *context, computed);
        !error.empty())
      return fail("frontend, in float64", error);
    exact = wideBefore = matrix::makeMemory(wide, seed, /*wide=*/false);
    if (matrix::Outcome failed = run(*interpreter, wide, computed, exact))
      return fail("interpreter, in float64", failed->message);
  }
  for (matrix::Target *device : targets) {
    std::string name = device->getName() + (kernel.isGuarded ? kGuarded : "");
    after = before;
    if (matrix::Outcome failed = run(*device, cell, plain, after)) {
      result.lost |= failed->lost;
      if (failed->kind != matrix::Failure::Kind::Compile || !matrix::isUnsupported(failed->message))
        return fail(name, failed->message);
      result.verdict = Verdict::Unsupported;
      result.text = name + ": " + failed->message;
      continue;
    }
    if (llvm::StringRef(device->getDescription()).starts_with("compiled only"))
      continue;
    if (std::string error = matrix::checkGuards(cell, before, after); !error.empty())
      return fail(name, error);
    std::string text = compare(after, expected, /*isExact=*/false);
    if (text.empty() && isWide)
      text = compare(after, exact, /*isExact=*/false);
    if (!text.empty())
      return fail(name + " differs", text);
  }
  return result;
}

bool property::isGuarded(const Result &result) {
  return llvm::StringRef(result.text).split('\n').first.split(": ").first.contains(kGuarded);
}

std::string property::getFailureKind(const Result &result) {
  if (result.verdict != Verdict::Fail)
    return "";
  llvm::StringRef text = result.text;
  // The differing element changes as a kernel shrinks; a compiler's message does not.
  if (size_t at = text.find(" differs: "); at != llvm::StringRef::npos)
    return text.take_front(at).str();
  std::string kind;
  for (char c : text.take_front(300)) {
    if (c == '\'' && kind.size() > 60)
      break;
    if (!llvm::isDigit(c) && c != '-')
      kind += c;
  }
  return kind.substr(0, 100);
}
