// An expanded kernel comes from the passes or is written by hand: its layouts and its schedule stay, and its
// requirements on the target are checked.
// RUN: split-file %s %t
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate > %t.stages
// RUN: tile-opt %t.stages --schedule-expand > %t.expanded
// RUN: tile-opt %t.expanded --tile-pad --tile-split --tile-distribute --schedule-stages --schedule-allocate --schedule-expand | diff %t.expanded -
// RUN: tile-opt %t.stages --lower-to-threads > %t.direct
// RUN: tile-opt %t.expanded --tile-distribute --schedule-stages --schedule-allocate --lower-to-threads | diff %t.direct -
// RUN: not tile-opt %t.expanded --schedule-stages=file=%t/schedule 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error: the loops of kernel 'k' are expanded already; no schedule can be given for them

// RUN: tile-opt %t/wait.mlir | tile-opt | FileCheck %s --check-prefix=WAIT
// WAIT: sched.dot_wait pending 1{{$}}
// WAIT-NEXT: %{{.*}}:2 = sched.dot_wait pending 0 for %{{.*}}, %{{.*}} : tensor<32x32xf32>, tensor<32x16xf32>

// As attributes.
// RUN: sed 's/,async=on//' %t.stages | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/,async=on//' %t.stages | not tile-opt --lower-to-threads 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'tile.load' op cannot follow its schedule: generic has no asynchronous copies
// RUN: sed 's/slots = 3, distance = 2/slots = 60, distance = 59/' %t.stages | not tile-opt --lower-to-threads 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: 'scf.for' op cannot follow its schedule: rings of 245760 bytes and other ops of 1024 bytes do not fit the shared memory of generic, which has 163840

// As ops.
// RUN: sed 's/,async=on//' %t.expanded | not tile-opt --lower-to-threads 2>&1 | FileCheck %s --check-prefix=NONE-OPS
// NONE-OPS: error: 'sched.copy' op cannot be made: generic has no asynchronous copies
// RUN: sed 's/contiguity = \[1, [0-9]*\], alignment = \[2, 16\]/contiguity = [1, 1], alignment = [1, 1]/' %t.expanded | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: 'sched.copy' op moves 4 bytes or more at a time, but here only 2 neighbouring bytes are known to be aligned and contiguous
// RUN: sed 's/shared=160k/shared=8k/' %t.expanded | not tile-opt --lower-to-threads 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: 'scf.for' op uses rings of 12288 bytes, which do not fit the shared memory of generic, which has 8192
// RUN: sed '/sched.copy/s/{distribute.access = #access}//' %t.expanded | not tile-opt --lower-to-threads 2>&1 | FileCheck %s --check-prefix=ACCESS
// ACCESS: error: 'sched.copy' op has no 'distribute.access', which says what each thread copies

// RUN: sed '/func.func/s/sched.conversions = [0-9]* : i64, //' %t.expanded | not tile-opt --lower-to-threads 2>&1 | FileCheck %s --check-prefix=CONVERSIONS
// CONVERSIONS: error: kernel 'k' is expanded, but has no 'sched.conversions'; add it: the bytes of shared memory that one conversion between layouts may take

// A ring that nobody uses takes no memory.
// RUN: tile-opt %t/unused.mlir --target=generic:shared=160k,async=on --tile-distribute --lower-to-threads | FileCheck %s --check-prefix=UNUSED
// UNUSED: simt.shared_bytes = 0
// UNUSED-NOT: simt.shared_alloc
// RUN: not tile-opt %t/parameter.mlir --target=generic:shared=160k --tile-distribute --lower-to-threads 2>&1 | FileCheck %s --check-prefix=PARAMETER
// PARAMETER: error: a kernel's parameters are scalars and pointers, not '!sched.channel<slots = 2, copies = chunks>'

//--- schedule
loop #0: slots=2
//--- wait.mlir
func.func @k(%x: tensor<32x32xf32>, %y: tensor<32x16xf32>) {
  sched.dot_wait pending 1
  %s:2 = sched.dot_wait pending 0 for %x, %y : tensor<32x32xf32>, tensor<32x16xf32>
  return
}
//--- unused.mlir
func.func @k() attributes {sched.conversions = 1024 : i64, sched.expanded, tile.kernel} {
  %c = sched.channel : <slots = 2, copies = chunks>
  %r = sched.ring %c : <slots = 2, copies = chunks> -> <2 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}
//--- parameter.mlir
func.func @k(%c: !sched.channel<slots = 2, copies = chunks>) attributes {sched.conversions = 1024 : i64, sched.expanded, tile.kernel} {
  return
}
