// tl.dot_scaled on gfx950: instructions read the elements and the scales from which the operands of bfloat16 were
// computed, whatever the code is that computes them; elsewhere these are multiplied.
// RUN: tile-amdgpu %s --arch=gfx950 --num-warps=4 --emit=layout | FileCheck %s --check-prefix=LAYOUT
// RUN: tile-amdgpu %s --arch=gfx950 --num-warps=4 --emit=simt | FileCheck %s --check-prefix=SIMT
// RUN: tile-amdgpu %s --arch=gfx950 --num-warps=4 --emit=amdgcn | FileCheck %s --check-prefix=ASM --implicit-check-not=_bf16 --implicit-check-not=v_mul_f32 --implicit-check-not=v_pk_mul_f32
// RUN: tile-amdgpu %s --arch=gfx942 --num-warps=4 --emit=amdgcn | FileCheck %s --check-prefix=EXPANDED --implicit-check-not=v_mfma_scale
// Anything else than powers of two by E8M0 is multiplied, too.
// RUN: sed 's/dense<4194304>/dense<4194305>/' %s > %t && tile-amdgpu %t --arch=gfx950 --num-warps=4 --emit=amdgcn | FileCheck %s --check-prefix=EXPANDED --implicit-check-not=v_mfma_scale
// RUN: sed 's/dense<16128>/dense<16129>/' %s > %t && tile-amdgpu %t --arch=gfx950 --num-warps=4 --emit=amdgcn | FileCheck %s --check-prefix=EXPANDED --implicit-check-not=v_mfma_scale

