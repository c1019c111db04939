// Products of a wave: every lane must be on. A masked store of the result must not pull them into
// its branch.
// RUN: tile-amdgpu %s --arch=gfx942 | FileCheck %s --check-prefixes=CHECK,CDNA
// RUN: tile-amdgpu %s --arch=gfx950 | FileCheck %s --check-prefixes=CHECK,CDNA
// RUN: tile-amdgpu %s --arch=gfx1100 | FileCheck %s --check-prefixes=CHECK,RDNA
// RUN: tile-amdgpu %s --arch=gfx1201 | FileCheck %s --check-prefixes=CHECK,RDNA

// CHECK: product:
// CDNA: v_mfma_f32_16x16x{{16|32}}_f16
// CDNA: s_and_saveexec_b64
// RDNA: v_wmma_f32_16x16x16_f16
// RDNA: {{v_cmpx|s_and_saveexec_b32}}
// CHECK-NOT: v_{{mfma|wmma}}
// CHECK: global_store
// CHECK-NOT: v_{{mfma|wmma}}
// CHECK: s_endpgm
func.func @product(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16>, %z: !tile.ptr<f32>, %s: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x1xf32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %rows = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %starts = arith.muli %rows, %c16 : tensor<16x1xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x1x!tile.ptr<f16>>
  %p = tile.addptr %xs, %starts : tensor<16x1x!tile.ptr<f16>>, tensor<16x1xi32>
  %columns = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %ps = tile.broadcast %p : tensor<16x1x!tile.ptr<f16>> -> tensor<16x16x!tile.ptr<f16>>
  %cs = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %q = tile.addptr %ps, %cs : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %a = tile.load %q : tensor<16x16x!tile.ptr<f16>>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16x1x!tile.ptr<f16>>
  %r = tile.addptr %ys, %rows : tensor<16x1x!tile.ptr<f16>>, tensor<16x1xi32>
  %b = tile.load %r : tensor<16x1x!tile.ptr<f16>>
  %strides = tile.splat %s : i32 -> tensor<16x1xi32>
  %places = arith.muli %rows, %strides : tensor<16x1xi32>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<16x1x!tile.ptr<f32>>
  %o = tile.addptr %zs, %places : tensor<16x1x!tile.ptr<f32>>, tensor<16x1xi32>
  %d = tile.dot %a, %b, %zero : tensor<16x16xf16>, tensor<16x1xf16> -> tensor<16x1xf32>
  tile.store %o, %d : tensor<16x1x!tile.ptr<f32>>
  return
}
