// An absolute value that is divided is computed by shifts: the driver's compiler leaves the sign out of what is divided
// after abs.s32, also for -2147483648.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/divided.mlir | FileCheck %s --check-prefix=DIVIDED --implicit-check-not=abs.s
// RUN: tile-nvptx %t/wide.mlir | FileCheck %s --check-prefix=WIDE --implicit-check-not=abs.s
// RUN: tile-nvptx %t/whole.mlir | FileCheck %s --check-prefix=WHOLE
// DIVIDED: shr.s32 s, %[[X:r[0-9]+]], 31; xor.b32 %[[R:r[0-9]+]], %[[X]], s; sub.s32 %[[R]], %[[R]], s; }
// DIVIDED: rem.s32
// WIDE: shr.s64 s, %[[X:rd[0-9]+]], 63; xor.b64 %[[R:rd[0-9]+]], %[[X]], s; sub.s64 %[[R]], %[[R]], s; }
// WIDE: div.s64
// WHOLE: abs.s32

//--- divided.mlir
func.func @k(%x: !tile.ptr<i32>, %y: i32) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %a = tile.load %x : !tile.ptr<i32>
  %b = math.absi %a : i32
  %c = arith.ori %b, %one : i32
  %d = arith.remsi %c, %y : i32
  tile.store %x, %d : !tile.ptr<i32>
  return
}

//--- wide.mlir
func.func @k(%x: !tile.ptr<i64>, %y: i64) attributes {tile.kernel} {
  %a = tile.load %x : !tile.ptr<i64>
  %b = math.absi %a : i64
  %d = arith.divsi %y, %b : i64
  tile.store %x, %d : !tile.ptr<i64>
  return
}

//--- whole.mlir
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %a = tile.load %x : !tile.ptr<i32>
  %b = math.absi %a : i32
  tile.store %x, %b : !tile.ptr<i32>
  return
}
