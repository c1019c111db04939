// Kinds, orders and scopes of atomics; float minimum and maximum by integer compares.
// RUN: tile-nvptx %s | FileCheck %s
// RUN: tile-nvptx --arch sm_90a %s | FileCheck %s --check-prefix=HOPPER

// CHECK: atom.global.acq_rel.gpu.add.f32
// CHECK: atom.global.relaxed.sys.max.s32
// CHECK: atom.global.acquire.cta.exch.b32
// CHECK: atom.global.acq_rel.gpu.max.s32
// CHECK: atom.global.acq_rel.gpu.min.u32
// CHECK: atom.global.release.gpu.cas.b64
// Sixteen bits are exchanged by compare and swap.
// CHECK: ld.relaxed.gpu.global.b16 seen
// CHECK: LOOP: atom.global.acq_rel.gpu.cas.b16
// CHECK: @again bra LOOP
// Their maximum works the same way, in the order of the wider floats.
// CHECK: setp.ge.s16 positive, [[V:%rs[0-9]+]], 0;
// CHECK: LOOP: @positive max.s16 next, seen, [[V]];
// CHECK-NEXT: @!positive min.u16 next, seen, [[V]];
// CHECK-NEXT: atom.global.acq_rel.gpu.cas.b16 %rs{{[0-9]+}}, [%rd{{[0-9]+}}], seen, next;
// CHECK: LOOP: @positive min.s16 next, seen
// CHECK-NEXT: @!positive max.u16 next, seen
// A sum of bf16 before sm_90.
// CHECK: LOOP: fma.rn.bf16 next, seen, one, %rs{{[0-9]+}};
// HOPPER: atom.global.acq_rel.gpu.add.noftz.bf16
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>, %z: !tile.ptr<i64>, %v: f32, %i: i32, %j: i64, %w: !tile.ptr<f16>, %h: f16, %b: !tile.ptr<bf16>, %c: bf16) attributes {tile.kernel} {
  %0 = tile.atomic_rmw fadd %x, %v : !tile.ptr<f32>
  %1 = tile.atomic_rmw max %y, %i {sem = #tile<sem relaxed>, scope = #tile<scope sys>} : !tile.ptr<i32>
  %2 = tile.atomic_rmw xchg %y, %i {sem = #tile<sem acquire>, scope = #tile<scope cta>} : !tile.ptr<i32>
  %3 = tile.atomic_rmw fmax %x, %v : !tile.ptr<f32>
  %4 = tile.atomic_cas %z, %j, %j {sem = #tile<sem release>} : !tile.ptr<i64>
  %5 = tile.atomic_rmw xchg %w, %h : !tile.ptr<f16>
  %6 = tile.atomic_rmw fmax %w, %h : !tile.ptr<f16>
  %7 = tile.atomic_rmw fmin %w, %h : !tile.ptr<f16>
  %8 = tile.atomic_rmw fadd %b, %c : !tile.ptr<bf16>
  return
}
