// Waves multiply in turns: operands are read before a turn, in which no instruction is moved to or from.
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --schedule='loop #0: slots=2 turns=on' --emit=simt | FileCheck %s --check-prefix=TURN
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --schedule='loop #0: slots=2 turns=on' --emit=amdgcn | FileCheck %s --check-prefix=TURNASM
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --turns=on --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=TURNASM
// Two waves of each SIMD take turns where that pays, unless a schedule says otherwise.
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --num-warps=8 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=TURNASM
// RUN: tile-amdgpu %S/products.mlir --arch=gfx950 --num-warps=8 --num-stages=2 --emit=schedule | FileCheck %s --check-prefix=CHOSEN
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --num-warps=8 --num-stages=2 --emit=remarks | FileCheck %s --check-prefix=REMARK
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --num-warps=8 --num-stages=2 --turns=off --emit=amdgcn | FileCheck %s --check-prefix=NONE --implicit-check-not=s_setprio
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --num-warps=8 --schedule='loop #0: slots=2 turns=off' --emit=amdgcn | FileCheck %s --check-prefix=NONE --implicit-check-not=s_setprio
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --num-warps=4 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=NONE --implicit-check-not=s_setprio
// RUN: tile-amdgpu %S/products.mlir --arch=gfx1100 --num-warps=8 --num-stages=2 --emit=remarks | FileCheck %s --check-prefix=WMMA
// RUN: not tile-amdgpu %S/products.mlir --turns=maybe 2>&1 | FileCheck %s --check-prefix=MAYBE
// TURN: simt.turn true
// TURN-NOT: simt.shared_load
// TURN: simt.mma
// TURN-NOT: simt.shared_load
// TURN: simt.turn false
// TURNASM: s_setprio 1
// TURNASM-NOT: ds_read
// TURNASM: v_mfma_f32_32x32x8_f16
// TURNASM-NOT: ds_read
// TURNASM: s_setprio 0
// CHOSEN: tile.dot {{.*}}sched.turns
// REMARK: remark: product-takes-turns: warps compute the product in turns, by mfma.f32.32x32x8f16
// NONE: v_mfma_f32_32x32x8_f16
// WMMA: remark: turns-not-taken: warps do not compute the product in turns: a warp multiplies for 256 cycles, and shared memory takes 384 to give one warp of each unit its operands
// MAYBE: error: 'maybe' is not a choice of turns; use 'auto', 'off' or 'on'
