// Slots that are asked for, cut to those that fit the target's memory, and the room for conversions.
// RUN: tile-opt %s --schedule-allocate="target=generic:shared=160k,async=on" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: tile-opt %s --schedule-allocate="target=generic:shared=14k,async=on" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: tile-opt %s --schedule-allocate="target=generic:shared=6k,async=on" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/slots = 4, distance = 3, copies = chunks/slots = 2, distance = 2, copies = registers/' %s \
// RUN:   | tile-opt --schedule-allocate="target=generic:shared=6k" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=ONE
// A distance that is shorter than the slots allow stays so.
// RUN: sed 's/distance = 3/distance = 1/' %s | tile-opt --schedule-allocate="target=generic:shared=14k,async=on" | FileCheck %s --check-prefix=NEAR
// A schedule by hand is followed or refused.
// RUN: sed 's/{sched.pipeline/{sched.by_hand, sched.pipeline/' %s | not tile-opt --schedule-allocate="target=generic:shared=14k,async=on" 2>&1 | FileCheck %s --check-prefix=HAND
// RUN: sed 's/{sched.pipeline/{sched.by_hand = loc("loop 7"("six":3:1)), sched.pipeline/' %s | not tile-opt --schedule-allocate="target=generic:shared=14k,async=on" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: sed 's/{sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks/{sched.by_hand = loc("loop 7"("six":3:1)), sched.pipeline = #sched.pipeline<slots = 1, distance = 1, copies = registers/' %s \
// RUN:   | not tile-opt --schedule-allocate="target=generic:shared=4k" 2>&1 | FileCheck %s --check-prefix=TEXT1
// Numbers that are impossible.
// RUN: sed 's/slots = 4, distance = 3, copies = chunks/slots = 1, distance = 2, copies = registers/' %s | not tile-opt 2>&1 | FileCheck %s --check-prefix=FAR1
// RUN: sed 's/slots = 4, distance = 3/slots = 2, distance = 2/' %s | not tile-opt 2>&1 | FileCheck %s --check-prefix=FAR2
// Slots that are allocated for one target are checked for another one, and stay.
// RUN: tile-opt %s --schedule-allocate="target=generic:shared=160k,async=on" | tile-opt --schedule-allocate="target=generic:shared=160k,async=on" | FileCheck %s --check-prefix=FIT2
// RUN: tile-opt %s --schedule-allocate="target=generic:shared=160k,async=on" | not tile-opt --schedule-allocate="target=generic:shared=160k" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: tile-opt %s --schedule-allocate="target=generic:shared=160k,async=on" | not tile-opt --schedule-allocate="target=generic:shared=10k,async=on" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tile-opt %s --schedule-allocate="target=generic:colour=red" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tile-opt %s --schedule-allocate=num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS

// Two tiles of 2 KiB are a slot. All of the memory but the rings is left for conversions.
// FIT: remark: {{.*}}loads run 3 iterations ahead into 4 slots of 4096 bytes, by asynchronous copies
// FIT: func.func @k({{.*}}attributes {sched.conversions = 163840 : i64
// FIT: {sched.conversions = 147456 : i64, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
// FIT2: {sched.conversions = 147456 : i64, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
// 7/8 of 14 KiB hold three slots of 4 KiB.
// SMALL: remark: {{.*}}the loop has 3 slots instead of 4: a slot takes 4096 bytes, and of the 14336 bytes of shared memory 0 are in use by loops around and 1024 by ops in the loop
// SMALL: sched.conversions = 2048 : i64, sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>
// NONE: remark: {{.*}}the loop is not pipelined: 2 slots do not fit: a slot takes 4096 bytes
// NONE: attributes {sched.conversions
// NONE-NOT: sched.
// ONE: remark: {{.*}}the loop has 1 slot instead of 2: a slot takes 4096 bytes
// ONE: remark: {{.*}}loads run 1 iteration ahead into 1 slot of 4096 bytes, through registers
// ONE: sched.pipeline = #sched.pipeline<slots = 1, distance = 1, copies = registers>
// NEAR: sched.pipeline = #sched.pipeline<slots = 3, distance = 1, copies = chunks>
// HAND: error: 'scf.for' op cannot follow its schedule: rings of 16384 bytes and other ops of 1024 bytes do not fit the shared memory of {{.*}}, which has 14336
// TEXT: six:3:1: error: loop 7: 4 slots of 4096 bytes do not fit: of the 14336 bytes of shared memory of generic, 0 are in use by loops around and 1024 by ops in the loop
// TEXT1: six:3:1: error: loop 7: 1 slot of 4096 bytes does not fit: of the 4096 bytes of shared memory of generic, 0 are in use by loops around and 1024 by ops in the loop
// FAR1: error: {{.*}}loads through registers into 1 slot run ahead by 1 iteration, not by 2
// FAR2: error: {{.*}}asynchronous copies into 2 slots run ahead by 1 iteration, not by 2
// WRONG: error: 'tile.load' op cannot follow its schedule: generic{{.*}} has no asynchronous copies
// LARGE: error: 'scf.for' op cannot follow its schedule: rings of 16384 bytes and other ops of 1024 bytes do not fit the shared memory of {{.*}}, which has 10240
// TARGET: error: schedule-allocate: {{.*}}colour
// WARPS: error: num-warps=3 is not a power of two
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
    %a = tile.load %pa {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %pb {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
  return
}
