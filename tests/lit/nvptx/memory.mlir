// PTX of accesses: widths, predicates, cache hints, the entry's signature.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/masked.mlir | FileCheck %t/masked.mlir
// RUN: tile-nvptx %t/hints.mlir | FileCheck %t/hints.mlir
// RUN: tile-nvptx %t/hints.mlir --arch=sm_75 | FileCheck %t/hints.mlir --check-prefix=OLD --implicit-check-not=L2::
// RUN: tile-nvptx %t/half.mlir --num-warps=1 | FileCheck %t/half.mlir
// RUN: tile-nvptx %t/selected.mlir | FileCheck %t/selected.mlir
// RUN: tile-nvptx %t/masked.mlir --metadata | FileCheck %t/masked.mlir --check-prefix=META

//--- masked.mlir
// CHECK: .version 7.4
// CHECK: .target sm_80
// CHECK: .visible .entry masked(
// CHECK-NEXT: .param .u64 .ptr .global .align 16 masked_param_0,
// CHECK-NEXT: .param .u32 masked_param_1
// CHECK: .reqntid 128, 1, 1
// CHECK: @%p{{[0-9]+}} ld.global.v4.b32 {
// CHECK-NOT: ld.global
// CHECK: @%p{{[0-9]+}} st.global.v4.b32 [
// CHECK-NOT: st.global
// META: kernel masked
// META-NEXT: arch sm_80
// META-NEXT: shared 0
// META-NEXT: threads 128
// META-NEXT: parameter pointer 64 x_ptr
// META-NEXT: parameter integer 32 n
func.func @masked(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x_ptr"}, %n: i32 {tile.divisibility = 16 : i64, tile.name = "n"}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %o = arith.constant dense<1.0> : tensor<512xf32>
  %v = tile.load %p mask %m other %o : tensor<512x!tile.ptr<f32>>
  %s = arith.mulf %v, %v : tensor<512xf32>
  tile.store %p, %s mask %m : tensor<512x!tile.ptr<f32>>
  return
}

//--- selected.mlir
// A mask that cannot tell a thread's four elements apart is compared once, also where values are selected by it.
// CHECK: setp.lt.s32
// CHECK-NOT: setp
// CHECK-COUNT-4: selp.f32
// CHECK: ret;
func.func @selected(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %o = arith.constant dense<1.0> : tensor<512xf32>
  %v = tile.load %p : tensor<512x!tile.ptr<f32>>
  %d = arith.divf %o, %v : tensor<512xf32>
  %s = arith.select %m, %d, %v : tensor<512xi1>, tensor<512xf32>
  tile.store %p, %s : tensor<512x!tile.ptr<f32>>
  return
}

//--- hints.mlir
// PTX takes a cache operator or an eviction policy, not both. From sm_80 on the policy is of the L2 cache, too, as an
// operand, which is made once.
// CHECK: ld.global.cg.v4.b32
// CHECK: ld.volatile.global.v4.b32
// CHECK: createpolicy.fractional.L2::evict_last.b64 [[LAST:%rd[0-9]+]], 1.0;
// CHECK: ld.global.L1::evict_last.L2::cache_hint.v4.b32 {{{.*}}}, [%rd{{[0-9]+}}], [[LAST]];
// CHECK: st.global.cs.v4.b32
// CHECK: createpolicy.fractional.L2::evict_first.b64 [[FIRST:%rd[0-9]+]], 1.0;
// CHECK: st.global.L1::evict_first.L2::cache_hint.v4.b32 [%rd{{[0-9]+}}], {{{.*}}}, [[FIRST]];
// CHECK-NOT: createpolicy
// CHECK: @%p{{[0-9]+}} st.global.L1::evict_first.L2::cache_hint.v4.b32 [%rd{{[0-9]+}}], {{{.*}}}, [[FIRST]];
// OLD: ld.global.L1::evict_last.v4.b32
// OLD: st.global.L1::evict_first.v4.b32
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %when: i1) attributes {tile.kernel} {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %t = arith.constant dense<true> : tensor<512xi1>
  %v = tile.load %p {cache = #tile<cache cg>, evict = #tile<evict evict_first>} : tensor<512x!tile.ptr<f32>>
  %w = tile.load %p mask %t volatile : tensor<512x!tile.ptr<f32>>
  %s = arith.mulf %v, %w : tensor<512xf32>
  %n = tile.splat %when : i1 -> tensor<512xi1>
  %l = tile.load %p mask %n {evict = #tile<evict evict_last>} : tensor<512x!tile.ptr<f32>>
  tile.store %p, %s {cache = #tile<cache cs>} : tensor<512x!tile.ptr<f32>>
  tile.store %p, %v {evict = #tile<evict evict_first>} : tensor<512x!tile.ptr<f32>>
  tile.store %p, %l mask %n {evict = #tile<evict evict_first>} : tensor<512x!tile.ptr<f32>>
  return
}

//--- half.mlir
// Eight halves are one 16-byte access, and an unmasked access needs no predicate.
// CHECK: .reqntid 32, 1, 1
// CHECK: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
// CHECK-NOT: st.global
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %pi = tile.make_range 0 to 256 : tensor<256xi32>
  %ps = tile.splat %x : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %p = tile.addptr %ps, %pi : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %pv = tile.load %p : tensor<256x!tile.ptr<f16>>
  %s = arith.addf %pv, %pv : tensor<256xf16>
  tile.store %p, %s : tensor<256x!tile.ptr<f16>>
  return
}
