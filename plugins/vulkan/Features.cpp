// Reads what a physical device is and can do.
#include "plugins/vulkan/Error.h"
#include "plugins/vulkan/Instance.h"
#include "plugins/vulkan/Splitting.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>

using namespace vulkan;
using tilerun::spirvbackend::CooperativeShape;
using tilerun::spirvbackend::Target;
using tilerun::target::MatrixElement;

namespace {

/// The extensions of a device, by name.
class Extensions {
public:
  explicit Extensions(const PhysicalDevice &device) {
    const InstanceTable &table = device.instance->table;
    uint32_t count = 0;
    table.vkEnumerateDeviceExtensionProperties(device.handle, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    if (count &&
        table.vkEnumerateDeviceExtensionProperties(device.handle, nullptr, &count, all.data()) >= 0)
      for (const VkExtensionProperties &extension : all)
        names.insert(extension.extensionName);
  }
  bool has(const char *name) const { return names.count(name); }

private:
  std::set<std::string> names;
};

/// Chains structs: `chain.add(struct, type)`.
struct Chain {
  explicit Chain(void *head) : last(static_cast<VkBaseOutStructure *>(head)) {}
  template <typename T> void add(T &next, VkStructureType type) {
    next.sType = type;
    next.pNext = nullptr;
    last->pNext = reinterpret_cast<VkBaseOutStructure *>(&next);
    last = last->pNext;
  }
  VkBaseOutStructure *last;
};

/// Extensions that have features. X(name, member of FeatureChain, its structure type), both without
/// what all have in common.
#define VULKAN_FEATURE_EXTENSIONS(X)                                                               \
  X(EXT_SHADER_ATOMIC_FLOAT, atomicFloat, SHADER_ATOMIC_FLOAT_FEATURES_EXT)                        \
  X(EXT_SHADER_ATOMIC_FLOAT_2, atomicFloat2, SHADER_ATOMIC_FLOAT_2_FEATURES_EXT)                   \
  X(KHR_SHADER_CLOCK, clock, SHADER_CLOCK_FEATURES_KHR)                                            \
  X(KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT, explicitLayout,                                          \
    WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR)                                                 \
  X(KHR_PIPELINE_EXECUTABLE_PROPERTIES, executable, PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR)   \
  X(KHR_COOPERATIVE_MATRIX, matrix, COOPERATIVE_MATRIX_FEATURES_KHR)                               \
  X(KHR_SHADER_BFLOAT16, bfloat16, SHADER_BFLOAT16_FEATURES_KHR)                                   \
  X(EXT_DEVICE_FAULT, fault, FAULT_FEATURES_EXT)

constexpr const char *kFeatureExtensions[] = {
#define VULKAN_NAME(name, member, type) VK_##name##_EXTENSION_NAME,
    VULKAN_FEATURE_EXTENSIONS(VULKAN_NAME) VK_EXT_MEMORY_BUDGET_EXTENSION_NAME};
#undef VULKAN_NAME

// Chains the structs of extensions that the device has; the same for querying and for enabling.
void link(FeatureChain &f, const Extensions &extensions) {
  f.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  f.core.pNext = nullptr;
  Chain chain(&f.core);
  chain.add(f.v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  chain.add(f.v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  chain.add(f.v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
#define VULKAN_LINK(name, member, type)                                                            \
  if (extensions.has(VK_##name##_EXTENSION_NAME))                                                  \
    chain.add(f.member, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type);
  VULKAN_FEATURE_EXTENSIONS(VULKAN_LINK)
#undef VULKAN_LINK
}

/// Features without which a device is refused. X(member of FeatureChain, feature)
#define VULKAN_REQUIRED_FEATURES(X)                                                                \
  X(v12, bufferDeviceAddress)                                                                      \
  X(core.features, shaderInt64)                                                                    \
  X(v12, timelineSemaphore)                                                                        \
  X(v12, hostQueryReset)                                                                           \
  X(v13, synchronization2)

/// Features that are turned on where they exist; kernels use them as the target says.
#define VULKAN_WANTED_FEATURES(X)                                                                  \
  X(core.features, shaderInt16)                                                                    \
  X(core.features, shaderFloat64)                                                                  \
  X(core.features, sparseBinding)                                                                  \
  X(v11, storageBuffer16BitAccess)                                                                 \
  X(v11, variablePointersStorageBuffer)                                                            \
  X(v11, variablePointers)                                                                         \
  X(v12, storageBuffer8BitAccess)                                                                  \
  X(v12, shaderFloat16)                                                                            \
  X(v12, shaderInt8)                                                                               \
  X(v12, shaderBufferInt64Atomics)                                                                 \
  X(v12, shaderSharedInt64Atomics)                                                                 \
  X(v12, shaderSubgroupExtendedTypes)                                                              \
  X(v12, scalarBlockLayout)                                                                        \
  X(v12, vulkanMemoryModel)                                                                        \
  X(v12, vulkanMemoryModelDeviceScope)                                                             \
  X(v13, subgroupSizeControl)                                                                      \
  X(v13, computeFullSubgroups)                                                                     \
  X(v13, pipelineCreationCacheControl)                                                             \
  X(v13, shaderIntegerDotProduct)                                                                  \
  X(v13, shaderZeroInitializeWorkgroupMemory)                                                      \
  X(v13, maintenance4)                                                                             \
  X(atomicFloat, shaderBufferFloat32Atomics)                                                       \
  X(atomicFloat, shaderBufferFloat32AtomicAdd)                                                     \
  X(atomicFloat, shaderBufferFloat64Atomics)                                                       \
  X(atomicFloat, shaderBufferFloat64AtomicAdd)                                                     \
  X(atomicFloat, shaderSharedFloat32Atomics)                                                       \
  X(atomicFloat, shaderSharedFloat32AtomicAdd)                                                     \
  X(atomicFloat2, shaderBufferFloat16Atomics)                                                      \
  X(atomicFloat2, shaderBufferFloat16AtomicAdd)                                                    \
  X(atomicFloat2, shaderBufferFloat16AtomicMinMax)                                                 \
  X(atomicFloat2, shaderBufferFloat32AtomicMinMax)                                                 \
  X(atomicFloat2, shaderBufferFloat64AtomicMinMax)                                                 \
  X(clock, shaderSubgroupClock)                                                                    \
  X(clock, shaderDeviceClock)                                                                      \
  X(explicitLayout, workgroupMemoryExplicitLayout)                                                 \
  X(explicitLayout, workgroupMemoryExplicitLayoutScalarBlockLayout)                                \
  X(explicitLayout, workgroupMemoryExplicitLayout8BitAccess)                                       \
  X(explicitLayout, workgroupMemoryExplicitLayout16BitAccess)                                      \
  X(executable, pipelineExecutableInfo)                                                            \
  X(matrix, cooperativeMatrix)                                                                     \
  X(bfloat16, shaderBFloat16Type)                                                                  \
  X(bfloat16, shaderBFloat16CooperativeMatrix)                                                     \
  X(fault, deviceFault)

/// Everything that is queried of a device besides features.
struct Properties {
  VkPhysicalDeviceProperties2 core = {};
  VkPhysicalDeviceVulkan11Properties v11 = {};
  VkPhysicalDeviceVulkan12Properties v12 = {};
  VkPhysicalDeviceVulkan13Properties v13 = {};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {};
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV multiprocessors = {};
  VkPhysicalDeviceShaderCorePropertiesAMD amd = {};

  Properties(const PhysicalDevice &device, const Extensions &extensions) {
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    Chain chain(&core);
    chain.add(v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
    chain.add(v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
    chain.add(v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
    if (extensions.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME))
      chain.add(pci, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
    if (extensions.has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
      chain.add(multiprocessors,
                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    if (extensions.has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
      chain.add(amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    device.instance->table.vkGetPhysicalDeviceProperties2(device.handle, &core);
  }
};

std::string toHex(const uint8_t *bytes, size_t count, bool dashes) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (dashes && (i == 4 || i == 6 || i == 8 || i == 10))
      text += '-';
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

// TILERUN_VULKAN_WITHOUT=WORD,… takes words from the target ("all": every one), to see and test the
// code for a lesser device on a better one.
void leaveOut(Target &target) {
  const char *text = secure_getenv("TILERUN_VULKAN_WITHOUT");
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text ? text : "").split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    bool isAll = word == "all", isKnown = isAll || word == "cm";
#define X(member, itsWord, what)                                                                   \
  target.member &= !isAll && word != itsWord;                                                      \
  isKnown |= word == itsWord;
    TILERUN_SPIRV_FEATURES(X)
#undef X
    if (isAll || word == "cm")
      target.cooperativeShapes.clear();
    if (!isKnown)
      log(TILERUN_LOG_WARNING, "TILERUN_VULKAN_WITHOUT has '" + word.str() +
                                   "', which is not a word of a target: it is ignored");
  }
}

// The compiler's target: one line for each word of its list.
void fillTarget(Target &target, const FeatureChain &f, const Properties &p) {
  const VkPhysicalDeviceLimits &limits = p.core.properties.limits;
  target.subgroupSize = p.v11.subgroupSize;
  target.maxThreads =
      std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  if (p.v13.maxComputeWorkgroupSubgroups)
    target.maxThreads = std::min<uint64_t>(
        target.maxThreads, uint64_t(p.v13.maxComputeWorkgroupSubgroups) * target.subgroupSize);
  target.sharedBytes = limits.maxComputeSharedMemorySize;
  target.pushBytes = limits.maxPushConstantsSize;
  const bool inCompute = p.v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
  auto operations = [&](VkSubgroupFeatureFlags bits) {
    return inCompute && (p.v11.subgroupSupportedOperations & bits) == bits;
  };
  target.hasFloat16 = f.v12.shaderFloat16;
  target.hasFloat64 = f.core.features.shaderFloat64;
  target.hasInt8 = f.v12.shaderInt8;
  target.hasInt16 = f.core.features.shaderInt16;
  target.hasStorage8 = f.v12.storageBuffer8BitAccess;
  target.hasStorage16 = f.v11.storageBuffer16BitAccess;
  target.hasMemoryModel = f.v12.vulkanMemoryModel && f.v12.vulkanMemoryModelDeviceScope;
  target.hasExplicitLayout = f.explicitLayout.workgroupMemoryExplicitLayout;
  target.hasExplicitLayout8 = f.explicitLayout.workgroupMemoryExplicitLayout8BitAccess;
  target.hasExplicitLayout16 = f.explicitLayout.workgroupMemoryExplicitLayout16BitAccess;
  target.hasSubgroupControl = f.v13.subgroupSizeControl && f.v13.computeFullSubgroups &&
                              (p.v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
                              target.subgroupSize >= p.v13.minSubgroupSize &&
                              target.subgroupSize <= p.v13.maxSubgroupSize;
  target.hasShuffle = operations(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
  target.hasShuffleRelative = operations(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT);
  target.hasSubgroupArithmetic = operations(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
  target.hasBallot = operations(VK_SUBGROUP_FEATURE_BALLOT_BIT);
  target.hasVote = operations(VK_SUBGROUP_FEATURE_VOTE_BIT);
  target.hasSubgroupTypes = f.v12.shaderSubgroupExtendedTypes;
  target.hasAtomicInt64 = f.v12.shaderBufferInt64Atomics;
  target.hasAtomicFloat16Add = f.atomicFloat2.shaderBufferFloat16AtomicAdd;
  target.hasAtomicFloat32Add = f.atomicFloat.shaderBufferFloat32AtomicAdd;
  target.hasAtomicFloat64Add = f.atomicFloat.shaderBufferFloat64AtomicAdd;
  target.hasAtomicFloat16MinMax = f.atomicFloat2.shaderBufferFloat16AtomicMinMax;
  target.hasAtomicFloat32MinMax = f.atomicFloat2.shaderBufferFloat32AtomicMinMax;
  target.hasAtomicFloat64MinMax = f.atomicFloat2.shaderBufferFloat64AtomicMinMax;
  target.preservesFloat16 = p.v12.shaderSignedZeroInfNanPreserveFloat16;
  target.preservesFloat32 = p.v12.shaderSignedZeroInfNanPreserveFloat32;
  target.preservesFloat64 = p.v12.shaderSignedZeroInfNanPreserveFloat64;
  target.roundsFloat16ToEven = p.v12.shaderRoundingModeRTEFloat16;
  target.roundsFloat32ToEven = p.v12.shaderRoundingModeRTEFloat32;
  target.roundsFloat64ToEven = p.v12.shaderRoundingModeRTEFloat64;
  target.keepsDenormFloat16 = p.v12.shaderDenormPreserveFloat16;
  target.keepsDenormFloat32 = p.v12.shaderDenormPreserveFloat32;
  target.keepsDenormFloat64 = p.v12.shaderDenormPreserveFloat64;
  target.hasIndependentDenorms =
      p.v12.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
  target.hasIndependentRounding =
      p.v12.roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
  target.hasPackedDot8 =
      f.v13.shaderIntegerDotProduct && p.v13.integerDotProduct4x8BitPackedSignedAccelerated;
  target.hasBFloat16 = f.bfloat16.shaderBFloat16Type;
  target.hasBFloat16Matrix = f.bfloat16.shaderBFloat16CooperativeMatrix;
  // Properties that Vulkan does not guarantee, and that have been measured (docs/math.md).
  target.dividesExactly = p.v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  target.hasFusedMultiplyAdd = target.hasFusedMultiplyAdd64 = target.hasApproximations =
      target.roundsToEvenAnyway = target.comparesExtended = target.widensIntegers =
          target.roundsHalves = p.v12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

std::optional<MatrixElement> convert(VkComponentTypeKHR type) {
  constexpr std::pair<VkComponentTypeKHR, MatrixElement> elements[] = {
      {VK_COMPONENT_TYPE_FLOAT16_KHR, MatrixElement::F16},
      {VK_COMPONENT_TYPE_FLOAT32_KHR, MatrixElement::F32},
      {VK_COMPONENT_TYPE_FLOAT64_KHR, MatrixElement::F64},
      {VK_COMPONENT_TYPE_SINT8_KHR, MatrixElement::I8},
      {VK_COMPONENT_TYPE_SINT32_KHR, MatrixElement::I32},
      {VK_COMPONENT_TYPE_BFLOAT16_KHR, MatrixElement::BF16}};
  for (auto [known, element] : elements)
    if (type == known)
      return element;
  return std::nullopt;
}

// The shapes of cooperative matrices that kernels can use: a subgroup's, without saturation.
void fillShapes(PhysicalDevice &device) {
  auto query = device.instance->table.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR;
  uint32_t count = 0;
  if (!device.features.matrix.cooperativeMatrix || !query ||
      query(device.handle, &count, nullptr) < 0)
    return;
  auto empty =
      make<VkCooperativeMatrixPropertiesKHR>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
  std::vector<VkCooperativeMatrixPropertiesKHR> all(count, empty);
  if (query(device.handle, &count, all.data()) < 0)
    return;
  std::vector<CooperativeShape> &shapes = device.target.cooperativeShapes;
  for (const VkCooperativeMatrixPropertiesKHR &p : all) {
    std::optional<MatrixElement> a = convert(p.AType), b = convert(p.BType), acc = convert(p.CType);
    bool usesBFloat16 = a == MatrixElement::BF16 || b == MatrixElement::BF16;
    if (p.scope != VK_SCOPE_SUBGROUP_KHR || p.saturatingAccumulation || p.CType != p.ResultType ||
        !a || !b || !acc || (usesBFloat16 && !device.target.hasBFloat16Matrix))
      continue;
    CooperativeShape shape = {p.MSize, p.NSize, p.KSize, *a, *b, *acc};
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end())
      shapes.push_back(shape);
  }
  // "m16n16k16:f16,bf16;…": by shape, the words of the target's list.
  std::string text = printTarget(device.target);
  std::vector<std::pair<std::string, std::string>> byShape;
  for (size_t at = text.find(",cm="); at != std::string::npos; at = text.find(",cm=", at + 1)) {
    unsigned m = 0, n = 0, k = 0;
    char element[16] = {};
    if (std::sscanf(text.c_str() + at, ",cm=%9ux%9ux%9u:%15[a-z0-9]", &m, &n, &k, element) != 4)
      continue;
    std::string key = "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
    auto it = std::find_if(byShape.begin(), byShape.end(),
                           [&](const auto &entry) { return entry.first == key; });
    if (it == byShape.end())
      byShape.emplace_back(key, element);
    else if (("," + it->second + ",").find("," + std::string(element) + ",") == std::string::npos)
      it->second += std::string(",") + element;
  }
  for (const auto &[shape, elements] : byShape)
    device.matrixShapes += (device.matrixShapes.empty() ? "" : ";") + shape + ":" + elements;
}

// Chooses one family for kernels, the one with most queues, and one for copies alone.
void chooseQueues(PhysicalDevice &device) {
  constexpr uint32_t kMostCompute = 8, kMostTransfer = 2;
  uint32_t count = 0;
  const InstanceTable &table = device.instance->table;
  table.vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> all(count);
  table.vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, all.data());
  std::optional<uint32_t> compute, transfer;
  for (uint32_t i = 0; i < count; ++i) {
    VkQueueFlags flags = all[i].queueFlags;
    if (!all[i].queueCount)
      continue;
    if (flags & VK_QUEUE_COMPUTE_BIT) {
      if (!compute || all[i].queueCount > all[*compute].queueCount)
        compute = i;
    } else if ((flags & ~VkQueueFlags(VK_QUEUE_SPARSE_BINDING_BIT)) == VK_QUEUE_TRANSFER_BIT &&
               !transfer) {
      transfer = i;
    }
  }
  auto add = [&](uint32_t index, uint32_t most, bool isCompute) {
    device.families.push_back({index, std::min(all[index].queueCount, most),
                               all[index].timestampValidBits, isCompute,
                               (all[index].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0});
  };
  if (compute)
    add(*compute, kMostCompute, true);
  if (transfer)
    add(*transfer, kMostTransfer, false);
}

uint32_t countUnits(const PhysicalDevice &device, const Properties &p) {
  if (p.multiprocessors.shaderSMCount)
    return p.multiprocessors.shaderSMCount;
  if (uint32_t units = p.amd.shaderEngineCount * p.amd.shaderArraysPerEngineCount *
                       p.amd.computeUnitsPerShaderArray)
    return units;
  // Vulkan does not report it; 1 is a valid lower bound.
  return device.isCpu ? std::max(std::thread::hardware_concurrency(), 1u) : 1;
}

} // namespace

void vulkan::describe(PhysicalDevice &device) {
  const InstanceTable &table = device.instance->table;
  table.vkGetPhysicalDeviceProperties(device.handle, &device.properties);
  device.name = device.properties.deviceName;
  device.isCpu = device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  device.isIntegrated = device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  if (device.properties.apiVersion < kLowestVersion) {
    device.refusal = "it has Vulkan " + formatVersion(device.properties.apiVersion) + ", and " +
                     formatVersion(kLowestVersion) + " or later is needed";
    return;
  }
  const Extensions extensions(device);
  Properties p(device, extensions);
  device.uuid = "vulkan:" + toHex(p.v11.deviceUUID, VK_UUID_SIZE, true);
  device.driverVersion = formatVersion(device.properties.apiVersion) + " (" + p.v12.driverName +
                         (p.v12.driverInfo[0] ? std::string(" ") + p.v12.driverInfo : "") + ")";
  device.binaryCompatibility =
      "vulkan:pipeline:" + toHex(device.properties.pipelineCacheUUID, VK_UUID_SIZE, false) +
      ":driver-" + std::to_string(device.properties.vendorID) + "-" +
      std::to_string(device.properties.deviceID) + "-" +
      std::to_string(device.properties.driverVersion);
  if (extensions.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) {
    char text[32];
    std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", p.pci.pciDomain, p.pci.pciBus,
                  p.pci.pciDevice, p.pci.pciFunction);
    device.pciAddress = text;
  }
  device.units = countUnits(device, p);
  device.maxAllocation = p.v11.maxMemoryAllocationSize;
  device.maxBuffer = p.v13.maxBufferSize;
  // Launches are split.
  std::copy(kMaxGrid, kMaxGrid + 3, device.maxGrid);

  FeatureChain offered;
  link(offered, extensions);
  table.vkGetPhysicalDeviceFeatures2(device.handle, &offered.core);
  chooseQueues(device);
  std::string missing;
  auto require = [&](bool there, const std::string &what) {
    if (!there)
      missing += (missing.empty() ? "" : ", ") + what;
  };
#define VULKAN_REQUIRE(owner, feature) require(offered.owner.feature, #feature);
  VULKAN_REQUIRED_FEATURES(VULKAN_REQUIRE)
#undef VULKAN_REQUIRE
  require(!device.families.empty() && device.families.front().compute, "a queue for compute");
  if (!missing.empty())
    device.refusal = "it lacks " + missing;

  FeatureChain &on = device.features;
#define VULKAN_TURN_ON(owner, feature) on.owner.feature = offered.owner.feature;
  VULKAN_REQUIRED_FEATURES(VULKAN_TURN_ON)
  VULKAN_WANTED_FEATURES(VULKAN_TURN_ON)
#undef VULKAN_TURN_ON
  link(on, extensions);
  for (const char *extension : kFeatureExtensions)
    if (extensions.has(extension))
      device.extensions.push_back(extension);
  device.memoryBudget = extensions.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  device.executableInfo = on.executable.pipelineExecutableInfo;
  device.shaderClock = on.clock.shaderDeviceClock && on.clock.shaderSubgroupClock;
  device.deviceFault = on.fault.deviceFault;
  device.sparse =
      on.core.features.sparseBinding && !device.families.empty() && device.families.front().sparse;

  auto memory = make<VkPhysicalDeviceMemoryProperties2>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
  table.vkGetPhysicalDeviceMemoryProperties2(device.handle, &memory);
  device.memory = memory.memoryProperties;
  uint64_t largest = 0;
  for (uint32_t i = 0; i < device.memory.memoryHeapCount; ++i) {
    const VkMemoryHeap &heap = device.memory.memoryHeaps[i];
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap.size > largest) {
      largest = heap.size;
      device.deviceHeap = i;
    }
  }
  fillTarget(device.target, on, p);
  fillShapes(device);
  leaveOut(device.target);
  device.targetText = printTarget(device.target);
}
