// Products of 8-bit floats of two formats on gfx950, 128 along k: by the instructions that take formats, four steps of 32x32x16 at once. gfx1201
// has shorter ones; gfx90a has none, so float16 multiplies them.
// RUN: tile-amdgpu %s --arch=gfx950 --num-stages=2 --emit=layout | FileCheck %s --check-prefix=LAYOUT
// RUN: tile-amdgpu %s --arch=gfx950 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=ASM --implicit-check-not=v_mfma_f32_32x32x16 --implicit-check-not=v_mfma_scale
// RUN: tile-amdgpu %s --arch=gfx950 --num-stages=2 --matrix-instr-nonkdim=16 --emit=amdgcn | FileCheck %s --check-prefix=SIXTEEN
// RUN: tile-amdgpu %s --arch=gfx1201 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=WMMA
// RUN: tile-amdgpu %s --arch=gfx90a --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=HALVES

// LAYOUT: #distribute.dot<instruction = "mfma.f32.32x32x64.f8f6f4.fp8.bf8"
// ASM-COUNT-2: v_mfma_f32_32x32x64_f8f6f4 {{.*}} blgp:1
// SIXTEEN: v_mfma_f32_16x16x128_f8f6f4 {{.*}} blgp:1
// WMMA: v_wmma_f32_16x16x16_fp8_bf8
// HALVES: v_mfma_f32_32x32x8f16
module {
  func.func @mm(%arg0: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64, tile.name = "a"}, %arg1: !tile.ptr<f8E5M2> {tile.divisibility = 16 : i64, tile.name = "b"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "c"}) attributes {tile.kernel} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c0_i32 = arith.constant 0 : i32
    %c256_i32 = arith.constant 256 : i32
    %c128_i32 = arith.constant 128 : i32
    %cst_0 = arith.constant dense<256> : tensor<64x1xi32>
    %cst_1 = arith.constant dense<64> : tensor<128x1xi32>
    %cst_2 = arith.constant dense<64> : tensor<64x1xi32>
    %0 = tile.make_range 0 to 64 : tensor<64xi32>
    %1 = tile.make_range 0 to 128 : tensor<128xi32>
    %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %3 = arith.muli %2, %cst_0 : tensor<64x1xi32>
    %4 = tile.splat %arg0 : !tile.ptr<f8E4M3FN> -> tensor<64x1x!tile.ptr<f8E4M3FN>>
    %5 = tile.addptr %4, %3 : tensor<64x1x!tile.ptr<f8E4M3FN>>, tensor<64x1xi32>
    %6 = tile.broadcast %5 : tensor<64x1x!tile.ptr<f8E4M3FN>> -> tensor<64x128x!tile.ptr<f8E4M3FN>>
    %7 = tile.splat %arg1 : !tile.ptr<f8E5M2> -> tensor<128x1x!tile.ptr<f8E5M2>>
    %8 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %9 = tile.broadcast %8 : tensor<1x64xi32> -> tensor<128x64xi32>
    %10 = scf.for %arg3 = %c0_i32 to %c256_i32 step %c128_i32 iter_args(%arg4 = %cst) -> (tensor<64x64xf32>)  : i32 {
      %17 = tile.splat %arg3 : i32 -> tensor<128xi32>
      %18 = arith.addi %17, %1 : tensor<128xi32>
      %19 = tile.expand_dims %18 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
      %20 = tile.broadcast %19 : tensor<1x128xi32> -> tensor<64x128xi32>
      %21 = tile.addptr %6, %20 : tensor<64x128x!tile.ptr<f8E4M3FN>>, tensor<64x128xi32>
      %22 = tile.load %21 : tensor<64x128x!tile.ptr<f8E4M3FN>>
      %23 = tile.expand_dims %18 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
      %24 = arith.muli %23, %cst_1 : tensor<128x1xi32>
      %25 = tile.addptr %7, %24 : tensor<128x1x!tile.ptr<f8E5M2>>, tensor<128x1xi32>
      %26 = tile.broadcast %25 : tensor<128x1x!tile.ptr<f8E5M2>> -> tensor<128x64x!tile.ptr<f8E5M2>>
      %27 = tile.addptr %26, %9 : tensor<128x64x!tile.ptr<f8E5M2>>, tensor<128x64xi32>
      %28 = tile.load %27 : tensor<128x64x!tile.ptr<f8E5M2>>
      %29 = tile.dot %22, %28, %arg4 {max_imprecise = 128 : i32} : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E5M2> -> tensor<64x64xf32>
      scf.yield %29 : tensor<64x64xf32>
    }
    %11 = arith.muli %2, %cst_2 : tensor<64x1xi32>
    %12 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %13 = tile.addptr %12, %11 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %14 = tile.broadcast %13 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %15 = tile.broadcast %8 : tensor<1x64xi32> -> tensor<64x64xi32>
    %16 = tile.addptr %14, %15 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %16, %10 : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
