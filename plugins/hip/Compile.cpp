// The compile entry: tile IR to code objects by the AMDGPU backend. Needs no driver.
#include "backends/amdgpu/Compile.h"
#include "backends/amdgpu/Target.h"
#include "plugins/hip/Artifact.h"
#include "plugins/hip/CodeObject.h"
#include "plugins/hip/Compile.h"
#include "plugins/hip/Interfaces.h"
#include "plugins/support/CompiledKernel.h"
#include "plugins/support/Options.h"
#include "plugins/support/Phases.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace hip;
using namespace tilerun;
using amdgpu::Stage;

namespace {

constexpr llvm::StringLiteral kKind("hip:");

TilerunStatus getTargets(void (*each)(void *, const char *), void *user, const TilerunErrorSink *) {
  for (const std::string &arch : amdgpu::getArchitectureNames())
    each(user, (kKind + arch).str().c_str());
  return TILERUN_STATUS_OK;
}

// The first is what the command prints by itself.
constexpr Phase<Stage> kOwnPhases[] = {
    {"amdgcn", "assembly", ";", Stage::Amdgcn},
    {"hsaco", "code object, an ELF file", nullptr, Stage::Hsaco},
    {"resources", "registers, memory, spills and waves, from the code object", "#",
     Stage::Resources},
    {"resources-json", "the same as data", "//", Stage::ResourcesJson},
    {"llvm", "LLVM IR before code generation", ";", Stage::Llvm}};
constexpr auto kPhases = joinPhases(kOwnPhases, kThreadPhases<Stage>);

// A bundle has no form as text.
constexpr Phase<Stage> kBundlePhases[] = {
    {"hsaco", "bundle of code objects, which HIP's loaders choose from", nullptr, Stage::Hsaco}};

// The architectures of a target: "hip:gfx942", or several whose code comes in one artifact,
// "hip:gfx942,gfx1100".
llvm::Expected<std::vector<amdgpu::Architecture>> readTarget(llvm::StringRef target) {
  std::vector<amdgpu::Architecture> architectures;
  for (llvm::StringRef name : llvm::split(target, ',')) {
    llvm::Expected<amdgpu::Architecture> architecture = amdgpu::getArchitecture(name);
    if (!architecture)
      return architecture.takeError();
    for (const amdgpu::Architecture &other : architectures)
      if (std::string wrong = findAmbiguity(other, *architecture); !wrong.empty())
        return llvm::createStringError("'" + target + "' " + wrong);
    architectures.push_back(std::move(*architecture));
  }
  return architectures;
}

TilerunStatus getPhases(const char *target, void (*each)(void *, const TilerunPluginPhase *),
                        void *user, const TilerunErrorSink *sink) {
  llvm::Expected<std::vector<amdgpu::Architecture>> architectures = readTarget(target);
  if (!architectures)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_phases", "hip",
                llvm::toString(architectures.takeError()));
  if (architectures->size() > 1)
    tellPhases(kBundlePhases, each, user);
  else
    tellPhases(kPhases, each, user);
  return TILERUN_STATUS_OK;
}

// The request, besides the target.
struct Request {
  amdgpu::AmdgpuOptions options;
  Stage stage = Stage::Hsaco;
  bool emit = false; // Something to look at.
};
using Value = const std::string &;

constexpr Option<Request> kOptions[] = {
    {"maxnreg", "24 to 255; waves-per-eu is what limits registers, and it changes nothing",
     ignoreNumber<24, 255>},
    {"waves-per-eu", "waves of a SIMD that registers must leave room for, 1 to 16; 0: any",
     [](Request &r, Value value) { return readNumber(value, 0, 16, r.options.wavesPerSimd); }},
    {"matrix-instr-nonkdim", "rows and columns of MFMA instructions, 16 or 32; 0: any",
     [](Request &r, Value value) -> std::string {
       if (value != "0" && value != "16" && value != "32")
         return "not 0, 16 or 32";
       return readNumber(value, 0, 32, r.options.matrixSize);
     }},
    {"kpack", "instructions along k whose operands one access of shared memory brings, 1 or 2",
     [](Request &r, Value value) { return readNumber(value, 1, 2, r.options.kPack); }},
    {"xcds", "dies that get programs in turn, so that each gets neighbours; 0: any order",
     [](Request &r, Value value) { return readNumber(value, 0, 64, r.options.xcds); }},
    {"buffers",
     "auto, off or on: masked accesses as buffer instructions; on: all tensors are below 2 GiB",
     [](Request &r, Value value) { return readChoice(value, r.options.buffers); }},
    {"async-copies", "true (gfx950): loads that run ahead are copied without registers; or false",
     [](Request &r, Value value) { return readTruth(value, r.options.copiesAsync); }},
    {"turns", "auto, off or on: waves of a SIMD multiply in turns",
     [](Request &r, Value value) { return readChoice(value, r.options.turns); }},
    {"emit", "a phase", // To look at instead of code to load.
     [](Request &r, Value value) {
       r.emit = true;
       return setPhase(kPhases, value, r.stage);
     }}};

