// tile-propagate-constants: through branches and loops, and through tile ops by their folders.
// RUN: tile-opt %s --tile-propagate-constants | FileCheck %s

// Both branches give the same constant, and the splat of it is one too.
// CHECK-LABEL: @through_branch
// CHECK: %[[C:.*]] = arith.constant dense<4> : tensor<8xi32>
// CHECK: return %[[C]]
func.func @through_branch(%c: i1) -> tensor<8xi32> {
  %four = arith.constant 4 : i32
  %two = arith.constant 2 : i32
  %x = scf.if %c -> i32 {
    scf.yield %four : i32
  } else {
    %sum = arith.addi %two, %two : i32
    scf.yield %sum : i32
  }
  %s = tile.splat %x : i32 -> tensor<8xi32>
  return %s : tensor<8xi32>
}

// CHECK-LABEL: @keep_unknown
// CHECK: %[[S:.*]] = tile.splat
// CHECK: return %[[S]]
func.func @keep_unknown(%c: i1) -> tensor<8xi32> {
  %four = arith.constant 4 : i32
  %two = arith.constant 2 : i32
  %x = arith.select %c, %four, %two : i32
  %s = tile.splat %x : i32 -> tensor<8xi32>
  return %s : tensor<8xi32>
}

// A loaded value is not a constant, though its mask may be known.
// CHECK-LABEL: @keep_load
// CHECK: tile.load
func.func @keep_load(%p: !tile.ptr<i32>) -> i32 {
  %t = arith.constant true
  %x = tile.load %p mask %t : !tile.ptr<i32>
  return %x : i32
}

// The same value on every path through the loop.
// CHECK-LABEL: @through_loop
// CHECK: %[[C:.*]] = arith.constant 4 : i32
// CHECK: return %[[C]]
func.func @through_loop(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %four = arith.constant 4 : i32
  %zero = arith.constant 0 : i32
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%v = %four) -> i32 {
    %same = arith.addi %v, %zero : i32
    scf.yield %same : i32
  }
  return %x : i32
}

// The folds of exclusive ors name the loop's result, which is not an operand of theirs: it is true before the loop, and
// false after it.
// CHECK-LABEL: @keep_changed_in_loop
// CHECK: %[[W:.*]]:2 = scf.while
// CHECK: %[[A:.*]] = arith.xori %[[W]]#0, %[[C:.*]] : i1
// CHECK: %[[B:.*]] = arith.xori %[[A]], %[[C]] : i1
// CHECK: %[[R:.*]] = arith.xori %[[B]], %[[C]] : i1
// CHECK: return %[[R]]
func.func @keep_changed_in_loop(%n: i32, %c: i1) -> i1 {
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w:2 = scf.while (%v = %true, %k = %n) : (i1, i32) -> (i1, i32) {
    %more = arith.cmpi sgt, %k, %zero : i32
    scf.condition(%more) %v, %k : i1, i32
  } do {
  ^bb0(%v: i1, %k: i32):
    %next = arith.subi %k, %one : i32
    scf.yield %false, %next : i1, i32
  }
  %a = arith.xori %w#0, %c : i1
  %b = arith.xori %a, %c : i1
  %r = arith.xori %b, %c : i1
  return %r : i1
}
