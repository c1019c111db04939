// Hand-written per-thread IR with roles: each role is a branch on the thread's number, its barriers are named
// ones, and phases are mbarriers. ptxas accepts it.
// RUN: split-file %s %t
// RUN: tile-nvptx %t/ring.mlir --arch=sm_90a | FileCheck %t/ring.mlir
// RUN: not tile-nvptx %t/ring.mlir --arch=sm_80 2>&1 | FileCheck %t/ring.mlir --check-prefix=OLD
// RUN: not tile-nvptx %t/ring.mlir --arch=sm_90a --num-warps=8 2>&1 | FileCheck %t/ring.mlir --check-prefix=WARPS
// RUN: not tile-nvptx %t/many.mlir --arch=sm_90a --num-warps=32 2>&1 | FileCheck %t/many.mlir

//--- ring.mlir
// CHECK: mbarrier.init.shared.b64 [%{{.*}}], 1;
// CHECK: bar{{.*}}.sync{{.*}} 0;
// CHECK-DAG: mbarrier.try_wait.parity.shared::cta.b64
// CHECK-DAG: bar.warp.sync
// CHECK-DAG: mbarrier.arrive.shared.b64
// CHECK-DAG: bar{{.*}}.sync{{.*}} 1, 96;
// OLD: error: 'simt.phase_init' needs sm_90 or later, not sm_80
// WARPS: error: kernel 'k' is per-thread IR for 128 threads, but num_warps=8 makes 256
func.func @k(%in: i64 {simt.pointer}, %out: i64 {simt.pointer}, %n: i32) attributes {tile.kernel, simt.threads = 128 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %s = simt.shared_alloc 128
  %bars = simt.shared_alloc 16
  %t = simt.thread_id
  %first = arith.cmpi eq, %t, %c0 : i32
  simt.phase_init %bars[%c0] arrivals 1 mask %first
  simt.phase_init %bars[%c8] arrivals 1 mask %first
  simt.role 0 to 1 {
  ^bb0(%lane: i32):
    %isLane0 = arith.cmpi eq, %lane, %c0 : i32
    %own = arith.muli %lane, %c4 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %parity = arith.andi %i, %c1 : i32
      %before = arith.subi %c1, %parity : i32
      simt.phase_wait %bars[%c8] parity %before
      %v = simt.load %in : vector<1xi32>
      simt.shared_store %s[%own], %v : vector<1xi32>
      simt.barrier warp
      simt.phase_arrive %bars[%c0] mask %isLane0
    }
  }
  simt.role 1 to 4 {
  ^bb0(%thread: i32):
    %isThread0 = arith.cmpi eq, %thread, %c0 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %parity = arith.andi %i, %c1 : i32
      simt.phase_wait %bars[%c0] parity %parity
      %w = simt.shared_load %s[%c0] : vector<1xi32>
      simt.store %out, %w : vector<1xi32>
      simt.barrier role
      simt.phase_arrive %bars[%c8] mask %isThread0
    }
  }
  return
}

//--- many.mlir
// CHECK: error: 'simt.role' op needs barriers of its own, but roles have only 15 in all
func.func @k() attributes {tile.kernel, simt.threads = 1024 : i32} {
  simt.role 0 to 2 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 2 to 4 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 4 to 6 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 6 to 8 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 8 to 10 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 10 to 12 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 12 to 14 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 14 to 16 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 16 to 18 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 18 to 20 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 20 to 22 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 22 to 24 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 24 to 26 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 26 to 28 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 28 to 30 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  simt.role 30 to 32 {
  ^bb0(%thread: i32):
    simt.barrier role
  }
  return
}
