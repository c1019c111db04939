// Accesses: widths, masks as branches (buffers.mlir has those that are none), cache hints, the entry's signature, hidden arguments.
// RUN: split-file %s %t
// RUN: tile-amdgpu %t/masked.mlir | FileCheck %t/masked.mlir --check-prefixes=CHECK,WAVE64
// RUN: tile-amdgpu %t/masked.mlir --arch=gfx1100 | FileCheck %t/masked.mlir --check-prefixes=CHECK,WAVE32
// RUN: tile-amdgpu %t/masked.mlir --metadata | FileCheck %t/masked.mlir --check-prefix=META
// RUN: tile-amdgpu %t/hints.mlir | FileCheck %t/hints.mlir
// RUN: tile-amdgpu %t/grouped.mlir --emit=llvm | FileCheck %t/grouped.mlir
// RUN: tile-amdgpu %t/programs.mlir | FileCheck %t/programs.mlir
// RUN: tile-amdgpu %t/programs.mlir --metadata | FileCheck %t/programs.mlir --check-prefix=META

//--- masked.mlir
// CHECK: .amdgcn_target "amdgcn-amd-amdhsa--gfx
// CHECK: .amdhsa_code_object_version 5
// CHECK: masked:
// WAVE64: buffer_load_dwordx4
// WAVE64: v_{{pk_mul|mul}}_f32
// WAVE64: buffer_store_dwordx4
// WAVE32: buffer_load_b128
// WAVE32: buffer_store_b128
// Nothing but the kernel's arguments.
// CHECK: .amdhsa_kernarg_size 12
// WAVE64: .amdhsa_next_free_vgpr
// WAVE32: .amdhsa_wavefront_size32 1
// CHECK: .max_flat_workgroup_size: {{256|128}}
// META: kernel masked
// META-NEXT: arch gfx942
// META-NEXT: shared 0
// META-NEXT: threads 256
// META-NEXT: wave 64
// META-NEXT: parameter pointer 64 x_ptr
// META-NEXT: parameter integer 32 n
// META-NOT: hidden
func.func @masked(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x_ptr"}, %n: i32 {tile.divisibility = 16 : i64, tile.name = "n"}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %o = arith.constant dense<1.0> : tensor<1024xf32>
  %v = tile.load %p mask %m other %o : tensor<1024x!tile.ptr<f32>>
  %s = arith.mulf %v, %v : tensor<1024xf32>
  tile.store %p, %s mask %m : tensor<1024x!tile.ptr<f32>>
  return
}

//--- hints.mlir
// Lines that are used once, what another device writes, writes through to memory.
// CHECK: global_load_dword {{.*}} nt
// CHECK: global_load_dword {{.*}} sc0 sc1
// CHECK: global_store_dword {{.*}} nt
// CHECK: global_store_dword {{.*}} sc0 sc1
func.func @hints(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %q = tile.addptr %ys, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %a = tile.load %p {evict = #tile<evict evict_first>} : tensor<256x!tile.ptr<i32>>
  %b = tile.load %q {cache = #tile<cache cv>} : tensor<256x!tile.ptr<i32>>
  %c = arith.addi %a, %b : tensor<256xi32>
  tile.store %p, %c {cache = #tile<cache cs>} : tensor<256x!tile.ptr<i32>>
  tile.store %q, %c {cache = #tile<cache wt>} : tensor<256x!tile.ptr<i32>>
  return
}

//--- grouped.mlir
// Four loads with one mask share a branch, with the arithmetic between them before or behind it.
// CHECK: define amdgpu_kernel void @grouped(
// CHECK: br i1
// CHECK-COUNT-4: load <1 x float>, ptr addrspace(1)
// CHECK: br label
// CHECK: br i1
// CHECK: store <1 x float>
// CHECK: ret void
func.func @grouped(%in: i64 {simt.pointer}, %out: i64 {simt.pointer}, %n: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %m = arith.cmpi slt, %t, %n : i32
  %k = arith.muli %t, %n : i32
  %w = arith.extsi %k : i32 to i64
  %c4 = arith.constant 4 : i64
  %c1024 = arith.constant 1024 : i64
  %o = arith.muli %w, %c4 : i64
  %a0 = arith.addi %in, %o : i64
  %v0 = simt.load %a0 mask %m : vector<1xf32>
  %s0 = arith.mulf %v0, %v0 : vector<1xf32>
  %a1 = arith.addi %a0, %c1024 : i64
  %v1 = simt.load %a1 mask %m : vector<1xf32>
  %s1 = arith.addf %s0, %v1 : vector<1xf32>
  %a2 = arith.addi %a1, %c1024 : i64
  %v2 = simt.load %a2 mask %m : vector<1xf32>
  %a3 = arith.addi %a2, %c1024 : i64
  %v3 = simt.load %a3 mask %m : vector<1xf32>
  %s2 = arith.addf %s1, %v2 : vector<1xf32>
  %s3 = arith.addf %s2, %v3 : vector<1xf32>
  %b = arith.addi %out, %o : i64
  simt.barrier program
  simt.store %b, %s3 mask %m : vector<1xf32>
  return
}

//--- programs.mlir
// The grid's size is behind the kernel's arguments.
// CHECK: s_load_dword
// CHECK: .amdhsa_kernarg_size 20
// META: parameter pointer 64 x_ptr
// META-NEXT: hidden integer 32 num_programs(0)
// META-NEXT: hidden integer 32 num_programs(1)
// META-NEXT: hidden integer 32 num_programs(2)
func.func @programs(%x: !tile.ptr<i32> {tile.name = "x_ptr"}) attributes {tile.kernel} {
  %n = tile.num_programs 1
  %i = tile.program_id 2
  %s = arith.addi %n, %i : i32
  tile.store %x, %s : !tile.ptr<i32>
  return
}
