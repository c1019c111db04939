// 8- and 16-bit types compute in 32 bits where the device has no such arithmetic; bfloat16 is bits
// with integer rounding everywhere; float16 is a type where the device has it.
// RUN: split-file %s %t
// RUN: tile-spirv --emit=spirv-asm %t/floats.mlir | FileCheck %t/floats.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f16,i16,storage16,rte-f16 %t/floats.mlir | FileCheck %t/floats.mlir --check-prefix=HALF
// RUN: tile-spirv --emit=spirv-asm %t/integers.mlir | FileCheck %t/integers.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,i8,i16,storage8,storage16 %t/integers.mlir | FileCheck %t/integers.mlir --check-prefix=NATIVE
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,i8,i16,storage8,storage16,arith32 %t/negated.mlir | FileCheck %t/negated.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,i8,i16,storage8,storage16,arith32 %t/chosen.mlir | FileCheck %t/chosen.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f16,i16,storage16,rte-f16 %t/rounded.mlir | FileCheck %t/rounded.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f16,i16,storage16,rte-f16,round16 %t/rounded.mlir | FileCheck %t/rounded.mlir --check-prefix=INTEGERS
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f64 %t/wide.mlir | FileCheck %t/wide.mlir
// RUN: not tile-spirv %t/wide.mlir 2>&1 | FileCheck %t/wide.mlir --check-prefix=ERROR
// RUN: tile-spirv --emit=spirv-asm %t/float8.mlir | FileCheck %t/float8.mlir

//--- floats.mlir
// CHECK-NOT: OpTypeFloat 16
// CHECK-NOT: OpCapability {{(Float16|Int16)}}
// CHECK-NOT: OpFConvert
// CHECK: OpFAdd %float
// CHECK: OpFMul %float
// CHECK: OpReturn
// HALF-DAG: OpCapability Float16
// HALF: %[[HALF:[a-z0-9]+]] = OpTypeFloat 16
// HALF: OpFAdd %float
// HALF: OpFMul %[[HALF]]
func.func @k(%x: !tile.ptr<bf16>, %y: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<bf16>
  %h = tile.load %y : !tile.ptr<f16>
  %s = arith.addf %v, %v : bf16
  %p = arith.mulf %h, %h : f16
  tile.store %x, %s : !tile.ptr<bf16>
  tile.store %y, %p : !tile.ptr<f16>
  return
}

//--- integers.mlir
// CHECK-NOT: OpCapability {{(Int8|Int16)}}
// CHECK: OpSDiv %uint
// CHECK: OpReturn
// NATIVE: OpCapability Int8
// NATIVE: OpSDiv %uchar
func.func @k(%x: !tile.ptr<i8>, %y: !tile.ptr<i16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i8>
  %w = tile.load %y : !tile.ptr<i16>
  %0 = arith.divsi %v, %v : i8
  %1 = arith.shrsi %w, %w : i16
  tile.store %x, %0 : !tile.ptr<i8>
  tile.store %y, %1 : !tile.ptr<i16>
  return
}

//--- negated.mlir
// Narrow integers are held as themselves, but negated and converted in 32 bits, between them two
// shifts, which no driver folds into a conversion of the narrow integer.
// CHECK-NOT: {{OpSConvert|OpCapability Int8}}
// CHECK: OpLoad %uchar
// CHECK-NOT: OpSConvert
// CHECK: %[[NEGATED:.*]] = OpISub %uint
// CHECK: %[[UP:.*]] = OpShiftLeftLogical %uint %[[NEGATED]]
// CHECK: %[[DOWN:.*]] = OpShiftRightArithmetic %uint %[[UP]]
// CHECK: OpConvertSToF %float %[[DOWN]]
// CHECK-NOT: OpISub %uchar
// CHECK: OpReturn
func.func @k(%x: !tile.ptr<i8>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i8>
  %zero = arith.constant 0 : i8
  %n = arith.subi %zero, %v : i8
  %f = arith.sitofp %n : i8 to f32
  tile.store %y, %f : !tile.ptr<f32>
  return
}

//--- chosen.mlir
// A choice among such values, and what 64 bits computed, are extended in the same way.
// CHECK-NOT: OpSConvert
// CHECK: OpISub %uint
// CHECK: OpShiftRightArithmetic %uint
// CHECK: OpSelect %uint
// CHECK: OpConvertSToF %float
// CHECK: OpISub %ulong
// CHECK: OpUConvert %uint
// CHECK: OpShiftLeftLogical %uint
// CHECK: OpShiftRightArithmetic %uint
// CHECK: OpConvertSToF %float
// CHECK: OpReturn
func.func @k(%x: !tile.ptr<i8>, %y: !tile.ptr<f32>, %p: !tile.ptr<i64>, %c: i1) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i8>
  %zero = arith.constant 0 : i8
  %n = arith.subi %zero, %v : i8
  %s = arith.select %c, %n, %zero : i8
  %f = arith.sitofp %s : i8 to f32
  tile.store %y, %f : !tile.ptr<f32>
  %w = tile.load %p : !tile.ptr<i64>
  %none = arith.constant 0 : i64
  %m = arith.subi %none, %w : i64
  %t = arith.trunci %m : i64 to i8
  %g = arith.sitofp %t : i8 to f32
  tile.store %y, %g : !tile.ptr<f32>
  return
}

//--- rounded.mlir
// A float32 that becomes float16 and is extended again: with round16 the rounding is integer
// arithmetic, which no driver drops. A value that is only stored is converted by the instruction.
// CHECK: %[[HALF:.*]] = OpFConvert %half
// CHECK: OpFConvert %float %[[HALF]]
// CHECK: OpFConvert %half
// CHECK: OpReturn
// INTEGERS: OpLoad %float
// INTEGERS-NOT: OpFConvert
// INTEGERS: %[[BITS:.*]] = OpUConvert %ushort
// INTEGERS: %[[ROUNDED:.*]] = OpBitcast %half %[[BITS]]
// INTEGERS: OpFConvert %float %[[ROUNDED]]
// INTEGERS: OpFConvert %half
// INTEGERS-NOT: OpFConvert
// INTEGERS: OpReturn
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %h = arith.truncf %v : f32 to f16
  %w = arith.extf %h : f16 to f32
  tile.store %y, %w : !tile.ptr<f32>
  %u = arith.addf %v, %v : f32
  %s = arith.truncf %u : f32 to f16
  tile.store %z, %s : !tile.ptr<f16>
  return
}

//--- wide.mlir
// float64 to float16 in one rounding: cut to float32 with the last bit odd, and then rounded.
// CHECK: OpFConvert %float
// CHECK: OpFConvert %double
// CHECK: OpFOrdLessThan
// CHECK-NOT: OpFConvert %half
// ERROR: wide.mlir:[[@LINE+2]]:8: error: vulkan:1.3 lacks 64-bit floats (shaderFloat64), which 'simt.load' needs here; use float32, or a device that has them
func.func @k(%x: !tile.ptr<f64>, %y: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f64>
  %h = arith.truncf %v : f64 to f16
  tile.store %y, %h : !tile.ptr<f16>
  return
}

//--- float8.mlir
// Every 8-bit format in integer arithmetic.
// CHECK-NOT: OpTypeFloat 8
// CHECK: OpReturn
func.func @k(%x: !tile.ptr<f8E4M3FN>, %y: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f8E4M3FN>
  %w = tile.fp_cast %v : f8E4M3FN -> f32
  %r = tile.fp_cast %w : f32 -> f8E5M2
  tile.store %y, %r : !tile.ptr<f8E5M2>
  return
}
