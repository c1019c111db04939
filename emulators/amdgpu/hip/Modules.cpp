// Code objects and launches.
#include "emulators/amdgpu/hip/Runtime.h"

#include "llvm/BinaryFormat/ELF.h"

#include <cstring>

namespace tilerun::amdsim::hip {

namespace {

namespace elf = llvm::ELF;

// A code object comes without its size: it ends with its last section, segment or header. 0 if it
// is not an ELF file.
size_t sizeOfElf(const char *image) {
  elf::Elf64_Ehdr header;
  if (std::memcmp(image, elf::ElfMagic, 4) != 0 || image[elf::EI_CLASS] != elf::ELFCLASS64)
    return 0;
  std::memcpy(&header, image, sizeof header);
  if (header.e_shentsize != sizeof(elf::Elf64_Shdr) ||
      header.e_phentsize != sizeof(elf::Elf64_Phdr))
    return 0;
  uint64_t end = std::max<uint64_t>(
      header.e_shoff + uint64_t(header.e_shnum) * sizeof(elf::Elf64_Shdr), sizeof header);
  end =
      std::max<uint64_t>(end, header.e_phoff + uint64_t(header.e_phnum) * sizeof(elf::Elf64_Phdr));
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    elf::Elf64_Phdr segment;
    std::memcpy(&segment, image + header.e_phoff + index * sizeof segment, sizeof segment);
    end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

// The marks of `extra`, by which arguments come as one block.
enum : uintptr_t { extraBuffer = 1, extraSize = 2, extraEnd = 3 };

bool readExtra(void **extra, std::vector<uint8_t> &bytes) {
  const void *buffer = nullptr;
  size_t size = 0;
  for (unsigned at = 0; reinterpret_cast<uintptr_t>(extra[at]) != extraEnd; at += 2) {
    auto mark = reinterpret_cast<uintptr_t>(extra[at]);
    if (mark == extraBuffer)
      buffer = extra[at + 1];
    else if (mark == extraSize && extra[at + 1])
      std::memcpy(&size, extra[at + 1], sizeof size);
    else
      return false;
  }
  const auto *begin = static_cast<const uint8_t *>(buffer);
  if (size && !begin)
    return false;
  bytes.assign(begin, begin + size);
  return true;
}

bool readParameters(const Kernel &kernel, void **parameters, std::vector<uint8_t> &bytes) {
  unsigned index = 0;
  for (const Argument &argument : kernel.arguments) {
    if (argument.isHidden())
      continue;
    if (!parameters || !parameters[index])
      return false;
    bytes.resize(std::max<size_t>(bytes.size(), argument.offset + argument.bytes));
    std::memcpy(bytes.data() + argument.offset, parameters[index++], argument.bytes);
  }
  return true;
}

} // namespace

} // namespace tilerun::amdsim::hip

using namespace tilerun::amdsim;
using namespace tilerun::amdsim::hip;

hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  AMDSIM_ENTER(gpu);
  if (!module || !image)
    return invalidValue;
  const char *bytes = static_cast<const char *>(image);
  llvm::Expected<std::unique_ptr<Module>> loaded = gpu->device->load({bytes, sizeOfElf(bytes)});
  if (!loaded) {
    complain(llvm::toString(loaded.takeError()));
    elf::Elf64_Ehdr header = {};
    if (size_t size = sizeOfElf(bytes))
      std::memcpy(&header, bytes, std::min(size, sizeof header));
    const Target *target =
        header.e_machine == elf::EM_AMDGPU ? findTarget(header.e_flags) : nullptr;
    bool isOther = header.e_machine == elf::EM_AMDGPU && target != &gpu->device->target();
    return isOther ? noBinaryForGpu : invalidImage;
  }
  Runtime &runtime = getRuntime();
  auto made = std::make_shared<LoadedModule>(LoadedModule{*gpu, std::move(*loaded), {}});
  for (const Kernel &kernel : made->module->object().kernels())
    made->functions[kernel.name] =
        runtime.functions.add(std::make_shared<Function>(Function{made, &kernel}));
  *module = runtime.modules.add(std::move(made));
  return success;
}

// Launches that are under way keep what they need.
hipError_t hipModuleUnload(hipModule_t handle) {
  Runtime &runtime = getRuntime();
  std::shared_ptr<LoadedModule> module = runtime.modules.take(handle);
  if (!module)
    return invalidHandle;
  for (const auto &[name, function] : module->functions)
    runtime.functions.take(function);
  return success;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t handle, const char *name) {
  std::shared_ptr<LoadedModule> module = getRuntime().modules.find(handle);
  if (!module)
    return invalidHandle;
  if (!function || !name)
    return invalidValue;
  auto it = module->functions.find(name);
  if (it == module->functions.end())
    return notFound;
  *function = it->second;
  return success;
}

hipError_t hipFuncGetAttribute(int *value, int attribute, hipFunction_t handle) {
  std::shared_ptr<Function> function = getRuntime().functions.find(handle);
  if (!function)
    return invalidHandle;
  if (!value)
    return invalidValue;
  const Kernel &kernel = *function->kernel;
  switch (attribute) {
  case functionMostThreads:
    *value = int(kernel.maxThreads);
    return success;
  case functionSharedBytes:
    *value = int(kernel.ldsBytes);
    return success;
  case functionConstantBytes:
    *value = 0;
    return success;
  case functionLocalBytes:
    *value = int(kernel.scratchBytesPerLane);
    return success;
  case functionRegisters:
    *value = int(kernel.vgprs);
    return success;
  default:
    return invalidValue;
  }
}

hipError_t hipModuleLaunchKernel(hipFunction_t handle, unsigned gridX, unsigned gridY,
                                 unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                                 unsigned sharedBytes, hipStream_t streamHandle, void **parameters,
                                 void **extra) {
  Runtime &runtime = getRuntime();
  std::shared_ptr<Function> function = runtime.functions.find(handle);
  std::shared_ptr<Stream> stream = findStream(streamHandle);
  if (!function || !stream || &stream->gpu != &function->module->gpu)
    return invalidHandle;
  Gpu &gpu = stream->gpu;
  if (int error = gpu.error())
    return error;
  if (gridX > largestGrid[0] || gridY > largestGrid[1] || gridZ > largestGrid[2])
    return invalidConfiguration;
  LaunchOptions options = {.grid = {gridX, gridY, gridZ},
                           .threads = {blockX, blockY, blockZ},
                           .dynamicLdsBytes = sharedBytes,
                           .seed = runtime.seed,
                           .hostThreads = runtime.hostThreads,
                           // A launch whose findings are only printed runs to its end.
                           .mostFindings = runtime.findingsAreErrors ? 16u : UINT32_MAX,
                           .countsMemory = !runtime.counters.empty()};
  std::vector<uint8_t> bytes;
  if ((parameters && extra) ||
      !(extra ? readExtra(extra, bytes) : readParameters(*function->kernel, parameters, bytes)))
    return invalidValue;
  if (llvm::Error error = gpu.device->check(*function->kernel, bytes, options)) {
    complain(llvm::toString(std::move(error)));
    return invalidConfiguration;
  }
  submitOrdered(*stream, [&gpu, function, options, bytes = std::move(bytes)] {
    if (gpu.error())
      return;
    llvm::Expected<LaunchResult> result =
        gpu.device->launch(*function->module->module, function->kernel->name, bytes, options);
    if (!result) {
      complain(llvm::toString(result.takeError()));
      gpu.lose(launchFailure);
    } else if (int error =
                   finishLaunch(gpu.device->target(), *function->kernel, options, *result)) {
      gpu.lose(error);
    }
  });
  return success;
}
