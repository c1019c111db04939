// Modules: shader modules and compute pipelines of an artifact.
//
// Pipelines are cached in memory by a VkPipelineCache of the context. On disk the runtime's cache
// keeps what finalize_artifact gives: the artifact with the driver's own data for such a cache.
#include "plugins/vulkan/Launch.h"

#include "backends/spirv/Interface.h"
#include "plugins/support/ArtifactCheck.h"
#include "plugins/support/Property.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace vulkan;
using tilerun::plugin_support::describeExcess, tilerun::plugin_support::describeSharedMemory,
    tilerun::plugin_support::setValue;

namespace {

/// The specialization constant that is the size of the workgroup.
constexpr uint32_t kThreadsConstant = 0;

TilerunStatus checkKernels(const Context &context, const TilerunPluginArtifact &artifact,
                           const char *call, const TilerunErrorSink *sink) {
  std::string wrong = tilerun::plugin_support::checkKernels(artifact);
  return wrong.empty() ? TILERUN_STATUS_OK
                       : fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, call, context, wrong);
}

/// Reads an artifact for a device: compatible, whole, and within the device's limits.
TilerunStatus readArtifact(const Context &context, const TilerunPluginArtifact &artifact,
                           const char *call, ArtifactContent &content,
                           const TilerunErrorSink *sink) {
  llvm::StringRef compatibility = artifact.compatibility ? artifact.compatibility : "";
  if (std::string why = findIncompatibility(context.physical, compatibility); !why.empty())
    return fail(sink, TILERUN_STATUS_INCOMPATIBLE, call, context,
                "the artifact is for '" + compatibility.str() + "': " + why);
  TILERUN_PLUGIN_TRY(checkKernels(context, artifact, call, sink));
  llvm::Expected<ArtifactContent> read =
      decodeArtifact(llvm::ArrayRef(artifact.bytes, artifact.num_bytes));
  if (!read)
    return fail(sink, TILERUN_STATUS_COMPILE, call, context, llvm::toString(read.takeError()));
  content = std::move(*read);
  const auto &target = context.physical.target;
  for (const KernelCode &kernel : content.kernels) {
    const char *name = kernel.name.c_str();
    std::string excess;
    if (kernel.threads > target.maxThreads)
      excess = describeExcess(name, kernel.threads, target.maxThreads, "threads",
                              "fewer warps need less");
    else if (kernel.sharedBytes > target.sharedBytes)
      excess = describeSharedMemory(name, kernel.sharedBytes, target.sharedBytes);
    if (!excess.empty())
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, call, context, excess);
    // The driver would not say it, and the process is worth more than the test.
    if (kernel.has(KernelCode::kFaults) && context.physical.isCpu)
      return fail(sink, TILERUN_STATUS_UNSUPPORTED, call, context,
                  "kernel '" + kernel.name +
                      "' writes to a wild address, which on a device that is the host's own "
                      "processor ends the process");
  }
  return TILERUN_STATUS_OK;
}

/// A pipeline that the driver refuses: COMPILE, unless the reason is temporary.
TilerunStatus failPipeline(const TilerunErrorSink *sink, Context &context, const char *expression,
                           VkResult result, const std::string &what) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_DEVICE_LOST:
    return failVulkan(sink, context, expression, result, what);
  default:
    return fail(sink, TILERUN_STATUS_COMPILE, expression, context,
                getResultName(result) + ": " + getResultText(result) +
                    "; the driver does not take " + what);
  }
}

