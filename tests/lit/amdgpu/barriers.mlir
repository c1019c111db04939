// Barriers and fences: what each generation waits for. A reduction uses shared memory of a known size.
// RUN: split-file %s %t
// RUN: tile-amdgpu %t/reduce.mlir | FileCheck %t/reduce.mlir --check-prefixes=CHECK,CDNA
// RUN: tile-amdgpu %t/reduce.mlir --arch=gfx1100 | FileCheck %t/reduce.mlir --check-prefixes=CHECK,RDNA3
// RUN: tile-amdgpu %t/reduce.mlir --arch=gfx1200 | FileCheck %t/reduce.mlir --check-prefixes=CHECK,RDNA4
// RUN: tile-amdgpu %t/reduce.mlir --emit=llvm | FileCheck %t/reduce.mlir --check-prefix=LLVM
// RUN: tile-amdgpu %t/fence.mlir --num-warps=1 | FileCheck %t/fence.mlir

//--- reduce.mlir
// CHECK: reduce:
// CDNA: ds_write
// CDNA: s_waitcnt lgkmcnt(0)
// CDNA-NEXT: s_barrier
// CDNA: ds_read
// RDNA3: ds_store
// RDNA3: s_barrier
// RDNA3: buffer_gl0_inv
// RDNA3: ds_load
// RDNA4: ds_store
// RDNA4: s_barrier_signal -1
// RDNA4: s_barrier_wait -1
// RDNA4: ds_load
// CHECK: .amdhsa_group_segment_fixed_size 16
// LLVM: @tilerun_shared = internal {{.*}}addrspace(3) global [16 x i8] {{undef|poison}}, align 16
func.func @reduce(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p : tensor<1024x!tile.ptr<f32>>
  %r = tile.reduce %v axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %r : !tile.ptr<f32>
  return
}

//--- fence.mlir
// Caches that devices do not share are written back and invalidated; a warp's barrier is none.
// CHECK: fences:
// CHECK-NOT: s_barrier
// CHECK: buffer_wbl2 sc1
// CHECK: buffer_inv sc1
// CHECK: buffer_wbl2 sc0 sc1
// CHECK: buffer_inv sc0 sc1
// CHECK-NOT: s_barrier
// CHECK: s_endpgm
func.func @fences(%out: i64 {simt.pointer}) attributes {tile.kernel, simt.threads = 64 : i32} {
  %c = arith.constant dense<1> : vector<1xi32>
  simt.store %out, %c : vector<1xi32>
  simt.barrier warp
  simt.fence gpu
  simt.store %out, %c : vector<1xi32>
  simt.fence sys
  simt.store %out, %c : vector<1xi32>
  return
}
