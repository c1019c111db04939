// schedule-evictions on text: what a later loop reads again stays in the caches, and what is read for the last time goes first.
// RUN: split-file %s %t
// DEFINE: %{target} = generic:eviction-policies=on
// DEFINE: %{choice} = auto
// DEFINE: %{file} = row
// DEFINE: %{run} = tile-opt %t/%{file}.mlir --target=%{target} --tile-distribute --schedule-evictions=evictions=%{choice} --remarks-filter=".*"

// Three loops over a program's row: the last one reads it for the last time, and stores. The weights are read once. The mask
// may differ, and so may the names under which a step or a bound goes.
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: read-kept-in-cache {{.*}}a loop behind this one reads the same again, which is kept in the cache until then
// ROW: scf.for
// ROW: tile.load {{.*}}evict = #tile<evict evict_last>
// ROW: scf.for
// ROW: tile.load {{.*}}evict = #tile<evict evict_last>
// ROW: scf.for
// ROW: tile.load {{.*}}evict = #tile<evict evict_first>
// ROW-NOT: evict
// ROW: tile.load
// ROW-NOT: evict
// ROW: tile.store {{.*}}evict = #tile<evict evict_first>
// REDEFINE: %{choice} = off
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=evict_
// NONE: func.func
// A target without policies keeps the kernel as it is.
// REDEFINE: %{choice} = on
// REDEFINE: %{target} = generic
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=evict_
// REDEFINE: %{target} = generic:eviction-policies=on

// All programs read the same: its last reading in one of them is not the last one. Only where that is asked for.
// REDEFINE: %{file} = shared
// REDEFINE: %{choice} = auto
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=evict_
// REDEFINE: %{choice} = on
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: evict = #tile<evict evict_last>
// SHARED: evict = #tile<evict evict_first>

// Other bounds, another stride, another start, and a policy or a modifier of the kernel's own.
// REDEFINE: %{file} = others
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=OTHERS --implicit-check-not=evict_last
// OTHERS-COUNT-5: scf.for
// OTHERS: evict = #tile<evict evict_first>
// OTHERS-NOT: evict
// OTHERS: cache = #tile<cache cg>
// OTHERS-NOT: evict

// What is stored in place may be loaded again by its own program, so it does not go first; nor does a row that a third loop reads to another
// end, that each iteration of a loop around reads, or that neighbours have as the quotient of their numbers.
// REDEFINE: %{file} = in-place
// REDEFINE: %{choice} = auto
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: evict = #tile<evict evict_last>
// PLACE: tile.load {{.*}}evict = #tile<evict evict_first>
// PLACE: tile.store
// PLACE-NOT: evict
// REDEFINE: %{file} = again
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=AGAIN --implicit-check-not=evict_
// AGAIN: func.func @third
// AGAIN: func.func @around
// AGAIN: func.func @quotient

// RUN: not tile-opt %t/row.mlir --schedule-evictions=evictions=perhaps 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: 'perhaps' is not a choice of evictions; use 'auto', 'off' or 'on'

//--- row.mlir
func.func @row(%x: !tile.ptr<f32>, %w: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ws = tile.splat %w : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<128xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<128xi32>
    %v = tile.load %p mask %m other %none : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  // The pointers are carried.
  %first = tile.addptr %rows, %range : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %other:2 = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum, %p = %first) -> (tensor<128xf32>, tensor<128x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.mulf %acc, %v : tensor<128xf32>
    %sizes = tile.splat %size : i32 -> tensor<128xi32>
    %pnext = tile.addptr %p, %sizes : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    scf.yield %next, %pnext : tensor<128xf32>, tensor<128x!tile.ptr<f32>>
  }
  %same = arith.constant 128 : i32
  scf.for %i = %zero to %columns step %same : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %pw = tile.addptr %ws, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %q = tile.addptr %tos, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %weight = tile.load %pw : tensor<128x!tile.ptr<f32>>
    %product = arith.mulf %v, %weight : tensor<128xf32>
    %result = arith.subf %product, %other#0 : tensor<128xf32>
    tile.store %q, %result : tensor<128x!tile.ptr<f32>>
  }
  return
}

