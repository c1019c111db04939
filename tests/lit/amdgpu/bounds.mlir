// Masks as sizes of buffers, and what else makes a masked access a buffer instruction.
// RUN: split-file %s %t
// RUN: tile-amdgpu %t/bounds.mlir --emit=llvm | FileCheck %t/bounds.mlir
// RUN: tile-amdgpu %t/bounds.mlir --emit=remarks | FileCheck %s --check-prefix=REMARKS
// REMARKS-COUNT-3: mask-is-bound: the mask of the access is the size of a buffer, which the hardware checks
// RUN: tile-amdgpu %t/others.mlir --emit=llvm | FileCheck %t/others.mlir
// RUN: tile-amdgpu %t/others.mlir --emit=remarks | FileCheck %s --check-prefix=NONE
// NONE: # no remarks
// RUN: tile-amdgpu %t/bounds.mlir --buffers=off --emit=llvm | FileCheck %s --check-prefix=OFF
// RUN: tile-amdgpu %t/bounds.mlir --buffers=off --emit=remarks | FileCheck %s --check-prefix=NONE
// OFF-NOT: amdgcn.raw
// OFF: br i1
// OFF-NOT: amdgcn.raw
// RUN: tile-amdgpu %t/tensors.mlir --emit=llvm | FileCheck %s --check-prefix=BRANCH
// RUN: tile-amdgpu %t/tensors.mlir --emit=remarks | FileCheck %s --check-prefix=LEFT
// BRANCH-NOT: amdgcn.raw
// BRANCH: ret void
// LEFT-COUNT-3: masked-access-branches: the masked access is a branch: its offset is not known to be from 0 to 2 GiB
// RUN: tile-amdgpu %t/tensors.mlir --buffers=on --emit=llvm | FileCheck %t/tensors.mlir
// RUN: tile-amdgpu %t/tensors.mlir --buffers=on --emit=remarks | FileCheck %s --check-prefix=ONE
// ONE-COUNT-1: masked-access-branches
// ONE-NOT: masked-access-branches
// RUN: tile-amdgpu %t/small.mlir --emit=llvm | FileCheck %t/small.mlir
// RUN: tile-amdgpu %t/casts.mlir --emit=llvm | FileCheck %t/casts.mlir
// RUN: not tile-opt %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: 'func.func' op argument 0: 'tile.small' needs a pointer, but the type is 'f32'
// RUN: not tile-opt %t/value.mlir 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'func.func' op argument 0: 'tile.small' takes no value, but has true
// RUN: not tile-amdgpu %t/bounds.mlir --buffers=maybe 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: error: 'maybe' is not a choice of buffers; use 'auto', 'off' or 'on'

//--- bounds.mlir
// The size is n - start elements, at most what an offset may be: of n = 16 with 4 bytes, of a limit on the left side, and
// of one operand of a conjunction, whose other one remains a choice of the offset.
// CHECK: define amdgpu_kernel void @bounds(
// CHECK-DAG: %[[COUNT:.*]] = sub {{.*}}i32 %[[N:[0-9]+]], %[[START:[0-9]+]]
// CHECK-DAG: %[[LEAST:.*]] = {{.*}}call i32 @llvm.umin.i32(i32 %[[COUNT]], i32 536870908)
// CHECK-DAG: %[[BYTES:.*]] = shl {{.*}}i32 %[[LEAST]], 2
// CHECK-DAG: %[[ABOVE:.*]] = icmp sgt i32 %[[N]], %[[START]]
// CHECK-DAG: %[[SIZE:.*]] = select i1 %[[ABOVE]], i32 %[[BYTES]], i32 0
// CHECK-DAG: call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[SIZE]])
// CHECK-DAG: icmp sgt i32 %[[N]], 0
// CHECK: select i1 %{{.*}}, i32 {{.*}}-2147483648
// CHECK-NOT: -2147483648
// CHECK: ret void
func.func @bounds(%x: i64 {simt.pointer}, %y: i64 {simt.pointer}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %pid = tile.program_id 0
  %c1024 = arith.constant 1024 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %start = arith.muli %pid, %c1024 : i32
  %own = arith.muli %t, %c4 : i32
  %i = arith.addi %start, %own : i32
  %m = arith.cmpi slt, %i, %n : i32
  %bytes = arith.constant 4 : i64
  %wide = arith.extsi %i : i32 to i64
  %o = arith.muli %wide, %bytes : i64
  %a = arith.addi %x, %o : i64
  %v = simt.load %a mask %m : vector<4xf32>
  %left = arith.cmpi sgt, %n, %own : i32
  %short = arith.extsi %own : i32 to i64
  %p = arith.muli %short, %bytes : i64
  %b = arith.addi %y, %p : i64
  %w = simt.load %b mask %left : vector<4xf32>
  %odd = arith.cmpi ne, %t, %c16 : i32
  %both = arith.andi %odd, %m : i1
  %s = arith.addf %v, %w : vector<4xf32>
  simt.store %a, %s mask %both : vector<4xf32>
  return
}

