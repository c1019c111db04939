// The loop of roles-product.mlir, assembled: instructions of warp groups overlap, and nothing is spilled.
// REQUIRES: ptxas
// RUN: tile-nvptx %S/roles-product.mlir --arch=sm_90a -o %t.ptx
// RUN: %ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s
// CHECK-NOT: serialized
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: serialized
