// Kinds, orders and scopes of atomics; float minimum and maximum by integer compares.
// RUN: tile-amdgpu %s --emit=llvm | FileCheck %s
// RUN: tile-amdgpu %s | FileCheck %s --check-prefix=CODE
// RUN: tile-amdgpu %s --arch=gfx1030 | FileCheck %s --check-prefix=LOOP

// CHECK: atomicrmw fadd ptr addrspace(1) {{.*}} syncscope("agent-one-as") acq_rel, align 4, !amdgpu.no.fine.grained.memory
// CHECK: atomicrmw max ptr addrspace(1) {{.*}} syncscope("one-as") monotonic, align 4{{$}}
// CHECK: atomicrmw xchg ptr addrspace(1) {{.*}} syncscope("workgroup-one-as") acquire
// CHECK: atomicrmw max ptr addrspace(1) {{.*}} i32 {{.*}} syncscope("agent-one-as") acq_rel
// CHECK: atomicrmw umin ptr addrspace(1) {{.*}} i32 {{.*}} syncscope("agent-one-as") acq_rel
// CHECK: cmpxchg ptr addrspace(1) {{.*}} i64 {{.*}} syncscope("agent-one-as") release monotonic
// CHECK: atomicrmw xchg ptr addrspace(1) {{.*}} i16
// CHECK: atomicrmw fadd ptr addrspace(1) {{.*}} bfloat
// CODE: global_atomic_add_f32
// At the system's scope memory may be the host's, which has no maximum across the bus.
// CODE: global_atomic_cmpswap {{.*}} sc0 sc1
// CODE: global_atomic_swap
// CODE-DAG: global_atomic_umin
// CODE-DAG: global_atomic_smax
// CODE: global_atomic_cmpswap_x2
// CODE: s_endpgm
// No addition of floats: compare and swap in a loop.
// LOOP-NOT: global_atomic_add_f32
// LOOP: global_atomic_cmpswap
// LOOP: s_endpgm
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>, %z: !tile.ptr<i64>, %v: f32, %i: i32, %j: i64, %w: !tile.ptr<f16>, %h: f16, %b: !tile.ptr<bf16>, %c: bf16) attributes {tile.kernel} {
  %0 = tile.atomic_rmw fadd %x, %v : !tile.ptr<f32>
  %1 = tile.atomic_rmw max %y, %i {sem = #tile<sem relaxed>, scope = #tile<scope sys>} : !tile.ptr<i32>
  %2 = tile.atomic_rmw xchg %y, %i {sem = #tile<sem acquire>, scope = #tile<scope cta>} : !tile.ptr<i32>
  %3 = tile.atomic_rmw fmax %x, %v : !tile.ptr<f32>
  %4 = tile.atomic_cas %z, %j, %j {sem = #tile<sem release>} : !tile.ptr<i64>
  %5 = tile.atomic_rmw xchg %w, %h : !tile.ptr<f16>
  %6 = tile.atomic_rmw fadd %b, %c : !tile.ptr<bf16>
  return
}
