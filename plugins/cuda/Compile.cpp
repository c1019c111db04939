// The compile entry: tile IR to PTX by the NVPTX backend. Needs no driver.
#include "plugins/cuda/Artifact.h"
#include "plugins/cuda/Device.h"
#include "plugins/support/Phases.h"

#include "backends/nvptx/Compile.h"
#include "backends/nvptx/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace cuda;

namespace {

// An artifact with what its pointers point to.
struct OwnedArtifact : GivenArtifact {
  tilerun::nvptx::NvptxArtifact compiled;
  std::string compatibility;
  std::vector<TilerunPluginParameter> parameters;
  TilerunPluginKernelInfo kernel = {};
};

TilerunStatus getTargets(void (*each)(void *, const char *), void *user, const TilerunErrorSink *) {
  for (const char *target :
       {"cuda:sm_75", "cuda:sm_80", "cuda:sm_86", "cuda:sm_87", "cuda:sm_89", "cuda:sm_90",
        "cuda:sm_90a", "cuda:sm_100", "cuda:sm_100a", "cuda:sm_103", "cuda:sm_120", "cuda:sm_120a"})
    each(user, target);
  return TILERUN_STATUS_OK;
}

constexpr tilerun::plugin_support::Phase<tilerun::nvptx::Stage> kPhases[] = {
    {"ptx", "assembly for the driver's compiler", "//", tilerun::nvptx::Stage::Ptx},
    {"simt", "per-thread IR of all backends", "//", tilerun::nvptx::Stage::Simt},
    {"layout", "tile IR with layouts", "//", tilerun::nvptx::Stage::Layout},
    {"schedule", "tile IR with layouts and schedule", "//", tilerun::nvptx::Stage::Schedule},
    {"remarks", "what was not done to be faster, and why", "#", tilerun::nvptx::Stage::Remarks},
    {"remarks-json", "the same as data", "//", tilerun::nvptx::Stage::RemarksJson},
    {"llvm", "LLVM IR before code generation", ";", tilerun::nvptx::Stage::Llvm}};

TilerunStatus getPhases(const char *target, void (*each)(void *, const TilerunPluginPhase *),
                        void *user, const TilerunErrorSink *sink) {
  if (llvm::Error error = tilerun::nvptx::getArchitecture(target).takeError())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_phases", nullptr,
                llvm::toString(std::move(error)));
  tilerun::plugin_support::tellPhases(kPhases, each, user);
  return TILERUN_STATUS_OK;
}

// Sets one option; the error's text if that is not possible.
std::string setOption(tilerun::nvptx::NvptxOptions &options, tilerun::nvptx::Stage &stage,
                      llvm::StringRef name, llvm::StringRef value) {
  auto number = [&](unsigned &out, unsigned most) -> std::string {
    unsigned parsed = 0;
    if (value.getAsInteger(10, parsed) || parsed > most)
      return ("option '" + name + "' is '" + value + "', which is no number up to " +
              llvm::Twine(most))
          .str();
    out = parsed;
    return "";
  };
  auto truth = [&](bool &out) -> std::string {
    if (value != "true" && value != "false")
      return ("option '" + name + "' is '" + value + "', not true or false").str();
    out = value == "true";
    return "";
  };
  if (name == "num-warps") {
    std::string reason = number(options.numWarps, 32);
    if (reason.empty() && !llvm::isPowerOf2_32(options.numWarps))
      return ("option 'num-warps' is " + value + ", which is no power of two").str();
    return reason;
  }
  if (name == "num-stages")
    return number(options.numStages, 64);
  if (name == "maxnreg") {
    std::string reason = number(options.maxRegisters, 255);
    if (reason.empty() && options.maxRegisters < 24)
      return ("option 'maxnreg' is " + value +
              ", but a thread needs 24 registers; 255 are the most")
          .str();
    return reason;
  }
  if (name == "num-ctas")
    return value == "1" ? ""
                        : ("option 'num-ctas' is " + value +
                           ", but clusters of blocks are not supported; num_ctas=1 works")
                              .str();
  if (name == "ptx-version")
    return number(options.ptxVersion, 999);
  if (name == "opt-level")
    return number(options.optLevel, 3);
  if (name == "debug")
    return truth(options.debug);
  if (name == "line-info")
    return truth(options.lineInfo);
  if (name == "schedule") {
    options.schedule = value.str();
    return "";
  }
  if (name == "schedule-name") {
    options.scheduleName = value.str();
    return "";
  }
  if (name == "emit")
    return tilerun::plugin_support::setPhase(kPhases, value.str(), stage);
  return ("there is no option '" + name + "'").str();
}

