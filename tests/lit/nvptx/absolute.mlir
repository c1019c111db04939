// The absolute value of 16 bits is computed in 32: the driver's compiler assumes that the result of abs.s16 is
// positive, even for -32768.
// RUN: tile-nvptx %s | FileCheck %s

// CHECK-NOT: abs.s16
// CHECK: abs.s32
// CHECK-NOT: abs.s16
func.func @k(%x: !tile.ptr<i16>, %y: !tile.ptr<i8>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i16
  %three = arith.constant -3 : i16
  %a = tile.load %x : !tile.ptr<i16>
  %b = math.absi %a : i16
  %c = arith.divsi %b, %three : i16
  tile.store %x, %c : !tile.ptr<i16>
  // The same for an abs that LLVM forms from a select.
  %d = tile.load %y : !tile.ptr<i8>
  %e = arith.extsi %d : i8 to i16
  %n = arith.subi %zero, %a : i16
  %s = arith.cmpi slt, %a, %zero : i16
  %f = arith.select %s, %n, %a : i16
  %g = arith.divsi %f, %e : i16
  tile.store %x, %g : !tile.ptr<i16>
  return
}
