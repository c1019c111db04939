// The output of tile-distribute: its text can be read again and lowers unchanged, and passes can be printed.
// RUN: tile-opt %s --target=generic:lanes=32,shared=48k --tile-distribute | FileCheck %s
// RUN: tile-opt %s --target=generic:lanes=32,shared=48k --tile-distribute --tile-distribute | FileCheck %s
// RUN: tile-opt %s --target=generic:lanes=32,shared=48k --tile-distribute | tile-opt | FileCheck %s
// RUN: tile-opt %s --target=generic:lanes=32,shared=48k --tile-distribute -o %t.layout
// RUN: tile-opt %t.layout --lower-to-threads -o %t.two
// RUN: tile-opt %s --target=generic:lanes=32,shared=48k --tile-pad --tile-split --tile-distribute --lower-to-threads -o %t.one
// RUN: cmp %t.one %t.two
// RUN: FileCheck %s --check-prefix=THREADS --input-file=%t.one
// RUN: tile-opt %s --target=generic --tile-distribute --lower-to-threads --mlir-print-ir-after=tile-distribute -o %t.out 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not tile-opt %s --target=generic --lower-to-threads 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK-DAG: [[WIDE:#layout[0-9]*]] = #distribute.layout<"{register = [(1), (2)], lane = [(4), (8), (16), (32), (64)], warp = [(128), (256)]} -> (dim0: 512)">
// CHECK-DAG: [[ACCESS:#access[0-9]*]] = #distribute.access<layout = [[WIDE]], contiguity = [512], alignment = [16], constancy = [4], order = [0]>

// CHECK-LABEL: func.func @k(
// CHECK: arith.cmpi slt, {{.*}} {distribute.runs = array<i64: 4>}
// An address is computed where it is used.
// CHECK: tile.addptr %{{.*}} : tensor<512x!tile.ptr<f32>>, tensor<512xi32>{{$}}
// CHECK: tile.load %{{.*}} {distribute.access = [[ACCESS]], distribute.homes = {{\[}}[[WIDE]]]}
// A loop's sum has a layout as its result and as its argument; the counter has none.
// CHECK: scf.for
// CHECK: } {distribute.arguments = [unit, [[WIDE]]], distribute.homes = {{\[}}[[WIDE]]]}
// Nor does a scalar.
// CHECK: tile.reduce
// CHECK-NOT: distribute.homes
// CHECK: tile.store {{.*}}distribute.access = [[ACCESS]]
// CHECK-NOT: distribute.homes

// THREADS-NOT: distribute
// THREADS: simt.load %{{.*}} mask %{{.*}} : vector<4xf32>
// THREADS: scf.for {{.*}} -> (vector<4xf32>)
// THREADS: simt.store {{.*}} : vector<4xf32>
// THREADS-NOT: distribute

// AFTER: IR Dump After TileDistribute (tile-distribute)
// AFTER: distribute.access

// MISSING: error: 'tile.load' op has no 'distribute.access'; run tile-distribute first
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 4 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %end = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %i, %end : tensor<512xi32>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %b, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %p mask %m : tensor<512x!tile.ptr<f32>>
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %v) -> (tensor<512xf32>) : i32 {
    %t = arith.addf %s, %s : tensor<512xf32>
    scf.yield %t : tensor<512xf32>
  }
  %r = tile.reduce %sum axis 0 : (tensor<512xf32>) -> f32 {
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tile.yield %d : f32
  }
  %w = tile.splat %r : f32 -> tensor<512xf32>
  tile.store %p, %w mask %m : tensor<512x!tile.ptr<f32>>
  return
}
