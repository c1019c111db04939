// A row's sum is in all threads after its reduction. The loop that uses its copies in another layout takes them from
// registers: between the reduction's last exchange and the end nothing goes through shared memory.
// RUN: tile-nvptx %s --num-warps=4 --emit=simt | FileCheck %s

// CHECK: simt.shared_store
// CHECK: simt.barrier program
// CHECK: simt.shared_load
// CHECK-NOT: simt.shared_
// CHECK: scf.for
// CHECK-NOT: simt.shared_
// CHECK: return
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %i = tile.expand_dims %range axis 0 : tensor<1024xi32> -> tensor<1x1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1x1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1x1024x!tile.ptr<f32>>, tensor<1x1024xi32>
  %row = tile.load %p : tensor<1x1024x!tile.ptr<f32>>
  %sum = tile.reduce %row axis 1 : (tensor<1x1024xf32>) -> tensor<1xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %one = tile.expand_dims %sum axis 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %one : tensor<1x1xf32> -> tensor<1x1024xf32>
  scf.for %k = %c0 to %n step %c1024 : i32 {
    %start = tile.splat %k : i32 -> tensor<1x1024xi32>
    %q = tile.addptr %p, %start : tensor<1x1024x!tile.ptr<f32>>, tensor<1x1024xi32>
    %part = tile.load %q : tensor<1x1024x!tile.ptr<f32>>
    %scaled = arith.divf %part, %sums : tensor<1x1024xf32>
    tile.store %q, %scaled : tensor<1x1024x!tile.ptr<f32>>
  }
  return
}
