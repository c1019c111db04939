// Offsets of a loop's addresses are 64 bits wide before the loop: from mul.wide, ptxas would rematerialize each of them
// in every iteration. Outside of loops, mul.wide stays.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/loop.mlir --arch=sm_90a | FileCheck %t/loop.mlir
// RUN: tile-nvptx %t/straight.mlir --arch=sm_90a | FileCheck %t/straight.mlir

//--- loop.mlir
// CHECK-NOT: mul.wide
// CHECK: cvt.s64.s32
// CHECK-NOT: mul.wide
// CHECK: ld.global.b32
func.func @loop(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32, %step: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %n0 = tile.splat %n : i32 -> tensor<128xi32>
  %rows = arith.muli %range, %n0 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %first = tile.addptr %xs, %rows : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %acc = arith.constant dense<0.0> : tensor<128xf32>
  %steps = tile.splat %step : i32 -> tensor<128xi32>
  %sum, %last = scf.for %i = %zero to %n step %one iter_args(%a = %acc, %p = %first) -> (tensor<128xf32>, tensor<128x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %s = arith.addf %a, %v : tensor<128xf32>
    %next = tile.addptr %p, %steps : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    scf.yield %s, %next : tensor<128xf32>, tensor<128x!tile.ptr<f32>>
  }
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %out = tile.addptr %zs, %rows : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %out, %sum : tensor<128x!tile.ptr<f32>>
  return
}

//--- straight.mlir
// CHECK-NOT: cvt.s64.s32
// CHECK: mul.wide.s32
func.func @straight(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %n0 = tile.splat %n : i32 -> tensor<128xi32>
  %rows = arith.muli %range, %n0 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %out = tile.addptr %xs, %rows : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %out, %zero : tensor<128x!tile.ptr<f32>>
  return
}
