// A transposed copy reads and writes rows in wide accesses, and goes through shared memory once: eight
// 16-byte loads a thread, one barrier, no second one.
// RUN: tile-nvptx %s --emit=simt | FileCheck %s

// CHECK-COUNT-8: simt.load %{{.*}} : vector<4xf32>
// CHECK-NOT: simt.load
// CHECK: simt.shared_alloc 16384
// CHECK: simt.shared_store
// CHECK: simt.barrier program
// CHECK-NOT: simt.barrier
// CHECK: simt.shared_load
// CHECK-COUNT-8: simt.store %{{.*}} : vector<4xf32>
// CHECK-NOT: simt.store
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 64 : tensor<64xi32>
  %ac = tile.make_range 0 to 64 : tensor<64xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ak = arith.constant dense<64> : tensor<64x1xi32>
  %arm = arith.muli %are, %ak : tensor<64x1xi32>
  %arb = tile.broadcast %arm : tensor<64x1xi32> -> tensor<64x64xi32>
  %acb = tile.broadcast %ace : tensor<1x64xi32> -> tensor<64x64xi32>
  %ai = arith.addi %arb, %acb : tensor<64x64xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %a = tile.addptr %as, %ai : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %av = tile.load %a : tensor<64x64x!tile.ptr<f32>>
  %br = tile.make_range 0 to 64 : tensor<64xi32>
  %bc = tile.make_range 0 to 64 : tensor<64xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %bk = arith.constant dense<64> : tensor<64x1xi32>
  %brm = arith.muli %bre, %bk : tensor<64x1xi32>
  %brb = tile.broadcast %brm : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tile.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bi = arith.addi %brb, %bcb : tensor<64x64xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %b = tile.addptr %bs, %bi : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %t = tile.trans %av [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %b, %t : tensor<64x64x!tile.ptr<f32>>
  return
}
