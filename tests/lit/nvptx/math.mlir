// Fast forms are the hardware's approximations; accurate forms call nothing outside, round every
// operation, and may start from the hardware's 2^x and 1 / x, never from its sine; a kernel's own product and sum become one fma.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/fast.mlir | FileCheck %t/fast.mlir
// RUN: tile-nvptx %t/accurate.mlir | FileCheck %t/accurate.mlir
// RUN: tile-nvptx %t/wide.mlir | FileCheck %t/wide.mlir
// RUN: tile-nvptx %t/half.mlir | FileCheck %t/half.mlir
// RUN: tile-nvptx %t/contract.mlir | FileCheck %t/contract.mlir
// RUN: tile-nvptx %t/rounded.mlir | FileCheck %t/rounded.mlir

//--- fast.mlir
// CHECK-NOT: .extern .func
// CHECK: ex2.approx.f32
// CHECK: lg2.approx.f32
// CHECK: div.full.f32
// CHECK: sqrt.approx.ftz.f32
// CHECK: rsqrt.approx.ftz.f32
// CHECK: sin.approx.f32
// CHECK: cos.approx.f32
// CHECK: tanh.approx.f32
// CHECK: lg2.approx.f32
// CHECK: ex2.approx.f32
// CHECK: ex2.approx.ftz.f32
// CHECK-NOT: call
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.exp %v fastmath<afn> : f32
  %1 = math.log %0 fastmath<afn> : f32
  %2 = arith.divf %1, %v fastmath<afn> : f32
  %3 = math.sqrt %2 fastmath<afn> : f32
  %4 = math.rsqrt %3 fastmath<afn> : f32
  %5 = math.sin %4 fastmath<afn> : f32
  %6 = math.cos %5 fastmath<afn> : f32
  %7 = math.tanh %6 fastmath<afn> : f32
  %8 = math.powf %7, %v fastmath<afn> : f32
  %9 = math.exp2 %8 fastmath<afn> : f32
  tile.store %x, %9 : !tile.ptr<f32>
  return
}

//--- accurate.mlir
// CHECK-NOT: .extern .func
// CHECK-NOT: {{(add|sub|mul)}}.f32
// CHECK: div.rn.f32
// CHECK-NOT: {{(add|sub|mul)}}.f32
// CHECK: sqrt.rn.f32
// CHECK-NOT: {{(add|sub|mul)}}.f32
// CHECK-NOT: {{(sin|cos|tanh)}}.approx
// CHECK: rsqrt.approx.f32
// CHECK-NOT: {{(add|sub|mul)}}.f32
// CHECK-NOT: {{(sin|cos|tanh)}}.approx
// CHECK: ex2.approx.ftz.f32
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: {{(sin|cos|tanh)}}.approx
// CHECK-NOT: call
// CHECK: ret;
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %5 = arith.divf %v, %v : f32
  %6 = math.sqrt %5 : f32
  %rs = math.rsqrt %6 : f32
  %7 = math.erf %rs : f32
  %8 = math.tanh %7 : f32
  %9 = math.log10 %8 : f32
  %10 = math.sin %9 : f32
  %11 = math.powf %10, %v : f32
  %12 = math.cbrt %11 : f32
  %13 = arith.remf %12, %v : f32
  tile.store %x, %13 : !tile.ptr<f32>
  return
}

//--- wide.mlir
// CHECK-NOT: .extern .func
// CHECK-NOT: {{(add|sub|mul)}}.f64
// CHECK: fma.rn.f64
// CHECK-NOT: {{(add|sub|mul)}}.f64
// CHECK-NOT: call
// CHECK: ret;
func.func @k(%x: !tile.ptr<f64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f64>
  %0 = math.exp %v fastmath<afn> : f64
  %1 = math.log %0 : f64
  %2 = math.sin %1 : f64
  %3 = math.erf %2 : f64
  %4 = math.powf %3, %v : f64
  tile.store %x, %4 : !tile.ptr<f64>
  return
}

//--- half.mlir
// CHECK: cvt.f32.f16
// CHECK: fma.rn.f32
// CHECK: cvt.rn.f16.f32
func.func @k(%x: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f16>
  %0 = math.exp %v : f16
  tile.store %x, %0 : !tile.ptr<f16>
  return
}

//--- contract.mlir
// CHECK-NOT: mul
// CHECK: fma.rn.f32
// CHECK-NOT: add.{{.*}}f32
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.mulf %v, %v : f32
  %1 = arith.addf %0, %v : f32
  tile.store %x, %1 : !tile.ptr<f32>
  return
}

//--- rounded.mlir
// The operations of composed functions stay unchanged: they compute errors of rounded products.
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = arith.mulf %v, %v {rounded} : f32
  %1 = arith.addf %0, %v {rounded} : f32
  tile.store %x, %1 : !tile.ptr<f32>
  return
}
