// A 32-bit negation, or a product with or a quotient by a negated power of two, of which a minimum is made, is a complement plus one: ptxas
// drops the sign of an operand of min(min(x, -y), 0) for sm_90. Others are as LLVM writes them.
// RUN: tile-nvptx %s | FileCheck %s

// CHECK-LABEL: .entry k(
// CHECK: not.b32 [[N:%r[0-9]+]], {{%r[0-9]+}}; add.s32 [[N]], [[N]], 1;
// CHECK-NOT: neg.s32
// CHECK: min.s32
// CHECK: shl.b32 [[S:%r[0-9]+]], {{%r[0-9]+}}, 2; not.b32 [[S]], [[S]]; add.s32 [[S]], [[S]], 1;
// CHECK: max.s32
// CHECK: shr.s32
// CHECK: not.b32 [[Q:%r[0-9]+]], {{%r[0-9]+}}; add.s32 [[Q]], [[Q]], 1;
// CHECK: min.s32
// CHECK: neg.s32
func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %minus_four = arith.constant -4 : i32
  %a = tile.load %x {volatile = true} : !tile.ptr<i32>
  %b = tile.load %y {volatile = true} : !tile.ptr<i32>
  %c = arith.subi %zero, %b : i32
  %d = arith.minsi %a, %c : i32
  %e = arith.minsi %d, %zero : i32
  tile.store %x, %e {volatile = true} : !tile.ptr<i32>
  %f = tile.load %y {volatile = true} : !tile.ptr<i32>
  %g = arith.muli %f, %minus_four : i32
  %h = arith.maxsi %a, %g : i32
  tile.store %x, %h : !tile.ptr<i32>
  %l = tile.load %y {volatile = true} : !tile.ptr<i32>
  %m = arith.divsi %l, %minus_four : i32
  %n = arith.minsi %a, %m : i32
  tile.store %x, %n {volatile = true} : !tile.ptr<i32>
  %i = tile.load %y {volatile = true} : !tile.ptr<i32>
  %j = arith.subi %zero, %i : i32
  tile.store %y, %j : !tile.ptr<i32>
  return
}
