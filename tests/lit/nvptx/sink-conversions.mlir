// What was loaded in 16 bits is converted to 32 where it is used: ptxas, which makes branches of square roots, moves nothing across them.
// RUN: tile-nvptx %s --arch=sm_90a --num-warps=1 | FileCheck %s
// CHECK: ld.global.v4.b16 {{[{]}}[[A:%rs[0-9]+]], [[B:%rs[0-9]+]], {{.*}}
// CHECK: ld.global.v4.b16 {{[{]}}[[C:%rs[0-9]+]], [[D:%rs[0-9]+]], {{.*}}
// CHECK: cvt.f32.bf16 %r{{[0-9]+}}, [[A]];
// CHECK-NEXT: sqrt.rn.f32
// CHECK-NEXT: cvt.f32.bf16 %r{{[0-9]+}}, [[B]];
// CHECK-NEXT: sqrt.rn.f32
// CHECK-NOT: [[C]];
// CHECK-COUNT-2: sqrt.rn.f32
// CHECK: cvt.f32.bf16 %r{{[0-9]+}}, [[C]];
// CHECK: cvt.f32.bf16 %r{{[0-9]+}}, [[D]];
func.func @roots(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %px = tile.addptr %xs, %i : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  %ys = tile.splat %y : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %py = tile.addptr %ys, %i : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  %a = tile.load %px : tensor<128x!tile.ptr<bf16>>
  %b = tile.load %py : tensor<128x!tile.ptr<bf16>>
  %af = arith.extf %a : tensor<128xbf16> to tensor<128xf32>
  %bf = arith.extf %b : tensor<128xbf16> to tensor<128xf32>
  %r = math.sqrt %af : tensor<128xf32>
  %s = arith.addf %r, %bf : tensor<128xf32>
  %h = arith.truncf %s : tensor<128xf32> to tensor<128xbf16>
  tile.store %py, %h : tensor<128x!tile.ptr<bf16>>
  return
}
