// Each operand type has its matrix instruction; full-precision f32 is multiply-adds.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/f16.mlir | FileCheck %t/f16.mlir
// RUN: tile-nvptx %t/f16.mlir --arch=sm_75 | FileCheck %t/f16.mlir --check-prefix=TURING
// RUN: tile-nvptx %t/bf16.mlir | FileCheck %t/bf16.mlir
// RUN: tile-nvptx %t/tf32.mlir | FileCheck %t/tf32.mlir
// RUN: tile-nvptx %t/ieee.mlir | FileCheck %t/ieee.mlir
// RUN: tile-nvptx %t/i8.mlir | FileCheck %t/i8.mlir
// RUN: tile-nvptx %t/f64.mlir | FileCheck %t/f64.mlir
// RUN: tile-nvptx %t/f8.mlir --arch=sm_89 | FileCheck %t/f8.mlir

//--- f16.mlir
// 32×32×32 on four warps: one fragment of rows, two of columns, two steps along k.
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: mma.sync
// TURING: .target sm_75
// TURING-COUNT-8: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// TURING-NOT: mma.sync
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 32 : tensor<32xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<32x1xi32>
  %arm = arith.muli %are, %ak : tensor<32x1xi32>
  %arb = tile.broadcast %arm : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ai = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %a = tile.addptr %as, %ai : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %av = tile.load %a : tensor<32x32x!tile.ptr<f16>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 32 : tensor<32xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bk = arith.constant dense<32> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tile.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tile.splat %y : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %b = tile.addptr %bs, %bi : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %bv = tile.load %b : tensor<32x32x!tile.ptr<f16>>
  %or = tile.make_range 0 to 32 : tensor<32xi32>
  %oc = tile.make_range 0 to 32 : tensor<32xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ok = arith.constant dense<32> : tensor<32x1xi32>
  %orm = arith.muli %ore, %ok : tensor<32x1xi32>
  %orb = tile.broadcast %orm : tensor<32x1xi32> -> tensor<32x32xi32>
  %ocb = tile.broadcast %oce : tensor<1x32xi32> -> tensor<32x32xi32>
  %oi = arith.addi %orb, %ocb : tensor<32x32xi32>
  %os = tile.splat %z : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %o = tile.addptr %os, %oi : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %av, %bv, %c : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  tile.store %o, %d : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- bf16.mlir
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 32 : tensor<32xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<32x1xi32>
  %arm = arith.muli %are, %ak : tensor<32x1xi32>
  %arb = tile.broadcast %arm : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ai = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tile.splat %x : !tile.ptr<bf16> -> tensor<32x32x!tile.ptr<bf16>>
  %a = tile.addptr %as, %ai : tensor<32x32x!tile.ptr<bf16>>, tensor<32x32xi32>
  %av = tile.load %a : tensor<32x32x!tile.ptr<bf16>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 32 : tensor<32xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bk = arith.constant dense<32> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tile.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tile.splat %y : !tile.ptr<bf16> -> tensor<32x32x!tile.ptr<bf16>>
  %b = tile.addptr %bs, %bi : tensor<32x32x!tile.ptr<bf16>>, tensor<32x32xi32>
  %bv = tile.load %b : tensor<32x32x!tile.ptr<bf16>>
  %or = tile.make_range 0 to 32 : tensor<32xi32>
  %oc = tile.make_range 0 to 32 : tensor<32xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ok = arith.constant dense<32> : tensor<32x1xi32>
  %orm = arith.muli %ore, %ok : tensor<32x1xi32>
  %orb = tile.broadcast %orm : tensor<32x1xi32> -> tensor<32x32xi32>
  %ocb = tile.broadcast %oce : tensor<1x32xi32> -> tensor<32x32xi32>
  %oi = arith.addi %orb, %ocb : tensor<32x32xi32>
  %os = tile.splat %z : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %o = tile.addptr %os, %oi : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %av, %bv, %c : tensor<32x32xbf16>, tensor<32x32xbf16> -> tensor<32x32xf32>
  tile.store %o, %d : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- tf32.mlir
