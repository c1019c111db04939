// The matrix instructions of products, by type, precision, shape and architecture.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/f16.mlir --arch=sm_75 | FileCheck %t/f16.mlir --check-prefix=TURING
// RUN: tile-nvptx %t/f16.mlir --arch=sm_80 | FileCheck %t/f16.mlir
// RUN: tile-nvptx %t/f16-accumulator.mlir --arch=sm_75 | FileCheck %t/f16-accumulator.mlir --check-prefix=TURING
// RUN: tile-nvptx %t/f16-accumulator.mlir --arch=sm_80 | FileCheck %t/f16-accumulator.mlir
// RUN: tile-nvptx %t/bf16.mlir --arch=sm_75 | FileCheck %t/bf16.mlir --check-prefix=TURING
// RUN: tile-nvptx %t/bf16.mlir --arch=sm_80 | FileCheck %t/bf16.mlir
// RUN: tile-nvptx %t/bf16-short.mlir --arch=sm_80 | FileCheck %t/bf16-short.mlir
// RUN: tile-nvptx %t/bf16-to-f16.mlir --arch=sm_80 | FileCheck %t/bf16-to-f16.mlir
// RUN: tile-nvptx %t/tf32.mlir --arch=sm_75 | FileCheck %t/tf32.mlir --check-prefix=TURING
// RUN: tile-nvptx %t/tf32.mlir --arch=sm_80 | FileCheck %t/tf32.mlir
// RUN: tile-nvptx %t/tf32x3.mlir --arch=sm_80 | FileCheck %t/tf32x3.mlir
// RUN: tile-nvptx %t/bf16x3.mlir --arch=sm_80 | FileCheck %t/bf16x3.mlir
// RUN: tile-nvptx %t/bf16x6.mlir --arch=sm_80 | FileCheck %t/bf16x6.mlir
// RUN: tile-nvptx %t/ieee.mlir --arch=sm_80 | FileCheck %t/ieee.mlir
// RUN: tile-nvptx %t/i8.mlir --arch=sm_75 | FileCheck %t/i8.mlir --check-prefix=TURING
// RUN: tile-nvptx %t/i8.mlir --arch=sm_80 | FileCheck %t/i8.mlir
// RUN: tile-nvptx %t/f64.mlir --arch=sm_75 | FileCheck %t/f64.mlir --check-prefix=TURING
// RUN: tile-nvptx %t/f64.mlir --arch=sm_80 | FileCheck %t/f64.mlir
// RUN: tile-nvptx %t/f64.mlir --arch=sm_90 | FileCheck %t/f64.mlir --check-prefix=HOPPER
// RUN: tile-nvptx %t/f64-small.mlir --arch=sm_90 | FileCheck %t/f64-small.mlir --check-prefix=HOPPER
// RUN: tile-nvptx %t/f8.mlir --arch=sm_80 | FileCheck %t/f8.mlir
// RUN: tile-nvptx %t/f8.mlir --arch=sm_89 | FileCheck %t/f8.mlir --check-prefix=ADA
// RUN: tile-nvptx %t/f8-other.mlir --arch=sm_89 | FileCheck %t/f8-other.mlir --check-prefix=ADA
// RUN: tile-nvptx %t/tiny.mlir --arch=sm_80 | FileCheck %t/tiny.mlir
// RUN: tile-nvptx %t/short.mlir --arch=sm_80 | FileCheck %t/short.mlir
// RUN: tile-nvptx %t/batches.mlir --arch=sm_80 | FileCheck %t/batches.mlir
// RUN: tile-nvptx %t/batches-ieee.mlir --arch=sm_80 | FileCheck %t/batches-ieee.mlir

//--- f16.mlir
// 32×32×32 on four warps: two fragments of columns in each.
// TURING-COUNT-8: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// TURING-NOT: mma.sync
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f16>>
  %a = tile.reshape %av : tensor<1024xf16> -> tensor<32x32xf16>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f16>>
  %b = tile.reshape %bv : tensor<1024xf16> -> tensor<32x32xf16>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- f16-accumulator.mlir
// Accumulators of f16, two in a register.
// TURING-COUNT-8: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16
// TURING-NOT: mma.sync
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f16>>
  %a = tile.reshape %av : tensor<1024xf16> -> tensor<32x32xf16>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f16>>
  %b = tile.reshape %bv : tensor<1024xf16> -> tensor<32x32xf16>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f16>>
  %c = tile.reshape %cv : tensor<1024xf16> -> tensor<32x32xf16>
  %d = tile.dot %a, %b, %c : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf16>
  %dv = tile.reshape %d : tensor<32x32xf16> -> tensor<1024xf16>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f16>>
  return
}

