// Initial registers, as LLVM's AMDGPU guide describes them for the amdhsa ABI.
#include "emulators/amdgpu/WaveSetup.h"
#include "emulators/amdgpu/Access.h"

#include <algorithm>

namespace tilerun::amdsim {

namespace hsa = llvm::amdhsa;

namespace {

// What registers and LDS hold that nobody wrote: a NaN in every format, an address in no
// allocation.
constexpr uint32_t garbage = 0xffffdead;

class ScalarWriter {
public:
  explicit ScalarWriter(Wave &w) : wave(w) {}
  void put(uint32_t value) {
    wave.sgprs[next] = value, wave.sgprShadow[next] = 0;
    ++next;
  }
  void putWide(uint64_t value) {
    put(uint32_t(value));
    put(uint32_t(value >> 32));
  }
  void skip(unsigned count) { next += count; } // stays undefined
  void moveTo(unsigned reg) { next = reg; }

private:
  Wave &wave;
  unsigned next = 0;
};

void setScalars(Wave &w, const LaunchState &launch, const uint32_t id[3]) {
  const hsa::kernel_descriptor_t &d = launch.kernel.descriptor;
  uint32_t properties = d.kernel_code_properties, rsrc2 = d.compute_pgm_rsrc2;
  auto has = [&](uint32_t mask) { return (properties & mask) != 0; };
  ScalarWriter out(w);
  if (has(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER)) {
    constexpr uint64_t swizzles = uint64_t(1) << 63;
    out.putWide(privateBuffer | swizzles);
    out.putWide(0xffffffff);
  }
  if (has(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR))
    out.skip(2);
  if (has(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR))
    out.skip(2);
  if (has(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR))
    out.putWide(launch.arguments);
  if (has(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID))
    out.putWide(0);
  if (has(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT))
    out.putWide(0);
  if (has(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE))
    out.put(launch.kernel.scratchBytesPerLane);
  unsigned preloaded = d.kernarg_preload & 0x7f, first = d.kernarg_preload >> 7;
  for (unsigned word = 0; word < preloaded; ++word)
    out.put(reinterpret_cast<const uint32_t *>(launch.arguments)[first + word]);
  out.moveTo((rsrc2 & hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT) >>
             hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT_SHIFT);
  bool hasX = rsrc2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X;
  bool hasY = rsrc2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y;
  bool hasZ = rsrc2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z;
  if (launch.object.target().idsInTtmp) {
    out.moveTo(sgprTtmp + 7);
    out.put((id[1] & 0xffff) | id[2] << 16);
    out.moveTo(sgprTtmp + 9);
    out.put(id[0]);
    return;
  }
  if (hasX)
    out.put(id[0]);
  if (hasY)
    out.put(id[1]);
  if (hasZ)
    out.put(id[2]);
  if (rsrc2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO)
    out.put(0);
  if (!launch.object.target().flatScratchSet &&
      (rsrc2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT))
    out.put(0);
}

uint32_t modeOf(const Kernel &kernel, const Target &target) {
  uint32_t rsrc1 = kernel.descriptor.compute_pgm_rsrc1;
  uint32_t mode = rsrc1 >> 12 & 0xff; // rounding and denormals
  if (target.generation != Generation::gfx12)
    mode |= (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9; // clamping of NaN, IEEE
  return mode | (rsrc1 >> 26 & 1) << 23;                     // overflow of small floats
}

void setUpWave(Wave &w, const LaunchState &launch, const uint32_t id[3]) {
  const Kernel &kernel = launch.kernel;
  const uint32_t *threads = launch.options.threads;
  std::fill_n(w.shadowLow, vgprCount, w.allLanes);
  std::fill_n(w.shadowHigh, vgprCount, w.allLanes);
  std::fill_n(w.sgprs, unsigned(sgprScc), garbage);
  std::fill_n(w.sgprShadow, unsigned(sgprScc), ~0u);
  w.sgprs[sgprSharedBase + 1] = uint32_t(sharedAperture >> 32);
  w.sgprs[sgprPrivateBase + 1] = uint32_t(privateAperture >> 32);
  setScalars(w, launch, id);
  unsigned vectors =
      std::min<unsigned>(kernel.vgprs - std::min(kernel.agprs, kernel.vgprs), agprBase);
  std::fill_n(w.row(0), vectors * w.lanes, garbage);
  std::fill_n(w.row(agprBase), std::min<unsigned>(kernel.agprs, agprBase) * w.lanes, garbage);
  uint64_t total = uint64_t(threads[0]) * threads[1] * threads[2], exec = 0;
  for (unsigned lane = 0; lane < w.lanes; ++lane) {
    uint64_t thread = uint64_t(w.index) * w.lanes + lane;
    if (thread >= total)
      break;
    exec |= uint64_t(1) << lane;
    uint32_t x = uint32_t(thread % threads[0]), y = uint32_t(thread / threads[0] % threads[1]);
    uint32_t z = uint32_t(thread / threads[0] / threads[1]);
    w.row(0)[lane] = x | y << 10 | z << 20;
  }
  w.shadowLow[0] &= ~exec, w.shadowHigh[0] &= ~exec;
  w.setWide(sgprExec, exec);
  w.sgprShadow[sgprExec] = w.sgprShadow[sgprExec + 1] = 0;
  w.setMode(modeOf(kernel, *w.target));
  // Kernels whose arguments are preloaded begin with code for hardware that does not: skip it.
  uint64_t entry = kernel.entry + (kernel.descriptor.kernarg_preload & 0x7f ? 256 : 0);
  w.pc = launch.program.indexAt(entry);
}

} // namespace

void setUpGroup(Workgroup &group, LaunchState &launch, const uint32_t id[3], Counters &counters) {
  const Kernel &kernel = launch.kernel;
  const uint32_t *threads = launch.options.threads;
  unsigned total = threads[0] * threads[1] * threads[2], lanes = kernel.lanes;
  unsigned waves = (total + lanes - 1) / lanes;
  group.launch = &launch;
  std::copy_n(id, 3, group.id);
  uint32_t ldsBytes = kernel.ldsBytes + launch.options.dynamicLdsBytes;
  group.lds.resize(ldsBytes);
  std::fill(group.lds.begin(), group.lds.end(), uint8_t(garbage >> 8));
  group.ldsUndefined.assign(ldsBytes, 1);
  group.cells.resize(ldsBytes / 4 + 1);
  if (group.copiedCells)
    group.copiers.clear(), group.copiedCells = 0;
  // Private memory of a wave, and as many bytes behind it: 1 for each that was never written.
  size_t registers = size_t(vgprCount) * lanes,
         scratch = size_t(kernel.scratchBytesPerLane) * lanes;
  // Rows begin at multiples of 64 bytes.
  group.registers.resize(registers * waves + 16);
  group.scratch.assign(2 * scratch * waves, uint8_t(garbage >> 8));
  auto aligned = (reinterpret_cast<uintptr_t>(group.registers.data()) + 63) & ~uintptr_t(63);
  // Epochs go on from the last workgroup's, so that what it left in the cells is old.
  uint32_t epoch = 1;
  for (const Wave &w : group.waves)
    epoch = std::max(epoch, w.epoch + 1);
  group.waves.assign(waves, Wave());
  counters.waves += waves;
  for (unsigned index = 0; index < waves; ++index) {
    Wave &w = group.waves[index];
    w.lanes = uint8_t(lanes), w.index = uint8_t(index), w.epoch = epoch;
    w.allLanes = lanes == 64 ? ~uint64_t(0) : 0xffffffff;
    w.group = &group, w.target = &launch.object.target(), w.launch = &launch,
    w.counters = &counters;
    w.vgprs = reinterpret_cast<uint32_t *>(aligned) + registers * index;
    w.scratch = group.scratch.data() + 2 * scratch * index;
    w.scratchBytes = kernel.scratchBytesPerLane;
    std::fill_n(w.scratch + scratch, scratch, uint8_t(1));
    setUpWave(w, launch, id);
  }
}

} // namespace tilerun::amdsim
