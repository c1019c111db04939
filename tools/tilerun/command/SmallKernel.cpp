// See SmallKernel.h.
#include "tools/tilerun/command/SmallKernel.h"

#include "runtime/compiler/Backend.h"
#include "runtime/core/MemoryPool.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Session.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::command;

static constexpr const char *kText = R"(
import triton
import triton.language as tl


@triton.jit
def self_test(x, y, z, sums, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    result = tl.load(x + offsets, mask=mask, other=0.0) + tl.load(y + offsets, mask=mask, other=0.0)
    tl.store(z + offsets, result, mask=mask)
    tl.store(sums + pid, tl.sum(result, axis=0))
)";
static constexpr int64_t kBlock = 256;

static constexpr const char *kName = "self_test";

std::vector<uint8_t> command::compileSmallKernel(const Options &options) {
  Session session(options);
  session.module = session.frontend.loadText("self_test.py", kText);
  session.kernel = session.module ? session.module->findFunction(kName) : nullptr;
  auto signature = parseSignature("x=*f32:16, y=*f32:16, z=*f32:16, sums=*f32:16, n=i32, BLOCK=" +
                                  std::to_string(kBlock));
  if (!session.kernel || !signature)
    llvm::report_fatal_error("the self-test kernel does not load");
  auto compiled = session.compile(*signature);
  if (!compiled)
    llvm::report_fatal_error(compiled.takeError());
  std::vector<uint8_t> bytecode;
  if (core::Status status = compiler::makeBytecode(*compiled->module, kName, {}, bytecode);
      !status.isOk())
    llvm::report_fatal_error(llvm::Twine(status.getMessage()));
  return bytecode;
}

llvm::Error command::runSmallKernel(const std::shared_ptr<core::Device> &device) {
  constexpr int64_t kCount = 1000, kPrograms = (kCount + kBlock - 1) / kBlock;
  std::vector<float> x(kCount), y(kCount), z(kCount + 1), sums(kPrograms);
  for (int64_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<float>(i) * 0.5f;
    y[i] = static_cast<float>(7 * i % 31);
  }
  std::shared_ptr<core::Program> program;
  TILERUN_TRY_LIBRARY(compiler::loadText(std::make_shared<compiler::Services>(), "self_test.py",
                                         kText, kName, program));
  core::Kernel kernel(std::move(program));
  const core::Stream &stream = device->getDefaultStream();
  std::vector<TilerunArgument> arguments;
  auto release = llvm::scope_exit([&] {
    for (const TilerunArgument &argument : arguments)
      if (argument.kind == TILERUN_ARGUMENT_POINTER)
        (void)device->getPool().free(stream, argument.value.address);
  });
  for (std::vector<float> *values : {&x, &y, &z, &sums}) {
    const uint64_t bytes = values->size() * sizeof(float);
    TilerunArgument argument = {TILERUN_ARGUMENT_POINTER, TILERUN_DTYPE_FP32, 0, {}};
    TILERUN_TRY_LIBRARY(device->getPool().allocate(stream, bytes, argument.value.address));
    arguments.push_back(argument);
    if (values == &z || values == &sums) // NaNs.
      TILERUN_TRY_LIBRARY(stream.fill(argument.value.address, 0xFF, 1, bytes));
    else
      TILERUN_TRY_LIBRARY(stream.copyToDevice(argument.value.address, values->data(), bytes));
  }
  for (int64_t number : {kCount, kBlock}) {
    arguments.push_back({TILERUN_ARGUMENT_INTEGER, TILERUN_DTYPE_AUTO, 0, {}});
    arguments.back().value.integer = number;
  }
  const uint32_t grid[3] = {kPrograms, 1, 1};
  TilerunCompileOptions options = {};
  std::tie(options.num_warps, options.num_stages, options.num_ctas) = std::tuple(4, 3, 1);
  TILERUN_TRY_LIBRARY(kernel.launch(stream, grid, options, arguments.data(), arguments.size()));
  for (auto [index, values] : {std::pair(2, &z), std::pair(3, &sums)})
    TILERUN_TRY_LIBRARY(stream.copyFromDevice(values->data(), arguments[index].value.address,
                                              values->size() * sizeof(float)));
  TILERUN_TRY_LIBRARY(stream.synchronize());
  // Every value is a small multiple of a half, so that no order of adding rounds.
  auto differ = [&](llvm::StringRef what, int64_t i, float is, float wanted) {
    return makeCommandError(
        ExitCode::Fault,
        llvm::formatv("the self-test kernel gives {0} for {1} {2}, not {3}", is, what, i, wanted)
            .str());
  };
  for (int64_t p = 0; p < kPrograms; ++p) {
    float sum = 0;
    for (int64_t i = p * kBlock; i < std::min(kCount, (p + 1) * kBlock); ++i) {
      sum += x[i] + y[i];
      if (z[i] != x[i] + y[i])
        return differ("element", i, z[i], x[i] + y[i]);
    }
    if (sums[p] != sum)
      return differ("sum", p, sums[p], sum);
  }
  if (!std::isnan(z[kCount]))
    return makeCommandError(ExitCode::Fault, "the self-test kernel wrote past its end");
  return llvm::Error::success();
}
