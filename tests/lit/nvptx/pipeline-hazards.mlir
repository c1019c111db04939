// Loads of a loop do not run ahead across hazards: writes to the same argument or to an unknown
// place, barriers, acquiring atomics, volatile loads, assertions. Writes to another argument and relaxed atomics are
// not hazards. A loop's own number of stages takes precedence.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/other_argument.mlir --arch=sm_80 --emit=simt | FileCheck %t/other_argument.mlir
// RUN: tile-nvptx %t/same_argument.mlir --arch=sm_80 --emit=simt | FileCheck %t/same_argument.mlir
// RUN: tile-nvptx %t/unknown_place.mlir --arch=sm_80 --emit=simt | FileCheck %t/unknown_place.mlir
// RUN: tile-nvptx %t/in_a_branch.mlir --arch=sm_80 --emit=simt | FileCheck %t/in_a_branch.mlir
// RUN: tile-nvptx %t/barrier.mlir --arch=sm_80 --emit=simt | FileCheck %t/barrier.mlir
// RUN: tile-nvptx %t/acquire.mlir --arch=sm_80 --emit=simt | FileCheck %t/acquire.mlir
// RUN: tile-nvptx %t/acquire_by_default.mlir --arch=sm_80 --emit=simt | FileCheck %t/acquire_by_default.mlir
// RUN: tile-nvptx %t/relaxed.mlir --arch=sm_80 --emit=simt | FileCheck %t/relaxed.mlir
// RUN: tile-nvptx %t/volatile_load.mlir --arch=sm_80 --emit=simt | FileCheck %t/volatile_load.mlir
// RUN: tile-nvptx %t/assertion.mlir --arch=sm_80 --emit=simt | FileCheck %t/assertion.mlir
// RUN: tile-nvptx %t/one_stage.mlir --arch=sm_80 --emit=simt | FileCheck %t/one_stage.mlir

//--- other_argument.mlir
// CHECK-LABEL: func.func @other_argument
// CHECK: simt.async_copy
func.func @other_argument(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    tile.store %dp, %r : tensor<32x32x!tile.ptr<f32>>
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- same_argument.mlir
// CHECK-LABEL: func.func @same_argument
// CHECK-NOT: simt.async
func.func @same_argument(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %h = arith.truncf %r : tensor<32x32xf32> to tensor<32x32xf16>
    %to = tile.hint %ap : tensor<32x32x!tile.ptr<f16>>
    tile.store %to, %h : tensor<32x32x!tile.ptr<f16>>
    tile.store %bp, %h : tensor<32x32x!tile.ptr<f16>>
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- unknown_place.mlir
// CHECK-LABEL: func.func @unknown_place
// CHECK-NOT: simt.async
func.func @unknown_place(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %l = arith.extsi %k : i32 to i64
    %to = tile.int_to_ptr %l : i64 -> !tile.ptr<i32>
    tile.store %to, %k : !tile.ptr<i32>
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- in_a_branch.mlir
// CHECK-LABEL: func.func @in_a_branch
// CHECK-NOT: simt.async
func.func @in_a_branch(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %is = arith.cmpi eq, %k, %c0 : i32
    scf.if %is {
      %h = arith.truncf %r : tensor<32x32xf32> to tensor<32x32xf16>
      tile.store %ap, %h : tensor<32x32x!tile.ptr<f16>>
      tile.store %bp, %h : tensor<32x32x!tile.ptr<f16>>
    }
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- barrier.mlir
// CHECK-LABEL: func.func @barrier
// CHECK-NOT: simt.async
func.func @barrier(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    tile.barrier
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- acquire.mlir
// CHECK-LABEL: func.func @acquire
// CHECK-NOT: simt.async
func.func @acquire(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %old = tile.atomic_rmw add %f, %c1 {sem = #tile<sem acquire>} : !tile.ptr<i32>
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- acquire_by_default.mlir
// CHECK-LABEL: func.func @acquire_by_default
// CHECK-NOT: simt.async
func.func @acquire_by_default(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %old = tile.atomic_cas %f, %c0, %c1 : !tile.ptr<i32>
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- relaxed.mlir
// CHECK-LABEL: func.func @relaxed
// CHECK: simt.async_copy
func.func @relaxed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %old = tile.atomic_rmw add %f, %c1 {sem = #tile<sem relaxed>} : !tile.ptr<i32>
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- volatile_load.mlir
// CHECK-LABEL: func.func @volatile_load
// CHECK-NOT: simt.async
func.func @volatile_load(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %v = tile.load %f volatile : !tile.ptr<i32>
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- assertion.mlir
// CHECK-LABEL: func.func @assertion
// CHECK-NOT: simt.async
func.func @assertion(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %is = arith.cmpi eq, %k, %c0 : i32
    tile.assert %is, "first" : i1
    scf.yield %r : tensor<32x32xf32>
  }
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- one_stage.mlir
// CHECK-LABEL: func.func @one_stage
// CHECK-NOT: simt.async
func.func @one_stage(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %f: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.reshape %i : tensor<1024xi32> -> tensor<32x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %ds = tile.splat %d : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ap = tile.addptr %as, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bp = tile.addptr %bs, %p : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %dp = tile.addptr %ds, %p : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load %ap : tensor<32x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %r : tensor<32x32xf32>
  } {tile.num_stages = 1 : i64}
  tile.store %dp, %s : tensor<32x32x!tile.ptr<f32>>
  return
}
