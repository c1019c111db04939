// The order of channels is checked by simulation, also of kernels that are expanded already: a missing, early or late
// op is an error at the op that detects it. tests/kernels/RoleScheduleTest.cpp has more cases.
// RUN: split-file %s %t
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages=file=%t/roles --schedule-roles=file=%t/roles --schedule-allocate --schedule-expand > %t.roles
// RUN: tile-opt %t.roles --schedule-expand -o /dev/null
// RUN: grep -v sched.release %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=RELEASE
// RELEASE: error: 'sched.acquire' op waits for slot 0 forever
// RELEASE: note: the consumer waits here
// RUN: grep -v sched.await %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=AWAIT
// AWAIT: error: 'sched.read' op reads slot 0, which is not between an await and its release
// RUN: grep -v sched.acquire %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=ACQUIRE
// ACQUIRE: error: 'sched.copy' op fills slot 0, which is not between an acquire and its publish
// RUN: grep -v sched.publish %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=PUBLISH
// PUBLISH: error: 'sched.await' op waits for slot 0 forever
// PUBLISH: note: the producer has ended
// RUN: sed 's/pending 2/pending 3/' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'sched.publish' op publishes slot 0, whose copies may still be under way

// RUN: sed '0,/sched.copy/{/sched.copy/d}' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: 'sched.read' op reads slot 0, which nothing has filled since it was acquired
// RUN: sed '0,/sched.copy/{/sched.copy/{p}}' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: 'sched.copy' op fills slot 0 twice between an acquire and its publish

// Roles and the target.
// RUN: sed 's/consumer 0 to 4/consumer 0 to 2/' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: error: 'sched.role' op has 2 warps, but layouts are for 4
// RUN: sed 's/producer 4 to 8/producer 2 to 6/' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: error: 'sched.role' op has warps of another role
// RUN: sed 's/producers = 4/producers = 2/' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: 'sched.publish' op is in a role of 4 warps, but its channel has 2 of them
// RUN: sed 's/,roles=on//' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: 'sched.role' op cannot be on generic, which has no roles
// RUN: sed 's/^    return$/    tile.barrier/;s/^  }$/    return\n  }/' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: error: 'tile.barrier' op is beside roles; all of a kernel but rings, channels and store buffers is in them
// RUN: sed 's/shared=160k/shared=16k/' %t.roles | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: rings between roles take 16448 bytes, but generic has 16384 of shared memory

// Within one role.
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand > %t.one
// RUN: tile-opt %t.one --schedule-expand -o /dev/null
// RUN: grep -v sched.release %t.one | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=ONE-RELEASE
// ONE-RELEASE: error: 'sched.acquire' op acquires slot 0, which has not been released
// RUN: sed 's/pending 1/pending 2/' %t.one | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=ONE-EARLY
// ONE-EARLY: error: 'sched.await' op awaits slot 0, whose copies may still be under way
// RUN: sed '0,/sched.copy/{/sched.copy/d}' %t.one | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: grep -v sched.drain %t.one | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=DRAIN
// DRAIN: error: 'sched.channel' op ends while copies into slot 0 may be under way; 'sched.drain' waits for them

// Through registers a tile is put where no barrier of its own separates it from the products of the iteration before.
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand > %t.registers
// RUN: tile-opt %t.registers --schedule-expand -o /dev/null
// RUN: sed '/sched.await/{h;d};/sched.publish %[0-9]*\[%arg/G' %t.registers | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: error: 'sched.put' op is ahead and fills slot 0, which products have read since the channel's last await

// Errors visible in a single op.
// RUN: tile-opt %t/invalid.mlir --split-input-file --verify-diagnostics

//--- roles
loop #0: slots=4 roles=producer:4,consumer

//--- invalid.mlir
func.func @k(%x: i32) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  // expected-error @+1 {{'sched.role' op uses a value from before it; roles share rings, channels and the kernel's arguments alone}}
  sched.role consumer 0 to 4 {
    // expected-note @+1 {{here}}
    %y = arith.addi %x, %one : i32
  }
  return
}

// -----

func.func @k(%x: i32) attributes {tile.kernel} {
  // expected-error @+1 {{'sched.role' op has no warps from 4 to 4}}
  sched.role consumer 4 to 4 {
  }
  return
}

// -----

func.func @k(%x: i32) attributes {tile.kernel} {
  scf.for %i = %x to %x step %x : i32 {
    // expected-error @+1 {{'sched.role' op is not in the block of a kernel}}
    sched.role consumer 0 to 4 {
    }
  }
  return
}

// -----

func.func @k(%x: i32, %p: i1) attributes {tile.kernel} {
  %c = sched.channel : <slots = 2, copies = chunks>
  // expected-error @+1 {{'sched.publish' op has a predicate or publishes pending, which only channels between roles have}}
  sched.publish %c[%x] when %p : <slots = 2, copies = chunks>
  return
}

// -----

func.func @k(%x: i32, %p: i1) attributes {tile.kernel} {
  %c = sched.channel : <slots = 2, copies = chunks>
  // expected-error @+1 {{'sched.release' op has a predicate, which only channels between roles have}}
  sched.release %c[%x] when %p : <slots = 2, copies = chunks>
  return
}

// -----

func.func @k(%x: i32) attributes {tile.kernel} {
  %c = sched.channel : <slots = 2, copies = chunks, producers = 4, consumers = 4>
  // expected-error @+1 {{'sched.publish' op leaves as many publishes pending as there are slots, or more}}
  sched.publish %c[%x] pending 2 : <slots = 2, copies = chunks, producers = 4, consumers = 4>
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has roles, but a producer fills slots by copies = chunks or copies = boxes}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 2, distance = 2, copies = registers>, sched.role = #sched.role<producers = 4>}
  return
}