//--- shared.mlir
func.func @shared(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %program = tile.program_id 0
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %xs, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %product = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %xs, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.mulf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %to = tile.addptr %out, %program : !tile.ptr<f32>, i32
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.store %tos, %product : tensor<128x!tile.ptr<f32>>
  return
}

//--- others.mlir
func.func @others(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32, %fewer: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 128 : i32
  %two = arith.constant dense<2> : tensor<128xi32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %later = tile.addptr %row, %size : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %laters = tile.splat %later : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %a = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %b = scf.for %i = %zero to %fewer step %size iter_args(%acc = %a) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %c = scf.for %i = %zero to %columns step %size iter_args(%acc = %b) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %twice = arith.muli %range, %two : tensor<128xi32>
    %place = arith.addi %is, %twice : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %d = scf.for %i = %zero to %columns step %size iter_args(%acc = %c) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %laters, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %e = scf.for %i = %zero to %columns step %size iter_args(%acc = %d) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p {evict = #tile<evict evict_first>} : tensor<128x!tile.ptr<f32>>
    %w = tile.load %p {cache = #tile<cache cg>} : tensor<128x!tile.ptr<f32>>
    %sum = arith.mulf %v, %w : tensor<128xf32>
    %next = arith.addf %acc, %sum : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %to = tile.addptr %out, %program : !tile.ptr<f32>, i32
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.store %tos, %e : tensor<128x!tile.ptr<f32>>
  return
}

//--- in-place.mlir
func.func @in_place(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32, %fewer: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %program = tile.program_id 0
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %a = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %b = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    tile.store %p, %v : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %c = arith.addf %a, %b : tensor<128xf32>
  %to = tile.addptr %out, %program : !tile.ptr<f32>, i32
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.store %tos, %c : tensor<128x!tile.ptr<f32>>
  return
}

//--- again.mlir
func.func @third(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32, %fewer: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %program = tile.program_id 0
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %a = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %b = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %c = scf.for %i = %zero to %fewer step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %d = arith.addf %a, %b : tensor<128xf32>
  %e = arith.addf %d, %c : tensor<128xf32>
  %to = tile.addptr %out, %program : !tile.ptr<f32>, i32
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.store %tos, %e : tensor<128x!tile.ptr<f32>>
  return
}

func.func @around(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32, %fewer: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %program = tile.program_id 0
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %one = arith.constant 1 : i32
  %sum = scf.for %h = %zero to %fewer step %one iter_args(%all = %none) -> tensor<128xf32> : i32 {
    %a = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
      %is = tile.splat %i : i32 -> tensor<128xi32>
      %place = arith.addi %is, %range : tensor<128xi32>
      %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      %v = tile.load %p : tensor<128x!tile.ptr<f32>>
      %next = arith.addf %acc, %v : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
    %b = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
      %is = tile.splat %i : i32 -> tensor<128xi32>
      %place = arith.addi %is, %range : tensor<128xi32>
      %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      %v = tile.load %p : tensor<128x!tile.ptr<f32>>
      %next = arith.addf %acc, %v : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
    %c = arith.addf %a, %b : tensor<128xf32>
    %d = arith.addf %all, %c : tensor<128xf32>
    scf.yield %d : tensor<128xf32>
  }
  %to = tile.addptr %out, %program : !tile.ptr<f32>, i32
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.store %tos, %sum : tensor<128x!tile.ptr<f32>>
  return
}

func.func @quotient(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32, %fewer: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %program = tile.program_id 0
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %eight = arith.constant 8 : i32
  %group = arith.divsi %program, %eight : i32
  %start = arith.muli %group, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %a = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %b = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<128xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %place = arith.addi %is, %range : tensor<128xi32>
    %p = tile.addptr %rows, %place : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %c = arith.addf %a, %b : tensor<128xf32>
  %to = tile.addptr %out, %program : !tile.ptr<f32>, i32
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  tile.store %tos, %c : tensor<128x!tile.ptr<f32>>
  return
}
