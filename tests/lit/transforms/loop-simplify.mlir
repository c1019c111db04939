// tile-loop-simplify: trivial loops, hoisting, and unused carried values; keep_ functions must not change.
// RUN: tile-opt %s --tile-loop-simplify --split-input-file | FileCheck %s

// CHECK-LABEL: @zero_trips
// CHECK-NOT: scf.for
// CHECK: return %{{.*}} : f32
func.func @zero_trips(%x: f32) -> f32 {
  %c4 = arith.constant 4 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c4 to %c4 step %c1 iter_args(%a = %x) -> f32 : i32 {
    %1 = arith.addf %a, %a : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: @one_trip
// CHECK-NOT: scf.for
// CHECK: %[[R:.*]] = arith.addf
// CHECK: return %[[R]]
func.func @one_trip(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> f32 : i32 {
    %1 = arith.addf %a, %a : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: @keep_two_trips
// CHECK: scf.for
func.func @keep_two_trips(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> f32 : i32 {
    %1 = arith.addf %a, %a : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: @constant_branch
// CHECK-NOT: scf.if
// CHECK: tile.store
func.func @constant_branch(%p: !tile.ptr<f32>, %x: f32) {
  %t = arith.constant true
  scf.if %t {
    tile.store %p, %x : !tile.ptr<f32>
  }
  return
}

// -----

// CHECK-LABEL: @hoist
// CHECK: tile.make_range
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
func.func @hoist(%n: i32, %x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %r = tile.make_range 0 to 8 : tensor<8xi32>
      tile.print "r" : %r signed [true] : tensor<8xi32>
    }
    %1 = math.exp %x : f32
    %2 = arith.addf %a, %1 : f32
    scf.yield %2 : f32
  }
  return %0 : f32
}

// A load may fault, and memory may change: it stays in its loop. So does a division, which may be undefined.
// CHECK-LABEL: @keep_in_loop
// CHECK: scf.for
// CHECK: tile.load
// CHECK: arith.divsi
func.func @keep_in_loop(%n: i32, %p: !tile.ptr<i32>, %x: i32, %y: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> i32 : i32 {
    %1 = tile.load %p : !tile.ptr<i32>
    %2 = arith.divsi %x, %y : i32
    %3 = arith.addi %1, %2 : i32
    %4 = arith.addi %a, %3 : i32
    scf.yield %4 : i32
  }
  return %0 : i32
}

// A reduction whose region may divide by zero is no safer than the division.
// CHECK-LABEL: @keep_unsafe_reduction_in_loop
// CHECK: scf.for
// CHECK: tile.reduce
func.func @keep_unsafe_reduction_in_loop(%n: i32, %v: tensor<8xi32>, %x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> i32 : i32 {
    %1 = tile.reduce %v axis 0 : (tensor<8xi32>) -> i32 {
    ^bb0(%p: i32, %q: i32):
      %s = arith.divsi %p, %q : i32
      tile.yield %s : i32
    }
    %4 = arith.addi %a, %1 : i32
    scf.yield %4 : i32
  }
  return %0 : i32
}

// CHECK-LABEL: @hoist_reduction
// CHECK: tile.reduce
// CHECK: scf.for
func.func @hoist_reduction(%n: i32, %v: tensor<8xi32>, %x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> i32 : i32 {
    %1 = tile.reduce %v axis 0 : (tensor<8xi32>) -> i32 {
    ^bb0(%p: i32, %q: i32):
      %s = arith.addi %p, %q : i32
      tile.yield %s : i32
    }
    %4 = arith.addi %a, %1 : i32
    scf.yield %4 : i32
  }
  return %0 : i32
}

// -----

// %b feeds only itself.
// CHECK-LABEL: @dead_carried
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) : i32 {
// CHECK-NOT: arith.muli
// CHECK: scf.yield %{{.*}} : f32
func.func @dead_carried(%n: i32, %x: f32, %y: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, i32) : i32 {
    %1 = arith.addf %a, %a : f32
    %2 = arith.muli %b, %i : i32
    scf.yield %1, %2 : f32, i32
  } {tile.flatten = 1 : i64}
  return %0#0 : f32
}

// Two that feed only each other.
// CHECK-LABEL: @dead_carried_pair
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.store
func.func @dead_carried_pair(%n: i32, %x: f32, %p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) : i32 {
    %1 = arith.addf %a, %a : f32
    tile.store %p, %x : !tile.ptr<f32>
    scf.yield %b, %1 : f32, f32
  }
  return
}

// %b is stored, %c decides a branch that stores: both matter though their results are unused.
// CHECK-LABEL: @keep_carried_with_effect
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}) -> (i32, i32) : i32 {
// CHECK-NOT: iter_args
// CHECK: return
func.func @keep_carried_with_effect(%n: i32, %p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %c0, %c = %c1) -> (i32, i32) : i32 {
    %1 = arith.addi %b, %i : i32
    %2 = arith.muli %c, %i : i32
    %cond = arith.cmpi eq, %c, %n : i32
    scf.if %cond {
      tile.store %p, %b : !tile.ptr<i32>
    }
    scf.yield %1, %2 : i32, i32
  }
  return
}

// %b reaches the used result through %a.
// CHECK-LABEL: @keep_carried_through_another
// CHECK: iter_args(%{{.*}}, %{{.*}})
func.func @keep_carried_through_another(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
    %1 = arith.addi %b, %i : i32
    scf.yield %b, %1 : i32, i32
  }
  return %0#0 : i32
}