//--- others.mlir
// Not the size: a limit that may be inside of an access, of what is not the offset, of a sum that may wrap, and of lanes.
// CHECK: define amdgpu_kernel void @others(
// CHECK-NOT: umin
// CHECK-COUNT-3: select i1 %{{.*}}, i32 %{{.*}}, i32 -2147483648
// CHECK-NOT: umin
// CHECK: ret void
func.func @others(%x: i64 {simt.pointer}, %y: i64 {simt.pointer}, %n: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %c4 = arith.constant 4 : i32
  %c7 = arith.constant 7 : i32
  %own = arith.muli %t, %c4 : i32
  %m = arith.cmpi slt, %own, %n : i32
  %bytes = arith.constant 4 : i64
  %wide = arith.extsi %own : i32 to i64
  %o = arith.muli %wide, %bytes : i64
  %a = arith.addi %x, %o : i64
  %v = simt.load %a mask %m : vector<4xf32>
  %low = arith.andi %t, %c7 : i32
  %other = arith.cmpi slt, %low, %n : i32
  %w = simt.load %a mask %other : vector<1xf32>
  %lanes = arith.cmpi slt, %own, %t : i32
  %b = arith.addi %y, %o : i64
  simt.store %b, %v mask %lanes : vector<4xf32>
  simt.store %b, %w : vector<1xf32>
  return
}

//--- tensors.mlir
// An offset times any stride, and a pointer that a loop advances: the argument is the base, and the distance from it the
// offset, from 2047 MiB before the pointer on. Of two pointers nothing is known.
// CHECK: define amdgpu_kernel void @tensors(
// CHECK: call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1({{.*}} i64 4293918720, i32 159744)
// CHECK: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(
// CHECK: call void @llvm.amdgcn.raw.ptr.buffer.store.i32(
// CHECK: ret void
func.func @tensors(%x: i64 {simt.pointer}, %y: i64 {simt.pointer}, %n: i32, %stride: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = arith.cmpi slt, %t, %n : i32
  %bytes = arith.constant 4 : i64
  %row = arith.muli %t, %stride : i32
  %wide = arith.extsi %row : i32 to i64
  %o = arith.muli %wide, %bytes : i64
  %a = arith.addi %x, %o : i64
  %none = arith.constant dense<0.0> : vector<1xf32>
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%at = %a, %sum = %none) -> (i64, vector<1xf32>) : i32 {
    %v = simt.load %at mask %m : vector<1xf32>
    %s = arith.addf %sum, %v : vector<1xf32>
    %next = arith.addi %at, %bytes : i64
    scf.yield %next, %s : i64, vector<1xf32>
  }
  %b = arith.addi %y, %o : i64
  simt.store %b, %end#1 mask %m : vector<1xf32>
  %odd = arith.cmpi slt, %n, %stride : i32
  %either = arith.select %odd, %a, %b : i64
  simt.store %either, %end#1 mask %m : vector<1xf32>
  return
}

//--- small.mlir
// The same for the one pointer that is to small memory; lanes whose mask is false are behind the buffer.
// CHECK: define amdgpu_kernel void @small(ptr addrspace(1) {{[^,]*}}%[[X:[0-9]+]],
// CHECK: %[[ADDRESS:.*]] = ptrtoint ptr addrspace(1) %[[X]] to i64
// CHECK: add i64 %[[ADDRESS]], -2146435072
// CHECK: make.buffer.rsrc{{.*}} i64 4293918720,
// CHECK: select i1 %{{.*}}, i32 %{{.*}}, i32 -1048576
// CHECK: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(
// CHECK: store <1 x i32>
// CHECK-NOT: amdgcn.raw
// CHECK: ret void
func.func @small(%x: i64 {simt.pointer, tile.small}, %y: i64 {simt.pointer}, %n: i32, %stride: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %t = simt.thread_id
  %m = arith.cmpi slt, %t, %n : i32
  %bytes = arith.constant 4 : i64
  %row = arith.muli %t, %stride : i32
  %wide = arith.extsi %row : i32 to i64
  %o = arith.muli %wide, %bytes : i64
  %a = arith.addi %x, %o : i64
  %v = simt.load %a mask %m : vector<1xi32>
  %b = arith.addi %y, %o : i64
  %odd = arith.cmpi slt, %t, %stride : i32
  simt.store %b, %v mask %odd : vector<1xi32>
  return
}

//--- casts.mlir
// Where addresses are integers in the kernel, an access may count from another pointer than its address shows: %y here.
// CHECK: define amdgpu_kernel void @casts(
// CHECK-NOT: amdgcn.raw
// CHECK: ret void
func.func @casts(%x: !tile.ptr<i32> {tile.small}, %y: !tile.ptr<i32> {tile.small}, %n: i32, %stride: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %strides = tile.splat %stride : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %four = arith.constant 4 : i64
  %xi = tile.ptr_to_int %x : !tile.ptr<i32> -> i64
  %yi = tile.ptr_to_int %y : !tile.ptr<i32> -> i64
  %distance = arith.subi %yi, %xi : i64
  %elements = arith.divsi %distance, %four : i64
  %other = tile.addptr %x, %elements : !tile.ptr<i32>, i64
  %o = arith.muli %range, %strides : tensor<64xi32>
  %others = tile.splat %other : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %p = tile.addptr %others, %o : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %p, %o mask %m : tensor<64x!tile.ptr<i32>>
  return
}

//--- wrong.mlir
func.func @k(%x: f32 {tile.small}) attributes {tile.kernel} {
  return
}

//--- value.mlir
func.func @k(%x: !tile.ptr<i32> {tile.small = true}) attributes {tile.kernel} {
  return
}