// LAYOUT: #distribute.dot<instruction = "mfma.scale.f32.32x32x64.f8f6f4.fp8.fp4"
// SIMT: simt.mma "mfma.scale.f32.32x32x64.f8f6f4.fp8.fp4" {{.*}} scales %{{.*}}, %{{.*}} bytes [0, 0] : vector<32xi8>, vector<16xi8>, vector<16xf32>
// SIMT: simt.mma {{.*}} bytes [1, 1] :
// SIMT-NOT: arith.mulf
// ASM: v_mfma_scale_f32_32x32x64_f8f6f4 {{.*}} blgp:4
// EXPANDED: v_mfma_f32_{{.*}}bf16
module {
  func.func @ms(%arg0: !tile.ptr<f8E4M3FN> {tile.name = "a"}, %arg1: !tile.ptr<i8> {tile.name = "sa"}, %arg2: !tile.ptr<i8> {tile.name = "b"}, %arg3: !tile.ptr<i8> {tile.name = "sb"}, %arg4: !tile.ptr<f32> {tile.name = "c"}) attributes {tile.kernel} {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_0 = arith.constant dense<128> : tensor<64x1xi32>
    %cst_1 = arith.constant dense<64> : tensor<1x64xi32>
    %cst_2 = arith.constant dense<4> : tensor<64x1xi32>
    %cst_3 = arith.constant dense<0> : tensor<64x4xi32>
    %cst_4 = arith.constant dense<23> : tensor<64x4xi32>
    %cst_5 = arith.constant dense<4194304> : tensor<64x4xi32>
    %cst_6 = arith.constant dense<255> : tensor<64x4xi32>
    %cst_7 = arith.constant dense<2143289344> : tensor<64x4xi32>
    %cst_8 = arith.constant dense<15> : tensor<64x64xi16>
    %cst_9 = arith.constant dense<4> : tensor<64x64xi16>
    %cst_10 = arith.constant dense<7> : tensor<64x128xi16>
    %cst_11 = arith.constant dense<1> : tensor<64x128xi16>
    %cst_12 = arith.constant dense<126> : tensor<64x128xi16>
    %cst_13 = arith.constant dense<6> : tensor<64x128xi16>
    %cst_14 = arith.constant dense<16128> : tensor<64x128xi16>
    %cst_15 = arith.constant dense<2> : tensor<64x128xi32>
    %cst_16 = arith.constant dense<8> : tensor<64x128xi16>
    %cst_17 = arith.constant dense<12> : tensor<64x128xi16>
    %cst_18 = arith.constant dense<64> : tensor<64x1xi32>
    %0 = tile.make_range 0 to 64 : tensor<64xi32>
    %1 = tile.make_range 0 to 128 : tensor<128xi32>
    %2 = tile.make_range 0 to 4 : tensor<4xi32>
    %3 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %4 = arith.muli %3, %cst_0 : tensor<64x1xi32>
    %5 = tile.splat %arg0 : !tile.ptr<f8E4M3FN> -> tensor<64x1x!tile.ptr<f8E4M3FN>>
    %6 = tile.addptr %5, %4 : tensor<64x1x!tile.ptr<f8E4M3FN>>, tensor<64x1xi32>
    %7 = tile.expand_dims %1 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
    %8 = tile.broadcast %6 : tensor<64x1x!tile.ptr<f8E4M3FN>> -> tensor<64x128x!tile.ptr<f8E4M3FN>>
    %9 = tile.broadcast %7 : tensor<1x128xi32> -> tensor<64x128xi32>
    %10 = tile.addptr %8, %9 : tensor<64x128x!tile.ptr<f8E4M3FN>>, tensor<64x128xi32>
    %11 = tile.load %10 : tensor<64x128x!tile.ptr<f8E4M3FN>>
    %12 = tile.splat %arg2 : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
    %13 = tile.addptr %12, %3 : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
    %14 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %15 = arith.muli %14, %cst_1 : tensor<1x64xi32>
    %16 = tile.broadcast %13 : tensor<64x1x!tile.ptr<i8>> -> tensor<64x64x!tile.ptr<i8>>
    %17 = tile.broadcast %15 : tensor<1x64xi32> -> tensor<64x64xi32>
    %18 = tile.addptr %16, %17 : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
    %19 = tile.load %18 : tensor<64x64x!tile.ptr<i8>>
    %20 = arith.muli %3, %cst_2 : tensor<64x1xi32>
    %21 = tile.splat %arg1 : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
    %22 = tile.addptr %21, %20 : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
    %23 = tile.expand_dims %2 axis 0 : tensor<4xi32> -> tensor<1x4xi32>
    %24 = tile.broadcast %22 : tensor<64x1x!tile.ptr<i8>> -> tensor<64x4x!tile.ptr<i8>>
    %25 = tile.broadcast %23 : tensor<1x4xi32> -> tensor<64x4xi32>
    %26 = tile.addptr %24, %25 : tensor<64x4x!tile.ptr<i8>>, tensor<64x4xi32>
    %27 = tile.load %26 : tensor<64x4x!tile.ptr<i8>>
    %28 = tile.splat %arg3 : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
    %29 = tile.addptr %28, %20 : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
    %30 = tile.broadcast %29 : tensor<64x1x!tile.ptr<i8>> -> tensor<64x4x!tile.ptr<i8>>
    %31 = tile.addptr %30, %25 : tensor<64x4x!tile.ptr<i8>>, tensor<64x4xi32>
    %32 = tile.load %31 : tensor<64x4x!tile.ptr<i8>>
    %33 = arith.extui %27 : tensor<64x4xi8> to tensor<64x4xi32>
    %34 = arith.cmpi eq, %33, %cst_3 : tensor<64x4xi32>
    %35 = arith.shli %33, %cst_4 : tensor<64x4xi32>
    %36 = arith.select %34, %cst_5, %35 : tensor<64x4xi1>, tensor<64x4xi32>
    %37 = arith.cmpi eq, %33, %cst_6 : tensor<64x4xi32>
    %38 = arith.select %37, %cst_7, %36 : tensor<64x4xi1>, tensor<64x4xi32>
    %39 = arith.bitcast %38 : tensor<64x4xi32> to tensor<64x4xf32>
    %40 = tile.expand_dims %39 axis 2 : tensor<64x4xf32> -> tensor<64x4x1xf32>
    %41 = tile.broadcast %40 : tensor<64x4x1xf32> -> tensor<64x4x32xf32>
    %42 = tile.reshape %41 : tensor<64x4x32xf32> -> tensor<64x128xf32>
    %43 = tile.fp_cast %11 : tensor<64x128xf8E4M3FN> -> tensor<64x128xf32>
    %44 = arith.mulf %43, %42 : tensor<64x128xf32>
    %45 = arith.truncf %44 : tensor<64x128xf32> to tensor<64x128xbf16>
    %46 = tile.trans %19 [1, 0] : tensor<64x64xi8> -> tensor<64x64xi8>
    %47 = arith.extui %46 : tensor<64x64xi8> to tensor<64x64xi16>
    %48 = arith.andi %47, %cst_8 : tensor<64x64xi16>
    %49 = arith.shrui %47, %cst_9 : tensor<64x64xi16>
    %50 = tile.join %48, %49 : tensor<64x64xi16> -> tensor<64x64x2xi16>
    %51 = tile.reshape %50 : tensor<64x64x2xi16> -> tensor<64x128xi16>
    %52 = arith.andi %51, %cst_10 : tensor<64x128xi16>
    %53 = arith.shrui %52, %cst_11 : tensor<64x128xi16>
    %54 = arith.addi %53, %cst_12 : tensor<64x128xi16>
    %55 = arith.shli %54, %cst_10 : tensor<64x128xi16>
    %56 = arith.andi %52, %cst_11 : tensor<64x128xi16>
    %57 = arith.shli %56, %cst_13 : tensor<64x128xi16>
    %58 = arith.ori %55, %57 : tensor<64x128xi16>
    %59 = arith.muli %56, %cst_14 : tensor<64x128xi16>
    %60 = arith.extui %52 : tensor<64x128xi16> to tensor<64x128xi32>
    %61 = arith.cmpi slt, %60, %cst_15 : tensor<64x128xi32>
    %62 = arith.select %61, %59, %58 : tensor<64x128xi1>, tensor<64x128xi16>
    %63 = arith.andi %51, %cst_16 : tensor<64x128xi16>
    %64 = arith.shli %63, %cst_17 : tensor<64x128xi16>
    %65 = arith.ori %62, %64 : tensor<64x128xi16>
    %66 = arith.bitcast %65 : tensor<64x128xi16> to tensor<64x128xbf16>
    %67 = arith.extui %32 : tensor<64x4xi8> to tensor<64x4xi32>
    %68 = arith.cmpi eq, %67, %cst_3 : tensor<64x4xi32>
    %69 = arith.shli %67, %cst_4 : tensor<64x4xi32>
    %70 = arith.select %68, %cst_5, %69 : tensor<64x4xi1>, tensor<64x4xi32>
    %71 = arith.cmpi eq, %67, %cst_6 : tensor<64x4xi32>
    %72 = arith.select %71, %cst_7, %70 : tensor<64x4xi1>, tensor<64x4xi32>
    %73 = arith.bitcast %72 : tensor<64x4xi32> to tensor<64x4xf32>
    %74 = tile.expand_dims %73 axis 2 : tensor<64x4xf32> -> tensor<64x4x1xf32>
    %75 = tile.broadcast %74 : tensor<64x4x1xf32> -> tensor<64x4x32xf32>
    %76 = tile.reshape %75 : tensor<64x4x32xf32> -> tensor<64x128xf32>
    %77 = arith.extf %66 : tensor<64x128xbf16> to tensor<64x128xf32>
    %78 = arith.mulf %77, %76 : tensor<64x128xf32>
    %79 = arith.truncf %78 : tensor<64x128xf32> to tensor<64x128xbf16>
    %80 = tile.trans %79 [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %81 = tile.dot %45, %80, %cst : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
    %82 = arith.muli %3, %cst_18 : tensor<64x1xi32>
    %83 = tile.splat %arg4 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %84 = tile.addptr %83, %82 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %85 = tile.broadcast %84 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %86 = tile.broadcast %14 : tensor<1x64xi32> -> tensor<64x64xi32>
    %87 = tile.addptr %85, %86 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %87, %81 : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
