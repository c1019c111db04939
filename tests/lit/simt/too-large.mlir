// A tensor of which each thread would hold more than can be compiled, and that cannot be computed in parts: a scan
// needs all of it; memory that is loaded again might have been written in between; a stored part might overlap a later
// part's loads.
// RUN: split-file %s %t
// RUN: not tile-nvptx --arch sm_80 --num-warps 4 %t/scan.mlir 2>&1 | FileCheck %t/scan.mlir
// RUN: not tile-nvptx --arch sm_80 --num-warps 4 %t/written.mlir 2>&1 | FileCheck %t/written.mlir
// RUN: not tile-nvptx --arch sm_80 --num-warps 4 %t/moved.mlir 2>&1 | FileCheck %t/moved.mlir

//--- scan.mlir
// CHECK: error: 'tile.make_range' op gives 1048576 elements, 8192 in each of the program's 128 threads, but at most 1024 can be compiled; use smaller blocks or a larger num_warps
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1048576 : tensor<1048576xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<1048576x!tile.ptr<i32>>
  %p = tile.addptr %s, %r : tensor<1048576x!tile.ptr<i32>>, tensor<1048576xi32>
  %v = tile.scan %r axis 0 : (tensor<1048576xi32>) -> tensor<1048576xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %v : tensor<1048576x!tile.ptr<i32>>
  return
}

//--- written.mlir
// CHECK: error: {{.*}} but at most 1024 can be compiled
func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1048576 : tensor<1048576xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<1048576x!tile.ptr<i32>>
  %p = tile.addptr %s, %r : tensor<1048576x!tile.ptr<i32>>, tensor<1048576xi32>
  %v = tile.load %p : tensor<1048576x!tile.ptr<i32>>
  tile.barrier
  tile.store %p, %v : tensor<1048576x!tile.ptr<i32>>
  return
}

//--- moved.mlir
// CHECK: error: {{.*}} but at most 1024 can be compiled
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1048576 : tensor<1048576xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<1048576x!tile.ptr<i32>>
  %p = tile.addptr %s, %r : tensor<1048576x!tile.ptr<i32>>, tensor<1048576xi32>
  %v = tile.load %p : tensor<1048576x!tile.ptr<i32>>
  %one = arith.constant dense<1> : tensor<1048576xi32>
  %q = tile.addptr %p, %one : tensor<1048576x!tile.ptr<i32>>, tensor<1048576xi32>
  tile.store %q, %v : tensor<1048576x!tile.ptr<i32>>
  return
}