// CHECK: cvt.rna.tf32.f32
// CHECK-COUNT-8: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 32 : tensor<32xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<32x1xi32>
  %arm = arith.muli %are, %ak : tensor<32x1xi32>
  %arb = tile.broadcast %arm : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ai = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %a = tile.addptr %as, %ai : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %av = tile.load %a : tensor<32x32x!tile.ptr<f32>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 32 : tensor<32xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bk = arith.constant dense<32> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tile.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %b = tile.addptr %bs, %bi : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %bv = tile.load %b : tensor<32x32x!tile.ptr<f32>>
  %or = tile.make_range 0 to 32 : tensor<32xi32>
  %oc = tile.make_range 0 to 32 : tensor<32xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ok = arith.constant dense<32> : tensor<32x1xi32>
  %orm = arith.muli %ore, %ok : tensor<32x1xi32>
  %orb = tile.broadcast %orm : tensor<32x1xi32> -> tensor<32x32xi32>
  %ocb = tile.broadcast %oce : tensor<1x32xi32> -> tensor<32x32xi32>
  %oi = arith.addi %orb, %ocb : tensor<32x32xi32>
  %os = tile.splat %z : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %o = tile.addptr %os, %oi : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %av, %bv, %c precision tf32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store %o, %d : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- ieee.mlir
// CHECK-NOT: mma.sync
// CHECK: fma.rn.f32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 32 : tensor<32xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<32x1xi32>
  %arm = arith.muli %are, %ak : tensor<32x1xi32>
  %arb = tile.broadcast %arm : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ai = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %a = tile.addptr %as, %ai : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %av = tile.load %a : tensor<32x32x!tile.ptr<f32>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 32 : tensor<32xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bk = arith.constant dense<32> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tile.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tile.splat %y : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %b = tile.addptr %bs, %bi : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %bv = tile.load %b : tensor<32x32x!tile.ptr<f32>>
  %or = tile.make_range 0 to 32 : tensor<32xi32>
  %oc = tile.make_range 0 to 32 : tensor<32xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ok = arith.constant dense<32> : tensor<32x1xi32>
  %orm = arith.muli %ore, %ok : tensor<32x1xi32>
  %orb = tile.broadcast %orm : tensor<32x1xi32> -> tensor<32x32xi32>
  %ocb = tile.broadcast %oce : tensor<1x32xi32> -> tensor<32x32xi32>
  %oi = arith.addi %orb, %ocb : tensor<32x32xi32>
  %os = tile.splat %z : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %o = tile.addptr %os, %oi : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %av, %bv, %c : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store %o, %d : tensor<32x32x!tile.ptr<f32>>
  return
}

//--- i8.mlir
// CHECK-COUNT-2: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT: mma.sync
func.func @k(%x: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %z: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 32 : tensor<32xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<32x1xi32>
  %arm = arith.muli %are, %ak : tensor<32x1xi32>
  %arb = tile.broadcast %arm : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ai = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tile.splat %x : !tile.ptr<i8> -> tensor<32x32x!tile.ptr<i8>>
  %a = tile.addptr %as, %ai : tensor<32x32x!tile.ptr<i8>>, tensor<32x32xi32>
  %av = tile.load %a : tensor<32x32x!tile.ptr<i8>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 32 : tensor<32xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bk = arith.constant dense<32> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tile.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tile.splat %y : !tile.ptr<i8> -> tensor<32x32x!tile.ptr<i8>>
  %b = tile.addptr %bs, %bi : tensor<32x32x!tile.ptr<i8>>, tensor<32x32xi32>
  %bv = tile.load %b : tensor<32x32x!tile.ptr<i8>>
  %or = tile.make_range 0 to 32 : tensor<32xi32>
  %oc = tile.make_range 0 to 32 : tensor<32xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ok = arith.constant dense<32> : tensor<32x1xi32>
  %orm = arith.muli %ore, %ok : tensor<32x1xi32>
  %orb = tile.broadcast %orm : tensor<32x1xi32> -> tensor<32x32xi32>
  %ocb = tile.broadcast %oce : tensor<1x32xi32> -> tensor<32x32xi32>
  %oi = arith.addi %orb, %ocb : tensor<32x32xi32>
  %os = tile.splat %z : !tile.ptr<i32> -> tensor<32x32x!tile.ptr<i32>>
  %o = tile.addptr %os, %oi : tensor<32x32x!tile.ptr<i32>>, tensor<32x32xi32>
  %c = arith.constant dense<0> : tensor<32x32xi32>
  %d = tile.dot %av, %bv, %c : tensor<32x32xi8>, tensor<32x32xi8> -> tensor<32x32xi32>
  tile.store %o, %d : tensor<32x32x!tile.ptr<i32>>
  return
}

