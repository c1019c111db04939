// Python's names may have any letters, PTX's only ASCII's.
// RUN: tile-nvptx %s | FileCheck %s
// CHECK: .visible .entry gr$c3$b6$c3$9fe_2(
func.func @"gr\C3\B6\C3\9Fe_2"(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  tile.store %x, %one : !tile.ptr<i32>
  return
}
