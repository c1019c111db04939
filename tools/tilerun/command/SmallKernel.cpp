// See SmallKernel.h.
#include "tools/tilerun/command/SmallKernel.h"

#include "ir/tile/ModuleBytes.h"
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

std::vector<uint8_t> command::compileSmallKernel(const Options &options) {
  Session session(options);
  session.module = session.frontend.loadText("self_test.py", kText);
  session.kernel = session.module ? session.module->findFunction(kSmallKernelName) : nullptr;
  auto signature = parseSignature("x=*f32:16, y=*f32:16, z=*f32:16, sums=*f32:16, n=i32, BLOCK=" +
                                  std::to_string(kBlock));
  if (!session.kernel || !signature)
    llvm::report_fatal_error("the self-test kernel does not load");
  auto compiled = session.compile(*signature);
  if (!compiled)
    llvm::report_fatal_error(compiled.takeError());
  if (llvm::Error error = session.optimize(*compiled))
    llvm::report_fatal_error(std::move(error));
  return tile::writeModule(*compiled->module);
}

static llvm::ArrayRef<uint8_t> toBytes(const std::vector<float> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float)};
}
static llvm::MutableArrayRef<uint8_t> toBytes(std::vector<float> &values) {
  return {reinterpret_cast<uint8_t *>(values.data()), values.size() * sizeof(float)};
}

llvm::Error command::runSmallKernel(Device &device, const Options &options) {
  constexpr int64_t kCount = 1000, kPrograms = (kCount + kBlock - 1) / kBlock;
  std::vector<float> x(kCount), y(kCount), z(kCount + 1), sums(kPrograms);
  for (int64_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<float>(i) * 0.5f;
    y[i] = static_cast<float>(7 * i % 31);
  }
  auto kernel = device.load(compileSmallKernel(options), kSmallKernelName);
  if (!kernel)
    return kernel.takeError();
  std::vector<DeviceAddress> addresses;
  auto release = llvm::scope_exit([&] {
    for (DeviceAddress address : addresses)
      llvm::consumeError(device.free(address));
  });
  for (std::vector<float> *values : {&x, &y, &z, &sums}) {
    auto address = device.allocate(values->size() * sizeof(float), "self-test");
    if (!address)
      return address.takeError();
    addresses.push_back(*address);
    if (llvm::Error error = values == &z || values == &sums
                                ? device.poison(*address)
                                : device.copyIn(*address, toBytes(std::as_const(*values))))
      return error;
  }
  LaunchOptions launch;
  launch.grid = {kPrograms, 1, 1};
  auto result =
      device.launch(**kernel,
                    {LaunchArgument::pointer(addresses[0]), LaunchArgument::pointer(addresses[1]),
                     LaunchArgument::pointer(addresses[2]), LaunchArgument::pointer(addresses[3]),
                     LaunchArgument::integer(kCount)},
                    launch);
  if (!result)
    return result.takeError();
  if (llvm::Error error = device.copyOut(toBytes(z), addresses[2]))
    return error;
  if (llvm::Error error = device.copyOut(toBytes(sums), addresses[3]))
    return error;
  // Every value is a small multiple of a half, so that no order of adding rounds.
  auto differ = [&](llvm::StringRef what, int64_t i, float is, float wanted) {
    return makeDeviceError(
        DeviceErrorKind::Fault,
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
    return makeDeviceError(DeviceErrorKind::Fault, "the self-test kernel wrote past its end");
  return llvm::Error::success();
}
