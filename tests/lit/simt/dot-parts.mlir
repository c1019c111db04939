// Three products of halves for bf16x3: small terms are summed first, and NaNs among them, which come from infinite
// operands, do not count. The sum of a step is added to the accumulator with rounding to nearest.
// RUN: tile-nvptx %s --emit=simt --arch=sm_80 --num-warps=1 | FileCheck %s

// CHECK: %[[AH:.*]] = simt.fp_cast %[[A:.*]] from f32 to bf16 {{.*}} : vector<8xf32> -> vector<8xbf16>
// CHECK: %[[AW:.*]] = arith.extf %[[AH]] : vector<8xbf16> to vector<8xf32>
// CHECK: %[[AR:.*]] = arith.subf %[[A]], %[[AW]]
// CHECK: %[[AL:.*]] = simt.fp_cast %[[AR]] from f32 to bf16
// CHECK: %[[AHE:.*]]:8 = vector.to_elements %[[AH]]
// CHECK: %[[AHF:.*]] = vector.from_elements %[[AHE]]#0
// CHECK: %[[ALE:.*]]:8 = vector.to_elements %[[AL]]
// CHECK: %[[ALF:.*]] = vector.from_elements %[[ALE]]#0
// CHECK: simt.fp_cast %{{.*}} from f32 to bf16 {{.*}} : vector<4xf32> -> vector<4xbf16>
// CHECK: %[[P0:.*]] = simt.mma "m16n8k16.row.col.f32.bf16.bf16.f32" %[[ALF]], %[[BH:.*]], %[[ZERO:.*]] :
// CHECK: %[[P1:.*]] = simt.mma "m16n8k16.row.col.f32.bf16.bf16.f32" %[[AHF]], %{{.*}}, %[[P0]] :
// CHECK: %[[OK:.*]] = arith.cmpf ord, %[[P1]], %[[P1]]
// CHECK: %[[SMALL:.*]] = arith.select %[[OK]], %[[P1]], %[[ZERO]]
// CHECK: %[[SUM:.*]] = simt.mma "m16n8k16.row.col.f32.bf16.bf16.f32" %[[AHF]], %[[BH]], %[[SMALL]] :
// CHECK: arith.addf %{{.*}}, %[[SUM]]
// CHECK-NOT: simt.mma
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 256 : tensor<256xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %av = tile.load %ap : tensor<256x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<256xf32> -> tensor<16x16xf32>
  %bi = tile.make_range 0 to 128 : tensor<128xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %bv = tile.load %bp : tensor<128x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<128xf32> -> tensor<16x8xf32>
  %ci = tile.make_range 0 to 128 : tensor<128xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %cv = tile.load %cp : tensor<128x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<128xf32> -> tensor<16x8xf32>
  %d = tile.dot %a, %b, %c precision bf16x3 : tensor<16x16xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
  %dv = tile.reshape %d : tensor<16x8xf32> -> tensor<128xf32>
  tile.store %cp, %dv : tensor<128x!tile.ptr<f32>>
  return
}
