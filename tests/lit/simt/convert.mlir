// Values that stay inside a warp move by shuffles where that costs less than shared memory and a barrier.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/few.mlir --emit=simt --num-warps=1 | FileCheck %t/few.mlir
// RUN: tile-nvptx %t/many.mlir --emit=simt --num-warps=1 | FileCheck %t/many.mlir
// RUN: tile-nvptx %t/warps.mlir --emit=simt --num-warps=4 | FileCheck %t/warps.mlir

//--- few.mlir
// Two elements a lane, transposed: pairs of f32 go to other lanes in two rounds.
// CHECK: simt.load %{{.*}} : vector<2xf32>
// CHECK-COUNT-2: simt.shuffle {{.*}} : f32
// CHECK-NOT: simt.shuffle
// CHECK-NOT: simt.shared_alloc
// CHECK: simt.store %{{.*}} : vector<2xf32>
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  %r = tile.reshape %v : tensor<64xf32> -> tensor<32x2xf32>
  %t = tile.trans %r [1, 0] : tensor<32x2xf32> -> tensor<2x32xf32>
  %s = tile.reshape %t : tensor<2x32xf32> -> tensor<64xf32>
  tile.store %p, %s : tensor<64x!tile.ptr<f32>>
  return
}

//--- many.mlir
// A large transposition would take hundreds of shuffles.
// CHECK-NOT: simt.shuffle
// CHECK: simt.shared_alloc 16384
// CHECK-NOT: simt.shuffle
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %v = tile.load %p : tensor<4096x!tile.ptr<f32>>
  %r = tile.reshape %v : tensor<4096xf32> -> tensor<64x64xf32>
  %t = tile.trans %r [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %s = tile.reshape %t : tensor<64x64xf32> -> tensor<4096xf32>
  tile.store %p, %s : tensor<4096x!tile.ptr<f32>>
  return
}

//--- warps.mlir
// Between warps there is only shared memory.
// CHECK-NOT: simt.shuffle
// CHECK: simt.shared_store
// CHECK: simt.barrier program
// CHECK: simt.shared_load
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>>
  %r = tile.reshape %v : tensor<256xf32> -> tensor<16x16xf32>
  %t = tile.trans %r [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %s = tile.reshape %t : tensor<16x16xf32> -> tensor<256xf32>
  tile.store %p, %s : tensor<256x!tile.ptr<f32>>
  return
}
