// Times the interpreter alone on the kernels in bench/kernels: best and median of several launches,
// programs and elements per second; and once with every check on. Usage: interpreter_bench [THREADS
// [REPEATS]]
#include "backends/interpreter/Interpreter.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace tilerun;
using interp::LaunchArgument;

static llvm::ExitOnError exitOnError("interpreter_bench: ");

static std::vector<uint8_t> assemble(const std::string &path) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, mlir::ParserConfig(&context));
  if (!module)
    std::exit(1);
  return tile::writeModule(*module);
}

static LaunchArgument makeRandom(interp::Heap &heap, size_t count, const char *label) {
  static std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(engine);
  uint64_t address = exitOnError(heap.allocate(count * 4, label));
  exitOnError(heap.copyIn(address, {reinterpret_cast<uint8_t *>(values.data()), count * 4}));
  return {LaunchArgument::Kind::Pointer, address};
}

static void measure(interp::Heap &heap, const char *name,
                    const std::vector<LaunchArgument> &arguments, std::array<uint64_t, 3> grid,
                    double elements, unsigned threads, unsigned repeats) {
  const auto bytecode =
      assemble(std::string(TILERUN_SOURCE_DIR "/bench/kernels/") + name + ".mlir");
  auto kernel = exitOnError(interp::loadProgram(bytecode, name));
  interp::LaunchOptions options;
  options.grid = grid;
  options.numThreads = threads;
  std::vector<double> seconds;
  seconds.reserve(repeats);
  for (unsigned i = 0; i < repeats; ++i)
    seconds.push_back(
        exitOnError(interp::launchProgram(*kernel, heap, arguments, options)).seconds);
  llvm::sort(seconds);
  options.checks = {true, true, true, true, false, true, true};
  const double checked =
      exitOnError(interp::launchProgram(*kernel, heap, arguments, options)).seconds;
  const double programs = double(grid[0] * grid[1] * grid[2]);
  llvm::outs() << llvm::format("%-12s best %8.3f ms  median %8.3f ms  %10.0f programs/s  "
                               "%8.1f M elements/s  checked %9.3f ms\n",
                               name, seconds[0] * 1e3, seconds[repeats / 2] * 1e3,
                               programs / seconds[0], elements / seconds[0] / 1e6, checked * 1e3);
}

int main(int argc, char **argv) {
  const unsigned threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const unsigned repeats = std::max(1, argc > 2 ? std::atoi(argv[2]) : 11);
  interp::Heap heap(uint64_t(1) << 32);
  const size_t count = 1 << 20;
  const auto x = makeRandom(heap, count, "x");
  const auto y = makeRandom(heap, count, "y");
  const auto z = makeRandom(heap, count, "z");
  auto number = [](uint64_t n) { return LaunchArgument{LaunchArgument::Kind::Integer, n}; };
  measure(heap, "vector_add", {x, y, z, number(count)}, {1024, 1, 1}, count, threads, repeats);
  measure(heap, "softmax", {x, z, number(1024), number(1024)}, {1024, 1, 1}, count, threads,
          repeats);
  measure(heap, "matmul", {x, y, z, number(512), number(512)}, {8, 8, 1}, 512.0 * 512, threads,
          repeats);
  llvm::outs() << "(matmul: 512 x 512 x 512, elements of the result)\n";
  return 0;
}
