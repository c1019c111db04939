// Every architecture gives an object that says so, with the code object's version, and the features of its name.
// RUN: tile-amdgpu %s --arch=gfx90a --emit=hsaco -o %t && llvm-readelf -h %t | FileCheck %s --check-prefixes=CHECK,GFX90A
// RUN: tile-amdgpu %s --arch=gfx942 --emit=hsaco -o %t && llvm-readelf -h %t | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: tile-amdgpu %s --arch=hip:gfx942:sramecc+:xnack- --emit=hsaco -o %t && llvm-readelf -h %t | FileCheck %s --check-prefixes=CHECK,FEATURES
// RUN: tile-amdgpu %s --arch=gfx950 --emit=hsaco -o %t && llvm-readelf -h %t | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: tile-amdgpu %s --arch=gfx1030 --emit=hsaco -o %t && llvm-readelf -h %t | FileCheck %s --check-prefixes=CHECK,GFX1030
// RUN: tile-amdgpu %s --arch=gfx1100 --emit=hsaco -o %t && llvm-readelf -h %t | FileCheck %s --check-prefixes=CHECK,GFX1100
// RUN: tile-amdgpu %s --arch=gfx1201 --emit=hsaco -o %t && llvm-readelf -h %t | FileCheck %s --check-prefixes=CHECK,GFX1201
// RUN: tile-amdgpu %s --arch=gfx942 --emit=hsaco -o %t && llvm-readelf --notes --dyn-syms %t | FileCheck %s --check-prefix=NOTE
// RUN: not tile-amdgpu %s --arch=gfx906 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-amdgpu %s --arch=gfx1100:xnack+ 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not tile-amdgpu %s --waves-per-eu=17 --arch=gfx1100 2>&1 | FileCheck %s --check-prefix=WAVES

// CHECK: OS/ABI: AMDGPU - HSA
// CHECK: ABI Version: 3
// CHECK: Type: DYN
// GFX90A: gfx90a
// GFX942: Flags: 0x54c, gfx942
// FEATURES: Flags: 0xe4c, gfx942
// GFX950: gfx950
// GFX1030: gfx1030
// GFX1100: gfx1100
// GFX1201: gfx1201
// NOTE: store.kd
// NOTE: amdhsa.target: amdgcn-amd-amdhsa--gfx942
// UNKNOWN: error: unknown AMD architecture 'gfx906'; known are gfx90a,
// FEATURE: error: gfx1100 has no feature 'xnack'; write gfx1100
// WAVES: error: waves_per_eu must be 1 to 16 on gfx1100, but is 17; leave it out for no limit of registers
func.func @store(%x: !tile.ptr<i32>, %v: i32) attributes {tile.kernel} {
  tile.store %x, %v : !tile.ptr<i32>
  return
}
