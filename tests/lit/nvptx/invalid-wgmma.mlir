// Instructions of warp groups that are well-formed, but not those of sm_90a.
// RUN: split-file %s %t
// RUN: not tile-nvptx %t/unknown.mlir --arch=sm_90a 2>&1 | FileCheck %t/unknown.mlir
// RUN: not tile-nvptx %t/unknown.mlir --arch=sm_90 2>&1 | FileCheck %t/unknown.mlir --check-prefix=NONE
// RUN: not tile-nvptx %t/fence.mlir --arch=sm_80 2>&1 | FileCheck %t/fence.mlir
// RUN: not tile-nvptx %t/commit.mlir --arch=sm_80 2>&1 | FileCheck %t/commit.mlir
// RUN: not tile-nvptx %t/wait.mlir --arch=sm_80 2>&1 | FileCheck %t/wait.mlir
// RUN: not tile-nvptx %t/proxy.mlir --arch=sm_80 2>&1 | FileCheck %t/proxy.mlir
// RUN: not tile-nvptx %t/shape.mlir --arch=sm_90a 2>&1 | FileCheck %t/shape.mlir
// RUN: not tile-nvptx %t/threads.mlir --arch=sm_90a 2>&1 | FileCheck %t/threads.mlir
// RUN: not tile-nvptx %t/count.mlir --arch=sm_90a 2>&1 | FileCheck %t/count.mlir
// RUN: not tile-nvptx %t/width.mlir --arch=sm_90a 2>&1 | FileCheck %t/width.mlir
// RUN: not tile-nvptx %t/accumulator.mlir --arch=sm_90a 2>&1 | FileCheck %t/accumulator.mlir
// RUN: not tile-nvptx %t/kind.mlir --arch=sm_90a 2>&1 | FileCheck %t/kind.mlir
// RUN: not tile-nvptx %t/element.mlir --arch=sm_90a 2>&1 | FileCheck %t/element.mlir
// RUN: not tile-nvptx %t/order.mlir --arch=sm_90a 2>&1 | FileCheck %t/order.mlir
// RUN: not tile-nvptx %t/stride.mlir --arch=sm_90a 2>&1 | FileCheck %t/stride.mlir

//--- unknown.mlir
// CHECK: error: 'simt.group_mma' op uses the warp-group instruction 'multiply', which cuda:sm_90a does not have; it has f32.f16.f16, f16.f16.f16, f32.bf16.bf16, f32.tf32.tf32, f32.e4m3.e4m3, f32.e4m3.e5m2, f32.e5m2.e4m3, f32.e5m2.e5m2, s32.s8.s8{{$}}
// NONE: error: 'simt.group_mma' op needs warp-group instructions, which cuda:sm_90 does not have
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = simt.group_mma "multiply" [64, 8, 16] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

//--- fence.mlir
// CHECK: error: 'simt.group_mma_fence' op needs warp-group instructions, which cuda:sm_80 does not have
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  simt.group_mma_fence %s
  return
}

//--- commit.mlir
// CHECK: error: 'simt.group_mma_commit' op needs warp-group instructions, which cuda:sm_80 does not have
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  simt.group_mma_commit
  return
}

//--- wait.mlir
// CHECK: error: 'simt.group_mma_wait' op needs warp-group instructions, which cuda:sm_80 does not have
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  simt.group_mma_wait 0
  return
}

//--- proxy.mlir
// CHECK: error: 'simt.async_fence' op needs warp-group instructions, which cuda:sm_80 does not have
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  simt.async_fence
  return
}

//--- shape.mlir
// CHECK: error: 'simt.group_mma' op of 64 x 12 x 16 in 128 threads is not a wgmma: it is 64 x a multiple of 8 up to 256 x 16 in 128
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<6xf32>
  %d = simt.group_mma "f32.f16.f16" [64, 12, 16] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x16xf16, contiguous 0>, %c : vector<6xf32>
  return
}

//--- threads.mlir
// CHECK: error: 'simt.group_mma' op of 64 x 8 x 16 in 64 threads is not a wgmma
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<8xf32>
  %d = simt.group_mma "f32.f16.f16" [64, 8, 16] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<8xf32>
  return
}

//--- count.mlir
// CHECK: error: 'simt.group_mma' op takes the first operand from 'vector<4xf16>', but wgmma takes 8 x f16 from a thread
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<4xf32>
  %a = arith.constant dense<0.0> : vector<4xf16>
  %d = simt.group_mma "f32.f16.f16" [64, 8, 16] registers %a : vector<4xf16> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

//--- width.mlir
// CHECK: error: 'simt.group_mma' op takes the first operand from 'vector<8xf32>', but wgmma takes 8 x f16 from a thread
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<4xf32>
  %a = arith.constant dense<0.0> : vector<8xf32>
  %d = simt.group_mma "f32.f16.f16" [64, 8, 16] registers %a : vector<8xf32> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

//--- accumulator.mlir
// CHECK: error: 'simt.group_mma' op accumulates in 'f16', but wgmma in f32
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<4xf16>
  %a = arith.constant dense<0.0> : vector<8xf16>
  %d = simt.group_mma "f32.f16.f16" [64, 8, 16] registers %a : vector<8xf16> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf16>
  return
}

//--- kind.mlir
// CHECK: error: 'simt.group_mma' op accumulates in 'i32', but wgmma in f32
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0> : vector<4xi32>
  %a = arith.constant dense<0.0> : vector<8xf16>
  %d = simt.group_mma "f32.f16.f16" [64, 8, 16] registers %a : vector<8xf16> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xi32>
  return
}

//--- element.mlir
// CHECK: error: 'simt.group_mma' op the first operand has elements of 4 bytes, of which a step of wgmma takes 8, not 16
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 8192 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = simt.group_mma "f32.f16.f16" [64, 8, 16] a %s[%o] at [0, 0] of <64x16xf32, contiguous 1> b %s[%o] at [0, 0] of <16x8xf16, contiguous 0>, %c : vector<4xf32>
  return
}

//--- order.mlir
// CHECK: error: 'simt.group_mma' op the second operand is not contiguous along k, which wgmma takes of 16-bit elements alone
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = simt.group_mma "f32.tf32.tf32" [64, 8, 8] a %s[%o] at [0, 0] of <64x8xf32, contiguous 1> b %s[%o] at [0, 0] of <8x8xf32, contiguous 1>, %c : vector<4xf32>
  return
}

//--- stride.mlir
// CHECK: error: 'simt.group_mma' op the second operand has strides that no descriptor of wgmma can hold
func.func @k() attributes {tile.kernel, simt.threads = 128 : i32} {
  %s = simt.shared_alloc 4096 {alignment = 1024 : i64}
  %o = arith.constant 0 : i32
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = simt.group_mma "f32.f16.f16" [64, 8, 16] a %s[%o] at [0, 0] of <64x16xf16, contiguous 1> b %s[%o] at [0, 0] of <2048x128xf16, contiguous 1>, %c : vector<4xf32>
  return
}
