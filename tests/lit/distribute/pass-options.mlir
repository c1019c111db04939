// Options of passes that no program can have are errors that name them.
// RUN: not tile-opt %s --target=generic --num-warps=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-opt %s --schedule-stages=num-warps=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-opt %s --target=generic --num-warps=131072 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tile-opt %s --schedule-stages=num-warps=3 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not tile-opt %s --schedule-stages=num-warps=64 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not tile-opt %s --target=generic --num-stages=4294967295 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not tile-opt %s --schedule-stages=num-stages=4294967295 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not tile-opt %s --target=generic:lanes=8 --tile-split=part=0 2>&1 | FileCheck %s --check-prefix=PART -DN=0
// RUN: not tile-opt %s --target=generic:lanes=8 --tile-split=part=65536 2>&1 | FileCheck %s --check-prefix=PART -DN=65536
// RUN: not tile-opt %s --target=generic:lanes=8 --tile-split=part=-1 2>&1 | FileCheck %s --check-prefix=PART -DN=-1
// RUN: not tile-opt %s --target=generic:lanes=8 --tile-split=part=3 2>&1 | FileCheck %s --check-prefix=PART -DN=3
// RUN: not tile-opt %s --target=generic:lanes=8 --tile-split=most=0 2>&1 | FileCheck %s --check-prefix=MOST -DN=0
// RUN: not tile-opt %s --target=generic:lanes=8 --tile-split=most=9223372036854775807 2>&1 | FileCheck %s --check-prefix=MOST -DN=9223372036854775807
// RUN: tile-opt %s --target=generic:lanes=8 '--tile-split=most=64 part=64' | FileCheck %s --check-prefix=SPLIT
// NONE: error: num-warps=0 is not a power of two from 1 to 65536
// MANY: error: num-warps=131072 is not a power of two from 1 to 65536
// THREE: error: num-warps=3 is not a power of two from 1 to 65536
// THREADS: error: kernel 'wide' would run in 2048 threads with num_warps=64, but generic allows 1024 in a program
// STAGES: error: num-stages=4294967295 is not a number from 0 to 65536
// PART: error: tile-split: part=[[N]] is not a power of two from 1 to 256
// MOST: error: tile-split: most=[[N]] is not a power of two from 1 to 65536
// Authors of hand-written schedules do not see the loops that tile-split makes.
// SPLIT: scf.for
// SPLIT: tensor<2048xf32>
// SPLIT: } {tile.split}
// RUN: not tile-opt %s --target=generic:lanes=8 --tile-split --tile-distribute '--schedule-stages=text="loop #0: none"' 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: schedule:1:1: error: loop #0 is not in kernel 'wide', which has no 'for' loop
func.func @wide(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 65536 : tensor<65536xi32>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %p = tile.addptr %all, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %v = tile.load %p : tensor<65536x!tile.ptr<f32>>
  %sum = tile.reduce %v axis 0 : (tensor<65536xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %out, %sum : !tile.ptr<f32>
  return
}
