// The whole pipeline: helpers are inlined and gone, constants decide branches, and only the kernel's work remains.
// RUN: tile-opt %s --tile-optimize | FileCheck %s
// The same input gives the same output, byte for byte.
// RUN: tile-opt %s --tile-optimize --mlir-print-debuginfo > %t.first
// RUN: tile-opt %s --tile-optimize --mlir-print-debuginfo | diff %t.first -

// CHECK-NOT: func.func private
func.func private @offsets(%pid: i32, %block: i32) -> tensor<128xi32> {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %b = arith.muli %pid, %block : i32
  %s = tile.splat %b : i32 -> tensor<128xi32>
  %o = arith.addi %s, %r : tensor<128xi32>
  return %o : tensor<128xi32>
}

// CHECK-LABEL: @add(
func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  // CHECK-NOT: call
  // CHECK-COUNT-1: tile.make_range
  // CHECK-NOT: tile.make_range
  // CHECK: %[[M:.*]] = arith.cmpi slt
  // CHECK: %[[V:.*]] = tile.load %{{.*}} mask %[[M]] other
  // CHECK-NOT: tile.load
  // CHECK-NOT: arith.select
  // CHECK: arith.addf %[[V]], %[[V]]
  // CHECK: tile.store
  // CHECK-NEXT: return
  %pid = tile.program_id 0
  %block = arith.constant 128 : i32
  %o = func.call @offsets(%pid, %block) : (i32, i32) -> tensor<128xi32>
  %o2 = func.call @offsets(%pid, %block) : (i32, i32) -> tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %px = tile.addptr %xs, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %px2 = tile.addptr %xs, %o2 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %v = tile.load %px mask %m : tensor<128x!tile.ptr<f32>>
  %w = arith.select %m, %v, %one : tensor<128xi1>, tensor<128xf32>
  %v2 = tile.load %px2 mask %m other %one : tensor<128x!tile.ptr<f32>>
  %s = arith.addf %w, %v2 : tensor<128xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %py = tile.addptr %ys, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %c0 = arith.constant 0 : i32
  %debug = arith.cmpi sgt, %c0, %block : i32
  scf.if %debug {
    tile.print "never"
  }
  tile.store %py, %s mask %m : tensor<128x!tile.ptr<f32>>
  return
}