//--- bf16.mlir
// sm_75 has no bf16: multiply-adds in f32.
// TURING-NOT: mma.sync
// TURING: fma.rn.f32
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<bf16>>
  %a = tile.reshape %av : tensor<1024xbf16> -> tensor<32x32xbf16>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<bf16>>
  %b = tile.reshape %bv : tensor<1024xbf16> -> tensor<32x32xbf16>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c : tensor<32x32xbf16>, tensor<32x32xbf16> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- bf16-short.mlir
// The shape that wastes the least.
// CHECK-COUNT-2: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 256 : tensor<256xi32>
  %as = tile.splat %x : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %ap = tile.addptr %as, %ai : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %av = tile.load %ap : tensor<256x!tile.ptr<bf16>>
  %a = tile.reshape %av : tensor<256xbf16> -> tensor<32x8xbf16>
  %bi = tile.make_range 0 to 256 : tensor<256xi32>
  %bs = tile.splat %y : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %bp = tile.addptr %bs, %bi : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %bv = tile.load %bp : tensor<256x!tile.ptr<bf16>>
  %b = tile.reshape %bv : tensor<256xbf16> -> tensor<8x32xbf16>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c : tensor<32x8xbf16>, tensor<8x32xbf16> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- bf16-to-f16.mlir
// No such accumulator: f32, rounded once at the end.
// CHECK: m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: cvt.rn.f16x2.f32
func.func @k(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<bf16>>
  %a = tile.reshape %av : tensor<1024xbf16> -> tensor<32x32xbf16>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<bf16>>
  %b = tile.reshape %bv : tensor<1024xbf16> -> tensor<32x32xbf16>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f16>>
  %c = tile.reshape %cv : tensor<1024xf16> -> tensor<32x32xf16>
  %d = tile.dot %a, %b, %c : tensor<32x32xbf16>, tensor<32x32xbf16> -> tensor<32x32xf16>
  %dv = tile.reshape %d : tensor<32x32xf16> -> tensor<1024xf16>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f16>>
  return
}

//--- tf32.mlir
// TURING-NOT: mma.sync
// TURING: fma.rn.f32
// CHECK: cvt.rna.tf32.f32
// CHECK-COUNT-8: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<1024xf32> -> tensor<32x32xf32>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<1024xf32> -> tensor<32x32xf32>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c precision tf32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- tf32x3.mlir
// Three products; the smallest is added first.
// CHECK: cvt.rna.tf32.f32
// CHECK: sub{{(.rn)?}}.f32
// CHECK-COUNT-24: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<1024xf32> -> tensor<32x32xf32>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<1024xf32> -> tensor<32x32xf32>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c precision tf32x3 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- bf16x3.mlir
// CHECK: sub{{(.rn)?}}.f32
// CHECK-COUNT-12: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<1024xf32> -> tensor<32x32xf32>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<1024xf32> -> tensor<32x32xf32>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c precision bf16x3 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- bf16x6.mlir
// CHECK: sub{{(.rn)?}}.f32
// CHECK-COUNT-24: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<1024xf32> -> tensor<32x32xf32>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<1024xf32> -> tensor<32x32xf32>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c precision bf16x6 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- ieee.mlir
// CHECK-NOT: mma.sync
// CHECK: fma.rn.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<1024xf32> -> tensor<32x32xf32>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<1024xf32> -> tensor<32x32xf32>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- i8.mlir
// TURING-COUNT-8: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
// TURING-NOT: mma.sync
// CHECK-COUNT-2: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i8> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<i8>>
  %a = tile.reshape %av : tensor<1024xi8> -> tensor<32x32xi8>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<i8>>
  %b = tile.reshape %bv : tensor<1024xi8> -> tensor<32x32xi8>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<i32>>
  %c = tile.reshape %cv : tensor<1024xi32> -> tensor<32x32xi32>
  %d = tile.dot %a, %b, %c : tensor<32x32xi8>, tensor<32x32xi8> -> tensor<32x32xi32>
  %dv = tile.reshape %d : tensor<32x32xi32> -> tensor<1024xi32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<i32>>
  return
}

//--- f64.mlir
// Larger shapes came with sm_90.
// TURING-NOT: mma.sync
// TURING: fma.rn.f64
// CHECK-COUNT-32: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// CHECK-NOT: mma.sync
// HOPPER-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64
// HOPPER-NOT: mma.sync
func.func @k(%x: !tile.ptr<f64> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f64> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f64> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f64> -> tensor<1024x!tile.ptr<f64>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f64>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f64>>
  %a = tile.reshape %av : tensor<1024xf64> -> tensor<32x32xf64>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f64> -> tensor<1024x!tile.ptr<f64>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f64>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f64>>
  %b = tile.reshape %bv : tensor<1024xf64> -> tensor<32x32xf64>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f64> -> tensor<1024x!tile.ptr<f64>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f64>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f64>>
  %c = tile.reshape %cv : tensor<1024xf64> -> tensor<32x32xf64>
  %d = tile.dot %a, %b, %c : tensor<32x32xf64>, tensor<32x32xf64> -> tensor<32x32xf64>
  %dv = tile.reshape %d : tensor<32x32xf64> -> tensor<1024xf64>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f64>>
  return
}

