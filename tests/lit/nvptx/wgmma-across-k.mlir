// A row-major second operand in tf32: threads read it into registers in two rounds along k, and the
// instructions compute the transposed product. Nothing is spilled or serialized.
// RUN: tile-nvptx %s --arch=sm_90a --emit=layout | FileCheck %s --check-prefix=LAYOUT
// RUN: tile-nvptx %s --arch=sm_90a --emit=simt | FileCheck %s --check-prefix=SIMT
// RUN: tile-nvptx %s --arch=sm_90a --emit=remarks | FileCheck %s --check-prefix=REMARK
// RUN: tile-nvptx %s --arch=sm_90a --operands-across-k=copies --emit=simt | FileCheck %s --check-prefix=COPIES
// RUN: tile-nvptx %s --arch=sm_90a --operands-across-k=copies --emit=remarks | FileCheck %s --check-prefix=SLOW

// LAYOUT: #distribute.dot<{{.*}}warp_group = "f32.tf32.tf32", columns = 64, {{.*}}swapped = true, turns = 2>

// REMARK: operand-across-k: threads read the second operand, which lies across k, from its tile into registers, in 2 rounds along k, by 8 accesses of 8 bytes with 0 bank conflicts each; the instructions compute the transposed product
// SLOW: operand-across-k: the second operand lies across k and is transposed on the way to shared memory, by copies of one element: operands-across-k=copies asks for it

// Before the loop nothing is in flight; in it, two turns are.
// SIMT: scf.for
// SIMT: simt.async_wait
// SIMT: simt.group_mma_wait 1
// SIMT: simt.barrier
// SIMT-COUNT-4: simt.shared_load {{.*}}vector<2xf32>
// SIMT: simt.group_mma_fence
// SIMT: simt.group_mma "f32.tf32.tf32" [64, 64, 8] registers %{{.*}} : vector<4xf32> b %{{.*}} at [0, 0] of <32x64xf32, contiguous 0>
// SIMT: simt.group_mma "f32.tf32.tf32" [64, 64, 8] registers %{{.*}} : vector<4xf32> b %{{.*}} at [8, 0] of <32x64xf32, contiguous 0>
// SIMT: simt.group_mma_commit
// SIMT: simt.group_mma_wait 1
// SIMT-COUNT-4: simt.shared_load {{.*}}vector<2xf32>
// SIMT: simt.group_mma_fence
// SIMT-COUNT-2: simt.group_mma "f32.tf32.tf32"
// SIMT: simt.group_mma_commit
// SIMT: simt.group_mma_wait 2
// SIMT: simt.barrier
// SIMT: simt.async_copy 16
// SIMT: scf.yield
// SIMT: simt.group_mma_wait 0 accs

// COPIES-NOT: simt.group_mma{{.*}}registers
// COPIES: simt.group_mma "f32.tf32.tf32" [64, 64, 8] a %{{.*}} b
func.func @k(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x_ptr"}, %arg1: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "y_ptr"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "z_ptr"}, %arg3: i32 {tile.divisibility = 16 : i64, tile.name = "K"}) attributes {tile.kernel} {
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %c0_i32 = arith.constant 0 : i32
  %c32_i32 = arith.constant 32 : i32
  %cst_0 = arith.constant dense<64> : tensor<32x1xi32>
  %cst_1 = arith.constant dense<64> : tensor<64x1xi32>
  %0 = tile.make_range 0 to 64 : tensor<64xi32>
  %1 = tile.make_range 0 to 32 : tensor<32xi32>
  %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %3 = tile.splat %arg3 : i32 -> tensor<64x1xi32>
  %4 = arith.muli %2, %3 : tensor<64x1xi32>
  %5 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %6 = tile.addptr %5, %4 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %7 = tile.broadcast %6 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
  %8 = tile.splat %arg3 : i32 -> tensor<1x32xi32>
  %9 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<32x1x!tile.ptr<f32>>
  %10 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %11 = tile.broadcast %10 : tensor<1x64xi32> -> tensor<32x64xi32>
  %12 = tile.splat %arg3 : i32 -> tensor<32x1xi32>
  %13 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst) -> (tensor<64x64xf32>)  : i32 {
    %20 = tile.splat %arg4 : i32 -> tensor<32xi32>
    %21 = arith.addi %20, %1 : tensor<32xi32>
    %22 = tile.expand_dims %21 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %23 = tile.broadcast %22 : tensor<1x32xi32> -> tensor<64x32xi32>
    %24 = tile.addptr %7, %23 : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
    %25 = arith.cmpi slt, %22, %8 : tensor<1x32xi32>
    %26 = tile.broadcast %25 : tensor<1x32xi1> -> tensor<64x32xi1>
    %27 = tile.load %24 mask %26 : tensor<64x32x!tile.ptr<f32>>
    %28 = tile.expand_dims %21 axis 1 : tensor<32xi32> -> tensor<32x1xi32>
    %29 = arith.muli %28, %cst_0 : tensor<32x1xi32>
    %30 = tile.addptr %9, %29 : tensor<32x1x!tile.ptr<f32>>, tensor<32x1xi32>
    %31 = tile.broadcast %30 : tensor<32x1x!tile.ptr<f32>> -> tensor<32x64x!tile.ptr<f32>>
    %32 = tile.addptr %31, %11 : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
    %33 = arith.cmpi slt, %28, %12 : tensor<32x1xi32>
    %34 = tile.broadcast %33 : tensor<32x1xi1> -> tensor<32x64xi1>
    %35 = tile.load %32 mask %34 : tensor<32x64x!tile.ptr<f32>>
    %36 = tile.dot %27, %35, %arg5 precision  tf32 : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %36 : tensor<64x64xf32>
  }
  %14 = arith.muli %2, %cst_1 : tensor<64x1xi32>
  %15 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %16 = tile.addptr %15, %14 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %17 = tile.broadcast %16 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
  %18 = tile.broadcast %10 : tensor<1x64xi32> -> tensor<64x64xi32>
  %19 = tile.addptr %17, %18 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %19, %13 : tensor<64x64x!tile.ptr<f32>>
  return
}
