// A kernel whose loops are expanded continues where `--emit=expand` ended.
// RUN: tile-nvptx %S/wgmma.mlir --arch=sm_80 > %t.direct
// RUN: tile-nvptx %S/wgmma.mlir --arch=sm_80 --emit=expand > %t.mlir
// RUN: tile-nvptx %t.mlir --arch=sm_80 | diff %t.direct -
// RUN: tile-nvptx %S/wgmma.mlir --arch=sm_90a > %t.direct
// RUN: tile-nvptx %S/wgmma.mlir --arch=sm_90a --emit=expand > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tile-nvptx %t.mlir --arch=sm_90a | diff %t.direct -
// CHECK: sched.dot_wait pending 1{{$}}
// CHECK: sched.dot_wait pending 0 for %

// Layouts for other threads are refused.
// RUN: not tile-nvptx %t.mlir --arch=sm_90a --num-warps=8 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: is over 4 warps, but the program has 8
// RUN: not tile-nvptx %t.mlir --arch=sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: sm_80 has no instruction of warp groups