//--- f64-small.mlir
// HOPPER-COUNT-1: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// HOPPER-NOT: mma.sync
func.func @k(%x: !tile.ptr<f64> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f64> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f64> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 32 : tensor<32xi32>
  %as = tile.splat %x : !tile.ptr<f64> -> tensor<32x!tile.ptr<f64>>
  %ap = tile.addptr %as, %ai : tensor<32x!tile.ptr<f64>>, tensor<32xi32>
  %av = tile.load %ap : tensor<32x!tile.ptr<f64>>
  %a = tile.reshape %av : tensor<32xf64> -> tensor<8x4xf64>
  %bi = tile.make_range 0 to 32 : tensor<32xi32>
  %bs = tile.splat %y : !tile.ptr<f64> -> tensor<32x!tile.ptr<f64>>
  %bp = tile.addptr %bs, %bi : tensor<32x!tile.ptr<f64>>, tensor<32xi32>
  %bv = tile.load %bp : tensor<32x!tile.ptr<f64>>
  %b = tile.reshape %bv : tensor<32xf64> -> tensor<4x8xf64>
  %ci = tile.make_range 0 to 64 : tensor<64xi32>
  %cs = tile.splat %z : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>>
  %cp = tile.addptr %cs, %ci : tensor<64x!tile.ptr<f64>>, tensor<64xi32>
  %cv = tile.load %cp : tensor<64x!tile.ptr<f64>>
  %c = tile.reshape %cv : tensor<64xf64> -> tensor<8x8xf64>
  %d = tile.dot %a, %b, %c : tensor<8x4xf64>, tensor<4x8xf64> -> tensor<8x8xf64>
  %dv = tile.reshape %d : tensor<8x8xf64> -> tensor<64xf64>
  tile.store %cp, %dv : tensor<64x!tile.ptr<f64>>
  return
}

//--- f8.mlir
// Before sm_89 they become f16, which holds them all.
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
// ADA-COUNT-2: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
// ADA-NOT: mma.sync
func.func @k(%x: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f8E5M2> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f8E4M3FN> -> tensor<1024x!tile.ptr<f8E4M3FN>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f8E4M3FN>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f8E4M3FN>>
  %a = tile.reshape %av : tensor<1024xf8E4M3FN> -> tensor<32x32xf8E4M3FN>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f8E5M2> -> tensor<1024x!tile.ptr<f8E5M2>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f8E5M2>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f8E5M2>>
  %b = tile.reshape %bv : tensor<1024xf8E5M2> -> tensor<32x32xf8E5M2>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c : tensor<32x32xf8E4M3FN>, tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- f8-other.mlir
// Formats that no instruction supports become f16.
// ADA-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// ADA-NOT: mma.sync
func.func @k(%x: !tile.ptr<f8E4M3FNUZ> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f8E5M2FNUZ> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 1024 : tensor<1024xi32>
  %as = tile.splat %x : !tile.ptr<f8E4M3FNUZ> -> tensor<1024x!tile.ptr<f8E4M3FNUZ>>
  %ap = tile.addptr %as, %ai : tensor<1024x!tile.ptr<f8E4M3FNUZ>>, tensor<1024xi32>
  %av = tile.load %ap : tensor<1024x!tile.ptr<f8E4M3FNUZ>>
  %a = tile.reshape %av : tensor<1024xf8E4M3FNUZ> -> tensor<32x32xf8E4M3FNUZ>
  %bi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %bs = tile.splat %y : !tile.ptr<f8E5M2FNUZ> -> tensor<1024x!tile.ptr<f8E5M2FNUZ>>
  %bp = tile.addptr %bs, %bi : tensor<1024x!tile.ptr<f8E5M2FNUZ>>, tensor<1024xi32>
  %bv = tile.load %bp : tensor<1024x!tile.ptr<f8E5M2FNUZ>>
  %b = tile.reshape %bv : tensor<1024xf8E5M2FNUZ> -> tensor<32x32xf8E5M2FNUZ>
  %ci = tile.make_range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %cv = tile.load %cp : tensor<1024x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1024xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %c : tensor<32x32xf8E4M3FNUZ>, tensor<32x32xf8E5M2FNUZ> -> tensor<32x32xf32>
  %dv = tile.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  tile.store %cp, %dv : tensor<1024x!tile.ptr<f32>>
  return
}

//--- tiny.mlir
// One row and column: the rest of the fragments repeats them.
// CHECK-COUNT-1: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 16 : tensor<16xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %ap = tile.addptr %as, %ai : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
  %av = tile.load %ap : tensor<16x!tile.ptr<f16>>
  %a = tile.reshape %av : tensor<16xf16> -> tensor<1x16xf16>
  %bi = tile.make_range 0 to 16 : tensor<16xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %bi : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
  %bv = tile.load %bp : tensor<16x!tile.ptr<f16>>
  %b = tile.reshape %bv : tensor<16xf16> -> tensor<16x1xf16>
  %ci = tile.make_range 0 to 1 : tensor<1xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<1x!tile.ptr<f32>>, tensor<1xi32>
  %cv = tile.load %cp : tensor<1x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<1xf32> -> tensor<1x1xf32>
  %d = tile.dot %a, %b, %c : tensor<1x16xf16>, tensor<16x1xf16> -> tensor<1x1xf32>
  %dv = tile.reshape %d : tensor<1x1xf32> -> tensor<1xf32>
  tile.store %cp, %dv : tensor<1x!tile.ptr<f32>>
  return
}

