// A merged op carries the source locations of all ops that it replaces.
// RUN: tile-opt %s --tile-combine --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @dot_plus
// CHECK: tile.dot {{.*}} loc(fused["k.py":4:5, "k.py":3:9])
func.func @dot_plus(%a: tensor<16x8xf16>, %b: tensor<8x4xf16>, %c: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %0 = tile.dot %a, %b, %z : tensor<16x8xf16>, tensor<8x4xf16> -> tensor<16x4xf32> loc("k.py":3:9)
  %1 = arith.addf %0, %c : tensor<16x4xf32> loc("k.py":4:5)
  return %1 : tensor<16x4xf32>
}

// CHECK-LABEL: @select_of_load
// CHECK: tile.load {{.*}} loc(fused["k.py":7:1, "k.py":8:1])
func.func @select_of_load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>> loc("k.py":7:1)
  %1 = arith.select %m, %0, %v : tensor<8xi1>, tensor<8xf32> loc("k.py":8:1)
  return %1 : tensor<8xf32>
}
