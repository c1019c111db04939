// Diagnostics of the verifier about instructions of warp groups.
// RUN: split-file %s %t
// RUN: not tile-nvptx %t/name.mlir 2>&1 | FileCheck %t/name.mlir
// RUN: not tile-nvptx %t/columns.mlir 2>&1 | FileCheck %t/columns.mlir
// RUN: not tile-nvptx %t/registers.mlir 2>&1 | FileCheck %t/registers.mlir
// RUN: not tile-nvptx %t/operand.mlir 2>&1 | FileCheck %t/operand.mlir
// RUN: not tile-nvptx %t/swizzle.mlir 2>&1 | FileCheck %t/swizzle.mlir
// RUN: not tile-nvptx %t/stride.mlir 2>&1 | FileCheck %t/stride.mlir
// RUN: not tile-nvptx %t/tile.mlir 2>&1 | FileCheck %t/tile.mlir
// RUN: not tile-nvptx %t/wait.mlir 2>&1 | FileCheck %t/wait.mlir

//--- name.mlir
// CHECK: error: 'simt.wgmma' op 'm32n8k16.f32' is not m64n<columns>k<k>.<types>
func.func @k(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  %d = simt.wgmma "m32n8k16.f32" a %s[%o] + 0 as [128, 16, 1024] b %s[%o] + 0 as [128, 16, 1024], %c : vector<4xf32>
  return
}

//--- columns.mlir
// CHECK: error: 'simt.wgmma' op has 12 columns, but must have a multiple of 8 up to 256
func.func @k(%s: !simt.shared, %o: i32, %c: vector<6xf32>) {
  %d = simt.wgmma "m64n12k16.f32.f16.f16" a %s[%o] + 0 as [128, 16, 1024] b %s[%o] + 0 as [128, 16, 1024], %c : vector<6xf32>
  return
}

//--- registers.mlir
// CHECK: error: 'simt.wgmma' op has 8 registers of the result in a thread, but 8 columns take 4
func.func @k(%s: !simt.shared, %o: i32, %c: vector<8xf32>) {
  %d = simt.wgmma "m64n8k16.f32.f16.f16" a %s[%o] + 0 as [128, 16, 1024] b %s[%o] + 0 as [128, 16, 1024], %c : vector<8xf32>
  return
}

//--- operand.mlir
// CHECK: error: 'simt.wgmma' op needs its first operand in registers or in shared memory
func.func @k(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  %d = simt.wgmma "m64n8k16.f32.f16.f16" b %s[%o] + 0 as [128, 16, 1024], %c : vector<4xf32>
  return
}

//--- swizzle.mlir
// CHECK: error: 'simt.wgmma' op the first operand has a swizzle of 48 bytes, but must have 0, 32, 64 or 128
func.func @k(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  %d = simt.wgmma "m64n8k16.f32.f16.f16" a %s[%o] + 0 as [48, 16, 1024] b %s[%o] + 0 as [128, 16, 1024], %c : vector<4xf32>
  return
}

//--- stride.mlir
// CHECK: error: 'simt.wgmma' op the second operand has 262144 bytes for a start or stride
func.func @k(%s: !simt.shared, %o: i32, %c: vector<4xf32>) {
  %d = simt.wgmma "m64n8k16.f32.f16.f16" a %s[%o] + 0 as [128, 16, 1024] b %s[%o] + 0 as [128, 262144, 1024], %c : vector<4xf32>
  return
}

//--- tile.mlir
// CHECK: error: 'simt.wgmma' op the second operand needs a swizzle and two strides
func.func @k(%s: !simt.shared, %o: i32, %a: vector<8xf16>, %c: vector<4xf32>) {
  %d = simt.wgmma "m64n8k16.f32.f16.f16" registers %a : vector<8xf16> b %s[%o] + 0 as [128, 16], %c : vector<4xf32>
  return
}

//--- wait.mlir
// CHECK: error: 'simt.wgmma_wait' op must return the accumulators that it takes
func.func @k(%c: vector<4xf32>) {
  simt.wgmma_wait 0 accs %c : vector<4xf32>
  return
}
