// Conversions between floats: 8-bit ones by instructions where the target has those of the format.
// RUN: split-file %s %t
// RUN: tile-amdgpu %t/ocp.mlir --arch=gfx950 | FileCheck %t/ocp.mlir --check-prefixes=CHECK,OCP
// RUN: tile-amdgpu %t/ocp.mlir --arch=gfx1200 | FileCheck %t/ocp.mlir --check-prefixes=CHECK,OCP
// RUN: tile-amdgpu %t/ocp.mlir --arch=gfx942 | FileCheck %t/ocp.mlir --check-prefixes=CHECK,NONE
// RUN: tile-amdgpu %t/ocp.mlir --arch=gfx1100 | FileCheck %t/ocp.mlir --check-prefixes=CHECK,NONE
// RUN: tile-amdgpu %t/fnuz.mlir --arch=gfx942 | FileCheck %t/fnuz.mlir --check-prefixes=CHECK,FNUZ
// RUN: tile-amdgpu %t/fnuz.mlir --arch=gfx950 | FileCheck %t/fnuz.mlir --check-prefixes=CHECK,NONE
// RUN: tile-amdgpu %t/fnuz.mlir --arch=gfx90a | FileCheck %t/fnuz.mlir --check-prefixes=CHECK,NONE
// RUN: tile-amdgpu %t/product.mlir --arch=gfx942 | FileCheck %t/product.mlir

//--- ocp.mlir
// CHECK: casts:
// OCP: v_cvt_f32_fp8
// OCP-DAG: v_med3_{{(num_)?}}f32
// OCP-DAG: v_cvt_pk_bf8_f32
// NONE-NOT: {{v_cvt.*_(fp8|bf8)}}
// Toward zero.
// CHECK-DAG: v_cvt_pk{{_?}}rtz_f16_f32
// CHECK: s_endpgm
func.func @casts(%x: !tile.ptr<f8E4M3FN>, %y: !tile.ptr<f8E5M2>, %z: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f8E4M3FN>
  %w = tile.fp_cast %v : f8E4M3FN -> f32
  %n = tile.fp_cast %w : f32 -> f8E5M2
  tile.store %y, %n : !tile.ptr<f8E5M2>
  %h = tile.fp_cast %w rounding rtz : f32 -> f16
  tile.store %z, %h : !tile.ptr<f16>
  return
}

//--- fnuz.mlir
// gfx942 has the formats without a negative zero. Values that are too large are clamped first.
// CHECK: casts:
// FNUZ-DAG: v_cvt_f32_fp8
// 240 and 57344.
// FNUZ-DAG: 0x43700000
// FNUZ-DAG: 0x47600000
// FNUZ-DAG: v_cvt_pk_bf8_f32
// FNUZ-DAG: v_cvt_pk_fp8_f32
// NONE-NOT: {{v_cvt.*_(fp8|bf8)}}
// CHECK: s_endpgm
func.func @casts(%x: !tile.ptr<f8E4M3FNUZ>, %y: !tile.ptr<f8E5M2FNUZ>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f8E4M3FNUZ>
  %w = tile.fp_cast %v : f8E4M3FNUZ -> f32
  %n = tile.fp_cast %w : f32 -> f8E5M2FNUZ
  tile.store %y, %n : !tile.ptr<f8E5M2FNUZ>
  %s = arith.addf %w, %w : f32
  %e = tile.fp_cast %s : f32 -> f8E4M3FNUZ
  tile.store %x, %e : !tile.ptr<f8E4M3FNUZ>
  return
}

//--- product.mlir
// Both formats are multiplied as they are.
// CHECK: product:
// CHECK: v_mfma_f32_{{32x32x16|16x16x32}}_fp8_bf8
// CHECK-NOT: v_mfma_f32_{{.*}}_f16
// CHECK: s_endpgm
func.func @product(%x: !tile.ptr<f8E4M3FNUZ> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f8E5M2FNUZ> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c32 = arith.constant dense<32> : tensor<32x1xi32>
  %i = tile.make_range 0 to 32 : tensor<32xi32>
  %rows = tile.expand_dims %i axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %starts = arith.muli %rows, %c32 : tensor<32x1xi32>
  %columns = tile.expand_dims %i axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ss = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %cs = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %o = arith.addi %ss, %cs : tensor<32x32xi32>
  %xs = tile.splat %x : !tile.ptr<f8E4M3FNUZ> -> tensor<32x32x!tile.ptr<f8E4M3FNUZ>>
  %p = tile.addptr %xs, %o : tensor<32x32x!tile.ptr<f8E4M3FNUZ>>, tensor<32x32xi32>
  %a = tile.load %p : tensor<32x32x!tile.ptr<f8E4M3FNUZ>>
  %ys = tile.splat %y : !tile.ptr<f8E5M2FNUZ> -> tensor<32x32x!tile.ptr<f8E5M2FNUZ>>
  %q = tile.addptr %ys, %o : tensor<32x32x!tile.ptr<f8E5M2FNUZ>>, tensor<32x32xi32>
  %b = tile.load %q : tensor<32x32x!tile.ptr<f8E5M2FNUZ>>
  %d = tile.dot %a, %b, %zero : tensor<32x32xf8E4M3FNUZ>, tensor<32x32xf8E5M2FNUZ> -> tensor<32x32xf32>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %r = tile.addptr %zs, %o : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %r, %d : tensor<32x32x!tile.ptr<f32>>
  return
}
