// Arithmetic where SPIR-V or Vulkan says less than the language: remainders of negative numbers, minima with NaN,
// wide products, and rounding that no driver may change.
// RUN: tile-spirv %s | FileCheck %s

// CHECK: OpCapability Shader
// CHECK: %[[GLSL:[0-9]+]] = OpExtInstImport "GLSL.std.450"
// CHECK: OpDecorate %[[SUM:[0-9]+]] NoContraction
// CHECK: %[[Q:[0-9]+]] = OpSDiv %uint %[[A:[0-9]+]] %[[B:[0-9]+]]
// CHECK: %[[P:[0-9]+]] = OpIMul %uint %[[Q]] %[[B]]
// CHECK: OpISub %uint %[[A]] %[[P]]
// CHECK-NOT: OpSRem
// CHECK: OpUConvert %ulong
// CHECK: OpIMul %ulong
// CHECK: OpShiftRightLogical %ulong %{{[0-9]+}} %{{ulong_32|uint_32}}
// CHECK: OpExtInst %float %[[GLSL]] NMax
// CHECK: %[[SUM]] = OpFAdd
func.func @numbers(%x: !tile.ptr<i32>, %y: !tile.ptr<f32>, %a: i32, %b: i32, %u: f32, %v: f32) attributes {tile.kernel} {
  %r = arith.remsi %a, %b : i32
  %low, %high = arith.mului_extended %a, %b : i32
  %s = arith.addi %r, %high : i32
  tile.store %x, %s : !tile.ptr<i32>
  %m = arith.maxnumf %u, %v : f32
  %t = arith.addf %m, %v : f32
  tile.store %y, %t : !tile.ptr<f32>
  return
}
