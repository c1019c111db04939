// The compile entry: tile IR to PTX by the NVPTX backend. Needs no driver.
#include "plugins/cuda/Device.h"
#include "plugins/support/CompiledKernel.h"
#include "plugins/support/Options.h"
#include "plugins/support/Phases.h"

#include "backends/nvptx/Compile.h"
#include "backends/nvptx/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace cuda;
using tilerun::distribute::AcrossK;
using tilerun::nvptx::Stage;

namespace {

TilerunStatus getTargets(void (*each)(void *, const char *), void *user, const TilerunErrorSink *) {
  for (const char *target :
       {"cuda:sm_75", "cuda:sm_80", "cuda:sm_86", "cuda:sm_87", "cuda:sm_89", "cuda:sm_90",
        "cuda:sm_90a", "cuda:sm_100", "cuda:sm_100a", "cuda:sm_103", "cuda:sm_120", "cuda:sm_120a"})
    each(user, target);
  return TILERUN_STATUS_OK;
}

constexpr Phase<Stage> kOwnPhases[] = {
    {"ptx", "assembly for the driver's compiler", "//", Stage::Ptx},
    {"llvm", "LLVM IR before code generation", ";", Stage::Llvm}};
constexpr auto kPhases = joinPhases(kOwnPhases, kThreadPhases<Stage>);

TilerunStatus getPhases(const char *target, void (*each)(void *, const TilerunPluginPhase *),
                        void *user, const TilerunErrorSink *sink) {
  if (llvm::Error error = tilerun::nvptx::getArchitecture(target).takeError())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_phases", "cuda",
                llvm::toString(std::move(error)));
  tellPhases(kPhases, each, user);
  return TILERUN_STATUS_OK;
}

// The request, besides the target.
struct Request {
  tilerun::nvptx::NvptxOptions options;
  Stage stage = Stage::Ptx;
};
using Value = const std::string &;

constexpr Option<Request> kOptions[] = {
    {"maxnreg", "registers of a thread, 24 to 255",
     [](Request &r, Value value) { return readNumber(value, 24, 255, r.options.maxRegisters); }},
    {"ptx-version", "83 for 8.3",
     [](Request &r, Value value) { return readNumber(value, 0, 999, r.options.ptxVersion); }},
    {"tma", "auto, off or on: loads as copies of boxes",
     [](Request &r, Value value) { return readChoice(value, r.options.boxes); }},
    {"late-products", "auto, off or on: products made one iteration late",
     [](Request &r, Value value) { return readChoice(value, r.options.late); }},
    {"turns", "auto, off or on: warp groups start products in turns",
     [](Request &r, Value value) { return readChoice(value, r.options.turns); }},
    {"persistent", "auto, off or on: launched programs run several of the caller's",
     [](Request &r, Value value) { return readChoice(value, r.options.persistent); }},
    {"rematerialize", "auto, off or on: values computed again behind reductions",
     [](Request &r, Value value) { return readChoice(value, r.options.rematerialize); }},
    {"retain", "auto, off or on: tiles that stay in shared memory for a later loop",
     [](Request &r, Value value) { return readChoice(value, r.options.retain); }},
    {"async-stores", "auto, off or on: results copied to memory while the program goes on",
     [](Request &r, Value value) { return readChoice(value, r.options.asyncStores); }},
    {"multicast", "auto, off or on: boxes copied once for all blocks of a program",
     [](Request &r, Value value) { return readChoice(value, r.options.multicast); }},
    {"few-programs", "auto, off or on: programs times a block's size do not overflow",
     [](Request &r, Value value) { return readChoice(value, r.options.fewPrograms); }},
    {"bounded-waits", "looks for the end of a phase before a wait traps; 0: any number",
     [](Request &r, Value value) {
       return readNumber(value, 0, 1u << 30, r.options.boundedWaits);
     }},
    {"operands-across-k", "auto, registers or copies",
     [](Request &r, Value value) -> std::string {
       std::optional<AcrossK> way = tilerun::distribute::parseAcrossK(value);
       r.options.acrossK = way.value_or(r.options.acrossK);
       return way ? "" : "not auto, registers or copies";
     }},
    {"emit", "a phase", // To look at instead of code to load.
     [](Request &r, Value value) { return setPhase(kPhases, value, r.stage); }}};

