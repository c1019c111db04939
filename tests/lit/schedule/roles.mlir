// A loop whose tiles one role copies and another one reads: its schedule, its expansion, and loops that cannot be
// split.
// RUN: split-file %s %t
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --num-stages=3 --tile-distribute --schedule-stages=file=%t/roles --schedule-roles=file=%t/roles --schedule-allocate | FileCheck %s --check-prefix=STAGES
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --num-stages=3 --tile-distribute --schedule-stages=file=%t/roles --schedule-roles=file=%t/roles --schedule-allocate --schedule-expand | FileCheck %s --check-prefix=EXPAND
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --num-stages=3 --tile-distribute --schedule-stages=file=%t/roles --schedule-roles=file=%t/roles --schedule-allocate --schedule-expand | tile-opt --schedule-expand | FileCheck %s --check-prefix=EXPAND
// STAGES: sched.by_hand = #loc{{[0-9]*}}, {{.*}}sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>, sched.role = #sched.role<producers = 4>

// The producer computes addresses for itself. Two slots may be on their way while it waits for an empty one.
// EXPAND: %[[C:.*]] = sched.channel : <slots = 4, copies = chunks, producers = 4, consumers = 4>
// EXPAND: %[[A:.*]] = sched.ring %[[C]] : {{.*}} -> <4 of tensor<32x32xf16>
// EXPAND: %[[B:.*]] = sched.ring %[[C]] : {{.*}} -> <4 of tensor<32x32xf16>
// EXPAND: sched.role producer 4 to 8 {
// EXPAND: tile.make_range
// EXPAND: scf.for {{.*}} iter_args(%[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}, %[[FILLED:.*]] = %{{.*}}, %[[COUNT:.*]] = %{{.*}}) -> (i32, i32, i32, i32)
// EXPAND: sched.acquire %[[C]][%[[SLOT]]] phase %[[PHASE]]
// EXPAND: sched.copy %{{.*}} -> %[[A]][%[[SLOT]]]
// EXPAND: sched.copy %{{.*}} -> %[[B]][%[[SLOT]]]
// EXPAND: %[[IS:.*]] = arith.cmpi eq, %[[COUNT]], %{{.*}}
// EXPAND: sched.publish %[[C]][%[[FILLED]]] when %[[IS]] pending 2
// EXPAND: scf.yield
// EXPAND: sched.publish {{.*}} pending 2
// EXPAND: sched.publish {{.*}} pending 2
// EXPAND-NOT: sched.publish
// The producer converts in the smallest pieces.
// EXPAND: } {sched.conversions = 1024 : i64}
// EXPAND: sched.role consumer 0 to 4 {
// EXPAND: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<32x32xf32>, i32, i32, i32)
// EXPAND: sched.await %[[C]][%[[SLOT]]] phase %[[PHASE]]
// EXPAND: %[[X:.*]] = sched.read %[[A]][%[[SLOT]]]
// EXPAND: %[[Y:.*]] = sched.read %[[B]][%[[SLOT]]]
// EXPAND-NOT: tile.load
// EXPAND: tile.dot %[[X]], %[[Y]], %[[ACC]]
// EXPAND: sched.release %[[C]][%[[SLOT]]]

// The pass alone: roles for what has stages, and none without a text.
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages --schedule-roles=file=%t/roles | FileCheck %s --check-prefix=ALONE
// ALONE: sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>, sched.role = #sched.role<producers = 4>
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages --schedule-roles | FileCheck %s --check-prefix=NOBODY
// NOBODY: sched.pipeline
// NOBODY-NOT: sched.role
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/roles" 2>&1 | FileCheck %s --check-prefix=STAGELESS
// STAGELESS: roles:1:1: error: loop #0 wants roles, but it has no pipeline; run schedule-stages with the same schedule first

// Roles that a text asks for are kept: without the pass nothing is allocated, and a schedule of one role that was allocated is
// allocated again.
// RUN: not tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages=file=%t/roles --schedule-allocate 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: roles:1:1: error: loop #0 wants roles; run schedule-roles with the same text before schedule-allocate
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages=file=%t/roles | FileCheck %s --check-prefix=ASKED
// ASKED: sched.role_asked = #sched.role<producers = 4>
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages --schedule-allocate --schedule-roles=file=%t/roles | FileCheck %s --check-prefix=STALE --implicit-check-not=sched.conversions
// STALE: sched.role = #sched.role<producers = 4>
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages --schedule-allocate --schedule-roles=file=%t/roles --schedule-allocate | FileCheck %s --check-prefix=AGAIN
// AGAIN: func.func @k({{.*}}sched.conversions = {{[0-9]+}} : i64
// AGAIN: sched.role = #sched.role<producers = 4>

// Texts.
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/word" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/word" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: word:1:24: error: expected 'producer:WARPS,consumer'
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/zero" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/zero" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: zero:1:24: error: a producer has 1 to 64 warps, not 0

