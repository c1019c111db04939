// Assertions and prints go through the driver's functions; lines are the source's.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/assert.mlir | FileCheck %t/assert.mlir
// RUN: tile-nvptx %t/untold.mlir | FileCheck %t/untold.mlir
// RUN: tile-nvptx %t/print.mlir | FileCheck %t/print.mlir
// RUN: tile-nvptx %t/lines.mlir --line-info | FileCheck %t/lines.mlir
// RUN: tile-nvptx %t/lines.mlir | FileCheck %t/lines.mlir --check-prefix=NONE
// RUN: tile-nvptx %t/inlined.mlir --line-info | FileCheck %t/inlined.mlir
// RUN: tile-nvptx %t/assert.mlir -o %t/1.ptx && tile-nvptx %t/assert.mlir -o %t/2.ptx && cmp %t/1.ptx %t/2.ptx

//--- assert.mlir
// CHECK: .extern .func __assertfail
// CHECK: call.uni __assertfail
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  %z = arith.constant 0 : i32
  %c = arith.cmpi sgt, %v, %z : i32
  tile.assert %c, "must be positive" : i1
  return
}

//--- untold.mlir
// The driver prints a text in any case.
// CHECK: .b8 {{.*}}[14] = {100, 101, 118, 105, 99, 101, 95, 97, 115, 115, 101, 114, 116};
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  %z = arith.constant 0 : i32
  %c = arith.cmpi sgt, %v, %z : i32
  tile.assert %c, "" : i1
  return
}

//--- print.mlir
// CHECK: .extern .func {{.*}} vprintf
// CHECK: vprintf
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  tile.print "100% of x: " : %v signed [true] : i32
  return
}

//--- lines.mlir
// CHECK: .loc [[FILE:[0-9]+]] 17
// CHECK: .file [[FILE]] "{{.*}}add.py"
// NONE-NOT: .loc
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32> loc("add.py":16:5)
  %w = arith.addf %v, %v : f32 loc("add.py":17:5)
  tile.store %x, %w : !tile.ptr<f32> loc("add.py":18:5)
  return
} loc("add.py":15:1)

//--- inlined.mlir
// The texts of a helper's assertions and prints belong to no line.
// CHECK: .global .align 1 .b8 tilerun_text_
// CHECK: .loc [[FILE:[0-9]+]] 3
// CHECK: call.uni __assertfail
// CHECK: .loc [[FILE]] 4
// CHECK: vprintf
// CHECK: .file [[FILE]] "{{.*}}helper.py"
#helper = loc("helper.py":3:5)
#printed = loc("helper.py":4:5)
#call = loc("kernel.py":17:9)
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32> loc("kernel.py":16:5)
  %z = arith.constant 0 : i32
  %c = arith.cmpi sgt, %v, %z : i32 loc(callsite(#helper at #call))
  tile.assert %c, "must be positive" : i1 loc(callsite(#helper at #call))
  tile.print "x: " : %v signed [true] : i32 loc(callsite(#printed at #call))
  return
} loc("kernel.py":15:1)
