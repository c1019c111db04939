// Halves that lie in different lanes: each lane gives away half of its registers for the other half, and
// keeps as many as before; nothing is repeated in all lanes.
// RUN: tile-nvptx %s --emit=simt | FileCheck %s

// CHECK: simt.load %{{.*}} : vector<4xf32>
// CHECK-COUNT-2: simt.shuffle {{.*}} : f32
// CHECK-NOT: simt.shuffle
// CHECK: arith.addf %{{.*}} : vector<2xf32>
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %p : tensor<512x!tile.ptr<f32>>
  %r = tile.reshape %v : tensor<512xf32> -> tensor<16x2x16xf32>
  %t = tile.trans %r [0, 2, 1] : tensor<16x2x16xf32> -> tensor<16x16x2xf32>
  %a, %b = tile.split %t : tensor<16x16x2xf32> -> tensor<16x16xf32>, tensor<16x16xf32>
  %s = arith.addf %a, %b : tensor<16x16xf32>
  %j = tile.make_range 0 to 256 : tensor<256xi32>
  %ys = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %ys, %j : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %f = tile.reshape %s : tensor<16x16xf32> -> tensor<256xf32>
  tile.store %q, %f : tensor<256x!tile.ptr<f32>>
  return
}