//--- short.mlir
// A k that is shorter than any instruction's is filled with zeros.
// CHECK: selp
// CHECK-COUNT-1: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 64 : tensor<64xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %ai : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %av = tile.load %ap : tensor<64x!tile.ptr<f16>>
  %a = tile.reshape %av : tensor<64xf16> -> tensor<16x4xf16>
  %bi = tile.make_range 0 to 32 : tensor<32xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %bi : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
  %bv = tile.load %bp : tensor<32x!tile.ptr<f16>>
  %b = tile.reshape %bv : tensor<32xf16> -> tensor<4x8xf16>
  %ci = tile.make_range 0 to 128 : tensor<128xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %cv = tile.load %cp : tensor<128x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<128xf32> -> tensor<16x8xf32>
  %d = tile.dot %a, %b, %c : tensor<16x4xf16>, tensor<4x8xf16> -> tensor<16x8xf32>
  %dv = tile.reshape %d : tensor<16x8xf32> -> tensor<128xf32>
  tile.store %cp, %dv : tensor<128x!tile.ptr<f32>>
  return
}

//--- batches.mlir
// Eight products on four warps: two in each, 2·2·2 instructions for one.
// CHECK-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 8192 : tensor<8192xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<8192x!tile.ptr<f16>>
  %ap = tile.addptr %as, %ai : tensor<8192x!tile.ptr<f16>>, tensor<8192xi32>
  %av = tile.load %ap : tensor<8192x!tile.ptr<f16>>
  %a = tile.reshape %av : tensor<8192xf16> -> tensor<8x32x32xf16>
  %bi = tile.make_range 0 to 4096 : tensor<4096xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %bi : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %bv = tile.load %bp : tensor<4096x!tile.ptr<f16>>
  %b = tile.reshape %bv : tensor<4096xf16> -> tensor<8x32x16xf16>
  %ci = tile.make_range 0 to 4096 : tensor<4096xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %cv = tile.load %cp : tensor<4096x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<4096xf32> -> tensor<8x32x16xf32>
  %d = tile.dot %a, %b, %c : tensor<8x32x32xf16>, tensor<8x32x16xf16> -> tensor<8x32x16xf32>
  %dv = tile.reshape %d : tensor<8x32x16xf32> -> tensor<4096xf32>
  tile.store %cp, %dv : tensor<4096x!tile.ptr<f32>>
  return
}

//--- batches-ieee.mlir
// CHECK-NOT: mma.sync
// CHECK: fma.rn.f32
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
             %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ai = tile.make_range 0 to 8192 : tensor<8192xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %av = tile.load %ap : tensor<8192x!tile.ptr<f32>>
  %a = tile.reshape %av : tensor<8192xf32> -> tensor<8x32x32xf32>
  %bi = tile.make_range 0 to 4096 : tensor<4096xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %bi : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %bv = tile.load %bp : tensor<4096x!tile.ptr<f32>>
  %b = tile.reshape %bv : tensor<4096xf32> -> tensor<8x32x16xf32>
  %ci = tile.make_range 0 to 4096 : tensor<4096xi32>
  %cs = tile.splat %z : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %ci : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %cv = tile.load %cp : tensor<4096x!tile.ptr<f32>>
  %c = tile.reshape %cv : tensor<4096xf32> -> tensor<8x32x16xf32>
  %d = tile.dot %a, %b, %c : tensor<8x32x32xf32>, tensor<8x32x16xf32> -> tensor<8x32x16xf32>
  %dv = tile.reshape %d : tensor<8x32x16xf32> -> tensor<4096xf32>
  tile.store %cp, %dv : tensor<4096x!tile.ptr<f32>>
  return
}
