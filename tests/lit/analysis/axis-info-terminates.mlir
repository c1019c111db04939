// A number that an outer loop carries through an inner one: the analysis of ranges must end.
// RUN: tile-opt --tile-print-axis-info %s 2>&1 | FileCheck %s
// CHECK-LABEL: func.func @f
// CHECK: tile.store
func.func @f(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %x = arith.addi %a, %c1 : i32
    %s = scf.for %j = %c0 to %c9 step %c1 iter_args(%b = %x) -> (i32) : i32 {
      scf.yield %b : i32
    }
    scf.yield %s : i32
  }
  %q = tile.addptr %p, %r : !tile.ptr<i32>, i32
  tile.store %q, %r : !tile.ptr<i32>
  return
}
