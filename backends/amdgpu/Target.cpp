// See Target.h. Limits are from AMD's ISA guides and LLVM's AMDGPUUsage; register files as LLVM 22
// counts waves.
#include "backends/amdgpu/Target.h"
#include "backends/amdgpu/Matrices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {
struct Row {
  const char *name;
  Generation generation;
  unsigned registers, granule; ///< As in WaveLimits.
};
} // namespace

static constexpr Row kRows[] = {
    {"gfx90a", Generation::Cdna2, 512, 8},    {"gfx942", Generation::Cdna3, 512, 8},
    {"gfx950", Generation::Cdna4, 512, 8},    {"gfx1030", Generation::Rdna2, 1024, 16},
    {"gfx1100", Generation::Rdna3, 1536, 24}, {"gfx1101", Generation::Rdna3, 1536, 24},
    {"gfx1102", Generation::Rdna3, 1024, 16}, {"gfx1150", Generation::Rdna3, 1024, 16},
    {"gfx1151", Generation::Rdna3, 1536, 24}, {"gfx1200", Generation::Rdna4, 1536, 24},
    {"gfx1201", Generation::Rdna4, 1536, 24},
};

std::vector<std::string> amdgpu::getArchitectureNames() {
  std::vector<std::string> names;
  for (const Row &row : kRows)
    names.emplace_back(row.name);
  return names;
}

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static void setFacts(Architecture &arch) {
  target::TargetInfo &info = arch.info;
  info.name = "hip:" + arch.targetId;
  info.warpSize = arch.isCdna() ? 64 : 32;
  info.maxThreads = 1024;
  info.sharedMemoryBytes = (arch.generation == Generation::Cdna4 ? 160 : 64) * 1024;
  info.hasDotBytes = true;
  info.hasTransposedRead = arch.generation == Generation::Cdna4;
  info.hasTurns = true;
  info.hasEvictionPolicies = true;
  info.matrixUnits = arch.limits.simds;
  info.registers = arch.isCdna() ? 512 : 256;
  // Half the shared memory lets twice the programs run, and slots that never move cost no
  // addresses. On RDNA LLVM would keep what is read from them in more registers than there are.
  info.countsFlightAsStage = arch.isCdna();
  info.readsFloat8 = arch.hasFloat8();
  info.roundsToFloat8 = arch.hasFloat8();
  info.hasUnsignedZeros8 = arch.hasUnsignedZeros8();
  info.assembler = "gcn";
  info.sharedModel.banks = arch.generation == Generation::Cdna4 ? 64 : 32;
  // A shuffle by DPP is one or two instructions of the vector unit, one through ds_bpermute as much
  // as an access of shared memory.
  info.exchange = {/*shuffle=*/3, /*select=*/1, /*sharedWavefront=*/3, /*barrier=*/32};
  info.matrixInstructions = getMatrixInstructions(arch.generation);
}

/// Reads ":sramecc+:xnack-".
static llvm::Error readFeatures(Architecture &arch, llvm::StringRef text) {
  static constexpr llvm::StringLiteral kFeatures[] = {"sramecc", "xnack"};
  char setting[std::size(kFeatures)] = {};
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ':');
  for (llvm::StringRef part : parts) {
    llvm::StringRef feature = part.rtrim("+-");
    const auto *known = llvm::find(kFeatures, feature);
    if (known == std::end(kFeatures) || part.size() != feature.size() + 1)
      return makeError("'" + part + "' is not a feature of a target; write sramecc+, sramecc-, " +
                       "xnack+ or xnack- after a colon, as in gfx942:sramecc+:xnack-");
    if (!arch.isCdna())
      return makeError(arch.name + " has no feature '" + feature + "'; write " + arch.name);
    char &value = setting[known - kFeatures];
    if (value)
      return makeError("the feature '" + feature + "' is given twice");
    value = part.back();
  }
  for (auto [feature, value] : llvm::zip(kFeatures, setting)) {
    if (!value)
      continue;
    arch.targetId += ":" + feature.str() + value;
    arch.llvmFeatures +=
        (arch.llvmFeatures.empty() ? "" : ",") + std::string(1, value) + feature.str();
  }
  return llvm::Error::success();
}

llvm::Expected<Architecture> amdgpu::getArchitecture(llvm::StringRef name) {
  name.consume_front("hip:");
  auto [base, features] = name.split(':');
  for (const Row &row : kRows) {
    if (base != row.name)
      continue;
    Architecture arch;
    arch.name = arch.targetId = row.name;
    arch.generation = row.generation;
    arch.limits = {row.registers, row.granule, arch.isCdna() ? 8u : 16u, 4,
                   uint64_t(arch.generation == Generation::Cdna4 ? 160
                            : arch.isCdna()                      ? 64
                                                                 : 128) *
                       1024};
    if (base.size() < name.size())
      if (llvm::Error error = readFeatures(arch, features))
        return std::move(error);
    // 16-bit values in halves of registers cost more moves than they save.
    if (arch.generation == Generation::Rdna3)
      arch.llvmFeatures = "-real-true16";
    setFacts(arch);
    return arch;
  }
  return makeError("unknown AMD architecture '" + base + "'; known are " +
                   llvm::join(getArchitectureNames(), ", "));
}

unsigned amdgpu::getOccupancy(const Architecture &arch, unsigned registers, uint64_t sharedBytes,
                              unsigned wavesPerProgram) {
  const WaveLimits &limits = arch.limits;
  const uint64_t perWave = llvm::alignTo(std::max(registers, 1u), limits.granule);
  uint64_t waves = std::min<uint64_t>(limits.maxWaves, limits.registers / perWave);
  // Whole programs are resident: by registers, and by shared memory.
  uint64_t programs = waves * limits.simds / wavesPerProgram;
  if (sharedBytes)
    programs = std::min(programs, limits.sharedBytes / sharedBytes);
  return std::min(waves, llvm::divideCeil(programs * wavesPerProgram, limits.simds));
}

std::array<amdgpu::OccupancyBound, 3> amdgpu::getOccupancyBounds(const Architecture &arch,
                                                                 unsigned registers,
                                                                 uint64_t sharedBytes,
                                                                 unsigned wavesPerProgram) {
  return {{{"waves", getOccupancy(arch, 0, 0, wavesPerProgram)},
           {"registers", getOccupancy(arch, registers, 0, wavesPerProgram)},
           {"shared memory", getOccupancy(arch, 0, sharedBytes, wavesPerProgram)}}};
}
