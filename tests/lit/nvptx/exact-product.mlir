// A product whose rounding error is computed stays rounded where a sum takes it; another one becomes fused.
// RUN: tile-nvptx %s --emit=ptx | FileCheck %s
// CHECK-LABEL: .entry error_of_product
// CHECK: mul.rn.f32 [[PRODUCT:%[a-z0-9]+]],
// CHECK: add{{(.rn)?}}.f32 {{.*}}[[PRODUCT]]
// CHECK: fma.rn.f32
// CHECK-NOT: mul
func.func @error_of_product(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %q = tile.addptr %p, %one : !tile.ptr<f32>, i32
  %r = tile.addptr %p, %two : !tile.ptr<f32>, i32
  %a = tile.load %p : !tile.ptr<f32>
  %b = tile.load %q : !tile.ptr<f32>
  %product = arith.mulf %a, %b : f32
  %minus = arith.negf %product : f32
  %error = math.fma %a, %b, %minus : f32
  %sum = arith.addf %product, %a : f32
  %other = arith.mulf %b, %b : f32
  %fused = arith.addf %other, %a : f32
  tile.store %p, %sum : !tile.ptr<f32>
  tile.store %q, %error : !tile.ptr<f32>
  tile.store %r, %fused : !tile.ptr<f32>
  return
}
