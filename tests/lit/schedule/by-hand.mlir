// Hand-written schedules: a loop by number or line, its settings, and the errors.
// RUN: split-file %s %t
// RUN: tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/six" | FileCheck %s --check-prefix=HAND-SIX
// RUN: tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/line" | FileCheck %s --check-prefix=HAND-BYLINE
// RUN: tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/registers" | FileCheck %s --check-prefix=HAND-REGISTERS
// RUN: tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/none" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=HAND-NONE
// HAND-SIX: sched.by_hand = #loc{{[0-9]*}}, sched.pipeline = #sched.pipeline<slots = 6, distance = 5, copies = chunks>
// HAND-BYLINE: sched.pipeline = #sched.pipeline<slots = 4, distance = 1, copies = chunks>
// HAND-REGISTERS: sched.pipeline = #sched.pipeline<slots = 3, distance = 3, copies = registers>
// HAND-NONE: the loop is not pipelined: its schedule says so (line 1)
// HAND-NONE-NOT: sched.pipeline
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/word" 2>&1 | FileCheck %s --check-prefix=HAND-WORD
// HAND-WORD: word:1:1: error: expected 'loop LINE: ...' or 'loop #NUMBER: ...'
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/number" 2>&1 | FileCheck %s --check-prefix=HAND-NUMBER
// HAND-NUMBER: number:1:6: error: expected 'loop LINE: ...' or 'loop #NUMBER: ...'
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/colon" 2>&1 | FileCheck %s --check-prefix=HAND-COLON
// HAND-COLON: colon:1:8: error: expected 'loop LINE: ...' or 'loop #NUMBER: ...'
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/empty" 2>&1 | FileCheck %s --check-prefix=HAND-EMPTY
// HAND-EMPTY: empty:1:9: error: expected 'none', or 'slots=N' with at least 1
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/setting" 2>&1 | FileCheck %s --check-prefix=HAND-SETTING
// HAND-SETTING: setting:1:10: error: expected 'slots=N', 'distance=N', 'copies=chunks|boxes|registers', 'turns=on' or 'roles=producer:WARPS,consumer'
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/value" 2>&1 | FileCheck %s --check-prefix=HAND-VALUE
// HAND-VALUE: value:1:16: error: 'slots' needs a number
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/huge" 2>&1 | FileCheck %s --check-prefix=HAND-HUGE
// HAND-HUGE: huge:1:16: error: 'slots' is too large
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/repeated" 2>&1 | FileCheck %s --check-prefix=HAND-REPEATED
// HAND-REPEATED: repeated:1:18: error: 'slots' is given twice
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/copies" 2>&1 | FileCheck %s --check-prefix=HAND-COPIES
// HAND-COPIES: copies:1:32: error: 'copies' is given twice
// RUN: tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/own" | FileCheck %s --check-prefix=HAND-SIX
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/foreign" 2>&1 | FileCheck %s --check-prefix=HAND-FOREIGN
// HAND-FOREIGN: foreign:1:1: error: loop other.mlir:14 is not in kernel 'k', whose loop begins in line 14
// A line alone is one of the kernel's own file; that of an inlined function needs its name.
// RUN: tile-opt %t/inlined.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/bare" | FileCheck %s --check-prefix=HAND-BARE
// HAND-BARE: sched.pipeline = #sched.pipeline<slots = 3,
// HAND-BARE: sched.by_hand = {{.*}}sched.pipeline = #sched.pipeline<slots = 4,
// RUN: tile-opt %t/inlined.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/named" | FileCheck %s --check-prefix=HAND-NAMED
// RUN: tile-opt %t/inlined.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/path" | FileCheck %s --check-prefix=HAND-NAMED
// HAND-NAMED: sched.by_hand = {{.*}}sched.pipeline = #sched.pipeline<slots = 4,
// HAND-NAMED: sched.pipeline = #sched.pipeline<slots = 3,
// RUN: not tile-opt %t/inlined.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/part" 2>&1 | FileCheck %s --check-prefix=HAND-PART
// HAND-PART: part:1:1: error: loop ther.py:9 is not in kernel 'k', whose loops begin in lines other.py:9, 9
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/kind" 2>&1 | FileCheck %s --check-prefix=HAND-KIND
// HAND-KIND: kind:1:25: error: 'crates' is not a way to copy; use 'chunks', 'boxes' or 'registers'
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/unmatched" 2>&1 | FileCheck %s --check-prefix=HAND-UNMATCHED
// HAND-UNMATCHED: unmatched:2:1: error: loop 2 is not in kernel 'k', whose loop begins in line 14
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/ordinal" 2>&1 | FileCheck %s --check-prefix=HAND-ORDINAL
// HAND-ORDINAL: ordinal:1:1: error: loop #1 is not in kernel 'k', whose loop begins in line 14
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/twice" 2>&1 | FileCheck %s --check-prefix=HAND-TWICE
// HAND-TWICE: twice:2:1: error: loop 14 has a schedule already, by 'loop #0'
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/many" 2>&1 | FileCheck %s --check-prefix=HAND-MANY
// HAND-MANY: many:1:1: error: loop #0: a ring has 1 to 64 slots, not 65
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/few" 2>&1 | FileCheck %s --check-prefix=HAND-FEW
// HAND-FEW: few:1:1: error: loop #0: asynchronous copies need 2 slots or more: one is read while another is filled
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/far" 2>&1 | FileCheck %s --check-prefix=HAND-FAR
// HAND-FAR: far:1:1: error: loop #0: asynchronous copies into 3 slots run ahead by 1 to 2 iterations, not by 3
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/ahead" 2>&1 | FileCheck %s --check-prefix=HAND-AHEAD
// HAND-AHEAD: ahead:1:1: error: loop #0: loads through registers into 2 slots run ahead by 2 iterations, not by 1
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/large" --schedule-allocate="target=generic:shared=160k,async=on" 2>&1 | FileCheck %s --check-prefix=HAND-LARGE
// HAND-LARGE: large:1:1: error: loop #0: 60 slots of 4096 bytes do not fit: of the 163840 bytes of shared memory of generic, 0 are in use by loops around and 1024 by ops in the loop
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k file=%t/line" 2>&1 | FileCheck %s --check-prefix=HAND-SYNC
// HAND-SYNC: line:1:1: error: loop 14 wants copies=chunks, but generic has no asynchronous copies; use copies=registers
// RUN: not tile-opt %t/ordered.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/six" 2>&1 | FileCheck %s --check-prefix=HAND-ORDERED
// HAND-ORDERED: six:3:1: error: loop #0 cannot be pipelined: none of its loads can run ahead; the loop has a 'tile.barrier' that must come before later loads
// HAND-ORDERED: ordered.mlir:{{.*}} note: here
// RUN: not tile-opt %t/other.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/six" 2>&1 | FileCheck %s --check-prefix=HAND-OTHER
// HAND-OTHER: six:3:1: error: loop #0 cannot be pipelined: none of its loads feeds a product of its body
// RUN: not tile-opt %t/straight.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/six" 2>&1 | FileCheck %s --check-prefix=HAND-STRAIGHT
// HAND-STRAIGHT: six:3:1: error: loop #0 is not in kernel 'k', which has no 'for' loop
// Products as turns, of which nothing is a word but on and off.
// RUN: tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,turns=on,matrix=mma:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d file=%t/turns" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=HAND-TURNS
// HAND-TURNS: remark: {{.*}}product-takes-turns{{.*}}warps compute the product in turns, by mma
// HAND-TURNS: tile.dot {{.*}}sched.turns
// RUN: tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k file=%t/noturns" | FileCheck %s --check-prefix=HAND-NOTURNS --implicit-check-not=sched.turns
// HAND-NOTURNS: sched.pipeline
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k file=%t/turns" 2>&1 | FileCheck %s --check-prefix=HAND-UNTURNED
// HAND-UNTURNED: turns:1:1: error: loop #0 cannot have turns=on: warps of generic take no turns
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,turns=on file=%t/turns" 2>&1 | FileCheck %s --check-prefix=HAND-TURNLESS
// HAND-TURNLESS: turns:1:1: error: loop #0 cannot have turns=on: no product of its body has a matrix instruction of a warp
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k,turns=on file=%t/turned" 2>&1 | FileCheck %s --check-prefix=HAND-TURNED
// HAND-TURNED: turned:1:24: error: 'turns' is 'on' or 'off'
// RUN: not tile-opt %t/k.mlir --schedule-stages="target=generic:shared=160k file=%t/absent" 2>&1 | FileCheck %s --check-prefix=HAND-ABSENT
// HAND-ABSENT: error: the schedule '{{.*}}absent' cannot be read: No such file or directory

