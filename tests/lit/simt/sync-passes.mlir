// Placement of shared memory and insertion of barriers, as passes on per-thread text.
// RUN: tile-opt %s --target=generic:shared=4k --simt-place-shared | FileCheck %s --check-prefix=PLACES
// RUN: tile-opt %s --target=generic:shared=4k --simt-place-shared --simt-insert-barriers | FileCheck %s --check-prefix=BARRIERS
// RUN: not tile-opt %s --target=generic:shared=1k --simt-place-shared 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tile-opt %s --simt-place-shared 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: sed 's/async_copy 4/async_copy 2/' %s | not tile-opt 2>&1 | FileCheck %s --check-prefix=NARROW

// PLACES: simt.shared_bytes = 2048
// PLACES: simt.shared_alloc 2048 {{.*}}offset = 0
// PLACES-NOT: simt.shared_alloc
// PLACES-NOT: simt.barrier
// BARRIERS: simt.shared_store
// BARRIERS: simt.barrier program
// BARRIERS-NEXT: simt.shared_load
// LARGE: needs 2048 bytes of shared memory, but generic has 1024 for a program
// TARGET: error: the module has no 'distribute.target'; run tile-set-target first
// NARROW: error: 'simt.async_copy' op attribute 'bytes' failed to satisfy constraint: 32-bit signless integer attribute whose value is one of {4, 8, 16}
func.func @k(%address: i64) attributes {tile.kernel, simt.threads = 128 : i32} {
  %b = simt.shared_alloc 2048
  %unused = simt.shared_alloc 64
  %zero = arith.constant 0 : i32
  %x = arith.constant dense<0> : vector<1xi32>
  simt.shared_store %b[%zero], %x : vector<1xi32>
  %y = simt.shared_load %b[%zero] : vector<1xi32>
  simt.shared_store %b[%zero], %y : vector<1xi32>
  simt.async_copy 4 %address -> %b[%zero]
  simt.async_commit
  simt.async_wait 0
  return
}
