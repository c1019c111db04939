// What helps a kernel that does not fit: `num_stages=1` is said not to only where no loop has slots that it would save.
// RUN: sed 's/^  return/  %v = tile.make_range 0 to 128 : tensor<128xi32>\n  %h = tile.histogram %v : tensor<128xi32> -> tensor<32768xi32>\n  return/' %S/../schedule/Inputs/product.mlir > %t.mlir
// RUN: not tile-opt %t.mlir --target=generic:shared=64k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=RINGS
// RINGS: error: needs {{[0-9]+}} bytes of shared memory, but generic has 65536 for a program, which is {{[0-9]+}} too few; use smaller blocks{{$}}
// RUN: not tile-opt %t.mlir --target=generic:shared=6k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: needs {{[0-9]+}} bytes of shared memory, but generic has 6144 for a program, which is {{[0-9]+}} too few; use smaller blocks; num_stages=1 is not enough{{$}}
// RUN: not tile-opt %t.mlir --target=generic:shared=6k,async=on --num-stages=1 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand --lower-to-threads 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: needs {{[0-9]+}} bytes of shared memory, but generic has 6144 for a program, which is {{[0-9]+}} too few; use smaller blocks{{$}}
