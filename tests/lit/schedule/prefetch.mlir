// schedule-prefetch on text: a vector that is read between products is loaded one iteration early, and carried.
// RUN: split-file %s %t
// DEFINE: %{target} = generic:async=on
// DEFINE: %{stages} = 3
// DEFINE: %{choice} = auto
// DEFINE: %{file} = scaled
// DEFINE: %{run} = tile-opt %t/%{file}.mlir --target=%{target} --num-stages=%{stages} --schedule-prefetch=prefetch=%{choice} --remarks-filter=".*"

// The first one comes before the loop, the next one at its start; both are masked off where their iteration does not exist.
// RUN: %{run} 2>&1 | FileCheck %s
// CHECK: load-prefetched {{.*}}the load is made one iteration early and carried in registers
// CHECK: func.func @scaled(%[[A:.*]]: !tile.ptr<f16>, %[[S:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32)
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[ZERO:.*]], %[[N]] : i32
// CHECK: %[[P0:.*]] = tile.addptr
// CHECK: %[[MASK0:.*]] = tile.splat %[[RUNS]] : i1 -> tensor<16xi1>
// CHECK: %[[FIRST:.*]] = tile.load %[[P0]] mask %[[MASK0]] : tensor<16x!tile.ptr<f32>>
// CHECK: %{{.*}}:2 = scf.for %[[I:.*]] = %[[ZERO]] to %[[N]] step %[[STEP:.*]] iter_args(%{{.*}} = %{{.*}}, %[[NOW:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]] : i32
// CHECK-DAG: %[[GROWS:.*]] = arith.cmpi slt, %[[I]], %[[NEXT]] : i32
// CHECK-DAG: %[[ISIN:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]] : i32
// CHECK: %[[EXISTS:.*]] = arith.andi %[[GROWS]], %[[ISIN]] : i1
// CHECK: tile.splat %[[NEXT]]
// CHECK: %[[MASK:.*]] = tile.splat %[[EXISTS]] : i1 -> tensor<16xi1>
// CHECK: %[[LOADED:.*]] = tile.load %{{.*}} mask %[[MASK]] : tensor<16x!tile.ptr<f32>>
// CHECK: tile.dot
// CHECK-NOT: tile.load
// CHECK: tile.expand_dims %[[NOW]]
// CHECK: scf.yield %{{.*}}, %[[LOADED]]

// Not where it is turned off, where no load is to run ahead, or where loads that run ahead take registers; unless it is wanted anyway.
// REDEFINE: %{choice} = off
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=load-prefetched
// NONE: scf.for {{.*}}iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9]+}}) -> (tensor<16x16xf32>)
// REDEFINE: %{choice} = auto
// REDEFINE: %{stages} = 1
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=load-prefetched
// REDEFINE: %{stages} = 3
// REDEFINE: %{target} = generic
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=load-prefetched
// REDEFINE: %{choice} = on
// RUN: %{run} 2>&1 | FileCheck %s
// REDEFINE: %{target} = generic:async=on

// Pointers that are carried, and a mask of the kernel's own.
// REDEFINE: %{choice} = auto
// REDEFINE: %{file} = carried
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=CARRIED
// CARRIED: func.func @carried
// CARRIED: tile.load %[[P:.*]] mask %{{.*}} : tensor<16x!tile.ptr<f32>>
// CARRIED: scf.for {{.*}}%[[NOW:[a-z0-9]+]] = %[[P]],
// CARRIED: %[[NEXT:.*]] = tile.addptr %[[NOW]]
// CARRIED: arith.andi %{{.*}} : tensor<16xi1>
// CARRIED: tile.load %[[NEXT]] mask %{{.*}} : tensor<16x!tile.ptr<f32>>

// Four iterations at most, unless it is wanted; a store to what is read; an address that is divided, whose divisor may be 0 behind the loop; an address
// that another load needs; the operand of a product; a matrix, unless it is wanted.
// REDEFINE: %{file} = others
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=OTHERS --implicit-check-not=load-prefetched
// OTHERS: func.func @short
// REDEFINE: %{choice} = on
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=ON
// ON: load-prefetched {{.*}}Function=short
// ON-NOT: load-prefetched
// ON: load-prefetched {{.*}}Function=matrix
// ON-NOT: load-prefetched
// ON: func.func @short

// RUN: not tile-opt %t/scaled.mlir --target=generic --schedule-prefetch=prefetch=perhaps 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: 'perhaps' is not a choice of prefetch; use 'auto', 'off' or 'on'

//--- scaled.mlir
func.func @scaled(%a: !tile.ptr<f16>, %s: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ss = tile.splat %s : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %none) -> tensor<16x16xf32> : i32 {
    %x = tile.load %as : tensor<16x16x!tile.ptr<f16>>
    %is = tile.splat %i : i32 -> tensor<16xi32>
    %place = arith.addi %is, %range : tensor<16xi32>
    %p = tile.addptr %ss, %place : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %v = tile.load %p : tensor<16x!tile.ptr<f32>>
    %product = tile.dot %x, %x, %none : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %column = tile.expand_dims %v axis 1 : tensor<16xf32> -> tensor<16x1xf32>
    %all = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
    %scaled = arith.mulf %product, %all : tensor<16x16xf32>
    %next = arith.addf %acc, %scaled : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %out = tile.splat %s : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<16x16x!tile.ptr<f32>>
  return
}