//--- f64.mlir
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
func.func @k(%x: !tile.ptr<f64> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f64> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f64> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 32 : tensor<32xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<32x1xi32>
  %arm = arith.muli %are, %ak : tensor<32x1xi32>
  %arb = tile.broadcast %arm : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ai = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tile.splat %x : !tile.ptr<f64> -> tensor<32x32x!tile.ptr<f64>>
  %a = tile.addptr %as, %ai : tensor<32x32x!tile.ptr<f64>>, tensor<32x32xi32>
  %av = tile.load %a : tensor<32x32x!tile.ptr<f64>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 32 : tensor<32xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bk = arith.constant dense<32> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tile.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tile.splat %y : !tile.ptr<f64> -> tensor<32x32x!tile.ptr<f64>>
  %b = tile.addptr %bs, %bi : tensor<32x32x!tile.ptr<f64>>, tensor<32x32xi32>
  %bv = tile.load %b : tensor<32x32x!tile.ptr<f64>>
  %or = tile.make_range 0 to 32 : tensor<32xi32>
  %oc = tile.make_range 0 to 32 : tensor<32xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ok = arith.constant dense<32> : tensor<32x1xi32>
  %orm = arith.muli %ore, %ok : tensor<32x1xi32>
  %orb = tile.broadcast %orm : tensor<32x1xi32> -> tensor<32x32xi32>
  %ocb = tile.broadcast %oce : tensor<1x32xi32> -> tensor<32x32xi32>
  %oi = arith.addi %orb, %ocb : tensor<32x32xi32>
  %os = tile.splat %z : !tile.ptr<f64> -> tensor<32x32x!tile.ptr<f64>>
  %o = tile.addptr %os, %oi : tensor<32x32x!tile.ptr<f64>>, tensor<32x32xi32>
  %c = arith.constant dense<0.0> : tensor<32x32xf64>
  %d = tile.dot %av, %bv, %c : tensor<32x32xf64>, tensor<32x32xf64> -> tensor<32x32xf64>
  tile.store %o, %d : tensor<32x32x!tile.ptr<f64>>
  return
}

//--- f8.mlir
// CHECK: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
func.func @k(%x: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %ar = tile.make_range 0 to 32 : tensor<32xi32>
  %ac = tile.make_range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ak = arith.constant dense<32> : tensor<32x1xi32>
  %arm = arith.muli %are, %ak : tensor<32x1xi32>
  %arb = tile.broadcast %arm : tensor<32x1xi32> -> tensor<32x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<32x32xi32>
  %ai = arith.addi %arb, %acb : tensor<32x32xi32>
  %as = tile.splat %x : !tile.ptr<f8E4M3FN> -> tensor<32x32x!tile.ptr<f8E4M3FN>>
  %a = tile.addptr %as, %ai : tensor<32x32x!tile.ptr<f8E4M3FN>>, tensor<32x32xi32>
  %av = tile.load %a : tensor<32x32x!tile.ptr<f8E4M3FN>>
  %br = tile.make_range 0 to 32 : tensor<32xi32>
  %bc = tile.make_range 0 to 32 : tensor<32xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bk = arith.constant dense<32> : tensor<32x1xi32>
  %brm = arith.muli %bre, %bk : tensor<32x1xi32>
  %brb = tile.broadcast %brm : tensor<32x1xi32> -> tensor<32x32xi32>
  %bcb = tile.broadcast %bce : tensor<1x32xi32> -> tensor<32x32xi32>
  %bi = arith.addi %brb, %bcb : tensor<32x32xi32>
  %bs = tile.splat %y : !tile.ptr<f8E4M3FN> -> tensor<32x32x!tile.ptr<f8E4M3FN>>
  %b = tile.addptr %bs, %bi : tensor<32x32x!tile.ptr<f8E4M3FN>>, tensor<32x32xi32>
  %bv = tile.load %b : tensor<32x32x!tile.ptr<f8E4M3FN>>
  %or = tile.make_range 0 to 32 : tensor<32xi32>
  %oc = tile.make_range 0 to 32 : tensor<32xi32>
  %ore = tile.expand_dims %or axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %oce = tile.expand_dims %oc axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ok = arith.constant dense<32> : tensor<32x1xi32>
  %orm = arith.muli %ore, %ok : tensor<32x1xi32>
  %orb = tile.broadcast %orm : tensor<32x1xi32> -> tensor<32x32xi32>
  %ocb = tile.broadcast %oce : tensor<1x32xi32> -> tensor<32x32xi32>
  %oi = arith.addi %orb, %ocb : tensor<32x32xi32>
  %os = tile.splat %z : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %o = tile.addptr %os, %oi : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %av, %bv, %c : tensor<32x32xf8E4M3FN>, tensor<32x32xf8E4M3FN> -> tensor<32x32xf32>
  tile.store %o, %d : tensor<32x32x!tile.ptr<f32>>
  return
}
