// Prints and assertions go to a buffer whose address is the last argument; a program in which one fails ends.
// RUN: tile-amdgpu %s --metadata | FileCheck %s --check-prefix=META
// RUN: tile-amdgpu %s | FileCheck %s

// META: parameter pointer 64 x_ptr
// META-NEXT: hidden pointer 64 debug_buffer
// META-NEXT: assert {{.*}}debug.mlir:[[@LINE+17]]:{{[0-9]+}} "must be positive"
// META-NEXT: print {{.*}}debug.mlir:[[@LINE+17]]:{{[0-9]+}} "pid (%d, %d, %d) idx (%3d) v: %d\0A" iiiii
// CHECK: checks:
// CHECK-NOT: s_trap
// CHECK-DAG: global_atomic_add
// CHECK-DAG: global_atomic_cmpswap
// CHECK: v_readfirstlane_b32
// CHECK: s_endpgm
// CHECK-NOT: s_trap
// CHECK: .amdhsa_kernarg_size 16
func.func @checks(%x: !tile.ptr<i32> {tile.name = "x_ptr"}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<i32>>
  %z = arith.constant dense<0> : tensor<256xi32>
  %c = arith.cmpi sgt, %v, %z : tensor<256xi32>
  tile.assert %c, "must be positive" : tensor<256xi1>
  tile.print "v: " : %v signed [true] : tensor<256xi32>
  return
}