// Targets.
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-stages="target=generic:shared=160k,async=on file=%t/roles" --schedule-roles="target=generic:shared=160k,async=on file=%t/roles" --schedule-allocate="target=generic:shared=160k,async=on" 2>&1 | FileCheck %s --check-prefix=NO-ROLES
// NO-ROLES: roles:1:1: error: loop #0 wants roles, but generic has none: they need phase barriers, barriers of some of the warps, and asynchronous copies
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on,threads=128 file=%t/roles" --schedule-roles="target=generic:shared=160k,async=on,roles=on,threads=128 file=%t/roles" --schedule-allocate="target=generic:shared=160k,async=on,roles=on,threads=128" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: roles:1:1: error: loop #0 wants roles, but the kernel would run in 256 threads, and generic allows 128 in a program
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/warps" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/warps" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: warps:1:1: error: loop #0 wants roles, but a producer has as many warps as the consumer, whose layouts it copies tiles in: 4, not 2
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/registers" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/registers" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: registers:1:1: error: loop #0 wants roles, but a producer fills slots by copies=chunks or copies=boxes
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-stages="target=generic:shared=18464,async=on,roles=on file=%t/roles" --schedule-roles="target=generic:shared=18464,async=on,roles=on file=%t/roles" --schedule-allocate="target=generic:shared=18464,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: roles:1:1: error: loop #0: 4 slots of 4096 bytes do not fit: of the 18464 bytes of shared memory of generic, 0 are in use by loops around and 2048 by ops in the loop

// Kernels.
// RUN: not tile-opt %t/nested.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/inner" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/inner" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: inner:1:1: error: loop #1 cannot be split into roles: the loop is inside of another op; one that has roles is in the kernel's block
// NESTED: nested.mlir:{{.*}} note: here
// RUN: not tile-opt %t/two.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/both" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/both" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: both:2:1: error: loop #1 cannot be split into roles: another loop has roles (line 5), and rings of several loops are copied to as boxes, into as many slots
// RUN: not tile-opt %t/print.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/roles" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/roles" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: roles:1:1: error: loop #0 cannot be split into roles: the kernel has a 'tile.print' (line 15), which roles cannot have
// RUN: not tile-opt %t/store.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/roles" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/roles" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: roles:1:1: error: loop #0 cannot be split into roles: this 'tile.store' (line 6) before the loop may have to come before the loads, and the producer does not wait for it
// RUN: not tile-opt %t/bound.mlir --schedule-stages="target=generic:shared=160k,async=on,roles=on file=%t/roles" --schedule-roles="target=generic:shared=160k,async=on,roles=on file=%t/roles" --schedule-allocate="target=generic:shared=160k,async=on,roles=on" 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: roles:1:1: error: loop #0 cannot be split into roles: bounds or addresses depend on this 'tile.load' (line 5), which the producer cannot compute

// Attributes that somebody wrote.
// RUN: not tile-opt %t/attribute.mlir --target=generic:shared=160k,async=on --tile-distribute --schedule-stages --schedule-allocate 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: error: 'scf.for' op cannot follow its schedule: it has roles, but generic has none

//--- roles
loop #0: slots=4 roles=producer:4,consumer
//--- word
loop #0: slots=4 roles=consumer,producer:4
//--- zero
loop #0: slots=4 roles=producer:0,consumer
//--- warps
loop #0: slots=4 roles=producer:2,consumer
//--- registers
loop #0: slots=4 roles=producer:4,consumer copies=registers
//--- inner
loop #1: slots=4 roles=producer:4,consumer
//--- both
loop #0: slots=4 roles=producer:4,consumer
loop #1: slots=4 roles=producer:4,consumer
//--- nested.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %j = %zero to %n step %one : i32 {
    %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
      %range = tile.make_range 0 to 32 : tensor<32xi32>
      %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
      %offsets = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
      %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
  }
  return
}
//--- two.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %range = tile.make_range 0 to 32 : tensor<32xi32>
    %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %offsets = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %s = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %range = tile.make_range 0 to 32 : tensor<32xi32>
    %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %offsets = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}
//--- print.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %range = tile.make_range 0 to 32 : tensor<32xi32>
    %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %offsets = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.print "seen"
  return
}
//--- store.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %at = tile.addptr %y, %n : !tile.ptr<i32>, i32
  tile.store %at, %n : !tile.ptr<i32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %range = tile.make_range 0 to 32 : tensor<32xi32>
    %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %offsets = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}
//--- bound.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %m = tile.load %y : !tile.ptr<i32>
  %r = scf.for %i = %zero to %m step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %range = tile.make_range 0 to 32 : tensor<32xi32>
    %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %offsets = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  return
}
//--- attribute.mlir
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %range = tile.make_range 0 to 32 : tensor<32xi32>
    %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %offsets = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>, sched.role = #sched.role<producers = 4>}
  return
}
