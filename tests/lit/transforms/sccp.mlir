// MLIR's sparse constant propagation goes through tile ops by their folders.
// RUN: tile-opt %s --sccp | FileCheck %s

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

// A loaded value is no constant, though its mask may be known.
// CHECK-LABEL: @keep_load
// CHECK: tile.load
func.func @keep_load(%p: !tile.ptr<i32>) -> i32 {
  %t = arith.constant true
  %x = tile.load %p mask %t : !tile.ptr<i32>
  return %x : i32
}
