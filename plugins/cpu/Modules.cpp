// Modules and launches.
#include "plugins/cpu/Handles.h"
#include "plugins/cpu/Host.h"
#include "plugins/support/ArtifactCheck.h"
#include "plugins/support/Error.h"
#include "plugins/support/Property.h"

#include "backends/interpreter/Frame.h"
#include "backends/interpreter/SmallFloat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdio>
#include <cstring>

using namespace tilerun;
using namespace tilerun::cpu;

static TilerunStatus checkCompatibility(TilerunPluginDevice *, const char *compatibility,
                                        const TilerunErrorSink *sink) {
  std::string wanted = getCompatibility();
  if (compatibility && wanted == compatibility)
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_INCOMPATIBLE, "check_compatibility",
              std::string("the artifact is for '") + (compatibility ? compatibility : "") +
                  "', this device takes '" + wanted + "'");
}

static llvm::Expected<std::unique_ptr<TilerunPluginKernel>>
loadKernel(TilerunPluginDevice *device, const ArtifactContent &content,
           const KernelHeader &header) {
  auto kernel = std::make_unique<TilerunPluginKernel>();
  kernel->device = device;
  kernel->name = header.name;
  kernel->threads = header.threads;
  kernel->options = content.options;
  if (!content.hostKernel.empty()) {
    KernelParameters parameters;
    kernel->host = findHostKernel(content.hostKernel, parameters);
    kernel->types = parameters.types;
    if (!kernel->host)
      return interp::makeError(interp::ErrorKind::Compile,
                               "self-test '" + content.hostKernel + "' does not exist");
    return kernel;
  }
  auto program = interp::loadProgram(content.code, header.name);
  if (!program)
    return program.takeError();
  kernel->program = std::move(*program);
  for (const interp::ArgumentInfo &argument : kernel->program->arguments)
    kernel->types.push_back(argument.type);
  return kernel;
}

static TilerunStatus loadModule(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                                TilerunPluginModule **module, const TilerunErrorSink *sink) {
  CPU_ENTER(device, sink, "load_module");
  TILERUN_PLUGIN_TRY(checkCompatibility(device, artifact->compatibility, sink));
  std::optional<ArtifactContent> content =
      decodeArtifact({artifact->bytes, size_t(artifact->num_bytes)});
  if (!content)
    return fail(sink, TILERUN_STATUS_COMPILE, "load_module",
                "the bytes are not an artifact of this plugin, or are damaged");
  if (std::string wrong = plugin_support::checkKernels(*artifact); !wrong.empty())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "load_module", wrong);
  auto made = std::make_unique<TilerunPluginModule>();
  made->device = device;
  for (const KernelHeader &header : content->kernels) {
    auto kernel = loadKernel(device, *content, header);
    if (!kernel)
      return fail(sink, "load_module", kernel.takeError());
    made->kernels.push_back(std::move(*kernel));
  }
  *module = made.release();
  return TILERUN_STATUS_OK;
}

static TilerunStatus getKernel(TilerunPluginModule *module, const char *name,
                               TilerunPluginKernel **kernel, const TilerunErrorSink *sink) {
  std::string known;
  for (const auto &candidate : module->kernels) {
    if (candidate->name == name) {
      *kernel = candidate.get();
      return TILERUN_STATUS_OK;
    }
    known += (known.empty() ? "'" : ", '") + candidate->name + "'";
  }
  return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_kernel",
              std::string("kernel '") + name + "' was not found; the module has " +
                  (known.empty() ? "none" : known));
}

static TilerunStatus getKernelProperty(TilerunPluginKernel *kernel, uint32_t property,
                                       TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  auto number = [&](uint64_t n) { return plugin_support::setValue(value, n); };
  switch (property) {
  case TILERUN_KERNEL_PROPERTY_STATIC_SHARED:
    return number(0);
  case TILERUN_KERNEL_PROPERTY_LOCAL_BYTES:
    return number(kernel->program ? kernel->program->arenaBytes : 0);
  case TILERUN_KERNEL_PROPERTY_MAX_THREADS:
    return number(kernel->threads);
  }
  return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_kernel_property",
              "no property " + std::to_string(property));
}

// The packed arguments, each widened to 64 bits. False if their size is wrong.
static bool unpack(const TilerunPluginKernel &kernel, const TilerunPluginLaunch &launch,
                   llvm::SmallVectorImpl<uint64_t> &bits) {
  uint64_t offset = 0;
  for (interp::Dtype type : kernel.types) {
    const unsigned bytes = interp::sizeOf(type);
    offset = llvm::alignTo(offset, bytes);
    if (offset + bytes > launch.num_bytes)
      return false;
    uint64_t value = 0;
    std::memcpy(&value, static_cast<const uint8_t *>(launch.arguments) + offset, bytes);
    bits.push_back(type == interp::Dtype::I1 ? value & 1 : value);
    offset += bytes;
  }
  return offset == launch.num_bytes;
}

static interp::LaunchArgument convert(interp::Dtype type, uint64_t bits) {
  using Kind = interp::LaunchArgument::Kind;
  if (type == interp::Dtype::Ptr)
    return {Kind::Pointer, bits};
  if (!interp::isFloat(type))
    return {Kind::Integer, bits};
  double value = 0;
  if (type == interp::Dtype::F64)
    value = std::bit_cast<double>(bits);
  else if (type == interp::Dtype::F32)
    value = std::bit_cast<float>(static_cast<uint32_t>(bits));
  else
    interp::getToDouble(type)(reinterpret_cast<const char *>(&bits),
                              reinterpret_cast<char *>(&value), 1);
  return {Kind::Float, std::bit_cast<uint64_t>(value)};
}

