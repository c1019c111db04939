// The data of a launch: the header, then the arguments; the program's number is the workgroup's plus a base.
// RUN: tile-spirv %s | FileCheck %s
// RUN: tile-spirv %s -metadata -target vulkan:1.3,subgroup=8,subgroup-control | FileCheck %s --check-prefix=DATA
// RUN: tile-spirv %s -line-info -emit spirv-asm | FileCheck %s --check-prefix=LINES

// CHECK: OpCapability Shader
// CHECK-NEXT: OpCapability Int64
// CHECK-NEXT: OpCapability PhysicalStorageBufferAddresses
// CHECK-NEXT: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// CHECK: OpEntryPoint GLCompute %{{[0-9]+}} "kernel"
// CHECK: OpMemberDecorate %[[BLOCK:[_a-z0-9]+]] 0 Offset 0
// CHECK: OpDecorate %[[BLOCK]] Block
// 32 bytes of header, a pointer, an i8 and an f32: 48 bytes.
// CHECK: OpTypeArray %uint %uint_12
// CHECK: OpAccessChain %_ptr_PushConstant_uint %{{[0-9]+}} %uint_0 %uint_8
// CHECK: OpCompositeExtract %uint %{{[0-9]+}} 1
// CHECK: OpIAdd %uint
// num_programs is the grid's size, which a split launch does not change.
// CHECK: OpAccessChain %_ptr_PushConstant_uint %{{[0-9]+}} %uint_0 %uint_5
// DATA: kernel kernel
// DATA: threads 128
// DATA-NEXT: subgroup 8 required
// DATA-NEXT: push 48
// DATA-NEXT: arguments 16
// DATA: parameter pointer 64 at 0 x
// DATA-NEXT: parameter integer 8 at 8 k
// DATA-NEXT: parameter float 32 at 12 s
// LINES: %[[FILE:[0-9]+]] = OpString "{{.*}}interface.mlir"
// LINES: OpLine %[[FILE]] [[@LINE+10]] 8
// LINES: OpIAdd
func.func @kernel(%x: !tile.ptr<f32> {tile.name = "x"}, %k: i8 {tile.name = "k"}, %s: f32 {tile.name = "s"}) attributes {tile.kernel} {
  %w = arith.extsi %k : i8 to i32
  %f = arith.sitofp %w : i32 to f32
  %t = arith.addf %f, %s : f32
  %i = tile.program_id 1
  %n = tile.num_programs 2
  // one line

  %j = arith.addi %i, %n : i32
  %p = tile.addptr %x, %j : !tile.ptr<f32>, i32
  tile.store %p, %t : !tile.ptr<f32>
  return
}
