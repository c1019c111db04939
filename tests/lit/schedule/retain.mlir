// schedule-retain on text: what a later loop reads again stays in shared memory.
// RUN: split-file %s %t
// DEFINE: %{target} = generic:shared=40k
// DEFINE: %{choice} = on
// DEFINE: %{file} = row
// DEFINE: %{run} = tile-opt %t/%{file}.mlir --target=%{target} --tile-distribute --schedule-allocate --schedule-retain=retain=%{choice} --remarks-filter=".*"

// Slots of 4 KiB: nine have room beside the 1 KiB that conversions take at least. Both loops are split where these iterations end; stores go to
// another argument.
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: tile-retained {{.*}}what 9 iterations load here stays in shared memory until later loops read it again
// ROW: func.func @row({{.*}}, %[[COLUMNS:arg[0-9]+]]: i32)
// ROW-SAME: sched.conversions = 4096 : i64
// ROW-NOT: sched.prefers
// ROW: %[[LENGTH:.*]] = arith.constant 9216 : i64
// ROW: %[[LONG:.*]] = arith.extsi %[[COLUMNS]] : i32 to i64
// ROW: %[[LEAST:.*]] = arith.minsi %[[LONG]], %[[LENGTH]] : i64
// ROW: %[[MIDDLE:.*]] = arith.trunci %[[LEAST]] : i64 to i32
// ROW: %[[KEPT:.*]] = sched.retained : <9 of tensor<1024xf32>, #[[LAYOUT:.*]]>
// ROW: %[[EARLY:.*]] = scf.for {{.*}} = %[[ZERO:.*]] to %[[MIDDLE]] step
// ROW: %[[SLOT:.*]] = arith.divui
// ROW: %[[TILE:.*]] = tile.load
// ROW: sched.retain %[[TILE]] -> %[[KEPT]][%[[SLOT]]]
// ROW: scf.for {{.*}} = %[[MIDDLE]] to %[[COLUMNS]] step {{.*}} iter_args({{.*}} = %[[EARLY]])
// ROW: tile.load
// ROW-NOT: sched.retain
// ROW: scf.for {{.*}} = %[[ZERO]] to %[[MIDDLE]] step
// ROW-NOT: tile.load
// ROW: sched.recall %[[KEPT]][{{.*}}] {distribute.homes = [#[[LAYOUT]]]}
// ROW: scf.for {{.*}} = %[[MIDDLE]] to %[[COLUMNS]] step
// ROW: tile.load
// REDEFINE: %{choice} = off
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.retain
// NONE: func.func

// By itself only where the cache is known, for rows that it does not keep: 80 KiB, of which half are the row's. Twenty of 4 KiB are more, eight
// are not, and of other lengths the kernel prefers ten and more.
// REDEFINE: %{choice} = auto
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.retain
// REDEFINE: %{target} = generic:shared=40k,unit-threads=512,unit-cache=80k
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=PREFERS
// PREFERS: #[[NUMBER:.*]] = affine_map<()[s0] -> (s0 - 9217)>
// PREFERS: func.func @row
// PREFERS-SAME: sched.prefers = #sched.prefers<arguments = [2], number = #[[NUMBER]]>
// PREFERS: sched.retained : <9 of
// REDEFINE: %{file} = known
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=KNOWN --implicit-check-not=sched.prefers
// KNOWN: sched.retained : <9 of
// REDEFINE: %{target} = generic:shared=40k,unit-threads=512,unit-cache=168k
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.retain
// Fewer than a quarter of a unit's threads do not keep memory busy.
// REDEFINE: %{target} = generic:shared=40k,unit-threads=1024,unit-cache=80k
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.retain
// REDEFINE: %{target} = generic:shared=128k
// REDEFINE: %{choice} = on
// All iterations have room: the rest of the loop is empty.
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: what 20 iterations load here
// A slot needs more than there is.
// REDEFINE: %{target} = generic:shared=4k
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=SMALL --implicit-check-not=sched.retained
// SMALL: tile-not-retained {{.*}}one iteration's tiles have 4096 bytes, for which shared memory has no room
// SMALL: func.func
// REDEFINE: %{target} = generic:shared=40k

// What the last loop stores to the places of its iteration is not read again; any other store to the argument may be.
// REDEFINE: %{file} = in_place
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: sched.recall
// PLACE: tile.store
// REDEFINE: %{file} = shifted
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=STORE --implicit-check-not=sched.retain
// STORE: tile-not-retained {{.*}}a 'tile.store' {{.*}}may change what is loaded here before it is read again
// REDEFINE: %{file} = between
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=STORE --implicit-check-not=sched.retain
// REDEFINE: %{file} = barrier
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=BARRIER --implicit-check-not=sched.retain
// BARRIER: tile-not-retained {{.*}}a 'tile.barrier' {{.*}}may change what is loaded here before it is read again

// Other elements are loaded, or others stand for those that are not.
// REDEFINE: %{file} = masks
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.retain
// REDEFINE: %{file} = others
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=sched.retain

// What is recalled has been retained before, in a loop of the same bounds and by the same slots.
// REDEFINE: %{file} = row
// RUN: %{run} --schedule-expand 2>/dev/null > %t.kept
// RUN: tile-opt %t.kept --schedule-expand -o /dev/null
// RUN: grep -v 'sched.retain ' %t.kept | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=RECALL
// RUN: sed 's/\(sched.recall %[0-9]*\)\[%[0-9a-z_]*/\1[%c0_i32/' %t.kept | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=RECALL
// RUN: sed 's/\(iter_args(%arg5 = %cst[0-9_]*)\)/\1/;0,/scf.for/s/ to %[0-9]* step/ to %arg2 step/' %t.kept | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=RECALL
// RECALL: error: 'sched.recall' op reads a slot that no 'sched.retain' before it has filled in the same iterations

// RUN: not tile-opt %t/row.mlir --schedule-retain=retain=perhaps 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: 'perhaps' is not a choice of retain; use 'auto', 'off' or 'on'

//--- row.mlir
func.func @row(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %result = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %o = tile.addptr %tos, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    tile.store %o, %acc mask %m : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}

//--- known.mlir
func.func @known(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %most step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %result = scf.for %i = %zero to %most step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}

//--- in_place.mlir
func.func @in_place(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %result = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    tile.store %p, %acc mask %m : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}

//--- shifted.mlir
func.func @shifted(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %result = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %ahead = tile.addptr %p, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    tile.store %ahead, %acc : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}

//--- between.mlir
func.func @between(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %b = tile.addptr %rows, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %b, %sum : tensor<1024x!tile.ptr<f32>>
  %result = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}

//--- barrier.mlir
func.func @barrier(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  tile.barrier
  %result = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}

//--- masks.mlir
func.func @masks(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %result = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi sle, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}

//--- others.mlir
func.func @others(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %columns: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 1024 : i32
  %most = arith.constant 20480 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %program = tile.program_id 0
  %start = arith.muli %program, %columns : i32
  %row = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %to = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %rows = tile.splat %row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %tos = tile.splat %to : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %limit = tile.splat %columns : i32 -> tensor<1024xi32>
  %sum = scf.for %i = %zero to %columns step %size iter_args(%acc = %none) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %none : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %result = scf.for %i = %zero to %columns step %size iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<1024xi32>
    %place = arith.addi %is, %range : tensor<1024xi32>
    %p = tile.addptr %rows, %place : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %m = arith.cmpi slt, %place, %limit : tensor<1024xi32>
    %v = tile.load %p mask %m other %one : tensor<1024x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  %q = tile.addptr %tos, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %q, %result : tensor<1024x!tile.ptr<f32>>
  return
}
