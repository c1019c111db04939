// Accurate forms are IEEE operations with NoContraction on any device; instructions of GLSL.std.450 are used for fast
// forms only, and only where the target says that they are good enough.
// RUN: split-file %s %t
// RUN: tile-spirv --emit=spirv-asm %t/accurate.mlir | FileCheck %t/accurate.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f64,exact-division %t/accurate.mlir | FileCheck %t/accurate.mlir --check-prefix=CPU
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f64,fma,fma-f64,approx %t/accurate.mlir | FileCheck %t/accurate.mlir --check-prefix=GPU
// RUN: tile-spirv --emit=spirv-asm %t/fast.mlir | FileCheck %t/fast.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,fma,approx %t/fast.mlir | FileCheck %t/fast.mlir --check-prefix=GPU
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,f64 %t/exponentials.mlir | FileCheck %t/exponentials.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,fma %t/contract.mlir | FileCheck %t/contract.mlir --check-prefix=FMA
// RUN: tile-spirv --emit=spirv-asm %t/contract.mlir | FileCheck %t/contract.mlir
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,fma %t/rounded.mlir | FileCheck %t/rounded.mlir
// RUN: tile-spirv --emit=spirv-asm %t/tests.mlir | FileCheck %t/tests.mlir
// RUN: tile-spirv --emit=spirv-asm %t/counts.mlir | FileCheck %t/counts.mlir
// RUN: tile-spirv --emit=spirv-asm %t/zeros.mlir | FileCheck %t/zeros.mlir

//--- accurate.mlir
// Without a fused multiply-add and without float64: splitting. Roots and quotients are corrected.
// CHECK-NOT: OpCapability Float64
// CHECK-NOT: OpExtInst %{{.*}} {{(Exp|Exp2|Log|Log2|Sin|Cos|Tanh|Pow|InverseSqrt|Fma)}}
// CHECK: OpExtInst %{{.*}} Sqrt
// CHECK-NOT: OpExtInst %{{.*}} {{(Exp|Exp2|Log|Log2|Sin|Cos|Tanh|Pow|InverseSqrt|Fma)}}
// CHECK: OpReturn
// A target that divides and takes roots exactly; fma by way of float64.
// CPU: OpCapability Float64
// CPU-NOT: OpExtInst %{{.*}} Fma
// CPU: OpExtInst %{{.*}} Sqrt
// CPU-NOT: OpExtInst %{{.*}} {{(Sqrt|Fma)}}
// CPU: OpReturn
// GPU-NOT: OpCapability Float64
// GPU: OpDecorate %[[FMA:[0-9]+]] NoContraction
// GPU-NOT: OpExtInst %{{.*}} {{(Exp|Exp2|Log|Log2|Sin|Cos|Tanh|Pow)}}
// GPU: OpExtInst %{{.*}} Fma
// GPU-NOT: OpExtInst %{{.*}} {{(Exp|Exp2|Log|Log2|Sin|Cos|Tanh|Pow)}}
// GPU: OpReturn
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.exp %v : f32
  %1 = math.sqrt %0 : f32
  %2 = arith.divf %1, %v : f32
  %3 = math.log2 %2 : f32
  tile.store %x, %3 : !tile.ptr<f32>
  return
}

//--- fast.mlir
// CHECK-NOT: OpExtInst %{{.*}} {{(Exp2|Log2|Sin|Cos|InverseSqrt)}}
// CHECK: OpFDiv
// CHECK: OpReturn
// GPU-DAG: OpExtInst %{{.*}} Exp2
// GPU-DAG: OpExtInst %{{.*}} Log2
// GPU-DAG: OpFDiv
// GPU-DAG: OpExtInst %{{.*}} InverseSqrt
// GPU-DAG: OpExtInst %{{.*}} Sin
// GPU-DAG: OpExtInst %{{.*}} Cos
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.exp %v fastmath<afn> : f32
  %1 = math.log %0 fastmath<afn> : f32
  %2 = arith.divf %1, %v fastmath<afn> : f32
  %3 = math.rsqrt %2 fastmath<afn> : f32
  %4 = math.sin %3 fastmath<afn> : f32
  %5 = math.cos %4 fastmath<afn> : f32
  tile.store %x, %5 : !tile.ptr<f32>
  return
}

//--- exponentials.mlir
// Without the device's instruction: products and sums of float32, no emulated fma.
// CHECK-NOT: OpCapability Float64
// CHECK-NOT: OpExtInst
// CHECK-COUNT-10: OpFMul
// CHECK-NOT: OpExtInst
// CHECK: OpStore
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.exp %v fastmath<afn> : f32
  tile.store %x, %0 : !tile.ptr<f32>
  return
}

//--- contract.mlir
// A kernel's own product and sum are one operation where that rounds once; no driver decides.
// FMA-NOT: OpFMul
// FMA: OpExtInst %{{.*}} Fma
// FMA-NOT: OpFAdd
// CHECK-DAG: OpDecorate %[[P:[0-9]+]] NoContraction
// CHECK-DAG: OpDecorate %[[S:[0-9]+]] NoContraction
// CHECK: OpFMul
// CHECK: OpFAdd
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.mulf %v, %v : f32
  %1 = arith.addf %0, %v : f32
  tile.store %x, %1 : !tile.ptr<f32>
  return
}

//--- tests.mlir
// Tests of NaN and infinity look at bits.
// CHECK-NOT: OpIs{{(Nan|Inf)}}
// CHECK: OpBitcast
// CHECK-NOT: OpIs{{(Nan|Inf)}}
// CHECK: OpReturn
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.isnan %v : f32
  %1 = math.isinf %v : f32
  %2 = math.isfinite %v : f32
  %3 = arith.ori %0, %1 : i1
  %4 = arith.xori %3, %2 : i1
  %5 = arith.extui %4 : i1 to i32
  tile.store %y, %5 : !tile.ptr<i32>
  return
}

//--- counts.mlir
// Of 64 bits by halves: GLSL's instructions know 32.
// CHECK: OpBitCount %[[WORD:[a-z0-9_]+]]
// CHECK: OpBitCount %[[WORD]]
// CHECK: FindUMsb
// CHECK: FindUMsb
// CHECK: FindILsb
// CHECK: FindILsb
func.func @k(%x: !tile.ptr<i64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i64>
  %0 = math.ctpop %v : i64
  %1 = math.ctlz %0 : i64
  %2 = math.cttz %1 : i64
  tile.store %x, %2 : !tile.ptr<i64>
  return
}

//--- zeros.mlir
// The results of x * 0, x + 0 and x - x are written out: some drivers drop NaN and signs of zero.
// CHECK-NOT: OpFMul
// CHECK-NOT: OpFAdd
// CHECK-NOT: OpFSub
// CHECK: OpReturn
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0.0 : f32
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.mulf %v, %zero : f32
  %1 = arith.addf %0, %zero : f32
  %2 = arith.subf %1, %1 : f32
  tile.store %x, %2 : !tile.ptr<f32>
  return
}

//--- rounded.mlir
// The operations of composed functions stay unchanged: they compute errors of rounded products.
// CHECK: OpFMul
// CHECK: OpFAdd
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.mulf %v, %v {rounded} : f32
  %1 = arith.addf %0, %v {rounded} : f32
  tile.store %x, %1 : !tile.ptr<f32>
  return
}
