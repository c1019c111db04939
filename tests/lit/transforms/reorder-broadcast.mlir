// tile-reorder-broadcast: elementwise work on the small tensor first; keep_ functions must not change.
// RUN: tile-opt %s --tile-reorder-broadcast --split-input-file | FileCheck %s

// CHECK-LABEL: @splats
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32
// CHECK: %[[S:.*]] = arith.addi %[[X]], %[[Y]] : i32
// CHECK: %[[R:.*]] = tile.splat %[[S]] : i32 -> tensor<128xi32>
// CHECK: return %[[R]]
func.func @splats(%x: i32, %y: i32) -> tensor<128xi32> {
  %0 = tile.splat %x : i32 -> tensor<128xi32>
  %1 = tile.splat %y : i32 -> tensor<128xi32>
  %2 = arith.addi %0, %1 : tensor<128xi32>
  return %2 : tensor<128xi32>
}

// CHECK-LABEL: @splat_and_constant
// CHECK: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %[[C]] fastmath<contract> : f32
// CHECK: tile.splat %[[S]]
func.func @splat_and_constant(%x: f32) -> tensor<128xf32> {
  %c = arith.constant dense<2.0> : tensor<128xf32>
  %0 = tile.splat %x : f32 -> tensor<128xf32>
  %1 = arith.mulf %0, %c fastmath<contract> : tensor<128xf32>
  return %1 : tensor<128xf32>
}

// CHECK-LABEL: @pointer_of_splats
// CHECK: %[[S:.*]] = tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i32
// CHECK: tile.splat %[[S]] : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
func.func @pointer_of_splats(%p: !tile.ptr<f32>, %x: i32) -> tensor<8x!tile.ptr<f32>> {
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %1 = tile.splat %x : i32 -> tensor<8xi32>
  %2 = tile.addptr %0, %1 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  return %2 : tensor<8x!tile.ptr<f32>>
}

// The type of the result follows the operation: a comparison gives i1.
// CHECK-LABEL: @comparison_of_splats
// CHECK: %[[S:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: tile.splat %[[S]] : i1 -> tensor<8xi1>
func.func @comparison_of_splats(%x: i32, %y: i32) -> tensor<8xi1> {
  %0 = tile.splat %x : i32 -> tensor<8xi32>
  %1 = tile.splat %y : i32 -> tensor<8xi32>
  %2 = arith.cmpi slt, %0, %1 : tensor<8xi32>
  return %2 : tensor<8xi1>
}

