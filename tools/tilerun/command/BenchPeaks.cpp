// See BenchPeaks.h.
#include "tools/tilerun/command/BenchPeaks.h"

#include "runtime/core/MemoryPool.h"
#include "runtime/tune/Stopwatch.h"
#include "tools/tilerun/command/Launch.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::command;

std::optional<double> command::measureCopies(const std::shared_ptr<core::Device> &device,
                                             double warmup, double rep) {
  const core::Stream &stream = device->getDefaultStream();
  core::MemoryPool &pool = device->getPool();
  constexpr uint64_t kMost = uint64_t(256) << 20, kLeast = uint64_t(1) << 20;
  for (uint64_t bytes = kMost; bytes >= kLeast; bytes /= 2) {
    TilerunAddress from = 0, to = 0;
    auto release = llvm::scope_exit([&] {
      for (TilerunAddress address : {from, to})
        if (address)
          (void)pool.free(stream, address);
    });
    if (!pool.allocate(stream, bytes, from).isOk() || !pool.allocate(stream, bytes, to).isOk())
      continue;
    const tune::Stopwatch stopwatch(stream);
    std::vector<double> milliseconds;
    core::Status status = stream.fill(from, 0, 4, bytes);
    if (status.isOk())
      status = stopwatch.measure(
          [&](core::Event *first, core::Event *last) -> core::Status {
            if (first)
              TILERUN_TRY(stopwatch.begin(*first));
            TILERUN_TRY(stream.copyOnDevice(to, from, bytes));
            return last ? last->record(stream) : core::Status();
          },
          warmup, rep, milliseconds);
    if (!status.isOk())
      return std::nullopt;
    const double median = tune::getMedian(milliseconds);
    return median > 0 ? std::optional(2e-6 * double(bytes) / median) : std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static constexpr const char *kProducts = R"(import triton
import triton.language as tl


@triton.jit
def products(a_ptr, b_ptr, c_ptr, n, M: tl.constexpr, K: tl.constexpr):
    row = tl.arange(0, M)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + row[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * M + row[None, :])
    acc = tl.zeros((M, M), dtype=tl.float32)
    for _ in range(n):
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + tl.program_id(0) * M * M + row[:, None] * M + row[None, :], acc)
)";

namespace {
/// Products of M x K by K x M tiles.
struct Tiles {
  int64_t m, k, warps;
};
} // namespace

/// Milliseconds of `programs` programs with `n` products each.
static std::optional<double> runProducts(const std::shared_ptr<core::Device> &device,
                                         const Options &options, Tiles tiles, uint64_t programs,
                                         uint64_t n) {
  Options own;
  own.target = options.target;
  own.device = device->getInfo().id;
  own.useCache = options.useCache;
  own.numWarps = tiles.warps;
  own.grid = std::to_string(programs);
  own.arguments = {llvm::formatv("M={0}", tiles.m).str(),
                   llvm::formatv("K={0}", tiles.k).str(),
                   llvm::formatv("n={0}", n).str(),
                   "a_ptr=f16[M,K]:randn(1)",
                   "b_ptr=f16[K,M]:randn(2)",
                   llvm::formatv("c_ptr=f32[{0},M,M]:empty", programs).str()};
  Session session(own);
  Launch launch(session, device);
  auto measure = [&]() -> llvm::Expected<std::vector<double>> {
    if (llvm::Error error = session.load(own.target))
      return error;
    if (llvm::Error error = launch.prepare())
      return error;
    return launch.measure(options.warmup, options.rep);
  };
  llvm::Expected<std::vector<double>> milliseconds = measure();
  if (milliseconds)
    return tune::getMedian(*milliseconds);
  // A device that cannot multiply has no such peak.
  llvm::consumeError(milliseconds.takeError());
  return std::nullopt;
}

/// TFLOP/s with as many products as take some milliseconds.
static std::optional<double> measureTiles(const std::shared_ptr<core::Device> &device,
                                          const Options &options, Tiles tiles) {
  constexpr uint64_t kFew = 16, kMost = 1 << 14;
  constexpr double kTooLong = 50, kEnough = 5; // Milliseconds.
  const std::optional<double> one = runProducts(device, options, tiles, 1, kFew);
  if (!one || *one > kTooLong)
    return std::nullopt;
  const uint64_t programs = 4 * device->getNumber(TILERUN_DEVICE_PROPERTY_UNITS, 1);
  const std::optional<double> few = runProducts(device, options, tiles, programs, kFew);
  if (!few || *few > kTooLong * 10)
    return std::nullopt;
  const uint64_t n =
      std::clamp<uint64_t>(uint64_t(double(kFew) * kEnough / std::max(*few, 1e-4)), kFew, kMost);
  const std::optional<double> many =
      n > kFew ? runProducts(device, options, tiles, programs, n) : few;
  if (!many || *many <= 0)
    return std::nullopt;
  const double operations = 2.0 * double(tiles.m) * double(tiles.m) * double(tiles.k);
  return operations * double(programs) * double(n) / *many * 1e-9;
}

std::optional<double> command::measureProducts(const std::shared_ptr<core::Device> &device,
                                               const Options &options) {
  llvm::SmallString<64> path;
  int file = -1;
  if (llvm::sys::fs::createTemporaryFile("tilerun-products", "py", file, path))
    return std::nullopt;
  auto remove = llvm::scope_exit([&] { (void)llvm::sys::fs::remove(path); });
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << kProducts;
  Options own = options;
  own.target = (path + "::products").str();
  std::optional<double> best = measureTiles(device, own, {64, 32, 4});
  // Larger tiles pay where matrix units multiply; elsewhere they take long to compile.
  constexpr double kHasMatrixUnits = 5;
  if (best && *best > kHasMatrixUnits)
    for (Tiles tiles : {Tiles{128, 32, 4}, Tiles{128, 64, 8}})
      if (std::optional<double> reached = measureTiles(device, own, tiles))
        best = std::max(*best, *reached);
  return best;
}
