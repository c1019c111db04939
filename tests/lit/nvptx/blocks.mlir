// Blocks whose sizes are not powers of two are read and written in vectors that do not reach beyond the end: 384 floats by
// 128 threads as 96 vectors of 16 bytes, where the next power of two has 128.
// RUN: tile-nvptx %s | FileCheck %s

// CHECK-LABEL: .entry copy(
// CHECK: setp.lt.u32 [[IN:%p[0-9]+]], %{{r[0-9]+}}, 96;
// CHECK: @[[IN]] ld.global.v4.b32
// CHECK: @[[IN]] st.global.v4.b32
// CHECK-NOT: ld.global
func.func @copy(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %c384 = arith.constant 384 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c384 : i32
  %r = tile.make_range 0 to 384 : tensor<384xi32>
  %s = tile.splat %start : i32 -> tensor<384xi32>
  %i = arith.addi %r, %s : tensor<384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<384x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<384x!tile.ptr<f32>>, tensor<384xi32>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<384x!tile.ptr<f32>>
  %zp = tile.addptr %zs, %i : tensor<384x!tile.ptr<f32>>, tensor<384xi32>
  %v = tile.load %xp : tensor<384x!tile.ptr<f32>>
  tile.store %zp, %v : tensor<384x!tile.ptr<f32>>
  return
}
