// Kernels: loading, specialization, launch.
#include "runtime/api/Handles.h"

#include <tuple>

using namespace tilerun;
using namespace tilerun::api;

// Limits that no device exceeds. GPUs refuse more than 32 warps themselves; the interpreter has
// none.
static constexpr uint32_t kMostWarps = 1024, kMostStages = 64, kMostRegisters = 255,
                          kMostBlocks = 64, kMostDebug = 2;

// Larger counts are mistakes: reading so many bytes would leave the caller's memory.
static constexpr uint64_t kMostTextBytes = compiler::kMostTextBytes, kMostModuleBytes = uint64_t(1)
                                                                                        << 30;

// The mistake in the target's own options; "" if there is none.
static std::string findOptionMistake(const TilerunCompileOptions &given) {
  if (given.num_options > core::kMostOptions)
    return "num_options is " + std::to_string(given.num_options) + "; the maximum is " +
           std::to_string(core::kMostOptions);
  if (!given.options)
    return "num_options is " + std::to_string(given.num_options) + ", but options is null";
  size_t bytes = 0;
  for (uint32_t i = 0; i < given.num_options; ++i) {
    const TilerunPluginOption &option = given.options[i];
    const std::string place = "options[" + std::to_string(i) + "]";
    if (!option.name || !option.value)
      return place + " lacks a name or a value";
    for (const char *field : {"num-warps", "num-stages", "num-ctas", "maxnreg", "debug", "emit"})
      if (option.name == std::string_view(field))
        return place + " is '" + field + "', which cannot be given as an option";
    for (uint32_t k = 0; k < i; ++k)
      if (std::string_view(option.name) == given.options[k].name)
        return place + " is '" + option.name + "' again";
    bytes += std::strlen(option.name) + std::strlen(option.value);
  }
  if (bytes > core::kMostOptionBytes)
    return "options hold " + std::to_string(bytes) + " bytes of text; the maximum is " +
           std::to_string(core::kMostOptionBytes);
  return "";
}

// The mistake in options; "" if there is none.
static std::string findMistake(const TilerunCompileOptions &options) {
  if (!std::has_single_bit(options.num_warps))
    return "num_warps is " + std::to_string(options.num_warps) + ", which is not a power of two";
  if (options.checks > 1)
    return "checks is " + std::to_string(options.checks) + ", neither 0 nor 1";
  const std::tuple<const char *, uint32_t, uint32_t> bounds[] = {
      {"num_warps", options.num_warps, kMostWarps},
      {"num_stages", options.num_stages, kMostStages},
      {"debug", options.debug, kMostDebug},
      {"maxnreg", options.maxnreg, kMostRegisters},
      {"num_ctas", options.num_ctas, kMostBlocks}};
  for (auto [name, value, most] : bounds)
    if (value > most)
      return std::string(name) + " is " + std::to_string(value) + "; the maximum is " +
             std::to_string(most);
  return "";
}

TilerunStatus api::readCompileOptions(const char *function, const TilerunCompileOptions *given,
                                      TilerunCompileOptions &options) {
  constexpr uint32_t wanted = kFirstSize<TilerunCompileOptions>;
  if (given && given->struct_size < wanted) [[unlikely]]
    return refuseSize(function, "compile options", given->struct_size, wanted);
  options = readStruct(given);
  options.num_warps = options.num_warps ? options.num_warps : 4;
  options.num_stages = options.num_stages ? options.num_stages : 3;
  options.num_ctas = options.num_ctas ? options.num_ctas : 1;
  // One branch for a launch; which check failed is found out afterwards.
  bool isRight = !(options.num_warps & (options.num_warps - 1)) &
                 (options.num_warps <= kMostWarps) & (options.num_stages <= kMostStages) &
                 (options.debug <= kMostDebug) & (options.checks <= 1) &
                 (options.maxnreg <= kMostRegisters) & (options.num_ctas <= kMostBlocks);
  if (!isRight) [[unlikely]]
    return refuse(function, findMistake(options));
  if (!options.num_options) [[likely]]
    return TILERUN_STATUS_OK;
  std::string mistake = findOptionMistake(options);
  return mistake.empty() ? TilerunStatus(TILERUN_STATUS_OK) : refuse(function, mistake);
}

