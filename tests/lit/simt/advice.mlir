// What helps a kernel that does not fit, and nothing else: `num_stages=1` is said not to only where no loop has slots that it would save.
// RUN: sed 's/^  return/  %v = tile.make_range 0 to 128 : tensor<128xi32>\n  %h = tile.histogram %v : tensor<128xi32> -> tensor<32768xi32>\n  return/' %S/../schedule/Inputs/product.mlir > %t.mlir
// RUN: not tile-opt %t.mlir --target=generic:shared=64k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=RINGS
// RINGS: error: needs {{[0-9]+}} bytes of shared memory, but generic has 65536 for a program, which is {{[0-9]+}} too few; use smaller blocks{{$}}
// RUN: not tile-opt %t.mlir --target=generic:shared=6k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: needs {{[0-9]+}} bytes of shared memory, but generic has 6144 for a program, which is {{[0-9]+}} too few; use smaller blocks; num_stages=1 is not enough{{$}}
// RUN: not tile-opt %t.mlir --target=generic:shared=6k,async=on --num-stages=1 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: needs {{[0-9]+}} bytes of shared memory, but generic has 6144 for a program, which is {{[0-9]+}} too few; use smaller blocks{{$}}

// A schedule by hand has no slots that could be saved for an op behind its loop.
// RUN: echo 'loop #0: slots=2' > %t.hand
// RUN: not tile-opt %t.mlir --target=generic:shared=64k,async=on --tile-distribute --schedule-stages=file=%t.hand --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=RINGS

// Behind the loop is an opaque product, whose sums become registers through a slot of 1 KiB for each warp: half of 16 warps fit, and
// that the loop has rings does not matter, whoever chose them.
// RUN: sed '/^  return/,$d' %S/../schedule/Inputs/product.mlir > %t.warps.mlir
// RUN: cat %s >> %t.warps.mlir
// RUN: tile-opt %t.warps.mlir --target=generic:shared=10k,async=on,matrix=opaque:16x16x16:i8:i8:i32 --num-warps=16 --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate -o %t.allocated.mlir
// RUN: FileCheck %s --check-prefix=ALLOCATED --input-file=%t.allocated.mlir
// ALLOCATED: attributes {{{.*}}sched.fewer_warps = 8 : i64
// ALLOCATED: sched.pipeline = #sched.pipeline<slots = 2
// RUN: not tile-opt %t.allocated.mlir --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tile-opt %t.warps.mlir --target=generic:shared=10k,async=on,matrix=opaque:16x16x16:i8:i8:i32 --num-warps=16 --tile-distribute --schedule-stages=file=%t.hand --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: error: needs 16384 bytes of shared memory, but generic has 10240 for a program, which is 6144 too few; use smaller blocks or num_warps=8{{$}}
// The advice is right, and where a kernel fits there is none.
// RUN: tile-opt %t.warps.mlir --target=generic:shared=10k,async=on,matrix=opaque:16x16x16:i8:i8:i32 --num-warps=8 --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate -o %t.fits.mlir
// RUN: FileCheck %s --check-prefix=FITS --implicit-check-not=fewer_warps --input-file=%t.fits.mlir
// FITS: sched.pipeline = #sched.pipeline<slots = 2
// RUN: tile-opt %t.fits.mlir --schedule-expand --lower-to-threads | FileCheck %s --check-prefix=LOWERED
// LOWERED: simt.shared_bytes = 9216
  %bytes = arith.trunci %offsets : tensor<32x32xi32> to tensor<32x32xi8>
  %sums = arith.constant dense<1> : tensor<32x32xi32>
  %e = tile.dot %bytes, %bytes, %sums : tensor<32x32xi8>, tensor<32x32xi8> -> tensor<32x32xi32>
  %f = arith.sitofp %e : tensor<32x32xi32> to tensor<32x32xf16>
  %all = tile.splat %y : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %to = tile.addptr %all, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  tile.store %to, %f : tensor<32x32x!tile.ptr<f16>>
  return
}