//--- k.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %lines = arith.constant dense<32> : tensor<32x1xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %range axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %column, %lines : tensor<32x1xi32>
  %starts2 = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %row2 = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<32x32xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %p = tile.addptr %x, %at : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %at : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %pb = tile.addptr %qs, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}

//--- inlined.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %lines = arith.constant dense<32> : tensor<32x1xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %range axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %column, %lines : tensor<32x1xi32>
  %starts2 = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %row2 = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<32x32xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %p = tile.addptr %x, %at : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %at : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %pb = tile.addptr %qs, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } loc(callsite("/a/src/other.py":9:5 at "/a/k.py":20:3))
  %r2 = scf.for %i = %zero to %n step %one iter_args(%acc = %r) -> (tensor<32x32xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %p = tile.addptr %x, %at : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %at : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %pb = tile.addptr %qs, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } loc("/a/k.py":9:5)
  return
} loc("/a/k.py":5:1)

//--- ordered.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %lines = arith.constant dense<32> : tensor<32x1xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %range axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %column, %lines : tensor<32x1xi32>
  %starts2 = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %row2 = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<32x32xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %p = tile.addptr %x, %at : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %at : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %pb = tile.addptr %qs, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    tile.barrier
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}

//--- other.mlir
func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.load %all : tensor<32x32x!tile.ptr<f16>>
    tile.store %all, %a : tensor<32x32x!tile.ptr<f16>>
  }
  return
}

