// Masked accesses as buffer instructions: where lanes share the base and offsets have bounds,
// no branch is needed: masked lanes access an offset outside of the buffer (bounds.mlir: which masks
// are the buffer's size).
// RUN: split-file %s %t
// RUN: tile-amdgpu %t/program.mlir | FileCheck %t/program.mlir --check-prefixes=CHECK,CDNA3
// RUN: tile-amdgpu %t/program.mlir --arch=gfx1030 | FileCheck %t/program.mlir --check-prefixes=CHECK,RDNA2
// RUN: tile-amdgpu %t/program.mlir --arch=gfx1100 | FileCheck %t/program.mlir --check-prefixes=CHECK,RDNA3
// RUN: tile-amdgpu %t/program.mlir --arch=gfx1200 | FileCheck %t/program.mlir --check-prefixes=CHECK,RDNA4
// RUN: tile-amdgpu %t/rows.mlir --emit=llvm | FileCheck %t/rows.mlir
// RUN: tile-amdgpu %t/widths.mlir --emit=llvm | FileCheck %t/widths.mlir
// RUN: tile-amdgpu %t/widths.mlir --emit=hsaco -o %t/widths.hsaco
// RUN: tile-amdgpu %t/hints.mlir | FileCheck %t/hints.mlir
// RUN: tile-amdgpu %t/constants.mlir --emit=llvm | FileCheck %t/constants.mlir
// RUN: tile-amdgpu %t/branches.mlir --emit=llvm | FileCheck %t/branches.mlir

//--- program.mlir
// The program's part is a multiple of 1024 and the thread's below that, so that their sum cannot
// wrap: the one goes to the base, the other is the offset. Reads of what is masked are zero, and the
// buffer ends where the mask does.
// CHECK: program:
// CHECK-NOT: s_and_saveexec
// CHECK-NOT: s_cbranch
// CDNA3-DAG: s_mov_b32 s{{[0-9]+}}, 0x27000
// CDNA3-DAG: s_min_u32 s{{[0-9]+}}, s{{[0-9]+}}, 0x1ffffffc
// CDNA3-NOT: v_cndmask_b32
// CDNA3-NOT: v_cmp
// CDNA3: buffer_load_dwordx4 v[{{.*}}], v{{[0-9]+}}, s[{{.*}}], 0 offen
// CDNA3: buffer_store_dwordx4 v[{{.*}}], v{{[0-9]+}}, s[{{.*}}], 0 offen
// RDNA2: s_mov_b32 s{{[0-9]+}}, 0x31027000
// RDNA2: buffer_load_dwordx4
// RDNA2: buffer_store_dwordx4
// RDNA3: s_mov_b32 s{{[0-9]+}}, 0x31027000
// RDNA3: buffer_load_b128
// RDNA3: buffer_store_b128
// RDNA4: s_mov_b32 s{{[0-9]+}}, 0x31027000
// RDNA4: buffer_load_b128
// RDNA4: buffer_store_b128
// CHECK: s_endpgm
func.func @program(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c1024 : i32
  %firsts = tile.splat %first : i32 -> tensor<1024xi32>
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %i = arith.addi %firsts, %range : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p mask %m : tensor<1024x!tile.ptr<f32>>
  %s = arith.mulf %v, %v : tensor<1024xf32>
  tile.store %p, %s mask %m : tensor<1024x!tile.ptr<f32>>
  return
}

//--- rows.mlir
// The row is any number, but the same for all lanes, also in a loop. What is read in place of
// masked elements is selected if it is not zero.
// CHECK: define amdgpu_kernel void @rows(
// CHECK: %[[MASK:.*]] = icmp slt i32 %{{.*}}, %2
// CHECK-NOT: -2147483648
// CHECK: call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) {{.*}}, i16 0, i64 %{{.*}}, i32 159744)
// CHECK: call <2 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v2i32(ptr addrspace(8) {{.*}}, i32 {{.*}}, i32 0, i32 0)
// CHECK: select i1 %[[MASK]], {{.*}} half {{.*}}0xH3C00
// CHECK: call void @llvm.amdgcn.raw.ptr.buffer.store.v2i32(
// CHECK: ret void
func.func @rows(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %stride: i32 {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}, %rows: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %other = arith.constant dense<1.0> : tensor<1024xf16>
  scf.for %row = %pid to %rows step %c1 : i32 {
    %place = arith.muli %row, %stride : i32
    %start = tile.addptr %x, %place : !tile.ptr<f16>, i32
    %starts = tile.splat %start : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
    %p = tile.addptr %starts, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    %v = tile.load %p mask %m other %other : tensor<1024x!tile.ptr<f16>>
    %s = arith.addf %v, %v : tensor<1024xf16>
    tile.store %p, %s mask %m : tensor<1024x!tile.ptr<f16>>
  }
  return
}

