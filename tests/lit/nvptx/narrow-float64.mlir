// float64 becomes a narrow float without a first rounding to nearest; isinf is a comparison.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/cut.mlir | FileCheck %t/cut.mlir
// RUN: tile-nvptx --arch=sm_90a %t/odd.mlir | FileCheck %t/odd.mlir
// RUN: tile-nvptx %t/isinf.mlir | FileCheck %t/isinf.mlir

//--- cut.mlir
// CHECK: cvt.rz.f32.f64
// CHECK-NOT: cvt.rn.f32.f64
// CHECK: cvt.rz.f16.f32
func.func @k(%x: !tile.ptr<f64>, %o: !tile.ptr<f16>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f64>
  %0 = tile.fp_cast %v rounding rtz : f64 -> f16
  tile.store %o, %0 : !tile.ptr<f16>
  return
}

//--- odd.mlir
// CHECK: cvt.rz.f32.f64
// CHECK: cvt.f64.f32
// CHECK: setp.neu.f64
// CHECK: cvt.rn.satfinite.e5m2x2.f32
func.func @k(%x: !tile.ptr<f64>, %o: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f64>
  %0 = tile.fp_cast %v : f64 -> f8E5M2
  tile.store %o, %0 : !tile.ptr<f8E5M2>
  return
}

//--- isinf.mlir
// CHECK: abs.f32
// CHECK: setp.eq.f32 {{.*}}, 0f7F800000
func.func @k(%x: !tile.ptr<f32>, %o: !tile.ptr<i8>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.isinf %v : f32
  %1 = arith.extui %0 : i1 to i8
  tile.store %o, %1 : !tile.ptr<i8>
  return
}
