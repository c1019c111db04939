// A buffer in a loop needs a barrier before its loads and one before the next iteration's stores. Small
// buffers have bytes of their own, so that a chain of reductions takes one barrier each, also in a loop.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/loop.mlir --emit=simt | FileCheck %t/loop.mlir
// RUN: tile-nvptx %t/loop.mlir --emit=simt --num-warps=1 | FileCheck %t/loop.mlir --check-prefix=ONE
// RUN: tile-nvptx %t/reuse.mlir --emit=simt | FileCheck %t/reuse.mlir

//--- loop.mlir
// CHECK: scf.for
// CHECK: simt.barrier program
// CHECK-NEXT: simt.shared_store
// CHECK: simt.barrier program
// CHECK-NEXT: simt.shared_load
// CHECK-NOT: simt.barrier
// CHECK: return
// ONE-NOT: simt.barrier
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %pi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %ps, %pi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %pv = tile.load %p : tensor<1024x!tile.ptr<f32>>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (f32) : i32 {
    %as = tile.splat %acc : f32 -> tensor<1024xf32>
    %v = arith.addf %pv, %as : tensor<1024xf32>
    %m = tile.reduce %v axis 0 : (tensor<1024xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    scf.yield %m : f32
  }
  tile.store %x, %r : !tile.ptr<f32>
  return
}

//--- reuse.mlir
// CHECK: func.func @k
// CHECK-SAME: simt.shared_bytes = 32 : i64
// CHECK: scf.for
// CHECK-NOT: simt.barrier
// CHECK: simt.shared_alloc 16 {offset = 0 : i64}
// CHECK: simt.shared_store
// CHECK-NEXT: simt.barrier program
// CHECK-NEXT: simt.shared_load
// CHECK-NOT: simt.barrier
// CHECK: simt.shared_alloc 16 {offset = 16 : i64}
// CHECK: simt.barrier program
// CHECK-NEXT: simt.shared_load
// CHECK-NOT: simt.barrier
// CHECK: return
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %pi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %ps, %pi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %pv = tile.load %p : tensor<1024x!tile.ptr<f32>>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (f32) : i32 {
    %as = tile.splat %acc : f32 -> tensor<1024xf32>
    %v = arith.addf %pv, %as : tensor<1024xf32>
    %m = tile.reduce %v axis 0 : (tensor<1024xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %ms = tile.splat %m : f32 -> tensor<1024xf32>
    %d = arith.subf %pv, %ms : tensor<1024xf32>
    %s = tile.reduce %d axis 0 : (tensor<1024xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    scf.yield %s : f32
  }
  tile.store %x, %r : !tile.ptr<f32>
  return
}
