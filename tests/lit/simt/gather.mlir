// A gather inside a warp is shuffles from the lanes that the indices name; between warps it reads shared memory.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/gather.mlir --emit=simt --num-warps=1 | FileCheck %t/gather.mlir --check-prefix=WARP
// RUN: tile-nvptx %t/gather.mlir --emit=simt --num-warps=4 | FileCheck %t/gather.mlir --check-prefix=PROGRAM
// RUN: tile-nvptx %t/registers.mlir --emit=simt | FileCheck %t/registers.mlir
// RUN: tile-nvptx %t/histogram.mlir --emit=simt | FileCheck %t/histogram.mlir
// RUN: tile-nvptx %t/histogram.mlir | FileCheck %t/histogram.mlir --check-prefix=PTX
// RUN: tile-nvptx %t/map.mlir --emit=simt | FileCheck %t/map.mlir

//--- gather.mlir
// WARP: simt.shuffle idx
// WARP-NOT: simt.shared_alloc
// PROGRAM-NOT: simt.shuffle
// PROGRAM: simt.shared_alloc 512
// PROGRAM: simt.shared_store
// PROGRAM: simt.barrier program
// PROGRAM: simt.shared_load
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %ys, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %j = tile.load %q : tensor<128x!tile.ptr<i32>>
  %g = tile.gather %v[%j] axis 0 : tensor<128xf32>, tensor<128xi32> -> tensor<128xf32>
  tile.store %p, %g : tensor<128x!tile.ptr<f32>>
  return
}

//--- registers.mlir
// Two elements that every thread holds: one select.
// CHECK-NOT: simt.shuffle
// CHECK-NOT: simt.shared_alloc
// CHECK: arith.select
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %q = tile.addptr %ys, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %j = tile.load %q : tensor<256x!tile.ptr<i32>>
  %vr = tile.reshape %v : tensor<256xf32> -> tensor<128x2xf32>
  %jr = tile.reshape %j : tensor<256xi32> -> tensor<128x2xi32>
  %g = tile.gather %vr[%jr] axis 1 : tensor<128x2xf32>, tensor<128x2xi32> -> tensor<128x2xf32>
  %gr = tile.reshape %g : tensor<128x2xf32> -> tensor<256xf32>
  tile.store %p, %gr : tensor<256x!tile.ptr<f32>>
  return
}

//--- histogram.mlir
// Zeros, one addition an element, and the sums, with a barrier between each two.
// CHECK: simt.shared_alloc 64
// CHECK: simt.shared_store
// CHECK: arith.cmpi ult
// CHECK: simt.barrier program
// CHECK-NEXT: simt.shared_add
// CHECK: simt.shared_add
// CHECK-NOT: simt.shared_add
// CHECK: simt.barrier program
// CHECK-NEXT: simt.shared_load
// CHECK-NOT: simt.barrier
// PTX-COUNT-2: red.shared.add.u32
func.func @k(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %z: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<i32>>
  %h = tile.histogram %v : tensor<256xi32> -> tensor<16xi32>
  %b = tile.make_range 0 to 16 : tensor<16xi32>
  %zs = tile.splat %z : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %q = tile.addptr %zs, %b : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %q, %h : tensor<16x!tile.ptr<i32>>
  return
}

//--- map.mlir
// One branch a register.
// CHECK-COUNT-2: scf.if
// CHECK-NOT: scf.if
// CHECK: simt.store %{{.*}} : vector<2xf32>
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %zero = arith.constant 0.0 : f32
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>>
  %m = tile.map %v : (tensor<256xf32>) -> tensor<256xf32> {
  ^bb0(%a: f32):
    %c = arith.cmpf ogt, %a, %zero : f32
    %r = scf.if %c -> (f32) {
      %s = math.sqrt %a : f32
      scf.yield %s : f32
    } else {
      scf.yield %zero : f32
    }
    tile.yield %r : f32
  }
  tile.store %p, %m : tensor<256x!tile.ptr<f32>>
  return
}
