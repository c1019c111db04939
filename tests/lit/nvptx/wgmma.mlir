// A loop of products on sm_90a: one warp group reads both operands of a tile from shared memory through descriptors. The
// accumulator stays in its registers and is waited for after the loop. An iteration waits for its tiles, starts its
// products, waits for those of the last iteration, and after a barrier fetches into the tiles that are free now: a ring
// of three, two iterations ahead.
// RUN: tile-nvptx %s --arch=sm_90a --emit=simt | FileCheck %s --check-prefix=SIMT
// RUN: tile-nvptx %s --arch=sm_90a | FileCheck %s
// RUN: tile-nvptx %s --arch=sm_90a --num-stages=1 | FileCheck %s --check-prefix=SINGLE
// RUN: tile-nvptx %s --arch=sm_90a --num-warps=2 | FileCheck %s --check-prefix=WARP
// RUN: tile-nvptx %s --arch=sm_90 | FileCheck %s --check-prefix=WARP

// SIMT: simt.shared_alloc 12288 {alignment = 1024 : i64, offset = 0 : i64}
// SIMT: simt.shared_alloc 12288 {alignment = 1024 : i64, offset = 12288 : i64}
// SIMT-COUNT-2: simt.async_commit
// SIMT-NOT: simt.barrier
// SIMT: scf.for
// SIMT: simt.async_wait 1
// SIMT: simt.barrier program
// SIMT-NEXT: simt.group_mma_fence
// The first operand is 64 × 32, contiguous along k; the second one is 32 × 64, contiguous along columns. A step is 16 along k.
// SIMT: simt.group_mma "f32.f16.f16" [64, 64, 16] a %{{.*}} at [0, 0] of <64x32xf16, contiguous 1> b %{{.*}} at [0, 0] of <32x64xf16, contiguous 1>
// SIMT: simt.group_mma "f32.f16.f16" [64, 64, 16] a %{{.*}} at [0, 16] of <64x32xf16, contiguous 1> b %{{.*}} at [16, 0] of <32x64xf16, contiguous 1>
// SIMT-NEXT: simt.group_mma_commit
// SIMT: simt.group_mma_wait 1{{$}}
// SIMT: simt.barrier program
// SIMT: simt.async_copy 16
// SIMT: simt.async_commit
// SIMT-NOT: simt.barrier
// SIMT: scf.yield
// SIMT: simt.async_wait 0
// SIMT-NEXT: simt.group_mma_wait 0 accs

