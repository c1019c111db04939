// A tensor of which each thread would hold more than can be compiled.
// RUN: not tile-nvptx --arch sm_80 --num-warps 4 %s 2>&1 | FileCheck %s

// CHECK: error: 'tile.make_range' op gives 1048576 elements, 8192 in each of the program's 128 threads, but at most 1024 can be compiled; use smaller blocks or a larger num_warps
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1048576 : tensor<1048576xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<1048576x!tile.ptr<i32>>
  %p = tile.addptr %s, %r : tensor<1048576x!tile.ptr<i32>>, tensor<1048576xi32>
  tile.store %p, %r : tensor<1048576x!tile.ptr<i32>>
  return
}
