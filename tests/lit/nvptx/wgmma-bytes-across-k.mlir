// A row-major second operand of bytes: threads read it by matrix loads, which transpose pairs of bytes, and permute the
// bytes of two words each. The result is the transposed product's; nothing is spilled or serialized.
// RUN: tile-nvptx %s --arch=sm_90a --emit=remarks | FileCheck %s --check-prefix=REMARK
// RUN: tile-nvptx %s --arch=sm_90a | FileCheck %s
// RUN: tile-nvptx %s --arch=sm_90a --operands-across-k=copies | FileCheck %s --check-prefix=COPIES

// REMARK: operand-across-k: threads read the second operand, which lies across k, from its tile into registers, in 2 rounds along k, by 2 accesses of 16 bytes with 0 bank conflicts each; the instructions compute the transposed product

// The four words of a fragment: one load, four permutations.
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-NOT: ldmatrix
// CHECK-COUNT-4: prmt.b32
// CHECK-NOT: prmt.b32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-NOT: ldmatrix
// CHECK-COUNT-4: prmt.b32
// CHECK-NOT: prmt.b32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8

// COPIES-NOT: wgmma
// COPIES: mma.sync.aligned.m16n8k32
func.func @k(%arg0: !tile.ptr<i8> {tile.divisibility = 16 : i64, tile.name = "x_ptr"}, %arg1: !tile.ptr<i8> {tile.divisibility = 16 : i64, tile.name = "y_ptr"}, %arg2: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.name = "z_ptr"}, %arg3: i32 {tile.divisibility = 16 : i64, tile.name = "K"}) attributes {tile.kernel} {
  %cst = arith.constant dense<0> : tensor<64x64xi32>
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %cst_0 = arith.constant dense<64> : tensor<64x1xi32>
  %0 = tile.make_range 0 to 64 : tensor<64xi32>
  %1 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %2 = tile.splat %arg3 : i32 -> tensor<64x1xi32>
  %3 = arith.muli %1, %2 : tensor<64x1xi32>
  %4 = tile.splat %arg0 : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
  %5 = tile.addptr %4, %3 : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
  %6 = tile.broadcast %5 : tensor<64x1x!tile.ptr<i8>> -> tensor<64x64x!tile.ptr<i8>>
  %7 = tile.splat %arg3 : i32 -> tensor<1x64xi32>
  %8 = tile.splat %arg1 : !tile.ptr<i8> -> tensor<64x1x!tile.ptr<i8>>
  %9 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %10 = tile.broadcast %9 : tensor<1x64xi32> -> tensor<64x64xi32>
  %11 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %cst) -> (tensor<64x64xi32>)  : i32 {
    %17 = tile.splat %arg4 : i32 -> tensor<64xi32>
    %18 = arith.addi %17, %0 : tensor<64xi32>
    %19 = tile.expand_dims %18 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %20 = tile.broadcast %19 : tensor<1x64xi32> -> tensor<64x64xi32>
    %21 = tile.addptr %6, %20 : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
    %22 = arith.cmpi slt, %19, %7 : tensor<1x64xi32>
    %23 = tile.broadcast %22 : tensor<1x64xi1> -> tensor<64x64xi1>
    %24 = tile.load %21 mask %23 : tensor<64x64x!tile.ptr<i8>>
    %25 = tile.expand_dims %18 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %26 = arith.muli %25, %cst_0 : tensor<64x1xi32>
    %27 = tile.addptr %8, %26 : tensor<64x1x!tile.ptr<i8>>, tensor<64x1xi32>
    %28 = tile.broadcast %27 : tensor<64x1x!tile.ptr<i8>> -> tensor<64x64x!tile.ptr<i8>>
    %29 = tile.addptr %28, %10 : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
    %30 = arith.cmpi slt, %25, %2 : tensor<64x1xi32>
    %31 = tile.broadcast %30 : tensor<64x1xi1> -> tensor<64x64xi1>
    %32 = tile.load %29 mask %31 : tensor<64x64x!tile.ptr<i8>>
    %33 = tile.dot %24, %32, %arg5 : tensor<64x64xi8>, tensor<64x64xi8> -> tensor<64x64xi32>
    scf.yield %33 : tensor<64x64xi32>
  }
  %12 = arith.muli %1, %cst_0 : tensor<64x1xi32>
  %13 = tile.splat %arg2 : !tile.ptr<i32> -> tensor<64x1x!tile.ptr<i32>>
  %14 = tile.addptr %13, %12 : tensor<64x1x!tile.ptr<i32>>, tensor<64x1xi32>
  %15 = tile.broadcast %14 : tensor<64x1x!tile.ptr<i32>> -> tensor<64x64x!tile.ptr<i32>>
  %16 = tile.addptr %15, %10 : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  tile.store %16, %11 : tensor<64x64x!tile.ptr<i32>>
  return
}
