// A product becomes matrix instructions on fragments: 64×64×32 on four warps is 2·4·2 of them in each.
// RUN: tile-nvptx %s --emit=simt --arch=sm_80 | FileCheck %s
// RUN: tile-nvptx %s --emit=simt --arch=sm_75 | FileCheck %s --check-prefix=TURING

// CHECK-COUNT-16: simt.mma "m16n8k16.row.col.f32.f16.f16.f32" {{.*}} : vector<8xf16>, vector<4xf16>, vector<4xf32>
// CHECK-NOT: simt.mma
// TURING-COUNT-32: simt.mma "m16n8k8.row.col.f32.f16.f16.f32" {{.*}} : vector<4xf16>, vector<2xf16>, vector<4xf32>
// TURING-NOT: simt.mma
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 64 : tensor<64xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<64x1xi32>
  %arm = arith.muli %are, %ak : tensor<64x1xi32>
  %arb = tile.broadcast %arm : tensor<64x1xi32> -> tensor<64x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<64x32xi32>
  %ai = arith.addi %arb, %acb : tensor<64x32xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %a = tile.addptr %as, %ai : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %av = tile.load %a : tensor<64x32x!tile.ptr<f16>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 64 : tensor<64xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %bk = arith.constant dense<64> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x64xi32>
  %bcb = tile.broadcast %bce : tensor<1x64xi32> -> tensor<32x64xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x64xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %b = tile.addptr %bs, %bi : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %bv = tile.load %b : tensor<32x64x!tile.ptr<f16>>
  %or = tile.make_range 0 to 64 : tensor<64xi32>
  %oc = tile.make_range 0 to 64 : tensor<64xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ok = arith.constant dense<64> : tensor<64x1xi32>
  %orm = arith.muli %ore, %ok : tensor<64x1xi32>
  %orb = tile.broadcast %orm : tensor<64x1xi32> -> tensor<64x64xi32>
  %ocb = tile.broadcast %oce : tensor<1x64xi32> -> tensor<64x64xi32>
  %oi = arith.addi %orb, %ocb : tensor<64x64xi32>
  %os = tile.splat %z : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %o = tile.addptr %os, %oi : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %av, %bv, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.store %o, %d : tensor<64x64x!tile.ptr<f32>>
  return
}