// The version in PTX's first directive: "8.0".
llvm::StringRef getPtxVersion(llvm::StringRef ptx) {
  return ptx.split(".version").second.ltrim().take_until([](char c) { return c <= ' '; });
}

std::vector<TilerunPluginStep> getSteps(const tilerun::backend::DerivedParameter &derived) {
  using Kind = tilerun::backend::DerivedParameter::Step::Kind;
  std::vector<TilerunPluginStep> steps;
  for (const auto &[kind, value] : derived.steps) {
    uint32_t operation = TILERUN_STEP_CONSTANT;
    switch (kind) {
    case Kind::Constant:
      break;
    case Kind::Argument:
      operation = TILERUN_STEP_ARGUMENT;
      break;
    case Kind::Grid:
      operation = TILERUN_STEP_GRID;
      break;
    case Kind::Add:
      operation = TILERUN_STEP_ADD;
      break;
    case Kind::Subtract:
      operation = TILERUN_STEP_SUBTRACT;
      break;
    case Kind::Multiply:
      operation = TILERUN_STEP_MULTIPLY;
      break;
    case Kind::Word:
      operation = TILERUN_STEP_WORD;
      break;
    case Kind::Require:
      operation = TILERUN_STEP_REQUIRE;
      break;
    }
    steps.push_back({operation, 0, value});
  }
  return steps;
}

TilerunStatus compile(const TilerunPluginCompileRequest *request,
                      const TilerunPluginArtifact **artifact, const TilerunErrorSink *sink) {
  auto refuse = [&](TilerunStatus status, const std::string &what) {
    return fail(sink, status, "compile", "cuda", what);
  };
  llvm::StringRef target = request->target ? request->target : "";
  Request asked;
  llvm::Expected<tilerun::nvptx::Architecture> architecture =
      tilerun::nvptx::getArchitecture(target);
  if (!architecture)
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT, llvm::toString(architecture.takeError()));
  asked.options.arch = architecture->name;
  if (std::string wrong = setOptions<Request>(
          {kCommonOptions<Request>, kLlvmOptions<Request>, kOptions}, *request, asked);
      !wrong.empty())
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT, wrong);
  llvm::StringRef bytecode(reinterpret_cast<const char *>(request->bytecode), request->num_bytes);
  llvm::Expected<tilerun::nvptx::NvptxArtifact> compiled =
      tilerun::nvptx::compile(bytecode, asked.options, asked.stage);
  if (!compiled)
    return refuse(TILERUN_STATUS_COMPILE,
                  "for " + target.str() + ": " + llvm::toString(compiled.takeError()));
  std::string compatibility =
      asked.stage != Stage::Ptx
          ? "cuda:text"
          : ("cuda:ptx-" + getPtxVersion(compiled->ptx) + ":" + compiled->arch).str();
  auto owned = std::make_unique<OwnedArtifact>(std::move(compiled->ptx), std::move(compatibility));
  addCompiledKernel(*owned, *compiled);
  if (!compiled->derived.empty() || compiled->blocks > 1) {
    TilerunPluginKernelDetails details = {};
    details.lanes = 32;
    details.programs_per_unit = compiled->programsPerUnit;
    if (compiled->programsPerUnit)
      details.grid_policy = TILERUN_GRID_PERSISTENT;
    if (compiled->blocks > 1) {
      std::fill_n(details.cluster, 3, 1u);
      details.cluster[0] = compiled->blocks;
      details.grid_policy |= TILERUN_GRID_BLOCKS;
    }
    owned->addDetails(0, details);
  }
  for (const tilerun::backend::DerivedParameter &derived : compiled->derived)
    owned->addDerived(derived.form, getSteps(derived));
  *artifact = OwnedArtifact::give(std::move(owned));
  return TILERUN_STATUS_OK;
}

} // namespace

void cuda::addCompileEntries(TilerunPlugin &table) {
  table.get_targets = getTargets;
  table.get_phases = getPhases;
  table.compile = compile;
  table.compiler_version = "tilerun-nvptx 0.1.0, LLVM " LLVM_VERSION_STRING;
}
