// Negations of 16 bits, and products that LLVM would turn into them, are multiplications: after neg.s16 the driver's
// compiler uses the 32-bit negation as the result, which differs for -32768.
// RUN: tile-nvptx %s | FileCheck %s

// CHECK-NOT: neg.s16
// CHECK: mul.lo.s16 {{.*}}, -1;
// CHECK: setp
// CHECK: mul.lo.s16 {{.*}}, -1;
// CHECK: mul.lo.s16 {{.*}}, -8;
// CHECK-NOT: neg.s16
func.func @k(%x: !tile.ptr<i16>, %y: !tile.ptr<i1>, %limit: i16) attributes {tile.kernel} {
  %zero = arith.constant 0 : i16
  %minus_one = arith.constant -1 : i16
  %minus_eight = arith.constant -8 : i16
  %a = tile.load %x : !tile.ptr<i16>
  %b = arith.subi %zero, %a : i16
  %c = arith.cmpi slt, %b, %limit : i16
  tile.store %y, %c : !tile.ptr<i1>
  %d = tile.load %x {volatile = true} : !tile.ptr<i16>
  %e = arith.muli %d, %minus_one : i16
  tile.store %x, %e : !tile.ptr<i16>
  %f = tile.load %x {volatile = true} : !tile.ptr<i16>
  %g = arith.muli %f, %minus_eight : i16
  tile.store %x, %g : !tile.ptr<i16>
  return
}
