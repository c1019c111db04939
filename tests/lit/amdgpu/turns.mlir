// Waves multiply in turns: operands are read before a turn, in which no instruction is moved to or from.
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --schedule='loop #0: slots=2 turns=on' --emit=simt | FileCheck %s --check-prefix=TURN
// RUN: tile-amdgpu %S/products.mlir --arch=gfx942 --schedule='loop #0: slots=2 turns=on' --emit=amdgcn | FileCheck %s --check-prefix=TURNASM
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