// CHECK: .extern .shared .align 1024 .b8 tilerun_shared
// CHECK: cp.async.wait_group 1
// CHECK-NOT: fence.proxy
// CHECK: bar.sync 0
// CHECK: wgmma.fence.sync.aligned
// Lines of the first operand are 64 bytes: a step is 32 bytes on, and eight lines are 512. Those of the second are 128: a step
// is 16 lines on. Swizzles are in the two highest bits: 2 is 64 bytes, 1 is 128.
// CHECK-DAG: add.s64 [[A:%rd[0-9]+]], %rd{{[0-9]+}}, -9223371899415756800
// CHECK-DAG: add.s64 [[B:%rd[0-9]+]], %rd{{[0-9]+}}, 4611686293322072064
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {[[FIRST:%r[0-9]+]], {{.*}}}, [[A]], [[B]], 1, 1, 1, 0, 1;
// No copies of the accumulator between the two steps.
// CHECK-NOT: mov
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {[[FIRST]], {{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1, 1, 1, 0, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: bar.sync 0
// CHECK: cp.async.commit_group
// CHECK: wgmma.wait_group.sync.aligned 0

// SINGLE-NOT: cp.async
// SINGLE: fence.proxy.async.shared::cta
// SINGLE: bar.sync 0
// SINGLE: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// SINGLE: wgmma.wait_group.sync.aligned 0

// WARP-NOT: wgmma
// WARP: mma.sync
func.func @k(%a0: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %a1: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %a2: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %a3: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %v1 = tile.make_range 0 to 64 : tensor<64xi32>
  %v2 = tile.make_range 0 to 64 : tensor<64xi32>
  %v3 = tile.make_range 0 to 32 : tensor<32xi32>
  %v4 = arith.constant 0 : i32
  %v5 = arith.constant 32 : i32
  %v6 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %v7:1 = scf.for %i7 = %v4 to %a3 step %v5 iter_args(%c7_0 = %v6) -> (tensor<64x64xf32>) : i32 {
    %v8 = tile.splat %i7 : i32 -> tensor<32xi32>
    %v9 = arith.addi %v3, %v8 : tensor<32xi32>
    %v10 = tile.splat %a3 : i32 -> tensor<32xi32>
    %v11 = arith.cmpi slt, %v9, %v10 : tensor<32xi32>
    %v12 = tile.expand_dims %v1 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %v13 = tile.splat %a3 : i32 -> tensor<64x1xi32>
    %v14 = arith.muli %v12, %v13 : tensor<64x1xi32>
    %v15 = tile.broadcast %v14 : tensor<64x1xi32> -> tensor<64x32xi32>
    %v16 = tile.expand_dims %v9 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %v17 = tile.broadcast %v16 : tensor<1x32xi32> -> tensor<64x32xi32>
    %v18 = arith.addi %v15, %v17 : tensor<64x32xi32>
    %v19 = tile.expand_dims %v9 axis 1 : tensor<32xi32> -> tensor<32x1xi32>
    %v20 = arith.constant dense<64> : tensor<32x1xi32>
    %v21 = arith.muli %v19, %v20 : tensor<32x1xi32>
    %v22 = tile.broadcast %v21 : tensor<32x1xi32> -> tensor<32x64xi32>
    %v23 = tile.expand_dims %v2 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %v24 = tile.broadcast %v23 : tensor<1x64xi32> -> tensor<32x64xi32>
    %v25 = arith.addi %v22, %v24 : tensor<32x64xi32>
    %v26 = tile.splat %a0 : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %v27 = tile.addptr %v26, %v18 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %v28 = tile.expand_dims %v11 axis 0 : tensor<32xi1> -> tensor<1x32xi1>
    %v29 = tile.broadcast %v28 : tensor<1x32xi1> -> tensor<64x32xi1>
    %v30 = tile.load %v27 mask %v29 : tensor<64x32x!tile.ptr<f16>>
    %v31 = tile.splat %a1 : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
    %v32 = tile.addptr %v31, %v25 : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    %v33 = tile.expand_dims %v11 axis 1 : tensor<32xi1> -> tensor<32x1xi1>
    %v34 = tile.broadcast %v33 : tensor<32x1xi1> -> tensor<32x64xi1>
    %v35 = tile.load %v32 mask %v34 : tensor<32x64x!tile.ptr<f16>>
    %v36 = tile.dot %v30, %v35, %c7_0 : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %v36 : tensor<64x64xf32>
  }
  %v37 = tile.make_range 0 to 64 : tensor<64xi32>
  %v38 = tile.make_range 0 to 64 : tensor<64xi32>
  %v39 = tile.expand_dims %v37 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %v40 = arith.constant dense<64> : tensor<64x1xi32>
  %v41 = arith.muli %v39, %v40 : tensor<64x1xi32>
  %v42 = tile.broadcast %v41 : tensor<64x1xi32> -> tensor<64x64xi32>
  %v43 = tile.expand_dims %v38 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %v44 = tile.broadcast %v43 : tensor<1x64xi32> -> tensor<64x64xi32>
  %v45 = arith.addi %v42, %v44 : tensor<64x64xi32>
  %v46 = tile.splat %a2 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %v47 = tile.addptr %v46, %v45 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %v47, %v7#0 : tensor<64x64x!tile.ptr<f32>>
  return
}

