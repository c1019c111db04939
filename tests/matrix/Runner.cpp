// Runs one cell.
#include "tests/matrix/Runner.h"

#include "frontend/Frontend.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/transforms/Passes.h"
#include "tests/matrix/Compare.h"
#include "tests/matrix/Data.h"
#include "tools/tilerun/host/Element.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <chrono>
#include <cstring>

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

std::string ExpectedFailures::read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return "cannot read '" + path + "': " + buffer.getError().message();
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/true, '#'); !line.is_at_end(); ++line) {
    auto [glob, reason] = line->split(": ");
    if (reason.trim().empty())
      return path + ":" + std::to_string(line.line_number()) + ": not 'GLOB: reason'";
    entries.emplace_back(glob.str(), reason.trim().str());
  }
  return "";
}

std::optional<std::string> ExpectedFailures::find(const std::string &id) const {
  for (const auto &[glob, reason] : entries)
    if (matches(id, glob))
      return reason;
  return std::nullopt;
}

void ExpectedFailures::apply(const std::string &id, Result &result) const {
  std::optional<std::string> reason = find(id);
  if (!reason)
    return;
  if (result.verdict == Verdict::Fail) {
    result.verdict = Verdict::ExpectedFailure;
    result.text = *reason + " (" + result.text + ")";
  } else if (result.verdict == Verdict::Pass) {
    result.verdict = Verdict::UnexpectedPass;
    result.text = "listed as an expected failure: " + *reason;
  }
}

//===----------------------------------------------------------------------===//
// One cell
//===----------------------------------------------------------------------===//

namespace {

constexpr size_t kGuard = 256; ///< Bytes on each side of a tensor.

/// Whether a compiler's message says that the target lacks something: it names the operation and
/// its place in the source. Anything else is a defect of the compiler.
bool isUnsupported(llvm::StringRef text) {
  // The first line is the cause; what follows only says that the lowering stopped.
  llvm::StringRef message = text.split('\n').first;
  for (llvm::StringRef word : {"internal error", "failed to legalize", "without a diagnostic",
                               "is invalid", "LLVM ERROR", "cannot be read", "crash"})
    if (message.contains(word))
      return false;
  return message.starts_with("unsupported:") ||
         (text.contains("matrix.py") && message.contains('\''));
}

std::vector<uint8_t> getBytecode(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Writing to memory cannot fail.
  mlir::LogicalResult written = mlir::writeBytecodeToFile(module, os);
  (void)written;
  return std::vector<uint8_t>(text.begin(), text.end());
}

mlir::DialectRegistry makeDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

/// The memory of one launch.
struct Memory {
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> sizes;
};

uint8_t getGuardByte(size_t i) { return static_cast<uint8_t>(0xC3 ^ (i * 7)); }

} // namespace

struct Runner::Impl {
  Impl(Target &target, uint64_t seed, bool compileOnly)
      : target(target), seed(seed), compileOnly(compileOnly), reference(makeInterpreter()),
        context(makeDialects(), mlir::MLIRContext::Threading::DISABLED) {}

  struct Compiled {
    std::vector<uint8_t> bytecode;
    std::vector<CompiledParameter> parameters;
    std::string name;
  };

  /// Empty on success; else the message.
  std::string compile(const Cell &cell, bool wide, bool optimize, Compiled &out);
  Memory makeMemory(const Cell &cell, bool wide) const;
  std::vector<RunArgument> makeArguments(const Cell &cell, const Compiled &compiled,
                                         const Memory &memory) const;
  std::string checkGuards(const Cell &cell, const Memory &before, const Memory &after) const;
  Result run(const Cell &cell);

  Target &target;
  uint64_t seed;
  bool compileOnly;
  std::unique_ptr<Target> reference;
  mlir::MLIRContext context;
};

std::string Runner::Impl::compile(const Cell &cell, bool wide, bool optimize, Compiled &out) {
  Frontend frontend;
  auto fail = [&](const std::string &what) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << what << "\n";
    frontend.getDiagnostics().print(os, /*color=*/false);
    return text;
  };
  LoadedModule *module = frontend.loadText("matrix.py", wide ? cell.wideSource : cell.source);
  if (!module)
    return fail("the kernel cannot be parsed");
  KernelSignature signature;
  for (const TensorArgument &argument : cell.tensors) {
    DType element = wide && isWidened(argument.type) ? dtype(Scalar::F64) : argument.type;
    signature.arguments[argument.name] =
        TypedArgument{element.getPointerTo(), cell.unaligned ? 1 : 16};
  }
  for (const ScalarArgument &argument : cell.scalars) {
    DType scalar = wide && argument.type.isFloat() ? dtype(Scalar::F64) : argument.type;
    bool isMultiple = scalar.isInt() && !scalar.isBool() && argument.integer % 16 == 0;
    signature.arguments[argument.name] = TypedArgument{scalar, isMultiple ? 16 : 1};
  }
  signature.numWarps = cell.numWarps;
  signature.numStages = cell.numStages;
  signature.debug = cell.debug;
  signature.defaultTf32 = target.defaultsToTf32();
  mlir::FailureOr<CompiledKernel> compiled =
      frontend.compile(*module, "kernel", signature, context);
  if (mlir::failed(compiled))
    return fail("the frontend refuses the kernel");
  if (optimize) {
    std::string messages;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += "\n" + diagnostic.str();
      return mlir::success();
    });
    mlir::PassManager manager(&context);
    buildOptimizePipeline(manager);
    if (mlir::failed(manager.run(*compiled->module)))
      return "the optimizer failed" + messages;
  }
  out.bytecode = getBytecode(*compiled->module);
  out.parameters = compiled->parameters;
  out.name = compiled->name;
  return "";
}

