// sm_89 adds up 8-bit products less precisely than in float32: here at most 64 of them, which is two instructions, before
// the sum goes to the accumulator. Elsewhere the instructions accumulate.
// RUN: tile-nvptx %s --arch=sm_89 --num-warps=1 --emit=simt | FileCheck %s
// RUN: tile-nvptx %s --arch=sm_90 --num-warps=1 --emit=simt | FileCheck %s --check-prefix=PRECISE

// CHECK: %[[S0:.*]] = simt.mma "m16n8k32.row.col.f32.e4m3.e4m3.f32" %{{.*}}, %{{.*}}, %cst
// CHECK: %[[S1:.*]] = simt.mma {{.*}}, %[[S0]] :
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[S1]]
// CHECK: %[[S2:.*]] = simt.mma {{.*}}, %cst{{[_0-9]*}} :
// CHECK: %[[S3:.*]] = simt.mma {{.*}}, %[[S2]] :
// CHECK: arith.addf %[[SUM]], %[[S3]]

// PRECISE: %[[S0:.*]] = simt.mma "m16n8k32.row.col.f32.e4m3.e4m3.f32"
// PRECISE: %[[S1:.*]] = simt.mma {{.*}}, %[[S0]] :
// PRECISE: %[[S2:.*]] = simt.mma {{.*}}, %[[S1]] :
// PRECISE: simt.mma {{.*}}, %[[S2]] :
func.func @k(%x: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 2048 : tensor<2048xi32>
  %as = tile.splat %x : !tile.ptr<f8E4M3FN> -> tensor<2048x!tile.ptr<f8E4M3FN>>
  %ap = tile.addptr %as, %ai : tensor<2048x!tile.ptr<f8E4M3FN>>, tensor<2048xi32>
  %av = tile.load %ap : tensor<2048x!tile.ptr<f8E4M3FN>>
  %a = tile.reshape %av : tensor<2048xf8E4M3FN> -> tensor<16x128xf8E4M3FN>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f8E4M3FN> -> tensor<1024x!tile.ptr<f8E4M3FN>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f8E4M3FN>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f8E4M3FN>>
  %b = tile.reshape %bv : tensor<1024xf8E4M3FN> -> tensor<128x8xf8E4M3FN>
  %ci = tile.make_range 0 to 128 : tensor<128xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %cv = tile.load %cp : tensor<128x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<128xf32> -> tensor<16x8xf32>
  %d = tile.dot %a, %b, %c {max_imprecise = 64 : i32} : tensor<16x128xf8E4M3FN>, tensor<128x8xf8E4M3FN> -> tensor<16x8xf32>
  %dv = tile.reshape %d : tensor<16x8xf32> -> tensor<128xf32>
  tile.store %cp, %dv : tensor<128x!tile.ptr<f32>>
  return
}
