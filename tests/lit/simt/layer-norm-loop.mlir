// Loops over a row accumulate in registers: loaded, added and carried values have one layout, and loop-invariant values
// are converted before the loop. Only the reductions after them exchange anything, with one barrier each.
// RUN: tile-nvptx %s --emit=simt --num-warps=8 | FileCheck %s

// CHECK: scf.for
// CHECK: simt.load %{{.*}} mask %{{.*}} other %{{.*}} : vector<8xf16>
// CHECK-NOT: simt.sh
// CHECK-NOT: simt.barrier
// CHECK: scf.yield
// CHECK-COUNT-5: simt.shuffle xor
// CHECK: simt.barrier program
// CHECK-NOT: simt.barrier
// CHECK: scf.for
// CHECK-NOT: simt.sh
// CHECK-NOT: simt.barrier
// CHECK: simt.store %{{.*}} : vector<8xf16>
// CHECK-NOT: simt.sh
// CHECK: return
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 2048 : i32
  %init = arith.constant dense<0.0> : tensor<2048xf32>
  %other = arith.constant dense<0.0> : tensor<2048xf16>
  %i = tile.make_range 0 to 2048 : tensor<2048xi32>
  %ns = tile.splat %n : i32 -> tensor<2048xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %sums = scf.for %j = %zero to %n step %step iter_args(%acc = %init) -> (tensor<2048xf32>) : i32 {
    %js = tile.splat %j : i32 -> tensor<2048xi32>
    %c = arith.addi %js, %i : tensor<2048xi32>
    %m = arith.cmpi slt, %c, %ns : tensor<2048xi32>
    %p = tile.addptr %xs, %c : tensor<2048x!tile.ptr<f16>>, tensor<2048xi32>
    %v = tile.load %p mask %m other %other : tensor<2048x!tile.ptr<f16>>
    %w = arith.extf %v : tensor<2048xf16> to tensor<2048xf32>
    %s = arith.addf %acc, %w : tensor<2048xf32>
    scf.yield %s : tensor<2048xf32>
  }
  %total = tile.reduce %sums axis 0 : (tensor<2048xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %ts = tile.splat %total : f32 -> tensor<2048xf32>
  scf.for %j = %zero to %n step %step : i32 {
    %js = tile.splat %j : i32 -> tensor<2048xi32>
    %c = arith.addi %js, %i : tensor<2048xi32>
    %m = arith.cmpi slt, %c, %ns : tensor<2048xi32>
    %p = tile.addptr %xs, %c : tensor<2048x!tile.ptr<f16>>, tensor<2048xi32>
    %v = tile.load %p mask %m other %other : tensor<2048x!tile.ptr<f16>>
    %w = arith.extf %v : tensor<2048xf16> to tensor<2048xf32>
    %d = arith.subf %w, %ts : tensor<2048xf32>
    %h = arith.truncf %d : tensor<2048xf32> to tensor<2048xf16>
    %q = tile.addptr %ys, %c : tensor<2048x!tile.ptr<f16>>, tensor<2048xi32>
    tile.store %q, %h mask %m : tensor<2048x!tile.ptr<f16>>
  }
  return
}
