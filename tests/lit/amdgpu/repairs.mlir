// What LLVM would compile wrongly.
// RUN: split-file %s %t
// (x + x) - y is not fma(x, 2, -y), which is finite where x + x is not; 2 x - y may be contracted.
// RUN: tile-amdgpu %t/sum.mlir --arch=gfx942 | FileCheck %s --check-prefix=SUM --implicit-check-not=fma
// RUN: tile-amdgpu %t/sum.mlir --arch=gfx1100 | FileCheck %s --check-prefix=SUM --implicit-check-not=fma
// RUN: tile-amdgpu %t/product.mlir --arch=gfx942 | FileCheck %s --check-prefix=PRODUCT
// SUM: v_{{(dual_)?}}add_f32
// SUM: v_{{(dual_)?}}sub{{(rev)?}}_f32
// PRODUCT: v_fma_f32
// The minimum of a signalling NaN and a number is the number: bfloat16 is made float32 by a shift, which leaves the NaN as it is.
// RUN: tile-amdgpu %t/signals.mlir --arch=gfx942 | FileCheck %s --check-prefix=SIGNALS
// RUN: tile-amdgpu %t/signals.mlir --arch=gfx90a | FileCheck %s --check-prefix=SIGNALS
// SIGNALS-DAG: v_max_f32_e32 [[X:v[0-9]+]], [[A:v[0-9]+]], [[A]]
// SIGNALS-DAG: v_max_f32_e32 [[Y:v[0-9]+]], [[B:v[0-9]+]], [[B]]
// SIGNALS: v_min_f32

//--- signals.mlir
func.func @k(%x: !tile.ptr<bf16>, %y: !tile.ptr<bf16>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>>
  %ys = tile.splat %y : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>>
  %px = tile.addptr %xs, %range : tensor<64x!tile.ptr<bf16>>, tensor<64xi32>
  %py = tile.addptr %ys, %range : tensor<64x!tile.ptr<bf16>>, tensor<64xi32>
  %a = tile.load %px : tensor<64x!tile.ptr<bf16>>
  %b = tile.load %py : tensor<64x!tile.ptr<bf16>>
  %least = arith.minnumf %a, %b : tensor<64xbf16>
  tile.store %px, %least : tensor<64x!tile.ptr<bf16>>
  return
}

//--- sum.mlir
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %py = tile.addptr %ys, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %a = tile.load %px : tensor<64x!tile.ptr<f32>>
  %b = tile.load %py : tensor<64x!tile.ptr<f32>>
  %sum = arith.addf %a, %a : tensor<64xf32>
  %difference = arith.subf %sum, %b : tensor<64xf32>
  tile.store %px, %difference : tensor<64x!tile.ptr<f32>>
  return
}

//--- product.mlir
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %px = tile.addptr %xs, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %py = tile.addptr %ys, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %a = tile.load %px : tensor<64x!tile.ptr<f32>>
  %b = tile.load %py : tensor<64x!tile.ptr<f32>>
  %product = arith.mulf %a, %two : tensor<64xf32>
  %difference = arith.subf %product, %b : tensor<64xf32>
  tile.store %px, %difference : tensor<64x!tile.ptr<f32>>
  return
}
