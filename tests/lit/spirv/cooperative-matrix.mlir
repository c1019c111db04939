// A product in a loop by cooperative matrices: loops carry accumulators as matrices; the next tiles are loaded to
// registers meanwhile, and with two stages one barrier separates iterations.
// DEFINE: %{target} = vulkan:1.3,shared=49152,f16,memory-model,explicit-layout,subgroup-control,shuffle,cm=16x16x16:f16:f16:f32
// RUN: tile-spirv %s --target=%{target} --num-stages=2 --emit=simt | FileCheck %s --check-prefix=TWO
// RUN: tile-spirv %s --target=%{target} --num-stages=1 --emit=simt | FileCheck %s --check-prefix=ONE
// RUN: tile-spirv %s --target=%{target},shared=12288 --num-stages=2 --emit=simt | FileCheck %s --check-prefix=SMALL
// RUN: tile-spirv %s --target=%{target} --num-stages=2 --emit=spirv-dialect | FileCheck %s --check-prefix=DIALECT
// RUN: tile-spirv %s --target=vulkan:1.3,shared=49152,f16,memory-model,explicit-layout --emit=simt | FileCheck %s --check-prefix=NONE

// 64 lines of 64 bytes and 32 of 64, each 16 bytes longer, in two slots.
// TWO: simt.shared_alloc 10240
// TWO: simt.shared_alloc 5120
// TWO: simt.matrix_splat %{{.*}} : f32 -> <16x16xf32, acc>
// TWO: scf.for {{.*}} -> (!simt.matrix<16x16xf32, acc>, !simt.matrix<16x16xf32, acc>,
// TWO-NEXT: arith
// TWO: simt.barrier program
// TWO: simt.shared_store ahead %{{.*}} : vector<4xi32>
// TWO: scf.if {{.*}} -> (vector<8xi32>, vector<4xi32>)
// TWO: simt.load {{.*}} : vector<4xi32>
// TWO-NOT: simt.barrier
// TWO: simt.matrix_load %{{.*}} pitch 80 : <16x16xf16, a>
// TWO: simt.matrix_load %{{.*}} pitch 80 : <16x16xf16, b>
// TWO-COUNT-4: simt.matrix_multiply_add
// TWO-NOT: simt.barrier
// TWO: scf.yield
// TWO: simt.shared_alloc 4096 {{.*}}per_warp
// TWO: simt.matrix_store %{{.*}} pitch 64
// TWO-NEXT: simt.barrier warp
// TWO: simt.shared_load %{{.*}} : vector<4xf32>

// Without stages the loads are where they were written.
// ONE: scf.for {{.*}} -> (!simt.matrix<16x16xf32, acc>, !simt.matrix<16x16xf32, acc>,
// ONE: simt.load
// ONE: simt.barrier program
// ONE: simt.shared_store %
// ONE: simt.barrier program
// ONE: simt.matrix_load
// ONE: scf.yield

// Two slots do not fit: one, with a barrier before and after it is filled.
// SMALL: simt.shared_alloc 5120
// SMALL: simt.shared_alloc 2560
// SMALL: scf.for
// SMALL: simt.barrier program
// SMALL: simt.shared_store %
// SMALL: scf.if
// SMALL: simt.barrier program
// SMALL: simt.matrix_load
// SMALL: scf.yield

// Matrices are read through pointers to 16 bytes, 5 of which are a line.
// DIALECT: spirv.module PhysicalStorageBuffer64 Vulkan
// DIALECT: spirv.CompositeConstruct {{.*}} : (f32) -> !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>
// DIALECT: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %{{.*}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<vector<4xi32>, Workgroup>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
// DIALECT: spirv.KHR.CooperativeMatrixMulAdd {{.*}} : !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>, !spirv.coopmatrix<16x16xf16, Subgroup, MatrixB> -> !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>
// DIALECT: spirv.KHR.CooperativeMatrixStore

// NONE-NOT: simt.matrix
// NONE: math.fma
module {
  func.func @product(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "a"}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.name = "b"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "c"}, %arg3: i32 {tile.divisibility = 16 : i64, tile.name = "K"}) attributes {tile.kernel} {
    %c32_i32 = arith.constant 32 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<32> : tensor<32x1xi32>
    %cst_1 = arith.constant dense<32> : tensor<64x32xi32>
    %cst_2 = arith.constant dense<1024> : tensor<32x32xi32>
    %cst_3 = arith.constant dense<32> : tensor<64x1xi32>
    %0 = tile.make_range 0 to 64 : tensor<64xi32>
    %1 = tile.make_range 0 to 32 : tensor<32xi32>
    %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %3 = tile.splat %arg3 : i32 -> tensor<64x1xi32>
    %4 = arith.muli %2, %3 : tensor<64x1xi32>
    %5 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %6 = tile.addptr %5, %4 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %7 = tile.expand_dims %1 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %8 = tile.broadcast %6 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    %9 = tile.broadcast %7 : tensor<1x32xi32> -> tensor<64x32xi32>
    %10 = tile.addptr %8, %9 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %11 = tile.expand_dims %1 axis 1 : tensor<32xi32> -> tensor<32x1xi32>
    %12 = arith.muli %11, %cst_0 : tensor<32x1xi32>
    %13 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<32x1x!tile.ptr<f16>>
    %14 = tile.addptr %13, %12 : tensor<32x1x!tile.ptr<f16>>, tensor<32x1xi32>
    %15 = tile.broadcast %14 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x32x!tile.ptr<f16>>
    %16 = tile.broadcast %7 : tensor<1x32xi32> -> tensor<32x32xi32>
    %17 = tile.addptr %15, %16 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %18:3 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst, %arg6 = %10, %arg7 = %17) -> (tensor<64x32xf32>, tensor<64x32x!tile.ptr<f16>>, tensor<32x32x!tile.ptr<f16>>)  : i32 {
      %24 = tile.load %arg6 : tensor<64x32x!tile.ptr<f16>>
      %25 = tile.load %arg7 : tensor<32x32x!tile.ptr<f16>>
      %26 = tile.dot %24, %25, %arg5 : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
      %27 = tile.addptr %arg6, %cst_1 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %28 = tile.addptr %arg7, %cst_2 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      scf.yield %26, %27, %28 : tensor<64x32xf32>, tensor<64x32x!tile.ptr<f16>>, tensor<32x32x!tile.ptr<f16>>
    }
    %19 = arith.muli %2, %cst_3 : tensor<64x1xi32>
    %20 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %21 = tile.addptr %20, %19 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %22 = tile.broadcast %21 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
    %23 = tile.addptr %22, %9 : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
    tile.store %23, %18#0 : tensor<64x32x!tile.ptr<f32>>
    return
  }
}
