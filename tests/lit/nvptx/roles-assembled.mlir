// A ring with roles is assembled.
// REQUIRES: ptxas
// RUN: split-file %S/roles.mlir %t
// RUN: tile-nvptx %t/ring.mlir --arch=sm_90a -o %t.ptx
// RUN: %ptxas -v -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s
// CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK: used 2 barriers
