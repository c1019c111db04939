// The table of emulated architectures.
#include "emulators/amdgpu/Target.h"

#include "llvm/BinaryFormat/ELF.h"

namespace tilerun::amdsim {
namespace {

namespace elf = llvm::ELF;
constexpr uint32_t kib = 1024;

constexpr Target targets[] = {
    {"gfx90a", elf::EF_AMDGPU_MACH_AMDGCN_GFX90A, Generation::gfx9, 64, true, false, false,
     Float8::none, true, 64 * kib, 32, 128},
    {"gfx942", elf::EF_AMDGPU_MACH_AMDGCN_GFX942, Generation::gfx9, 64, true, true, false,
     Float8::fnuz, false, 64 * kib, 32, 128},
    {"gfx950", elf::EF_AMDGPU_MACH_AMDGCN_GFX950, Generation::gfx9, 64, true, true, false,
     Float8::ocp, false, 160 * kib, 64, 128},
    {"gfx1100", elf::EF_AMDGPU_MACH_AMDGCN_GFX1100, Generation::gfx11, 32, false, true, false,
     Float8::none, false, 64 * kib, 32, 64},
    {"gfx1201", elf::EF_AMDGPU_MACH_AMDGCN_GFX1201, Generation::gfx12, 32, false, true, true,
     Float8::ocp, false, 64 * kib, 32, 64},
};

} // namespace

const Target *findTarget(llvm::StringRef name) {
  for (const Target &target : targets)
    if (name == target.name)
      return &target;
  return nullptr;
}

const Target *findTarget(uint32_t elfFlags) {
  for (const Target &target : targets)
    if ((elfFlags & elf::EF_AMDGPU_MACH) == target.elfMachine)
      return &target;
  return nullptr;
}

const char *targetNames() { return "gfx90a, gfx942, gfx950, gfx1100, gfx1201"; }

} // namespace tilerun::amdsim
