// Kernels: modules, pipelines, launches, and the compiler's entries.
//
// A warm launch takes the locks of the stream and, when its batch is submitted, of the queue
// (Vulkan allows only one thread at a time to use a command buffer or a queue). It allocates
// nothing, unless the kernel prints or asserts: then each launch has a buffer for that (Reports.h).
#pragma once

#include "plugins/vulkan/Artifact.h"
#include "plugins/vulkan/Device.h"
#include "plugins/vulkan/Reports.h"
#include "plugins/vulkan/Splitting.h"

struct TilerunPluginKernel {
  TilerunPluginDevice *device = nullptr;
  vulkan::Context *context = nullptr;
  const char *name = nullptr; ///< In the context's kernelNames.
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE; ///< The module's.
  uint32_t threads = 1, sharedBytes = 0;
  uint64_t packedBytes = 0;
  bool parameterBlock = false;
  vulkan::SharedSites sites; ///< Null where it neither prints nor asserts.
  TilerunPluginModule *module = nullptr;
  const vulkan::KernelCode *code = nullptr; ///< The module's.
};

struct TilerunPluginModule {
  std::shared_ptr<vulkan::Context> context;
  vulkan::ArtifactContent content;
  VkShaderModule shader = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::vector<std::unique_ptr<TilerunPluginKernel>> kernels; ///< As in `content`.
  /// Statistics of the driver by kernel, once they were asked for.
  struct Statistics {
    bool known = false;
    uint64_t registers = 0, localBytes = 0;
    bool hasRegisters = false, hasLocalBytes = false;
  };
  std::mutex mutex; ///< Guards `statistics`.
  std::vector<Statistics> statistics;

  ~TilerunPluginModule();
};

namespace vulkan {

/// After a wait: prints the output of the stream's kernels, and returns FAULT with the first failed
/// assertion. Cheap if there is nothing to report.
TilerunStatus takeReports(Stream &stream, const TilerunErrorSink *sink);
/// Before a launch of a kernel with sites: a buffer for it, empty.
TilerunStatus prepareReport(Stream &stream, const TilerunPluginKernel &kernel,
                            std::shared_ptr<Block> &block, const TilerunErrorSink *sink);
/// After it: the buffer is read once the stream has passed what was recorded so far.
void addReport(Stream &stream, const TilerunPluginKernel &kernel, std::shared_ptr<Block> block);

/// The compatibility string of an artifact compiled for `target`: the features that a device must
/// have.
std::string describeNeeds(const ArtifactContent &content,
                          const tilerun::spirvbackend::Target &target);
/// Why a device cannot run artifacts with this string; empty if it can.
std::string findIncompatibility(const PhysicalDevice &device, llvm::StringRef compatibility);
/// Whether the string is that of an artifact with the driver's own data.
bool isFinal(llvm::StringRef compatibility);

/// The entries of the table, by file.
void addCompileEntries(TilerunPlugin &table);
void addSelfTestEntries(TilerunPlugin &table);
void addModuleEntries(TilerunPlugin &table);
void addLaunchEntries(TilerunPlugin &table);

} // namespace vulkan
