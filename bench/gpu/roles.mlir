// A producer and consumers over a ring of two slots, written by hand (docs/simt.md): warp 0 copies rows of 96 words
// to shared memory; warps 1 to 3 read a row in the opposite order, which reads words of other warps' lanes, and keep
// sums. bench/gpu/roles.py runs it on a GPU; tests/kernels/RoleTest.cpp runs a similar kernel on the emulator.
func.func @roles(%in: i64 {simt.pointer}, %out: i64 {simt.pointer}, %rows: i32) attributes {tile.kernel, simt.threads = 128 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %c95 = arith.constant 95 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %c384 = arith.constant 384 : i32
  %zero = arith.constant dense<0> : vector<1xi32>
  %ring = simt.shared_alloc 768
  %bars = simt.shared_alloc 32
  %t = simt.thread_id
  %first = arith.cmpi eq, %t, %c0 : i32
  simt.phase_init %bars[%c0] arrivals 1 mask %first
  simt.phase_init %bars[%c8] arrivals 1 mask %first
  simt.phase_init %bars[%c16] arrivals 1 mask %first
  simt.phase_init %bars[%c24] arrivals 1 mask %first
  simt.role 0 to 1 {
  ^bb0(%lane: i32):
    %isLane0 = arith.cmpi eq, %lane, %c0 : i32
    %own = arith.muli %lane, %c4 : i32
    scf.for %i = %c0 to %rows step %c1 : i32 {
      %slot = arith.remui %i, %c2 : i32
      %round = arith.divui %i, %c2 : i32
      %parity = arith.remui %round, %c2 : i32
      %before = arith.subi %c1, %parity : i32
      %full = arith.muli %slot, %c8 : i32
      %empty = arith.addi %full, %c16 : i32
      simt.phase_wait %bars[%empty] parity %before
      %base = arith.muli %slot, %c384 : i32
      %row = arith.muli %i, %c384 : i32
      %to = arith.addi %base, %own : i32
      %from = arith.addi %row, %own : i32
      %from64 = arith.extui %from : i32 to i64
      %p0 = arith.addi %in, %from64 : i64
      %v0 = simt.load %p0 : vector<1xi32>
      %step = arith.extui %c128 : i32 to i64
      %p1 = arith.addi %p0, %step : i64
      %v1 = simt.load %p1 : vector<1xi32>
      %p2 = arith.addi %p1, %step : i64
      %v2 = simt.load %p2 : vector<1xi32>
      %to1 = arith.addi %to, %c128 : i32
      %to2 = arith.addi %to, %c256 : i32
      simt.shared_store %ring[%to], %v0 : vector<1xi32>
      simt.shared_store %ring[%to1], %v1 : vector<1xi32>
      simt.shared_store %ring[%to2], %v2 : vector<1xi32>
      simt.barrier warp
      simt.phase_arrive %bars[%full] mask %isLane0
    }
  }
  simt.role 1 to 4 {
  ^bb0(%thread: i32):
    %isThread0 = arith.cmpi eq, %thread, %c0 : i32
    %other = arith.subi %c95, %thread : i32
    %mine = arith.muli %other, %c4 : i32
    %sum = scf.for %i = %c0 to %rows step %c1 iter_args(%acc = %zero) -> (vector<1xi32>) : i32 {
      %slot = arith.remui %i, %c2 : i32
      %round = arith.divui %i, %c2 : i32
      %parity = arith.remui %round, %c2 : i32
      %full = arith.muli %slot, %c8 : i32
      %empty = arith.addi %full, %c16 : i32
      simt.phase_wait %bars[%full] parity %parity
      %base = arith.muli %slot, %c384 : i32
      %source = arith.addi %base, %mine : i32
      %w = simt.shared_load %ring[%source] : vector<1xi32>
      %next = arith.addi %acc, %w : vector<1xi32>
      simt.barrier role
      simt.phase_arrive %bars[%empty] mask %isThread0
      scf.yield %next : vector<1xi32>
    }
    %place = arith.muli %thread, %c4 : i32
    %place64 = arith.extui %place : i32 to i64
    %target = arith.addi %out, %place64 : i64
    simt.store %target, %sum : vector<1xi32>
  }
  return
}