// CHECK-LABEL: @cast_and_math_of_splat
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: tile.splat
func.func @cast_and_math_of_splat(%x: i32) -> tensor<8xf32> {
  %0 = tile.splat %x : i32 -> tensor<8xi32>
  %1 = arith.sitofp %0 : tensor<8xi32> to tensor<8xf32>
  %2 = math.exp %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: @keep_splat_and_tensor
// CHECK: tile.splat
// CHECK: arith.addi %{{.*}} : tensor<8xi32>
func.func @keep_splat_and_tensor(%x: i32, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = tile.splat %x : i32 -> tensor<8xi32>
  %1 = arith.addi %0, %y : tensor<8xi32>
  return %1 : tensor<8xi32>
}

// Memory is not touched: each lane keeps its own access.
// CHECK-LABEL: @keep_load_of_splat
// CHECK: tile.load %{{.*}} : tensor<8x!tile.ptr<f32>>
func.func @keep_load_of_splat(%p: !tile.ptr<f32>) -> tensor<8xf32> {
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %1 = tile.load %0 : tensor<8x!tile.ptr<f32>>
  return %1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @broadcasts_of_one_shape
// CHECK: %[[S:.*]] = arith.muli %{{.*}}, %{{.*}} : tensor<4x1xi32>
// CHECK: tile.broadcast %[[S]] : tensor<4x1xi32> -> tensor<4x8xi32>
func.func @broadcasts_of_one_shape(%x: tensor<4x1xi32>, %y: tensor<4x1xi32>) -> tensor<4x8xi32> {
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tile.broadcast %y : tensor<4x1xi32> -> tensor<4x8xi32>
  %2 = arith.muli %0, %1 : tensor<4x8xi32>
  return %2 : tensor<4x8xi32>
}

// CHECK-LABEL: @broadcast_and_constant_and_splat
// CHECK: %[[C:.*]] = arith.constant dense<3> : tensor<4x1xi32>
// CHECK: arith.muli %{{.*}}, %[[C]] : tensor<4x1xi32>
// CHECK: tile.splat %{{.*}} : i32 -> tensor<4x1xi32>
// CHECK: %[[S:.*]] = arith.addi {{.*}} : tensor<4x1xi32>
// CHECK: tile.broadcast %[[S]] : tensor<4x1xi32> -> tensor<4x8xi32>
func.func @broadcast_and_constant_and_splat(%x: tensor<4x1xi32>, %y: i32) -> tensor<4x8xi32> {
  %c = arith.constant dense<3> : tensor<4x8xi32>
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = arith.muli %0, %c : tensor<4x8xi32>
  %2 = tile.splat %y : i32 -> tensor<4x8xi32>
  %3 = arith.addi %1, %2 : tensor<4x8xi32>
  return %3 : tensor<4x8xi32>
}

// A scalar condition of a select stays a scalar.
// CHECK-LABEL: @select_by_scalar
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x1xi32>
// CHECK: tile.broadcast %[[S]]
func.func @select_by_scalar(%c: i1, %x: tensor<4x1xi32>, %y: tensor<4x1xi32>) -> tensor<4x8xi32> {
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tile.broadcast %y : tensor<4x1xi32> -> tensor<4x8xi32>
  %2 = arith.select %c, %0, %1 : tensor<4x8xi32>
  return %2 : tensor<4x8xi32>
}

// CHECK-LABEL: @keep_row_and_column
// CHECK: tile.broadcast
// CHECK: tile.broadcast
// CHECK: arith.addi %{{.*}} : tensor<4x8xi32>
func.func @keep_row_and_column(%x: tensor<4x1xi32>, %y: tensor<1x8xi32>) -> tensor<4x8xi32> {
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tile.broadcast %y : tensor<1x8xi32> -> tensor<4x8xi32>
  %2 = arith.addi %0, %1 : tensor<4x8xi32>
  return %2 : tensor<4x8xi32>
}

// CHECK-LABEL: @keep_broadcast_and_dense_constant
// CHECK: tile.broadcast
// CHECK: arith.addi %{{.*}} : tensor<2x2xi32>
func.func @keep_broadcast_and_dense_constant(%x: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = tile.broadcast %x : tensor<2x1xi32> -> tensor<2x2xi32>
  %1 = arith.addi %0, %c : tensor<2x2xi32>
  return %1 : tensor<2x2xi32>
}

// A reduction is not elementwise.
// CHECK-LABEL: @keep_reduce_of_broadcast
// CHECK: tile.broadcast
// CHECK: tile.reduce
func.func @keep_reduce_of_broadcast(%x: tensor<4x1xi32>) -> tensor<4xi32> {
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tile.reduce %0 axis 1 : (tensor<4x8xi32>) -> tensor<4xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }
  return %1 : tensor<4xi32>
}

// -----

// CHECK-LABEL: @expand_dims_of_broadcast
// CHECK: %[[S:.*]] = tile.expand_dims %{{.*}} axis 0 : tensor<4x1xi32> -> tensor<1x4x1xi32>
// CHECK: tile.broadcast %[[S]] : tensor<1x4x1xi32> -> tensor<1x4x8xi32>
func.func @expand_dims_of_broadcast(%x: tensor<4x1xi32>) -> tensor<1x4x8xi32> {
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tile.expand_dims %0 axis 0 : tensor<4x8xi32> -> tensor<1x4x8xi32>
  return %1 : tensor<1x4x8xi32>
}

// CHECK-LABEL: @trans_of_broadcast
// CHECK: %[[S:.*]] = tile.trans %{{.*}} [1, 0] : tensor<4x1xi32> -> tensor<1x4xi32>
// CHECK: tile.broadcast %[[S]] : tensor<1x4xi32> -> tensor<8x4xi32>
func.func @trans_of_broadcast(%x: tensor<4x1xi32>) -> tensor<8x4xi32> {
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tile.trans %0 [1, 0] : tensor<4x8xi32> -> tensor<8x4xi32>
  return %1 : tensor<8x4xi32>
}

// CHECK-LABEL: @keep_reshape_of_broadcast
// CHECK: tile.broadcast
// CHECK: tile.reshape
func.func @keep_reshape_of_broadcast(%x: tensor<4x1xi32>) -> tensor<32xi32> {
  %0 = tile.broadcast %x : tensor<4x1xi32> -> tensor<4x8xi32>
  %1 = tile.reshape %0 : tensor<4x8xi32> -> tensor<32xi32>
  return %1 : tensor<32xi32>
}
