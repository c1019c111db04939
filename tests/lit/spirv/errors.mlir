// Errors name the op, its location and a remedy.
// RUN: split-file %s %t
// RUN: not tile-spirv %t/f64.mlir 2>&1 | FileCheck %s --check-prefix=F64
// RUN: not tile-spirv %t/f64.mlir -target vulkan:1.3,subgroup=24 2>&1 | FileCheck %s --check-prefix=SUBGROUP
// RUN: not tile-spirv %t/f64.mlir -target vulkan:1.3,f64,threads=64 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not tile-spirv %t/f64.mlir -target vulkan:1.3,speed 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not tile-spirv %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// F64: f64.mlir:[[#]]:{{[0-9]+}}: error: vulkan:1.3 lacks 64-bit floats (shaderFloat64)
// SUBGROUP: error: subgroup=24 of a Vulkan target is not 4, 8, 16, 32, 64 or 128
// THREADS: error: kernel 'f64' would run in 128 threads with num_warps=4, but vulkan:1.3 allows 64 in a program, which is 64 fewer; use num_warps=2 or less
// WORD: error: 'speed' is not a word of a Vulkan target; words are subgroup=…,
// NONE: error: the module has no kernel (a function with the attribute 'tile.kernel')

//--- f64.mlir
func.func @f64(%x: !tile.ptr<f64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f64>
  %w = arith.addf %v, %v : f64
  tile.store %x, %w : !tile.ptr<f64>
  return
}

//--- none.mlir
func.func @helper() { return }
