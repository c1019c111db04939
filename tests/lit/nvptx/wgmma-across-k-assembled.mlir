// The loops of wgmma-across-k.mlir and wgmma-bytes-across-k.mlir, assembled: the registers that threads read into while instructions run make
// ptxas neither serialize these nor spill.
// REQUIRES: ptxas
// RUN: tile-nvptx %S/wgmma-across-k.mlir --arch=sm_90a -o %t.ptx
// RUN: %ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-nvptx %S/wgmma-across-k.mlir --arch=sm_90a --num-stages=4 -o %t.ptx
// RUN: %ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-nvptx %S/wgmma-across-k.mlir --arch=sm_90a --num-stages=1 -o %t.ptx
// RUN: %ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-nvptx %S/wgmma-bytes-across-k.mlir --arch=sm_90a -o %t.ptx
// RUN: %ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s

// CHECK-NOT: C75
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: C75
