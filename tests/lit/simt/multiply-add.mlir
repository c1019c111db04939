// Multiply-adds, where no instruction has the precision: 64×64×32 on four warps is 8×4 results in each thread. Four
// steps along k are read at once: 128 multiply-adds for 12 accesses of 16 bytes.
// RUN: tile-nvptx %s --emit=simt | FileCheck %s
// RUN: tile-nvptx %s | FileCheck %s --check-prefix=PTX

// The operands, stored once; everything is written out, k is short.
// CHECK-COUNT-2: simt.shared_alloc
// CHECK: simt.barrier program
// CHECK-NOT: scf.for
// CHECK-COUNT-12: simt.shared_load {{.*}} : vector<4xf32>
// CHECK: math.fma {{.*}} : vector<32xf32>
// CHECK-NOT: vector<1xf32>

// PTX-COUNT-3: bar.sync
// PTX-COUNT-12: ld.shared.v4
// PTX-NOT: ld.shared
// PTX-COUNT-128: fma.rn.f32
// PTX-NOT: ld.shared.b32
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 2048 : tensor<2048xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  %av = tile.load %ap : tensor<2048x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<2048xf32> -> tensor<64x32xf32>
  %bi = tile.make_range 0 to 2048 : tensor<2048xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  %bv = tile.load %bp : tensor<2048x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<2048xf32> -> tensor<32x64xf32>
  %ci = tile.make_range 0 to 4096 : tensor<4096xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %cv = tile.load %cp : tensor<4096x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<4096xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %b, %c : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  %dv = tile.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
  tile.store %cp, %dv : tensor<4096x!tile.ptr<f32>>
  return
}