Memory Runner::Impl::makeMemory(const Cell &cell, bool wide) const {
  Memory memory;
  for (const TensorArgument &argument : cell.tensors) {
    std::vector<uint8_t> contents = makeContents(cell, argument, seed);
    if (wide && isWidened(argument.type))
      contents = widen(argument, contents);
    // One element off, where alignment is not promised.
    size_t shift = cell.unaligned ? host::getElementBytes(argument.type) : 0;
    if (wide)
      shift = 0;
    std::vector<uint8_t> buffer(kGuard + shift + contents.size() + kGuard);
    for (size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = getGuardByte(i);
    std::copy(contents.begin(), contents.end(), buffer.begin() + ptrdiff_t(kGuard + shift));
    memory.offsets.push_back(kGuard + shift);
    memory.sizes.push_back(contents.size());
    memory.buffers.push_back(std::move(buffer));
  }
  return memory;
}

std::vector<RunArgument> Runner::Impl::makeArguments(const Cell &cell, const Compiled &compiled,
                                                     const Memory &memory) const {
  std::vector<RunArgument> out;
  for (const CompiledParameter &parameter : compiled.parameters) {
    RunArgument argument;
    for (size_t i = 0; i < cell.tensors.size(); ++i)
      if (cell.tensors[i].name == parameter.name) {
        argument.buffer = static_cast<int>(i);
        argument.offset = memory.offsets[i];
      }
    for (const ScalarArgument &scalar : cell.scalars)
      if (scalar.name == parameter.name) {
        argument.isFloat = scalar.type.isFloat();
        argument.isBFloat = scalar.type == dtype(Scalar::BF16);
        argument.bits = argument.isFloat ? std::bit_cast<uint64_t>(scalar.number)
                                         : static_cast<uint64_t>(scalar.integer);
      }
    out.push_back(argument);
  }
  return out;
}

/// Empty, or which byte outside the outputs was written.
std::string Runner::Impl::checkGuards(const Cell &cell, const Memory &before,
                                      const Memory &after) const {
  for (size_t i = 0; i < cell.tensors.size(); ++i) {
    const TensorArgument &argument = cell.tensors[i];
    for (size_t at = 0; at < before.buffers[i].size(); ++at) {
      bool inside = at >= before.offsets[i] && at < before.offsets[i] + before.sizes[i];
      if (before.buffers[i][at] == after.buffers[i][at] || (inside && argument.isOutput))
        continue;
      int64_t byte = int64_t(at) - int64_t(before.offsets[i]);
      if (inside)
        return "'" + argument.name + "' is an input, but its byte " + std::to_string(byte) +
               " was written";
      return "a write outside of '" + argument.name + "', at byte " + std::to_string(byte) +
             " of " + std::to_string(before.sizes[i]);
    }
  }
  return "";
}

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

  Compiled optimized;
  if (std::string error = compile(cell, /*wide=*/false, /*optimize=*/true, optimized);
      !error.empty())
    return fail(error);
  Request request{optimized.bytecode, optimized.name, cell.numWarps, cell.numStages, cell.debug};
  Memory before = makeMemory(cell, /*wide=*/false), after = before;
  if (Outcome failed =
          target.run(request, cell.grid, makeArguments(cell, optimized, before), after.buffers))
    return judge(*failed);
  if (compileOnly)
    return result;
  if (std::string error = checkGuards(cell, before, after); !error.empty())
    return fail(error);

  // The reference takes the kernel as the frontend made it.
  bool wide = !cell.wideSource.empty();
  Compiled plain;
  if (std::string error = compile(cell, wide, /*optimize=*/false, plain); !error.empty())
    return fail("reference: " + error);
  Memory reference = makeMemory(cell, wide);
  Request plainRequest{plain.bytecode, plain.name, cell.numWarps, cell.numStages, cell.debug};
  if (Outcome failed = this->reference->run(
          plainRequest, cell.grid, makeArguments(cell, plain, reference), reference.buffers))
    return fail("reference: " + failed->message);
  for (size_t i = 0; i < cell.tensors.size(); ++i) {
    const TensorArgument &argument = cell.tensors[i];
    if (!argument.isOutput)
      continue;
    auto part = [i](const Memory &memory) {
      return llvm::ArrayRef(memory.buffers[i]).slice(memory.offsets[i], memory.sizes[i]);
    };
    std::string difference =
        compare(cell, argument, part(after), part(reference), wide && isWidened(argument.type));
    if (!difference.empty())
      return fail(difference);
  }
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
