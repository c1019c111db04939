// A product that starts at zero: its first instruction does not read accumulators (scale-d is 0), so that no register
// is zeroed for it; the next one does.
// RUN: tile-nvptx %s --arch=sm_90a --emit=simt | FileCheck %s --check-prefix=SIMT
// RUN: tile-nvptx %s --arch=sm_90a | FileCheck %s

// SIMT: %[[FALSE:.*]] = arith.constant false
// SIMT: simt.group_mma {{.*}} if %[[FALSE]] : vector<32xf32>
// SIMT: simt.group_mma
// SIMT-NOT: if %
// SIMT: simt.group_mma_wait 0

// CHECK-NOT: mov.b32 {{.*}}, 0f00000000
// CHECK-NOT: mov.b32 {{.*}}, 0;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 0, 1, 1, 0, 1;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 1, 0, 1;
func.func @k(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "x_ptr"}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "y_ptr"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "z_ptr"}) attributes {tile.kernel} {
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %cst_0 = arith.constant dense<32> : tensor<64x1xi32>
  %cst_1 = arith.constant dense<64> : tensor<32x1xi32>
  %cst_2 = arith.constant dense<64> : tensor<64x1xi32>
  %0 = tile.make_range 0 to 64 : tensor<64xi32>
  %1 = tile.make_range 0 to 32 : tensor<32xi32>
  %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %3 = arith.muli %2, %cst_0 : tensor<64x1xi32>
  %4 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %5 = tile.addptr %4, %3 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %6 = tile.expand_dims %1 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %7 = tile.broadcast %5 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
  %8 = tile.broadcast %6 : tensor<1x32xi32> -> tensor<64x32xi32>
  %9 = tile.addptr %7, %8 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %10 = tile.load %9 : tensor<64x32x!tile.ptr<f16>>
  %11 = tile.expand_dims %1 axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %12 = arith.muli %11, %cst_1 : tensor<32x1xi32>
  %13 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<32x1x!tile.ptr<f16>>
  %14 = tile.addptr %13, %12 : tensor<32x1x!tile.ptr<f16>>, tensor<32x1xi32>
  %15 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %16 = tile.broadcast %14 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x64x!tile.ptr<f16>>
  %17 = tile.broadcast %15 : tensor<1x64xi32> -> tensor<32x64xi32>
  %18 = tile.addptr %16, %17 : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %19 = tile.load %18 : tensor<32x64x!tile.ptr<f16>>
  %20 = arith.muli %2, %cst_2 : tensor<64x1xi32>
  %21 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %22 = tile.addptr %21, %20 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %23 = tile.broadcast %22 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
  %24 = tile.broadcast %15 : tensor<1x64xi32> -> tensor<64x64xi32>
  %25 = tile.addptr %23, %24 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %26 = tile.dot %10, %19, %cst : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.store %25, %26 : tensor<64x64x!tile.ptr<f32>>
  return
}