/// A cache for pipelines, filled with the driver's data; null if that fails: pipelines can do
/// without.
class TemporaryCache {
public:
  TemporaryCache(Context &context, llvm::ArrayRef<uint8_t> data) : context(context) {
    VkPipelineCacheCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0,
                                      data.size(), data.data()};
    if (context.table.vkCreatePipelineCache(context.handle, &info, nullptr, &handle))
      handle = VK_NULL_HANDLE;
  }
  ~TemporaryCache() {
    if (handle)
      context.table.vkDestroyPipelineCache(context.handle, handle, nullptr);
  }
  TemporaryCache(const TemporaryCache &) = delete;
  TemporaryCache &operator=(const TemporaryCache &) = delete;

  /// The data that the driver wants to keep; empty if there is none.
  std::vector<uint8_t> getData() const {
    std::vector<uint8_t> data;
    size_t size = 0;
    if (!handle ||
        context.table.vkGetPipelineCacheData(context.handle, handle, &size, nullptr) != VK_SUCCESS)
      return data;
    data.resize(size);
    if (context.table.vkGetPipelineCacheData(context.handle, handle, &size, data.data()) !=
        VK_SUCCESS)
      size = 0;
    data.resize(size);
    return data;
  }

  Context &context;
  VkPipelineCache handle = VK_NULL_HANDLE;
};

/// The context's own cache, made on first use; null if the driver gives none.
VkPipelineCache getSharedCache(Context &context) {
  std::lock_guard lock(context.mutex);
  if (!context.pipelineCache) {
    auto info = make<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
    if (context.table.vkCreatePipelineCache(context.handle, &info, nullptr, &context.pipelineCache))
      context.pipelineCache = VK_NULL_HANDLE;
  }
  return context.pipelineCache;
}

VkResult createPipeline(const Context &context, const TilerunPluginModule &module,
                        const KernelCode &kernel, VkPipelineCache cache,
                        VkPipelineCreateFlags flags, VkPipeline &pipeline) {
  VkSpecializationMapEntry entry = {kThreadsConstant, 0, sizeof(kernel.threads)};
  VkSpecializationInfo constants = {1, &entry, sizeof(kernel.threads), &kernel.threads};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr,
      kernel.subgroupSize};
  auto info = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.flags = flags;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.shader;
  info.stage.pName = kernel.entry.c_str();
  info.stage.pSpecializationInfo = &constants;
  if (kernel.subgroupSize && context.physical.target.hasSubgroupControl) {
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.pNext = &subgroup;
  }
  info.layout = module.layout;
  info.basePipelineIndex = -1;
  return context.table.vkCreateComputePipelines(context.handle, cache, 1, &info, nullptr,
                                                &pipeline);
}

/// Makes the shader module, the layout and a pipeline for every kernel of `module.content`.
TilerunStatus build(TilerunPluginDevice *device, TilerunPluginModule &module, VkPipelineCache cache,
                    const TilerunErrorSink *sink) {
  Context &context = *module.context;
  const ArtifactContent &content = module.content;
  std::string what = "a module of " + std::to_string(content.code.size()) + " words";
  auto shader = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  shader.codeSize = content.code.size() * sizeof(uint32_t);
  shader.pCode = content.code.data();
  if (VkResult result =
          context.table.vkCreateShaderModule(context.handle, &shader, nullptr, &module.shader))
    return failPipeline(sink, context, "vkCreateShaderModule(device, &info, …)", result, what);
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, tilerun::spirvbackend::kPushBytes};
  auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  VK_TRY(context, sink, vkCreatePipelineLayout(context.handle, &layout, nullptr, &module.layout));
  SharedSites sites =
      std::make_shared<const std::vector<tilerun::backend::DebugSite>>(content.debugSites);
  for (const KernelCode &code : content.kernels) {
    auto kernel = std::make_unique<TilerunPluginKernel>();
    kernel->device = device;
    kernel->context = &context;
    kernel->layout = module.layout;
    kernel->threads = code.threads;
    kernel->sharedBytes = code.sharedBytes;
    kernel->packedBytes = code.getPackedBytes();
    kernel->parameterBlock = code.has(KernelCode::kParameterBlock);
    kernel->module = &module;
    kernel->code = &code;
    if (code.has(KernelCode::kDebugBuffer))
      kernel->sites = sites;
    VkResult result = createPipeline(context, module, code, cache, 0, kernel->pipeline);
    if (result < 0 || !kernel->pipeline)
      return failPipeline(
          sink, context, "vkCreateComputePipelines(device, cache, 1, &info, …)", result,
          "kernel '" + code.name + "' of " + std::to_string(code.threads) + " threads, in " + what);
    {
      std::lock_guard lock(context.mutex);
      kernel->name = context.kernelNames.insert(code.name).first->c_str();
    }
    module.kernels.push_back(std::move(kernel));
  }
  module.statistics.resize(module.kernels.size());
  return TILERUN_STATUS_OK;
}

