// The harness of the end-to-end tests.
#include "tests/frontend/sema/EndToEnd.h"

#include "backends/interpreter/Interpreter.h"
#include "backends/interpreter/debug/Recorder.h"
#include "ir/tile/ModuleBytes.h"

#include "mlir/Transforms/Passes.h"

namespace tilerun::test {

/// Runs a module over the arguments' bytes, in place; `record`: with its last program observed.
static std::string execute(mlir::ModuleOp module, llvm::StringRef name,
                           const std::vector<RunArgument> &arguments,
                           std::vector<std::vector<uint8_t>> &buffers, uint64_t grid, bool debug,
                           bool record = false) {
  interp::Heap heap(uint64_t(1) << 32);
  auto kernel = interp::loadProgram(tile::writeModule(module), name);
  if (!kernel)
    return llvm::toString(kernel.takeError());
  using Kind = interp::LaunchArgument::Kind;
  std::vector<interp::LaunchArgument> launch;
  std::vector<uint64_t> addresses;
  for (const RunArgument &argument : arguments) {
    if (auto *v = std::get_if<int64_t>(&argument)) {
      launch.push_back({Kind::Integer, static_cast<uint64_t>(*v)});
    } else if (auto *v = std::get_if<double>(&argument)) {
      launch.push_back({Kind::Float, std::bit_cast<uint64_t>(*v)});
    } else {
      std::vector<uint8_t> &bytes = buffers[addresses.size()];
      auto address = heap.allocate(bytes.size(), "buffer");
      if (!address)
        return llvm::toString(address.takeError());
      if (auto error = heap.copyIn(*address, bytes))
        return llvm::toString(std::move(error));
      addresses.push_back(*address);
      launch.push_back({Kind::Pointer, *address});
    }
  }
  interp::LaunchOptions options;
  options.grid = {grid, 1, 1};
  options.debug = debug;
  options.checks.bounds = true;
  interp::Recorder recorder(**kernel, grid - 1, {});
  if (record)
    options.observer = &recorder;
  auto result = interp::launchProgram(**kernel, heap, launch, options);
  if (!result)
    return llvm::toString(result.takeError());
  if (record && (!recorder.isComplete() || recorder.take().activations.empty()))
    return "nothing has been recorded";
  if (!result->reports.empty())
    return "check: " + result->reports.front().message;
  for (auto [address, bytes] : llvm::zip(addresses, buffers))
    if (auto error = heap.copyOut(bytes, address))
      return llvm::toString(std::move(error));
  return "";
}

std::string run(const std::string &text, llvm::StringRef signatureText,
                const std::vector<RunArgument> &arguments, uint64_t grid, bool debug) {
  auto signature = parseSignature(signatureText);
  if (!signature)
    return llvm::toString(signature.takeError());
  signature->debug = debug;
  Frontend frontend;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  LoadedModule *module =
      frontend.loadText("test.py", "import triton\nimport triton.language as tl\n" + text);
  auto compiled = module ? frontend.compile(*module, "kernel", *signature, context)
                         : mlir::FailureOr<CompiledKernel>(mlir::failure());
  if (mlir::failed(compiled)) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    frontend.getDiagnostics().print(stream, false);
    return out;
  }
  std::vector<std::vector<uint8_t>> initial;
  for (const RunArgument &argument : arguments)
    if (auto *b = std::get_if<BufferArgument>(&argument))
      initial.emplace_back(static_cast<uint8_t *>(b->data),
                           static_cast<uint8_t *>(b->data) + b->bytes);
  auto plain = initial, optimized = initial;
  if (std::string error = execute(*compiled->module, compiled->name, arguments, plain, grid, debug);
      !error.empty())
    return error;
  // Marks for a debugger change nothing.
  signature->debugEvents = true;
  auto marked = frontend.compile(*module, "kernel", *signature, context);
  if (mlir::failed(marked))
    return "with debug events it does not compile";
  auto recorded = initial;
  if (std::string error =
          execute(*marked->module, marked->name, arguments, recorded, grid, debug, true);
      !error.empty())
    return "recorded: " + error;
  if (plain != recorded)
    return "debug events change the result";
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  if (mlir::failed(passes.run(*compiled->module)))
    return "canonicalization fails";
  if (std::string error =
          execute(*compiled->module, compiled->name, arguments, optimized, grid, debug);
      !error.empty())
    return "canonicalized: " + error;
  if (plain != optimized)
    return "canonicalization changes the result";
  size_t next = 0;
  for (const RunArgument &argument : arguments)
    if (auto *b = std::get_if<BufferArgument>(&argument))
      llvm::copy(plain[next++], static_cast<uint8_t *>(b->data));
  return "";
}

std::string runBody(const std::string &parameters, const std::string &body,
                    llvm::StringRef signature, const std::vector<RunArgument> &arguments,
                    uint64_t grid) {
  std::string text = "@triton.jit\ndef kernel(" + parameters + "):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "    " + line.str() + "\n";
  return run(text, signature, arguments, grid);
}

void expectInts(
    const std::string &body, std::vector<int64_t> numbers,
    const std::function<void(const std::vector<int> &p, std::vector<int> &q, int n)> &model) {
  std::vector<int> input = {3, -1, 4, 1, -5, 9, 2, 6, 0, 5, -3, 5, 8, 9, 7, 9};
  for (int64_t n : numbers) {
    std::vector<int> p = input, q(32, -100), expected(32, -100);
    std::string error =
        runBody("p, q, n", body, "p=*i32, q=*i32, n=i32", {buffer(p), buffer(q), n});
    ASSERT_EQ(error, "") << body;
    model(input, expected, static_cast<int>(n));
    EXPECT_EQ(q, expected) << body << "\nn = " << n;
  }
}

} // namespace tilerun::test
