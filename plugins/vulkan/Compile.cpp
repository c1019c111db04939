// The compile entry: tile IR to SPIR-V by the backend. Needs no driver and no device.
#include "backends/spirv/Compile.h"
#include "plugins/support/CompiledKernel.h"
#include "plugins/support/Options.h"
#include "plugins/support/Phases.h"
#include "plugins/vulkan/Launch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"

using namespace vulkan;
using namespace tilerun::plugin_support;
using tilerun::spirvbackend::SpirvArtifact;
using tilerun::spirvbackend::SpirvOptions;
using tilerun::spirvbackend::SpirvParameter;
using tilerun::spirvbackend::Stage;
using tilerun::spirvbackend::Target;

namespace {

/// Targets in the ABI's form: with their kind.
llvm::Expected<Target> parseTarget(llvm::StringRef text) {
  if (text.starts_with("vulkan:"))
    return tilerun::spirvbackend::parseTarget(text);
  return llvm::createStringError("'" + text +
                                 "' is not a Vulkan target; targets begin with 'vulkan:1.3'");
}

TilerunStatus getTargets(void (*each)(void *, const char *), void *user, const TilerunErrorSink *) {
  each(user, tilerun::spirvbackend::kTargetName.str().c_str());
  for (const std::string &target : getKnownTargets())
    each(user, target.c_str());
  return TILERUN_STATUS_OK;
}

constexpr Phase<Stage> kOwnPhases[] = {
    {"spirv-asm", "SPIR-V in text", ";", Stage::SpirvAsm},
    {"spirv", "SPIR-V module", nullptr, Stage::Spirv},
    {"spirv-dialect", "SPIR-V as MLIR", "//", Stage::SpirvDialect, TILERUN_PHASE_LOCATIONS}};
constexpr auto kPhases = joinPhases(kOwnPhases, kThreadPhases<Stage>);

TilerunStatus getPhases(const char *target, void (*each)(void *, const TilerunPluginPhase *),
                        void *user, const TilerunErrorSink *sink) {
  if (llvm::Error error = parseTarget(target).takeError())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_phases", "vulkan",
                llvm::toString(std::move(error)));
  tellPhases(kPhases, each, user);
  return TILERUN_STATUS_OK;
}

/// The request, besides the target.
struct Request {
  SpirvOptions options;
  Stage stage = Stage::Spirv;
  bool emit = false; ///< Text or a bare module, to look at.
};

using Value = const std::string &;

constexpr Option<Request> kOptions[] = {
    {"maxnreg", "24 to 255; Vulkan has no such limit, and it changes nothing",
     ignoreNumber<24, 255>},
    {"opt-level", "0 to 3; the driver optimizes, and it changes nothing", ignoreNumber<0, 3>},
    {"emit", "a phase", [](Request &r, Value value) {
       r.emit = true;
       return setPhase(kPhases, value, r.stage);
     }}};

KernelCode describeKernel(const SpirvArtifact &compiled) {
  KernelCode kernel;
  kernel.name = kernel.entry = compiled.kernel;
  kernel.threads = compiled.numThreads;
  kernel.subgroupSize = compiled.subgroupSize;
  kernel.sharedBytes = static_cast<uint32_t>(compiled.sharedBytes);
  if (compiled.argumentsInMemory)
    kernel.flags |= KernelCode::kParameterBlock;
  if (!compiled.debugSites.empty())
    kernel.flags |= KernelCode::kDebugBuffer;
  for (const SpirvParameter &parameter : compiled.parameters)
    kernel.parameters.push_back(KernelCode::Parameter::make(describeParameter(parameter)));
  return kernel;
}

TilerunStatus compile(const TilerunPluginCompileRequest *given,
                      const TilerunPluginArtifact **artifact, const TilerunErrorSink *sink) {
  auto refuse = [&](TilerunStatus status, const std::string &what) {
    return fail(sink, status, "compile", "vulkan", what);
  };
  llvm::StringRef targetText = given->target ? given->target : "";
  llvm::Expected<Target> target = parseTarget(targetText);
  if (!target)
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT, llvm::toString(target.takeError()));
  Request request;
  request.options.target = *target;
  if (std::string wrong = setOptions<Request>({kCommonOptions<Request>, kOptions}, *given, request);
      !wrong.empty())
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT, wrong);
  llvm::StringRef bytecode(reinterpret_cast<const char *>(given->bytecode), given->num_bytes);
  std::string text;
  llvm::Expected<SpirvArtifact> compiled =
      tilerun::spirvbackend::compile(bytecode, request.options, request.stage, &text);
  if (!compiled)
    return refuse(TILERUN_STATUS_COMPILE,
                  "for " + targetText.str() + ": " + llvm::toString(compiled.takeError()));
  if (compiled->sharedBytes > target->sharedBytes)
    return refuse(TILERUN_STATUS_COMPILE,
                  "for " + targetText.str() + ": " +
                      describeSharedMemory(compiled->kernel.c_str(), compiled->sharedBytes,
                                           target->sharedBytes));
  KernelCode kernel = describeKernel(*compiled);
  if (request.emit) {
    if (request.stage == Stage::Spirv)
      text.assign(reinterpret_cast<const char *>(compiled->words.data()),
                  compiled->words.size() * sizeof(uint32_t));
    *artifact = giveArtifact({std::move(kernel)}, text, "vulkan:text");
    return TILERUN_STATUS_OK;
  }
  ArtifactContent content;
  content.kernels = {std::move(kernel)};
  content.debugSites = std::move(compiled->debugSites);
  content.code = std::move(compiled->words);
  *artifact = giveArtifact(content, describeNeeds(content, *target));
  return TILERUN_STATUS_OK;
}

} // namespace

void vulkan::addCompileEntries(TilerunPlugin &table) {
  table.get_targets = getTargets;
  table.get_phases = getPhases;
  table.compile = compile;
  table.compiler_version = "tilerun-spirv 0.1.0, LLVM " LLVM_VERSION_STRING;
}
