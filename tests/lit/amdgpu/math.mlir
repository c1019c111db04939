// Fast forms are the hardware's units; accurate ones call no library and use none of them.
// RUN: split-file %s %t
// RUN: tile-amdgpu %t/fast.mlir | FileCheck %t/fast.mlir
// RUN: tile-amdgpu %t/fast.mlir --arch=gfx1100 | FileCheck %t/fast.mlir
// RUN: tile-amdgpu %t/accurate.mlir --emit=llvm | FileCheck %t/accurate.mlir
// RUN: tile-amdgpu %t/accurate.mlir --arch=gfx1200 --emit=hsaco -o %t/accurate.hsaco
// RUN: tile-amdgpu %t/once.mlir --emit=llvm | FileCheck %t/once.mlir
// RUN: not tile-amdgpu %t/none.mlir 2>&1 | FileCheck %t/none.mlir

//--- fast.mlir
// CHECK: fast:
// CHECK: v_exp_f32
// CHECK-DAG: v_rsq_f32
// CHECK-DAG: v_sqrt_f32
// CHECK-DAG: v_log_f32
// CHECK-DAG: v_rcp_f32
// CHECK-DAG: v_fract_f32
// CHECK: v_sin_f32
// CHECK: s_endpgm
func.func @fast(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.exp2 %v fastmath<afn> : f32
  %1 = math.rsqrt %0 fastmath<afn> : f32
  %2 = math.sqrt %1 fastmath<afn> : f32
  %3 = math.log2 %2 fastmath<afn> : f32
  %4 = arith.divf %3, %v fastmath<afn> : f32
  %5 = math.sin %4 fastmath<afn> : f32
  tile.store %x, %5 : !tile.ptr<f32>
  return
}

//--- accurate.mlir
// CHECK: define amdgpu_kernel void @accurate(
// CHECK-NOT: llvm.amdgcn.{{exp2|log|rcp|rsq|sqrt|sin|cos}}
// CHECK-NOT: call float @llvm.{{exp|log|sin|cos|pow}}
// CHECK: ret void
func.func @accurate(%x: !tile.ptr<f32>, %y: !tile.ptr<f64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.exp %v : f32
  %1 = math.log %0 : f32
  %2 = math.sin %1 : f32
  %3 = math.tanh %2 : f32
  %4 = math.erf %3 : f32
  %5 = math.powf %4, %v : f32
  tile.store %x, %5 : !tile.ptr<f32>
  %w = tile.load %y : !tile.ptr<f64>
  %6 = math.exp %w : f64
  %7 = math.cos %6 : f64
  %8 = math.sqrt %7 : f64
  tile.store %y, %8 : !tile.ptr<f64>
  return
}

//--- once.mlir
// fma of bfloat16 goes through float64; one that may be a product and a sum stays LLVM's. Quotients
// of float64 by a number that is all ones are one step up where LLVM's are powers of two.
// CHECK: define amdgpu_kernel void @once(
// CHECK: fpext bfloat {{.*}} to double
// CHECK: fmul double
// CHECK: fptrunc double {{.*}} to bfloat
// CHECK: call contract bfloat @llvm.fma.bf16(
// CHECK: %[[QUOTIENT:.*]] = fdiv double
// CHECK: %[[BITS:.*]] = bitcast double %[[QUOTIENT]] to i64
// CHECK: icmp eq i64 {{.*}}, 4503599627370495
// CHECK: add i64 {{.*}}%[[BITS]]
// CHECK: fdiv afn double
// CHECK-NOT: 4503599627370495
// CHECK: ret void
func.func @once(%x: !tile.ptr<bf16>, %y: !tile.ptr<f64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<bf16>
  %0 = math.fma %v, %v, %v : bf16
  %1 = math.fma %0, %v, %v fastmath<contract> : bf16
  tile.store %x, %1 : !tile.ptr<bf16>
  %w = tile.load %y : !tile.ptr<f64>
  %one = arith.constant 1.0 : f64
  %2 = arith.divf %one, %w : f64
  %3 = arith.divf %2, %w fastmath<afn> : f64
  tile.store %y, %3 : !tile.ptr<f64>
  return
}

//--- none.mlir
// CHECK: none.mlir:[[@LINE+3]]:{{.*}} error: 'math.ipowi' on 'i32' is not supported on hip:gfx942; use one of the functions that docs/math.md lists
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  %w = math.ipowi %v, %v : i32
  tile.store %x, %w : !tile.ptr<i32>
  return
}
