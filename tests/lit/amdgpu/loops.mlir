// A loop that carries the accumulators of a large product tests at its end, in LLVM's IR and in the code:
// else the sums that leave it would be in other registers than those that go round it.
// RUN: tile-amdgpu %s --arch=gfx942 --num-warps=4 --num-stages=2 --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: tile-amdgpu %s --arch=gfx942 --num-warps=4 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=ASM
// RUN: tile-amdgpu %s --arch=gfx1100 --num-warps=8 --num-stages=2 --emit=resources | FileCheck %s --check-prefix=RDNA

// The last iteration, which loads nothing, is behind the loop: so the loop is one block. Addresses in shared memory
// differ by constants that the instructions have, but for the swizzle's part.
// RUN: tile-amdgpu %s --arch=gfx942 --num-warps=4 --num-stages=2 --emit=amdgcn | python3 %S/Inputs/inner_loops.py | FileCheck %s --check-prefix=LOOP
// RUN: tile-amdgpu %s --arch=gfx950 --num-warps=4 --num-stages=2 --emit=amdgcn | python3 %S/Inputs/inner_loops.py | FileCheck %s --check-prefixes=LOOP,TURNED
// RUN: tile-amdgpu %s --arch=gfx942 --num-warps=4 --num-stages=2 --emit=amdgcn | FileCheck %s --check-prefix=LAST
// LOOP-LABEL: loop
// LOOP-NOT: s_cbranch
// LOOP-NOT: v_xor
// LOOP-COUNT-8: global_load_dwordx4
// TURNED: ds_read_b64_tr_b16 {{.*}} [[BASE:v[0-9]+]] offset
// LOOP: v_mfma
// LOOP-NOT: s_cbranch
// LOOP-NOT: v_xor
// LOOP: {{^}}end
// LAST: global_load_dwordx4
// LAST: v_mfma
// LAST: s_cbranch
// LAST-NOT: global_load
// LAST: v_mfma
// LAST-NOT: global_load
// LAST: s_endpgm

// LLVM: llvm.amdgcn.mfma
// LLVM-NOT: br label
// LLVM: br i1
// ASM: v_mfma
// ASM-NOT: v_mov_b32
// ASM: s_cbranch
// RDNA: VGPR spills 0
module {
  func.func @product_kernel(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "a_ptr"}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "b_ptr"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "c_ptr"}, %arg3: i32 {tile.divisibility = 16 : i64}, %arg4: i32 {tile.divisibility = 16 : i64}, %arg5: i32 {tile.divisibility = 16 : i64}, %arg6: i32 {tile.divisibility = 16 : i64}, %arg7: i32 {tile.divisibility = 16 : i64}, %arg8: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c128_i32 = arith.constant 128 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
    %c0_i32 = arith.constant 0 : i32
    %c64_i32 = arith.constant 64 : i32
    %cst_0 = arith.constant dense<64> : tensor<128x64xi32>
    %0 = tile.program_id 0
    %1 = arith.muli %0, %c128_i32 : i32
    %2 = tile.make_range 0 to 128 : tensor<128xi32>
    %3 = tile.splat %1 : i32 -> tensor<128xi32>
    %4 = arith.addi %3, %2 : tensor<128xi32>
    %5 = tile.program_id 1
    %6 = arith.muli %5, %c128_i32 : i32
    %7 = tile.splat %6 : i32 -> tensor<128xi32>
    %8 = arith.addi %7, %2 : tensor<128xi32>
    %9 = tile.make_range 0 to 64 : tensor<64xi32>
    %10 = tile.expand_dims %4 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
    %11 = tile.splat %arg6 : i32 -> tensor<128x1xi32>
    %12 = arith.muli %10, %11 : tensor<128x1xi32>
    %13 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<128x1x!tile.ptr<f16>>
    %14 = tile.addptr %13, %12 : tensor<128x1x!tile.ptr<f16>>, tensor<128x1xi32>
    %15 = tile.expand_dims %9 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %16 = tile.broadcast %14 : tensor<128x1x!tile.ptr<f16>> -> tensor<128x64x!tile.ptr<f16>>
    %17 = tile.broadcast %15 : tensor<1x64xi32> -> tensor<128x64xi32>
    %18 = tile.addptr %16, %17 : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %19 = tile.expand_dims %9 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %20 = tile.splat %arg7 : i32 -> tensor<64x1xi32>
    %21 = arith.muli %19, %20 : tensor<64x1xi32>
    %22 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %23 = tile.addptr %22, %21 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %24 = tile.expand_dims %8 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
    %25 = tile.broadcast %23 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x128x!tile.ptr<f16>>
    %26 = tile.broadcast %24 : tensor<1x128xi32> -> tensor<64x128xi32>
    %27 = tile.addptr %25, %26 : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    %28 = arith.muli %arg7, %c64_i32 : i32
    %29 = tile.splat %28 : i32 -> tensor<64x128xi32>
    %30:3 = scf.for %arg9 = %c0_i32 to %arg5 step %c64_i32 iter_args(%arg10 = %18, %arg11 = %cst, %arg12 = %27) -> (tensor<128x64x!tile.ptr<f16>>, tensor<128x128xf32>, tensor<64x128x!tile.ptr<f16>>)  : i32 {
      %38 = tile.load %arg10 : tensor<128x64x!tile.ptr<f16>>
      %39 = tile.load %arg12 : tensor<64x128x!tile.ptr<f16>>
      %40 = tile.dot %38, %39, %arg11 : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      %41 = tile.addptr %arg10, %cst_0 : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
      %42 = tile.addptr %arg12, %29 : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
      scf.yield %41, %40, %42 : tensor<128x64x!tile.ptr<f16>>, tensor<128x128xf32>, tensor<64x128x!tile.ptr<f16>>
    }
    %31 = tile.splat %arg8 : i32 -> tensor<128x1xi32>
    %32 = arith.muli %10, %31 : tensor<128x1xi32>
    %33 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<128x1x!tile.ptr<f32>>
    %34 = tile.addptr %33, %32 : tensor<128x1x!tile.ptr<f32>>, tensor<128x1xi32>
    %35 = tile.broadcast %34 : tensor<128x1x!tile.ptr<f32>> -> tensor<128x128x!tile.ptr<f32>>
    %36 = tile.broadcast %24 : tensor<1x128xi32> -> tensor<128x128xi32>
    %37 = tile.addptr %35, %36 : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
    tile.store %37, %30#1 : tensor<128x128x!tile.ptr<f32>>
    return
  }
}