//--- carried.mlir
func.func @carried(%a: !tile.ptr<f16>, %s: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ss = tile.splat %s : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %first = tile.addptr %ss, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %steps = tile.splat %step : i32 -> tensor<16xi32>
  %limit = tile.splat %n : i32 -> tensor<16xi32>
  %sum:2 = scf.for %i = %zero to %n step %step iter_args(%p = %first, %acc = %none) -> (tensor<16x!tile.ptr<f32>>, tensor<16x16xf32>) : i32 {
    %x = tile.load %as : tensor<16x16x!tile.ptr<f16>>
    %is = tile.splat %i : i32 -> tensor<16xi32>
    %place = arith.addi %is, %range : tensor<16xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<16xi32>
    %v = tile.load %p mask %m : tensor<16x!tile.ptr<f32>>
    %product = tile.dot %x, %x, %none : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %column = tile.expand_dims %v axis 1 : tensor<16xf32> -> tensor<16x1xf32>
    %all = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
    %scaled = arith.mulf %product, %all : tensor<16x16xf32>
    %next = arith.addf %acc, %scaled : tensor<16x16xf32>
    %q = tile.addptr %p, %steps : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %q, %next : tensor<16x!tile.ptr<f32>>, tensor<16x16xf32>
  }
  %out = tile.splat %s : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %out, %sum#1 : tensor<16x16x!tile.ptr<f32>>
  return
}

//--- others.mlir
func.func @short(%a: !tile.ptr<f16>, %s: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %step = arith.constant 16 : i32
  %length = arith.constant 64 : i32
  %end = arith.addi %n, %length : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ss = tile.splat %s : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %sum = scf.for %i = %n to %end step %step iter_args(%acc = %none) -> tensor<16x16xf32> : i32 {
    %x = tile.load %as : tensor<16x16x!tile.ptr<f16>>
    %is = tile.splat %i : i32 -> tensor<16xi32>
    %place = arith.addi %is, %range : tensor<16xi32>
    %p = tile.addptr %ss, %place : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %v = tile.load %p : tensor<16x!tile.ptr<f32>>
    %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %column = tile.expand_dims %v axis 1 : tensor<16xf32> -> tensor<16x1xf32>
    %all = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
    %scaled = arith.mulf %next, %all : tensor<16x16xf32>
    scf.yield %scaled : tensor<16x16xf32>
  }
  %out = tile.splat %s : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<16x16x!tile.ptr<f32>>
  return
}

func.func @written(%a: !tile.ptr<f16>, %s: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ss = tile.splat %s : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  scf.for %i = %zero to %n step %step : i32 {
    %x = tile.load %as : tensor<16x16x!tile.ptr<f16>>
    %v = tile.load %ss : tensor<16x!tile.ptr<f32>>
    %product = tile.dot %x, %x, %none : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %most = tile.reduce %product axis 1 : (tensor<16x16xf32>) -> tensor<16xf32> {
    ^bb0(%y: f32, %z: f32):
      %m = arith.maxnumf %y, %z : f32
      tile.yield %m : f32
    }
    %next = arith.addf %most, %v : tensor<16xf32>
    tile.store %ss, %next : tensor<16x!tile.ptr<f32>>
  }
  return
}

func.func @divided(%a: !tile.ptr<f16>, %s: !tile.ptr<i32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ss = tile.splat %s : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %none) -> tensor<16x16xf32> : i32 {
    %rest = arith.subi %n, %i : i32
    %quotient = arith.divsi %n, %rest : i32
    %qs = tile.splat %quotient : i32 -> tensor<16xi32>
    %p = tile.addptr %ss, %qs : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
    %v = tile.load %p : tensor<16x!tile.ptr<i32>>
    %q = tile.addptr %ss, %range : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
    %offsets = tile.expand_dims %v axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %all = tile.broadcast %offsets : tensor<16x1xi32> -> tensor<16x16xi32>
    %px = tile.addptr %as, %all : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %x = tile.load %px : tensor<16x16x!tile.ptr<f16>>
    %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %outs, %sum : tensor<16x16x!tile.ptr<f32>>
  return
}

func.func @address(%a: !tile.ptr<f16>, %s: !tile.ptr<i32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ss = tile.splat %s : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %none) -> tensor<16x16xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<16xi32>
    %place = arith.addi %is, %range : tensor<16xi32>
    %p = tile.addptr %ss, %place : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
    %v = tile.load %p : tensor<16x!tile.ptr<i32>>
    %offsets = tile.expand_dims %v axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %all = tile.broadcast %offsets : tensor<16x1xi32> -> tensor<16x16xi32>
    %px = tile.addptr %as, %all : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %x = tile.load %px : tensor<16x16x!tile.ptr<f16>>
    %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %outs, %sum : tensor<16x16x!tile.ptr<f32>>
  return
}

func.func @matrix(%a: !tile.ptr<f16>, %s: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ss = tile.splat %s : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %none) -> tensor<16x16xf32> : i32 {
    %x = tile.load %as : tensor<16x16x!tile.ptr<f16>>
    %is = tile.splat %i : i32 -> tensor<16x16xi32>
    %p = tile.addptr %ss, %is : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %v = tile.load %p : tensor<16x16x!tile.ptr<f32>>
    %product = tile.dot %x, %x, %none : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %scaled = arith.mulf %product, %v : tensor<16x16xf32>
    %next = arith.addf %acc, %scaled : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %outs, %sum : tensor<16x16x!tile.ptr<f32>>
  return
}