//--- straight.mlir
func.func @k() attributes {tile.kernel} {
  return
}

//--- six
# by number

loop #0: slots=6 # of two tiles

//--- line
loop 14: slots=4 distance=1 copies=chunks

//--- registers
loop #0: copies=registers slots=3

//--- none
loop #0: none

//--- word
lop 3: none

//--- number
loop x: none

//--- colon
loop 3 none

//--- empty
loop #0:

//--- setting
loop #0: depth=3

//--- value
loop #0: slots=many

//--- kind
loop #0: slots=3 copies=crates

//--- unmatched

loop 2: none

//--- ordinal
loop #1: none

//--- twice
loop #0: none
loop 14: slots=3

//--- many
loop #0: slots=65

//--- few
loop #0: slots=1

//--- far
loop #0: slots=3 distance=3

//--- ahead
loop #0: slots=2 distance=1 copies=registers

//--- large
loop #0: slots=60

//--- huge
loop #0: slots=99999999999999999999

//--- repeated
loop #0: slots=4 slots=5

//--- copies
loop #0: slots=4 copies=chunks copies=chunks

//--- own
loop k.mlir:14: slots=6

//--- foreign
loop other.mlir:14: slots=6

//--- bare
loop 9: slots=4

//--- named
loop other.py:9: slots=4

//--- path
loop src/other.py:9: slots=4

//--- part
loop ther.py:9: slots=4

//--- turns
loop #0: slots=2 turns=on

//--- noturns
loop #0: slots=2 turns=off

//--- turned
loop #0: slots=2 turns=maybe
