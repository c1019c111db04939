// Joins the interpreter to the device interface: properties, memory, kernels.
#include "plugins/cpu/CpuDevice.h"

#include "backends/interpreter/Interpreter.h"
#include "plugins/cpu/Convert.h"
#include "plugins/cpu/Host.h"

using namespace tilerun;

namespace {

class CpuKernel : public DeviceKernel {
public:
  explicit CpuKernel(std::unique_ptr<interp::Program> program) : program(std::move(program)) {}
  llvm::StringRef getName() const override { return program->name; }
  size_t getNumArguments() const override { return program->arguments.size(); }
  const interp::Program &getProgram() const { return *program; }

private:
  std::unique_ptr<interp::Program> program;
};

DeviceProperties makeProperties() {
  DeviceProperties properties;
  properties.id = "cpu";
  properties.name = cpu::kDeviceName;
#if defined(__x86_64__)
  properties.arch = "x86_64";
#elif defined(__aarch64__)
  properties.arch = "aarch64";
#else
  properties.arch = "unknown";
#endif
  properties.memoryBytes = cpu::getMemoryBytes();
  properties.numUnits = cpu::getNumCores();
  properties.supportsChecks = true;
  properties.checksBounds = cpu::areBoundsChecked();
  properties.maxGrid = interp::kMaxGrid;
  properties.maxPrograms = interp::kMaxPrograms;
  return properties;
}

class CpuDevice : public Device {
public:
  CpuDevice() : properties(makeProperties()), heap(properties.memoryBytes) {}

  const DeviceProperties &getProperties() const override { return properties; }

  llvm::Expected<DeviceAddress> allocate(uint64_t bytes, llvm::StringRef label) override {
    return cpu::toDevice(heap.allocate(bytes, label));
  }
  llvm::Error free(DeviceAddress address) override { return cpu::toDevice(heap.free(address)); }
  llvm::Error copyIn(DeviceAddress to, llvm::ArrayRef<uint8_t> from) override {
    return cpu::toDevice(heap.copyIn(to, from));
  }
  llvm::Error copyOut(llvm::MutableArrayRef<uint8_t> to, DeviceAddress from) override {
    return cpu::toDevice(heap.copyOut(to, from));
  }
  llvm::Error poison(DeviceAddress address) override { return cpu::toDevice(heap.poison(address)); }

  llvm::Expected<std::unique_ptr<DeviceKernel>> load(llvm::ArrayRef<uint8_t> bytecode,
                                                     llvm::StringRef name) override {
    auto program = cpu::toDevice(interp::loadProgram(bytecode, name));
    if (!program)
      return program.takeError();
    return std::make_unique<CpuKernel>(std::move(*program));
  }

  llvm::Expected<LaunchResult> launch(DeviceKernel &kernel,
                                      llvm::ArrayRef<LaunchArgument> arguments,
                                      const LaunchOptions &options) override {
    std::vector<interp::LaunchArgument> converted;
    for (const LaunchArgument &argument : arguments)
      converted.push_back(cpu::toInterpreter(argument));
    auto result = interp::launchProgram(static_cast<CpuKernel &>(kernel).getProgram(), heap,
                                        converted, cpu::toInterpreter(options));
    if (!result)
      return cpu::toDevice(result.takeError());
    return cpu::toDevice(std::move(*result));
  }

private:
  const DeviceProperties properties;
  interp::Heap heap;
};

} // namespace

llvm::Expected<std::unique_ptr<Device>> tilerun::createCpuDevice() {
  return std::make_unique<CpuDevice>();
}