// The host's knowledge of the memory behind the pointers.
static interp::LaunchMemory convert(const TilerunMemoryRange &range) {
  interp::LaunchMemory memory;
  if (range.begin)
    memory.range = {range.begin, range.num_bytes};
  memory.hasShape = range.shape && range.strides;
  if (memory.hasShape) {
    memory.shape.assign(range.shape, range.shape + range.rank);
    memory.strides.assign(range.strides, range.strides + range.rank);
  }
  return memory;
}

// Runs a program; its faults become faults of the stream, other errors are returned.
static llvm::Error runProgram(TilerunPluginKernel &kernel, Stream &stream,
                              llvm::ArrayRef<uint64_t> bits, const TilerunMemoryRange *ranges,
                              const interp::LaunchOptions &options) {
  std::vector<interp::LaunchArgument> arguments;
  for (auto [type, value] : llvm::zip_equal(kernel.types, bits)) {
    arguments.push_back(convert(type, value));
    if (ranges && type == interp::Dtype::Ptr)
      arguments.back().memory = convert(ranges[arguments.size() - 1]);
  }
  auto result = interp::launchProgram(*kernel.program, getHeap(), arguments, options);
  if (!result)
    return llvm::handleErrors(result.takeError(),
                              [&](std::unique_ptr<interp::InterpreterError> e) -> llvm::Error {
                                if (e->getKind() != interp::ErrorKind::Fault)
                                  return llvm::Error(std::move(e));
                                addFault(stream, {e->getMessage(), ""});
                                return llvm::Error::success();
                              });
  if (!result->printed.empty()) {
    // Like the output of printf on a GPU.
    std::fwrite(result->printed.data(), 1, result->printed.size(), stdout);
    std::fflush(stdout);
  }
  for (const interp::CheckReport &report : result->reports)
    addFault(stream, makeFault(report));
  for (const interp::WriterMap &map : result->writers)
    addFault(stream, makeFault(map));
  if (result->work)
    addFault(stream, makeFault(*result->work));
  return llvm::Error::success();
}

static TilerunStatus launch(TilerunPluginKernel *kernel, TilerunPluginStream *streamHandle,
                            const TilerunPluginLaunch *launch, const TilerunErrorSink *sink) {
  TilerunPluginDevice *device = kernel->device;
  CPU_ENTER(device, sink, "launch");
  auto invalid = [&](const llvm::Twine &what) {
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch",
                ("kernel '" + kernel->name + "': " + what).str());
  };
  interp::LaunchOptions options;
  for (unsigned axis = 0; axis < 3; ++axis) {
    options.grid[axis] = launch->grid[axis];
    if (launch->grid[axis] == 0 || launch->grid[axis] > interp::kMaxGrid[axis])
      return invalid("the grid has " + llvm::Twine(launch->grid[axis]) + " programs on axis " +
                     llvm::Twine(axis) + "; 1 to " + llvm::Twine(interp::kMaxGrid[axis]) +
                     " are possible");
  }
  if (launch->threads != kernel->threads || launch->shared_bytes != 0)
    return invalid(
        llvm::Twine(launch->threads) + " threads and " + llvm::Twine(launch->shared_bytes) +
        " bytes of shared memory; its artifact says " + llvm::Twine(kernel->threads) + " and 0");
  llvm::SmallVector<uint64_t> bits;
  if (!unpack(*kernel, *launch, bits))
    return invalid(llvm::Twine(launch->num_bytes) + " bytes of arguments for " +
                   llvm::Twine(kernel->types.size()) + " parameters, which is the wrong size");
  Stream &stream = getStream(device, streamHandle);
  std::lock_guard running(stream.running);
  if (kernel->host) {
    std::string loss = kernel->host(getHeap(), bits.data());
    if (!loss.empty()) // As on a GPU: it shows at the next call that waits.
      device->loss.lose("kernel '" + kernel->name + "' " + loss);
    return TILERUN_STATUS_OK;
  }
  const uint32_t flags = TILERUN_HAS(TilerunPluginLaunch, launch, flags) ? launch->flags : 0;
  options.bounds = !(flags & TILERUN_LAUNCH_NO_BOUNDS_CHECKS) &&
                   (flags & TILERUN_LAUNCH_BOUNDS_CHECKS || areBoundsChecked());
  options.hostMemory = (flags & TILERUN_LAUNCH_HOST_MEMORY) != 0;
  const TilerunMemoryRange *ranges =
      TILERUN_HAS(TilerunPluginLaunch, launch, ranges) ? launch->ranges : nullptr;
  options.debug = kernel->options.debug;
  options.checks = kernel->options.checks;
  options.watch = kernel->options.watch;
  options.numThreads = kernel->options.numThreads;
  if (llvm::Error error = runProgram(*kernel, stream, bits, ranges, options))
    return fail(sink, "launch", std::move(error));
  return TILERUN_STATUS_OK;
}

void cpu::addModuleEntries(TilerunPlugin &table) {
  table.check_compatibility = checkCompatibility;
  table.load_module = loadModule;
  table.unload_module = [](TilerunPluginModule *module) { delete module; };
  table.get_kernel = getKernel;
  table.get_kernel_property = getKernelProperty;
  table.launch = launch;
}
