// tile-dead-loads: unused, masked-off and repeated loads go; keep_ functions must not change.
// RUN: tile-opt %s --tile-dead-loads --split-input-file | FileCheck %s

// CHECK-LABEL: @unused
// CHECK-NEXT: return
func.func @unused(%p: tensor<8x!tile.ptr<f32>>) {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  return
}

// A load that only computes the address of an unused one is unused too.
// CHECK-LABEL: @unused_chain
// CHECK-NEXT: return
func.func @unused_chain(%p: !tile.ptr<i32>, %q: !tile.ptr<f32>) {
  %0 = tile.load %p : !tile.ptr<i32>
  %1 = arith.addi %0, %0 : i32
  %2 = arith.muli %1, %0 : i32
  %3 = tile.addptr %q, %2 : !tile.ptr<f32>, i32
  %4 = tile.load %3 : !tile.ptr<f32>
  return
}

// CHECK-LABEL: @keep_volatile
// CHECK: tile.load
// CHECK: tile.load
func.func @keep_volatile(%p: tensor<8x!tile.ptr<f32>>) -> (tensor<8xf32>) {
  %0 = tile.load %p volatile : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p volatile : tensor<8x!tile.ptr<f32>>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @masked_off
// CHECK-NOT: tile.load
// CHECK: return %{{.*}}, %[[O:[a-z0-9]+]]
func.func @masked_off(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @keep_partly_masked
// CHECK: tile.load
func.func @keep_partly_masked(%p: tensor<2x!tile.ptr<f32>>) -> tensor<2xf32> {
  %m = arith.constant dense<[false, true]> : tensor<2xi1>
  %0 = tile.load %p mask %m : tensor<2x!tile.ptr<f32>>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @repeated
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: tile.load
// CHECK: return %[[X]], %[[X]]
func.func @repeated(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Checks and prints do not write to memory.
// CHECK-LABEL: @repeated_across_checks
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @repeated_across_checks(%p: tensor<8x!tile.ptr<f32>>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  tile.assert %c, "checked" : i1
  tile.assume %c
  tile.print "seen"
  %1 = tile.load %p : tensor<8x!tile.ptr<f32>>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @keep_across_store
// CHECK: tile.load
// CHECK: tile.store
// CHECK: tile.load
func.func @keep_across_store(%p: tensor<8x!tile.ptr<f32>>, %q: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  tile.store %q, %v : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p : tensor<8x!tile.ptr<f32>>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @keep_across_barrier
// CHECK: tile.load
// CHECK: tile.barrier
// CHECK: tile.load
func.func @keep_across_barrier(%p: tensor<8x!tile.ptr<f32>>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  tile.barrier
  %1 = tile.load %p : tensor<8x!tile.ptr<f32>>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @keep_across_atomic
// CHECK: tile.load
// CHECK: tile.atomic_rmw
// CHECK: tile.load
func.func @keep_across_atomic(%p: !tile.ptr<i32>, %v: i32) -> (i32, i32) {
  %0 = tile.load %p : !tile.ptr<i32>
  %a = tile.atomic_rmw add %p, %v : !tile.ptr<i32>
  %1 = tile.load %p : !tile.ptr<i32>
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @keep_across_call
// CHECK: tile.load
// CHECK: call
// CHECK: tile.load
func.func private @unknown()
func.func @keep_across_call(%p: !tile.ptr<i32>) -> (i32, i32) {
  %0 = tile.load %p : !tile.ptr<i32>
  func.call @unknown() : () -> ()
  %1 = tile.load %p : !tile.ptr<i32>
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @keep_different
// CHECK-COUNT-5: tile.load
func.func @keep_different(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  %2 = tile.load %p mask %n : tensor<8x!tile.ptr<f32>>
  %3 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>>
  %4 = tile.load %p {cache = #tile<cache cv>} : tensor<8x!tile.ptr<f32>>
  return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @into_branch
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @into_branch(%p: !tile.ptr<i32>, %c: i1) -> i32 {
  %0 = tile.load %p : !tile.ptr<i32>
  %1 = scf.if %c -> i32 {
    %2 = tile.load %p : !tile.ptr<i32>
    tile.store %p, %2 : !tile.ptr<i32>
    scf.yield %2 : i32
  } else {
    scf.yield %0 : i32
  }
  return %1 : i32
}

// After a branch that stores, memory is unknown.
// CHECK-LABEL: @keep_after_branch
// CHECK: tile.load
// CHECK: scf.if
// CHECK: tile.load
func.func @keep_after_branch(%p: !tile.ptr<i32>, %c: i1) -> (i32, i32) {
  %0 = tile.load %p : !tile.ptr<i32>
  scf.if %c {
    tile.store %p, %0 : !tile.ptr<i32>
  }
  %1 = tile.load %p : !tile.ptr<i32>
  return %0, %1 : i32, i32
}

// A load in a branch does not dominate what follows.
// CHECK-LABEL: @keep_after_load_in_branch
// CHECK: scf.if
// CHECK: tile.load
// CHECK: tile.load
func.func @keep_after_load_in_branch(%p: !tile.ptr<i32>, %c: i1, %z: i32) -> (i32, i32) {
  %0 = scf.if %c -> i32 {
    %2 = tile.load %p : !tile.ptr<i32>
    scf.yield %2 : i32
  } else {
    scf.yield %z : i32
  }
  %1 = tile.load %p : !tile.ptr<i32>
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @into_loop
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @into_loop(%p: !tile.ptr<i32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tile.load %p : !tile.ptr<i32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %0) -> i32 : i32 {
    %2 = tile.load %p : !tile.ptr<i32>
    %3 = arith.addi %s, %2 : i32
    scf.yield %3 : i32
  }
  return %1 : i32
}

// The store of one iteration comes before the load of the next.
// CHECK-LABEL: @keep_in_storing_loop
// CHECK: tile.load
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.store
func.func @keep_in_storing_loop(%p: !tile.ptr<i32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tile.load %p : !tile.ptr<i32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %0) -> i32 : i32 {
    %2 = tile.load %p : !tile.ptr<i32>
    %3 = arith.addi %s, %2 : i32
    tile.store %p, %3 : !tile.ptr<i32>
    scf.yield %3 : i32
  }
  return %1 : i32
}
