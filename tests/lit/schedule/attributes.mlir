// Attributes of schedules round-trip through text, and are valid on their ops.
// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @chunks
// CHECK-SAME: sched.conversions = 98304 : i64
// CHECK: tile.load {{.*}} {sched.ring = #sched.ring<order = swizzled, inner = 1>}
// CHECK: tile.load {{.*}} {sched.ring = #sched.ring<order = swizzled, inner = 0>}
// CHECK: tile.dot {{.*}} {sched.deferred}
// CHECK: sched.conversions = 90112 : i64, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>
func.func @chunks(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel, sched.conversions = 98304 : i64} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 0, pitch = 0, perWord = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc {sched.deferred} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.conversions = 90112 : i64, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
  return
}

// CHECK-LABEL: func.func @registers
// CHECK: tile.load {{.*}} {sched.ring = #sched.ring<order = padded, inner = 1, pitch = 80, perWord = 2>}
// CHECK: sched.pipeline = #sched.pipeline<slots = 1, distance = 1, copies = registers>
func.func @registers(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = padded, inner = 1, pitch = 80, perWord = 2>} : tensor<32x32x!tile.ptr<f16>>
    %t = tile.trans %a [1, 0] : tensor<32x32xf16> -> tensor<32x32xf16>
    %d = tile.dot %a, %t, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 1, distance = 1, copies = registers>}
  return
}
