// Reductions: registers first, five shuffles inside a warp, then one trip through shared memory.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/sum.mlir --emit=simt | FileCheck %t/sum.mlir --check-prefixes=CHECK,WARPS
// RUN: tile-nvptx %t/sum.mlir --emit=simt --num-warps=1 | FileCheck %t/sum.mlir --check-prefixes=CHECK,ONE
// RUN: tile-nvptx %t/ordered.mlir --emit=simt | FileCheck %t/ordered.mlir

//--- sum.mlir
// CHECK: simt.load
// CHECK: arith.addf
// CHECK-COUNT-5: simt.shuffle xor
// CHECK-NOT: simt.shuffle
// WARPS: simt.shared_alloc 16
// WARPS: simt.shared_store %{{.*}} mask %{{.*}} : vector<1xf32>
// WARPS: simt.barrier program
// WARPS-NEXT: simt.shared_load %{{.*}} : vector<4xf32>
// WARPS-NOT: simt.barrier
// ONE-NOT: simt.shared
// ONE-NOT: simt.barrier
// CHECK: simt.store
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %pi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %ps, %pi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %pv = tile.load %p : tensor<1024x!tile.ptr<f32>>
  %r = tile.reduce %pv axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %x, %r : !tile.ptr<f32>
  return
}

//--- ordered.mlir
// A combine region that need not be commutative keeps the order of its operands: later lanes' values
// stand on the right.
// CHECK: simt.shuffle xor
// CHECK: %[[LATER:.*]] = arith.cmpi ne
// CHECK: arith.select %[[LATER]]
// CHECK: arith.select %[[LATER]]
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %pi = tile.make_range 0 to 128 : tensor<128xi32>
  %ps = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %ps, %pi : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %pv = tile.load %p : tensor<128x!tile.ptr<f32>>
  %r = tile.reduce %pv axis 0 : (tensor<128xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %x, %r : !tile.ptr<f32>
  return
}
