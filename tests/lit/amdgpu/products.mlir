// Products of f16 whose second operand lies across k: a thread loads blocks and stores their columns, so
// that both operands are read in 16 bytes; instructions compute the transposed product.
// RUN: tile-amdgpu %s --arch=gfx942 --num-stages=2 --emit=layout | FileCheck %s --check-prefix=LAYOUT
// RUN: tile-amdgpu %s --arch=gfx942 --num-stages=2 --emit=schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: tile-amdgpu %s --arch=gfx942 --num-stages=3 --emit=schedule | FileCheck %s --check-prefix=THREE
// RUN: tile-amdgpu %s --arch=gfx942 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=ASM --implicit-check-not=ds_read_u16 --implicit-check-not=ds_read2_b64
// RUN: tile-amdgpu %s --arch=gfx1100 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=WMMA --implicit-check-not=ds_load_u16
// RUN: tile-amdgpu %s --arch=gfx942 --num-stages=2 --kpack=1 --emit=amdgcn | FileCheck %s --check-prefix=KPACK1 --implicit-check-not=ds_read_b128
// RUN: tile-amdgpu %s --arch=gfx942 --num-stages=2 --matrix-instr-nonkdim=16 --emit=amdgcn | FileCheck %s --check-prefix=SIXTEEN
// RUN: tile-amdgpu %s --arch=gfx942 --num-stages=2 --matrix-instr-nonkdim=32 --emit=amdgcn | FileCheck %s --check-prefix=ASM --implicit-check-not=ds_read_u16 --implicit-check-not=ds_read2_b64
// On gfx950 the tile stays as it is in memory, and is transposed as it is read.
// RUN: tile-amdgpu %s --arch=gfx950 --num-stages=2 --emit=layout | FileCheck %s --check-prefix=TURNED --implicit-check-not="tile_inner = 0"
// RUN: tile-amdgpu %s --arch=gfx950 --num-stages=2 --emit=schedule | FileCheck %s --check-prefix=TURNED-RING
// RUN: tile-amdgpu %s --arch=gfx950 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=TURNED-ASM --implicit-check-not=v_bfi_b32 --implicit-check-not=v_perm_b32 --implicit-check-not=ds_read_u16
// Such reads bring 8 bytes of a lane, and others 16: of two waves each has half of the columns and all rows.
// RUN: tile-amdgpu %s --arch=gfx950 --num-warps=2 --num-stages=2 --emit=amdgcn > %t.two
// RUN: python3 %S/Inputs/inner_loops.py < %t.two | grep -c ds_read_b64_tr_b16 | FileCheck %s --check-prefix=PIECES
// PIECES: {{^8$}}
// WMMA has one size, as in Triton.
// RUN: tile-amdgpu %s --arch=gfx1100 --num-stages=2 --matrix-instr-nonkdim=32 --emit=amdgcn | FileCheck %s --check-prefix=WMMA --implicit-check-not=ds_load_u16
// RUN: not tile-amdgpu %s --matrix-instr-nonkdim=4 2>&1 | FileCheck %s --check-prefix=BADSIZE
// RUN: not tile-amdgpu %s --kpack=3 2>&1 | FileCheck %s --check-prefix=BADPACK
// RUN: tile-amdgpu %s --arch=gfx942 --xcds=8 --emit=layout | FileCheck %s --check-prefix=XCDS

