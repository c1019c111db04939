// Diagnostics of the verifier about matrices.
// RUN: split-file %s %t
// RUN: not tile-spirv %t/type.mlir 2>&1 | FileCheck %t/type.mlir
// RUN: not tile-spirv %t/pitch.mlir 2>&1 | FileCheck %t/pitch.mlir
// RUN: not tile-spirv %t/short.mlir 2>&1 | FileCheck %t/short.mlir
// RUN: not tile-spirv %t/use.mlir 2>&1 | FileCheck %t/use.mlir
// RUN: not tile-spirv %t/sizes.mlir 2>&1 | FileCheck %t/sizes.mlir
// RUN: not tile-spirv %t/splat.mlir 2>&1 | FileCheck %t/splat.mlir
// RUN: not tile-spirv %t/registers.mlir 2>&1 | FileCheck %t/registers.mlir
// RUN: not tile-spirv %t/count.mlir 2>&1 | FileCheck %t/count.mlir

//--- type.mlir
// CHECK: error: expected <rows x columns x type, a|b|acc>
func.func @k(%m: !simt.matrix<16x16xf16, c>) { return }

//--- pitch.mlir
// CHECK: error: 'simt.matrix_load' op has a pitch of 40 bytes, but needs a multiple of 16 of at least 32
func.func @k(%s: !simt.shared, %o: i32) {
  %m = simt.matrix_load %s[%o] pitch 40 : <16x16xf16, a>
  return
}

//--- short.mlir
// CHECK: error: 'simt.matrix_load' op has a pitch of 16 bytes, but needs a multiple of 16 of at least 32
func.func @k(%s: !simt.shared, %o: i32) {
  %m = simt.matrix_load %s[%o] pitch 16 column_major : <16x8xf16, b>
  return
}

//--- use.mlir
// CHECK: error: 'simt.matrix_multiply_add' op needs matrices for a, b and acc, in this order
func.func @k(%a: !simt.matrix<16x16xf16, a>, %c: !simt.matrix<16x16xf32, acc>) {
  %d = simt.matrix_multiply_add %a, %a, %c : <16x16xf16, a>, <16x16xf16, a>, <16x16xf32, acc>
  return
}

//--- sizes.mlir
// CHECK: error: 'simt.matrix_multiply_add' op has matrices whose sizes do not fit together
func.func @k(%a: !simt.matrix<16x8xf16, a>, %b: !simt.matrix<16x16xf16, b>, %c: !simt.matrix<16x16xf32, acc>) {
  %d = simt.matrix_multiply_add %a, %b, %c : <16x8xf16, a>, <16x16xf16, b>, <16x16xf32, acc>
  return
}

//--- splat.mlir
// CHECK: error: 'simt.matrix_splat' op needs a scalar of the matrix's element type
func.func @k(%x: f16) {
  %m = simt.matrix_splat %x : f16 -> <16x16xf32, acc>
  return
}

//--- registers.mlir
// CHECK: error: 'simt.matrix_from_registers' op needs accumulators of one type and registers of their elements
func.func @k(%x: vector<8xf16>) {
  %m = simt.matrix_from_registers %x : vector<8xf16> -> !simt.matrix<16x16xf32, acc>
  return
}

//--- count.mlir
// CHECK: error: 'simt.matrix_to_registers' op needs as many registers for each matrix
func.func @k(%m: !simt.matrix<16x16xf32, acc>) {
  %x = simt.matrix_to_registers %m, %m : !simt.matrix<16x16xf32, acc>, !simt.matrix<16x16xf32, acc> -> vector<7xf32>
  return
}
