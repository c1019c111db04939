// Copies from global to shared memory without registers, on gfx950, where they are asked for. Two slots: all copies have ended at the one barrier of an
// iteration, and no read of shared memory waits for those that follow it.
// RUN: tile-amdgpu %S/products.mlir --arch=gfx950 --async-copies --num-stages=2 --emit=schedule | FileCheck %s --check-prefix=TWO
// RUN: tile-amdgpu %S/products.mlir --arch=gfx950 --async-copies --num-stages=2 --emit=amdgcn > %t.two
// RUN: python3 %S/Inputs/inner_loops.py < %t.two | FileCheck %s --check-prefix=ASM --implicit-check-not=tilerun_zeros
// RUN: FileCheck %s --check-prefix=WHOLE < %t.two
// TWO: sched.ring<order = turned, inner = 1>
// TWO: sched.ring<order = turned, inner = 1>
// TWO: slots = 2, distance = 1, copies = chunks
// ASM-LABEL: loop
// ASM: s_waitcnt vmcnt(0)
// ASM-NEXT: s_barrier
// ASM: global_load_lds_dwordx4
// ASM: ds_read_b64_tr_b16
// ASM-NOT: vmcnt
// ASM-NOT: s_barrier
// ASM: v_mfma_f32_32x32x16_f16
// ASM-NOT: vmcnt
// ASM: {{^}}end
// WHOLE: global_load_lds_dwordx4
// WHOLE-NOT: ds_write
// WHOLE: v_mfma_f32_32x32x16_f16
// WHOLE: global_store

// Three slots: beyond the end of the loop lanes copy zeros.
// RUN: tile-amdgpu %S/products.mlir --arch=gfx950 --async-copies --num-stages=3 --emit=schedule | FileCheck %s --check-prefix=THREE
// RUN: tile-amdgpu %S/products.mlir --arch=gfx950 --async-copies --num-stages=3 --emit=amdgcn | FileCheck %s --check-prefix=PENDING
// THREE: slots = 3, distance = 2, copies = chunks
// PENDING: tilerun_zeros
// PENDING: s_barrier
// PENDING: global_load_lds_dwordx4
// PENDING: v_mfma_f32_32x32x16_f16

// One load that cannot be copied so sends all of them through registers.
// RUN: sed 's/%36 = tile.load %arg10/%36 = tile.load %arg10 mask %mask other %ones/; s/^    %c64_i32 = /    %mask = arith.constant dense<true> : tensor<64x64xi1>\n    %ones = arith.constant dense<1.0> : tensor<64x64xf16>\n&/' %S/products.mlir > %t
// RUN: tile-amdgpu %t --arch=gfx950 --async-copies --num-stages=2 --emit=remarks | FileCheck %s --check-prefix=OTHER
// OTHER: loads-through-registers: the loop's loads run ahead through registers: asynchronous copies put 0 where the mask is false, and 'other' is not 0

// A tile that is smaller than what the lanes of all waves copy at once.
// RUN: tile-amdgpu %S/products.mlir --arch=gfx950 --async-copies --num-stages=2 --num-warps=16 --emit=schedule | FileCheck %s --check-prefix=SMALL
// SMALL: sched.ring<order = turned, inner = 1
// SMALL: copies = {{chunks|registers}}

// Other architectures copy too little at a time, and are told so.
// RUN: not tile-amdgpu %S/products.mlir --arch=gfx942 --async-copies 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: async-copies is for gfx950, which copies 16 bytes of a lane to shared memory at a time, and not for gfx942; leave it out