// The grid's size, in parameters after the kernel's own. The buffer for messages comes after them,
// and from the plugin itself (Modules.cpp).
void addHidden(const amdgpu::AmdgpuArtifact &compiled, OwnedArtifact &owned) {
  using amdgpu::HiddenArgument;
  TilerunPluginKernelDetails details = {};
  details.struct_size = sizeof(details);
  details.lanes = compiled.waveSize;
  owned.addDetails(0, details);
  for (HiddenArgument hidden : compiled.hidden)
    if (hidden != HiddenArgument::DebugBuffer) {
      const int axis = static_cast<int>(hidden) - static_cast<int>(HiddenArgument::NumProgramsX);
      owned.addDerived("words", {{TILERUN_STEP_GRID, 0, axis}, {TILERUN_STEP_WORD, 0, 0}});
    }
}

// The code of several architectures, which is for one kernel with one list of parameters. The first
// is what the artifact's numbers are about.
llvm::Expected<amdgpu::AmdgpuArtifact>
compileAll(llvm::StringRef bytecode, const std::vector<amdgpu::Architecture> &architectures,
           amdgpu::AmdgpuOptions options, Stage stage) {
  std::vector<amdgpu::AmdgpuArtifact> all;
  for (const amdgpu::Architecture &architecture : architectures) {
    options.arch = architecture.targetId;
    llvm::Expected<amdgpu::AmdgpuArtifact> compiled = amdgpu::compile(bytecode, options, stage);
    if (!compiled)
      return llvm::createStringError("for hip:" + architecture.targetId + ": " +
                                     llvm::toString(compiled.takeError()));
    all.push_back(std::move(*compiled));
  }
  amdgpu::AmdgpuArtifact &first = all.front();
  if (all.size() == 1)
    return std::move(first);
  std::vector<std::pair<std::string_view, std::string_view>> objects;
  for (const amdgpu::AmdgpuArtifact &one : all) {
    if (std::string different = findDifference(first, one); !different.empty())
      return llvm::createStringError(different);
    objects.emplace_back(one.arch, one.codeObject);
    // A launch adds to each code's own what this is more than it.
    first.sharedBytes = std::min(first.sharedBytes, one.sharedBytes);
  }
  std::string bundle = makeBundle(objects);
  first.codeObject = std::move(bundle);
  first.arch = "bundle";
  return std::move(first);
}

TilerunStatus compile(const TilerunPluginCompileRequest *request,
                      const TilerunPluginArtifact **artifact, const TilerunErrorSink *sink) {
  auto refuse = [&](TilerunStatus status, const std::string &what) {
    return fail(sink, status, "compile", "hip", what);
  };
  llvm::StringRef target = request->target ? request->target : "";
  Request asked;
  llvm::Expected<std::vector<amdgpu::Architecture>> architectures = readTarget(target);
  if (!architectures)
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT, llvm::toString(architectures.takeError()));
  if (std::string wrong = setOptions<Request>(
          {kCommonOptions<Request>, kLlvmOptions<Request>, kOptions}, *request, asked);
      !wrong.empty())
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT, wrong);
  if (architectures->size() > 1 && asked.stage != Stage::Hsaco)
    return refuse(TILERUN_STATUS_INVALID_ARGUMENT,
                  "target " + target.str() +
                      " names several architectures, whose code is one file; text is of one "
                      "architecture at a time: name them as separate targets");
  llvm::StringRef bytecode(reinterpret_cast<const char *>(request->bytecode), request->num_bytes);
  llvm::Expected<amdgpu::AmdgpuArtifact> compiled =
      compileAll(bytecode, *architectures, asked.options, asked.stage);
  if (!compiled)
    return refuse(TILERUN_STATUS_COMPILE, llvm::toString(compiled.takeError()));
  // A phase to look at is what it is; code to load brings what its kernel may say.
  std::string bytes = asked.emit ? std::move(compiled->codeObject)
                                 : encodeArtifact(compiled->debugSites, compiled->codeObject);
  auto owned = std::make_unique<OwnedArtifact>(
      std::move(bytes), asked.emit ? "hip:text" : "hip:" + compiled->arch + ":cov5");
  addCompiledKernel(*owned, *compiled);
  addHidden(*compiled, *owned);
  *artifact = OwnedArtifact::give(std::move(owned));
  return TILERUN_STATUS_OK;
}

} // namespace

void hip::addCompileEntries(TilerunPlugin &table) {
  table.get_targets = getTargets;
  table.get_phases = getPhases;
  table.compile = compile;
  table.compiler_version = "tilerun-amdgpu 0.1.0, LLVM " LLVM_VERSION_STRING;
}
