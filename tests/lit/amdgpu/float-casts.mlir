// Conversions between floats: 8-bit ones by instructions where the target has those of the format.
// RUN: tile-amdgpu %s --arch=gfx950 | FileCheck %s --check-prefixes=CHECK,OCP
// RUN: tile-amdgpu %s --arch=gfx1200 | FileCheck %s --check-prefixes=CHECK,OCP
// RUN: tile-amdgpu %s --arch=gfx942 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tile-amdgpu %s --arch=gfx1100 | FileCheck %s --check-prefixes=CHECK,NONE

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