//--- widths.mlir
// From one byte to sixteen; 8-bit floats and doubles as words.
// CHECK: define amdgpu_kernel void @widths(
// CHECK: call i8 @llvm.amdgcn.raw.ptr.buffer.load.i8(
// CHECK: call i16 @llvm.amdgcn.raw.ptr.buffer.load.i16(
// CHECK: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(
// CHECK: call <2 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v2i32(
// CHECK: call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(
// CHECK-DAG: call void @llvm.amdgcn.raw.ptr.buffer.store.i8(i8
// CHECK-DAG: call void @llvm.amdgcn.raw.ptr.buffer.store.i16(i16
// CHECK-DAG: call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32
// CHECK-DAG: call void @llvm.amdgcn.raw.ptr.buffer.store.v2i32(<2 x i32>
// CHECK-DAG: call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(<4 x i32>
// CHECK: ret void
func.func @widths(%in: i64 {simt.pointer}, %out: i64 {simt.pointer}, %n: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %m = arith.cmpi slt, %t, %n : i32
  %c16 = arith.constant 16 : i32
  %o32 = arith.muli %t, %c16 : i32
  %o = arith.extsi %o32 : i32 to i64
  %a = arith.addi %in, %o : i64
  %b = arith.addi %out, %o : i64
  %v0 = simt.load %a mask %m : vector<1xi8>
  %v1 = simt.load %a mask %m : vector<1xbf16>
  %v2 = simt.load %a mask %m : vector<4xf8E4M3FN>
  %v3 = simt.load %a mask %m : vector<1xf64>
  %v4 = simt.load %a mask %m : vector<8xf16>
  simt.store %b, %v0 mask %m : vector<1xi8>
  simt.store %b, %v1 mask %m : vector<1xbf16>
  simt.store %b, %v2 mask %m : vector<4xf8E4M3FN>
  simt.store %b, %v3 mask %m : vector<1xf64>
  simt.store %b, %v4 mask %m : vector<8xf16>
  return
}

//--- hints.mlir
// Data that is used once is marked so here, too; accesses that other devices take part in keep their branch.
// CHECK: hints:
// CHECK: buffer_load_dword v{{.*}} offen nt
// CHECK: s_and_saveexec
// CHECK: global_load_dword {{.*}} sc0 sc1
// CHECK: buffer_store_dword v{{.*}} offen nt
// CHECK: s_endpgm
func.func @hints(%in: i64 {simt.pointer}, %out: i64 {simt.pointer}, %n: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %m = arith.cmpi slt, %t, %n : i32
  %c4 = arith.constant 4 : i32
  %o32 = arith.muli %t, %c4 : i32
  %o = arith.extsi %o32 : i32 to i64
  %a = arith.addi %in, %o : i64
  %b = arith.addi %out, %o : i64
  %v = simt.load %a mask %m {evict = #tile<evict evict_first>} : vector<1xi32>
  %w = simt.load %b mask %m volatile : vector<1xi32>
  %s = arith.addi %v, %w : vector<1xi32>
  simt.store %a, %s mask %m {cache = #tile<cache cs>} : vector<1xi32>
  return
}

//--- constants.mlir
// Constants behind the base are added to the offset after the selection, where the instruction has
// room for them; those before it belong to the base.
// CHECK: define amdgpu_kernel void @constants(
// CHECK: %[[OFFSET:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 -2147483648
// CHECK: %[[NEXT:.*]] = add nuw{{( nsw)?}} i32 %[[OFFSET]], 1024
// CHECK: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %{{.*}}, i32 %[[NEXT]], i32 0, i32 0)
// CHECK: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %{{.*}}, i32 %[[OFFSET]], i32 0, i32 0)
// CHECK: ret void
func.func @constants(%in: i64 {simt.pointer}, %out: i64 {simt.pointer}, %n: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %m = arith.cmpi slt, %t, %n : i32
  %c4 = arith.constant 4 : i32
  %o32 = arith.muli %t, %c4 : i32
  %o = arith.extsi %o32 : i32 to i64
  %after = arith.constant 1024 : i64
  %before = arith.constant -1024 : i64
  %a = arith.addi %in, %o : i64
  %a1 = arith.addi %a, %after : i64
  %v = simt.load %a1 mask %m : vector<1xf32>
  %a2 = arith.addi %a, %before : i64
  %w = simt.load %a2 mask %m : vector<1xf32>
  %s = arith.addf %v, %w : vector<1xf32>
  %b = arith.addi %out, %o : i64
  simt.store %b, %s : vector<1xf32>
  return
}

//--- branches.mlir
// Nothing is known of an index from memory, of one times any stride, of one that may be negative, or
// of a sum of 32 bits that may wrap.
// CHECK: define amdgpu_kernel void @branches(
// CHECK-NOT: buffer
// CHECK: ret void
func.func @branches(%x: !tile.ptr<f32>, %index: !tile.ptr<i32>, %stride: i32, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %is = tile.splat %index : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %ip = tile.addptr %is, %i : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %j = tile.load %ip : tensor<1024x!tile.ptr<i32>>
  %p0 = tile.addptr %xs, %j : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v0 = tile.load %p0 mask %m : tensor<1024x!tile.ptr<f32>>
  %strides = tile.splat %stride : i32 -> tensor<1024xi32>
  %k = arith.muli %i, %strides : tensor<1024xi32>
  %p1 = tile.addptr %xs, %k : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v1 = tile.load %p1 mask %m : tensor<1024x!tile.ptr<f32>>
  %c1023 = arith.constant dense<1023> : tensor<1024xi32>
  %r = arith.subi %c1023, %i : tensor<1024xi32>
  %down = arith.subi %r, %c1023 : tensor<1024xi32>
  %p2 = tile.addptr %xs, %down : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v2 = tile.load %p2 mask %m : tensor<1024x!tile.ptr<f32>>
  %pid = tile.program_id 0
  %c1000 = arith.constant 1000 : i32
  %first = arith.muli %pid, %c1000 : i32
  %firsts = tile.splat %first : i32 -> tensor<1024xi32>
  %f = arith.addi %firsts, %i : tensor<1024xi32>
  %p3 = tile.addptr %xs, %f : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v3 = tile.load %p3 mask %m : tensor<1024x!tile.ptr<f32>>
  %s0 = arith.addf %v0, %v1 : tensor<1024xf32>
  %s1 = arith.addf %v2, %v3 : tensor<1024xf32>
  %s = arith.addf %s0, %s1 : tensor<1024xf32>
  tile.store %p3, %s mask %m : tensor<1024x!tile.ptr<f32>>
  return
}
