// Loops carry registers; carried values keep one layout, so that nothing is converted inside.
// RUN: tile-nvptx %s --emit=simt | FileCheck %s

// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<8xi64>, vector<8xf32>)
// CHECK-COUNT-2: simt.load %{{.*}} : vector<4xf32>
// CHECK-NOT: simt.shared
// CHECK: scf.yield %{{.*}} : vector<8xi64>, vector<8xf32>
// CHECK: scf.if %{{.*}} -> (vector<8xf32>)
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<1024xf32>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %r:2 = scf.for %j = %zero to %n step %one iter_args(%q = %p, %acc = %init) -> (tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>) : i32 {
    %v = tile.load %q : tensor<1024x!tile.ptr<f32>>
    %s = arith.addf %acc, %v : tensor<1024xf32>
    %next = tile.addptr %q, %step : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    scf.yield %next, %s : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  }
  %c = arith.cmpi sgt, %n, %one : i32
  %u = scf.if %c -> (tensor<1024xf32>) {
    scf.yield %r#1 : tensor<1024xf32>
  } else {
    scf.yield %init : tensor<1024xf32>
  }
  tile.store %p, %u : tensor<1024x!tile.ptr<f32>>
  return
}
