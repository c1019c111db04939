// Offsets in shared memory that differ in bits which a thread's part does not have are constants of the instructions.
// RUN: tile-amdgpu %s --arch=gfx942 --emit=llvm-dialect | FileCheck %s
// RUN: tile-amdgpu %s --arch=gfx942 | FileCheck %s --check-prefix=ASM
// Threads have bits 4 to 11, as shifts and multiples of single bits: 0x220 and 0x1220 share what they have of those. A
// number that any bit may be in is left as it is, and so is one whose bits all meet.
// CHECK: @offsets(
// CHECK: %[[THREAD:.*]] = llvm.xor %{{.*}}, %{{.*}} : i32
// CHECK: llvm.xor %[[THREAD]], %{{.*}} : i32
// CHECK: %[[MIXED:.*]] = llvm.xor %[[THREAD]], %{{.*}} : i32
// CHECK: llvm.add %[[MIXED]], %{{.*}} overflow<nsw, nuw> : i32
// CHECK: llvm.xor %arg1, %{{.*}} : i32
// CHECK-NOT: overflow<nsw, nuw> : i32
// CHECK: llvm.return
// ASM: offsets:
// ASM: v_xor_b32_e32 [[FIRST:v[0-9]+]], 0x220,
// ASM: ds_read2st64_b32 v[{{.*}}], [[FIRST]] offset1:16
// ASM: s_endpgm
func.func @offsets(%out: i64 {simt.pointer}, %n: i32) attributes {tile.kernel, simt.threads = 256 : i32} {
  %buffer = simt.shared_alloc 8192 {offset = 0 : i64}
  %t = simt.thread_id
  %c4 = arith.constant 4 : i32
  %c7 = arith.constant 7 : i32
  %c1 = arith.constant 1 : i32
  %pair = arith.constant 0x110 : i32
  %low = arith.constant 0x220 : i32
  %high = arith.constant 0x1220 : i32
  %rows = arith.shli %t, %c4 : i32
  %last = arith.shrui %t, %c7 : i32
  %bit = arith.andi %last, %c1 : i32
  %part = arith.muli %bit, %pair : i32
  %own = arith.xori %rows, %part : i32
  %zero = arith.constant dense<0> : vector<1xi32>
  simt.shared_store %buffer[%rows], %zero : vector<1xi32>
  simt.barrier program
  %a = arith.xori %own, %low : i32
  %v = simt.shared_load %buffer[%a] : vector<1xi32>
  %b = arith.xori %own, %high : i32
  %w = simt.shared_load %buffer[%b] : vector<1xi32>
  %any = arith.xori %n, %high : i32
  %s = arith.addi %v, %w : vector<1xi32>
  %anys = vector.broadcast %any : i32 to vector<1xi32>
  %r = arith.addi %s, %anys : vector<1xi32>
  simt.store %out, %r : vector<1xi32>
  return
}
