// A long k is a loop whose body stays small; the accumulator of f16 is kept in f32 and rounded once.
// RUN: tile-nvptx %s --emit=simt --arch=sm_75 | FileCheck %s

// CHECK: arith.extf {{.*}} : vector<8xf16> to vector<8xf32>
// CHECK: scf.for
// CHECK: simt.shared_load {{.*}} : vector<4xbf16>
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK: scf.yield
// CHECK-NOT: math.fma
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
func.func @k(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 8192 : tensor<8192xi32>
  %as = tile.splat %x : !tile.ptr<bf16> -> tensor<8192x!tile.ptr<bf16>>
  %ap = tile.addptr %as, %ai : tensor<8192x!tile.ptr<bf16>>, tensor<8192xi32>
  %av = tile.load %ap : tensor<8192x!tile.ptr<bf16>>
  %a = tile.reshape %av : tensor<8192xbf16> -> tensor<32x256xbf16>
  %bi = tile.make_range 0 to 8192 : tensor<8192xi32>
  %bs = tile.splat %y : !tile.ptr<bf16> -> tensor<8192x!tile.ptr<bf16>>
  %bp = tile.addptr %bs, %bi : tensor<8192x!tile.ptr<bf16>>, tensor<8192xi32>
  %bv = tile.load %bp : tensor<8192x!tile.ptr<bf16>>
  %b = tile.reshape %bv : tensor<8192xbf16> -> tensor<256x32xbf16>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f16>>
  %c = tile.reshape %cv : tensor<1024xf16> -> tensor<32x32xf16>
  %d = tile.dot %a, %b, %c : tensor<32x256xbf16>, tensor<256x32xbf16> -> tensor<32x32xf16>
  %dv = tile.reshape %d : tensor<32x32xf16> -> tensor<1024xf16>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f16>>
  return
}