// The version in PTX's first directive: "8.0".
llvm::StringRef getPtxVersion(llvm::StringRef ptx) {
  return ptx.split(".version").second.ltrim().take_until([](char c) { return c <= ' '; });
}

TilerunPluginParameter convert(const tilerun::nvptx::NvptxParameter &parameter) {
  using Kind = tilerun::nvptx::NvptxParameter::Kind;
  uint16_t kind = parameter.kind == Kind::Pointer ? TILERUN_ARGUMENT_POINTER
                  : parameter.kind == Kind::Float ? TILERUN_ARGUMENT_FLOAT
                                                  : TILERUN_ARGUMENT_INTEGER;
  uint16_t bits = parameter.kind == Kind::Pointer ? 64 : static_cast<uint16_t>(parameter.bits);
  return {sizeof(TilerunPluginParameter), kind, bits, parameter.name.c_str()};
}

TilerunStatus compile(const TilerunPluginCompileRequest *request,
                      const TilerunPluginArtifact **artifact, const TilerunErrorSink *sink) {
  auto refuse = [&](TilerunStatus status, const std::string &what) {
    return fail(sink, status, "compile", nullptr, what);
  };
  llvm::StringRef target = request->target ? request->target : "";
  tilerun::nvptx::NvptxOptions options;
  tilerun::nvptx::Stage stage = tilerun::nvptx::Stage::Ptx;
  llvm::Expected<tilerun::nvptx::Architecture> architecture =
      tilerun::nvptx::getArchitecture(target);
  if (!architecture)
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT, llvm::toString(architecture.takeError()));
  options.arch = architecture->name;
  for (uint32_t i = 0; i < request->num_options; ++i) {
    std::string reason =
        setOption(options, stage, request->options[i].name, request->options[i].value);
    if (!reason.empty())
      return refuse(TILERUN_STATUS_INVALID_ARGUMENT, reason);
  }
  llvm::StringRef bytecode(reinterpret_cast<const char *>(request->bytecode), request->num_bytes);
  llvm::Expected<tilerun::nvptx::NvptxArtifact> compiled =
      tilerun::nvptx::compile(bytecode, options, stage);
  if (!compiled)
    return refuse(TILERUN_STATUS_COMPILE,
                  "for " + target.str() + ": " + llvm::toString(compiled.takeError()));

  auto *owned = new OwnedArtifact;
  owned->destroy = [](GivenArtifact *given) { delete static_cast<OwnedArtifact *>(given); };
  owned->compiled = std::move(*compiled);
  owned->compatibility =
      stage != tilerun::nvptx::Stage::Ptx
          ? "cuda:text"
          : ("cuda:ptx-" + getPtxVersion(owned->compiled.ptx) + ":" + owned->compiled.arch).str();
  for (const tilerun::nvptx::NvptxParameter &parameter : owned->compiled.parameters)
    owned->parameters.push_back(convert(parameter));
  owned->kernel = {
      sizeof(TilerunPluginKernelInfo), static_cast<uint32_t>(owned->parameters.size()),
      owned->compiled.kernel.c_str(),  owned->parameters.data(),
      owned->compiled.numThreads,      static_cast<uint32_t>(owned->compiled.sharedBytes)};
  owned->artifact = {sizeof(TilerunPluginArtifact),
                     1,
                     reinterpret_cast<const uint8_t *>(owned->compiled.ptx.data()),
                     owned->compiled.ptx.size(),
                     owned->compatibility.c_str(),
                     &owned->kernel,
                     nullptr};
  *artifact = &owned->artifact;
  return TILERUN_STATUS_OK;
}

} // namespace

void cuda::addCompileEntries(TilerunPlugin &table) {
  table.get_targets = getTargets;
  table.get_phases = getPhases;
  table.compile = compile;
  table.compiler_version = "tilerun-nvptx 0.1.0, LLVM " LLVM_VERSION_STRING;
}