/// `load` and its arguments give a program.
template <typename... Load>
static TilerunStatus makeKernel(TilerunKernel **handle, Load &&...load) {
  std::shared_ptr<core::Program> program;
  core::Status status = std::invoke(std::forward<Load>(load)..., program);
  if (status.isOk())
    *handle = new TilerunKernel{std::make_shared<core::Kernel>(std::move(program))};
  return finish(status);
}

TilerunStatus tilerunLoadKernel(TilerunRuntime *runtime, const char *path, const char *kernel,
                                TilerunKernel **handle) try {
  TILERUN_API_ENTER(runtime, path, kernel, handle);
  return makeKernel(handle, compiler::loadFile, runtime->services, path, kernel);
}
TILERUN_API_CATCH

TilerunStatus tilerunLoadKernelText(TilerunRuntime *runtime, const char *name, const char *text,
                                    uint64_t num_bytes, const char *kernel,
                                    TilerunKernel **handle) try {
  TILERUN_API_ENTER(runtime, name, text, kernel, handle);
  if (num_bytes > kMostTextBytes)
    return refuseCount(__func__, "num_bytes", num_bytes, kMostTextBytes);
  return makeKernel(handle, compiler::loadText, runtime->services, name,
                    std::string(text, num_bytes), kernel);
}
TILERUN_API_CATCH

TilerunStatus tilerunLoadKernelSources(TilerunRuntime *runtime, const TilerunSource *sources,
                                       uint32_t num_sources, const char *kernel,
                                       TilerunKernel **handle) try {
  TILERUN_API_ENTER(runtime, sources, kernel, handle);
  if (!num_sources)
    return refuse(__func__, "num_sources is 0; the first has the kernel");
  if (num_sources > kMostElements)
    return refuseCount(__func__, "num_sources", num_sources, kMostElements);
  std::vector<compiler::SourceText> texts;
  for (uint32_t i = 0; i < num_sources; ++i) {
    const TilerunSource *source = sources + i;
    TILERUN_API_CHECK_SIZE(source);
    if (!source->module || !source->path || !source->text)
      return refuse(__func__, "sources[" + std::to_string(i) + "] lacks module, path or text");
    const std::string name = "sources[" + std::to_string(i) + "]";
    if (source->reserved)
      return refuseReserved(__func__, name, source->reserved);
    if (source->num_bytes > kMostTextBytes)
      return refuseCount(__func__, name + ".num_bytes", source->num_bytes, kMostTextBytes);
    texts.push_back({source->module, source->path, std::string(source->text, source->num_bytes)});
  }
  return makeKernel(handle, compiler::loadSources, runtime->services, std::move(texts), kernel);
}
TILERUN_API_CATCH

TilerunStatus tilerunLoadKernelBytecode(TilerunRuntime *runtime, const void *bytecode,
                                        uint64_t num_bytes, const char *kernel,
                                        TilerunKernel **handle) try {
  TILERUN_API_ENTER(runtime, bytecode, kernel, handle);
  if (num_bytes > kMostModuleBytes)
    return refuseCount(__func__, "num_bytes", num_bytes, kMostModuleBytes);
  return makeKernel(handle, compiler::loadTileIr, runtime->services,
                    llvm::StringRef(static_cast<const char *>(bytecode), num_bytes), kernel);
}
TILERUN_API_CATCH

TilerunStatus tilerunBindKernel(TilerunKernel *kernel, const char *constants,
                                TilerunKernel **bound) try {
  TILERUN_API_ENTER(kernel, constants, bound);
  std::shared_ptr<core::Kernel> made;
  core::Status status = kernel->kernel->bind(constants, made);
  if (status.isOk())
    *bound = new TilerunKernel{std::move(made)};
  return finish(status);
}
TILERUN_API_CATCH

