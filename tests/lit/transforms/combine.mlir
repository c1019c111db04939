// tile-combine: ops that merge, and ops that must not (named keep_).
// RUN: tile-opt %s --tile-combine --split-input-file | FileCheck %s

// CHECK-LABEL: @dot_plus
// CHECK-SAME: %[[A:.*]]: tensor<16x8xf16>, %[[B:.*]]: tensor<8x4xf16>, %[[C:.*]]: tensor<16x4xf32>
// CHECK: %[[R:.*]] = tile.dot %[[A]], %[[B]], %[[C]] precision tf32
// CHECK-NOT: arith.addf
// CHECK: return %[[R]]
func.func @dot_plus(%a: tensor<16x8xf16>, %b: tensor<8x4xf16>, %c: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %0 = tile.dot %a, %b, %z precision tf32 : tensor<16x8xf16>, tensor<8x4xf16> -> tensor<16x4xf32>
  %1 = arith.addf %0, %c : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// CHECK-LABEL: @plus_dot
// CHECK: tile.dot
// CHECK-NOT: arith.addf
func.func @plus_dot(%a: tensor<16x8xf16>, %b: tensor<8x4xf16>, %c: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %0 = tile.dot %a, %b, %z : tensor<16x8xf16>, tensor<8x4xf16> -> tensor<16x4xf32>
  %1 = arith.addf %c, %0 : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// CHECK-LABEL: @integer_dot_plus
// CHECK: tile.dot
// CHECK-NOT: arith.addi
func.func @integer_dot_plus(%a: tensor<16x8xi8>, %b: tensor<8x4xi8>, %c: tensor<16x4xi32>) -> tensor<16x4xi32> {
  %z = arith.constant dense<0> : tensor<16x4xi32>
  %0 = tile.dot %a, %b, %z : tensor<16x8xi8>, tensor<8x4xi8> -> tensor<16x4xi32>
  %1 = arith.addi %0, %c : tensor<16x4xi32>
  return %1 : tensor<16x4xi32>
}

// The accumulator has a value already: adding twice in another order would be a reassociation.
// CHECK-LABEL: @keep_dot_with_accumulator
// CHECK: tile.dot
// CHECK: arith.addf
func.func @keep_dot_with_accumulator(%a: tensor<16x8xf16>, %b: tensor<8x4xf16>, %c: tensor<16x4xf32>, %d: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %0 = tile.dot %a, %b, %d : tensor<16x8xf16>, tensor<8x4xf16> -> tensor<16x4xf32>
  %1 = arith.addf %0, %c : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// CHECK-LABEL: @keep_dot_used_twice
// CHECK: tile.dot
// CHECK: arith.addf
func.func @keep_dot_used_twice(%a: tensor<16x8xf16>, %b: tensor<8x4xf16>, %c: tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %0 = tile.dot %a, %b, %z : tensor<16x8xf16>, tensor<8x4xf16> -> tensor<16x4xf32>
  %1 = arith.addf %0, %c : tensor<16x4xf32>
  return %0, %1 : tensor<16x4xf32>, tensor<16x4xf32>
}

// CHECK-LABEL: @keep_dot_plus_itself
// CHECK: tile.dot
// CHECK: arith.addf
func.func @keep_dot_plus_itself(%a: tensor<16x8xf16>, %b: tensor<8x4xf16>) -> tensor<16x4xf32> {
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %0 = tile.dot %a, %b, %z : tensor<16x8xf16>, tensor<8x4xf16> -> tensor<16x4xf32>
  %1 = arith.addf %0, %0 : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// CHECK-LABEL: @keep_imprecise_dot
// CHECK: arith.addf
func.func @keep_imprecise_dot(%a: tensor<16x8xf8E5M2>, %b: tensor<8x4xf8E5M2>, %c: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %0 = tile.dot %a, %b, %z {max_imprecise = 32 : i32} : tensor<16x8xf8E5M2>, tensor<8x4xf8E5M2> -> tensor<16x4xf32>
  %1 = arith.addf %0, %c : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// A product outside a loop must not be computed in each iteration.
// CHECK-LABEL: @keep_dot_outside_loop
// CHECK: tile.dot
// CHECK: scf.for
// CHECK: arith.addf
func.func @keep_dot_outside_loop(%a: tensor<16x8xf16>, %b: tensor<8x4xf16>, %c: tensor<16x4xf32>, %n: i32) -> tensor<16x4xf32> {
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tile.dot %a, %b, %z : tensor<16x8xf16>, tensor<8x4xf16> -> tensor<16x4xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<16x4xf32>) : i32 {
    %2 = arith.addf %0, %acc : tensor<16x4xf32>
    scf.yield %2 : tensor<16x4xf32>
  }
  return %1 : tensor<16x4xf32>
}

// -----

// CHECK-LABEL: @select_of_load
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[V:.*]]: tensor<8xf32>
// CHECK: %[[R:.*]] = tile.load %[[P]] mask %[[M]] other %[[V]] {cache = #tile<cache cg>}
// CHECK: return %[[R]]
func.func @select_of_load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tile.load %p mask %m {cache = #tile<cache cg>} : tensor<8x!tile.ptr<f32>>
  %1 = arith.select %m, %0, %v : tensor<8xi1>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @keep_select_on_another_mask
// CHECK: tile.load
// CHECK: arith.select
func.func @keep_select_on_another_mask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  %1 = arith.select %n, %0, %v : tensor<8xi1>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @keep_select_of_volatile_load
// CHECK: arith.select
func.func @keep_select_of_volatile_load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tile.load %p mask %m volatile : tensor<8x!tile.ptr<f32>>
  %1 = arith.select %m, %0, %v : tensor<8xi1>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The other value comes after a store, and the load may not move there.
// CHECK-LABEL: @keep_select_with_later_value
// CHECK: tile.load
// CHECK: tile.store
// CHECK: tile.load
// CHECK: arith.select
func.func @keep_select_with_later_value(%p: tensor<8x!tile.ptr<f32>>, %q: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  %c = arith.constant dense<1.0> : tensor<8xf32>
  tile.store %p, %c : tensor<8x!tile.ptr<f32>>
  %v = tile.load %q : tensor<8x!tile.ptr<f32>>
  %1 = arith.select %m, %0, %v : tensor<8xi1>, tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @other_of_select
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: tile.load %{{.*}} mask %{{.*}} other %[[B]]
func.func @other_of_select(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %o = arith.select %m, %a, %b : tensor<8xi1>, tensor<8xf32>
  %0 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @keep_other_of_another_select
// CHECK: %[[S:.*]] = arith.select
// CHECK: tile.load %{{.*}} mask %{{.*}} other %[[S]]
func.func @keep_other_of_another_select(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %o = arith.select %n, %a, %b : tensor<8xi1>, tensor<8xf32>
  %0 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @store_of_select
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<8xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: tile.store %{{.*}}, %[[V]] mask
func.func @store_of_select(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %x: tensor<8xf32>) {
  %0 = arith.select %m, %v, %x : tensor<8xi1>, tensor<8xf32>
  tile.store %p, %0 mask %m : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: @store_of_select_under_conjunction
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<8xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: tile.store %{{.*}}, %[[V]] mask
func.func @store_of_select_under_conjunction(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %v: tensor<8xf32>, %x: tensor<8xf32>) {
  %0 = arith.select %m, %v, %x : tensor<8xi1>, tensor<8xf32>
  %1 = arith.andi %n, %m : tensor<8xi1>
  tile.store %p, %0 mask %1 : tensor<8x!tile.ptr<f32>>
  return
}

// A lane that `or` selects need not be one that the select's condition holds for.
// CHECK-LABEL: @keep_store_of_select_under_disjunction
// CHECK: %[[S:.*]] = arith.select
// CHECK: tile.store %{{.*}}, %[[S]]
func.func @keep_store_of_select_under_disjunction(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %v: tensor<8xf32>, %x: tensor<8xf32>) {
  %0 = arith.select %m, %v, %x : tensor<8xi1>, tensor<8xf32>
  %1 = arith.ori %n, %m : tensor<8xi1>
  tile.store %p, %0 mask %1 : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: @atomic_of_select
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<8xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: tile.atomic_rmw fadd %{{.*}}, %[[V]] mask
func.func @atomic_of_select(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %x: tensor<8xf32>) {
  %0 = arith.select %m, %v, %x : tensor<8xi1>, tensor<8xf32>
  %1 = tile.atomic_rmw fadd %p, %0 mask %m : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: @keep_store_of_select_without_mask
// CHECK: %[[S:.*]] = arith.select
// CHECK: tile.store %{{.*}}, %[[S]]
func.func @keep_store_of_select_without_mask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %x: tensor<8xf32>) {
  %0 = arith.select %m, %v, %x : tensor<8xi1>, tensor<8xf32>
  tile.store %p, %0 : tensor<8x!tile.ptr<f32>>
  return
}

// -----

// CHECK-LABEL: @select_true_false
// CHECK-SAME: %[[C:.*]]: tensor<8xi1>
// CHECK: return %[[C]]
func.func @select_true_false(%c: tensor<8xi1>) -> tensor<8xi1> {
  %t = arith.constant dense<true> : tensor<8xi1>
  %f = arith.constant dense<false> : tensor<8xi1>
  %0 = arith.select %c, %t, %f : tensor<8xi1>, tensor<8xi1>
  return %0 : tensor<8xi1>
}

// Not `and`: the value may be poison where the condition is false.
// CHECK-LABEL: @keep_select_or_false
// CHECK: arith.select
// CHECK-NOT: arith.andi
func.func @keep_select_or_false(%c: tensor<8xi1>, %m: tensor<8xi1>) -> tensor<8xi1> {
  %f = arith.constant dense<false> : tensor<8xi1>
  %0 = arith.select %c, %m, %f : tensor<8xi1>, tensor<8xi1>
  return %0 : tensor<8xi1>
}

// CHECK-LABEL: @implied_conjunct
// CHECK: %[[R:.*]] = arith.andi
// CHECK-NOT: arith.andi
// CHECK: return %[[R]]
func.func @implied_conjunct(%m: tensor<8xi1>, %n: tensor<8xi1>) -> tensor<8xi1> {
  %0 = arith.andi %m, %n : tensor<8xi1>
  %1 = arith.andi %n, %0 : tensor<8xi1>
  return %1 : tensor<8xi1>
}

// CHECK-LABEL: @keep_conjunct
// CHECK: arith.andi
// CHECK: arith.andi
func.func @keep_conjunct(%m: tensor<8xi1>, %n: tensor<8xi1>, %k: tensor<8xi1>) -> tensor<8xi1> {
  %0 = arith.andi %m, %n : tensor<8xi1>
  %1 = arith.andi %k, %0 : tensor<8xi1>
  return %1 : tensor<8xi1>
}
