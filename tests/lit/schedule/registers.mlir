// Loads run ahead through registers only as far as a thread has any: here a loop carries 8, and each of two loads takes 4.
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,registers=16 num-stages=2" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=BOTH --implicit-check-not=load-not-ahead
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k num-stages=2" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=BOTH --implicit-check-not=load-not-ahead
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,registers=15 num-stages=2" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,registers=11 num-stages=2" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=NONE
// Asynchronous copies take none, and a schedule by hand is followed.
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,async=on,registers=11 num-stages=2" | FileCheck %s --check-prefix=BOTH
// RUN: echo 'loop #0: slots=1 copies=registers' > %t
// RUN: tile-opt %s --schedule-stages="target=generic:shared=160k,registers=11 file=%t" | FileCheck %s --check-prefix=BOTH

// BOTH-COUNT-2: tile.load {{.*}}sched.ring
// ONE: remark: {{.*}}load-not-ahead{{.*}}Reason="the load does not run ahead: of the 15 registers of a thread the loop needs about 12, and the load 4 more on its way to a slot"
// ONE: tile.load {{.*}}sched.ring
// ONE-NOT: sched.ring
// NONE-COUNT-2: load-not-ahead
// NONE: remark: {{.*}}loop-not-pipelined{{.*}}Reason="the loop is not pipelined: none of its loads can run ahead; of the 11 registers of a thread the loop needs about 8, and the load 4 more on its way to a slot"
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
