// Accesses are as wide as the facts allow, one predicate each, and small tensors are stored once.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/add.mlir --emit=simt | FileCheck %t/add.mlir
// RUN: tile-nvptx %t/unaligned.mlir --emit=simt | FileCheck %t/unaligned.mlir
// RUN: tile-nvptx %t/small.mlir --emit=simt | FileCheck %t/small.mlir
// RUN: tile-nvptx %t/scalar.mlir --emit=simt | FileCheck %t/scalar.mlir
// RUN: tile-nvptx %t/bool.mlir --emit=simt | FileCheck %t/bool.mlir

//--- add.mlir
// The mask is constant over runs of 16 since n is a multiple of 16.
// CHECK-LABEL: func.func @k
// CHECK-SAME: i64 {simt.pointer, tile.divisibility = 16 : i64}
// CHECK-SAME: simt.shared_bytes = 0 : i64, simt.threads = 128 : i32
// CHECK: arith.constant dense<[0, 1, 2, 3, 512, 513, 514, 515]> : vector<8xi32>
// CHECK-COUNT-2: simt.load %{{.*}} mask %{{.*}} : vector<4xf32>
// CHECK-NOT: simt.load
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK-COUNT-2: simt.store %{{.*}} mask %{{.*}} : vector<4xf32>
// CHECK-NOT: simt.store
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p mask %m : tensor<1024x!tile.ptr<f32>>
  %s = arith.addf %v, %v : tensor<1024xf32>
  tile.store %p, %s mask %m : tensor<1024x!tile.ptr<f32>>
  return
}

//--- unaligned.mlir
// Nothing is known of n: the mask may change anywhere, so each element is an access.
// CHECK: simt.load %{{.*}} mask %{{.*}} : vector<1xf32>
// CHECK-NOT: vector<4xf32>
// CHECK: return
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p mask %m : tensor<1024x!tile.ptr<f32>>
  tile.store %p, %v mask %m : tensor<1024x!tile.ptr<f32>>
  return
}

//--- small.mlir
// 16 elements on 128 threads: all load, the threads with bits 4 to 6 clear store.
// CHECK: %[[TID:.*]] = simt.thread_id
// CHECK: simt.load %{{.*}} : vector<1xf32>
// CHECK: %[[MASK:.*]] = arith.constant 112 : i32
// CHECK: %[[BITS:.*]] = arith.andi %[[TID]], %[[MASK]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BITS]]
// CHECK: simt.store %{{.*}} mask %[[FIRST]] : vector<1xf32>
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %p : tensor<16x!tile.ptr<f32>>
  tile.store %p, %v : tensor<16x!tile.ptr<f32>>
  return
}

//--- scalar.mlir
// CHECK: %[[TID:.*]] = simt.thread_id
// CHECK: simt.load %{{.*}} : vector<1xf32>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TID]]
// CHECK: simt.store %{{.*}} mask %[[FIRST]] : vector<1xf32>
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %s = arith.addf %v, %v : f32
  tile.store %x, %s : !tile.ptr<f32>
  return
}

//--- bool.mlir
// i1 takes a byte in memory.
// CHECK: simt.load %{{.*}} : vector<2xi8>
// CHECK: arith.cmpi ne, %{{.*}} : vector<2xi8>
// CHECK: arith.extui %{{.*}} : vector<2xi1> to vector<2xi8>
// CHECK: simt.store %{{.*}} : vector<2xi8>
func.func @k(%x: !tile.ptr<i1> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<i1> -> tensor<256x!tile.ptr<i1>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<i1>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<i1>>
  tile.store %p, %v : tensor<256x!tile.ptr<i1>>
  return
}
