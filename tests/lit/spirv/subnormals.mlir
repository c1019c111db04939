// Devices that may flush subnormal numbers: operations that inspect or move bits are integer arithmetic there. Where a
// device keeps such numbers, floats' own instructions do it.
// RUN: split-file %s %t
// RUN: tile-spirv --emit=spirv-asm %t/signs.mlir | FileCheck %t/signs.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,denorm-f32 %t/signs.mlir | FileCheck %t/signs.mlir --check-prefix=KEEPS
// RUN: tile-spirv --emit=spirv-asm %t/operands.mlir | FileCheck %t/operands.mlir
// RUN: tile-spirv --emit=spirv-asm %t/zero.mlir | FileCheck %t/zero.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,denorm-f32 %t/zero.mlir | FileCheck %t/zero.mlir --check-prefix=KEEPS
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f64 %t/wider.mlir | FileCheck %t/wider.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f64,denorm-f32 %t/wider.mlir | FileCheck %t/wider.mlir --check-prefix=KEEPS
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f16,storage16,rte-f16,rte-f32,rounding-independent %t/rounds.mlir | FileCheck %t/rounds.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f16,storage16,rte-f16,rte-f32,rounding-independent,rounds-to-even %t/rounds.mlir | FileCheck %t/rounds.mlir --check-prefix=UNASKED
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f16,storage16,rte-f16,rte-f32,rounds-to-even %t/rounds.mlir | FileCheck %t/rounds.mlir --check-prefix=NEITHER
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f16,storage16,rte-f16,rte-f32,rounding-independent,rounds-to-even %t/sums.mlir | FileCheck %t/sums.mlir
// RUN: tile-spirv --emit=spirv-asm %t/quotient.mlir | FileCheck %t/quotient.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,exact-division %t/quotient.mlir | FileCheck %t/quotient.mlir --check-prefix=EXACT

//--- signs.mlir
// CHECK-NOT: OpFNegate
// CHECK-NOT: FAbs
// CHECK: OpBitwiseXor
// CHECK: OpBitwiseAnd
// CHECK-NOT: OpFNegate
// CHECK-NOT: FAbs
// CHECK: OpReturn
// KEEPS: OpFNegate
// KEEPS: FAbs
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.negf %v : f32
  %1 = math.absf %v : f32
  tile.store %x, %0 : !tile.ptr<f32>
  tile.store %y, %1 : !tile.ptr<f32>
  return
}

//--- operands.mlir
// The sign of an operand is part of its instruction on most devices.
// CHECK: OpFNegate
// CHECK-NOT: OpBitwiseXor
// CHECK: OpReturn
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.negf %v : f32
  %1 = arith.mulf %0, %v : f32
  tile.store %x, %1 : !tile.ptr<f32>
  return
}

//--- zero.mlir
// CHECK-NOT: Op{{FOrd|FUnord}}
// CHECK: OpULessThan
// CHECK-NOT: Op{{FOrd|FUnord}}
// CHECK: OpReturn
// KEEPS: OpFOrdGreaterThan
// KEEPS: OpFUnordNotEqual
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0.0 : f32
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.cmpf ogt, %v, %zero : f32
  %1 = arith.cmpf une, %v, %zero : f32
  %2 = arith.cmpf uno, %v, %zero : f32
  %3 = arith.xori %0, %1 : i1
  %4 = arith.xori %3, %2 : i1
  %5 = arith.extui %4 : i1 to i32
  tile.store %y, %5 : !tile.ptr<i32>
  return
}

//--- wider.mlir
// CHECK: OpConvertSToF %float
// CHECK: OpFConvert %double
// CHECK: OpFMul %double
// KEEPS-NOT: OpConvertSToF
// KEEPS: OpFConvert %double
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.extf %v : f32 to f64
  tile.store %y, %0 : !tile.ptr<f64>
  return
}

//--- rounds.mlir
// A mode that the driver has anyway is not requested where there are quotients, because it makes them slower.
// CHECK-DAG: OpExecutionMode %{{.*}} RoundingModeRTE 16
// CHECK-DAG: OpExecutionMode %{{.*}} RoundingModeRTE 32
// UNASKED-NOT: RoundingModeRTE 32
// UNASKED: RoundingModeRTE 16
// UNASKED-NOT: RoundingModeRTE 32
// UNASKED: OpReturn
// NEITHER-NOT: RoundingModeRTE
// NEITHER: OpReturn
func.func @k(%x: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f16>
  %0 = arith.extf %v : f16 to f32
  %1 = arith.divf %0, %0 fastmath<afn> : f32
  %2 = arith.truncf %1 : f32 to f16
  tile.store %x, %2 : !tile.ptr<f16>
  return
}

//--- sums.mlir
// CHECK-DAG: OpExecutionMode %{{.*}} RoundingModeRTE 16
// CHECK-DAG: OpExecutionMode %{{.*}} RoundingModeRTE 32
func.func @k(%x: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f16>
  %0 = arith.extf %v : f16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to f16
  tile.store %x, %2 : !tile.ptr<f16>
  return
}

//--- quotient.mlir
// Divisors beyond 2^126, whose inverse is subnormal, are scaled down first.
// CHECK: OpFOrdGreaterThan
// CHECK: OpSelect %float
// CHECK: OpFMul
// CHECK: OpFMul
// CHECK: OpFDiv
// CHECK-NOT: OpFDiv
// CHECK: OpReturn
// EXACT-NOT: OpSelect
// EXACT: OpFDiv
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %w = tile.load %y : !tile.ptr<f32>
  %0 = arith.divf %v, %w fastmath<afn> : f32
  tile.store %x, %0 : !tile.ptr<f32>
  return
}
