// RUN: tile-opt %s --tile-strip-hints | FileCheck %s

// CHECK-LABEL: @strip
// CHECK-SAME: %[[N:.*]]: i32, %[[C:.*]]: i1
// CHECK-NEXT: tile.assert %[[C]], "stays" : i1
// CHECK-NEXT: return %[[N]]
func.func @strip(%n: i32, %c: i1) -> i32 {
  %0 = tile.hint %n {divisibility = array<i64: 16>} : i32
  %1 = tile.hint %0 {divisibility = array<i64: 32>} : i32
  tile.assume %c
  tile.assert %c, "stays" : i1
  return %1 : i32
}
