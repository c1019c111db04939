// The emulated device: loads code objects, owns memory, launches kernels.
//
//   auto device = Device::create("gfx942");
//   uint64_t x = (*device)->memory().allocate(4096);       // a host address, too
//   auto module = (*device)->load(bytes);
//   auto result = (*device)->launch(**module, "add", arguments, {.grid = {4}, .threads = {256}});
//
// A device and its modules may be used by several threads; a launch returns when it is done.
#ifndef TILERUN_EMULATORS_AMDGPU_DEVICE_H
#define TILERUN_EMULATORS_AMDGPU_DEVICE_H

#include "emulators/amdgpu/Launch.h"

namespace tilerun::amdsim {

// A code object on the device, decoded when a kernel of it is first launched.
class Module {
public:
  const CodeObject &object() const { return *code; }
  ~Module();

private:
  friend class Device;
  Module(Memory &memory, std::unique_ptr<CodeObject> code);
  llvm::Expected<const Program *> program(unsigned lanes);

  Memory &memory;
  std::unique_ptr<CodeObject> code;
  std::mutex mutex;
  std::unique_ptr<Program> programs[2]; // for waves of 32 and 64 lanes
};

struct LaunchResult {
  std::vector<Finding> findings; // empty if nothing is wrong with the kernel
  Counters counters;
};

class Device {
public:
  // Errors: an architecture that is not emulated; a host processor without AVX2.
  static llvm::Expected<std::unique_ptr<Device>> create(llvm::StringRef name);

  const Target &target() const { return *arch; }
  Memory &memory() { return allocations; }

  // Errors: those of CodeObject::read, and an object for another architecture. The module must not
  // outlive the device.
  llvm::Expected<std::unique_ptr<Module>> load(llvm::ArrayRef<char> bytes);

  // Whether `launch` would take these sizes; the error says why not.
  llvm::Error check(const Kernel &kernel, llvm::ArrayRef<uint8_t> arguments,
                    const LaunchOptions &options) const;
  // Runs the kernel with its explicit arguments as one block, laid out as its metadata says; hidden
  // arguments are filled in. Errors: what a driver would refuse (no such kernel, sizes). What the
  // kernel does wrong is in the result.
  llvm::Expected<LaunchResult> launch(Module &module, llvm::StringRef kernel,
                                      llvm::ArrayRef<uint8_t> arguments,
                                      const LaunchOptions &options);

private:
  explicit Device(const Target &target) : arch(&target) {}
  const Target *arch;
  Memory allocations;
};

// Rows of the instruction table that the counters have met, of how many: "123 of 600 instructions
// met", then those met with their counts, the most frequent first.
std::string coverageReport(const Counters &counters);

} // namespace tilerun::amdsim

#endif