TilerunStatus checkCompatibility(TilerunPluginDevice *device, const char *compatibility,
                                 const TilerunErrorSink *sink) {
  std::string text = compatibility ? compatibility : "";
  std::string why = findIncompatibility(device->context->physical, text);
  if (why.empty())
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_INCOMPATIBLE, "check_compatibility", *device->context,
              "the artifact is for '" + text + "': " + why);
}

TilerunStatus loadModule(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                         TilerunPluginModule **out, const TilerunErrorSink *sink) {
  Context &context = *device->context;
  VK_ENTER(context, sink, "load_module");
  auto module = std::make_unique<TilerunPluginModule>();
  module->context = device->context;
  TILERUN_PLUGIN_TRY(readArtifact(context, *artifact, "load_module", module->content, sink));
  TilerunStatus status;
  if (module->content.pipeline.empty()) {
    status = build(device, *module, getSharedCache(context), sink);
  } else {
    TemporaryCache cache(context, module->content.pipeline);
    status = build(device, *module, cache.handle, sink);
  }
  if (status)
    return status;
  *out = module.release();
  return TILERUN_STATUS_OK;
}

void unloadModule(TilerunPluginModule *module) { delete module; }

TilerunStatus getKernel(TilerunPluginModule *module, const char *name, TilerunPluginKernel **out,
                        const TilerunErrorSink *sink) {
  VK_ENTER(*module->context, sink, "get_kernel");
  std::string known;
  for (const auto &kernel : module->kernels) {
    if (std::strcmp(kernel->name, name) == 0) {
      *out = kernel.get();
      return TILERUN_STATUS_OK;
    }
    known += (known.empty() ? "'" : ", '") + std::string(kernel->name) + "'";
  }
  return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_kernel", *module->context,
              std::string("kernel '") + name + "' was requested, the module has " +
                  (known.empty() ? "none" : known));
}

