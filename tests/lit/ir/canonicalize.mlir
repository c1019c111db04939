// Canonicalizations of the tile dialect: each function shows one that fires, or (named keep_) one that must not.
// RUN: tile-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @broadcast_of_splat
// CHECK: %[[R:.*]] = tile.splat %{{.*}} : f32 -> tensor<4x8xf32>
// CHECK: return %[[R]]
func.func @broadcast_of_splat(%x: f32) -> tensor<4x8xf32> {
  %0 = tile.splat %x : f32 -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @broadcast_of_constant
// CHECK: arith.constant dense<3> : tensor<4x8xi32>
// CHECK-NOT: tile.broadcast
func.func @broadcast_of_constant() -> tensor<4x8xi32> {
  %0 = arith.constant dense<3> : tensor<4x1xi32>
  %1 = tile.broadcast %0 : tensor<4x1xi32> -> tensor<4x8xi32>
  return %1 : tensor<4x8xi32>
}

// CHECK-LABEL: @keep_broadcast_of_dense
// CHECK: tile.broadcast
func.func @keep_broadcast_of_dense() -> tensor<2x2xi32> {
  %0 = arith.constant dense<[[3], [4]]> : tensor<2x1xi32>
  %1 = tile.broadcast %0 : tensor<2x1xi32> -> tensor<2x2xi32>
  return %1 : tensor<2x2xi32>
}

// CHECK-LABEL: @broadcast_of_broadcast
// CHECK: %[[R:.*]] = tile.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK: return %[[R]]
func.func @broadcast_of_broadcast(%x: tensor<1x1xf32>) -> tensor<4x8xf32> {
  %0 = tile.broadcast %x : tensor<1x1xf32> -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @broadcast_to_itself
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK: return %[[X]]
func.func @broadcast_to_itself(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.broadcast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @splat_of_constant
// CHECK: arith.constant dense<2.500000e+00> : tensor<8xf32>
func.func @splat_of_constant() -> tensor<8xf32> {
  %c = arith.constant 2.5 : f32
  %0 = tile.splat %c : f32 -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @splat_of_poison
// CHECK: ub.poison : tensor<8xf32>
func.func @splat_of_poison() -> tensor<8xf32> {
  %c = ub.poison : f32
  %0 = tile.splat %c : f32 -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @range_of_one
// CHECK: arith.constant dense<5> : tensor<1xi32>
func.func @range_of_one() -> tensor<1xi32> {
  %0 = tile.make_range 5 to 6 : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: @keep_range
// CHECK: tile.make_range 0 to 2
func.func @keep_range() -> tensor<2xi32> {
  %0 = tile.make_range 0 to 2 : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// CHECK-LABEL: @expand_dims_of_splat
// CHECK: tile.splat %{{.*}} : i32 -> tensor<8x1xi32>
// CHECK-NOT: tile.expand_dims
func.func @expand_dims_of_splat(%x: i32) -> tensor<8x1xi32> {
  %0 = tile.splat %x : i32 -> tensor<8xi32>
  %1 = tile.expand_dims %0 axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  return %1 : tensor<8x1xi32>
}

// CHECK-LABEL: @expand_dims_of_constant
// CHECK: arith.constant dense<{{\[\[}}1], [2]]> : tensor<2x1xi32>
func.func @expand_dims_of_constant() -> tensor<2x1xi32> {
  %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
  %1 = tile.expand_dims %0 axis 1 : tensor<2xi32> -> tensor<2x1xi32>
  return %1 : tensor<2x1xi32>
}

// CHECK-LABEL: @reshape_of_reshape
// CHECK: %[[R:.*]] = tile.reshape %{{.*}} : tensor<4x8xf32> -> tensor<2x16xf32>
// CHECK: return %[[R]]
func.func @reshape_of_reshape(%x: tensor<4x8xf32>) -> tensor<2x16xf32> {
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}

// CHECK-LABEL: @reshape_back
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK: return %[[X]]
func.func @reshape_back(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @keep_reshape_with_free_order
// CHECK: tile.reshape %{{.*}} allow_reorder
// CHECK: tile.reshape
func.func @keep_reshape_with_free_order(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.reshape %x allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @keep_constant_reshape_with_free_order
// CHECK: tile.reshape %{{.*}} allow_reorder
func.func @keep_constant_reshape_with_free_order() -> tensor<4xi32> {
  %0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = tile.reshape %0 allow_reorder : tensor<2x2xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// CHECK-LABEL: @reshape_of_constant
// CHECK: arith.constant dense<[1, 2, 3, 4]>
func.func @reshape_of_constant() -> tensor<4xi32> {
  %0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = tile.reshape %0 : tensor<2x2xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// CHECK-LABEL: @reshape_is_expand_dims
// CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<4x8xf32> -> tensor<4x1x8xf32>
func.func @reshape_is_expand_dims(%x: tensor<4x8xf32>) -> tensor<4x1x8xf32> {
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<4x1x8xf32>
  return %0 : tensor<4x1x8xf32>
}

// CHECK-LABEL: @reshape_is_expand_dims_at_the_end
// CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<8xf32> -> tensor<8x1xf32>
func.func @reshape_is_expand_dims_at_the_end(%x: tensor<8xf32>) -> tensor<8x1xf32> {
  %0 = tile.reshape %x : tensor<8xf32> -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// CHECK-LABEL: @keep_reshape_that_splits
// CHECK: tile.reshape
func.func @keep_reshape_that_splits(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = tile.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @reshape_of_expand_dims
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: return %[[X]]
func.func @reshape_of_expand_dims(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tile.expand_dims %x axis 0 : tensor<8xf32> -> tensor<1x8xf32>
  %1 = tile.reshape %0 : tensor<1x8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @trans_back
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>
// CHECK: return %[[X]]
func.func @trans_back(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tile.trans %x [1, 2, 0] : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tile.trans %0 [2, 0, 1] : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @trans_of_trans
// CHECK: %[[R:.*]] = tile.trans %{{.*}} [2, 0, 1] : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
// CHECK: return %[[R]]
func.func @trans_of_trans(%x: tensor<2x4x8xf32>) -> tensor<8x2x4xf32> {
  %0 = tile.trans %x [1, 2, 0] : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tile.trans %0 [1, 2, 0] : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  return %1 : tensor<8x2x4xf32>
}

// CHECK-LABEL: @trans_of_expand_dims
// CHECK: tile.expand_dims %{{.*}} axis 0 : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NOT: tile.trans
func.func @trans_of_expand_dims(%x: tensor<8xf32>) -> tensor<1x8xf32> {
  %0 = tile.expand_dims %x axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %1 = tile.trans %0 [1, 0] : tensor<8x1xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// CHECK-LABEL: @keep_trans_of_expand_dims
// CHECK: tile.trans
func.func @keep_trans_of_expand_dims(%x: tensor<4x8xf32>) -> tensor<8x4x1xf32> {
  %0 = tile.expand_dims %x axis 2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %1 = tile.trans %0 [1, 0, 2] : tensor<4x8x1xf32> -> tensor<8x4x1xf32>
  return %1 : tensor<8x4x1xf32>
}

// CHECK-LABEL: @split_of_join
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK: return %[[X]], %[[Y]]
func.func @split_of_join(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tile.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %1:2 = tile.split %0 : tensor<8x2xf32> -> tensor<8xf32>, tensor<8xf32>
  return %1#0, %1#1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @join_of_split
// CHECK-SAME: %[[X:.*]]: tensor<8x2xf32>
// CHECK: return %[[X]]
func.func @join_of_split(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0:2 = tile.split %x : tensor<8x2xf32> -> tensor<8xf32>, tensor<8xf32>
  %1 = tile.join %0#0, %0#1 : tensor<8xf32> -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: @keep_join_of_swapped_split
// CHECK: tile.join
func.func @keep_join_of_swapped_split(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0:2 = tile.split %x : tensor<8x2xf32> -> tensor<8xf32>, tensor<8xf32>
  %1 = tile.join %0#1, %0#0 : tensor<8xf32> -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: @split_of_splat
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: return %[[X]], %[[X]]
func.func @split_of_splat(%x: f32) -> (f32, f32) {
  %0 = tile.splat %x : f32 -> tensor<2xf32>
  %1:2 = tile.split %0 : tensor<2xf32> -> f32, f32
  return %1#0, %1#1 : f32, f32
}

// CHECK-LABEL: @split_of_constant
// CHECK: %[[C:.*]] = arith.constant 7 : i32
// CHECK: return %[[C]], %[[C]]
func.func @split_of_constant() -> (i32, i32) {
  %0 = arith.constant dense<7> : tensor<2xi32>
  %1:2 = tile.split %0 : tensor<2xi32> -> i32, i32
  return %1#0, %1#1 : i32, i32
}

// CHECK-LABEL: @reduce_of_unit_dim
// CHECK: tile.reshape %{{.*}} : tensor<1x8xf32> -> tensor<8xf32>
// CHECK-NOT: tile.reduce
func.func @reduce_of_unit_dim(%x: tensor<1x8xf32>) -> tensor<8xf32> {
  %0 = tile.reduce %x axis 0 : (tensor<1x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @keep_reduce_to_scalar
// CHECK: tile.reduce
func.func @keep_reduce_to_scalar(%x: tensor<1xf32>) -> f32 {
  %0 = tile.reduce %x axis 0 : (tensor<1xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %0 : f32
}

// -----

// CHECK-LABEL: @addptr_of_zero
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>
// CHECK: return %[[P]]
func.func @addptr_of_zero(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8x!tile.ptr<f32>> {
  %c = arith.constant dense<0> : tensor<8xi32>
  %0 = tile.addptr %p, %c : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  return %0 : tensor<8x!tile.ptr<f32>>
}

// CHECK-LABEL: @addptr_of_constants
// CHECK: %[[C:.*]] = arith.constant 12 : i64
// CHECK: %[[R:.*]] = tile.addptr %{{.*}}, %[[C]] : !tile.ptr<f32>, i64
// CHECK: return %[[R]]
func.func @addptr_of_constants(%p: !tile.ptr<f32>) -> !tile.ptr<f32> {
  %a = arith.constant 16 : i64
  %b = arith.constant -4 : i32
  %0 = tile.addptr %p, %a : !tile.ptr<f32>, i64
  %1 = tile.addptr %0, %b : !tile.ptr<f32>, i32
  return %1 : !tile.ptr<f32>
}

// The sum does not fit 32 bits, so two additions stay.
// CHECK-LABEL: @keep_addptr_that_overflows
// CHECK: tile.addptr
// CHECK: tile.addptr
func.func @keep_addptr_that_overflows(%p: !tile.ptr<f32>) -> !tile.ptr<f32> {
  %a = arith.constant 2147483647 : i32
  %0 = tile.addptr %p, %a : !tile.ptr<f32>, i32
  %1 = tile.addptr %0, %a : !tile.ptr<f32>, i32
  return %1 : !tile.ptr<f32>
}

// Offsets that are not known may overflow when they are added in 32 bits.
// CHECK-LABEL: @keep_addptr_of_unknown
// CHECK: tile.addptr
// CHECK: tile.addptr
func.func @keep_addptr_of_unknown(%p: !tile.ptr<f32>, %a: i32, %b: i32) -> !tile.ptr<f32> {
  %0 = tile.addptr %p, %a : !tile.ptr<f32>, i32
  %1 = tile.addptr %0, %b : !tile.ptr<f32>, i32
  return %1 : !tile.ptr<f32>
}

// -----

// CHECK-LABEL: @load_with_true_mask
// CHECK: tile.load %{{[a-z0-9]+}} : tensor<8x!tile.ptr<f32>>
func.func @load_with_true_mask(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %m = arith.constant dense<true> : tensor<8xi1>
  %0 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_with_false_mask
// CHECK-SAME: %[[O:[a-z0-9]+]]: tensor<8xf32>)
// CHECK-NOT: tile.load
// CHECK: return %[[O]]
func.func @load_with_false_mask(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_with_false_mask_gives_zero
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK: return %[[Z]]
func.func @load_with_false_mask_gives_zero(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8xf32> {
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_of_pointer_with_false_mask
// CHECK: %[[Z:.*]] = arith.constant 0 : i64
// CHECK: tile.int_to_ptr %[[Z]] : i64 -> !tile.ptr<f32>
// CHECK-NOT: tile.load
func.func @load_of_pointer_with_false_mask(%p: !tile.ptr<!tile.ptr<f32>>) -> !tile.ptr<f32> {
  %m = arith.constant false
  %0 = tile.load %p mask %m : !tile.ptr<!tile.ptr<f32>>
  return %0 : !tile.ptr<f32>
}

// CHECK-LABEL: @keep_volatile_load
// CHECK: tile.load %{{.*}} mask %{{.*}} volatile
func.func @keep_volatile_load(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8xf32> {
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p mask %m volatile : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_other_zero
// CHECK: tile.load %{{.*}} mask %{{[a-z0-9]+}} : tensor
func.func @load_other_zero(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %0 = tile.load %p mask %m other %z : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @keep_load_other_negative_zero
// CHECK: tile.load %{{.*}} mask %{{.*}} other
func.func @keep_load_other_negative_zero(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %z = arith.constant dense<-0.0> : tensor<8xf32>
  %0 = tile.load %p mask %m other %z : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_other_without_mask
// CHECK: tile.load %{{[a-z0-9]+}} : tensor
func.func @load_other_without_mask(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tile.load %p other %o : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @store_masks
// CHECK-NEXT: tile.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor
// CHECK-NEXT: return
func.func @store_masks(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>) {
  %t = arith.constant dense<true> : tensor<8xi1>
  %f = arith.constant dense<false> : tensor<8xi1>
  tile.store %p, %v mask %t : tensor<8x!tile.ptr<f32>>
  tile.store %p, %v mask %f : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: @keep_store_with_mixed_mask
// CHECK: tile.store {{.*}} mask
func.func @keep_store_with_mixed_mask(%p: tensor<2x!tile.ptr<f32>>, %v: tensor<2xf32>) {
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  tile.store %p, %v mask %m : tensor<2x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: @atomic_masks
// CHECK-DAG: %[[Z:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[R:.*]] = tile.atomic_rmw add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !tile.ptr<i32>
// CHECK: return %[[R]], %[[Z]]
func.func @atomic_masks(%p: !tile.ptr<i32>, %v: i32) -> (i32, i32) {
  %t = arith.constant true
  %f = arith.constant false
  %0 = tile.atomic_rmw add %p, %v mask %t : !tile.ptr<i32>
  %1 = tile.atomic_rmw add %p, %v mask %f : !tile.ptr<i32>
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @keep_unused_atomic
// CHECK: tile.atomic_rmw
// CHECK: tile.atomic_cas
func.func @keep_unused_atomic(%p: !tile.ptr<i32>, %v: i32) {
  %0 = tile.atomic_rmw add %p, %v : !tile.ptr<i32>
  %1 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32>
  return
}

// -----

// CHECK-LABEL: @casts
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[I:.*]]: i64, %[[B:.*]]: i8
// CHECK: return %[[P]], %[[I]], %[[B]], %[[P]]
func.func @casts(%p: !tile.ptr<f32>, %i: i64, %b: i8) -> (!tile.ptr<f32>, i64, i8, !tile.ptr<f32>) {
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %1 = tile.int_to_ptr %0 : i64 -> !tile.ptr<f32>
  %2 = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
  %3 = tile.ptr_to_int %2 : !tile.ptr<f32> -> i64
  %4 = tile.bitcast %b : i8 -> !tile.f8E4M3B15
  %5 = tile.bitcast %4 : !tile.f8E4M3B15 -> i8
  %6 = tile.bitcast %p : !tile.ptr<f32> -> !tile.ptr<i8>
  %7 = tile.bitcast %6 : !tile.ptr<i8> -> !tile.ptr<f32>
  return %1, %3, %5, %7 : !tile.ptr<f32>, i64, i8, !tile.ptr<f32>
}

// CHECK-LABEL: @keep_cast_to_other_pointer
// CHECK: tile.ptr_to_int
// CHECK: tile.int_to_ptr
func.func @keep_cast_to_other_pointer(%p: !tile.ptr<f32>) -> !tile.ptr<i8> {
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %1 = tile.int_to_ptr %0 : i64 -> !tile.ptr<i8>
  return %1 : !tile.ptr<i8>
}

// Into 8 bits: 1000 and infinity saturate, 1.06 rounds to 1, 1.2 toward zero gives 1 (to nearest, 1.25).
// CHECK-LABEL: @fp_cast_of_constants
// CHECK-DAG: arith.constant 4.480000e+02 : f8E4M3FN
// CHECK-DAG: arith.constant -4.480000e+02 : f8E4M3FN
// CHECK-DAG: arith.constant 1.000000e+00 : f8E4M3FN
// CHECK-DAG: arith.constant 5.734400e+04 : f8E5M2
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<4xf8E5M2>
// CHECK-DAG: arith.constant 6.550400e+04 : f16
func.func @fp_cast_of_constants() -> (f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E5M2, tensor<4xf8E5M2>, f16) {
  %big = arith.constant 1000.0 : f32
  %0 = tile.fp_cast %big : f32 -> f8E4M3FN
  %ninf = arith.constant 0xFF800000 : f32
  %1 = tile.fp_cast %ninf : f32 -> f8E4M3FN
  %x = arith.constant 1.06 : f32
  %2 = tile.fp_cast %x : f32 -> f8E4M3FN
  %huge = arith.constant 1.0e30 : f32
  %3 = tile.fp_cast %huge : f32 -> f8E5M2
  %v = arith.constant dense<1.2> : tensor<4xf32>
  %4 = tile.fp_cast %v rounding rtz : tensor<4xf32> -> tensor<4xf8E5M2>
  %y = arith.constant 65519.9 : f32
  %5 = tile.fp_cast %y rounding rtz : f32 -> f16
  return %0, %1, %2, %3, %4, %5 : f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E5M2, tensor<4xf8E5M2>, f16
}

// CHECK-LABEL: @keep_fp_cast_of_nan
// CHECK: tile.fp_cast
func.func @keep_fp_cast_of_nan() -> f8E4M3FN {
  %nan = arith.constant 0x7FC00000 : f32
  %0 = tile.fp_cast %nan : f32 -> f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

// CHECK-LABEL: @hints
// CHECK-SAME: %[[N:.*]]: i32
// CHECK-DAG: %[[C:.*]] = arith.constant 64 : i32
// CHECK: %[[H:.*]] = tile.hint %[[N]] {divisibility = array<i64: 16>} : i32
// CHECK: return %[[C]], %[[N]], %[[H]]
func.func @hints(%n: i32) -> (i32, i32, i32) {
  %c = arith.constant 64 : i32
  %0 = tile.hint %c {divisibility = array<i64: 16>} : i32
  %1 = tile.hint %n {divisibility = array<i64: 1>} : i32
  %2 = tile.hint %n {divisibility = array<i64: 16>} : i32
  return %0, %1, %2 : i32, i32, i32
}

// CHECK-LABEL: @assume_and_assert
// CHECK-SAME: %[[C:.*]]: i1, %[[M:.*]]: tensor<8xi1>
// CHECK-NEXT: tile.assume %[[C]]
// CHECK-NEXT: tile.assert %[[C]], "kept" : i1
// CHECK-NEXT: tile.assert %[[M]], "unmasked" : tensor<8xi1>
// CHECK-NEXT: return
func.func @assume_and_assert(%c: i1, %m: tensor<8xi1>) {
  %true = arith.constant true
  %ts = arith.constant dense<true> : tensor<8xi1>
  %fs = arith.constant dense<false> : tensor<8xi1>
  tile.assume %true
  tile.assume %c
  tile.assert %true, "holds" : i1
  tile.assert %c, "kept" : i1
  tile.assert %m, "unmasked" mask %ts : tensor<8xi1>
  tile.assert %m, "masked off" mask %fs : tensor<8xi1>
  return
}

// CHECK-LABEL: @dead_ops
// CHECK-NEXT: return
func.func @dead_ops(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>) {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  %1 = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: @keep_dead_volatile_load
// CHECK: tile.load
func.func @keep_dead_volatile_load(%p: tensor<8x!tile.ptr<f32>>) {
  %0 = tile.load %p volatile : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: @fields_of_a_descriptor
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[N:.*]]: i64, %[[S:.*]]: i64, %{{.*}})
// CHECK-NEXT: return %[[N]], %[[S]]
func.func @fields_of_a_descriptor(%p: !tile.ptr<i32>, %m: i64, %n: i64, %s: i64, %t: i64) -> (i64, i64) {
  %d = tile.make_descriptor %p sizes [%m, %n] strides [%s, %t] : !tile.descriptor<4x8xi32>
  %0 = tile.descriptor_size %d axis 1 : !tile.descriptor<4x8xi32>
  %1 = tile.descriptor_stride %d axis 0 : !tile.descriptor<4x8xi32>
  return %0, %1 : i64, i64
}

// CHECK-LABEL: @keep_fields_of_another_descriptor
// CHECK: tile.descriptor_size
// CHECK: tile.descriptor_stride
func.func @keep_fields_of_another_descriptor(%d: !tile.descriptor<4x8xi32>) -> (i64, i64) {
  %0 = tile.descriptor_size %d axis 1 : !tile.descriptor<4x8xi32>
  %1 = tile.descriptor_stride %d axis 0 : !tile.descriptor<4x8xi32>
  return %0, %1 : i64, i64
}
