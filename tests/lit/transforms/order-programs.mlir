// tile-order-programs: a part of the device gets neighbouring programs.
// RUN: tile-opt %s --tile-order-programs=parts=8 | FileCheck %s
// RUN: tile-opt %s '--tile-optimize=parts=8' | FileCheck %s --check-prefix=OPT
// RUN: tile-opt %s --tile-order-programs | FileCheck %s --check-prefix=OFF
// RUN: tile-opt %s --tile-order-programs=parts=1 | FileCheck %s --check-prefix=OFF
// RUN: tile-opt %s --tile-optimize | FileCheck %s --check-prefix=OFF

// CHECK-LABEL: @one_axis
// CHECK-DAG: %[[ID:.*]] = tile.program_id 0
// CHECK-DAG: %[[N:.*]] = tile.num_programs 0
// CHECK-DAG: %[[PARTS:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[PART:.*]] = arith.remui %[[ID]], %[[PARTS]]
// CHECK-DAG: %[[EXTRA:.*]] = arith.remui %[[N]], %[[PARTS]]
// CHECK-DAG: %[[EACH:.*]] = arith.divui %[[N]], %[[PARTS]]
// CHECK-DAG: %[[EVEN:.*]] = arith.muli %[[PART]], %[[EACH]]
// CHECK-DAG: %[[MORE:.*]] = arith.minui %[[PART]], %[[EXTRA]]
// CHECK-DAG: %[[START:.*]] = arith.addi %[[EVEN]], %[[MORE]]
// CHECK-DAG: %[[WITHIN:.*]] = arith.divui %[[ID]], %[[PARTS]]
// CHECK: %[[NEW:.*]] = arith.addi %[[START]], %[[WITHIN]]
// CHECK-NOT: tile.program_id
// CHECK: tile.store %arg0, %[[NEW]]
// OPT-LABEL: @one_axis
// OPT: arith.minui
// OFF-LABEL: @one_axis
// OFF: %[[ID:.*]] = tile.program_id 0
// OFF-NEXT: tile.store %arg0, %[[ID]]
func.func @one_axis(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %id = tile.program_id 0
  tile.store %p, %id : !tile.ptr<i32>
  return
}

// Over both axes, the first fastest; grids that 32 bits do not count stay as they are.
// CHECK-LABEL: @two_axes
// CHECK-DAG: %[[X:.*]] = tile.program_id 0
// CHECK-DAG: %[[Y:.*]] = tile.program_id 1
// CHECK-DAG: %[[NX:.*]] = tile.num_programs 0
// CHECK-DAG: tile.num_programs 1
// CHECK: %[[ROW:.*]] = arith.muli %[[Y]], %[[NX]]
// CHECK: arith.addi %[[ROW]], %[[X]]
// CHECK: %[[NEWX:.*]] = arith.remui %{{.*}}, %[[NX]]
// CHECK: %[[NEWY:.*]] = arith.divui %{{.*}}, %[[NX]]
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : i64
// CHECK: arith.select %[[FITS]], %[[NEWX]], %[[X]]
// CHECK: arith.select %[[FITS]], %[[NEWY]], %[[Y]]
func.func @two_axes(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %sum = arith.addi %x, %y : i32
  tile.store %p, %sum : !tile.ptr<i32>
  return
}

// Nothing asks for a number.
// CHECK-LABEL: @none
// CHECK-NEXT: return
func.func @none() attributes {tile.kernel} {
  return
}