TilerunStatus finalizeArtifact(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                               const TilerunPluginArtifact **out, const TilerunErrorSink *sink) {
  Context &context = *device->context;
  VK_ENTER(context, sink, "finalize_artifact");
  TilerunPluginModule module;
  module.context = device->context;
  TILERUN_PLUGIN_TRY(readArtifact(context, *artifact, "finalize_artifact", module.content, sink));
  if (!isFinal(artifact->compatibility)) {
    TemporaryCache cache(context, {});
    TILERUN_PLUGIN_TRY(build(device, module, cache.handle, sink));
    module.content.pipeline = cache.getData();
  }
  *out = giveArtifact(module.content, context.physical.binaryCompatibility);
  return TILERUN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

uint64_t getNumber(const VkPipelineExecutableStatisticKHR &statistic) {
  switch (statistic.format) {
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
    return statistic.value.b32;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
    return static_cast<uint64_t>(std::max<int64_t>(statistic.value.i64, 0));
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
    return statistic.value.u64;
  default:
    return static_cast<uint64_t>(std::max(statistic.value.f64, 0.0));
  }
}

/// Asks the driver, by a pipeline of its own: pipelines that capture statistics may be slower.
TilerunPluginModule::Statistics readStatistics(const TilerunPluginKernel &kernel) {
  Context &context = *kernel.context;
  const DeviceTable &table = context.table;
  TilerunPluginModule::Statistics found;
  found.known = true;
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (!context.physical.executableInfo || !table.vkGetPipelineExecutablePropertiesKHR ||
      !table.vkGetPipelineExecutableStatisticsKHR ||
      createPipeline(context, *kernel.module, *kernel.code, VK_NULL_HANDLE,
                     VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR, pipeline) != VK_SUCCESS)
    return found;
  VkPipelineInfoKHR whole = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, nullptr, pipeline};
  uint32_t count = 0;
  table.vkGetPipelineExecutablePropertiesKHR(context.handle, &whole, &count, nullptr);
  for (uint32_t i = 0; i < count; ++i) {
    VkPipelineExecutableInfoKHR one = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr,
                                       pipeline, i};
    uint32_t size = 0;
    table.vkGetPipelineExecutableStatisticsKHR(context.handle, &one, &size, nullptr);
    std::vector<VkPipelineExecutableStatisticKHR> statistics(
        size, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR, nullptr, {}, {}, {}, {}});
    table.vkGetPipelineExecutableStatisticsKHR(context.handle, &one, &size, statistics.data());
    for (const VkPipelineExecutableStatisticKHR &statistic : statistics) {
      // Names are the driver's: "Register Count", "VGPRs", "Scratch size", "Stack Size", …
      std::string name = llvm::StringRef(statistic.name).lower();
      auto has = [&](const char *word) { return name.find(word) != std::string::npos; };
      if (has("register") || has("vgpr")) {
        found.hasRegisters = true;
        found.registers = std::max(found.registers, getNumber(statistic));
      } else if (has("spill") || has("scratch") || has("stack") || has("local memory")) {
        found.hasLocalBytes = true;
        found.localBytes = std::max(found.localBytes, getNumber(statistic));
      }
    }
  }
  table.vkDestroyPipeline(context.handle, pipeline, nullptr);
  return found;
}

TilerunStatus getKernelProperty(TilerunPluginKernel *kernel, uint32_t property,
                                TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  Context &context = *kernel->context;
  VK_ENTER(context, sink, "get_kernel_property");
  // All of it is part of the code, and is what a launch says.
  if (property == TILERUN_KERNEL_PROPERTY_STATIC_SHARED)
    return setValue(value, uint64_t(0));
  // The workgroup's size is part of the pipeline.
  if (property == TILERUN_KERNEL_PROPERTY_MAX_THREADS)
    return setValue(value, uint64_t(kernel->threads));
  if (property != TILERUN_KERNEL_PROPERTY_REGISTERS &&
      property != TILERUN_KERNEL_PROPERTY_LOCAL_BYTES)
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_kernel_property", context,
                "property " + std::to_string(property) + " is not known");
  TilerunPluginModule &module = *kernel->module;
  TilerunPluginModule::Statistics statistics;
  {
    std::lock_guard lock(module.mutex);
    auto &kept =
        module.statistics[static_cast<size_t>(kernel->code - module.content.kernels.data())];
    if (!kept.known)
      kept = readStatistics(*kernel);
    statistics = kept;
  }
  if (property == TILERUN_KERNEL_PROPERTY_REGISTERS && statistics.hasRegisters)
    return setValue(value, statistics.registers);
  if (property == TILERUN_KERNEL_PROPERTY_LOCAL_BYTES && statistics.hasLocalBytes)
    return setValue(value, statistics.localBytes);
  return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_kernel_property", context,
              "the driver does not report it");
}

} // namespace

TilerunPluginModule::~TilerunPluginModule() {
  const DeviceTable &table = context->table;
  for (const auto &kernel : kernels)
    table.vkDestroyPipeline(context->handle, kernel->pipeline, nullptr);
  if (layout)
    table.vkDestroyPipelineLayout(context->handle, layout, nullptr);
  if (shader)
    table.vkDestroyShaderModule(context->handle, shader, nullptr);
}

void vulkan::addModuleEntries(TilerunPlugin &table) {
  table.check_compatibility = checkCompatibility;
  table.load_module = loadModule;
  table.unload_module = unloadModule;
  table.get_kernel = getKernel;
  table.get_kernel_property = getKernelProperty;
  table.finalize_artifact = finalizeArtifact;
}