// LAYOUT: tile_inner = 0
// LAYOUT: #distribute.dot<instruction = "mfma.f32.32x32x8f16",{{.*}} swapped = true>
// SCHEDULE: sched.ring<order = swizzled, inner = 1, perWord = 2>
// SCHEDULE: sched.ring<order = crossed, inner = 0, perWord = 2>
// SCHEDULE: slots = 1, distance = 1, copies = registers
// THREE: slots = 2, distance = 2, copies = registers
// TURNED: #distribute.dot<instruction = "mfma.f32.32x32x16.f16",{{.*}} swapped = true>
// TURNED-RING: sched.ring<order = turned, inner = 1, perWord = 2>
// TURNED-RING: sched.ring<order = turned, inner = 1, perWord = 2>
// TURNED-ASM-DAG: ds_write_b128
// TURNED-ASM-DAG: ds_read_b128
// TURNED-ASM-DAG: ds_read_b64_tr_b16
// TURNED-ASM-DAG: v_mfma_f32_32x32x16_f16
// ASM-DAG: v_perm_b32
// ASM-DAG: ds_read_b128
// ASM-DAG: v_mfma_f32_32x32x8_f16
// WMMA-DAG: ds_load_b128
// WMMA-DAG: v_wmma_f32_16x16x16_f16
// KPACK1-DAG: ds_read{{.*}}_b64
// KPACK1-DAG: v_mfma_f32_32x32x8_f16
// SIXTEEN: v_mfma_f32_16x16x16_f16
// BADSIZE: error: matrix_instr_nonkdim must be 0, 16 or 32, but is 4
// BADPACK: error: kpack must be 1 or 2, but is 3
// XCDS: arith.minui
module {
  func.func @product_kernel(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "a_ptr"}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "b_ptr"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "c_ptr"}, %arg3: i32 {tile.divisibility = 16 : i64, tile.name = "M"}, %arg4: i32 {tile.divisibility = 16 : i64, tile.name = "N"}, %arg5: i32 {tile.divisibility = 16 : i64, tile.name = "K"}, %arg6: i32 {tile.divisibility = 16 : i64, tile.name = "stride_am"}, %arg7: i32 {tile.divisibility = 16 : i64, tile.name = "stride_bk"}, %arg8: i32 {tile.divisibility = 16 : i64, tile.name = "stride_cm"}) attributes {tile.kernel} {
    %c64_i32 = arith.constant 64 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<64> : tensor<64x64xi32>
    %0 = tile.program_id 0
    %1 = arith.muli %0, %c64_i32 : i32
    %2 = tile.make_range 0 to 64 : tensor<64xi32>
    %3 = tile.splat %1 : i32 -> tensor<64xi32>
    %4 = arith.addi %3, %2 : tensor<64xi32>
    %5 = tile.program_id 1
    %6 = arith.muli %5, %c64_i32 : i32
    %7 = tile.splat %6 : i32 -> tensor<64xi32>
    %8 = arith.addi %7, %2 : tensor<64xi32>
    %9 = tile.expand_dims %4 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %10 = tile.splat %arg6 : i32 -> tensor<64x1xi32>
    %11 = arith.muli %9, %10 : tensor<64x1xi32>
    %12 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %13 = tile.addptr %12, %11 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %14 = tile.expand_dims %2 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %15 = tile.broadcast %13 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %16 = tile.broadcast %14 : tensor<1x64xi32> -> tensor<64x64xi32>
    %17 = tile.addptr %15, %16 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %18 = tile.expand_dims %2 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %19 = tile.splat %arg7 : i32 -> tensor<64x1xi32>
    %20 = arith.muli %18, %19 : tensor<64x1xi32>
    %21 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %22 = tile.addptr %21, %20 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %23 = tile.expand_dims %8 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %24 = tile.broadcast %22 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %25 = tile.broadcast %23 : tensor<1x64xi32> -> tensor<64x64xi32>
    %26 = tile.addptr %24, %25 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %27 = arith.muli %arg7, %c64_i32 : i32
    %28 = tile.splat %27 : i32 -> tensor<64x64xi32>
    %29:3 = scf.for %arg9 = %c0_i32 to %arg5 step %c64_i32 iter_args(%arg10 = %17, %arg11 = %cst, %arg12 = %26) -> (tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>)  : i32 {
      %36 = tile.load %arg10 : tensor<64x64x!tile.ptr<f16>>
      %37 = tile.load %arg12 : tensor<64x64x!tile.ptr<f16>>
      %38 = tile.dot %36, %37, %arg11 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      %39 = tile.addptr %arg10, %cst_0 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %40 = tile.addptr %arg12, %28 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      scf.yield %39, %38, %40 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
    }
    %30 = tile.splat %arg8 : i32 -> tensor<64x1xi32>
    %31 = arith.muli %9, %30 : tensor<64x1xi32>
    %32 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %33 = tile.addptr %32, %31 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %34 = tile.broadcast %33 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %35 = tile.addptr %34, %25 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %35, %29#1 : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
