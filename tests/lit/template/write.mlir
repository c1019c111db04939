// Per-thread IR as C: memory, control flow, arithmetic that wraps. docs/guides/adding-a-backend.md runs such code,
// shared memory included.
// RUN: tile-template %s | FileCheck %s
// RUN: tile-template %s --emit=simt | FileCheck %s --check-prefix=SIMT
// RUN: tile-template %s --emit=layout | FileCheck %s --check-prefix=LAYOUT
// RUN: tile-template %s --metadata | FileCheck %s --check-prefix=METADATA

// LAYOUT: name=template:c,lanes=1,threads=1,shared=16k,shuffle=off
// SIMT: simt.threads = 1
// METADATA: kernel write
// METADATA-NEXT: parameter pointer 64 x
// METADATA-NEXT: parameter integer 32 n

// CHECK: void write(const uint32_t program[3], const uint32_t programs[3], uint64_t [[X:v[0-9]+]], uint32_t [[N:v[0-9]+]]) {
// The sum that the loop carries; both of its values are read before one is written.
// CHECK: uint32_t [[SUM:v[0-9]+]] = (uint32_t)({{v[0-9]+}});
// CHECK-NEXT: uint32_t [[LAST:v[0-9]+]] = (uint32_t)({{v[0-9]+}});
// CHECK-NEXT: for (uint32_t [[I:v[0-9]+]] = {{v[0-9]+}}; (int32_t)[[I]] < (int32_t)[[N]]; [[I]] += {{v[0-9]+}}) {
// CHECK-NEXT: uint32_t [[NEXT:v[0-9]+]] = (uint32_t)(1u * [[SUM]] + [[I]]);
// CHECK-NEXT: uint32_t [[A:v[0-9]+]] = [[NEXT]];
// CHECK-NEXT: uint32_t [[B:v[0-9]+]] = [[SUM]];
// CHECK-NEXT: [[SUM]] = [[A]];
// CHECK-NEXT: [[LAST]] = [[B]];
// CHECK-NEXT: }
// CHECK: bool [[IS:v[0-9]+]] = (bool)(((int32_t)[[SUM]] < (int32_t)[[LAST]]) & 1);
// CHECK-NEXT: uint32_t [[R:v[0-9]+]] = (uint32_t)(0);
// CHECK-NEXT: if ([[IS]]) {
// CHECK: uint32_t [[T:v[0-9]+]] = [[LAST]];
// CHECK-NEXT: [[R]] = [[T]];
// CHECK-NEXT: } else {
// CHECK: [[R]] = {{v[0-9]+}};
// CHECK-NEXT: }
// CHECK: if ({{v[0-9]+}}) ((uint32_t *)([[X]]))[0] = [[R]];
func.func @write(%x: !tile.ptr<i32> {tile.name = "x"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %l = %c0) -> (i32, i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next, %s : i32, i32
  }
  %is = arith.cmpi slt, %sum, %last : i32
  %r = scf.if %is -> (i32) {
    scf.yield %last : i32
  } else {
    %p = tile.program_id 0
    %q = arith.addi %p, %sum : i32
    scf.yield %q : i32
  }
  tile.store %x, %r : !tile.ptr<i32>
  return
}
