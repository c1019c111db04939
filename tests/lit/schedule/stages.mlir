// Which loads run ahead, by how many iterations: by asynchronous copies or through registers. Memory is not asked.
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,async=on num-stages=4" | FileCheck %s --check-prefix=CHUNKS
// RUN: tile-opt %s --schedule-stages="target=generic:shared=1k,async=on num-stages=4" | FileCheck %s --check-prefix=CHUNKS
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,async=on num-stages=1" | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k num-stages=4" | FileCheck %s --check-prefix=REGISTERS
// A loop that has a schedule keeps it, also where slots are allocated.
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,async=on num-stages=4" \
// RUN:   | tile-opt --schedule-stages="target=generic:shared=160k,async=on num-stages=2" | FileCheck %s --check-prefix=CHUNKS
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,async=on num-stages=4" --schedule-allocate="target=generic:shared=160k,async=on" \
// RUN:   | tile-opt --schedule-stages="target=generic:shared=160k,async=on num-stages=2" | FileCheck %s --check-prefix=ALLOCATED
// Unless a text says otherwise: then slots are allocated anew.
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,async=on num-stages=4" --schedule-allocate="target=generic:shared=160k,async=on" \
// RUN:   | tile-opt --schedule-stages='target=generic:shared=160k,async=on text="loop #0: slots=5"' | FileCheck %s --check-prefix=ANEW
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,async=on num-stages=4" --schedule-allocate="target=generic:shared=160k,async=on" \
// RUN:   | tile-opt --schedule-stages='target=generic:shared=160k,async=on text="loop #0: none"' | FileCheck %s --check-prefix=NONE
// RUN: not tile-opt %s --schedule-stages="target=generic:colour=red" 2>&1 | FileCheck %s --check-prefix=TARGET

// CHUNKS-NOT: sched.conversions
// CHUNKS: tile.load {{.*}} {sched.ring = #sched.ring<order = swizzled, inner = 1>}
// CHUNKS: tile.load {{.*}} {sched.ring = #sched.ring<order = swizzled, inner = 1>}
// CHUNKS: {sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
// NONE-NOT: sched.pipeline
// NONE-NOT: sched.ring
// NONE-NOT: sched.conversions
// REGISTERS: sched.pipeline = #sched.pipeline<slots = 2, distance = 2, copies = registers>
// ALLOCATED: {sched.conversions = 147456 : i64, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
// ANEW-NOT: sched.conversions
// ANEW: {sched.by_hand = #loc{{[0-9]*}}, sched.pipeline = #sched.pipeline<slots = 5, distance = 4, copies = chunks>}
// TARGET: error: schedule-stages: {{.*}}colour
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
