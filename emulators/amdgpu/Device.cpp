// Modules and launches.
#include "emulators/amdgpu/Device.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Errc.h"

#include <algorithm>

namespace tilerun::amdsim {

using namespace llvm;

namespace {

Error problem(const Twine &message) {
  return createStringError(llvm::errc::invalid_argument, message);
}

// Values of arguments that the compiler adds and the runtime fills.
uint64_t hiddenValue(StringRef kind, const LaunchOptions &o) {
  return StringSwitch<uint64_t>(kind)
      .Case("hidden_block_count_x", o.grid[0])
      .Case("hidden_block_count_y", o.grid[1])
      .Case("hidden_block_count_z", o.grid[2])
      .Case("hidden_group_size_x", o.threads[0])
      .Case("hidden_group_size_y", o.threads[1])
      .Case("hidden_group_size_z", o.threads[2])
      .Case("hidden_dynamic_lds_size", o.dynamicLdsBytes)
      .Case("hidden_grid_dims", o.grid[2] * o.threads[2] > 1   ? 3
                                : o.grid[1] * o.threads[1] > 1 ? 2
                                                               : 1)
      .Default(0); // offsets and remainders are zero; queues and print buffers do not exist
}

} // namespace

Module::Module(Memory &memory, std::unique_ptr<CodeObject> code)
    : memory(memory), code(std::move(code)) {
  memory.adopt(object().imageBase(), object().imageBytes(), false, "the code object");
}
Module::~Module() { memory.forget(object().imageBase()); }

Expected<const Program *> Module::program(unsigned lanes) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Program> &slot = programs[lanes == 64];
  if (!slot) {
    Expected<std::unique_ptr<Program>> decoded = Program::decode(*code, lanes);
    if (!decoded)
      return decoded.takeError();
    slot = std::move(*decoded);
  }
  return slot.get();
}

Expected<std::unique_ptr<Device>> Device::create(StringRef name) {
  const Target *target = findTarget(name);
  if (!target)
    return problem("'" + name + "' is not emulated; emulated are " + targetNames());
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return problem("the emulator needs a processor with AVX2 and FMA");
#endif
  return std::unique_ptr<Device>(new Device(*target));
}

Expected<std::unique_ptr<Module>> Device::load(ArrayRef<char> bytes) {
  Expected<std::unique_ptr<CodeObject>> object = CodeObject::read(bytes);
  if (!object)
    return object.takeError();
  if (&(*object)->target() != arch)
    return problem("code object: it is for " + Twine((*object)->target().name) +
                   "; the device is " + arch->name);
  return std::unique_ptr<Module>(new Module(allocations, std::move(*object)));
}

Error Device::check(const Kernel &kernel, ArrayRef<uint8_t> arguments,
                    const LaunchOptions &options) const {
  uint64_t threads = uint64_t(options.threads[0]) * options.threads[1] * options.threads[2];
  if (threads == 0 || threads > kernel.maxThreads)
    return problem("kernel '" + kernel.name + "' cannot run with " + Twine(threads) +
                   " threads in a workgroup; it has at most " + Twine(kernel.maxThreads));
  if (uint64_t(options.grid[0]) * options.grid[1] * options.grid[2] == 0)
    return problem("kernel '" + kernel.name + "': the grid is empty");
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    if (uint64_t(options.grid[dimension]) * options.threads[dimension] > UINT32_MAX)
      return problem("kernel '" + kernel.name +
                     "': the grid has 2^32 threads or more in dimension " + Twine(dimension));
  if (uint64_t(kernel.ldsBytes) + options.dynamicLdsBytes > arch->ldsBytes)
    return problem("kernel '" + kernel.name + "' with " + Twine(options.dynamicLdsBytes) +
                   " bytes of dynamic LDS needs " +
                   Twine(uint64_t(kernel.ldsBytes) + options.dynamicLdsBytes) + " bytes of LDS; " +
                   arch->name + " has " + Twine(arch->ldsBytes));
  uint32_t explicitBytes = 0;
  for (const Argument &argument : kernel.arguments)
    if (!argument.isHidden())
      explicitBytes = std::max(explicitBytes, argument.offset + argument.bytes);
  if (arguments.size() < explicitBytes ||
      arguments.size() > std::max(explicitBytes, kernel.argumentBytes))
    return problem("kernel '" + kernel.name + "' takes " + Twine(explicitBytes) +
                   " bytes of arguments; given were " + Twine(arguments.size()));
  return Error::success();
}

Expected<LaunchResult> Device::launch(Module &module, StringRef name, ArrayRef<uint8_t> arguments,
                                      const LaunchOptions &options) {
  const Kernel *kernel = module.object().find(name);
  if (!kernel)
    return problem("the code object has no kernel '" + name + "'");
  if (Error error = check(*kernel, arguments, options))
    return std::move(error);
  Expected<const Program *> program = module.program(kernel->lanes);
  if (!program)
    return program.takeError();
  // Loads may be wider than the last argument.
  uint64_t blockBytes = std::max<uint64_t>((kernel->argumentBytes + 63) / 64 * 64, 64);
  uint64_t block = allocations.allocate(blockBytes, "the kernel's arguments");
  if (!block)
    return problem("no memory for arguments");
  auto *bytes = reinterpret_cast<uint8_t *>(block);
  std::fill_n(bytes, blockBytes, uint8_t(0));
  std::copy(arguments.begin(), arguments.end(), bytes);
  for (const Argument &argument : kernel->arguments)
    if (argument.isHidden()) {
      uint64_t value = hiddenValue(argument.kind, options);
      std::memcpy(bytes + argument.offset, &value, std::min<size_t>(argument.bytes, 8));
    }
  LaunchState state{module.object(),
                    *kernel,
                    **program,
                    options,
                    block,
                    allocations.snapshot(),
                    {},
                    {},
                    {},
                    {},
                    {}};
  for (Allocation &allocation : state.allocations)
    if (allocation.begin == block)
      allocation.isReadOnly = true;
  runLaunch(state);
  allocations.free(block);
  return LaunchResult{std::move(state.findings), std::move(state.counters)};
}

std::string coverageReport(const Counters &counters) {
  std::vector<unsigned> met;
  for (unsigned row = 0; row < counters.byRow.size(); ++row)
    if (counters.byRow[row])
      met.push_back(row);
  std::sort(met.begin(), met.end(), [&](unsigned a, unsigned b) {
    uint64_t x = counters.byRow[a], y = counters.byRow[b];
    return x != y ? x > y : a < b;
  });
  std::string result =
      std::to_string(met.size()) + " of " + std::to_string(rowCount()) + " instructions met\n";
  for (unsigned row : met)
    result += std::to_string(counters.byRow[row]) + " " +
              StringRef(rowAt(row).spellings).split('|').first.str() + "\n";
  return result;
}

} // namespace tilerun::amdsim