TilerunStatus tilerunEmitKernel(TilerunRuntime *runtime, TilerunKernel *kernel, const char *target,
                                const char *signature, const TilerunCompileOptions *options,
                                const char *stage,
                                void (*take)(void *user, const TilerunPluginArtifact *artifact),
                                void *user) try {
  TILERUN_API_ENTER(runtime, kernel, target, stage, take);
  TilerunCompileOptions compile;
  if (TilerunStatus status = readCompileOptions(__func__, options, compile))
    return status;
  std::shared_ptr<const plugin::Plugin> plugin;
  if (core::Status status = runtime->runtime.findCompiler(target, plugin); !status.isOk())
    return keepError(status);
  return finish(
      kernel->kernel->emit(*plugin, target, signature ? signature : "", compile, stage,
                           [&](const TilerunPluginArtifact &artifact) { take(user, &artifact); }));
}
TILERUN_API_CATCH

TilerunStatus tilerunListLanguage(const char *path,
                                  void (*each)(void *user, const TilerunLanguageName *name),
                                  void *user) try {
  TILERUN_API_ENTER(path, each);
  compiler::listLanguage(path, [&](const compiler::LanguageName &name) {
    TilerunLanguageName out = {sizeof(out),        0,
                               name.name.c_str(),  name.kind,
                               name.value.c_str(), name.documentation.c_str()};
    each(user, &out);
  });
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

void tilerunReleaseKernel(TilerunKernel *kernel) try {
  TILERUN_API_ENTER_VOID();
  delete kernel;
}
TILERUN_API_CATCH_VOID

const char *tilerunGetKernelName(TilerunKernel *kernel) {
  return kernel ? kernel->kernel->getName().c_str() : "";
}

uint32_t tilerunGetNumParameters(TilerunKernel *kernel) {
  return kernel ? static_cast<uint32_t>(kernel->kernel->getParameters().size()) : 0;
}

TilerunStatus tilerunGetParameter(TilerunKernel *kernel, uint32_t index,
                                  TilerunParameterInfo *info) try {
  TILERUN_API_ENTER(kernel, info);
  TILERUN_API_CHECK_SIZE(info);
  const auto &parameters = kernel->kernel->getParameters();
  if (index >= parameters.size())
    return refuse(__func__, "parameter " + std::to_string(index) + " does not exist: kernel '" +
                                kernel->kernel->getName() + "' has " +
                                std::to_string(parameters.size()));
  const core::SourceParameter &parameter = parameters[index];
  uint32_t flags = (parameter.isConstexpr ? uint32_t(TILERUN_PARAMETER_CONSTEXPR) : 0) |
                   (parameter.hasDefault ? uint32_t(TILERUN_PARAMETER_DEFAULT) : 0);
  writeStruct(info, TilerunParameterInfo{0, flags, parameter.name.c_str()});
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

TilerunStatus api::checkLaunchFlags(const char *function, const char *what, uint32_t flags) {
  constexpr uint32_t bounds = TILERUN_LAUNCH_NO_BOUNDS_CHECKS | TILERUN_LAUNCH_BOUNDS_CHECKS,
                     known = TILERUN_LAUNCH_OVERLAP | bounds;
  const bool isKnown = !(flags & ~known);
  if (isKnown && (flags & bounds) != bounds)
    return TILERUN_STATUS_OK;
  const std::string both = std::to_string(TILERUN_LAUNCH_NO_BOUNDS_CHECKS) + " and " +
                           std::to_string(TILERUN_LAUNCH_BOUNDS_CHECKS);
  return refuse(function, std::string(what) + "flags are " + std::to_string(flags) + "; " +
                              (isKnown ? both + " exclude each other"
                                       : std::to_string(TILERUN_LAUNCH_OVERLAP) + ", " + both +
                                             " are the only ones"));
}

TilerunStatus api::checkRanges(const char *function, const std::string &what,
                               const TilerunMemoryRange *ranges, uint32_t count) {
  constexpr uint32_t kMostDimensions = 64; // As frameworks have them.
  for (uint32_t i = 0; i < count; ++i) {
    const TilerunMemoryRange &range = ranges[i];
    const std::string name = what + "[" + std::to_string(i) + "]";
    if (range.reserved)
      return refuseReserved(function, name, range.reserved);
    if (range.rank > kMostDimensions)
      return refuseCount(function, name + ".rank", range.rank, kMostDimensions);
    if (range.rank && !range.shape != !range.strides)
      return refuse(function, name + " has a shape or strides without the other");
    if (range.begin && range.num_bytes > UINT64_MAX - range.begin)
      return refuse(function, name + " leaves the address space");
  }
  return TILERUN_STATUS_OK;
}

/// The flags and ranges of a launch of `numArguments` arguments. The array of ranges has one for
/// each argument; kernels that take fewer, `mostArguments`, say so.
[[gnu::always_inline]] static inline TilerunStatus
readLaunchOptions(const char *function, const TilerunLaunchOptions *options, uint32_t numArguments,
                  size_t mostArguments, uint32_t &flags, const TilerunMemoryRange *&ranges) {
  constexpr uint32_t wanted = kFirstSize<TilerunLaunchOptions>;
  if (options->struct_size < wanted) [[unlikely]]
    return refuseSize(function, "options", options->struct_size, wanted);
  flags = 0;
  if (TILERUN_HAS(TilerunLaunchOptions, options, flags)) {
    flags = options->flags;
    if (flags) [[unlikely]]
      if (TilerunStatus status = checkLaunchFlags(function, "", flags))
        return status;
  }
  if (TILERUN_HAS(TilerunLaunchOptions, options, reserved)) [[unlikely]]
    return refuseReserved(function, "options", options->reserved);
  ranges = TILERUN_HAS(TilerunLaunchOptions, options, ranges) ? options->ranges : nullptr;
  if (ranges && numArguments <= mostArguments) [[unlikely]]
    return checkRanges(function, "ranges", ranges, numArguments);
  return TILERUN_STATUS_OK;
}

[[gnu::always_inline]] static inline TilerunStatus
launch(const char *function, TilerunStream *stream, TilerunKernel *kernel,
       const TilerunLaunchOptions *options, const TilerunArgument *arguments, uint32_t numArguments,
       const core::Specialization **used) {
  const char *missing = !stream                      ? "stream"
                        : !kernel                    ? "kernel"
                        : !options                   ? "options"
                        : numArguments && !arguments ? "arguments"
                                                     : nullptr;
  if (missing) [[unlikely]]
    return refuseNull(function, missing, 0);
  uint32_t flags = 0;
  const TilerunMemoryRange *ranges = nullptr;
  if (TilerunStatus status = readLaunchOptions(
          function, options, numArguments, kernel->kernel->getParameters().size(), flags, ranges))
      [[unlikely]]
    return status;
  TilerunCompileOptions compile;
  if (TilerunStatus status = readCompileOptions(function, options->compile, compile))
    return status;
  return finish(kernel->kernel->launch(*unwrap(stream), options->grid, compile, arguments,
                                       numArguments, flags, ranges, used));
}

TilerunStatus tilerunLaunch(TilerunStream *stream, TilerunKernel *kernel,
                            const TilerunLaunchOptions *options, const TilerunArgument *arguments,
                            uint32_t num_arguments) try {
  TILERUN_API_ENTER();
  return launch(__func__, stream, kernel, options, arguments, num_arguments, nullptr);
}
TILERUN_API_CATCH

TilerunStatus tilerunLaunchTold(TilerunStream *stream, TilerunKernel *kernel,
                                const TilerunLaunchOptions *options,
                                const TilerunArgument *arguments, uint32_t num_arguments,
                                uint64_t *code) try {
  TILERUN_API_ENTER(code);
  *code = 0;
  const core::Specialization *used = nullptr;
  TilerunStatus status = launch(__func__, stream, kernel, options, arguments, num_arguments, &used);
  if (status == TILERUN_STATUS_OK) [[likely]]
    *code = reinterpret_cast<uint64_t>(used); // Not released while the kernel lives.
  return status;
}
TILERUN_API_CATCH

TilerunStatus tilerunDescribeArguments(TilerunKernel *kernel, const TilerunArgument *arguments,
                                       uint32_t num_arguments,
                                       void (*take)(void *user, const char *signature),
                                       void *user) try {
  TILERUN_API_ENTER(kernel, take);
  if (num_arguments)
    TILERUN_API_CHECK(arguments);
  std::string signature;
  core::Status status = kernel->kernel->describe(arguments, num_arguments, signature);
  if (status.isOk())
    take(user, signature.c_str());
  return finish(status);
}
TILERUN_API_CATCH

TilerunStatus tilerunDescribeCode(TilerunKernel *kernel, uint64_t code,
                                  void (*take)(void *user, const char *signature), void *user) try {
  TILERUN_API_ENTER(kernel, take);
  if (!code)
    return refuse(__func__, "code is 0, which a failed launch gives");
  take(user, reinterpret_cast<const core::Specialization *>(code)->open.c_str());
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

TilerunStatus tilerunSpecialize(TilerunKernel *kernel, TilerunDevice *device, const char *signature,
                                const TilerunCompileOptions *options,
                                TilerunSpecialization **specialization) try {
  TILERUN_API_ENTER(kernel, device, specialization);
  TilerunCompileOptions compile;
  if (TilerunStatus status = readCompileOptions(__func__, options, compile))
    return status;
  std::shared_ptr<core::Specialization> made;
  core::Status status =
      kernel->kernel->specialize(*device->device, signature ? signature : "", compile, made);
  if (status.isOk())
    *specialization = new TilerunSpecialization{device->device, std::move(made)};
  return finish(status);
}
TILERUN_API_CATCH

void tilerunReleaseSpecialization(TilerunSpecialization *specialization) try {
  TILERUN_API_ENTER_VOID();
  if (!specialization)
    return;
  // The module is unloaded while its device is still open.
  specialization->specialization.reset();
  delete specialization;
}
TILERUN_API_CATCH_VOID

TilerunStatus tilerunGetKernelProperty(TilerunSpecialization *specialization, uint32_t property,
                                       TilerunPropertyValue *value) try {
  TILERUN_API_ENTER(specialization, value);
  TILERUN_API_CHECK_SIZE(value);
  return finish(specialization->specialization->executable->getProperty(property, *value));
}
TILERUN_API_CATCH

TilerunStatus tilerunGetLaunchShape(TilerunSpecialization *specialization, uint32_t *threads,
                                    uint32_t *shared_bytes) try {
  TILERUN_API_ENTER(specialization);
  const core::Executable &executable = *specialization->specialization->executable;
  if (threads)
    *threads = executable.getThreads();
  if (shared_bytes)
    *shared_bytes = executable.getSharedBytes();
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

const char *tilerunGetSignature(TilerunSpecialization *specialization) {
  return specialization ? specialization->specialization->signature.c_str() : "";
}

TilerunStatus tilerunLaunchSpecialized(TilerunStream *stream, TilerunSpecialization *specialization,
                                       const uint32_t grid[3], const TilerunArgument *arguments,
                                       uint32_t num_arguments) try {
  TILERUN_API_ENTER(stream, specialization, grid);
  if (num_arguments)
    TILERUN_API_CHECK(arguments);
  return finish(core::Kernel::launchSpecialized(*specialization->specialization, *unwrap(stream),
                                                grid, arguments, num_arguments));
}
TILERUN_API_CATCH

TilerunStatus tilerunLaunchSpecializedWith(TilerunStream *stream,
                                           TilerunSpecialization *specialization,
                                           const TilerunLaunchOptions *options,
                                           const TilerunArgument *arguments,
                                           uint32_t num_arguments) try {
  TILERUN_API_ENTER();
  TILERUN_API_CHECK(stream, specialization, options);
  if (num_arguments)
    TILERUN_API_CHECK(arguments);
  const core::Specialization &compiled = *specialization->specialization;
  uint32_t flags = 0;
  const TilerunMemoryRange *ranges = nullptr;
  if (TilerunStatus status = readLaunchOptions(__func__, options, num_arguments,
                                               compiled.parameters.size(), flags, ranges))
    return status;
  if (options->compile)
    return refuse(__func__, "options.compile must be null: a specialization is compiled already");
  return finish(core::Kernel::launchSpecialized(compiled, *unwrap(stream), options->grid, arguments,
                                                num_arguments, flags, ranges));
}
TILERUN_API_CATCH
